"""What stands behind the figures of a server: each rule with the numbers that went into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import TYPE_CHECKING

from bot.spec_view import SpecView
from sizing.spec.cores import LOADER_WORKERS, SYSTEM_CORES, TRAINING_WORKERS
from sizing.spec.drives import FILL_SHARE
from sizing.spec.loading import SOFTWARE_GB_PER_S
from sizing.spec.site import HOURS_PER_YEAR
from sizing.units import ceil_div

if TYPE_CHECKING:
    from sizing.performance import Estimate
    from sizing.spec.answer import Spec
    from sizing.spec.contents import StoredPart
    from sizing.spec.cores import CoreRule
    from sizing.spec.drives import DriveSet
    from sizing.spec.money_plan import CostLine, YearCost

FAHRENHEIT_PER_KELVIN = 9 / 5

WORKERS = {"loaders": LOADER_WORKERS, "training_loaders": TRAINING_WORKERS}
"""Processes that prepare the input of one GPU, by rule."""


@dataclass(frozen=True)
class CoreStep:
    """One rule for cores."""

    rule: CoreRule
    """What it asks for."""
    gpus: int | None
    """GPUs of one server, where it counts them."""
    cores_per_gpu: int | None
    """Cores for each of them."""
    system_cores: int
    """Cores for the system, of those that count processes."""
    process_cores: int | None
    """Cores for the engines' processes, where it counts these."""


@dataclass(frozen=True)
class DriveStep:
    """One set of drives."""

    drives: DriveSet
    """What is planned."""
    parts: tuple[StoredPart, ...]
    """What stands on it."""
    sum_gb: float
    """All parts, GB."""


@dataclass(frozen=True)
class SpecExplained:
    """A server, and the numbers between what was told and what is planned."""

    spec: Spec

    fill_share = FILL_SHARE
    software_gb_per_s = SOFTWARE_GB_PER_S

    @property
    def view(self) -> SpecView:
        """Return what the first page shows."""
        return SpecView(self.spec)

    @property
    def ram_was_told(self) -> bool:
        """Return whether none of the rules decided on the memory: it is given or built in."""
        host = self.spec.around.host
        return host.ram_bound_by not in {rule.code for rule in host.ram_rules}

    @property
    def cores_were_told(self) -> bool:
        """Return whether none of the rules decided on the cores."""
        host = self.spec.around.host
        return host.cores_bound_by not in {rule.code for rule in host.core_rules}

    @property
    def cores(self) -> tuple[CoreStep, ...]:
        """Return the rules for cores with their numbers."""
        return tuple(map(self._core_step, self.spec.around.host.core_rules))

    def _core_step(self, rule: CoreRule) -> CoreStep:
        workers = WORKERS.get(rule.code)
        counts_processes = rule.code == "engine_processes"
        return CoreStep(
            rule=rule,
            gpus=self.spec.servers.gpus_per_server if workers else None,
            cores_per_gpu=workers + 1 if workers else None,
            system_cores=SYSTEM_CORES if workers or counts_processes else 0,
            process_cores=rule.cores - SYSTEM_CORES if counts_processes else None,
        )

    @property
    def drives(self) -> Iterator[DriveStep]:
        """Yield the sets of drives with their contents."""
        storage = self.spec.around.storage
        parts = {
            "system": storage.system_parts,
            "cache": storage.cache_parts,
            "kept": storage.kept_parts,
        }
        for one in storage.sets:
            held = parts[one.code]
            yield DriveStep(one, held, sum(part.size_gb for part in held))

    @property
    def is_printed(self) -> bool:
        """Return whether the draw is what a maker prints, not the sum of the parts."""
        power = self.spec.around.facility.power
        summed_w = power.dc_w.typical * 100 / power.supply.efficiency_percent
        return not isclose(summed_w, power.wall_w.typical, rel_tol=1e-6)

    @property
    def in_use_percent(self) -> float:
        """Return the draw in use, per cent of the maximum."""
        power = self.spec.around.facility.power
        return 100 * power.in_use_w.typical / power.wall_w.typical

    @property
    def circuits_each_feed(self) -> int:
        """Return the circuits of one feed."""
        use = self.spec.around.facility.needed
        return ceil_div(use.circuits, use.feeds)

    @property
    def btu_per_kwh(self) -> float:
        """Return BTU/h of one kilowatt."""
        cooling = self.spec.around.facility.cooling
        return 1000 * cooling.heat_btu_per_h / cooling.heat_w

    @property
    def btu_per_h_per_ton(self) -> float:
        """Return BTU/h of one ton of refrigeration."""
        cooling = self.spec.around.facility.cooling
        return cooling.heat_btu_per_h / cooling.cooling_tons

    @property
    def rise_f(self) -> float:
        """Return the usual rise of the air, degrees Fahrenheit."""
        return self.spec.around.facility.cooling.rise_k.typical * FAHRENHEIT_PER_KELVIN

    @property
    def btu_per_h_of_a_cfm(self) -> float:
        """Return the heat that one CFM carries off at that rise and this altitude, BTU/h."""
        cooling = self.spec.around.facility.cooling
        return cooling.heat_btu_per_h / cooling.airflow_cfm.typical

    @property
    def hours_per_year(self) -> float:
        """Return the hours of a year in use."""
        return HOURS_PER_YEAR * self.spec.around.facility.site.energy.hours_per_day / 24

    @property
    def purchase(self) -> tuple[CostLine, ...]:
        """Return the parts of the purchase."""
        return self._year(0).lines

    @property
    def yearly(self) -> tuple[CostLine, ...]:
        """Return the parts of a year."""
        return self._year(1).lines

    @property
    def purchase_usd(self) -> Estimate | None:
        """Return their sum, USD."""
        return self._year(0).total_usd

    @property
    def year_usd(self) -> Estimate | None:
        """Return the sum of a year, USD."""
        return self._year(1).total_usd

    def _year(self, number: int) -> YearCost:
        return next(year for year in self.spec.cost.years if year.year == number)
