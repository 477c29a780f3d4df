"""Parameters counted from the shape, beside what the publishers state."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.subject import model_parameters
from tools.scoring.answers import Engine, read_csv
from tools.scoring.comparison import Comparison, architecture_of


def parameters(engine: Engine) -> Iterator[Comparison]:
    """Compare every model with a published total."""
    for row in read_csv("parameters.csv"):
        model = engine.model(row["hf_id"])
        published = float(row["published_parameters"])
        if model is None:
            yield Comparison(row["hf_id"], published, None, not_covered="not in the catalogue")
            continue
        yield Comparison(
            case=row["hf_id"],
            measured=published,
            ours=model_parameters(model) + (model.mtp_parameters if row["with_mtp"] else 0),
            architecture=architecture_of(model),
            left_out=row["doubt"],
        )
