"""What a start command needs to know: the values of one option in the words of its engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.checkpoint import Checkpoint, checkpoint_of, label_of, repository_of
from bot.host_start import HostStart, host_start_of
from sizing.answer import Note, note
from sizing.records import LaunchRecord
from sizing.reservation import memory_setting
from sizing.units import ceil_div

if TYPE_CHECKING:
    from sizing.answer import Option, SizingAnswer
    from sizing.catalogue import Catalogue
    from sizing.records import ModelRecord

HEAD = "$HEAD_NODE_IP"
"""Address of the first server, to be set by whoever starts several."""

NIM_REGISTRY = "nvcr.io/nim"
"""Registry of NIM images: publisher and model in lower case, as in `meta/llama-3.1-8b-instruct`."""

NIM_PUBLISHERS = {"meta-llama": "meta"}
"""Publishers whose name differs between the Hub and NGC."""

MODEL_FREE_NIM = "nvcr.io/nim/nvidia/model-free-nim:latest"
"""NIM that serves any model vLLM can, named by NIM_MODEL_PATH."""

RANKED = frozenset({"nim", "trtllm", "vllm"})
"""Engines that limit the requests of each data-parallel rank, not of all together."""

SHARED_MEMORY_GIB = 16
"""Shared memory that processes of several GPUs talk through, GiB (NIM documentation)."""

ALL_LAYERS = 99
"""Layers to keep in GPU memory, as people write it for all of them."""


@dataclass(frozen=True)
class Plan:
    """Values of one start, all from the answer and the catalogue."""

    engine: str
    launch: LaunchRecord
    vendor: str
    name: str
    """Name that suits a label in Kubernetes."""
    checkpoint: Checkpoint
    tensor_parallel: int
    pipeline_parallel: int
    expert_parallel: int
    data_parallel: int
    """Copies of the attention inside one copy of the model."""
    replicas: int
    servers: int
    """Servers of one copy."""
    context_tokens: int
    requests: int | None
    """Requests in flight in one copy; None where nobody named them."""
    memory_setting: float | None
    kv_word: str | None
    eager: bool
    batched_tokens: int | None
    adapters: int
    adapter_rank: int | None
    layers: int
    nim_image: str
    mig_profile: str | None
    uneven: str | None
    """Setting that shares the layers out between unequal cards: an option, or a variable."""
    host: HostStart | None
    """KV cache in host memory, where it was asked for."""
    notes: tuple[Note, ...]
    in_container: bool = False
    only_rank: int | None = None
    """Server to write the command for, where a group of pods numbers itself."""

    @property
    def gpus(self) -> int:
        """Return the GPUs of one copy."""
        return self.tensor_parallel * self.pipeline_parallel * self.data_parallel

    @property
    def attention_group(self) -> int:
        """Return the GPUs that SGLang and TensorRT-LLM call tensor parallel: all of one stage."""
        return self.tensor_parallel * self.data_parallel

    @property
    def starts_across_servers(self) -> bool:
        """Return whether a command over several servers is known for this split."""
        rank_by_rank = self.engine == "vllm" and self.data_parallel > 1
        return self.launch.starts_across_servers and not rank_by_rank

    @property
    def gpus_per_server(self) -> int:
        """Return the GPUs of one copy in one server."""
        return ceil_div(self.gpus, self.servers)

    @property
    def ranks(self) -> tuple[int | str, ...]:
        """Return the servers to write a command for, by number."""
        if self.only_rank is not None:
            return (f"rank-{self.only_rank}",)
        return tuple(range(self.servers))

    @property
    def heads_group(self) -> bool:
        """Return whether the command is for the first server of a group of pods."""
        return self.only_rank == 0

    @property
    def cache_tokens(self) -> int:
        """Return the tokens of all requests of one copy together."""
        return self.context_tokens * (self.requests or 1)

    @property
    def gpu_layers(self) -> int:
        """Return the number that keeps every layer in GPU memory, the output layer included."""
        return max(ALL_LAYERS, self.layers + 1)

    @property
    def bitsandbytes(self) -> dict[str, bool]:
        """Return the options of a BitsAndBytesConfig."""
        word = self.checkpoint.quantisation
        return {word: True} if word else {}

    @property
    def shared_memory_gib(self) -> int:
        """Return what a container needs in /dev/shm, GiB."""
        return SHARED_MEMORY_GIB + (self.host.shared_gib if self.host else 0)

    @property
    def container_image(self) -> str | None:
        """Return the image for this vendor's GPUs."""
        if self.engine == "nim":
            return self.nim_image
        return self.launch.rocm_image if self.vendor == "AMD" else self.launch.image


def plan_of(answer: SizingAnswer, option: Option, catalogue: Catalogue) -> Plan | None:
    """Return the values to start `option` with; None without a command, or without a cache."""
    asked = answer.understood
    engine = catalogue.engines.get(asked.engine)
    model = catalogue.models.get(asked.model_id or "")
    if engine is None or engine.launch is None or option.per_gpu is None:
        return None
    if asked.context_tokens is None or asked.kv_precision is None:
        return None
    checkpoint = checkpoint_of(asked, model, catalogue, engine.launch)
    in_flight = ceil_div(asked.concurrent_requests, option.replicas)
    if engine.id in RANKED:
        in_flight = ceil_div(in_flight, option.data_parallel)
    gpu = catalogue.gpus.get(option.gpu)
    servers = max(1, option.nodes // option.replicas)
    host = host_start_of(option, engine, servers)
    return Plan(
        engine=engine.id,
        launch=engine.launch,
        vendor=gpu.vendor if gpu else "NVIDIA",
        name=label_of(asked.model_id or asked.model),
        checkpoint=checkpoint,
        tensor_parallel=option.tensor_parallel,
        pipeline_parallel=option.pipeline_parallel,
        expert_parallel=option.expert_parallel,
        data_parallel=option.data_parallel,
        replicas=option.replicas,
        servers=servers,
        context_tokens=asked.context_tokens,
        requests=in_flight if asked.concurrent_requests > 1 else None,
        memory_setting=memory_setting(engine, option.per_gpu, asked.memory_fraction),
        kv_word=engine.launch.kv_words.get(asked.kv_precision),
        eager=asked.eager,
        batched_tokens=asked.batched_tokens,
        adapters=asked.adapters,
        adapter_rank=asked.adapter_rank,
        layers=model.shape.layers if model else 0,
        nim_image=_nim_image(model),
        mig_profile=option.mig_profile,
        uneven=_uneven(option),
        host=host,
        notes=(
            *checkpoint.notes,
            *_engine_notes(engine.id, repository_of(asked, model)),
            *(host.notes(engine.id) if host else ()),
        ),
    )


def _engine_notes(engine: str, repository: str) -> Iterator[Note]:
    if engine == "nim":
        variable = f"NIM_MODEL_PATH=hf://{repository}"
        yield note("start_nim_image", image=MODEL_FREE_NIM, variable=variable)


def _uneven(option: Option) -> str | None:
    found = (one.values["setting"] for one in option.reasons if one.code == "layers_by_memory")
    setting = next(found, None)
    return str(setting) if setting else None


def _nim_image(model: ModelRecord | None) -> str:
    if model is None:
        return MODEL_FREE_NIM
    publisher, _, name = model.hf_id.partition("/")
    publisher = NIM_PUBLISHERS.get(publisher, publisher)
    return f"{NIM_REGISTRY}/{publisher}/{name}:latest".lower()
