"""Print how exact the engine is: reference weights and KV cache, real cases, measured starts."""

from __future__ import annotations

import csv
import sys
from collections import Counter

from sizing.answer import SizingAnswer
from sizing.catalogue import load_catalogue
from sizing.units import GIB
from tools.scoring import CASES, Case, Engine, Outcome, load_cases, score_case

LEAST_ANSWERED = 60
"""Cases that must be answered; none of them may be outside."""


def main() -> int:
    """Print the tables; return 1 where a published figure is missed."""
    engine = Engine(load_catalogue())
    missed = print_reference(engine)
    return print_cases(engine) or missed


def print_reference(engine: Engine) -> int:
    """Print weights and KV cache beside tensor headers and the exact formula."""
    print("Weights and KV cache against tensor headers (GiB)\n")
    print("| case | question | weights | ours | error | KV cache | ours | error |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    missed = 0
    for row in reference_rows():
        found = engine.answer(row["question"])
        if not isinstance(found, SizingAnswer):
            print(f"| {row['case']} | {row['question']} | {found} |")
            missed = 1
            continue
        weights, kv = stored_weights_gib(found), kv_gib(found)
        errors = weights / float(row["weights_gib"]) - 1, _kv_error(kv, row)
        missed |= abs(errors[0]) > 0.02 or abs(errors[1] or 0) > 0.005
        shown_kv = "not yet supported" if kv is None else f"{kv:.2f}"
        shown_error = "" if errors[1] is None else f"{errors[1]:+.2%}"
        print(
            f"| {row['case']} | {row['question']} | {row['weights_gib']} | {weights:.2f} "
            f"| {errors[0]:+.2%} | {row['kv_gib']} | {shown_kv} | {shown_error} |"
        )
    return int(missed)


def reference_rows() -> list[dict[str, str]]:
    """Return the reference cases, a dictionary each."""
    with (CASES / "reference.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def stored_weights_gib(found: SizingAnswer) -> float:
    """Return what a checkpoint stores: the loaded weights and multi-token-prediction heads."""
    return (found.memory.weights_bytes + found.memory.mtp_weights_bytes) / GIB


def kv_gib(found: SizingAnswer) -> float | None:
    """Return the KV cache of the asked load, GiB; None where not yet supported."""
    size = found.memory.kv_cache_bytes
    return None if size is None else size / GIB


def _kv_error(kv: float | None, row: dict[str, str]) -> float | None:
    return None if kv is None else kv / float(row["kv_gib"]) - 1


def print_cases(engine: Engine) -> int:
    """Print every real case with its outcome, and the counts."""
    cases = [score_case(case, engine) for case in load_cases()]
    print("\nReal questions with published outcomes\n")
    print("| case | question | outcome | figures |")
    print("|---|---|---|---|")
    for case in cases:
        question = " ; ".join(case.questions).replace("|", "/")
        print(f"| {case.id} | {question} | {case.outcome.value} | {_remark(case)} |")
    counts = Counter(case.outcome for case in cases)
    inside, outside = counts[Outcome.INSIDE], counts[Outcome.OUTSIDE]
    print(f"\n{inside} of {len(cases)} answered inside their bounds, {outside} outside, ", end="")
    print(f"{counts[Outcome.NOT_COVERED]} not covered yet.")
    return int(bool(outside) or inside < LEAST_ANSWERED)


def _remark(case: Case) -> str:
    shown = [
        f"{figure.key} {figure.sub_case}: {_short(figure.answered)} for {figure.expected}"
        for figure in case.figures
        if figure.outcome is not Outcome.INSIDE or case.outcome is not Outcome.NOT_COVERED
    ]
    return "; ".join([*case.refusals, *shown])


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
