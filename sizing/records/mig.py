"""Records of MIG profiles: the slices a GPU can be cut into."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from sizing.records.base import PositiveCount, Record
from sizing.units import MIB

ProfileName = Annotated[str, StringConstraints(pattern=r"^[1-7]g\.\d{1,3}gb$")]
Share = Annotated[float, Field(gt=0, le=1)]


class MigProfile(Record):
    """One size of slice; media and graphics variants of it have the same memory."""

    name: ProfileName
    """Name such as 3g.40gb: compute slices, and memory as marketed."""

    memory_share: Share
    """Share of the GPU's memory and of its bandwidth."""

    sm_share: Share
    """Share of the GPU's multiprocessors."""

    most_instances: PositiveCount
    """Slices of this size that one GPU gives."""

    usable_mib: PositiveCount
    """Memory the driver shows of one slice, MiB."""

    usable_is_measured: bool
    """Whether `usable_mib` was read from a machine; else it is a share of the whole GPU's."""

    @property
    def usable_bytes(self) -> int:
        """Return the memory the driver shows of one slice, bytes."""
        return self.usable_mib * MIB

    @property
    def marketed_gb(self) -> int:
        """Return the memory in the name, GB."""
        return int(self.name.partition(".")[2].removesuffix("gb"))
