"""What differs between two answers: the same question changed, or asked again later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from sizing.answer import Option, SizingAnswer, Understood, Verdict
    from sizing.performance import Estimate, Performance
    from sizing.price import Price

S = TypeVar("S")
T = TypeVar("T")

Told = str | int | float | None
"""A value of the question; None where it was left open."""


@dataclass(frozen=True)
class Change(Generic[T]):
    """One figure before and after; None where an answer has none."""

    before: T
    after: T


@dataclass(frozen=True)
class Asked:
    """One thing that was asked in another way."""

    code: str
    """Which: `precision`, `context`, `requests` …"""

    before: Told
    after: Told


@dataclass(frozen=True)
class Difference:
    """How a second answer differs from a first; None stands for what is the same in both.

    Sets, verdicts, speeds and prices are those of the first set of each answer.
    """

    sets: Change[Option | None]
    """The first sets themselves, the same or not."""

    asked: tuple[Asked, ...] = ()
    """What was asked in another way."""

    catalogue: Change[str] | None = None
    """Dates of the catalogue, where the facts are others."""

    need_bytes: Change[int | None] | None = None
    """Memory that the load needs on one GPU: that of its set, else one large enough, bytes."""

    need_per_gpu_bytes: Change[int | None] | None = None
    """Memory that it needs on the fullest GPU of the set, bytes."""

    cards: Change[Option | None] | None = None
    """Sets of other cards, or of another number of them."""

    gpus: Change[int] | None = None
    """Numbers of GPUs; 0 without a set."""

    verdict: Change[Verdict | None] | None = None
    """Whether the load runs."""

    held_requests: Change[int | None] | None = None
    """Requests that fit at once."""

    itl_ms: Change[Estimate | None] | None = None
    """Time between two tokens, ms."""

    ttft_ms: Change[Estimate | None] | None = None
    """Time to the first token, ms."""

    output_tokens_per_s: Change[Estimate | None] | None = None
    """Tokens written each second."""

    usd_per_month: Change[float | None] | None = None
    """Rented or owned for the hours in use, whichever is less, USD a month."""

    purchase_usd: Change[Estimate | None] | None = None
    """Price of the cards, USD."""

    @property
    def added_bytes(self) -> int | None:
        """Return what the load needs more, negative for less; None where that is not known."""
        if self.need_bytes is None:
            return None
        before, after = self.need_bytes.before, self.need_bytes.after
        return None if before is None or after is None else after - before

    @property
    def is_split(self) -> bool:
        """Return whether a set spreads the load over several GPUs."""
        found = (self.sets.before, self.sets.after)
        return any(one.gpus > 1 for one in found if one)

    @property
    def is_same(self) -> bool:
        """Return whether the second answer says what the first said."""
        changes = (getattr(self, one.name) for one in fields(self) if one.name != "sets")
        return not any(changes)


def difference_of(before: SizingAnswer, after: SizingAnswer) -> Difference:
    """Return how an answer differs from an earlier one."""
    sets = Change(_first(before), _first(after))
    speeds = Change(_speed(sets.before), _speed(sets.after))
    prices = Change(_price(sets.before), _price(sets.after))
    stamps = (before.catalogue, after.catalogue)
    return Difference(
        sets=sets,
        asked=tuple(_asked(before, after)),
        catalogue=Change(stamps[0].date, stamps[1].date)
        if stamps[0].digest != stamps[1].digest
        else None,
        need_bytes=_change(Change(before, after), _whole_need_bytes),
        need_per_gpu_bytes=_change(sets, _need_bytes),
        cards=sets if _of_cards(sets.before) != _of_cards(sets.after) else None,
        gpus=_change(sets, lambda one: one.gpus if one else 0),
        verdict=_change(sets, lambda one: one.verdict if one else None),
        held_requests=_change(sets, lambda one: one.max_concurrent_requests if one else None),
        itl_ms=_change(speeds, lambda one: one.itl_ms if one else None),
        ttft_ms=_change(speeds, lambda one: one.ttft_ms if one else None),
        output_tokens_per_s=_change(speeds, lambda one: one.output_tokens_per_s if one else None),
        usd_per_month=_change(prices, lambda one: one.least_usd_per_month if one else None),
        purchase_usd=_change(prices, _purchase_usd),
    )


def _change(pair: Change[S], figure: Callable[[S], T]) -> Change[T] | None:
    before, after = figure(pair.before), figure(pair.after)
    return None if before == after else Change(before, after)


def _first(answer: SizingAnswer) -> Option | None:
    return answer.options[0] if answer.options else None


def _speed(option: Option | None) -> Performance | None:
    return option.performance if option else None


def _price(option: Option | None) -> Price | None:
    return option.price if option else None


def _purchase_usd(price: Price | None) -> Estimate | None:
    return price.purchase.price_usd if price and price.purchase else None


def _whole_need_bytes(answer: SizingAnswer) -> int | None:
    """Return what the load needs where one GPU holds all of it, as its page says it first.

    What a split set needs is said of each card; all of it on one card is what can be compared.
    """
    first = _first(answer)
    own = _need_bytes(first) if first and first.gpus == 1 else None
    return own if own is not None else answer.memory.total_bytes


def _need_bytes(option: Option | None) -> int | None:
    return option.per_gpu.need_bytes if option and option.per_gpu else None


def _of_cards(option: Option | None) -> tuple[object, ...] | None:
    """Return what makes a set the same to those who buy and run it."""
    if option is None:
        return None
    return (option.gpu, option.mig_profile, option.gpus, option.replicas, option.cards)


def _asked(before: SizingAnswer, after: SizingAnswer) -> Iterator[Asked]:
    for code, told in ASKED.items():
        values = told(before.understood), told(after.understood)
        if values[0] != values[1] and _is_told(code, values, (before, after)):
            yield Asked(code, *values)


def _is_told(code: str, values: tuple[Told, Told], answers: tuple[SizingAnswer, ...]) -> bool:
    """Return whether it was asked: not a part that one question leaves open, nor two defaults."""
    if code in PARTS:
        return None not in values
    return code != "memory_fraction" or not all(map(_takes_usual_share, answers))


def _takes_usual_share(answer: SizingAnswer) -> bool:
    """Return whether nobody asked for a share of the memory; training takes all of it."""
    codes = {note.code for note in answer.assumptions}
    return answer.training is not None or "default_memory_fraction" in codes


PARTS = frozenset({"input", "output"})
"""Parts of the context: they differ only where both questions tell them."""

ASKED: dict[str, Callable[[Understood], Told]] = {
    "model": lambda one: one.model,
    "checkpoint": lambda one: one.checkpoint,
    "mode": lambda one: one.mode.value,
    "precision": lambda one: one.precision,
    "kv_precision": lambda one: one.kv_precision,
    "engine": lambda one: one.engine,
    "context": lambda one: one.context_tokens,
    "input": lambda one: one.input_tokens,
    "output": lambda one: one.output_tokens,
    "images": lambda one: one.images,
    "width": lambda one: one.width_pixels,
    "height": lambda one: one.height_pixels,
    "steps": lambda one: one.steps,
    "seconds": lambda one: one.seconds,
    "requests": lambda one: one.concurrent_requests,
    "rate": lambda one: one.requests_per_s,
    "adapters": lambda one: one.adapters,
    "memory_fraction": lambda one: one.memory_fraction,
    "ttft": lambda one: one.targets.ttft_ms,
    "itl": lambda one: one.targets.itl_ms,
    "tps": lambda one: one.targets.tokens_per_s,
    "power": lambda one: one.power_limit_w,
    "budget": lambda one: one.budget_usd,
}
"""What is compared of two questions, by code; the cards that were asked show in the sets."""
