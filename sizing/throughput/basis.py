"""What was measured that is like a case, and how sure a figure is."""

from __future__ import annotations

from sizing.notes import Note, note
from sizing.performance import Confidence
from sizing.records import GpuRecord, ModelKind, ThroughputRecord
from sizing.slices import GpuSlice
from sizing.speed.traits import family_of
from sizing.throughput.pace import Traits

MEASURED_AS = {
    ModelKind.IMAGE: "image",
    ModelKind.ASR: "asr",
    ModelKind.EMBEDDING: "embedding",
    ModelKind.RERANKER: "embedding",
}
"""Kinds of models that were measured, and the kind of rows that stand for them."""

SAME_KERNELS = {
    ("image", "nim"): "tensorrt",
    ("asr", "nim"): "trtllm",
    ("asr", "pytorch"): "transformers",
    ("embedding", "nim"): "tensorrt",
    ("embedding", "trtllm"): "tensorrt",
    ("embedding", "pytorch"): "transformers",
}
"""Engines that were measured under the name of what they run."""

MANY_ROWS, SOME_ROWS = 30, 10
"""Rows of an engine from which an estimate is called sure, and from which it is called fair."""

MANY_MODELS = 3
"""Models from which those rows tell something of others."""


def measured_engine(kind: str, engine: str) -> str:
    """Return the name under which an engine was measured."""
    return SAME_KERNELS.get((kind, engine), engine)


def is_measured(record: ThroughputRecord, kind: str, engine: str) -> bool:
    """Return whether anything of that kind was measured with an engine."""
    return any(name.startswith(f"{kind}/{engine}/") for name in record.rows)


def gpu_refusal(record: ThroughputRecord, gpu: GpuRecord) -> Note | None:
    """Return why no speed is named of a GPU: slices, and generations that were not measured."""
    if isinstance(gpu, GpuSlice):
        return note("speed_cards_unmeasured")
    if family_of(gpu) not in record.compute.effects.get("family", {}):
        return note("speed_gpu_unmeasured", gpu=gpu.id)
    return None


def is_seen(record: ThroughputRecord, traits: Traits, model_id: str) -> bool:
    """Return whether a model was measured with the engine of a case."""
    start, end = f"{traits['engine']}/", f"/{model_id}"
    return any(name.startswith(start) and name.endswith(end) for name in record.rows)


def confidence_in(record: ThroughputRecord, traits: Traits, model_id: str) -> Confidence:
    """Return how many rows stand behind engine, model and GPU."""
    start = f"{traits['engine']}/"
    alike = {name: count for name, count in record.rows.items() if name.startswith(start)}
    rows = sum(alike.values())
    families = {name.split("/")[2] for name in alike}
    models = {name.split("/")[3] for name in alike}
    numbers = record.compute.effects.get("numbers", {})
    is_far = traits["family"] not in families or traits["numbers"] not in numbers
    is_near = model_id in models or len(models) >= MANY_MODELS
    if is_far or not is_near or rows < SOME_ROWS:
        return Confidence.LOW
    is_known = traits["gpu"] in record.compute.effects.get("gpu", {}) and model_id in models
    is_sure = rows >= MANY_ROWS and len(models) >= MANY_MODELS and is_known
    return Confidence.HIGH if is_sure else Confidence.MEDIUM
