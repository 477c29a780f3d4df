"""Fit data/throughput.toml on measured speeds, and write what held-out rows get.

Nothing in that file is edited by hand. The fit is repeated without each GPU and each model; those
estimates go to tests/accuracy/cases/speed/other_kinds_held_out.csv, which docs/accuracy.md is
written from.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import exp

from sizing.catalogue import data_dir, load_catalogue
from sizing.records import ThroughputTrait
from tools.throughput.cases import Case, cases_of
from tools.throughput.fit import PRIORS, Fit
from tools.throughput.folds import HeldOut, held_out, spreads
from tools.throughput.rows import FOLDS, HELD_OUT, read_rows

CHECKED = "2026-11-30"

HEAD = f"""\
# Written by tools/fit_throughput.py from measured rows; never edited by hand.

sources = [
    "tests/accuracy/cases/speed/other_kinds.csv: measured rows, each with its source",
    "mlcommons/inference_results_v4.1 and v5.1: SDXL, Whisper, BERT",
    "huggingface/diffusers, sayakpaul/diffusers-torchao, xdit-project/xDiT, vipshop/cache-dit",
    "SYSTRAN/faster-whisper, Vaibhavs10/insanely-fast-whisper, huggingface/open_asr_leaderboard",
    "michaelfeil/infinity, NVIDIA/DeepLearningExamples",
]
checked = {CHECKED}
"""


def main() -> int:
    """Write both files."""
    cases = cases_of(read_rows(), load_catalogue())
    fit, rows = Fit(cases), held_out(cases)
    lines = [HEAD, f"power = {_values('power', fit)[None]['']:.4g}\n"]
    for name in PRIORS:
        lines += _factors(name, fit)
    lines += _spreads(rows)
    lines += _table("rows", dict(sorted(_counts(cases).items())))
    (data_dir() / "throughput.toml").write_text("\n".join(lines), encoding="utf-8")
    _write_held_out(rows)
    return 0


def _factors(name: str, fit: Fit) -> Iterator[str]:
    for trait, found in _values(name, fit).items():
        if name == "power":
            continue
        if trait is None:
            yield from _table(name, {"base": found[""]})
        else:
            yield from _table(f"{name}.effects.{trait}", found)


def _values(name: str, fit: Fit) -> dict[ThroughputTrait | None, dict[str, float]]:
    """Return one fitted number: its base under None, then the factors of each trait."""
    values: dict[ThroughputTrait | None, dict[str, float]] = {}
    for parameter, number in zip(fit.parameters, fit.numbers, strict=True):
        if parameter.name == name:
            values.setdefault(parameter.trait, {})[parameter.member] = exp(number)
    return values


def _spreads(rows: Sequence[HeldOut]) -> Iterator[str]:
    yield "[spreads]"
    for kind, spread in spreads(rows).items():
        yield f'"{kind}" = {{ low = {spread.low}, high = {spread.high} }}'
    yield ""


def _counts(cases: Sequence[Case]) -> Counter[str]:
    return Counter(
        f"{case.traits['engine']}/{case.traits['family']}/{case.model.id}" for case in cases
    )


def _table(name: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"[{name}]"
    for key, value in values.items():
        yield f'"{key}" = {value}' if isinstance(value, int) else f'"{key}" = {value:.4g}'
    yield ""


def _write_held_out(rows: Sequence[HeldOut]) -> None:
    with HELD_OUT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *(f"without_{fold}" for fold in FOLDS)])
        for row in sorted(rows, key=lambda each: each.case.row.id):
            found = [
                f"{row.estimates[fold]:.4g}" if fold in row.estimates else "" for fold in FOLDS
            ]
            writer.writerow([row.case.row.id, *found])


if __name__ == "__main__":
    sys.exit(main())
