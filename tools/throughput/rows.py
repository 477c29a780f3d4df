"""Rows of measured speeds of models that work on whole inputs, as they stand in the case file."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "tests" / "accuracy" / "cases" / "speed"
FILE = FOLDER / "other_kinds.csv"

HELD_OUT = FOLDER / "other_kinds_held_out.csv"
"""Estimates of every scored row by fits that had not seen its GPU, or its model."""

FOLDS = ("gpu", "model")
"""What such a fit had not seen."""


@dataclass(frozen=True)
class Row:
    """One measured figure with its configuration."""

    id: str
    kind: str
    hf_id: str
    precision: str
    engine: str
    gpu: str
    gpus: int
    items: int
    """Items worked on at once by one GPU."""
    tokens: int | None
    """Tokens of a text."""
    output_tokens: int | None
    """Tokens written of a window of sound; None where it is full of speech."""
    beams: int
    pixels: int
    steps: int | None
    figure: str
    """Which number was measured, with its unit."""
    value: float
    confidence: int
    """How far it can be trusted: 3 a benchmark with its settings, 2 a report, 1 a mention."""
    left_out: str
    """Fault of the row; empty where it is scored."""
    source: str

    def seconds(self, value: float) -> float:
        """Return the seconds that one GPU takes for an item, of a value of this figure.

        `steps_per_s` and `evaluation_seconds` are of one step, and one evaluation, of an item.
        """
        match self.figure:
            case "tokens_per_s":
                return self.gpus * (self.tokens or 0) / value
            case "batch_seconds" | "evaluation_seconds":
                return value / self.items
            case "steps_per_s":
                return 1 / (value * self.items)
            case _:
                return self.gpus / value

    def value_of(self, seconds: float) -> float:
        """Return the value of this figure where one GPU takes `seconds` for an item."""
        if self.figure in {"batch_seconds", "evaluation_seconds"}:
            return seconds * self.items
        return self.seconds(1.0) / seconds


def read_rows() -> list[Row]:
    """Return every row of the case file, those with a fault included."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        return [_row(raw) for raw in csv.DictReader(lines)]


def read_held_out() -> dict[str, dict[str, float]]:
    """Return the estimates by row and by what the fit had not seen, in the unit of the row."""
    with HELD_OUT.open(encoding="utf-8", newline="") as lines:
        return {
            raw["id"]: {
                fold: float(raw[f"without_{fold}"]) for fold in FOLDS if raw[f"without_{fold}"]
            }
            for raw in csv.DictReader(lines)
        }


def _row(raw: dict[str, str]) -> Row:
    return Row(
        id=raw["id"],
        kind=raw["kind"],
        hf_id=raw["model"],
        precision=raw["precision"],
        engine=raw["engine"],
        gpu=raw["gpu"],
        gpus=int(raw["gpus"]),
        items=int(raw["items"]),
        tokens=_count(raw["tokens"]),
        output_tokens=_count(raw["output_tokens"]),
        beams=_count(raw["beams"]) or 1,
        pixels=(_count(raw["width_pixels"]) or 0) * (_count(raw["height_pixels"]) or 0),
        steps=_count(raw["steps"]),
        figure=raw["figure"],
        value=float(raw["value"]),
        confidence=int(raw["confidence"]),
        left_out=raw["left_out"],
        source=raw["source"],
    )


def _count(text: str) -> int | None:
    return int(text) if text else None
