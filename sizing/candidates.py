"""Candidate sets of GPUs: what was asked, and what may be proposed."""

from __future__ import annotations

from dataclasses import replace

from sizing.answer import Verdict
from sizing.catalogue import Catalogue
from sizing.errors import UnknownGpuError
from sizing.layouts import copied_attention
from sizing.parallelism import Layout, tensor_layout
from sizing.placement import (
    Placement,
    Placer,
)
from sizing.records import GpuRecord, Segment
from sizing.request import GpuChoice, SizingRequest
from sizing.slices import GpuSlice, slice_of, slices_of
from sizing.split_notes import GPUS_PER_SERVER

BUYABLE = frozenset({Segment.DATACENTER, Segment.WORKSTATION, Segment.CONSUMER})
"""Markets whose cards are proposed unasked."""

CLUSTERED = frozenset({Segment.DATACENTER, Segment.RACK})
"""Markets whose servers are joined for one copy of a model."""


def chosen_gpu(choice: GpuChoice, catalogue: Catalogue) -> GpuRecord:
    """Return the accelerator of a choice.

    Memory alone stands for the least usable card of that size that CUDA software runs on: what
    holds for it holds for the others, which are sold singly. Raise UnknownGpuError where no card
    has that memory.
    """
    if choice.gpu is not None:
        return _product(catalogue.gpus[choice.gpu], choice.mig_profile)
    alike = [gpu for gpu in catalogue.gpus.values() if gpu.memory_gb == choice.memory_gb]
    if not alike:
        raise UnknownGpuError(word=f"{choice.memory_gb:g} GB")
    least = min(alike, key=_likelihood)
    size = f"{choice.memory_gb:g}"
    named = {"id": f"any-{size}gb", "name": f"{size} GB", "sold_in_gpus": ()}
    return least.model_copy(update=named)


def _product(gpu: GpuRecord, mig_profile: str | None) -> GpuRecord:
    """Return a whole GPU or the slice of it that was named; raise UnknownGpuError for no slice."""
    if mig_profile is None:
        return gpu
    profile = gpu.mig_profile(mig_profile)
    if profile is None:
        names = tuple(f"{gpu.id}:{each.name}" for each in gpu.mig_profiles)
        raise UnknownGpuError(word=f"{gpu.id}:{mig_profile}", suggestions=names[:3])
    return slice_of(gpu, profile)


def _likelihood(gpu: GpuRecord) -> tuple[bool, bool, bool, int, str]:
    """Return the order in which a card of some memory comes to mind; the least usable first."""
    is_common = gpu.segment in BUYABLE
    has_cuda = gpu.vendor == "NVIDIA"
    return (not has_cuda, not is_common, not gpu.in_production, gpu.usable_mib, gpu.id)


