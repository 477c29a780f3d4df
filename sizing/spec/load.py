"""What one server carries: its GPUs and the models on them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sizing.records import (
    Count,
    GpuRecord,
    Identifier,
    ModelKind,
    Name,
    PositiveCount,
    Record,
)
from sizing.request import Mode


class ModelLoad(Record):
    """One model on one server."""

    name: Name
    """Name people read."""

    model_id: Identifier | None
    """Catalogue id; None for a bare size."""

    kind: ModelKind
    """What the model does."""

    precision: Identifier
    """Precision of the weights, id."""

    engine: Identifier
    """Serving engine, id."""

    mode: Mode
    """Inference or a kind of training."""

    parameters: PositiveCount
    """Parameters."""

    weights_bytes: PositiveCount
    """Weights of one copy as loaded, bytes."""

    checkpoint_bytes: PositiveCount
    """Weights as there are to download, bytes."""

    copies: PositiveCount
    """Copies of the model on one server, each an engine process of its own."""

    gpus_per_copy: PositiveCount
    """GPUs of this server that one copy uses."""

    adapters: Count = 0
    """LoRA adapters served beside the model."""

    adapter_bytes: Count = 0
    """All of them together, bytes."""

    host_cache_bytes: Count = 0
    """KV cache kept in host memory, bytes."""

    training_host_bytes: Count = 0
    """Training states that stand in host memory, bytes."""

    training_state_bytes: Count = 0
    """One checkpoint of a training run: weights, master copy and moments, bytes."""


class ServerLoad(Record):
    """Servers of one kind, and what each of them carries."""

    gpu: GpuRecord
    """Accelerator in them."""

    gpus: PositiveCount
    """Accelerators in one server."""

    servers: PositiveCount
    """Servers that carry the load."""

    spare_servers: Count = 0
    """Servers that wait for one of them to fail."""

    models: Annotated[tuple[ModelLoad, ...], Field(min_length=1)]
    """Models on one server."""

    spans_servers: bool = False
    """Whether one copy of a model uses several servers at once."""

    @property
    def weights_bytes(self) -> int:
        """Return the weights of all models, one copy each, bytes."""
        return sum(model.weights_bytes for model in self.models)

    @property
    def loaded_bytes(self) -> int:
        """Return the weights of all copies on one server, bytes."""
        return sum(model.weights_bytes * model.copies for model in self.models)

    @property
    def gpu_memory_bytes(self) -> int:
        """Return the memory of all GPUs of one server, bytes."""
        return self.gpu.usable_bytes * self.gpus

    @property
    def trains(self) -> bool:
        """Return whether some model is fine-tuned there."""
        return any(model.mode is not Mode.INFER for model in self.models)

    @property
    def splits_models(self) -> bool:
        """Return whether some copy uses several GPUs."""
        return self.spans_servers or any(model.gpus_per_copy > 1 for model in self.models)
