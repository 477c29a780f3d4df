"""Measured speeds that are shown beside estimates: read when a model's are first looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sizing.performance import Measurement

FOLDER = "measured"
SOURCES = "sources.csv"

FIGURES = ("itl_ms", "output_tokens_per_s", "single_tokens_per_s")
"""Figures of one line."""

COLUMNS = (
    "gpu", "precision", "kv_precision", "engine", "version",
    "tensor_parallel", "pipeline_parallel", "data_parallel", "replicas",
    "input_tokens", "output_tokens", "concurrency", "source", *FIGURES,
)  # fmt: skip
"""Columns of a file: `concurrency` is `max` at the limit, `source` a line of the sources."""


@dataclass(frozen=True)
class Measurements:
    """Measured speeds by model; nothing is read before it is asked for."""

    folder: Path | None = None
    """Folder with one file for each model; None for a catalogue without any."""
    _read: dict[str, tuple[Measurement, ...]] = field(default_factory=dict)
    _sources: list[str] = field(default_factory=list)

    def of(self, model_id: str) -> tuple[Measurement, ...]:
        """Return what was measured of a model."""
        if model_id not in self._read:
            self._read[model_id] = tuple(self._lines(model_id))
        return self._read[model_id]

    def _lines(self, model_id: str) -> list[Measurement]:
        path = self.folder / f"{model_id}.csv" if self.folder else None
        if path is None or not path.is_file():
            return []
        return [self._measurement(model_id, line) for line in _rows(path)]

    def _measurement(self, model_id: str, line: dict[str, str]) -> Measurement:
        concurrency = line["concurrency"]
        return Measurement(
            model=model_id,
            gpu=line["gpu"],
            precision=line["precision"],
            kv_precision=line["kv_precision"],
            engine=line["engine"],
            version=line["version"],
            tensor_parallel=int(line["tensor_parallel"]),
            pipeline_parallel=int(line["pipeline_parallel"]),
            data_parallel=int(line["data_parallel"]),
            replicas=int(line["replicas"]),
            input_tokens=int(line["input_tokens"]),
            output_tokens=int(line["output_tokens"]),
            concurrent_requests=None if concurrency == "max" else round(float(concurrency)),
            itl_ms=_figure(line["itl_ms"]),
            output_tokens_per_s=_figure(line["output_tokens_per_s"]),
            single_tokens_per_s=_figure(line["single_tokens_per_s"]),
            source=self._source(int(line["source"])),
        )

    def _source(self, number: int) -> str:
        if not self._sources and self.folder:
            self._sources.extend(line["source"] for line in _rows(self.folder / SOURCES))
        return self._sources[number]


def _figure(text: str) -> float | None:
    return float(text) if text else None


def _rows(path: Path) -> list[dict[str, str]]:
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
