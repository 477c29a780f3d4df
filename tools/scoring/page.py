"""The page of scores: docs/accuracy.md."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from string import Template

from tools.scoring.checks import GROUPS, counted_figures
from tools.scoring.held_out import HeldOut
from tools.scoring.markdown import percent, signed, statistics, table
from tools.scoring.misses import WORST, left_out, missed, remark_on
from tools.scoring.nim import Profile
from tools.scoring.questions import Case, Figure, Outcome
from tools.scoring.reference import ReferenceCase, tools
from tools.scoring.results import Results
from tools.scoring.rules import rule_scores
from tools.scoring.score import Score
from tools.scoring.speed_page import speed_parts
from tools.scoring.targets import scores
from tools.scoring.throughput_page import throughput_parts
from tools.scoring.training_page import training_parts

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"

TEXT = Path(__file__).with_name("page.md")

MISSES = ("Kind", "Row", "Error", "Why")


def page(results: Results) -> str:
    """Return the whole page."""
    misses = [
        (kind.name, row.case, signed(row.error), remark_on(row.case))
        for kind, row in missed(results)
    ]
    parts = {
        **_statistics(results),
        **speed_parts(results.speeds),
        **throughput_parts(results.throughputs),
        "targets": _targets(scores(results)),
        "held_out": _held_out(results.held_out),
        "rules": _rules(results),
        "reference": _reference(results.reference),
        "tools": _tools(results.reference),
        "nim": _nim(results.profiles),
        "questions": _questions(results.cases),
        "open_figures": _open_figures(results.cases),
        "worst": table(MISSES, misses[:WORST]),
        "misses": table(MISSES, misses[WORST:]),
        **training_parts(results.training, results.held_out_training),
        "left_out": table(("Kind", "Row", "Fault"), left_out(results)),
    }
    return Template(TEXT.read_text(encoding="utf-8")).substitute(parts)


def _statistics(results: Results) -> dict[str, str]:
    return {
        "parameters": statistics(results.parameters),
        "checkpoints": statistics(results.checkpoints, lambda row: row.precision),
        "batches": statistics(results.checkpoints, lambda row: row.batch),
        "own_mixes": statistics(results.own_mixes, lambda row: row.case.split()[0]),
        "kv_cache": statistics(results.kv_cache),
        "kv_measured": statistics(results.kv_measured, lambda row: row.engine),
        "start_weights": statistics(results.start_weights),
        "token_bytes": statistics(results.token_bytes),
        "pools": statistics(results.pools),
        "overheads": statistics(results.overheads),
        "peaks": statistics(results.peaks, lambda row: f"{row.engine}, {row.precision}"),
    }


def _targets(found: Iterable[Score]) -> str:
    rows = [
        (
            score.name,
            score.rows,
            f"{'≥' if score.is_share else '≤'} {percent(score.target)}",
            percent(score.value),
            "yes" if score.is_reached else "**no**",
        )
        for score in found
    ]
    return table(("What", "Rows", "Target", "Reached", "Met"), rows)


def _held_out(found: HeldOut) -> str:
    return (
        f"Fitted once more for each of {found.models} models, on the starts of all others, they "
        f"miss by {found.held_out_median_gib:.2f} GiB in the middle instead of "
        f"{found.median_gib:.2f} GiB, and {percent(found.held_out_covered)} lie between the bounds."
    )


def _rules(results: Results) -> str:
    rows = [
        (
            score.load,
            score.estimate,
            score.rows,
            signed(score.median),
            f"{signed(score.p10)} … {signed(score.p90)}",
            score.too_small,
        )
        for score in rule_scores(results.starts)
    ]
    heads = ("Load", "Estimate", "Rows", "Median error", "10 % … 90 % of rows", "Too small")
    return table(heads, rows)


def _reference(cases: list[ReferenceCase]) -> str:
    rows = [
        (
            f"`{case.question}`",
            f"{case.expected['weights_gib']:.2f}",
            _gib(case.answered["weights_gib"]),
            f"{case.expected['kv_gib']:.2f}",
            _gib(case.answered["kv_gib"]),
        )
        for case in cases
    ]
    return table(("Question", "Weights, GiB", "Ours", "KV cache, GiB", "Ours"), rows)


def _gib(value: float | None) -> str:
    return "not answered" if value is None else f"{value:.2f}"


def _tools(cases: list[ReferenceCase]) -> str:
    rows = [
        (tool.name, tool.answered, tool.right["weights_gib"], tool.right["kv_gib"])
        for tool in tools(cases)
    ]
    return table(("Tool", "Answered", "Weights right", "KV cache right"), rows)


def _nim(profiles: list[Profile]) -> str:
    judged = [profile for profile in profiles if not profile.not_covered]
    sets = [profile for profile in judged if not profile.is_minimum]
    least = [profile for profile in judged if profile.is_minimum]
    rows = [
        ("Published sets: we say that they run", len(sets), _agreed(sets)),
        ("Published least amounts: we call no smaller set safe", len(least), _agreed(least)),
        ("Models or cards that are not in the catalogue", len(profiles) - len(judged), ""),
    ]
    against = [f"`{profile.question}`" for profile in judged if not profile.agrees]
    said = f"\n\nNot agreed: {', '.join(against)}." if against else ""
    return table(("What", "Rows", "Agreed"), rows) + said


def _agreed(profiles: list[Profile]) -> int:
    return sum(profile.agrees for profile in profiles)


def _questions(cases: list[Case]) -> str:
    figures = [figure for _, figure in counted_figures(cases)]
    rows = [
        (name.capitalize(), *_counts([figure for figure in figures if figure.key in keys]))
        for name, keys in GROUPS.items()
    ]
    heads = ("About", "Figures", "Inside", "Outside", "Not covered")
    return table(heads, [*rows, ("**all**", *_counts(figures))])


def _counts(figures: list[Figure]) -> tuple[int, ...]:
    outcomes = [figure.outcome for figure in figures]
    return (len(outcomes), *(outcomes.count(outcome) for outcome in Outcome))


def _open_figures(cases: list[Case]) -> str:
    rows = [
        (
            f"{case.id}: `{figure.question}`",
            f"{figure.key} {figure.sub_case}".strip(),
            _short(figure.expected),
            "; ".join(case.refusals) if figure.answered is None else _short(figure.answered),
            remark_on(f"{case.id} {figure.key}"),
        )
        for case, figure in counted_figures(cases)
        if figure.outcome is not Outcome.INSIDE
    ]
    return table(("Question", "Figure", "Expected", "Answered", "Why"), rows)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " … ".join(map(_short, value))
    return str(value)
