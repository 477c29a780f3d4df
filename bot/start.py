"""The commands that start an answer's first running set, with the sized values put in."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from bot.launch import HEAD, Plan, plan_of
from bot.markup import Md
from bot.messages import MessageError
from bot.option_view import is_running
from bot.paths import templates_dir
from sizing.answer import Note, note

if TYPE_CHECKING:
    from jinja2 import Environment

    from sizing.answer import Option, SizingAnswer
    from sizing.catalogue import Catalogue

_CONTINUED = re.compile(r"\n(?:[ \t]*\n)*  (?=\S)")
"""Where a line of a shell template goes on with an indented one."""

_CONTINUES = " \\\n  "
"""How the shell is told so."""

_BLANK_LINES = re.compile(r"\n{2,}")

_GPU_RESOURCES = {"NVIDIA": "nvidia.com/gpu", "AMD": "amd.com/gpu"}
"""Names under which Kubernetes counts the GPUs of a vendor (its device plugin).

A MIG slice is counted by its profile: `nvidia.com/mig-3g.40gb`, strategy `mixed`.
"""

_WITHOUT_MANIFEST = frozenset({"llamacpp", "mlx", "transformers"})
"""Engines that read a file or run inside a program: a manifest would be a guess."""


@dataclass(frozen=True)
class Start:
    """One way to start the set an answer proposes."""

    kind: str
    """Engine that is started, `ollama`, or `kubernetes`."""

    text: str
    """Command, program or manifest, ready to be pasted."""


@dataclass(frozen=True)
class Starts:
    """All ways to start one set of GPUs, and what has to be known first."""

    option: Option
    """The set that is started."""

    plan: Plan
    """What is put into the commands."""

    notes: tuple[Note, ...]
    """What to prepare or to replace."""

    @cached_property
    def items(self) -> tuple[Start, ...]:
        """Return the commands, the engine's own first; they are written when somebody looks."""
        return tuple(_items(self.plan))


def starts_of(answer: SizingAnswer, catalogue: Catalogue) -> Starts | None:
    """Return how to start the first set that runs; None where none does, or no command is known.

    Training has no command of ours: a recipe is more than a size.
    """
    if answer.training is not None:
        return None
    option = next(filter(is_running, answer.options), None)
    plan = plan_of(answer, option, catalogue) if option else None
    if option is None or plan is None or not _has_items(plan):
        return None
    uneven = (reason for reason in option.reasons if reason.code == "layers_by_memory")
    return Starts(option, plan, (*uneven, *plan.notes, *_repetitions(plan)))


def _has_items(plan: Plan) -> bool:
    """Return whether `_items` yields any; no manifest stands without a command beside it."""
    return _is_startable(plan) or plan.engine == "llamacpp"


def _is_startable(plan: Plan) -> bool:
    return plan.servers == 1 or plan.starts_across_servers


def _items(plan: Plan) -> Iterator[Start]:
    if _is_startable(plan):
        suffix = "py" if plan.engine == "transformers" else "sh"
        yield Start(plan.engine, _rendered(f"{plan.engine}.{suffix}.j2", plan=plan))
    if plan.engine == "llamacpp" and plan.host is None:
        yield Start("ollama", _rendered("ollama.sh.j2", plan=plan))
    manifest = _manifest(plan)
    if manifest:
        yield Start("kubernetes", manifest)


def _repetitions(plan: Plan) -> Iterator[Note]:
    if plan.servers > 1:
        yield note("start_servers", servers=plan.servers)
    if plan.replicas > 1:
        yield note("start_copies", replicas=plan.replicas)


def _manifest(plan: Plan) -> str | None:
    """Return the manifest; None where engine, vendor or servers leave it undocumented."""
    slices = f"nvidia.com/mig-{plan.mig_profile}" if plan.mig_profile else None
    resource = slices or _GPU_RESOURCES.get(plan.vendor)
    image = plan.container_image
    if plan.uneven or plan.engine in _WITHOUT_MANIFEST:
        return None
    if resource is None or image is None:
        return None
    if plan.servers == 1:
        words = _container_words(plan)
        return _rendered("deployment.yaml.j2", plan=plan, image=image, gpu=resource, words=words)
    if not plan.starts_across_servers or plan.engine == "trtllm":
        return None
    leader, worker = (_container_words(plan, rank=rank) for rank in (0, 1))
    return _rendered(
        "leaderworkerset.yaml.j2",
        plan=plan,
        image=image,
        gpu=resource,
        leader=leader,
        worker=worker,
    )


def _container_words(plan: Plan, rank: int = 0) -> list[str]:
    """Return the command inside a container, word by word; NIM's image brings its own."""
    if plan.engine == "nim":
        return []
    inside = replace(plan, in_container=True, only_rank=rank if plan.servers > 1 else None)
    lines = _commands(_rendered(f"{plan.engine}.sh.j2", plan=inside))
    if len(lines) > 1:
        return ["sh", "-c", " && ".join(lines)]
    return [_of_group(word, rank) for word in shlex.split(lines[0])]


def _commands(text: str) -> list[str]:
    """Return each command of a shell text on a line of its own."""
    return text.replace(_CONTINUES, " ").splitlines()


def _of_group(word: str, rank: int) -> str:
    """Return a word with the addresses that LeaderWorkerSet hands to its pods."""
    if word == f"rank-{rank}":
        return "$(LWS_WORKER_INDEX)"
    return word.replace(HEAD, "$(LWS_LEADER_ADDRESS)")


def _rendered(name: str, **values: object) -> str:
    text = _environment().get_template(name).render(values)
    if name.endswith(".sh.j2"):
        text = _CONTINUED.sub(lambda _: _CONTINUES, text)
    if not name.endswith(".py.j2"):
        text = _BLANK_LINES.sub("\n", text)
    return text.strip() + "\n"


@cache
def _environment() -> Environment:
    """Return the Jinja environment: values are printed through one of its filters only."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(templates_dir() / "start"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_quoted_only,
        autoescape=True,
        auto_reload=False,
    )
    environment.filters |= {
        "sh": _shell,
        "words": lambda text: Md(" ".join(map(shlex.quote, text.split()))),
        "yaml": _yaml,
        "python": lambda value: Md(repr(value)),
        "fraction": _fraction,
    }
    return environment


def _quoted_only(value: object) -> object:
    if not hasattr(value, "__html__"):
        raise MessageError("a start template prints a value without quoting it")
    return value


def _shell(value: object) -> Md:
    """Quote a value for the shell."""
    return Md(shlex.quote(str(value)))


def _yaml(value: object) -> Md:
    """Write a value as JSON, which is valid YAML."""
    return Md(json.dumps(value))


def _fraction(value: float) -> Md:
    """Write a share without needless digits."""
    return Md(f"{value:.3f}".rstrip("0").rstrip("."))
