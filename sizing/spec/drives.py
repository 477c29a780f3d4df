"""Drives as they are sold: how many of which size hold so much, and what a failed one costs."""

from __future__ import annotations

from math import ceil

from sizing.records import Positive, PositiveCount, Record
from sizing.units import ceil_div

SIZES_GB = (960, 1_920, 3_840, 7_680, 15_360)
"""Data-centre NVMe drives as they are sold, GB."""

COMMON_GB = 7_680
"""Largest size to be had from every maker; larger ones only where bays run out, GB."""

MOST_COMMON_DRIVES = 8
"""Drives that front bays of most servers take."""

FILL_SHARE = 0.8
"""Share of a drive to fill at most (stas00/ml-engineering, storage: buy 125 %)."""


class DriveSet(Record):
    """Drives of one purpose."""

    code: str
    """What they hold."""

    raid: str
    """How they work together: `single`, `raid0`, `raid1` or `raid10`."""

    drives: PositiveCount
    """How many."""

    drive_gb: PositiveCount
    """Size of each, GB."""

    usable_gb: PositiveCount
    """What they hold together, GB."""

    needed_gb: Positive
    """What has to fit, with room left, GB."""

    bound_by: str
    """Rule that decided: the contents, or a least size."""

    lost_with_drives: PositiveCount
    """Failed drives, in the worst case, with which the contents are lost."""


def striped(code: str, needed_gb: float, *, bound_by: str) -> DriveSet:
    """Return the fewest drives for what can be downloaded again: one fails, all is lost."""
    size, count = _fewest(needed_gb)
    raid = "raid0" if count > 1 else "single"
    return DriveSet(
        code=code,
        raid=raid,
        drives=count,
        drive_gb=size,
        usable_gb=count * size,
        needed_gb=needed_gb,
        bound_by=bound_by,
        lost_with_drives=1,
    )


def mirrored(code: str, needed_gb: float, *, bound_by: str) -> DriveSet:
    """Return the fewest pairs for what cannot: it survives any one failed drive."""
    size, pairs = _fewest(needed_gb)
    return DriveSet(
        code=code,
        raid="raid10" if pairs > 1 else "raid1",
        drives=2 * pairs,
        drive_gb=size,
        usable_gb=pairs * size,
        needed_gb=needed_gb,
        bound_by=bound_by,
        lost_with_drives=2,
    )


def _fewest(needed_gb: float) -> tuple[int, int]:
    """Return the size and count of the fewest drives, and of these the smallest."""
    whole_gb = max(1, ceil(needed_gb))
    count = ceil_div(whole_gb, COMMON_GB)
    if count > MOST_COMMON_DRIVES:
        count = ceil_div(whole_gb, SIZES_GB[-1])
    return next(size for size in SIZES_GB if size * count >= whole_gb), count
