"""Measurements in the form of the project's own cases, to be scored like these.

Rows are those of `tests/accuracy/cases/speed/measured.csv`, lines those of
`tests/accuracy/cases/questions.jsonl`.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from bot.grammar.canonical import format_request
from bot.held_against import first_of, sized_of
from bot.sheets import Sheet, to_csv
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from bot.again.measuring import ActualView
    from bot.sheets import Cell
    from sizing.answer import SizingAnswer
    from sizing.option import Option

COLUMNS: Final = (
    "id", "model", "precision", "kv_precision", "engine", "version", "gpu", "tensor_parallel",
    "pipeline_parallel", "data_parallel", "replicas", "input_tokens", "output_tokens",
    "concurrency", "figure", "arrivals", "value", "left_out", "source", "note",
)  # fmt: skip
"""Columns of the cases of speed."""

SPEEDS: Final = {
    "output_tokens_per_s": "output_tokens_per_s",
    "user_tokens_per_s": "single_tokens_per_s",
    "ttft_ms": "ttft_ms",
    "itl_ms": "itl_ms",
}
"""Names of the figures there."""

GIB: Final = 2**30


def case_rows(views: Sequence[ActualView]) -> bytes:
    """Return the measured speeds as a table, a row for each figure; no cell is a formula."""
    rows = tuple(row for view in views for row in _rows(view))
    # The cases are read by programs, which take the mark of spreadsheets for a part of the head.
    return to_csv(Sheet("measured", COLUMNS, rows), "en").removeprefix(BOM_UTF8)


def case_lines(views: Sequence[ActualView]) -> bytes:
    """Return the measured memory as lines of JSON, a question and what it should be answered."""
    lines = (line for view in views if (line := _line(view)))
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def left_out(views: Sequence[ActualView], ending: str) -> Iterator[tuple[str, str]]:
    """Yield the answers and the codes of their figures that a file of a kind does not hold."""
    for view in views:
        held = _held_in_rows(view) if ending == ".csv" else _held_in_lines(view)
        yield from ((view.entry.answer_id, row.code) for row in view.rows if row.code not in held)


def _held_in_rows(view: ActualView) -> frozenset[str]:
    is_known = sized_of(view.entry.answer) is not None and first_of(view.entry.answer) is not None
    return frozenset(SPEEDS) if is_known else frozenset()


def _held_in_lines(view: ActualView) -> frozenset[str]:
    return frozenset({"memory_bytes"}) if _line(view) else frozenset()


def _rows(view: ActualView) -> Iterator[tuple[Cell, ...]]:
    answer, first = sized_of(view.entry.answer), first_of(view.entry.answer)
    if answer is None or first is None:
        return
    told = view.actual.figures.told
    for name, figure in SPEEDS.items():
        if name in told:
            row = _named(view, answer, first) | {"figure": figure, "value": told[name]}
            if name == "user_tokens_per_s" and row["concurrency"] != 1:
                # The column is of a request alone: among others it is the time between tokens.
                row |= {"figure": "itl_ms", "value": 1000 / told[name]}
            yield tuple(row.get(column, "") for column in COLUMNS)


def _named(view: ActualView, answer: SizingAnswer, first: Option) -> dict[str, Cell]:
    asked, speed = answer.understood, first.performance
    return {
        "id": _id(view),
        "model": view.repository or asked.model_id or asked.model,
        "precision": asked.precision,
        "kv_precision": asked.kv_precision,
        "engine": asked.engine,
        "gpu": first.gpu,
        "tensor_parallel": first.tensor_parallel,
        "pipeline_parallel": first.pipeline_parallel,
        "data_parallel": first.data_parallel,
        "replicas": first.replicas,
        "input_tokens": speed.input_tokens if speed else asked.input_tokens,
        "output_tokens": speed.output_tokens if speed else asked.output_tokens,
        "concurrency": asked.concurrent_requests or "max",
        "source": view.entry.answer_id,
        "note": view.actual.note or "",
    }


def _line(view: ActualView) -> dict[str, Any] | None:
    """Return the case of one measurement; None where it tells nothing that cases hold."""
    request, first = view.entry.request, first_of(view.entry.answer)
    # Only of one GPU is the memory in use that of the whole load.
    memory = next((row.measured for row in view.rows if row.code == "memory_bytes"), None)
    if not isinstance(request, SizingRequest) or first is None or first.gpus > 1 or not memory:
        return None
    # The question names the set that was measured: what is proposed unasked may change.
    gpu = f"{first.gpus}x{first.gpu}"
    line = format_request(request)
    return {
        "id": _id(view),
        "title": view.actual.note or view.entry.question,
        "url": "",
        "bot_input": line if request.gpus else f"{line} gpu={gpu}",
        "check": {"total_gib": round(memory / GIB, 3)},
    }


def _id(view: ActualView) -> str:
    return f"M{view.actual.number:05d}"
