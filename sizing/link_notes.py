"""What the links between devices mean for a split: NVLink domains, PCI Express, whole computers."""

from __future__ import annotations

from sizing.notes import Note, note
from sizing.parallelism import Layout
from sizing.records import GpuRecord, Segment
from sizing.slices import GpuSlice
from sizing.split_notes import GPUS_PER_SERVER


def link_notes(gpu: GpuRecord, layout: Layout) -> tuple[Note, ...]:
    """Return what a tensor-parallel group or a copy of the model crosses; empty inside a link.

    Tensor parallel talks twice a layer, for each token of a step; stages of a pipeline pass one
    activation on, so they are mentioned only where a copy spreads over computers.
    """
    if isinstance(gpu, GpuSlice) or layout.gpus_per_replica == 1:
        return ()
    if gpu.most_per_server_gpus == 1:
        return (_over_computers(gpu, layout.gpus_per_replica),)
    degree, reach = layout.tensor_parallel, gpu.link_max_gpus or 1
    if degree <= reach:
        return ()
    if degree > (gpu.most_per_server_gpus or GPUS_PER_SERVER):
        return (note("tensor_parallel_across_servers", tensor_parallel=degree),)
    if reach > 1:
        return (
            note(
                "tensor_parallel_beyond_link",
                tensor_parallel=degree,
                gpu=gpu.id,
                link_max_gpus=reach,
            ),
        )
    if gpu.segment is Segment.CLOUD_ONLY:
        return ()
    return (note("tensor_parallel_over_pcie", tensor_parallel=degree, gpu=gpu.id),)


def _over_computers(gpu: GpuRecord, gpus: int) -> Note:
    """Say that each device is a computer of its own, and whether a fast link joins them."""
    if gpu.link_max_gpus and gpus <= gpu.link_max_gpus:
        return note("computers_linked", gpus=gpus, gpu=gpu.id, link_gb_per_s=gpu.link_gb_per_s)
    return note("computers_not_linked", gpus=gpus, gpu=gpu.id)
