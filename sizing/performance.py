"""The speed of one set of GPUs, each figure with its range and how much stands behind it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import Identifier, Positive, PositiveCount, Record, Text


class Confidence(StrEnum):
    """How much was measured that is like the case."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class BoundBy(StrEnum):
    """What takes most of a step, or keeps more requests from joining it."""

    WEIGHTS = "weights"
    CACHE = "cache"
    COMPUTE = "compute"
    OVERHEAD = "overhead"
    EXCHANGE = "exchange"
    PROMPTS = "prompts"
    MEMORY = "memory"
    ENGINE = "engine"


class Limit(StrEnum):
    """What keeps a set from serving more, or faster."""

    MEMORY = "memory"
    ENGINE = "engine"
    LATENCY = "latency"
    QUEUEING = "queueing"
    BANDWIDTH = "bandwidth"
    COMPUTE = "compute"
    OVERHEAD = "overhead"
    EXCHANGE = "exchange"


class Wish(StrEnum):
    """Which wish about speed is reached first."""

    TTFT = "ttft"
    ITL = "itl"
    TPS = "tps"


class Way(Record):
    """One change to the question that moves the limit, tried by sizing again."""

    option: Text
    """What to add to the question, or to put in the place of the same option."""

    concurrent_requests: PositiveCount | None = None
    """Requests at once with it, all replicas, where their number is what is limited."""

    output_tokens_per_s: Positive | None = None
    """Output tokens each second with it, all replicas, where the rate is what is limited."""


class Bounds(Record):
    """A figure whose bounds may be nothing: how much is served inside limits."""

    low: Annotated[float, Field(ge=0)]
    """Low bound, in the unit of the figure."""

    typical: Annotated[float, Field(ge=0)]
    """Estimate, in the unit of the figure."""

    high: Annotated[float, Field(ge=0)]
    """High bound, in the unit of the figure."""


class Speculated(Record):
    """What speculative decoding gives at the load that the figures hold for."""

    draft_tokens: PositiveCount
    """Tokens drafted before each step."""

    acceptance: Annotated[float, Field(gt=0, lt=1)]
    """Share of drafted tokens that is accepted, 0-1."""

    step_tokens: Positive
    """Tokens that a step is expected to give."""

    speedup: Positive
    """Time between tokens without it over that with it; below 1 it does not pay."""

    most_paying_requests: int | None
    """Requests in flight of one replica up to which it pays; None where it does with all of them
    that it holds, 0 where it never does."""


class Goodput(Record):
    """What a set serves while every wish about speed is kept (goodput)."""

    concurrent_requests: Bounds
    """Requests in flight, all replicas."""

    requests_per_s: Bounds
    """Requests answered each second, all replicas."""

    concurrent_requests_per_replica: Bounds
    """Requests in flight of one replica."""

    replica_requests_per_s: Bounds
    """Requests that one replica answers each second."""


class Estimate(Record):
    """A figure between whose bounds eight of ten measured values of its kind lie."""

    low: Positive
    """Low bound, in the unit of the figure."""

    typical: Positive
    """Estimate, in the unit of the figure."""

    high: Positive
    """High bound, in the unit of the figure."""


class Measurement(Record):
    """What somebody measured and published; None where a figure was not measured."""

    model: Identifier
    """Catalogue id: the model itself, or a sibling of the same shape."""

    gpu: Identifier
    """Catalogue id."""

    precision: Identifier
    """Precision of the weights, id."""

    kv_precision: Identifier
    """Precision of the KV cache, id: as told, else as such benchmarks keep it."""

    engine: Identifier
    """Serving engine, id."""

    version: str
    """Its version; empty where it is not told."""

    tensor_parallel: PositiveCount
    """Tensor-parallel degree."""

    pipeline_parallel: PositiveCount
    """Pipeline-parallel degree."""

    data_parallel: PositiveCount
    """Copies of the attention inside one replica."""

    replicas: PositiveCount
    """Copies of the model."""

    input_tokens: int
    """Prompt tokens of a request; 0 where it had none worth the name."""

    output_tokens: int
    """Tokens of its answer."""

    concurrent_requests: PositiveCount | None
    """Requests in flight, all replicas; None at the limit of the set."""

    itl_ms: Positive | None
    """Time between two tokens of a request, ms."""

    output_tokens_per_s: Positive | None
    """Tokens written each second, all replicas."""

    single_tokens_per_s: Positive | None
    """Tokens that a request alone got each second."""

    source: Text
    """Where it can be read again."""

    is_same: bool = False
    """Whether it is the very case that was asked about, within a tenth."""


