"""What the table of variants shows, and which of them is best at what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bot.charts import Chart, Series
from bot.views import AnswerView

if TYPE_CHECKING:
    from bot.messages import Messages
    from sizing.answer import Note, Option, SizingAnswer, Understood
    from sizing.performance import CurvePoint, Estimate

LETTERS = "ABCD"

Figure = Callable[["Option"], "float | None"]


OF_WHOLE_INPUTS = ("seconds_per_image", "texts_per_s", "audio_seconds_per_s")
"""Figures of models that work on whole inputs."""


@dataclass(frozen=True)
class Variant:
    """One variant of a question, answered."""

    letter: str
    """What the text calls it."""

    answer_id: str
    """Name it is logged under."""

    view: AnswerView
    """Its answer."""

    curve: tuple[CurvePoint, ...] = ()
    """Speed of its first set with ever more requests in flight."""

    @property
    def understood(self) -> Understood:
        """Return the question as it was answered."""
        return self.view.understood

    @property
    def first(self) -> Option | None:
        """Return the set that is compared."""
        return self.view.first

    @property
    def output_rate(self) -> Estimate | None:
        """Return the tokens written each second; of a full set where no load was asked."""
        speed = self.first.performance if self.first else None
        return speed.output_tokens_per_s if speed else None


@dataclass(frozen=True)
class ComparisonView:
    """Answers side by side."""

    variants: tuple[Variant, ...]

    @property
    def models_differ(self) -> bool:
        """Return whether variants are about several models."""
        return len({each.understood.model for each in self.variants}) > 1

    @property
    def engines_differ(self) -> bool:
        """Return whether variants run on several engines."""
        return len({each.understood.engine for each in self.variants}) > 1

    @property
    def loads_differ(self) -> bool:
        """Return whether variants carry several loads."""
        loads = {
            (each.understood.concurrent_requests, each.understood.context_tokens)
            for each in self.variants
        }
        return len(loads) > 1

    @property
    def model(self) -> str:
        """Return the model of the first variant."""
        return self.variants[0].understood.model

    @property
    def is_full(self) -> bool:
        """Return whether throughput is that of full sets, as no load was asked."""
        speeds = [each.first.performance for each in self.variants if each.first]
        return any(speed.at_saturation for speed in speeds if speed)

    def tells(self, figure: str) -> bool:
        """Return whether the speed of some variant has a figure."""
        speeds = [each.first.performance for each in self.variants if each.first]
        return any(getattr(speed, figure) for speed in speeds if speed)

    @property
    def counts_tokens(self) -> bool:
        """Return whether a variant answers token by token, or none has a speed."""
        return self.tells("ttft_ms") or not any(map(self.tells, OF_WHOLE_INPUTS))

    @cached_property
    def best(self) -> tuple[tuple[str, Variant], ...]:
        """Return what a variant is best at, where the figure of each that runs is known."""
        found = ((code, self._best(figure)) for code, figure in FIGURES.items())
        return tuple((code, variant) for code, variant in found if variant)

    @property
    def old_prices(self) -> Note | None:
        """Return the warning about the oldest price of all."""
        warnings = [note for each in self.variants for note in each.view.warnings]
        old = [note for note in warnings if note.code == "old_prices"]
        return min(old, key=lambda note: str(note.values["dated"]), default=None)

    def _best(self, figure: Figure) -> Variant | None:
        """Return the one with the lowest figure; None where it is unknown, or shared."""
        running = [each for each in self.variants if each.view.runs]
        found = [(figure(each.first), each) for each in running if each.first]
        known = sorted(
            ((value, each.letter, each) for value, each in found if value is not None),
        )
        if len(known) < 2 or len(known) < len(running) or known[0][0] == known[1][0]:
            return None
        return known[0][2]


def _rented(option: Option) -> float | None:
    usd = option.price.rented_usd_per_million_tokens if option.price else None
    return usd.typical if usd else None


def _owned(option: Option) -> float | None:
    usd = option.price.owned_usd_per_million_tokens if option.price else None
    return usd.typical if usd else None


def _slowness(option: Option) -> float | None:
    speed = option.performance.output_tokens_per_s if option.performance else None
    return -speed.typical if speed else None


def _narrowness(option: Option) -> float | None:
    held = option.max_concurrent_requests
    return None if held is None else -held


FIGURES: dict[str, Figure] = {
    "cheapest_rented": _rented,
    "cheapest_owned": _owned,
    "fastest": _slowness,
    "widest": _narrowness,
}
"""What variants are held against each other by; the lowest is the best."""


def comparison_of(
    answers: Sequence[tuple[SizingAnswer, str]], curves: Sequence[tuple[CurvePoint, ...]] = ()
) -> ComparisonView:
    """Return answers with their ids side by side, each with its curve where one is known."""
    known = [*curves, *[()] * (len(answers) - len(curves))]
    return ComparisonView(
        tuple(
            Variant(letter, answer_id, AnswerView(answer), curve)
            for letter, (answer, answer_id), curve in zip(LETTERS, answers, known, strict=False)
        )
    )


def chart_of(view: ComparisonView, messages: Messages) -> Chart | None:
    """Return the curves of the variants; None where fewer than two are known."""
    known = [each for each in view.variants if each.curve]
    if len(known) < 2:
        return None
    best = [
        messages.label(
            "charts",
            "reached",
            letter=each.letter,
            tokens_per_s=each.curve[-1].output_tokens_per_s.typical,
            itl_ms=each.curve[-1].itl_ms.typical,
        )
        for each in known
    ]
    y_label, x_label = (messages.label("charts", code) for code in ("y_label", "x_label"))
    return Chart(
        title=messages.label("charts", "title"),
        x_label=x_label,
        y_label=y_label,
        alt_text=messages.label("charts", "alt_text", reached="; ".join(best)),
        series=tuple(_series(each, messages) for each in known),
        numbers=messages.numbers,
    )


def _series(variant: Variant, messages: Messages) -> Series:
    points = ((one.itl_ms.typical, one.output_tokens_per_s.typical) for one in variant.curve)
    precision = messages.labels.precision(variant.understood.precision)
    return Series(f"{variant.letter}: {precision}", tuple(points))
