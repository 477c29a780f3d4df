"""The part of the page about the speed of pictures, sound and texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tools.scoring.markdown import percent, signed, table
from tools.scoring.throughput import KINDS, UNSEEN, Throughputs, error
from tools.throughput.folds import HeldOut

WORST = 10


def throughput_parts(found: Throughputs) -> dict[str, str]:
    """Return the tables of the page by the name of their place."""
    return {
        "throughput_kinds": _kinds(found),
        "throughput_engines": _engines(found),
        "throughput_worst": _worst(found),
        "throughput_left_out": _left_out(found),
    }


def _kinds(found: Throughputs) -> str:
    head = (
        "Kind", "Unseen", "Rows", "GPUs", "Models", "Median", "90 % within", "Within 25 %",
        "Between bounds",
    )  # fmt: skip
    return table(head, _lines(found))


def _lines(found: Throughputs) -> Iterator[tuple[str | int, ...]]:
    for kind, name in KINDS.items():
        for fold, unseen in UNSEEN.items():
            rows, errors = found.of(kind, fold), found.accuracy(kind, fold)
            yield (
                name,
                unseen,
                len(rows),
                len({row.case.row.gpu for row in rows}),
                len({row.case.model.id for row in rows}),
                percent(errors.median),
                percent(errors.p90),
                percent(errors.within_25),
                percent(found.coverage(kind, fold)),
            )


def _engines(found: Throughputs) -> str:
    """Return the rows behind each kind and engine, with the models that they are of."""
    groups = Counter((row.case.row.kind, row.case.row.engine) for row in found.rows)
    lines = [
        (KINDS[kind], engine, count, ", ".join(_models(found, kind, engine)))
        for (kind, engine), count in groups.most_common()
    ]
    return table(("Kind", "Engine", "Rows", "Models"), lines)


def _models(found: Throughputs, kind: str, engine: str) -> list[str]:
    rows = (row.case for row in found.rows)
    return sorted(
        {case.model.id for case in rows if (case.row.kind, case.row.engine) == (kind, engine)}
    )


def _worst(found: Throughputs) -> str:
    """Return the rows that are furthest off on a GPU that the fit had not seen."""
    rows = [row for row in found.rows if "gpu" in row.estimates]
    rows.sort(key=_distance, reverse=True)
    return table(
        ("Row", "Model", "Engine", "GPU", "Items at once", "Error"),
        [_line(row) for row in rows[:WORST]],
    )


def _distance(row: HeldOut) -> float:
    """Return how many times too fast or too slow an estimate is."""
    ratio = row.speed_ratio("gpu")
    return max(ratio, 1 / ratio)


def _line(row: HeldOut) -> tuple[str | int, ...]:
    case = row.case
    return (
        case.row.id, case.model.id, case.row.engine, case.row.gpu, case.row.items,
        signed(error(row, "gpu")),
    )  # fmt: skip


def _left_out(found: Throughputs) -> str:
    """Return how many rows have which fault."""
    faults = Counter(row.left_out for row in found.collected if row.left_out)
    return table(("Fault", "Rows"), faults.most_common())
