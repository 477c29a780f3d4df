"""KV cache of one token beside what engines print at their start, vLLM aside."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.request import SizingRequest
from tools.scoring.answers import Engine, read_csv
from tools.scoring.comparison import Comparison, architecture_of


def kv_measured(engine: Engine) -> Iterator[Comparison]:
    """Compare the bytes of one token on one GPU; no row has more GPUs than KV heads."""
    for row in read_csv("kv_measured.csv"):
        model = engine.model(row["hf_id"])
        case = f"{row['named']} {row['engine']} {row['kv_precision']} TP={row['tensor_parallel']}"
        printed = float(row["bytes_per_token_per_gpu"])
        if model is None:
            yield Comparison(case, printed, None, not_covered="not in the catalogue")
            continue
        request = SizingRequest(model_id=model.id, kv_precision=row["kv_precision"])
        found = engine.size(request).memory.kv_bytes_per_token
        yield Comparison(
            case=case,
            measured=printed,
            ours=None if found is None else found / int(row["tensor_parallel"]),
            engine=row["engine"],
            architecture=architecture_of(model),
            precision=row["kv_precision"],
        )
