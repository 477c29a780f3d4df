"""Ten reference checkpoints: ours beside the published outputs of other tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sizing.answer import SizingAnswer
from sizing.units import GIB
from tools.scoring.answers import Engine, read_csv
from tools.scoring.comparison import relative

EXACT = 0.01
"""Largest error that counts as right: figures are printed with two digits."""

FIGURES = ("weights_gib", "kv_gib")


@dataclass(frozen=True)
class ReferenceCase:
    """One checkpoint: what its tensor headers and the exact formula say, and what we say."""

    case: str
    question: str
    expected: dict[str, float]
    answered: dict[str, float | None]

    def is_right(self, figure: str) -> bool:
        """Return whether a figure is answered within 1 %."""
        return _is_right(self.answered[figure], self.expected[figure])


@dataclass(frozen=True)
class Tool:
    """What one tool got right of the ten."""

    name: str
    answered: int
    right: dict[str, int]


def reference_cases(engine: Engine) -> list[ReferenceCase]:
    """Return our answers beside the reference; weights as stored, prediction heads included."""
    return [_reference_case(row, engine) for row in read_csv("reference.csv")]


def _reference_case(row: dict[str, str], engine: Engine) -> ReferenceCase:
    found = engine.answer(row["question"])
    return ReferenceCase(
        case=row["case"],
        question=row["question"],
        expected={figure: float(row[figure]) for figure in FIGURES},
        answered=_figures(found) if isinstance(found, SizingAnswer) else dict.fromkeys(FIGURES),
    )


def _figures(found: SizingAnswer) -> dict[str, float | None]:
    memory = found.memory
    stored_bytes = memory.weights_bytes + memory.mtp_weights_bytes
    cache_bytes = memory.kv_cache_bytes
    return {
        "weights_gib": stored_bytes / GIB,
        "kv_gib": None if cache_bytes is None else cache_bytes / GIB,
    }


def tools(cases: Iterable[ReferenceCase]) -> list[Tool]:
    """Return every tool with its right answers, the best first, ours among them."""
    kept = {case.case: case for case in cases}
    ours = Tool(
        name="gpusize",
        answered=len(kept),
        right={figure: sum(case.is_right(figure) for case in kept.values()) for figure in FIGURES},
    )
    return sorted([ours, *_others(kept)], key=lambda tool: (-sum(tool.right.values()), tool.name))


def _others(cases: dict[str, ReferenceCase]) -> list[Tool]:
    rows = [row for row in read_csv("peers.csv") if row["case"] in cases]
    named = dict.fromkeys(row["tool"] for row in rows)
    found = [_tool(name, [row for row in rows if row["tool"] == name], cases) for name in named]
    return [tool for tool in found if tool.answered]


def _tool(name: str, rows: list[dict[str, str]], cases: dict[str, ReferenceCase]) -> Tool:
    """Count a case as right where one of the tool's outputs for it is."""
    right = {
        figure: len(
            {
                row["case"]
                for row in rows
                if _is_right(_number(row[figure]), cases[row["case"]].expected[figure])
            }
        )
        for figure in FIGURES
    }
    given = {row["case"] for row in rows if any(row[figure] for figure in FIGURES)}
    return Tool(name, answered=len(given), right=right)


def _is_right(answered: float | None, expected: float) -> bool:
    return answered is not None and abs(relative(answered, expected)) <= EXACT


def _number(text: str) -> float | None:
    return float(text) if text else None