def proposable(request: SizingRequest, catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return the accelerators that may be proposed: the named ones, else all on sale."""
    named = tuple(chosen_gpu(choice, catalogue) for choice in request.gpus)
    return named or on_sale(catalogue)


def in_production(catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return all that can be bought or rented new, whole computers included."""
    return tuple(gpu for gpu in catalogue.gpus.values() if gpu.in_production)


def on_sale(catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return the cards that can be bought new."""
    return tuple(
        gpu for gpu in catalogue.gpus.values() if gpu.in_production and gpu.segment in BUYABLE
    )


def larger_slices(request: SizingRequest, catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return the slices of the named GPUs that are larger than the named ones."""
    named = [chosen_gpu(choice, catalogue) for choice in request.gpus if choice.mig_profile]
    return tuple(
        part
        for gpu in named
        for part in slices_of(catalogue.gpus[gpu.id])
        if part.usable_mib > gpu.usable_mib
    )


SPLIT = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel")
"""Fields of a request that name a split."""


def names_split(request: SizingRequest) -> bool:
    """Return whether the question names how to split the model."""
    return any(getattr(request, field) for field in SPLIT)


def without_split(request: SizingRequest) -> SizingRequest:
    """Return the request with its split left open."""
    return request.model_copy(update=dict.fromkeys(SPLIT))


def asked_placements(request: SizingRequest, placer: Placer) -> tuple[Placement, ...]:
    """Return exactly the sets that the question names, in its order."""
    return tuple(
        _asked(choice, request, placer)
        for choice in request.gpus
        if choice.count is not None or request.tensor_parallel or request.expert_parallel
    )


def _asked(choice: GpuChoice, request: SizingRequest, placer: Placer) -> Placement:
    return placement_of(chosen_gpu(choice, placer.catalogue), choice.count, request, placer)


def placement_of(
    gpu: GpuRecord, count: int | None, request: SizingRequest, placer: Placer
) -> Placement:
    """Return how the load stands on `count` devices: in the asked split, else in the usual one."""
    if names_split(request):
        return placer.place(gpu, asked_layout(count, request, placer))
    count = count or 1
    if isinstance(gpu, GpuSlice):
        return placer.place(gpu, Layout(replicas=count))
    whole = placer.place(gpu, placer.spread(count))
    copies = _server_copies(count, gpu, placer)
    if copies and copies.verdict is Verdict.FITS:
        return copies
    return whole if whole.verdict is Verdict.FITS else _with_attention_copied(whole, count, placer)


def _with_attention_copied(whole: Placement, count: int, placer: Placer) -> Placement:
    """Return the split that shares out a latent cache, where the usual one does not hold it.

    Inside one server: between servers its experts would talk over the network at every layer.
    """
    counts = (count,) if count <= GPUS_PER_SERVER else ()
    layouts = copied_attention(placer.load, counts)
    rows = (placer.place(whole.gpu, layout) for layout in layouts)
    return next((row for row in rows if row.verdict is Verdict.FITS), whole)


def asked_layout(count: int | None, request: SizingRequest, placer: Placer) -> Layout:
    """Return the asked split; a degree left open uses the named GPUs, copies use the rest."""
    stages = request.pipeline_parallel or 1
    if placer.load.subject.architecture.moe is None:
        least = request.data_parallel or 1
        others = stages * least
        degree = request.tensor_parallel or _degree_for(count or others, others, placer)
        layout = Layout(degree, stages)
    else:
        layout, least = _expert_layout(count, request, placer), 1
    return replace(layout, replicas=max(least, (count or 0) // layout.gpus_per_replica))


def _expert_layout(count: int | None, request: SizingRequest, placer: Placer) -> Layout:
    """Return the asked split of a mixture of experts.

    Expert parallel without a tensor-parallel degree takes the largest that divides it; what is
    left are copies of the attention (vLLM: expert parallel = tensor x data parallel).
    """
    stages, copies = request.pipeline_parallel or 1, request.data_parallel or 1
    shared = request.expert_parallel or (count or stages * copies) // stages
    degree = request.tensor_parallel or _degree_for(shared, copies, placer)
    if request.expert_parallel and not request.data_parallel:
        copies = max(1, request.expert_parallel // degree)
    base = tensor_layout(placer.load.cut, degree) or Layout(degree)
    automatic = degree * copies if copies > 1 else base.expert_parallel
    return replace(
        base,
        pipeline_parallel=stages,
        expert_parallel=request.expert_parallel or automatic,
        data_parallel=copies,
    )


def _degree_for(count: int, others: int, placer: Placer) -> int:
    degrees = (layout.tensor_parallel for layout in placer.inside_a_server)
    return max((degree for degree in degrees if count % (degree * others) == 0), default=1)


def _server_copies(count: int, gpu: GpuRecord, placer: Placer) -> Placement | None:
    """Return one replica a server, where the GPUs fill several servers."""
    servers, rest = divmod(count, GPUS_PER_SERVER)
    if servers < 2 or rest:
        return None
    layout = placer.spread(GPUS_PER_SERVER)
    return placer.place(gpu, replace(layout, replicas=servers))
