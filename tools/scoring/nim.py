"""Profiles that NVIDIA publishes for its NIM containers, beside our verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from sizing.answer import SizingAnswer, Verdict
from sizing.request import GpuChoice, SizingRequest
from tools.scoring.answers import Engine, read_csv

MOST_GPUS = 8
"""Devices of one server: published profiles use no more."""


@dataclass(frozen=True)
class Profile:
    """One row of a support matrix: a set that runs, or a least amount of memory."""

    question: str
    published: str
    """The set as published, for people."""
    verdicts: tuple[str, ...]
    """Our verdict on a published set, or the sets below a least amount that we call safe."""
    is_minimum: bool
    not_covered: str = ""

    @property
    def agrees(self) -> bool:
        """Return whether a published set runs, and no set below a least amount is called safe."""
        if self.is_minimum:
            return not self.verdicts
        return not set(self.verdicts) & {Verdict.DOES_NOT_FIT, Verdict.UNSUPPORTED}


def profiles(engine: Engine) -> list[Profile]:
    """Return every published row with our judgement."""
    return [_profile(row, engine) for row in read_csv("nim.csv")]


def _profile(row: dict[str, str], engine: Engine) -> Profile:
    published = " ".join(filter(None, (row["gpus"], "×", row["card"], row["precision"])))
    is_minimum = bool(row["minimum_gb"])
    found = engine.answer(row["question"])
    refused = _refusal(found)
    if refused:
        return Profile(row["question"], published, (), is_minimum, not_covered=refused)
    if is_minimum:
        verdicts = tuple(_safe_below(float(row["minimum_gb"]), row["question"], engine))
    else:
        verdicts = (_best_verdict(found),)
    return Profile(row["question"], published, verdicts, is_minimum)


def _refusal(found: object) -> str:
    if not isinstance(found, SizingAnswer):
        return str(found)
    return "" if found.options else "no sets: architecture not supported"


def _best_verdict(found: object) -> str:
    """Return the verdict on the asked set; without a named card that of the best one."""
    options = found.options if isinstance(found, SizingAnswer) else ()
    return str(options[0].verdict)


def _safe_below(minimum_gb: float, question: str, engine: Engine) -> Iterator[str]:
    """Yield the sets that we call safe though they have less memory than published."""
    request = engine.read(question)
    if request is None:
        return
    for gpu in engine.catalogue.gpus.values():
        count = min(MOST_GPUS, ceil(minimum_gb / gpu.memory_gb) - 1)
        if count and _fits(request, gpu.id, count, engine):
            yield f"{count} × {gpu.name}"


def _fits(request: SizingRequest, gpu: str, count: int, engine: Engine) -> bool:
    named = request.model_copy(update={"gpus": (GpuChoice(gpu=gpu, count=count),)})
    return engine.size(named).options[0].verdict is Verdict.FITS
