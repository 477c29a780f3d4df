"""Rows of measured speeds, as they stand in the case files."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parents[2] / "tests" / "accuracy" / "cases"
FILES = (CASES / "speed" / "measured.csv", CASES / "sparecores" / "measured.csv")

HELD_OUT = CASES / "speed" / "held_out.csv"
"""Estimates of every scored row by fits that had not seen it."""

FOLDS = ("model", "gpu", "half")
"""What such a fit had not seen: the row's model, its GPU, its random half."""


@dataclass(frozen=True)
class Row:
    """One measured figure with its configuration."""

    id: str
    hf_id: str
    precision: str
    kv_precision: str | None
    engine: str
    version: str
    gpu: str
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    replicas: int
    split_is_told: bool
    """Whether the source says how one copy was split."""
    input_tokens: int
    output_tokens: int
    concurrency: float | None
    """Requests in flight, all replicas; None at the limit."""
    figure: str
    """Which number was measured, with its unit."""
    arrivals: str
    """How requests arrived, where the time to the first token was measured."""
    value: float
    left_out: str
    """Fault of the row; empty where it is scored."""
    source: str

    @property
    def gpus(self) -> int:
        """Return the GPUs of all replicas."""
        one = self.tensor_parallel * self.pipeline_parallel * self.data_parallel
        return one * self.replicas

    @property
    def kind(self) -> str:
        """Return the kind of figure, as it is scored."""
        if self.figure == "ttft_ms":
            return f"ttft_{self.arrivals}"
        if self.figure == "output_tokens_per_s":
            return "saturation" if self.concurrency is None else "throughput"
        return {"itl_ms": "itl", "single_tokens_per_s": "single"}.get(self.figure, "prefill")


def read_rows() -> list[Row]:
    """Return every row of the case files, those with a fault included."""
    return [_row(raw) for file in FILES for raw in _read(file)]


def rows_of(file: Path) -> list[Row]:
    """Return every row of one case file, those with a fault included."""
    return [_row(raw) for raw in _read(file)]


def read_held_out() -> dict[str, dict[str, float]]:
    """Return the estimates by row and by what the fit had not seen, in the unit of the row."""
    return {
        raw["id"]: {fold: float(raw[f"without_{fold}"]) for fold in FOLDS}
        for raw in _read(HELD_OUT)
    }


def _read(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def _row(raw: dict[str, str]) -> Row:
    concurrency = raw["concurrency"]
    is_number = concurrency.replace(".", "", 1).isdigit()
    return Row(
        id=raw["id"],
        hf_id=raw["model"],
        precision=raw["precision"],
        kv_precision=raw["kv_precision"] or None,
        engine=raw["engine"],
        version=raw["version"],
        gpu=raw["gpu"],
        tensor_parallel=int(raw["tensor_parallel"]),
        pipeline_parallel=int(raw["pipeline_parallel"]),
        data_parallel=int(raw["data_parallel"]),
        replicas=int(raw["replicas"]),
        split_is_told="mlcommons" not in raw["source"],
        input_tokens=int(float(raw["input_tokens"] or 0)),
        output_tokens=int(float(raw["output_tokens"] or 0)),
        concurrency=float(concurrency) if is_number else None,
        figure=raw["figure"],
        arrivals=raw["arrivals"],
        value=float(raw["value"]),
        left_out=raw["left_out"],
        source=raw["source"],
    )
