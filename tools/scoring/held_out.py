"""How the fitted overheads do on models that they were not fitted on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median

from sizing.catalogue import Catalogue
from sizing.records import OverheadRecord
from sizing.units import GIB
from tools.fit_overheads import Range, fitted
from tools.scoring.answers import Engine
from tools.scoring.comparison import Comparison, counted
from tools.scoring.starts import Start, overhead

ENGINE = "vllm"


@dataclass(frozen=True)
class HeldOut:
    """Errors of the overheads, GiB: fitted on all starts, and on those of other models only."""

    starts: int
    models: int
    median_gib: float
    held_out_median_gib: float
    held_out_covered: float
    """Share of the starts between bounds that were fitted on other models."""


def held_out(starts: list[Start]) -> HeldOut:
    """Fit once for each model, on the starts of all others, and compare its own."""
    kept = [start for start in starts if _compared(start)]
    models = sorted({start.row["model"] for start in kept})
    rows = [row for model in models for row in _without(model, starts)]
    return HeldOut(
        starts=len(rows),
        models=len(models),
        median_gib=_median_gib(row for start in kept if (row := overhead(start))),
        held_out_median_gib=_median_gib(rows),
        held_out_covered=sum(row.is_covered for row in rows) / len(rows),
    )


def _compared(start: Start) -> bool:
    row = overhead(start)
    return row is not None and row.counts


def _without(model: str, starts: list[Start]) -> Iterator[Comparison]:
    """Yield the overheads of one model's starts, by constants fitted on the others."""
    others = [start for start in starts if start.row.get("model") != model]
    engine = Engine(_refitted(starts[0].engine.catalogue, fitted(others)))
    for start in starts:
        if start.row.get("model") == model:
            row = overhead(Start(start.row, start.model, engine))
            if row is not None and row.counts:
                yield row


def _refitted(catalogue: Catalogue, ranges: dict[str, Range]) -> Catalogue:
    """Return the catalogue with other overheads of vLLM."""
    record = catalogue.engines[ENGINE]
    if record.overhead is None:
        raise ValueError(f"{ENGINE} has no overheads")
    overheads = record.overhead
    for name, found in ranges.items():
        overheads = _put(overheads, name, found)
    changed = record.model_copy(update={"overhead": overheads})
    return replace(catalogue, engines={**catalogue.engines, ENGINE: changed})


def _put(overheads: OverheadRecord, name: str, found: Range) -> OverheadRecord:
    first, _, rest = name.partition(".")
    parent = getattr(overheads, first)
    if rest:
        inner = _bounds(getattr(parent, rest), found)
        return overheads.model_copy(update={first: parent.model_copy(update={rest: inner})})
    return overheads.model_copy(update={first: _bounds(parent, found)})


def _bounds(record: object, found: Range) -> object:
    values = zip(type(record).model_fields, (found.low, found.typical, found.high), strict=True)
    return record.model_copy(update=dict(values))


def _median_gib(rows: Iterable[Comparison]) -> float:
    return median(abs((row.ours or 0) - row.measured) / GIB for row in counted(rows))
