"""Write a request as the shortest line that reads back as the same request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.grammar.canonical_tuning import number_text, tuning_words
from sizing.records import Record
from sizing.request import Goal, GpuChoice, Mode, SizingRequest
from sizing.tuning import Tuning

KEYS: Final = (
    ("ctx=", "context_tokens"), ("in=", "input_tokens"), ("out=", "output_tokens"),
    ("users=", "concurrent_requests"), ("rps=", "requests_per_s"), ("util=", "memory_fraction"),
    ("images=", "images"), ("frames=", "frames"), ("seconds=", "seconds"),
    ("steps=", "steps"),
    ("tp=", "tensor_parallel"), ("pp=", "pipeline_parallel"), ("ep=", "expert_parallel"),
    ("dp=", "data_parallel"),
    ("gpus<=", "max_gpus"), ("batched=", "batched_tokens"), ("budget=", "budget_usd"),
    ("net=", "network_gbps"), ("power=", "power_limit_w"), ("ram=", "host_ram_gb"),
    ("kv_host=", "kv_host_gib"),
    ("rank=", "adapter_rank"),
)  # fmt: skip
"""Number fields in the order people name them."""

MOST: Final = {Goal.MAX_CONTEXT: "ctx", Goal.MAX_REQUESTS: "users"}
"""What `max=` asks for."""

SHAPE_KEYS: Final = (
    ("layers=", "layers"), ("hidden=", "hidden_size"), ("heads=", "heads"),
    ("kvheads=", "kv_heads"), ("headdim=", "head_dim"), ("ffn=", "ffn_size"),
    ("vocab=", "vocabulary_size"),
)  # fmt: skip
"""Fields of the shape of a model without a name."""

SPEC_KEYS: Final = (
    ("draft-tokens=", "draft_tokens"), ("accept=", "acceptance"), ("draft=", "draft_parameters"),
)  # fmt: skip
"""Fields of speculative decoding that are numbers."""

SPENDING_KEYS: Final = (
    ("kwh=", "electricity_usd_per_kwh"), ("pue=", "pue"), ("years=", "lifetime_years"),
    ("hours=", "hours_per_day"),
)  # fmt: skip
"""Figures that costs rest on."""

MOST_PLAIN: Final = 10**11
"""Parameters from which a bare size may be a model's name: 405b, 671b."""

TARGET_KEYS: Final = (("ttft<", "ttft_ms"), ("itl<", "itl_ms"), ("tps>=", "tokens_per_s"))
"""Fields of wishes about speed."""


def format_request(request: SizingRequest) -> str:
    """Return one canonical line: what a person could type to ask exactly this again."""
    return " ".join(_parts(request))


def _parts(request: SizingRequest) -> Iterator[str]:
    if request.goal is Goal.WHAT_FITS:
        yield "fits"
    yield from _subject(request)
    mode = request.mode.value if request.mode is not Mode.INFER or _is_trained(request) else None
    precision = None if request.checkpoint else request.precision
    words = (
        ("attention=", request.attention), ("", precision), ("kv=", request.kv_precision),
        ("kv=", "host" if request.kv_in_host else None),
        ("engine=", request.engine), ("mode=", mode), ("max=", MOST.get(request.goal)),
        ("kind=", "/".join(request.kinds)), ("family=", "/".join(request.families)),
        ("spec=", request.speculation.spec), ("", request.spending.means),
    )  # fmt: skip
    yield from (key + value for key, value in words if value)
    yield from _shape(request)
    yield from _gpus(request)
    yield from _numbers(request)
    yield from tuning_words(request.tuning)
    yield from _picture(request)
    if request.spending.wants_api:
        yield "--api"
    for word, is_on in (
        ("eager", request.eager),
        ("prefix-caching", request.prefix_caching),
        ("disaggregated", request.disaggregated),
    ):
        if is_on:
            yield word


def _subject(request: SizingRequest) -> Iterator[str]:
    if name := request.reference or request.checkpoint or request.model_id:
        yield name
    elif request.parameters:
        yield _size(request.parameters)
        yield from _mixture(request)


def _is_trained(request: SizingRequest) -> bool:
    """Return whether some option alone would make this a question about training."""
    return request.tuning != Tuning()


def _mixture(request: SizingRequest) -> Iterator[str]:
    if request.experts:
        yield f"experts={request.experts}"
    if request.active_parameters:
        yield f"active={request.active_parameters}"


def _shape(request: SizingRequest) -> Iterator[str]:
    for key, name in SHAPE_KEYS:
        value = getattr(request.shape, name)
        if value is not None:
            yield f"{key}{value}"


def _picture(request: SizingRequest) -> Iterator[str]:
    width, height = request.width_pixels, request.height_pixels
    if width and height:
        yield f"res={width}x{height}"


def _numbers(request: SizingRequest) -> Iterator[str]:
    has_both = request.input_tokens and request.output_tokens
    for key, name in KEYS:
        value = getattr(request, name)
        if value is not None and not (name == "context_tokens" and has_both):
            yield key + number_text(value)
    if request.adapters:
        yield f"loras={request.adapters}"
    nested: tuple[tuple[tuple[tuple[str, str], ...], Record], ...] = (
        (TARGET_KEYS, request.targets),
        (SPEC_KEYS, request.speculation),
        (SPENDING_KEYS, request.spending),
    )
    for keys, record in nested:
        for key, name in keys:
            value = getattr(record, name)
            if value is not None:
                yield key + number_text(value)


def _gpus(request: SizingRequest) -> Iterator[str]:
    names = tuple(map(_gpu, request.gpus))
    sets = ("+".join(names),) if request.mixed_gpus else names
    return (f"gpu={one}" for one in sets)


def _gpu(choice: GpuChoice) -> str:
    name = choice.gpu or f"{number_text(choice.memory_gb or 0)}gb"
    name += f":{choice.mig_profile}" if choice.mig_profile else ""
    return f"{choice.count}x{name}" if choice.count else name


def _size(parameters: int) -> str:
    for unit, letter in ((10**12, "t"), (10**9, "b"), (10**6, "m")):
        if parameters >= unit and parameters % (unit // 10**1) == 0:
            key = "params=" if parameters >= MOST_PLAIN else ""
            return key + number_text(parameters / unit) + letter
    return f"params={parameters}"
