"""The Jinja environment of one language: filters that word values, every value escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

from bot.filters import NUMBERS
from bot.markup import Md, code, escape, fenced
from bot.measured_forms import FORMS, signed_percent
from bot.memory_bar import memory_bar, shown_signs
from bot.messages import MessageError, Messages
from bot.option_view import ROLES, reason_codes, stop_of
from bot.paths import templates_dir

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.decisions.records import Event
    from bot.difference import Change
    from bot.found import MeasuredFigure
    from sizing.answer import Note, Option, Training


def make_environment(messages: Messages) -> Environment:
    """Return the Jinja environment of one language: every value is escaped as it is printed."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(templates_dir() / messages.language),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printed,
        # Markdown is not HTML: this makes Jinja pass what `_printed` returns on unchanged, and
        # what macros return on to `_printed` marked as safe.
        autoescape=True,
        auto_reload=False,
    )
    environment.filters |= messages.filters() | _answer_filters(messages)
    environment.filters |= _decision_filters(messages)
    return environment


def _printed(value: object) -> object:
    if value is None:
        raise MessageError("a template prints a value that is not there")
    return value if hasattr(value, "__html__") else escape(str(value))


def _answer_filters(messages: Messages) -> dict[str, Callable[..., Any]]:
    """Return the filters that word values of an answer."""
    filters = messages.filters()

    def or_dash(value: object, name: str) -> str:
        return Md("–") if value is None else filters[name](value)

    def notes(values: Sequence[Note]) -> Md:
        return Md(" ".join(messages.note(note) for note in values))

    def arrow(change: Change[object] | Mapping[str, object], name: str) -> Md:
        told = change if isinstance(change, Mapping) else vars(change)
        before, after = (escape(str(or_dash(told[end], name))) for end in ("before", "after"))
        number, _, unit = before.rpartition(" ")
        is_shared = name in NUMBERS and number and after.endswith(f" {unit}")
        return Md(f"{number if is_shared else before} → {after}")

    return {
        "arrow": arrow,
        "gpu_set": messages.gpu_set,
        "keyed_set": messages.keyed_set,
        "note": messages.note,
        "notes": notes,
        "or_dash": or_dash,
        "dotted": _dotted,
        "figure_form": lambda code: FORMS.get(code, "number"),
        "signed_percent": lambda percent: Md(signed_percent(percent, messages.numbers)),
        "day_of": lambda at: str(at)[:10],
        "as_page": lambda page: Md(page.strip()),
        "more_gb": lambda change: _more_gb(messages, change),
        "shaped": lambda value, name: filters[name](value),
        "fenced": fenced,
        "start_kind": lambda kind: messages.word("start_kinds", kind),
        "typed": lambda words: code(" ".join(words)),
        "day": lambda moment: f"{moment.astimezone(UTC):%Y-%m-%d}",
        "moment": lambda moment: f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        "listed": lambda values: Md("; ".join(map(escape, values))),
        "verdict": lambda option: _verdict(messages, option),
        "run_rank": lambda run: _of_run(messages, "ranks", run),
        "run_trained": lambda run: _of_run(messages, "trained", run),
        "bars": lambda view: fenced(_bars(messages, view.answer.options)),
        "judged": lambda option: _judged(messages, option),
        "power_part": lambda code: messages.word("power_parts", code),
        "best_at": lambda code: messages.word("best_at", code),
        "group": lambda group: messages.word("groups", str(group)),
        "bound": lambda bound: messages.word("bounds", str(bound)),
        "named": lambda code, table: messages.word(table, str(code)),
        "all_named": lambda codes, table: filters["joined"](
            [messages.word(table, str(code)) for code in codes]
        ),
        "source_kind": lambda kind: messages.word("sources", str(kind)),
    }


def _decision_filters(messages: Messages) -> dict[str, Callable[..., Any]]:
    """Return the filters that word values of a decision."""

    def found(event: Event, *, whole: bool = False) -> str:
        # Loaded with the first page of a decision: other answers do not wait for it.
        from bot.found_words import found_words

        return found_words(event, messages, whole=whole)

    def why(event: Event) -> str:
        from bot.found_words import why_words

        return why_words(event, messages)

    def measured(figures: Iterable[MeasuredFigure]) -> str:
        from bot.found_words import measured_words

        return measured_words(figures, messages)

    return {
        "found": found,
        "why": why,
        "measured": measured,
        "approvals_needed": lambda count: messages.word("decisions", "needed", count=count),
        "approvals_missing": lambda count: messages.word("decisions", "missing", count=count),
    }


def _more_gb(messages: Messages, change: Change[int]) -> Md:
    """Return the difference of two sizes as they are shown, so that the three add up."""
    shown = messages.numbers.gb_shown
    added = shown(change.after) - shown(change.before)
    return Md(f"{'+' if added > 0 else '−'}{messages.numbers.gb(abs(added))}")


def _dotted(block: str, sign: str) -> Md:
    """Return the lines of a block that say something as one line, a sign between them."""
    return Md(sign.join(line for each in block.splitlines() if (line := " ".join(each.split()))))


def _bars(messages: Messages, options: Sequence[Option]) -> str:
    """Return the memory of a GPU of each set as a bar, and below them what the signs stand for."""
    known = [(one, one.per_gpu) for one in options if one.per_gpu]
    lines = [f"{memory_bar(gpu)} {one.gpus} × {messages.labels.gpu(one.gpu)}" for one, gpu in known]
    signs = shown_signs([gpu for _, gpu in known])
    words = (f"{sign} {messages.label('memory_parts', name)}" for sign, name in signs)
    return "\n".join([*lines, "  ".join(words)])


def _of_run(messages: Messages, table: str, run: Training) -> Md:
    """Return the words for what a run's adapters, or its part of the model, are made of."""
    code = run.tuner.value if run.tuner else "projected"
    return messages.word(
        table, code, rank=run.adapter_rank, targets=run.targets, trained_layers=run.trained_layers
    )


def _role(role: str, option: Option) -> str:
    """Return the role's word: the smallest of a kind that was named is not the smallest of all."""
    reason = next(reason for reason in option.reasons if reason.code == role)
    return "smallest_of_kind" if reason.values.get("of_kind") else role


def _judged(messages: Messages, option: Option) -> Md:
    """Return mark and word of a verdict: `✅ Fits`."""
    verdict = option.verdict.value
    if stop_of(option):
        no_start = messages.word("roles", "no_start")
        return Md(f"{messages.word('marks', 'does_not_fit')} {no_start}")
    return Md(f"{messages.word('marks', verdict)} {messages.word('verdicts', verdict)}")


def _verdict(messages: Messages, option: Option) -> Md:
    """Return mark, word and roles of an option: `✅ Fits · smallest`."""
    words = [_judged(messages, option)]
    codes = reason_codes(option)
    words += [messages.word("roles", _role(role, option)) for role in ROLES if role in codes]
    return Md(" · ".join(words))
