"""What there is to know about an accelerator itself: its market, and memory shared with a host."""

from __future__ import annotations

from sizing.notes import Note, note
from sizing.records import GpuRecord, Segment
from sizing.units import MIB


def budget_bytes(gpu: GpuRecord, memory_fraction: float) -> int:
    """Return what an engine may take: its share of usable memory, or what the host leaves."""
    left_bytes = gpu.usable_bytes - gpu.host_share_mib * MIB
    return min(int(gpu.usable_bytes * memory_fraction), left_bytes)


def limit_notes(
    gpu: GpuRecord, need_bytes: int, budget: int, memory_fraction: float
) -> tuple[Note, ...]:
    """Return how the system's own limit stands in the way, and what raises it."""
    return (*_raised(gpu, need_bytes, budget, memory_fraction), *_host_share(gpu, memory_fraction))


def _raised(
    gpu: GpuRecord, need_bytes: int, budget: int, memory_fraction: float
) -> tuple[Note, ...]:
    if gpu.raised_usable_mib is None:
        return ()
    raised_bytes = gpu.raised_usable_bytes
    would_fit = budget < need_bytes <= int(raised_bytes * memory_fraction)
    return (
        note(
            "fits_when_raised" if would_fit else "limit_can_be_raised",
            usable_bytes=gpu.usable_bytes,
            raised_bytes=raised_bytes,
            command=gpu.raised_by,
        ),
    )


def _host_share(gpu: GpuRecord, memory_fraction: float) -> tuple[Note, ...]:
    """Say which fraction starts where the asked one is more than the host leaves free."""
    left_bytes = gpu.usable_bytes - gpu.host_share_mib * MIB
    if int(gpu.usable_bytes * memory_fraction) <= left_bytes:
        return ()
    return (
        note(
            "host_share",
            gpu=gpu.id,
            host_bytes=gpu.host_share_mib * MIB,
            memory_fraction=int(left_bytes / gpu.usable_bytes * 100) / 100,
        ),
    )


def gpu_notes(gpu: GpuRecord, gpus: int) -> tuple[Note, ...]:
    """Return how `gpus` of an accelerator are sold, and what its memory figure leaves out."""
    notes = []
    if not gpu.is_sold_as(gpus):
        boards = tuple(str(count) for count in gpu.sold_in_gpus)
        notes.append(note("sold_on_boards", gpu=gpu.id, boards=boards))
    if not gpu.in_production:
        is_rented = gpu.segment is Segment.CLOUD_ONLY
        notes.append(note("rented_only" if is_rented else "out_of_production", gpu=gpu.id))
    if gpu.unified_memory:
        notes.append(note("unified_memory", gpu=gpu.id))
    if gpu.coherent_host_gb:
        notes.append(note("host_memory_not_counted", host_gb=gpu.coherent_host_gb))
    if not gpu.usable_is_measured:
        notes.append(note("usable_memory_estimated", gpu=gpu.id))
    return tuple(notes)
