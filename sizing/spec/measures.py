"""How far plans are from limits, and whether one keeps all that were told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.running import MONTHS_PER_YEAR, all_times
from sizing.spec.laid_out import LaidOut
from sizing.spec.money_plan import BudgetVerdict
from sizing.spec.passed import HOST, limits_passed, passed_notes
from sizing.spec.request import SpecRequest
from sizing.spending import Means

ELECTRIC: Final = ("limit_kw", "rack_kw", "circuits")
"""Wishes about the room that a card of unknown power cannot be held against."""

HIGH: Final = ("rack_units", "rack_height")
"""Wishes that a machine of unknown height cannot be held against."""

INSIDE: Final = frozenset({BudgetVerdict.KEPT, BudgetVerdict.NEAR})
"""Verdicts of plans whose price is known and usually inside."""

WANTED: Final[Mapping[str, tuple[str, str]]] = {
    "host_ram_given_short": ("ram_gb", "needed_gb"),
    "host_cores_given_short": ("cores", "needed"),
}
"""Values of sentences that call limit and need by names of their own."""


NEVER: Final[Mapping[str, Note]] = {
    "liquid": note("least_liquid"),
    "inlet": note("least_inlet"),
    "platform": note("least_platform"),
}
"""Sentences about limits that are kept or not, without a number."""


def keeps_all(plan: LaidOut, request: SpecRequest) -> bool:
    """Return whether a plan runs inside every limit; what is not known never counts as inside."""
    if limits_passed(plan.around, plan.cost) or not plan.cards.runs:
        return False
    site, options = request.site, plan.around.platform.options
    if _told(site, ELECTRIC) and not plan.cards.gpu.board_power_w:
        return False
    if _told(site, HIGH) and not (options and options[0].rack_units):
        return False
    if request.host.platform and not options:
        return False
    budget = plan.cost.budget
    return budget is None or budget.verdict in INSIDE


def _told(site: object, names: Iterable[str]) -> bool:
    return any(getattr(site, name) is not None for name in names)


def is_rented(request: SpecRequest) -> bool:
    """Return whether the cards shall be rented: the budget is then a month's."""
    return any(one.request.spending.means is Means.RENT for one in request.workloads)


def paid_usd(plan: LaidOut, request: SpecRequest) -> Estimate | None:
    """Return the purchase, or a month of rent where renting is wanted; None without a price."""
    if is_rented(request):
        year = plan.cost.cloud.usd_per_year if plan.cost.cloud else None
        return year and all_times(year, 1 / MONTHS_PER_YEAR)
    return plan.cost.years[0].total_usd if plan.cost.is_complete else None


def misses(plan: LaidOut) -> dict[str, tuple[float, float]]:
    """Return each limit with a number that a plan passes: the limit, and what it would take."""
    found: dict[str, tuple[float, float]] = {}
    for told in passed_notes(plan.around):
        limit, wanted = WANTED.get(told.code, ("limit", "wanted"))
        if limit in told.values:
            code = HOST.get(told.code, told.code)
            found[code] = _number(told, limit), _number(told, wanted)
    budget = plan.cost.budget
    if "budget" in limits_passed(plan.around, plan.cost) and budget and budget.usd:
        found["budget"] = budget.budget_usd, budget.usd.typical
    return found


def _number(told: Note, name: str) -> float:
    value = told.values[name]
    return float(value) if isinstance(value, int | float) else 0.0


def least_needs(tried: Iterable[LaidOut], passed: Iterable[str]) -> tuple[Note, ...]:
    """Return the least that was found of each limit that no plan keeps, and how far above it is.

    Where each limit alone is kept by some plan, what the nearest of all passes.
    """
    plans = tuple(tried)
    known = [(plan, missed) for plan in filter(_is_known, plans) if (missed := misses(plan))]
    never = [code for code in passed if known and all(code in missed for _, missed in known)]
    told = (*(_least(code, known) for code in never), *_never_kept(plans, passed))
    if told or not known:
        return told
    nearest, missed = min(known, key=lambda one: max(_beyond(*miss) for miss in one[1].values()))
    return (_not_at_once(nearest, missed),)


def least_wanted(tried: Iterable[LaidOut]) -> dict[str, float]:
    """Return the least of each passed limit that some plan takes, where all of it is known."""
    found: dict[str, float] = {}
    for plan in filter(_is_known, tried):
        for code, (_, wanted) in misses(plan).items():
            found[code] = min(wanted, found.get(code, wanted))
    return found


def _is_known(plan: LaidOut) -> bool:
    """Return whether all that is limited is known of a plan."""
    budget = plan.cost.budget
    return bool(plan.cards.gpu.board_power_w) and (budget is None or plan.cost.is_complete)


Missed = tuple[LaidOut, dict[str, tuple[float, float]]]


def _least(code: str, plans: Iterable[Missed]) -> Note:
    plan, missed = min(plans, key=lambda one: one[1][code][1])
    return _told_least(code, plan, missed[code])


def _told_least(code: str, plan: LaidOut, miss: tuple[float, float]) -> Note:
    limit, need = miss
    gpu, over = plan.cards.gpu.id, 100 * _beyond(limit, need)
    gpus = plan.load.gpus * (plan.load.servers + plan.load.spare_servers)
    told = (
        note("least_limit_kw", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
        note("least_rack_kw", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
        note("least_rack_units", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
        note(
            "least_rack_height", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over
        ),
        note("least_circuits", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
        note("least_ram_gb", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
        note("least_cpu_cores", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
        note("least_budget", limit=limit, wanted=need, gpu=gpu, gpus=gpus, beyond_percent=over),
    )
    return next(one for one in told if one.code == f"least_{code}")


def _not_at_once(plan: LaidOut, missed: dict[str, tuple[float, float]]) -> Note:
    """Return which limits the plan passes that is nearest to keeping all of them."""
    return note(
        "least_not_at_once",
        gpu=plan.cards.gpu.id,
        gpus=plan.load.gpus * (plan.load.servers + plan.load.spare_servers),
        limits=tuple(missed),
        beyond_percent=100 * max(_beyond(*miss) for miss in missed.values()),
    )


def _beyond(limit: float, wanted: float) -> float:
    """Return by what share of it a limit is passed."""
    return wanted / limit - 1


def _never_kept(plans: Iterable[LaidOut], passed: Iterable[str]) -> Iterator[Note]:
    """Yield the sentence of each limit without a number that every plan passes."""
    found = [limits_passed(plan.around, plan.cost) for plan in plans]
    for code in passed:
        if found and code in NEVER and all(code in one for one in found):
            yield NEVER[code]
