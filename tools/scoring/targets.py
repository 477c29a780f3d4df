"""What the engine has to reach, what it reaches, and what it reached before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from sizing.units import GIB
from tools.scoring.answers import CASES
from tools.scoring.checks import counted_figures, inside
from tools.scoring.comparison import Comparison, Summary, counted, share, summary, within
from tools.scoring.nim import Profile
from tools.scoring.reference import ReferenceCase
from tools.scoring.results import Results
from tools.scoring.score import Score
from tools.scoring.speed_scores import speed_scores
from tools.scoring.throughput import throughput_scores

KEPT = CASES.parent / "scores.json"
"""Scores once reached: none may get worse."""

PEAK_TOLERANCE_BYTES = 0.3 * GIB

QWEN3_TABLE = "transformers 4.51.3"
"""Version of the table of peaks that has a target."""


Statistic = Callable[[Summary], float]

STATISTICS: dict[str, Statistic] = {
    "median error": lambda found: found.median,
    "90 % of rows within": lambda found: found.p90,
    "95 % of rows within": lambda found: found.p95,
    "largest error": lambda found: found.largest,
}


def scores(results: Results) -> list[Score]:
    """Return every score, in the order of the page."""
    starts = "vLLM start-ups: "
    peaks = qwen3_peaks(results.peaks)
    figures = counted_figures(results.cases)
    return [
        _within("parameters within 0.5 %", results.parameters, 0.005, target=0.98),
        *_errors("parameters", results.parameters, {"largest error": 0.02}),
        *_errors(
            "weights of published checkpoints",
            results.checkpoints,
            {"median error": 0.005, "95 % of rows within": 0.03},
        ),
        *_errors(
            "weights of published files, makers' own mixes included",
            [*results.checkpoints, *results.own_mixes],
            {"median error": 0.005, "95 % of rows within": 0.03},
        ),
        _within("KV cache within 0.5 %", results.kv_cache, 0.005, target=1.0),
        _within("KV cache as engines print it within 2 %", results.kv_measured, 0.02, target=1.0),
        *_errors(
            f"{starts}weights of a GPU",
            results.start_weights,
            {"median error": 0.015, "90 % of rows within": 0.06},
        ),
        *_errors(
            f"{starts}tokens of the KV pool",
            results.pool_tokens,
            {"median error": 0.06, "90 % of rows within": 0.20},
        ),
        _between(f"{starts}overheads between our bounds", results.overheads),
        _between(f"{starts}KV pools between our bounds", results.pools),
        _share_of(
            f"{starts}overheads of models left out of the fit between our bounds",
            results.held_out.held_out_covered,
            results.held_out.starts,
            0.8,
        ),
        _share("Qwen3 peaks in transformers within 0.3 GiB", [is_near(row) for row in peaks]),
        *_errors(
            "training runs",
            results.training,
            {"median error": 0.20, "90 % of rows within": 0.45},
        ),
        _between("training runs between our bounds", results.training),
        *_errors(
            "training runs of publishers left out of the fit",
            results.held_out_training,
            {"median error": 0.20, "90 % of rows within": 0.45},
        ),
        _between(
            "training runs of publishers left out of the fit between our bounds",
            results.held_out_training,
        ),
        _share("NIM profiles judged as published", _agreements(results.profiles)),
        _share_of(
            "figures of real questions inside their bounds", inside(figures), len(figures), 0.95
        ),
        _share("reference checkpoints: weights within 1 %", _right(results, "weights_gib")),
        _share("reference checkpoints: KV cache within 1 %", _right(results, "kv_gib")),
        *speed_scores(results.speeds),
        *throughput_scores(results.throughputs),
    ]


def qwen3_peaks(rows: Iterable[Comparison]) -> list[Comparison]:
    """Return the peaks that have a target: the Qwen3 table, in 16 bits."""
    return [row for row in counted(rows) if row.engine == QWEN3_TABLE and row.precision == "bf16"]


def is_near(row: Comparison) -> bool:
    """Return whether a peak is met within 0.3 GiB."""
    return abs((row.ours or 0) - row.measured) <= PEAK_TOLERANCE_BYTES


def kept_scores() -> dict[str, float]:
    """Return the scores once reached, by name."""
    if not KEPT.exists():
        return {}
    found: dict[str, float] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def worse_than_kept(found: Sequence[Score]) -> list[Score]:
    """Return the scores that fall behind what was once reached."""
    kept = kept_scores()
    return [
        score for score in found if score.name in kept and score.is_worse_than(kept[score.name])
    ]


def keep(found: Sequence[Score]) -> None:
    """Write the scores as the least that later states must reach."""
    values = {score.name: round(score.value, 6) for score in found}
    KEPT.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _errors(what: str, rows: list[Comparison], targets: dict[str, float]) -> Iterator[Score]:
    found = summary(rows)
    if found is None:
        return
    for statistic, target in targets.items():
        value = STATISTICS[statistic](found)
        yield Score(f"{what}, {statistic}", what, value, target, found.rows, is_share=False)


def _within(what: str, rows: list[Comparison], limit: float, *, target: float) -> Score:
    return _share_of(what, within(rows, limit), len(counted(rows)), target)


def _between(what: str, rows: list[Comparison]) -> Score:
    kept = counted(rows)
    return _share_of(what, share(kept, lambda row: row.is_covered), len(kept), 0.8)


def _share(what: str, holds: list[bool]) -> Score:
    return _share_of(what, sum(holds) / len(holds), len(holds), 1.0)


def _share_of(what: str, value: float, rows: int, target: float) -> Score:
    return Score(what, what, value, target, rows, is_share=True)


def _agreements(profiles: Iterable[Profile]) -> list[bool]:
    return [profile.agrees for profile in profiles if not profile.not_covered]


def _right(results: Results, figure: str) -> list[bool]:
    cases: list[ReferenceCase] = results.reference
    return [case.is_right(figure) for case in cases]
