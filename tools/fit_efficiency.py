"""Fit data/efficiency.toml on measured speeds, and write what held-out rows get.

Nothing in that file is edited by hand. The fit is repeated without each model, without each GPU
and on random halves; those estimates go to tests/accuracy/cases/speed/held_out.csv, which
docs/accuracy.md is written from.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import numpy as np

from sizing.catalogue import Catalogue, data_dir, load_catalogue
from sizing.records import Spread
from sizing.speed.pace import COEFFICIENTS, starvation_of
from sizing.speed.traits import family_of
from tools.speed.cases import Case, cases_of
from tools.speed.fit import Fit
from tools.speed.folds import HeldOut, held_out
from tools.speed.form import AT_REST, BATCHED, SINGLE, Form
from tools.speed.promises import best_promise, points
from tools.speed.ranges import ranges
from tools.speed.rows import FOLDS, HELD_OUT, read_rows

CHECKED = "2026-11-30"

HEAD = f"""\
# Written by tools/fit_efficiency.py from measured rows; never edited by hand.

sources = [
    "tests/accuracy/cases/speed/measured.csv: measured rows, each with its source",
    "ai-dynamo/aiconfigurator silicon_sample.csv @095f58a5",
    "NVIDIA/TensorRT-LLM performance overviews 0.14 to 1.1",
    "mlcommons/inference_results_v4.1 and v5.1",
    "XiongjieDai/GPU-Benchmarks-on-LLM-Inference @aa72e0ec",
    "tests/accuracy/cases/sparecores/measured.csv: SpareCores/sc-inspector-data @804d3c71",
]
checked = {CHECKED}
"""


def main() -> int:
    """Write both files."""
    forms = [_fitted(name, cases, form) for name, cases, form in cases_by_form()]
    text = "\n".join([HEAD, *(text for text, _ in forms)])
    (data_dir() / "efficiency.toml").write_text(text, encoding="utf-8")
    _write_held_out([row for _, rows in forms for row in rows])
    return 0


def cases_by_form() -> Iterator[tuple[str, list[Case], Form]]:
    """Yield each form of the model with its name and the measured cases it is fitted on."""
    cases = cases_of(read_rows(), unfitted())
    yield "batched", [case for case in cases if not case.is_single], BATCHED
    single = [case for case in cases if case.is_single and case.row.kind != "itl"]
    yield "single", single, SINGLE


def unfitted() -> Catalogue:
    """Return the catalogue without fitted numbers: none of them enters the fit."""
    numbers = [
        f"[{form}.coefficients.{name}]\nbase = 1.0\n"
        for form in ("batched", "single")
        for name in COEFFICIENTS
    ]
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "data"
        copytree(data_dir(), copy)
        (copy / "efficiency.toml").write_text("\n".join([HEAD, *numbers]), encoding="utf-8")
        return load_catalogue(copy)


def _fitted(name: str, cases: list[Case], form: Form) -> tuple[str, list[HeldOut]]:
    fit = fit_of(cases, form)
    numbers = fit.solve(np.ones(len(cases), dtype=bool))
    rows = held_out(fit, numbers)
    lines = [
        *_coefficients(name, fit, numbers),
        *_table(f"{name}.power_w_per_tflops", _power(cases)),
        *_ranges(name, rows),
        *_promise(name, rows),
        *_table(f"{name}.rows", dict(sorted(_counts(cases).items()))),
    ]
    return "\n".join(lines), rows


def fit_of(cases: list[Case], form: Form) -> Fit:
    """Return the rows and the numbers to find, not solved yet."""
    power = _power(cases)
    return Fit(cases, form, np.array([starvation_of(power, case.gpu) for case in cases]))


def _power(cases: list[Case]) -> dict[str, float]:
    best: dict[str, float] = {}
    for gpu in (case.gpu for case in cases):
        rate = gpu.bf16_dense_tflops or gpu.fp16_dense_tflops
        if rate and gpu.board_power_w:
            family = family_of(gpu)
            best[family] = max(best.get(family, 0), round(gpu.board_power_w / rate, 4))
    return dict(sorted(best.items()))


def _coefficients(name: str, fit: Fit, numbers: np.ndarray) -> Iterator[str]:  # type: ignore[type-arg]
    for at_rest, value in AT_REST.items():
        if at_rest not in fit.priors:
            yield from _table(f"{name}.coefficients.{at_rest}", {"base": value})
    for block in fit.blocks:
        values = numbers[block.offset : block.offset + len(block.members)]
        if not block.trait:
            yield from _table(f"{name}.coefficients.{block.coefficient}", {"base": exp(values[0])})
            continue
        factors = {
            member: round(exp(value), 4)
            for member, value in zip(block.members, values, strict=True)
        }
        yield from _table(
            f'{name}.coefficients.{block.coefficient}.effects."{block.trait}"', factors
        )


def _ranges(name: str, rows: list[HeldOut]) -> Iterator[str]:
    for fold, elsewhere in (("model", ""), ("gpu", "_elsewhere")):
        found = ranges(rows, fold)
        yield from _table(f"{name}.layers{elsewhere}", found.layers)
        yield from _spreads(f"{name}.spreads{elsewhere}", found.spreads)


def _spreads(name: str, found: Mapping[str, Mapping[str, Spread]]) -> Iterator[str]:
    for kind, by_family in found.items():
        yield f"[{name}.{kind}]"
        for family, spread in by_family.items():
            yield f'"{family}" = {{ low = {spread.low}, high = {spread.high} }}'
        yield ""


def _promise(name: str, rows: list[HeldOut]) -> Iterator[str]:
    """Yield how cautiously users are promised, where times between tokens were measured."""
    found = [points(rows, fold) for fold in ("model", "gpu")]
    if all(found):
        promise = best_promise(found)
        yield from _table(f"{name}.promise", {"time": promise.time, "share": promise.share})


def _counts(cases: list[Case]) -> Counter[str]:
    return Counter(
        f"{case.row.engine}/{family_of(case.gpu)}/{case.traits['experts']}" for case in cases
    )


def _table(name: str, values: Mapping[str, float] | Mapping[str, int]) -> Iterator[str]:
    yield f"[{name}]"
    for key, value in values.items():
        yield f'"{key}" = {value:.4g}' if isinstance(value, float) else f'"{key}" = {value}'
    yield ""


def _write_held_out(rows: list[HeldOut]) -> None:
    with HELD_OUT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *(f"without_{fold}" for fold in FOLDS)])
        for row in sorted(rows, key=lambda each: each.case.row.id):
            found = [f"{row.estimates[fold]:.4g}" for fold in FOLDS]
            writer.writerow([row.case.row.id, *found])


if __name__ == "__main__":
    sys.exit(main())
