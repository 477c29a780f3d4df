"""Training runs beside published measurements, and beside constants that never saw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sizing.catalogue import Catalogue
from tools.fit_training import fitted, runs
from tools.scoring.answers import Engine
from tools.scoring.comparison import Comparison
from tools.scoring_training import TrainingScore, left_out, measured_runs, score, score_training


def training(engine: Engine) -> Iterator[Comparison]:
    """Compare the memory of every measured run that states its settings."""
    return map(_compared, score_training(engine.catalogue))


def held_out_training(catalogue: Catalogue) -> list[Comparison]:
    """Compare every run by constants that were fitted on the runs of all other publishers."""
    return list(_held_out(catalogue))


def _held_out(catalogue: Catalogue) -> Iterator[Comparison]:
    measured, counted = measured_runs(catalogue), runs(catalogue)
    for source in sorted({run.source for run in measured}):
        others = tuple(run for run in counted if run.source != source)
        refitted = replace(catalogue, training_overheads=fitted(others))
        yield from (_compared(score(run, refitted)) for run in measured if run.source == source)


def _compared(found: TrainingScore) -> Comparison:
    return Comparison(
        case=f"{found.case} {found.question}",
        measured=found.measured_bytes,
        ours=found.typical_bytes,
        low=found.low_bytes,
        high=found.high_bytes,
        engine=found.source,
        precision=found.mode,
        batch=LENGTHS[found.length_from],
    )


LENGTHS = {
    "stated": "length stated, or samples packed to it",
    "dataset": "length taken from the set that is named",
    "default": "length of the software's default",
}
"""Where the length of a run's sequences is from."""


def reasons() -> Counter[str]:
    """Return how many runs are left out for each kind of reason."""
    return Counter(why.partition(":")[0] for _, why in left_out())


def publishers(rows: Iterable[Comparison]) -> list[str]:
    """Return the repositories that published runs, the most runs first."""
    return [name for name, _ in Counter(row.engine for row in rows).most_common()]
