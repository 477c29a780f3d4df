"""Defaults that fill in what the asker left open."""

from __future__ import annotations

from sizing.adapters import DEFAULT_RANK, adapters_of
from sizing.answer import GroupWeights
from sizing.catalogue import Catalogue
from sizing.drafter import drafter_of
from sizing.errors import CatalogueError, InvalidRequestError
from sizing.media import media_of
from sizing.memory import Load
from sizing.records import EngineRecord, KvPrecisionRecord, OverheadRecord, PrecisionRecord
from sizing.request import SizingRequest
from sizing.subject import Subject
from sizing.units import GB, GIB, gib_to_bytes
from sizing.weights import group_weights, scale_groups

DEFAULT_CONTEXT_TOKENS = 4096
"""Prompt and output of a typical chat request."""

HOST_RESERVE_BYTES = 10 * GIB
"""Host memory that stays free for the system, bytes (SGLang HICACHE_HOST_MEMORY_RESERVE_BYTES)."""

LARGEST_USE = 0.8
"""Share of its rate at which a set is run: beyond it queues grow faster than the load."""

ANSWER_PART = 4
"""A request whose parts are not told answers with a quarter of its context."""

FULL_PRECISION = "fp32"

DEFAULT_KV_PRECISION = "fp16"
"""16-bit KV cache, the default of every engine."""


def load_of(
    request: SizingRequest,
    subject: Subject,
    precision: PrecisionRecord,
    catalogue: Catalogue,
    *,
    groups: tuple[GroupWeights, ...] | None = None,
) -> Load:
    """Return the load to size, every default filled in; `groups` are its weights where known."""
    engine = engine_of(request, precision, catalogue)
    media = media_of(request, catalogue)
    context_tokens = context_tokens_of(request, subject, media.context_tokens)
    output_tokens = output_tokens_of(request, context_tokens)
    drafter = drafter_of(request, subject, precision, catalogue)
    weights = groups or group_weights(subject, precision, catalogue)
    return Load(
        subject=subject,
        groups=(*weights, *(drafter.weights if drafter else ())),
        drafter=drafter,
        kv_precision=kv_precision_of(request, precision, catalogue),
        engine=engine,
        overhead=_overhead(engine, catalogue),
        context_tokens=context_tokens,
        input_tokens=max(1, context_tokens - output_tokens),
        output_tokens=output_tokens,
        targets=request.targets,
        requests_per_s=to_answer_per_s(request),
        is_asked=request.concurrent_requests is not None,
        media=media,
        concurrent_requests=request.concurrent_requests or 1,
        memory_fraction=engine.share_of_memory(request.memory_fraction),
        eager=request.eager,
        prefix_caching=request.prefix_caching,
        disaggregated=request.disaggregated,
        kv_in_host=request.asks_host_cache,
        host_cache_bytes=_named_bytes(request),
        host_room_bytes=_host_room_bytes(request),
        batched_tokens=request.batched_tokens,
        scale_groups=scale_groups(subject, precision, catalogue),
        adapters=adapters_of(
            subject.architecture,
            count=request.adapters,
            rank=request.adapter_rank or DEFAULT_RANK,
        ),
    )


def _host_room_bytes(request: SizingRequest) -> int | None:
    """Return the host memory for KV cache, bytes; None where nobody named any."""
    installed = request.host_ram_gb
    left = None if installed is None else max(0, round(installed * GB) - HOST_RESERVE_BYTES)
    rooms = [room for room in (_named_bytes(request), left) if room is not None]
    return min(rooms, default=None)


def _named_bytes(request: SizingRequest) -> int | None:
    return None if request.kv_host_gib is None else gib_to_bytes(request.kv_host_gib)


def engine_of(
    request: SizingRequest, precision: PrecisionRecord, catalogue: Catalogue
) -> EngineRecord:
    """Return the asked engine, else the one for such a file, else the first that can.

    The first that loads the precision on the named GPUs.
    """
    given = request.given
    is_file = given is not None and given.native_precision == precision.id
    asked = request.engine or (given.engine if given and is_file else None)
    if asked is not None:
        return catalogue.engines[asked]
    named = {catalogue.gpus[choice.gpu].architecture for choice in request.gpus if choice.gpu}
    able = (
        engine for engine in precision.engines if named <= set(catalogue.engines[engine].runs_on)
    )
    return catalogue.engines[next(able, precision.engines[0])]


def kv_precision_of(
    request: SizingRequest, precision: PrecisionRecord, catalogue: Catalogue
) -> KvPrecisionRecord:
    """Return the asked KV precision, else 16 bits; 32-bit weights keep a 32-bit cache (vLLM)."""
    if request.kv_precision is None and precision.id == FULL_PRECISION:
        return catalogue.kv_precisions[FULL_PRECISION]
    return catalogue.kv_precisions[request.kv_precision or DEFAULT_KV_PRECISION]


def context_tokens_of(request: SizingRequest, subject: Subject, media_tokens: int = 0) -> int:
    """Return the context of one request; raise InvalidRequestError where two figures disagree.

    Tokens of images and sound are part of a context that was told as a whole, and come on top of a
    prompt told by itself and of the usual one.
    """
    parts = (request.input_tokens or 0) + (request.output_tokens or 0)
    if request.context_tokens is None:
        return parts + media_tokens if parts else _usual_context(subject, media_tokens)
    if request.input_tokens and request.output_tokens and parts != request.context_tokens:
        raise InvalidRequestError(
            reason="context_mismatch",
            context_tokens=request.context_tokens,
            input_tokens=request.input_tokens,
            output_tokens=request.output_tokens,
        )
    if request.input_tokens and request.output_tokens:
        return parts + media_tokens
    return max(request.context_tokens, media_tokens)


def _usual_context(subject: Subject, media_tokens: int) -> int:
    """Return a usual text with the images and sound beside it, as far as the model takes them."""
    longest = subject.max_context_tokens or DEFAULT_CONTEXT_TOKENS + media_tokens
    return max(media_tokens, min(DEFAULT_CONTEXT_TOKENS + media_tokens, longest))


def output_tokens_of(request: SizingRequest, context_tokens: int) -> int:
    """Return the tokens of one answer: as asked, else a quarter of the context."""
    if request.output_tokens is not None:
        return min(request.output_tokens, context_tokens)
    if request.input_tokens is not None:
        return max(1, context_tokens - request.input_tokens)
    return max(1, context_tokens // ANSWER_PART)


def to_answer_per_s(request: SizingRequest) -> float | None:
    """Return the arrivals to size for: what arrives, over the share of its rate a set is run at."""
    rate = request.requests_per_s
    return None if rate is None else rate / LARGEST_USE


def _overhead(engine: EngineRecord, catalogue: Catalogue) -> OverheadRecord:
    measured = engine.overhead or catalogue.engines[engine.sized_as].overhead
    if measured is None:
        raise CatalogueError(file="engines.toml", detail=f"{engine.id}: no overheads to size it by")
    return measured
