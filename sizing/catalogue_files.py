"""What each data file of the catalogue holds."""

from __future__ import annotations

from sizing.records import (
    EngineRecord,
    FrameworkRecord,
    GpuRecord,
    KvPrecisionRecord,
    ModelRecord,
    PrecisionRecord,
    PriceListRecord,
    ProcessorRecord,
    PurchaseRecord,
    Record,
    TrainingOverheads,
)


class GpuFile(Record):
    """What a file below `gpus/` holds."""

    gpu: tuple[GpuRecord, ...]
    """Accelerators, sorted by id."""


class ModelFile(Record):
    """What a file below `models/` holds."""

    model: tuple[ModelRecord, ...]
    """Models, sorted by id."""


class PrecisionFile(Record):
    """What `precisions.toml` holds."""

    precision: tuple[PrecisionRecord, ...]
    """Number formats of weights, sorted by id."""

    kv_precision: tuple[KvPrecisionRecord, ...]
    """Number formats of the KV cache, sorted by id."""


class EngineFile(Record):
    """What `engines.toml` holds."""

    engine: tuple[EngineRecord, ...]
    """Serving engines, sorted by id."""


class ProcessorFile(Record):
    """What `processors.toml` holds."""

    processor: tuple[ProcessorRecord, ...]
    """Processors of images and sound, sorted by id."""


class TrainingFile(Record):
    """What `training.toml` holds."""

    overheads: TrainingOverheads
    """What was fitted on measured runs."""

    framework: tuple[FrameworkRecord, ...]
    """Training software, sorted by id."""


class CloudFile(Record):
    """What `cloud.toml` holds."""

    price_list: tuple[PriceListRecord, ...]
    """Prices of rented instances, sorted by id."""


class PriceFile(Record):
    """What `prices.toml` holds."""

    purchase: tuple[PurchaseRecord, ...]
    """Prices of accelerators, sorted by accelerator."""
