"""What events keep of re-checks and measurements, read back; other shapes are nothing found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from bot.decisions.records import Event


Kind = TypeVar("Kind", bound=BaseModel)


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


class Change(_Read):
    """One figure, when it was decided and when it was checked again."""

    before: bool | float | str | None = None
    """Then, in the unit of the figure."""

    after: bool | float | str | None = None
    """Later, in the same unit."""


class CheaperSet(_Read):
    """A set that fits and costs less than the decided one."""

    set: str
    """The set as programs read it: `2xl40s`."""

    price: str
    """Which price: `usd_per_month` or `purchase_usd`."""

    usd: float
    """Its price, USD."""

    decided_usd: float
    """Price of the decided set, USD."""

    @property
    def saved_percent(self) -> float:
        """Return the share of the price that it saves, per cent."""
        return 100 * (1 - self.usd / self.decided_usd) if self.decided_usd else 0.0


class Rechecked(_Read):
    """What a re-check found."""

    before: dict[str, Any] | None = None
    """Figures of the decided set; None where the answer could not be read any more."""

    changes: dict[str, Change] = {}
    """Figures that differ, by name."""

    causes: tuple[str, ...] = ()
    """Codes of why they differ."""

    no_longer_fits: bool = False
    """Whether what ran when it was decided would not run any more."""

    cheaper: CheaperSet | None = None
    """The cheapest set that fits, where the decided one costs more."""


class MeasuredFigure(_Read):
    """One measured figure beside its estimate."""

    figure: str
    """Code of the figure."""

    measured: float
    """What was measured, in the unit of the figure."""

    estimated: float | None = None
    """Estimate in the same unit; None where there was none."""

    error_percent: float | None = None
    """How far the estimate is off what was measured, per cent."""


class MeasuredTogether(_Read):
    """What somebody told at once."""

    number: int | None = None
    """Number of the measurement."""

    figures: tuple[MeasuredFigure, ...] = ()
    """The figures."""


def rechecked_of(event: Event) -> Rechecked | None:
    """Return what the event of a re-check keeps; None where it has another shape."""
    return _read(Rechecked, event.details.data)


def measured_of(event: Event) -> MeasuredTogether | None:
    """Return what the event of a measurement keeps; None where it has another shape."""
    return _read(MeasuredTogether, event.details.data)


def _read(kind: type[Kind], data: Mapping[str, Any] | None) -> Kind | None:
    # A file that was imported may hold anything there.
    try:
        return kind.model_validate(data or {})
    except ValidationError:
        return None
