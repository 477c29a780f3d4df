"""What a plan costs: the needs that its parts tell the money."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from sizing.answer import SizingAnswer
from sizing.performance import Estimate, Performance
from sizing.records import PriceBook
from sizing.running import SECONDS_PER_HOUR, all_times
from sizing.spec.around import Around
from sizing.spec.facts_files import SpecFacts
from sizing.spec.load import ServerLoad
from sizing.spec.machine_kinds import MachineKind, SlotForm
from sizing.spec.money import plan_cost
from sizing.spec.money_plan import CostPlan, MoneyNeeds, TokenLoad
from sizing.spec.platform_plan import PlatformChoice
from sizing.spec.pricing import HOURS_PER_YEAR
from sizing.spec.request import SpecRequest
from sizing.spec.software_plan import SoftwarePlan
from sizing.spec.upkeep_facts import HostKind
from sizing.spec.wishes import MoneyWishes
from sizing.spending import Spending

SERVERS: Final = frozenset({MachineKind.RACK_SERVER, MachineKind.TOWER_SERVER, MachineKind.EDGE})
"""Machines that are bought apart from their cards."""

OTHERS: Final[Mapping[MachineKind, HostKind]] = {
    MachineKind.WORKSTATION: HostKind.WORKSTATION,
    MachineKind.DESKTOP: HostKind.DESKTOP,
    MachineKind.INTEGRATED: HostKind.COMPUTER,
}
"""What others count as; a whole rack has a price of its own."""


@dataclass(frozen=True)
class Parts:
    """Parts of a plan that its cost rests on."""

    around: Around
    software: SoftwarePlan
    gpus_today: int
    """Cards that the load of today takes."""


def cost_of(
    load: ServerLoad,
    request: SpecRequest,
    answers: tuple[SizingAnswer, ...],
    parts: Parts,
    *,
    facts: SpecFacts,
    prices: PriceBook,
    today: date,
) -> CostPlan:
    """Return what the servers of `load` cost over their years."""
    site = parts.around.facility.site
    needs = MoneyNeeds(
        host_kind=_host_kind(parts.around.platform),
        site_kwh_per_year=site.energy.site_kwh,
        rack_units=site.rack_units,
        licenses=parts.software.licenses,
        growth_servers=_growth_servers(load, parts.gpus_today),
        tokens=_tokens(answers),
    )
    return plan_cost(
        load,
        needs,
        wishes=_wishes(request),
        spending=spending_of(request),
        prices=prices,
        upkeep=facts.upkeep,
        today=today,
    )


def _host_kind(choice: PlatformChoice) -> HostKind | None:
    """Return what stands around the cards; None where that follows from them."""
    machine = choice.options[0] if choice.options else None
    if machine is None:
        return None
    if choice.ask.form is SlotForm.BUILT_IN and machine.kind is MachineKind.EDGE:
        # A developer kit is sold whole, and so priced.
        return HostKind.COMPUTER
    if machine.kind in SERVERS:
        is_board = choice.ask.form in (SlotForm.SXM, SlotForm.OAM)
        return HostKind.BOARD_SERVER if is_board else HostKind.PCIE_SERVER
    return OTHERS.get(machine.kind)


def spending_of(request: SpecRequest) -> Spending:
    """Return what was told of money with any of the workloads, the first one first."""
    told: dict[str, object] = {}
    for workload in request.workloads:
        for name, value in workload.request.spending:
            if value != Spending.model_fields[name].default:
                told.setdefault(name, value)
    return Spending.model_validate(told)


def _wishes(request: SpecRequest) -> MoneyWishes:
    """Return the wishes about money, with the years and the budget told elsewhere."""
    told = {
        "horizon_years": request.money.horizon_years or request.growth.horizon_years,
        "budget_usd": budget_usd_of(request),
    }
    return request.money.model_copy(update=told)


def budget_usd_of(request: SpecRequest) -> float | None:
    """Return the budget, told for all or with a model, USD; None where there is none."""
    budgets = [one.request.budget_usd for one in request.workloads if one.request.budget_usd]
    return request.money.budget_usd or next(iter(budgets), None)


def _growth_servers(load: ServerLoad, gpus_today: int) -> int:
    """Return the servers in use that the load of today would leave empty."""
    return max(0, load.servers - max(1, -(-gpus_today // load.gpus)))


def _tokens(answers: Iterable[SizingAnswer]) -> TokenLoad | None:
    """Return the tokens of a year of the one model that is asked for; None of several."""
    asked = tuple(answers)
    speed = asked[0].options[0].performance if len(asked) == 1 else None
    if speed is None or not speed.input_tokens or not speed.output_tokens:
        return None
    rate = asked[0].understood.requests_per_s
    each = speed.input_tokens + speed.output_tokens
    written = speed.output_tokens / each
    return TokenLoad(
        tokens_per_year=rate * each * SECONDS_PER_HOUR * HOURS_PER_YEAR if rate else None,
        full_tokens_per_year=_full(speed, written),
        written_share=written,
    )


def _full(speed: Performance, written: float) -> Estimate | None:
    full = speed.full_output_tokens_per_s
    return full and all_times(full, SECONDS_PER_HOUR * HOURS_PER_YEAR / written)
