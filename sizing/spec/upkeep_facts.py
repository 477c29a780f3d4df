"""Facts about what a server costs beside its accelerators: what `data/upkeep.toml` holds."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sizing.catalogue import data_dir
from sizing.catalogue_reading import validated
from sizing.catalogue_rules import check_sorted
from sizing.errors import CatalogueError
from sizing.performance import Estimate
from sizing.records import Identifier, Positive, PositiveCount, Record, SourcedRecord

UPKEEP = "upkeep.toml"

Share = Annotated[float, Field(gt=0, lt=100)]


class HostKind(StrEnum):
    """What stands around the accelerators."""

    COMPUTER = "computer"
    DESKTOP = "desktop"
    WORKSTATION = "workstation"
    PCIE_SERVER = "pcie_server"
    BOARD_SERVER = "board_server"


class DatedRecord(SourcedRecord):
    """Figure with the day it is of."""

    dated: date | None = None
    """Day of the figure; None where its source tells none."""

    is_weak: bool = False
    """Whether little stands behind it."""


class SupportRecord(DatedRecord):
    """Support and spare parts, per cent of the purchase a year."""

    low_percent: Share
    """Low bound, per cent."""

    typical_percent: Share
    """Usual, per cent."""

    high_percent: Share
    """High bound, per cent."""


class StaffRecord(DatedRecord):
    """People who run it."""

    low_usd_per_person_year: Positive
    """One person, all costs, low bound, USD a year."""

    typical_usd_per_person_year: Positive
    """The same, usual, USD a year."""

    high_usd_per_person_year: Positive
    """The same, high bound, USD a year."""

    low_persons_per_server: Positive
    """Part of a person for one server, low bound."""

    typical_persons_per_server: Positive
    """The same, usual."""

    high_persons_per_server: Positive
    """The same, high bound."""

    least_persons: Positive
    """Part of a person that even the smallest installation takes."""


class RackUnitRecord(DatedRecord):
    """Rent of rack space."""

    low_usd_per_month: Positive
    """One unit, low bound, USD a month."""

    typical_usd_per_month: Positive
    """One unit, usual, USD a month."""

    high_usd_per_month: Positive
    """One unit, high bound, USD a month."""


class HostPriceRecord(DatedRecord):
    """What stands around the accelerators of one server: at least so much, or a share of it."""

    id: HostKind
    """Kind of host."""

    low_usd: Positive | None = None
    """Least price, low bound, USD; None where there is only a share."""

    typical_usd: Positive | None = None
    """The same, usual, USD."""

    high_usd: Positive | None = None
    """The same, high bound, USD."""

    low_share_percent: Share | None = None
    """Part of the whole server's price, low bound, per cent; None where there is none."""

    typical_share_percent: Share | None = None
    """The same, usual, per cent."""

    high_share_percent: Share | None = None
    """The same, high bound, per cent."""

    is_included: bool = False
    """Whether the price of the accelerator is that of the whole computer."""

    @property
    def least_usd(self) -> Estimate | None:
        """Return the least price, USD."""
        if self.low_usd is None or self.typical_usd is None or self.high_usd is None:
            return None
        return Estimate(low=self.low_usd, typical=self.typical_usd, high=self.high_usd)

    @property
    def share_percent(self) -> Estimate | None:
        """Return its part of the whole server's price, per cent."""
        low, typical, high = (
            self.low_share_percent, self.typical_share_percent, self.high_share_percent,
        )  # fmt: skip
        if low is None or typical is None or high is None:
            return None
        return Estimate(low=low, typical=typical, high=high)


class SystemPriceRecord(DatedRecord):
    """A whole system of one accelerator, host and links included."""

    id: Identifier
    """Accelerator."""

    gpus: PositiveCount
    """Accelerators in it."""

    low_usd: Positive
    """Low bound, USD."""

    typical_usd: Positive
    """Usual, USD."""

    high_usd: Positive
    """High bound, USD."""


class UpkeepCatalogue(Record):
    """What `upkeep.toml` holds."""

    support: SupportRecord
    """Support and spare parts."""

    staff: StaffRecord
    """People."""

    rack_unit: RackUnitRecord
    """Rack space."""

    host: tuple[HostPriceRecord, ...]
    """Hosts, sorted by kind."""

    system: tuple[SystemPriceRecord, ...]
    """Whole systems, sorted by accelerator."""


def load_upkeep(path: Path | None = None) -> UpkeepCatalogue:
    """Read and check the facts about upkeep; raise CatalogueError naming the entry."""
    content = ((path or data_dir()) / UPKEEP).read_bytes()
    facts = validated(UPKEEP, content, UpkeepCatalogue)
    check_sorted(UPKEEP, [record.id for record in facts.host])
    check_sorted(UPKEEP, [record.id for record in facts.system])
    for record in facts.host:
        if not (record.is_included or record.least_usd or record.share_percent):
            raise CatalogueError(file=UPKEEP, detail=f"{record.id}: neither a price nor a share")
    return facts
