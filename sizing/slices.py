"""MIG slices as devices: each is a GPU of its own that shares nothing but the card."""

from __future__ import annotations

from sizing.notes import Note, note
from sizing.parallelism import Layout
from sizing.records import GpuRecord, MigProfile
from sizing.units import ceil_div


class GpuSlice(GpuRecord):
    """A slice of a GPU; its rates and bandwidth are its share of the whole GPU's."""

    profile: MigProfile
    """Which slice."""

    def cards(self, slices: int) -> int:
        """Return the GPUs that give so many slices of this size."""
        return ceil_div(slices, self.profile.most_instances)


def slice_of(gpu: GpuRecord, profile: MigProfile) -> GpuSlice:
    """Return one slice of `gpu` as a device."""
    facts = gpu.model_dump()
    rates = [name for name in facts if name.endswith(("_tflops", "_tops"))]
    facts |= {name: facts[name] and facts[name] * profile.sm_share for name in rates}
    facts |= {
        "memory_gb": float(profile.marketed_gb),
        "usable_mib": profile.usable_mib,
        "usable_is_measured": profile.usable_is_measured,
        "bandwidth_gb_per_s": gpu.bandwidth_gb_per_s * profile.memory_share,
        "link_gb_per_s": None,
        "link_max_gpus": None,
        "sold_in_gpus": (),
        "profile": profile,
    }
    return GpuSlice(**facts)


def slices_of(gpu: GpuRecord) -> tuple[GpuSlice, ...]:
    """Return the slices smaller than the whole GPU, smallest first."""
    parts = [profile for profile in gpu.mig_profiles if profile.memory_share < 1]
    return tuple(slice_of(gpu, profile) for profile in parts)


def split_over_slices(gpu: GpuRecord, layout: Layout) -> tuple[Note, ...]:
    """Return why one model does not spread over slices; empty where it is not asked to.

    Source: MIG user guide, "Deployment considerations": no peer-to-peer between instances; a CUDA
    process sees one instance only.
    """
    if not isinstance(gpu, GpuSlice) or layout.gpus_per_replica == 1:
        return ()
    return (note("slices_not_pooled", slices=layout.gpus_per_replica),)


def slice_notes(gpu: GpuRecord, slices: int) -> tuple[Note, ...]:
    """Return what there is to know about slices as devices; empty for whole GPUs."""
    if not isinstance(gpu, GpuSlice):
        return ()
    alone = note(
        "slice",
        gpu=gpu.id,
        mig_profile=gpu.profile.name,
        usable_bytes=gpu.usable_bytes,
        sm_percent=round(gpu.profile.sm_share * 100),
        most_instances=gpu.profile.most_instances,
    )
    if slices == 1:
        return (alone,)
    return (alone, note("slices_hold_copies", slices=slices, cards=gpu.cards(slices)))


def slice_would_do(gpu: GpuRecord, need_bytes: int, memory_fraction: float) -> tuple[Note, ...]:
    """Name the smallest slice that holds what fills less than half of one whole GPU."""
    if isinstance(gpu, GpuSlice) or 2 * need_bytes >= int(gpu.usable_bytes * memory_fraction):
        return ()
    holding = (
        profile
        for profile in gpu.mig_profiles
        if profile.memory_share < 1 and need_bytes <= int(profile.usable_bytes * memory_fraction)
    )
    part = min(holding, key=lambda each: (each.usable_mib, each.sm_share), default=None)
    if part is None:
        return ()
    return (
        note(
            "slice_would_do",
            gpu=gpu.id,
            mig_profile=part.name,
            usable_bytes=part.usable_bytes,
            most_instances=part.most_instances,
        ),
    )
