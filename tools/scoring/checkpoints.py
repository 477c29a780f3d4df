"""Weights beside the sizes of published checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.errors import SizingError
from sizing.records import ModelRecord
from sizing.request import SizingRequest
from tools.scoring.answers import Engine, read_csv
from tools.scoring.comparison import Comparison, architecture_of

AS_PUBLISHED = "native"
"""Stands for the precision in which the model itself is published."""


BATCHES = {
    "": "rows of the beginning",
    "added": "rows added, misses looked into",
    "held-out": "rows held out, nothing changed since",
}
"""What was done with the rows of a batch."""


def checkpoints(engine: Engine) -> Iterator[Comparison]:
    """Compare the checkpoints whose size is published and whose format has a published rule."""
    for row in read_csv("checkpoints.csv"):
        if not row["own_mix"]:
            yield _compared(row, engine)


def own_mixes(engine: Engine) -> Iterator[Comparison]:
    """Compare the files whose maker chooses the type of each tensor, by a rule of its own."""
    for row in read_csv("checkpoints.csv"):
        if row["own_mix"]:
            yield _compared(row, engine)


def _compared(row: dict[str, str], engine: Engine) -> Comparison:
    model, stored = engine.model(row["hf_id"]), float(row["stored_bytes"])
    case = f"{row['repository'] or row['hf_id']} {row['precision']}"
    if model is None:
        return Comparison(case, stored, None, not_covered="not in the catalogue")
    try:
        memory = engine.size(_request(row, model)).memory
    except SizingError as error:
        return Comparison(case, stored, None, not_covered=error.code)
    apart = 0 if row["with_mtp"] else memory.mtp_weights_bytes
    return Comparison(
        case=case,
        measured=stored,
        ours=(memory.checkpoint_bytes or memory.weights_bytes) - apart,
        architecture=architecture_of(model),
        precision=row["precision"],
        batch=BATCHES[row["batch"]],
        left_out=row["doubt"],
        rules={
            "+20 %": float(memory.rule_20_percent_bytes),
            "+25 %": float(memory.rule_25_percent_bytes),
        },
    )


def _request(row: dict[str, str], model: ModelRecord) -> SizingRequest:
    """Ask for the format, in the checkpoint of the row where its formats are known."""
    known = {each.repository for each in model.checkpoints}
    return SizingRequest(
        model_id=model.id,
        precision=None if row["precision"] == AS_PUBLISHED else row["precision"],
        checkpoint=row["repository"] if row["repository"] in known else None,
        engine=row["engine"] or None,
    )
