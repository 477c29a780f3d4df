"""Write data/measured/ from measured rows: what is shown beside estimates, one file for each model.

    .venv/bin/python -m tools.measured_speeds

Rows come from tests/accuracy/cases/speed/measured.csv alone: those of SpareCores are under a
licence of their own and stay with the tests. Rows with a fault, of models or GPUs outside the
catalogue, and times to a first token, which depend on how requests arrive, are left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping

from sizing.catalogue import Catalogue, data_dir, load_catalogue
from sizing.measured import COLUMNS, FIGURES, FOLDER, SOURCES
from tools.speed.cases import OLD_CARDS
from tools.speed.rows import FILES, Row, rows_of

EIGHT_BIT_WEIGHTS = ("fp8", "nvfp4")
"""Formats beside which benchmarks keep an 8-bit cache where they do not say."""

Key = tuple[object, ...]


def main() -> None:
    """Write every file."""
    folder = data_dir() / FOLDER
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.csv"):
        old.unlink()
    for name, text in files(load_catalogue()).items():
        (folder / name).write_text(text, encoding="utf-8")


def files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each file by its name."""
    models = {model.hf_id: model.id for model in catalogue.models.values()}
    rows = [row for row in rows_of(FILES[0]) if row.hf_id in models and _is_shown(row, catalogue)]
    sources = sorted({_source(row) for row in rows})
    found: dict[str, dict[Key, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        key = _key(row, catalogue, sources.index(_source(row)))
        found[models[row.hf_id]][key][row.figure] = row.value
    written = {f"{model}.csv": _text(COLUMNS, _lines(values)) for model, values in found.items()}
    return {SOURCES: _text(("source",), [(source,) for source in sources]), **written}


def _lines(values: Mapping[Key, Mapping[str, float]]) -> list[Key]:
    """Return one line for each configuration and load, in a fixed order."""
    ordered = sorted(values.items(), key=lambda item: tuple(map(str, item[0])))
    return [(*key, *(_figure(told.get(name)) for name in FIGURES)) for key, told in ordered]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _source(row: Row) -> str:
    """Return where it was read, without the number of a copy."""
    return re.sub(r" \(stored file id \d+\)", "", row.source)


def _is_shown(row: Row, catalogue: Catalogue) -> bool:
    is_named = row.precision in catalogue.precisions and row.engine in catalogue.engines
    is_whole = row.split_is_told and not row.left_out and row.gpu in catalogue.gpus
    return is_named and is_whole and row.figure in FIGURES


def _key(row: Row, catalogue: Catalogue, source: int) -> Key:
    concurrency = "max" if row.concurrency is None else f"{row.concurrency:g}"
    return (
        row.gpu, row.precision, _kv(row, catalogue), row.engine, row.version,
        row.tensor_parallel, row.pipeline_parallel, row.data_parallel, row.replicas,
        row.input_tokens, row.output_tokens, concurrency, source,
    )  # fmt: skip


def _kv(row: Row, catalogue: Catalogue) -> str:
    """Return the cache's precision: 8 bits beside 8- and 4-bit weights, unless told."""
    if row.kv_precision in catalogue.kv_precisions:
        return str(row.kv_precision)
    is_old = catalogue.gpus[row.gpu].architecture in OLD_CARDS
    return "fp8" if row.precision in EIGHT_BIT_WEIGHTS and not is_old else "fp16"


def _text(head: tuple[str, ...], rows: list[Key]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    main()
