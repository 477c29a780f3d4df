"""Warnings and assumptions of an answer."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.adapters import DEFAULT_RANK
from sizing.answer import Memory, Note, note
from sizing.catalogue import Catalogue
from sizing.checkpoints import checkpoint_of
from sizing.given_notes import given_notes, given_warnings
from sizing.kv_cache import CacheLayout
from sizing.media_notes import media_assumptions, media_warnings
from sizing.memory import Load
from sizing.parallelism import Layout
from sizing.placement import HIGH_MEMORY_FRACTION
from sizing.records import GpuRecord, ModelRecord, PrecisionRecord
from sizing.request import GpuChoice, SizingRequest
from sizing.request_cache import request_cache
from sizing.rules import rule_warnings, tier
from sizing.speed_notes import speed_assumptions, speed_warnings
from sizing.stand_in_notes import kv_range_notes, stand_in_notes
from sizing.subject import SPEECH, TOWERS, Subject
from sizing.units import GB

HOST_RAM_FACTOR = 2
"""Local-LLM article: system RAM at least twice the weights."""


def warnings_of(
    request: SizingRequest,
    load: Load,
    precision: PrecisionRecord,
    memory: Memory,
    *,
    catalogue: Catalogue,
) -> tuple[Note, ...]:
    """Return what the asker should know before trusting the answer."""
    return (
        *_architecture_warnings(request, load.subject),
        *media_warnings(request, load.subject, load.media, catalogue),
        *rule_warnings(load.subject, precision, memory),
        *_setting_warnings(request, load),
        *speed_warnings(load),
        *_mixed_gpus(request, catalogue),
        *_host_warnings(request, memory),
        *_uncovered(request),
        *_ignored(request),
    )


def request_warnings(request: SizingRequest, catalogue: Catalogue) -> tuple[Note, ...]:
    """Return the warnings that need no model: unequal cards, and words without effect."""
    return (
        *_split_warnings(request),
        *_mixed_gpus(request, catalogue),
        *_budget(request),
        *_uncovered(request),
        *_ignored(request),
    )


def reading_assumptions(request: SizingRequest, catalogue: Catalogue) -> tuple[Note, ...]:
    """Return the assumptions that need no model: corrections and variants of the cards."""
    return (*_read_as(request), *_gpu_variants(request, catalogue))


def assumptions_of(
    request: SizingRequest, load: Load, precision: PrecisionRecord, *, catalogue: Catalogue
) -> tuple[Note, ...]:
    """Return the defaults that were filled in, and the estimates."""
    return (
        *_read_as(request),
        *model_assumptions(request, load.subject),
        *media_assumptions(request, load.subject, load.media, load.kv_precision.element_bits),
        *kv_range_notes(request, load),
        *_load_assumptions(request, load),
        *speed_assumptions(load),
        *_cache_assumptions(load),
        *_format_assumptions(request, load.subject, precision),
        *_gpu_variants(request, catalogue),
        note("tier", tier=tier(load.subject, precision).value),
    )


def _architecture_warnings(request: SizingRequest, subject: Subject) -> Iterator[Note]:
    yield from given_warnings(request, subject)
    if subject.cache is None and request.given is None:
        yield note("architecture_not_supported", feature="unpublished_shape", model=subject.name)
    elif subject.cache is not None and subject.is_multimodal and subject.source_tokens is None:
        yield note("multimodal_estimate")


def _cache_assumptions(load: Load) -> Iterator[Note]:
    """Say what bounded layers and states change, beside a cache of the whole context."""
    cache = load.subject.cache
    if cache is None:
        return
    if cache.has_windows:
        yield from _windows(load, cache)
    if cache.state_bytes:
        yield note("state_per_request", state_bytes=cache.state_bytes)
    if cache.source_elements:
        source_bytes = round(cache.source_elements * load.kv_precision.element_bits) // 8
        yield note("source_cache", source_bytes=source_bytes)


def _windows(load: Load, cache: CacheLayout) -> Iterator[Note]:
    """Say both bounds of a cache with windows, where requests are longer than these."""
    bounds = [
        request_cache(each, load.kv_precision.element_bits, Layout()).size_bytes(
            load.request_tokens
        )
        * load.concurrent_requests
        for each in (cache, cache.in_full())
    ]
    if bounds[0] < bounds[1]:
        yield note(
            "windows_honoured" if load.engine.honours_windows else "windows_reserved_in_full",
            engine=load.engine.id,
            window_bytes=bounds[0],
            full_bytes=bounds[1],
        )


def _setting_warnings(request: SizingRequest, load: Load) -> Iterator[Note]:
    longest = load.subject.max_context_tokens
    if longest is not None and load.context_tokens > longest:
        yield note(
            "context_beyond_model", context_tokens=load.context_tokens, max_context_tokens=longest
        )
    if load.memory_fraction > HIGH_MEMORY_FRACTION:
        yield note("gpu_memory_utilization", memory_fraction=load.memory_fraction)
    if request.memory_fraction and request.memory_fraction > load.memory_fraction:
        yield note(
            "share_not_filled",
            engine=load.engine.id,
            asked_fraction=request.memory_fraction,
            memory_fraction=load.memory_fraction,
        )
    if load.engine.overhead is None:
        yield note("engine_sized_as", engine=load.engine.id, sized_as=load.engine.sized_as)
    if request.expert_parallel and load.subject.architecture.moe is None:
        yield note("no_experts", model=load.subject.name, expert_parallel=request.expert_parallel)
    if load.kv_in_host and load.engine.host_cache is None:
        yield note("no_host_cache", engine=load.engine.id)
    yield from _split_warnings(request)


def _split_warnings(request: SizingRequest) -> Iterator[Note]:
    """Warn where the named split needs other GPUs than the named ones."""
    needed = (request.tensor_parallel or 1) * (request.pipeline_parallel or 1)
    needed *= request.data_parallel or 1
    for count in (choice.count for choice in request.gpus if choice.count):
        if count < needed:
            yield note("count_below_parallel", gpus=count, needed_gpus=needed)
        elif request.tensor_parallel and count % needed:
            yield note("gpus_left_idle", gpus=count, used_gpus=count - count % needed)


def _mixed_gpus(request: SizingRequest, catalogue: Catalogue) -> Iterator[Note]:
    """Warn of unequal cards in one set: an even split leaves what the larger have more."""
    if request.mixed_gpus:
        cards = [(_card(choice, catalogue), choice.count or 1) for choice in request.gpus]
        smallest_gb = min(memory_gb for (_, memory_gb), _ in cards)
        yield note(
            "mixed_gpus",
            gpus=tuple(name for (name, _), _ in cards),
            effective_gb=smallest_gb * sum(count for _, count in cards),
        )


def _card(choice: GpuChoice, catalogue: Catalogue) -> tuple[str, float]:
    """Return a card's id and its name-plate memory, GB; one named by memory alone has no record."""
    if choice.gpu is None:
        memory_gb = choice.memory_gb or 0.0
        return f"any-{memory_gb:g}gb", memory_gb
    return choice.gpu, catalogue.gpus[choice.gpu].memory_gb


