"""KV cache of one token and the fixed part of a request, beside the published formula."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Memory
from sizing.request import SizingRequest
from tools.scoring.answers import Engine, read_csv
from tools.scoring.comparison import Comparison, architecture_of


def kv_cache(engine: Engine) -> Iterator[Comparison]:
    """Compare every model whose layout is known: what grows with a token and what does not."""
    for row in read_csv("kv.csv"):
        yield from _compared(row, engine)


def _compared(row: dict[str, str], engine: Engine) -> Iterator[Comparison]:
    figures = {"per token": float(row["bytes_per_token"])}
    fixed = float(row["window_bytes"]) + float(row["state_bytes"])
    if fixed:
        figures["fixed"] = fixed
    model = engine.model(row["hf_id"])
    memory = None if model is None else engine.size(_request(model.id)).memory
    for what, published in figures.items():
        yield Comparison(
            case=f"{row['hf_id']}, {what}",
            measured=published,
            ours=None if memory is None else _ours(memory, what),
            architecture="" if model is None else architecture_of(model),
            left_out=row["doubt"],
            not_covered="not in the catalogue" if model is None else "layout not supported",
        )


def _ours(memory: Memory, what: str) -> float | None:
    found = memory.kv_bytes_per_token if what == "per token" else memory.kv_bytes_fixed_per_request
    return None if found is None else float(found)


def _request(model_id: str) -> SizingRequest:
    """Ask for a cache of 16 bits: models in 32 bits keep a wider one by default."""
    return SizingRequest(model_id=model_id, kv_precision="fp16")
