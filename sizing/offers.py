"""The full record of one candidate, for the few that an answer shows."""

from __future__ import annotations

from sizing.answer import CardShare, Note, Option, PerGpu
from sizing.gpu_notes import gpu_notes, limit_notes
from sizing.host_cache import host_cache_of
from sizing.link_notes import link_notes
from sizing.memory import Load, least_fraction
from sizing.performance import Performance
from sizing.placement import Placement, Share, longest_context, max_requests
from sizing.records import EngineRecord
from sizing.reservation import bytes_of_share
from sizing.slices import slice_notes, slice_would_do
from sizing.split_notes import GPUS_PER_SERVER
from sizing.units import ceil_div


def option_of(
    placement: Placement,
    load: Load,
    reasons: tuple[Note, ...],
    performance: Performance | None = None,
) -> Option:
    """Return the full record of one candidate, `reasons` before its own notes."""
    layout = placement.layout
    tokens = placement.pool_tokens(load.request_tokens, load.engine.kv_block_tokens)
    runs = not placement.unsupported and load.subject.cache is not None
    is_alone = placement.unsupported or bool(placement.shares)
    return Option(
        gpu=placement.gpu.id,
        gpus=layout.gpus,
        cards=tuple(
            CardShare(gpu=share.gpu.id, gpus=share.gpus, layers=share.layers)
            for share in placement.shares
        ),
        nodes=ceil_div(placement.cards, placement.gpu.most_per_server_gpus or GPUS_PER_SERVER),
        replicas=layout.replicas,
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        expert_parallel=layout.expert_parallel,
        data_parallel=layout.data_parallel,
        verdict=placement.verdict,
        per_gpu=_per_gpu(placement, load.engine) if runs else None,
        kv_pool_tokens=tokens if runs else None,
        max_context_tokens=longest_context(placement, load) if runs else None,
        max_concurrent_requests=max_requests(placement, load) if runs else None,
        safe_max_context_tokens=longest_context(placement, load, safe=True) if runs else None,
        safe_max_concurrent_requests=max_requests(placement, load, safe=True) if runs else None,
        host_cache=host_cache_of(placement, load),
        minimum_memory_fraction=least_fraction(load, placement.need, placement.gpu)
        if runs
        else None,
        mig_profile=placement.mig_profile,
        performance=performance,
        power_w=_power_w(placement),
        price=None,
        reasons=(
            *reasons,
            *placement.notes,
            *(() if is_alone else link_notes(placement.gpu, layout)),
            *slice_notes(placement.gpu, layout.gpus),
            *_slice_would_do(placement, load),
            *limit_notes(
                placement.gpu,
                placement.need.total.high_bytes,
                placement.budget_bytes,
                load.memory_fraction,
            ),
            *gpu_notes(placement.gpu, layout.gpus),
        ),
    )


def _per_gpu(placement: Placement, engine: EngineRecord) -> PerGpu:
    need, total = placement.need, placement.need.total
    inside = bytes_of_share(engine, placement.budget_bytes, total.typical_bytes)
    return PerGpu(
        usable_bytes=placement.gpu.usable_bytes,
        budget_bytes=placement.budget_bytes,
        weights_bytes=need.weights_bytes,
        kv_cache_bytes=need.kv_cache_bytes,
        adapter_bytes=need.adapter_bytes,
        activation_bytes=need.activation.typical_bytes,
        runtime_bytes=need.runtime.typical_bytes,
        outside_bytes=need.outside.typical_bytes,
        need_bytes=total.typical_bytes,
        need_low_bytes=total.low_bytes,
        need_high_bytes=total.high_bytes,
        kv_pool_bytes=placement.kv_pool_bytes,
        reserved_bytes=min(placement.gpu.usable_bytes, inside + need.outside.typical_bytes),
        free_bytes=placement.budget_bytes - total.typical_bytes,
    )


def _power_w(placement: Placement) -> float | None:
    named = placement.shares or (Share(placement.gpu, placement.cards, None),)
    powers = [share.gpu.board_power_w for share in named]
    if None in powers:
        return None
    return sum((share.gpu.board_power_w or 0) * share.gpus for share in named)


def _slice_would_do(placement: Placement, load: Load) -> tuple[Note, ...]:
    """Name a MIG slice in place of a GPU that holds a whole copy and is mostly empty."""
    if placement.unsupported or placement.layout.gpus_per_replica > 1:
        return ()
    high_bytes = placement.need.total.high_bytes
    return slice_would_do(placement.gpu, high_bytes, load.memory_fraction)
