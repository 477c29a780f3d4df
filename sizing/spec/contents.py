"""What a server stores: how much, and whether it can be downloaded again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sizing.records import Positive, Record
from sizing.request import Mode
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.wishes import StorageWishes
from sizing.units import GB

REVISIONS = 2
"""Revisions of each model: the one that serves, and the next or the last one."""

CHECKPOINTS = 3
"""Checkpoints of a run that are kept: a choice of ours."""

TRAINING_DATA_GB = 100
"""Data sets of a training where nobody says, GB: a choice of ours."""

LOG_GB_PER_DAY = 1
"""Logs where nobody says, GB a day: a choice of ours."""

LOG_DAYS = 90
"""Days that logs are kept: a choice of ours."""

SYSTEM_GB = 100
"""Operating system, drivers and tools, GB: a choice of ours."""

IMAGE_GB = 30
"""Container images of one engine, old and new, GB: about 15 each (a choice of ours)."""

CHECKPOINT_BYTES_PER_PARAMETER = 14
"""Full fine-tuning: 2 weights, 4 their 32-bit copy, 8 moments (Adam in mixed precision)."""

BUILDS = frozenset({"nim", "trtllm"})
"""Engines that keep a compiled model as large as its weights beside them.

NIM's support matrix asks for a disk of about four GB for each billion parameters: twice 16 bits.
"""


class StoredPart(Record):
    """One kind of contents."""

    code: str
    """What it is."""

    size_gb: Positive
    """Size, GB."""


def replaceable(load: ServerLoad, wishes: StorageWishes) -> tuple[StoredPart, ...]:
    """Return what can be downloaded or built again."""
    models = _distinct(load.models)
    revisions = wishes.revisions or REVISIONS
    compiled = [model for model in models if model.engine in BUILDS]
    return _parts(
        {
            "models": revisions * sum(model.checkpoint_bytes for model in models) / GB,
            "engines": sum(model.weights_bytes for model in compiled) / GB,
        }
    )


def irreplaceable(load: ServerLoad, wishes: StorageWishes) -> tuple[StoredPart, ...]:
    """Return what was made here: it is mirrored, and saved elsewhere."""
    models = load.models
    kept = wishes.checkpoints or CHECKPOINTS
    data_gb = TRAINING_DATA_GB if load.trains else 0
    return _parts(
        {
            "checkpoints": kept * sum(_state_bytes(model) for model in models) / GB,
            "adapters": (wishes.revisions or REVISIONS)
            * sum(model.adapter_bytes for model in models)
            / GB,
            "data_sets": data_gb if wishes.dataset_gb is None else wishes.dataset_gb,
        }
    )


def system(load: ServerLoad) -> tuple[StoredPart, ...]:
    """Return what stands on the drives of the operating system."""
    engines = len({model.engine for model in load.models})
    return _parts({"system": SYSTEM_GB, "images": IMAGE_GB * engines})


def logs(wishes: StorageWishes) -> tuple[StoredPart, ...]:
    """Return the logs of the days that they are kept."""
    each_gb = LOG_GB_PER_DAY if wishes.log_gb_per_day is None else wishes.log_gb_per_day
    return _parts({"logs": each_gb * (wishes.log_days or LOG_DAYS)})


def total_gb(parts: Iterable[StoredPart]) -> float:
    """Return the sum of the parts, GB."""
    return round(sum(part.size_gb for part in parts), 1)


def _parts(sizes_gb: Mapping[str, float]) -> tuple[StoredPart, ...]:
    rounded = {code: round(size_gb, 1) for code, size_gb in sizes_gb.items()}
    return tuple(StoredPart(code=code, size_gb=size) for code, size in rounded.items() if size)


def _distinct(models: Iterable[ModelLoad]) -> list[ModelLoad]:
    """Return each checkpoint once, however many lines or copies use it."""
    seen = {(model.model_id or model.name, model.precision): model for model in models}
    return list(seen.values())


def _state_bytes(model: ModelLoad) -> int:
    """Return one checkpoint of a training run, bytes; nothing for inference."""
    if model.mode is Mode.INFER:
        return 0
    if model.training_state_bytes or model.mode is not Mode.FULL:
        return model.training_state_bytes
    return CHECKPOINT_BYTES_PER_PARAMETER * model.parameters