def _host_warnings(request: SizingRequest, memory: Memory) -> Iterator[Note]:
    needed_gb = HOST_RAM_FACTOR * memory.weights_bytes / GB
    if request.host_ram_gb is not None and request.host_ram_gb < needed_gb:
        yield note("host_ram", host_ram_gb=request.host_ram_gb, needed_gb=round(needed_gb))


def _uncovered(request: SizingRequest) -> Iterator[Note]:
    asked = {
        "power": request.power_limit_w,
        "network": request.network_gbps,
    }
    for option, value in asked.items():
        if value:
            yield note("option_not_covered", option=option)


def _budget(request: SizingRequest) -> Iterator[Note]:
    if request.budget_usd:
        yield note("option_not_covered", option="budget")


def _ignored(request: SizingRequest) -> Iterator[Note]:
    if request.ignored:
        yield note("ignored_words", words=request.ignored)


def _read_as(request: SizingRequest) -> Iterator[Note]:
    for correction in request.read_as:
        yield note("read_as", typed=correction.typed, read_as=correction.read_as)


def model_assumptions(request: SizingRequest, subject: Subject) -> Iterator[Note]:
    """Say how the model was read, and what of it is not counted."""
    yield from given_notes(request, subject)
    yield from stand_in_notes(request, subject)
    if request.model_is_default and subject.model and subject.model.alternatives:
        yield note("model_default", model=subject.name, alternatives=subject.model.alternatives)
    if subject.model and not subject.is_multimodal:
        yield from _separate_towers(subject.model)
    if subject.model:
        yield from _speech(subject.model, subject)
    if subject.mtp_parameters:
        yield note("mtp_not_loaded", mtp_parameters=subject.mtp_parameters)


