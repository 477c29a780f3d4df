"""How fast host memory is read: by its own processor, and by a GPU over its link."""

from __future__ import annotations

from sizing.records import GpuRecord, HostCacheRecord
from sizing.units import GB

PCIE_LANE_GB_PER_S = {3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""One lane, one direction, GB/s: 8, 16 and 32 GT/s x 128/130, 64 GT/s x 242/256 (PCI-SIG)."""

HOST_MEMORY_GB_PER_S = 89.6
"""Two channels of DDR5-5600, GB/s: 2 x 5,600 x 10^6 x 8 bytes (JEDEC); servers have more."""

MOST_HOST_MEMORY_GB_PER_S = 460.8
"""Twelve channels of DDR5-4800, GB/s: 12 x 4,800 x 10^6 x 8 bytes (JEDEC)."""

LINK_SHARES = (0.66, 0.79)
"""Parts of a link that copies of a KV cache reach: both ways at once, one way.

41.7 and 50 of 63.0 GB/s (vLLM blog, 29 December 2025, KV offloading connector, H100).
"""


def link_gb_per_s(gpu: GpuRecord) -> float | None:
    """Return what the GPU reads from host memory at most, GB/s; None where its link is unknown."""
    if gpu.host_link_gb_per_s:
        return gpu.host_link_gb_per_s
    if not gpu.pcie_generation or not gpu.pcie_lanes:
        return None
    lane = PCIE_LANE_GB_PER_S.get(gpu.pcie_generation)
    return None if lane is None else lane * gpu.pcie_lanes


def copies_gb_per_s(gpu: GpuRecord) -> tuple[float, float] | None:
    """Return what copies over the link of the GPU reach, least and most, GB/s."""
    link = link_gb_per_s(gpu)
    if link is None:
        return None
    low, high = LINK_SHARES
    return (link * low, link * high)


def cache_gb_per_s(gpu: GpuRecord, record: HostCacheRecord) -> tuple[float, float] | None:
    """Return how fast a cache in host memory is read, least and most, GB/s; None where unknown."""
    if record.computed_by_host:
        return (HOST_MEMORY_GB_PER_S, MOST_HOST_MEMORY_GB_PER_S)
    return copies_gb_per_s(gpu)


def reads_per_s(gb_per_s: float, read_bytes: float) -> float:
    """Return how often `read_bytes` are read in a second at most, to two digits."""
    return float(f"{gb_per_s * GB / read_bytes:.2g}")
