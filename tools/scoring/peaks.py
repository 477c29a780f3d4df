"""Peak memory of one request in the transformers engine, beside published peaks.

They are peaks of the allocator: the driver's context comes on top and is left out of ours too.
"""

from __future__ import annotations

from collections.abc import Iterator

from sizing.request import SizingRequest
from tools.scoring.answers import Engine, read_csv
from tools.scoring.comparison import Comparison, architecture_of

WITH_ALL_LOGITS = "transformers 4.38"
"""Versions that keep the logits of the whole prompt, in 32 bits."""


def peaks(engine: Engine) -> Iterator[Comparison]:
    """Compare every published peak of a model in the catalogue."""
    for row in read_csv("peaks.csv"):
        model, peak = engine.model(row["hf_id"]), float(row["peak_bytes"])
        case = f"{row['hf_id']} {row['precision']} {row['context_tokens']} tokens"
        if model is None:
            yield Comparison(case, peak, None, not_covered="not in the catalogue")
            continue
        request = SizingRequest(
            model_id=model.id,
            precision=row["precision"],
            engine="transformers",
            context_tokens=int(row["context_tokens"]),
        )
        memory = engine.size(request).memory
        fixed = memory.weights_bytes + (memory.kv_cache_bytes or 0)
        yield Comparison(
            case=case,
            measured=peak,
            ours=fixed + (memory.activation_bytes or 0),
            low=fixed + (memory.activation_low_bytes or 0),
            high=fixed + (memory.activation_high_bytes or 0),
            engine=row["engine"],
            architecture=architecture_of(model),
            precision=row["precision"],
            left_out=_fault(row),
            rules={
                "+20 %": float(memory.rule_20_percent_bytes),
                "+25 %": float(memory.rule_25_percent_bytes),
            },
        )


def _fault(row: dict[str, str]) -> str:
    if row["engine"].startswith(WITH_ALL_LOGITS):
        return "a version that kept the logits of the whole prompt in 32 bits; gone in 4.51"
    return row["doubt"]
