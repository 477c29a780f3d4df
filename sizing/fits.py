"""The answer to the question turned round: which models run on a set of GPUs."""

from __future__ import annotations

from sizing.answer import CatalogueStamp, Note, Verdict
from sizing.records import Count, Identifier, ModelKind, PositiveCount, Record, Text
from sizing.request import Correction, GpuChoice


class FitsUnderstood(Record):
    """The question as it was answered, defaults filled in."""

    gpus: tuple[GpuChoice, ...]
    """Accelerators the asker named."""

    gpu: Identifier
    """Catalogue id of the accelerator that was weighed: the smallest of unequal ones."""

    gpu_count: PositiveCount
    """Devices of the set."""

    usable_bytes: PositiveCount
    """Memory the driver shows of all devices together, bytes."""

    kinds: tuple[ModelKind, ...]
    """Kinds of models looked for; empty for all that write text."""

    families: tuple[Identifier, ...]
    """Lines of models looked for; empty for all."""

    precision: Identifier | None
    """Precision of the weights, as asked; None for the highest that runs."""

    kv_precision: Identifier | None
    """Precision of the KV cache, as asked; None for 16 bits."""

    kv_in_host: bool = False
    """Whether KV cache shall lie in host memory, as asked."""

    kv_host_gib: float | None = None
    """Host memory for KV cache, as asked, GiB."""

    engine: Identifier
    """Serving engine, id."""

    memory_fraction: float
    """Share of usable memory the engine may take."""

    context_tokens: PositiveCount
    """Prompt and output tokens of one request; less where a model takes less."""

    context_is_default: bool
    """Whether the asker left the context open."""

    concurrent_requests: PositiveCount
    """Requests in flight at once."""

    images: Count = 0
    """Images of each request, on top of the text unless the context was told as a whole."""

    seconds: PositiveCount | None = None
    """Sound of each request, s, counted likewise."""

    read_as: tuple[Correction, ...]
    """What was corrected on reading."""


class FitsFormat(Record):
    """One model in one precision on the set of GPUs."""

    precision: Identifier
    """Precision of the weights, id."""

    engine: Identifier
    """Serving engine, id."""

    verdict: Verdict
    """Whether the asked load runs: `fits` or `tight`."""

    weights_bytes: PositiveCount
    """Weights of one replica, bytes."""

    tensor_parallel: PositiveCount
    """Tensor-parallel degree."""

    pipeline_parallel: PositiveCount
    """Pipeline-parallel degree."""

    expert_parallel: PositiveCount
    """Expert-parallel degree."""

    data_parallel: PositiveCount
    """Copies of the attention that share the experts."""

    replicas: PositiveCount
    """Copies of the model."""

    max_context_tokens: Count
    """Longest context at the asked concurrency, tokens."""

    safe_max_context_tokens: Count
    """The same at the high bound of all overheads, tokens."""

    max_concurrent_requests: Count
    """Requests of the asked context that fit at once."""

    safe_max_concurrent_requests: Count
    """The same at the high bound of all overheads."""


class FittingModel(Record):
    """One model that runs on the set of GPUs."""

    model_id: Identifier
    """Catalogue id."""

    model: str
    """Name people read."""

    kind: ModelKind
    """What the model does."""

    family: Identifier
    """Line of models it belongs to."""

    release: Text
    """Month of release, ISO 8601."""

    parameters: PositiveCount
    """Parameters that are loaded."""

    active_parameters: PositiveCount
    """Parameters a token passes."""

    class_parameters: Count
    """Parameters from which its size class starts."""

    formats: tuple[FitsFormat, ...]
    """Precisions that run, the one to take first: the highest that fits, then the others."""

    @property
    def best(self) -> FitsFormat:
        """Return the highest precision that fits, else the highest that is tight."""
        return self.formats[0]


class FitsAnswer(Record):
    """Which models of the catalogue run on a set of GPUs."""

    understood: FitsUnderstood
    """The question as it was answered."""

    models: tuple[FittingModel, ...]
    """Models that run: larger size classes first, newer ones first within a class."""

    too_large: Count
    """Models looked at that do not run there."""

    too_short: Count
    """Models left out because they do not take the asked context."""

    not_sized: Count
    """Models left out because their memory cannot be sized yet."""

    warnings: tuple[Note, ...]
    """What the asker should know before trusting the answer."""

    assumptions: tuple[Note, ...]
    """Defaults that were filled in."""

    catalogue: CatalogueStamp
    """Which facts were used."""
