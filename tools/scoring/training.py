"""Training runs beside published measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tools.scoring.answers import Engine
from tools.scoring.comparison import Comparison
from tools.scoring_training import left_out, score_training


def training(engine: Engine) -> Iterator[Comparison]:
    """Compare the memory of every measured run that states its settings."""
    for score in score_training(engine.catalogue):
        yield Comparison(
            case=f"{score.case} {score.model} {score.mode}, {score.framework}",
            measured=score.measured_bytes,
            ours=score.typical_bytes,
            low=score.low_bytes,
            high=score.high_bytes,
            engine=score.framework,
            precision=score.mode,
        )


def reasons() -> Counter[str]:
    """Return how many runs are left out for each kind of reason."""
    return Counter(why.partition(":")[0] for _, why in left_out())
