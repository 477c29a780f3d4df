"""The question as it was answered."""

from __future__ import annotations

from sizing.records import Count, ModelKind, PositiveCount, Record
from sizing.request import Correction, Goal, GpuChoice, Mode, Targets
from sizing.speculation import Speculation
from sizing.tuning import Tuning


class Understood(Record):
    """The question as it was answered, defaults filled in."""

    goal: Goal = Goal.SIZE
    """What the asker wants to know."""

    model: str
    """Name people read."""

    model_id: str | None
    """Catalogue id; None for a bare size."""

    source: str | None = None
    """Where the shape of a model outside the catalogue was read; None for all others."""

    source_precision: str | None = None
    """Precision of the weights at that source, id; None for all other models."""

    checkpoint: str | None = None
    """Published checkpoint that was named, its repository; None for all other names."""

    kind: ModelKind
    """What the model does."""

    parameters: PositiveCount
    """Parameters that are loaded."""

    active_parameters: PositiveCount
    """Parameters a token passes."""

    precision: str
    """Precision of the weights, id."""

    bits_per_weight: float
    """Bits of a parameter on average over the whole model."""

    kv_precision: str | None
    """Precision of the KV cache, id; None for a model without one."""

    kv_in_host: bool = False
    """Whether KV cache shall lie in host memory, as asked."""

    kv_host_gib: float | None = None
    """Host memory for KV cache, as asked, GiB."""

    engine: str
    """Serving engine, id."""

    mode: Mode
    """Inference or a kind of training."""

    context_tokens: PositiveCount | None
    """Prompt and output tokens of one request together; None for a model that reads no text."""

    model_max_context_tokens: int | None = None
    """Longest context the model was made for, tokens; None where only a size is known."""

    input_tokens: int | None
    """Prompt tokens of one request."""

    output_tokens: int | None
    """Output tokens of one request."""

    images: Count = 0
    """Images of one request, for models that read them beside text."""

    image_tokens: int | None = None
    """Tokens of one image, of the size asked or else usual; None where none is read or known."""

    media_tokens: Count = 0
    """Tokens that images and sound take of the context of one request."""

    source_tokens: Count = 0
    """Tokens of images that layers beside the text attend to: no part of the context."""

    width_pixels: int | None = None
    """Width of a picture, for models that see or make them."""

    height_pixels: int | None = None
    """Height of a picture."""

    frames: int | None = None
    """Pictures of a clip."""

    steps: int | None = None
    """Steps of denoising of one picture; None where there are none."""

    seconds: int | None = None
    """Seconds of sound of one request."""

    concurrent_requests: PositiveCount
    """Requests in flight at once."""

    requests_per_s: float | None
    """Arrival rate, requests per second."""

    memory_fraction: float
    """Share of usable memory the engine may take."""

    tensor_parallel: int | None
    """Tensor-parallel degree, as asked."""

    pipeline_parallel: int | None
    """Pipeline-parallel degree, as asked."""

    expert_parallel: int | None
    """Expert-parallel degree, as asked."""

    data_parallel: int | None = None
    """Data-parallel degree, as asked."""

    batched_tokens: int | None = None
    """Most tokens of one engine step, as asked."""

    prefix_caching: bool = False
    """Whether beginnings that prompts share are kept and not read again."""

    disaggregated: bool = False
    """Whether prompts are read on other GPUs than answers are written on."""

    eager: bool = False
    """Whether CUDA graphs are switched off."""

    adapters: Count = 0
    """LoRA adapters served beside the model."""

    adapter_rank: int | None = None
    """Rank of those adapters."""

    gpus: tuple[GpuChoice, ...] | None
    """Accelerators the asker named."""

    targets: Targets
    """Wishes about speed."""

    speculation: Speculation = Speculation()
    """Speculative decoding, as asked."""

    tuning: Tuning = Tuning()
    """How the model is trained, as asked."""

    budget_usd: float | None
    """Money for the cards, or for a month of rent where they shall be rented, USD."""

    network_gbps: float | None
    """Network between servers, Gbit per second."""

    power_limit_w: float | None
    """Power to stay under, W."""

    read_as: tuple[Correction, ...]
    """What was corrected on reading."""