class CurvePoint(Record):
    """Speed of one set of GPUs with so many requests in flight."""

    concurrent_requests: PositiveCount
    """Requests in flight, all replicas."""

    itl_ms: Estimate
    """Time between two tokens of a request, ms."""

    output_tokens_per_s: Estimate
    """Tokens written each second, all replicas."""


class Performance(Record):
    """Speed of one option at the asked load."""

    source: str = "roofline"
    """Where the figures come from: our own model, fitted on measurements."""

    confidence: Confidence
    """How much was measured on such GPUs with such an engine and such layers."""

    concurrent_requests: PositiveCount
    """Requests in flight that the figures hold for, all replicas; the rest of the asked wait."""

    at_saturation: bool
    """Whether the throughput is that of a full set, as no load was asked."""

    input_tokens: PositiveCount | None
    """Prompt tokens of a request, or tokens of a text; None where there are none."""

    output_tokens: PositiveCount | None
    """Tokens of its answer; None where it writes none."""

    single_stream_tokens_per_s: Estimate | None
    """Tokens that a request alone gets each second."""

    output_tokens_per_s: Estimate | None
    """Tokens written each second, all replicas."""

    full_output_tokens_per_s: Estimate | None = None
    """The same with as many requests as fit, or as keep to the wishes about speed."""

    total_tokens_per_s: Estimate | None
    """Tokens read and written each second, all replicas."""

    prefill_tokens_per_s: Estimate | None
    """Prompt tokens, or tokens of texts, read each second by GPUs that do nothing else, all
    replicas."""

    requests_per_s: Estimate | None
    """Requests, pictures, texts or windows of sound answered each second, all replicas."""

    ttft_ms: Estimate | None
    """Time to the first token, requests arriving at random, ms."""

    itl_ms: Estimate | None
    """Time between two tokens of a request, ms."""

    bound_by: BoundBy
    """What takes most of the time."""

    users_per_replica: int | None
    """Requests in flight of one replica inside the asked limit between tokens, with head-room."""

    goodput: Goodput | None = None
    """What is served while all wishes about speed are kept; None where there are none."""

    speculation: Speculated | None = None
    """What speculative decoding gives; None where it was not asked for."""

    limit: Limit | None = None
    """What keeps it from serving more, or faster."""

    limiting_wish: Wish | None = None
    """Which wish is reached first, where that is the limit."""

    measured: tuple[Measurement, ...] = ()
    """What was measured closest to it, for the first option of an answer."""

    ways: tuple[Way, ...] = ()
    """What would move the limit, for the first option of an answer."""

    latency_ms: Estimate | None = None
    """Time until a picture, a text or a window of sound is done, those in flight worked on
    together, ms."""

    images_per_s: Estimate | None = None
    """Pictures made each second, all replicas."""

    seconds_per_image: Estimate | None = None
    """Time of one copy for each picture, seconds."""

    steps: PositiveCount | None = None
    """Steps of denoising that a picture takes."""

    texts_per_s: Estimate | None = None
    """Texts embedded or scored each second, all replicas."""

    windows_per_s: Estimate | None = None
    """Windows of 30 seconds of sound written down each second, all replicas."""

    audio_seconds_per_s: Estimate | None = None
    """Seconds of sound written down each second, all replicas: how many times faster than it was
    spoken."""
