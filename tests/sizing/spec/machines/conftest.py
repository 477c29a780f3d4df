"""Loads to size a machine for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sizing.catalogue import Catalogue
from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec.host import HostPlan, host_for
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.machines import MachineFile, load_servers
from sizing.spec.storage import StoragePlan, storage_for
from sizing.spec.wishes import HostWishes, StorageWishes

GB = 10**9

Model = Callable[..., ModelLoad]
Load = Callable[..., ServerLoad]


@pytest.fixture(scope="session")
def machines() -> MachineFile:
    return load_servers()


@pytest.fixture(scope="session")
def model() -> Model:
    """Make a model of so many GB, FP8 unless said otherwise."""

    def make(size_gb: float = 70, **more: object) -> ModelLoad:
        size_bytes = round(size_gb * GB)
        values = {
            "name": "A model", "model_id": None, "kind": ModelKind.LLM, "precision": "fp8",
            "engine": "vllm", "mode": Mode.INFER, "parameters": size_bytes,
            "weights_bytes": size_bytes, "checkpoint_bytes": size_bytes, "copies": 1,
            "gpus_per_copy": 1,
        }  # fmt: skip
        return ModelLoad(**{**values, **more})

    return make


@pytest.fixture(scope="session")
def load(catalogue: Catalogue) -> Load:
    """Make servers of so many GPUs."""

    def make(gpu: str, gpus: int, *models: ModelLoad, **more: object) -> ServerLoad:
        values = {"servers": 1, **more}
        return ServerLoad(gpu=catalogue.gpus[gpu], gpus=gpus, models=models, **values)

    return make


@pytest.fixture(scope="session")
def planned(machines: MachineFile) -> Callable[..., tuple[HostPlan, StoragePlan]]:
    """Plan storage and host as the whole plan does: drives first."""

    def make(load: ServerLoad, wishes: HostWishes | None = None) -> tuple[HostPlan, StoragePlan]:
        storage = storage_for(load, StorageWishes())
        host = host_for(load, wishes or HostWishes(), machines, data_drives=storage.data_drives)
        return host, storage

    return make
