"""The decided set, sized with the facts of today, and the cheapest one beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.again.checked import Cheaper
from bot.again.figures import set_of
from bot.option_view import DOUBTS, reason_codes, stop_of
from sizing.answer import SizingAnswer
from sizing.option import Verdict
from sizing.request import GpuChoice, SizingRequest

if TYPE_CHECKING:
    from sizing.option import Option
    from sizing.spec.answer import Spec
    from sizing.spec.request import SpecRequest

Size = Callable[[SizingRequest], SizingAnswer]
Plan = Callable[["SpecRequest"], "Spec"]

PRICES: Final[dict[str, Callable[[Option], float | None]]] = {
    "usd_per_month": lambda one: one.price.least_usd_per_month if one.price else None,
    "purchase_usd": lambda one: (
        one.price.purchase.price_usd.typical if one.price and one.price.purchase else None
    ),
}
"""Prices that sets are compared by: the first that the decided one has."""


@dataclass(frozen=True)
class Today:
    """An answer of today whose first set is the decided one, and what is cheaper."""

    answer: SizingAnswer | Spec
    """The answer."""

    cheaper: Cheaper | None
    """The cheapest other set that fits, where the decided one costs more."""


def sized_today(request: SizingRequest, before: SizingAnswer | None, size: Size) -> Today:
    """Return what the decided set is today; without an answer of then, what is proposed today."""
    open_question = request.model_copy(update={"gpus": (), "mixed_gpus": False})
    decided = before.options[0] if before and before.options else None
    asked = size(request)
    same = _same(decided, asked)
    if decided is not None and same is None and not decided.cards:
        same = _same(decided, size(_pinned(request, decided)))
    first = same or (asked.options[0] if asked.options else None)
    others = [one for one in asked.options if one is not first]
    offered = size(open_question).options if request.gpus and first else ()
    options = (first, *others) if first else ()
    answer = asked.model_copy(update={"options": options})
    return Today(answer, cheapest(first, (*others, *offered)) if first else None)


def cheapest(decided: Option, others: tuple[Option, ...]) -> Cheaper | None:
    """Return the cheapest of other sets that fit, where it costs less than the decided one."""
    for name, price in PRICES.items():
        decided_usd = price(decided)
        if decided_usd is None:
            continue
        offers = [(usd, one) for one, usd in _priced(decided, others, price) if usd < decided_usd]
        if offers:
            usd, found = min(offers, key=lambda offer: offer[0])
            return Cheaper(set_of(found), name, usd, decided_usd)
        return None
    return None


def planned_today(request: SpecRequest, before: Spec | None, plan: Plan) -> Today:
    """Return the plan of today on the decided cards, and what other cards would cost less."""
    proposed = plan(request)
    decided = before.servers.gpu if before else proposed.servers.gpu
    if proposed.servers.gpu == decided or any(one.request.gpus for one in request.workloads):
        return Today(proposed, None)
    same = plan(_on(request, decided))
    return Today(same, _cheaper_plan(same, proposed))


def _cheaper_plan(decided: Spec, other: Spec) -> Cheaper | None:
    from bot.spec_difference import spec_purchase_usd, spec_total_usd

    for name, price in (("total_usd", spec_total_usd), ("purchase_usd", spec_purchase_usd)):
        usd, decided_usd = price(other), price(decided)
        complete = other.cost.is_complete and decided.cost.is_complete
        if usd and decided_usd and complete and other.servers.runs:
            found = Cheaper(f"{other.servers.gpus}x{other.servers.gpu}", name, usd, decided_usd)
            return found if usd < decided_usd else None
    return None


def _on(request: SpecRequest, gpu: str) -> SpecRequest:
    """Return a question about a server with all of its models on one kind of card."""
    workloads = tuple(
        one.model_copy(
            update={"request": one.request.model_copy(update={"gpus": (GpuChoice(gpu=gpu),)})}
        )
        for one in request.workloads
    )
    return request.model_copy(update={"workloads": workloads})


def _pinned(request: SizingRequest, decided: Option) -> SizingRequest:
    """Return a question about the decided cards alone."""
    choice = GpuChoice(gpu=decided.gpu, count=decided.gpus, mig_profile=decided.mig_profile)
    return request.model_copy(update={"gpus": (choice,), "mixed_gpus": False})


def _same(decided: Option | None, answer: SizingAnswer) -> Option | None:
    """Return the set of the same cards."""
    if decided is None:
        return None
    name = set_of(decided)
    return next((one for one in answer.options if set_of(one) == name), None)


def _priced(
    decided: Option, others: tuple[Option, ...], price: Callable[[Option], float | None]
) -> Iterator[tuple[Option, float]]:
    for one in others:
        usd = price(one)
        is_other = set_of(one) != set_of(decided)
        is_sound = not stop_of(one) and not DOUBTS & set(reason_codes(one))
        if usd is not None and one.verdict is Verdict.FITS and is_other and is_sound:
            yield one, usd
