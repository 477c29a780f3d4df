"""The speed of one set of GPUs, each figure with its range and how much stands behind it."""

from __future__ import annotations

from enum import StrEnum

from sizing.records import Positive, PositiveCount, Record


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


class Estimate(Record):
    """A figure between whose bounds eight of ten measured values of its kind lie."""

    low: Positive
    """Low bound, in the unit of the figure."""

    typical: Positive
    """Estimate, in the unit of the figure."""

    high: Positive
    """High bound, in the unit of the figure."""


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

    input_tokens: PositiveCount
    """Prompt tokens of a request."""

    output_tokens: PositiveCount
    """Tokens of its answer."""

    single_stream_tokens_per_s: Estimate | None
    """Tokens that a request alone gets each second."""

    output_tokens_per_s: Estimate | None
    """Tokens written each second, all replicas."""

    full_output_tokens_per_s: Estimate | None = None
    """The same with as many requests as fit, or as keep to the wishes about speed."""

    total_tokens_per_s: Estimate | None
    """Tokens read and written each second, all replicas."""

    prefill_tokens_per_s: Estimate | None
    """Prompt tokens read each second by GPUs that do nothing else, all replicas."""

    requests_per_s: Estimate | None
    """Requests answered each second, all replicas."""

    ttft_ms: Estimate | None
    """Time to the first token, requests arriving at random, ms."""

    itl_ms: Estimate | None
    """Time between two tokens of a request, ms."""

    bound_by: BoundBy
    """What takes most of the time."""

    users_per_replica: int | None
    """Requests in flight of one replica inside the asked limit between tokens, with head-room."""
