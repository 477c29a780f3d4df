"""Measured figures held against what was estimated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from bot.decisions.measured import Figures
    from bot.reply import Answered
    from sizing.option import Option
    from sizing.performance import Estimate


@dataclass(frozen=True)
class Row:
    """One measured figure beside its estimate."""

    code: str
    """Which; `reserved` is memory held against what the engine takes for itself."""

    measured: float
    """What was measured, in the unit of the figure."""

    typical: float | None = None
    """Estimate; None where there is none."""

    low: float | None = None
    """Its low bound; None where it has none."""

    high: float | None = None
    """Its high bound."""

    @property
    def error_percent(self) -> float | None:
        """Return how far the estimate is off what was measured, per cent; negative for too low."""
        return 100 * (self.typical / self.measured - 1) if self.typical else None

    @property
    def is_inside(self) -> bool | None:
        """Return whether what was measured lies between the bounds; None without bounds."""
        if self.low is None or self.high is None:
            return None
        return self.low <= self.measured <= self.high


def rows_of(figures: Figures, answer: Answered) -> tuple[Row, ...]:
    """Return each measured figure beside the estimate of the first set of an answer."""
    option = first_of(answer)
    return tuple(_row(name, value, option) for name, value in figures.told.items())


def sized_of(answer: Answered) -> SizingAnswer | None:
    """Return the answer about one model: itself, or that of the only model of a plan."""
    if isinstance(answer, SizingAnswer):
        return answer
    from sizing.spec.answer import Spec

    if isinstance(answer, Spec) and len(answer.workloads) == 1:
        return answer.workloads[0].answer
    return None


def first_of(answer: Answered) -> Option | None:
    """Return the set that was estimated."""
    sized = sized_of(answer)
    return sized.options[0] if sized and sized.options else None


def _row(name: str, value: float, option: Option | None) -> Row:
    if option is None:
        return Row(name, value)
    if name == "memory_bytes":
        return _memory(value, option)
    if name == "requests":
        most, safe = option.max_concurrent_requests, option.safe_max_concurrent_requests
        return Row(name, value, most, safe, most if safe else None)
    if name == "power_w":
        return Row(name, value, option.power_w)
    return _speed(name, value, option)


def _memory(value: float, option: Option) -> Row:
    """Hold memory against the need, or against what the engine reserves where that is nearer."""
    gpu = option.per_gpu
    if gpu is None:
        return Row("memory_bytes", value)
    need = Row("memory_bytes", value, gpu.need_bytes, gpu.need_low_bytes, gpu.need_high_bytes)
    reserved = gpu.reserved_bytes
    if reserved and abs(reserved - value) < abs(gpu.need_bytes - value):
        return Row("reserved", value, reserved)
    return need


def _speed(name: str, value: float, option: Option) -> Row:
    speed = option.performance
    if speed is None:
        return Row(name, value)
    if name == "user_tokens_per_s":
        # Each request gets a token whenever the time between two has passed.
        return Row(name, value, *_each_second(speed.itl_ms))
    found: Estimate | None = getattr(speed, name)
    return Row(name, value, found.typical, found.low, found.high) if found else Row(name, value)


def _each_second(itl: Estimate | None) -> Iterator[float]:
    return iter((1000 / itl.typical, 1000 / itl.high, 1000 / itl.low) if itl else ())
