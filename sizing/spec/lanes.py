"""PCI Express lanes of one server, what takes them, and how its GPUs talk to each other."""

from __future__ import annotations

from sizing.records import Count, GpuRecord, PositiveCount, Record
from sizing.spec.load import ServerLoad
from sizing.spec.machine_kinds import SlotForm
from sizing.spec.network import NetworkPort
from sizing.spec.slots import cards, is_on_board, slot_form

GPU_LANES, DRIVE_LANES, ADAPTER_LANES, SMALL_ADAPTER_LANES = 16, 4, 16, 4
"""Lanes of a GPU, an NVMe drive, a fast network adapter, and one of at most 10 Gb/s."""

FAST_GBPS = 25
"""Network ports from which an adapter takes a whole slot, Gb/s."""

SYSTEM_DRIVES = 2
"""Mirrored drives of the operating system."""


LINK_NAMES = {"NVIDIA": "NVLink", "AMD": "Infinity Fabric", "Intel": "RoCE"}
"""What makers call the link between their GPUs."""


class LanePart(Record):
    """Devices of one kind on the PCI Express bus."""

    code: str
    """What they are."""

    devices: PositiveCount
    """How many."""

    lanes: PositiveCount
    """Lanes of all of them."""


class GpuLink(Record):
    """How the GPUs of one server talk to each other."""

    code: str
    """Whether a link of their own is needed and there, and of which kind."""

    name: str | None
    """What its maker calls it."""

    link_gb_per_s: float | None
    """Its speed, both directions together, GB per second."""

    joined_gpus: Count
    """GPUs of one link domain; 0 without such a link."""


def lane_parts(
    load: ServerLoad, ports: tuple[NetworkPort, ...], *, data_drives: int, has_chipset: bool
) -> tuple[LanePart, ...]:
    """Return what hangs on the processors' own lanes; the rest hangs on the chipset."""
    fast = sum(port.adapters for port in ports if port.rate_gbps >= FAST_GBPS)
    small = sum(port.adapters for port in ports if 1 < port.rate_gbps < FAST_GBPS)
    counts = {
        "gpus": (cards(load.gpu, load.gpus), gpu_lanes(load.gpu)),
        "data_drives": (data_drives, DRIVE_LANES),
        "fast_adapters": (fast, ADAPTER_LANES),
        "system_drives": (0 if has_chipset else SYSTEM_DRIVES, DRIVE_LANES),
        "small_adapters": (0 if has_chipset else small, SMALL_ADAPTER_LANES),
    }
    return tuple(
        LanePart(code=code, devices=devices, lanes=devices * each)
        for code, (devices, each) in counts.items()
        if devices and each
    )


def gpu_lanes(gpu: GpuRecord) -> int:
    """Return the lanes of one card; 0 where it is built into its processor or linked otherwise."""
    if gpu.unified_memory or gpu.host_link_gb_per_s or gpu.coherent_host_gb:
        return 0
    return gpu.pcie_lanes or GPU_LANES


def gpu_link(load: ServerLoad) -> GpuLink:
    """Return which link between GPUs the load calls for, and whether the card has it."""
    gpu = load.gpu
    has_link = gpu.link_gb_per_s is not None and slot_form(gpu) is not SlotForm.BUILT_IN
    joined = gpu.link_max_gpus or 0 if has_link else 0
    return GpuLink(
        code=_link_code(load, joined),
        name=_link_name(gpu) if joined else None,
        link_gb_per_s=gpu.link_gb_per_s if joined else None,
        joined_gpus=joined,
    )


def _link_code(load: ServerLoad, joined: int) -> str:
    if load.gpus == 1 and not load.spans_servers:
        return "one_gpu"
    on_board = bool(joined) and is_on_board(load.gpu)
    if not load.splits_models:
        return "comes_with_board" if on_board else "not_needed"
    if on_board:
        return "board"
    if not joined:
        return "pcie_only"
    widest = max(model.gpus_per_copy for model in load.models)
    return "bridge" if widest <= joined else "bridge_too_small"


def _link_name(gpu: GpuRecord) -> str:
    return LINK_NAMES.get(gpu.vendor, gpu.vendor)
