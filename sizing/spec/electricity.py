"""Read `electricity.toml` with the first question about power."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from sizing.catalogue import data_dir
from sizing.catalogue_reading import validated
from sizing.catalogue_rules import check_sorted
from sizing.errors import CatalogueError, SizingError
from sizing.records import GpuRecord
from sizing.spec.electricity_records import (
    ConnectorsRecord,
    CountryRecord,
    ElectricityFile,
    FallbackRecord,
    GridRecord,
    SuppliesRecord,
    SupplyClassRecord,
)
from sizing.spec.machine_records import (
    CoolingRecord,
    InletClassRecord,
    PartsRecord,
    SystemRecord,
    ThermalRecord,
)

FILE = "electricity.toml"


class UnknownCountryError(SizingError):
    """No country of that name is known; `word`, `suggestions`."""

    code = "unknown_country"


@dataclass(frozen=True)
class Electricity:
    """Everything known about circuits, supplies, parts and air."""

    grids: tuple[GridRecord, ...]
    countries: tuple[CountryRecord, ...]
    fallback: FallbackRecord
    supply_classes: tuple[SupplyClassRecord, ...]
    supplies: SuppliesRecord
    connectors: ConnectorsRecord
    parts: PartsRecord
    cooling: CoolingRecord
    inlet_classes: tuple[InletClassRecord, ...]
    thermal_limits: tuple[ThermalRecord, ...]

    def with_power_factor(self, power_factor: float | None) -> Electricity:
        """Return the same with the power factor that was told; None leaves it."""
        if power_factor is None:
            return self
        fallback = self.fallback.model_copy(update={"power_factor": power_factor})
        return replace(self, fallback=fallback)

    systems: tuple[SystemRecord, ...]

    def country(self, name: str) -> CountryRecord:
        """Return the country of that code or name; raise UnknownCountryError."""
        wanted = name.lower().replace(" ", "-")
        for country in self.countries:
            if wanted in (country.id, *country.aliases):
                return country
        codes = tuple(country.id for country in self.countries)
        raise UnknownCountryError(word=name, suggestions=codes)

    def grid(self, country: CountryRecord | None) -> GridRecord:
        """Return the circuits of a country; those of IEC countries where none is told."""
        wanted = country.grid if country else self.fallback.grid
        return next(grid for grid in self.grids if grid.id == wanted)

    def supply_class(self, name: str) -> SupplyClassRecord:
        """Return the efficiency class of that id."""
        return next(found for found in self.supply_classes if found.id == name)

    def inlet_class(self, name: str) -> InletClassRecord:
        """Return the class of intake air of that id."""
        return next(found for found in self.inlet_classes if found.id == name)

    def thermal(self, gpu: GpuRecord) -> ThermalRecord | None:
        """Return the temperatures of a GPU, where they are known."""
        fitting = (found for found in self.thermal_limits if gpu.family in found.families)
        return next(fitting, None)

    def system_with(self, gpu: GpuRecord, gpus: int) -> SystemRecord | None:
        """Return the published system of just these GPUs: the maker's own first."""
        fitting = [one for one in self.systems if gpu.id in one.accelerators and one.gpus == gpus]
        return min(fitting, key=lambda one: (not one.id.startswith("dgx"), one.id), default=None)

    def system(self, name: str) -> SystemRecord | None:
        """Return the system of that id or alias, where one is."""
        return next((one for one in self.systems if name in (one.id, *one.aliases)), None)


def load_electricity(path: Path | None = None) -> Electricity:
    """Read and check `electricity.toml` below `path`; raise CatalogueError naming the entry."""
    return _load(path or data_dir())


@lru_cache(maxsize=2)
def _load(path: Path) -> Electricity:
    read = validated(FILE, (path / FILE).read_bytes(), ElectricityFile)
    _check(read)
    return Electricity(
        grids=read.grid,
        countries=read.country,
        fallback=read.fallback,
        supply_classes=read.supply_class,
        supplies=read.supplies,
        connectors=read.connectors,
        parts=read.parts,
        cooling=read.cooling,
        inlet_classes=read.inlet_class,
        thermal_limits=read.thermal_limit,
        systems=read.system,
    )


def _check(read: ElectricityFile) -> None:
    """Refuse ids out of order, names that two records share, and grids that are not there."""
    lists: tuple[Sequence[str], ...] = (
        [one.id for one in read.grid],
        [one.id for one in read.country],
        [one.id for one in read.supply_class],
        [one.id for one in read.inlet_class],
        [one.id for one in read.thermal_limit],
        [one.id for one in read.system],
    )
    for ids in lists:
        check_sorted(FILE, ids)
    _check_names([name for one in read.country for name in (one.id, *one.aliases)])
    _check_names([name for one in read.system for name in (one.id, *one.aliases)])
    for country in read.country:
        _check_grid(country.grid, country.id, {grid.id for grid in read.grid})
    _check_grid(read.fallback.grid, "fallback", {grid.id for grid in read.grid})


def _check_names(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise CatalogueError(file=FILE, detail=f"{twice}: two records have this name")


def _check_grid(grid: str, owner: str, known: Collection[str]) -> None:
    if grid not in known:
        raise CatalogueError(file=FILE, detail=f"{owner}: no grid is called {grid}")