def _separate_towers(model: ModelRecord) -> Iterator[Note]:
    """Say what an encoder in a file of its own adds."""
    given = model.architecture.given_parameters if model.architecture else {}
    parameters = sum(given.get(group, 0) for group in TOWERS)
    if parameters:
        yield note("towers_separate", tower_bytes=2 * parameters)


def _speech(model: ModelRecord, subject: Subject) -> Iterator[Note]:
    """Say what turns text into sound where it is not loaded."""
    given = model.architecture.given_parameters if model.architecture else {}
    parameters = sum(given.get(group, 0) for group in SPEECH)
    if parameters and not any(size.group in SPEECH for size in subject.groups):
        yield note("speech_not_loaded", speech_bytes=2 * parameters)


def _load_assumptions(request: SizingRequest, load: Load) -> Iterator[Note]:
    if request.context_tokens is None and not (request.input_tokens or request.output_tokens):
        yield note(
            "default_load",
            context_tokens=load.context_tokens,
            concurrent_requests=load.concurrent_requests,
        )
    if request.concurrent_requests and request.concurrent_requests > 1:
        yield note("requests_in_flight", concurrent_requests=request.concurrent_requests)
    if request.adapters and request.adapter_rank is None:
        yield note("default_adapter_rank", adapter_rank=DEFAULT_RANK)
    if request.engine is None:
        yield note("default_engine", engine=load.engine.id)
    if request.memory_fraction is None:
        yield note("default_memory_fraction", memory_fraction=load.memory_fraction)


def _format_assumptions(
    request: SizingRequest, subject: Subject, precision: PrecisionRecord
) -> Iterator[Note]:
    given = request.given
    if request.precision is None and given and precision.id == given.native_precision:
        yield note("file_precision", precision=precision.id, source=given.source)
    elif request.precision is None and precision.id != subject.native_precision:
        yield note("twin_precision", precision=precision.id, published=subject.native_precision)
    elif request.precision is None:
        yield note("default_precision", precision=precision.id)
    checkpoint = checkpoint_of(subject, precision)
    if checkpoint is not None:
        yield note("published_checkpoint", repository=checkpoint.repository)
    if request.kv_precision is None:
        yield note("kv_precision_default")


def _gpu_variants(request: SizingRequest, catalogue: Catalogue) -> Iterator[Note]:
    for choice in request.gpus:
        if choice.gpu is None:
            continue
        gpu = catalogue.gpus[choice.gpu]
        others = _family(gpu, catalogue)
        if gpu.family_default and others:
            yield note("gpu_variant", gpu=gpu.id, alternatives=tuple(other.id for other in others))


def _family(gpu: GpuRecord, catalogue: Catalogue) -> list[GpuRecord]:
    return [
        other
        for other in catalogue.gpus.values()
        if other.family == gpu.family and other.id != gpu.id
    ]
