"""The part of the page about speed: tables of held-out errors, ranges, misses and rows left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from tools.scoring.markdown import percent, signed, table
from tools.scoring.speed import FOLDS, Accuracy, Errors, Speeds, accuracy, accuracy_of
from tools.scoring.speed_ranges import FEWEST, MOST, families, is_calibrated
from tools.scoring.speed_roofline import plain_errors
from tools.scoring.speed_scores import AIMS, Aim
from tools.speed.folds import HeldOut

COUNTED = ("itl", "throughput", "saturation")
"""Figures of steady work, which the tables by engine, GPU and format put together."""

LEAST_ROWS = 10
"""Rows of a group from which it has a line."""

WORST = 10

REMARKS: Mapping[str, str] = {
    "openai/gpt-oss-120b": "few other rows have its format, so that none tells how fast it is",
    "zai-org/GLM-5": "no other row has an index of sparse attention",
}


def speed_parts(speeds: Speeds) -> dict[str, str]:
    """Return the tables of the page by the name of their place."""
    return {
        "speed_kinds": _kinds(speeds),
        "speed_groups": _groups(speeds),
        "speed_ranges": _ranges(speeds),
        "speed_users": _users(speeds),
        "speed_worst": _worst(speeds),
        "speed_left_out": _left_out(speeds),
    }


def _kinds(speeds: Speeds) -> str:
    """Return each kind of figure by what the fit had not seen, beside a plain roofline."""
    plain = plain_errors(speeds.rows)
    head = ("Figure", "Unseen", "Rows", "Median", "90 % within", "Within 25 %", "Plain roofline")
    return table(head, [line for aim in AIMS for line in _kind(aim, speeds, plain)])


def _kind(aim: Aim, speeds: Speeds, plain: Mapping[str, Errors]) -> Iterator[tuple[str | int, ...]]:
    for fold, unseen in FOLDS.items():
        found = aim.accuracy(speeds, fold)
        simple = [
            plain[fold][row.case.row.id]
            for row in speeds.rows
            if aim.holds(row) and row.case.row.id in plain[fold]
        ]
        beside = percent(accuracy(simple).median) if simple else ""
        yield (aim.what, unseen, *_cells(found), beside)


def _cells(found: Accuracy) -> tuple[str | int, ...]:
    return found.rows, percent(found.median), percent(found.p90), percent(found.within_25)


GROUPS: Mapping[str, Callable[[HeldOut], str]] = {
    "Engine": lambda row: row.case.row.engine,
    "GPUs": lambda row: row.family,
    "Numbers": lambda row: row.case.traits["numbers"],
    "Layers": lambda row: row.case.traits["experts"],
    "In flight": lambda row: _size_class(row.case.batch),
    "GPUs of a copy": lambda row: str(row.case.row.gpus // row.case.replicas),
}
"""How steady work is told apart, each with the name of a row's group."""


def _size_class(batch: float) -> str:
    """Return the requests in flight in fours: `1`, `2-7`, `8-31`, and so on."""
    limits = ((2, "1"), (8, "2-7"), (32, "8-31"), (128, "32-127"), (512, "128-511"))
    return next((name for limit, name in limits if batch < limit), "512 and more")


def _groups(speeds: Speeds) -> str:
    head = ("By", "Group", "Rows", "Median", "90 % within", "Within 25 %")
    lines = [line for by, name_of in GROUPS.items() for line in _group(by, name_of, speeds)]
    return table(head, lines)


def _group(
    by: str, name_of: Callable[[HeldOut], str], speeds: Speeds
) -> Iterator[tuple[str | int, ...]]:
    counted = [row for row in speeds.rows if row.case.row.kind in COUNTED]
    for name, rows in Counter(map(name_of, counted)).most_common():
        if rows < LEAST_ROWS:
            continue
        found = accuracy_of(speeds, "model", _in_group(name, name_of))
        if found is not None:
            yield (by, name, *_cells(found))


def _in_group(name: str, name_of: Callable[[HeldOut], str]) -> Callable[[HeldOut], bool]:
    return lambda row: row.case.row.kind in COUNTED and name_of(row) == name


def _ranges(speeds: Speeds) -> str:
    head = ("GPUs", "Rows", *(f"Inside, {FOLDS[fold]}" for fold in ("model", "gpu")), "75 to 90 %")
    unseen = {found.name: found for found in families(speeds, "gpu")}
    lines = [
        (
            found.name,
            found.rows,
            percent(found.covered),
            percent(unseen[found.name].covered),
            _word(found.covered),
        )
        for found in families(speeds, "model")
    ]
    return table(head, lines)


def _users(speeds: Speeds) -> str:
    head = (
        "Unseen", "Curves at limits", "More than measured", "More than 1.5 times",
        "Typical share of the measured", "Less than half",
    )  # fmt: skip
    lines = [
        (
            FOLDS[fold],
            kept.points,
            percent(kept.broken),
            percent(kept.broken_by_far),
            percent(kept.typical),
            percent(kept.less_than_half),
        )
        for fold, kept in speeds.promises.items()
    ]
    return table(head, lines)


def _word(covered: float) -> str:
    if is_calibrated(covered):
        return "yes"
    return "too narrow" if covered < FEWEST else f"wider than {percent(MOST)}"


def _worst(speeds: Speeds) -> str:
    errors = speeds.errors("model")
    rows = sorted(speeds.rows, key=lambda row: (-abs(errors[row.case.row.id]), row.case.row.id))
    lines = [
        (
            row.case.row.kind,
            _named(row),
            f"{row.case.row.gpus} x {row.case.row.gpu}",
            signed(errors[row.case.row.id]),
            REMARKS.get(row.case.row.hf_id, "not known"),
        )
        for row in rows[:WORST]
    ]
    return table(("Figure", "Row", "On", "Error", "Why"), lines)


def _named(row: HeldOut) -> str:
    measured = row.case.row
    return f"{measured.id} {measured.hf_id} {measured.precision}, {measured.engine}"


def _left_out(speeds: Speeds) -> str:
    reasons = Counter(row.left_out for row in speeds.collected if row.left_out)
    scored = {row.case.row.id for row in speeds.rows}
    silent = sum(not row.left_out and row.id not in scored for row in speeds.collected)
    lines: list[tuple[str, int]] = list(reasons.most_common())
    if silent:
        lines.append(
            ("no catalogue entry, no arithmetic rate, or under 1 B active parameters", silent)
        )
    return table(("Fault", "Rows"), lines)
