"""What one server carries."""

from __future__ import annotations

from sizing.catalogue import Catalogue
from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec.load import ModelLoad, ServerLoad

GB = 10**9


def model(**more) -> ModelLoad:
    values = {
        "name": "A model", "model_id": None, "kind": ModelKind.LLM, "precision": "fp8",
        "engine": "vllm", "mode": Mode.INFER, "parameters": 70 * GB, "weights_bytes": 70 * GB,
        "checkpoint_bytes": 70 * GB, "copies": 1, "gpus_per_copy": 1,
    }  # fmt: skip
    return ModelLoad(**{**values, **more})


def test_sums_of_a_server_with_two_models(catalogue: Catalogue) -> None:
    """2 x 70 GB + 1 GB loaded; 71 GB of different weights; 4 x 81,559 MiB of GPU memory."""
    load = ServerLoad(
        gpu=catalogue.gpus["h100-sxm"],
        gpus=4,
        servers=2,
        models=(model(copies=2, gpus_per_copy=2), model(weights_bytes=GB)),
    )
    assert (load.weights_bytes, load.loaded_bytes) == (71 * GB, 141 * GB)
    assert load.gpu_memory_bytes == 4 * 81_559 * 2**20
    assert (load.trains, load.splits_models) == (False, True)


def test_a_server_that_trains(catalogue: Catalogue) -> None:
    tuned = model(mode=Mode.LORA, training_state_bytes=GB)
    load = ServerLoad(gpu=catalogue.gpus["l4"], gpus=1, servers=1, models=(tuned,))
    assert (load.trains, load.splits_models) == (True, False)
    assert load.model_copy(update={"spans_servers": True}).splits_models
