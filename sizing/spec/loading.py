"""How long the largest model takes from drive to GPU."""

from __future__ import annotations

from sizing.performance import Estimate
from sizing.records import Positive, PositiveCount, Record
from sizing.units import GB

DRIVES_GB_PER_S = {"hdd": 0.2, "sata": 0.55, "nvme3": 3.5, "nvme4": 7.0, "nvme5": 14.5}
"""Sequential reads of one drive, GB per second: HDD recalled, the others as makers state them."""

UNCONFIRMED = frozenset({"hdd"})
"""Kinds of drives whose speed no source at hand confirms."""

SOFTWARE_GB_PER_S = 3.8
"""What one process turns into tensors each second beside reading, GB.

From 40.5 GB in 24.1, 15.2 and 13.8 s on NVMe of generations 3, 4 and 5 (craftrigs.com, March 2026):
size / drive + size / 3.8, the least squares of relative errors, gives 22.2, 16.4 and 13.5 s.
"""

SLOW_FACTOR = 1.25
"""High bound over the estimate: measured loads lay up to a tenth above it."""


class LoadTime(Record):
    """Time to load a model from drives of one kind."""

    drive: str
    """Kind of drive."""

    drives: PositiveCount
    """Drives that are read at once."""

    read_gb_per_s: Positive
    """What they read together, GB per second."""

    load_seconds: Estimate
    """Time until the model is on its GPUs, s."""

    software_share: Positive
    """Part of the estimate that a faster drive does not shorten."""

    is_confirmed: bool
    """Whether a source confirms the speed of the drive."""


def load_times(size_bytes: int, processes: int, drives: int) -> tuple[LoadTime, ...]:
    """Return the time for `size_bytes` from each kind of drive, slowest first.

    Reading and unpacking follow each other in one process; at best they overlap, and the processes
    of the GPUs share the work. Only NVMe drives are read at once.
    """
    return tuple(
        _load_time(size_bytes / GB, processes, kind, drives if kind.startswith("nvme") else 1)
        for kind in DRIVES_GB_PER_S
    )


def _load_time(size_gb: float, processes: int, kind: str, drives: int) -> LoadTime:
    rate = DRIVES_GB_PER_S[kind] * drives
    read, unpack = size_gb / rate, size_gb / SOFTWARE_GB_PER_S
    low, typical = max(read, unpack / processes), read + unpack
    return LoadTime(
        drive=kind,
        drives=drives,
        read_gb_per_s=round(rate, 2),
        load_seconds=Estimate(low=low, typical=typical, high=typical * SLOW_FACTOR),
        software_share=unpack / typical,
        is_confirmed=kind not in UNCONFIRMED,
    )
