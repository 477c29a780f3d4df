"""Plans inside the limits that a plan passes: on its own cards with less, then on all others.

Every kind of card on sale is planned for the load at a glance, with its host, power and price;
the few that are shown are planned once more from the question that asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from sizing.answer import Option, SizingAnswer
from sizing.candidates import on_sale
from sizing.catalogue import Catalogue
from sizing.notes import Note
from sizing.records import GpuRecord
from sizing.spec.concessions import GROWTH, Concession, concessions, without_reserves
from sizing.spec.facts_files import SpecFacts
from sizing.spec.inside import Inside, InsidePlan
from sizing.spec.laid_out import LaidOut
from sizing.spec.looking import Looker, kinds_for
from sizing.spec.measures import keeps_all, least_needs, least_wanted
from sizing.spec.naming import naming, questions_for
from sizing.spec.nearness import Named, inside_plan, nearness, thrift
from sizing.spec.passed import limits_passed
from sizing.spec.request import SpecRequest

MOST_OTHERS = 2
"""Plans on other cards that are shown: the nearest, and the cheapest of another family."""

MOST_CHECKED = 6
"""Plans that are planned once more to find them."""


def plans_inside(
    plan: LaidOut, request: SpecRequest, catalogue: Catalogue, facts: SpecFacts
) -> Inside | None:
    """Return plans inside the limits that `plan` passes, the nearest first; None if it keeps all.

    A plan without spare servers or those for growth comes first where that alone is enough, then
    other cards that carry all as asked; precision that was left open is lowered last.
    """
    passed = limits_passed(plan.around, plan.cost)
    if not passed:
        return None
    search = _Search(plan, request, catalogue, facts)
    plans = tuple(search.plans())
    return Inside(
        passed=passed,
        plans=plans,
        least=() if plans else search.least(passed),
        tried_without=() if plans else search.last.codes,
        kinds_tried=len(search.kinds_tried),
    )


class _Search:
    """One plan that passes a limit, and what is tried in its place."""

    def __init__(
        self, plan: LaidOut, request: SpecRequest, catalogue: Catalogue, facts: SpecFacts
    ) -> None:
        self._plan = plan
        self._request = request
        self._catalogue = catalogue
        self._looker = Looker(catalogue, facts)
        self._kinds = kinds_for(request, catalogue)
        named = [choice for one in request.workloads for choice in one.request.gpus]
        self._named = Named(kind=bool(named), count=any(choice.count for choice in named))
        self._tried: list[LaidOut] = []
        self.kinds_tried: set[str] = set()
        self.last = Concession()

    @cached_property
    def _levels(self) -> tuple[Concession, ...]:
        """Return all that may be given up, the least first."""
        return concessions(self._request, self._plan.cards.answers, self._catalogue)

    def plans(self) -> Iterator[InsidePlan]:
        """Yield what is inside, the nearest first."""
        same = list(self._on_the_same_cards())
        others = self._on_other_cards(computers=not same)
        yield from [*same, *others] or self._with_concessions()

    def _on_other_cards(self, *, computers: bool) -> list[InsidePlan]:
        """Return plans that carry all as asked: on cards for servers and desks.

        Whole computers stand for them where nothing else does.
        """
        proposed = {gpu.id for gpu in on_sale(self._catalogue)}
        market = self._plan.cards.gpu.segment
        first = [gpu for gpu in self._kinds if gpu.id in proposed or gpu.segment is market]
        rest = [gpu for gpu in self._kinds if gpu not in first]
        groups = (first, rest) if computers else (first,)
        tiers = (list(self._on_others(Concession(), kinds)) for kinds in groups)
        return next(filter(None, tiers), [])

    def least(self, passed: Sequence[str]) -> tuple[Note, ...]:
        """Return how far away the nearest of all that was tried is."""
        tried = [*self._tried, self._plan]
        tried += self._beyond(least_wanted(tried))
        return least_needs(tried, passed)

    def _beyond(self, wanted: Mapping[str, float]) -> list[LaidOut]:
        """Return the plans on kinds that pass a limit by their weights alone, but perhaps less."""
        for level in (*reversed(self._levels), Concession()):
            bounds = self._looker.bounds(level.of(self._request))
            new = [gpu for gpu in self._kinds if gpu.id not in self.kinds_tried]
            found = self._looked(level, bounds.below(new, wanted) if bounds else ())
            if found:
                return found
        return []

    def _on_the_same_cards(self) -> Iterator[InsidePlan]:
        """Yield the plan on the same cards without the fewest reserves, where that is enough."""
        first = self._plan
        named = self._request if self._named.kind else naming(self._request, first.cards.gpu)
        for concession in without_reserves(self._request):
            asked = concession.of(named)
            cards = first.today if GROWTH in concession.reserves else first.cards
            if not keeps_all(self._looker.laid_out(asked, cards), asked):
                continue
            plan = self._looker.planned(asked)
            if plan and keeps_all(plan, asked):
                yield self._record(plan, asked, concession)
                return

    def _with_concessions(self) -> Iterator[InsidePlan]:
        """Yield what gives up least: of each precision only where no reserve at all is enough."""
        feasible: dict[tuple[str | None, ...], tuple[GpuRecord, ...]] = {}
        for level in self._levels:
            if level.precisions not in feasible:
                deepest = next(
                    one for one in reversed(self._levels) if one.precisions == level.precisions
                )
                inside = self._inside(deepest, self._kinds)
                feasible[level.precisions] = tuple(plan.cards.gpu for plan in inside)
            found = tuple(self._on_others(level, feasible[level.precisions]))
            if found:
                yield from found
                return

    def _on_others(
        self, concession: Concession, kinds: Sequence[GpuRecord]
    ) -> Iterator[InsidePlan]:
        """Yield the nearest plan of those kinds, and the cheapest of another family."""
        asked = concession.of(self._request)
        inside = self._inside(concession, kinds)
        nearest = sorted(inside, key=lambda one: nearness(one, asked, self._plan))
        cheapest = sorted(inside, key=lambda one: thrift(one, asked))
        families: set[str] = set()
        for ordered in (nearest, cheapest)[:MOST_OTHERS]:
            others = (one for one in ordered if one.cards.gpu.family not in families)
            found = self._first_that_holds(others, asked, concession)
            if found:
                families.add(self._catalogue.gpus[found.gpu].family)
                yield found

    def _first_that_holds(
        self, plans: Iterable[LaidOut], asked: SpecRequest, concession: Concession
    ) -> InsidePlan | None:
        """Return the first whose own question is answered with the same cards, inside."""
        for _, glanced in zip(range(MOST_CHECKED), plans, strict=False):
            for question in questions_for(glanced.cards, asked):
                plan = self._looker.planned(question)
                if plan and _alike(plan, glanced) and keeps_all(plan, question):
                    return self._record(plan, question, concession)
        return None

    def _record(self, plan: LaidOut, asked: SpecRequest, concession: Concession) -> InsidePlan:
        return inside_plan(plan, asked, concession, first=self._plan, named=self._named)

    def _inside(self, concession: Concession, kinds: Iterable[GpuRecord]) -> list[LaidOut]:
        """Return the plans on those kinds, at a glance, that keep all limits."""
        asked = concession.of(self._request)
        bounds = self._looker.bounds(asked)
        looked = self._looked(concession, bounds.worth_planning(kinds) if bounds else ())
        return [plan for plan in looked if keeps_all(plan, asked)]

    def _looked(self, concession: Concession, kinds: Iterable[GpuRecord]) -> list[LaidOut]:
        """Return the plans on those kinds, at a glance, and remember them."""
        asked = concession.of(self._request)
        looked = [plan for gpu in kinds if (plan := self._looker.on(gpu, asked))]
        if looked:
            self.last = concession
        self._tried += looked
        self.kinds_tried |= {plan.cards.gpu.id for plan in looked}
        return looked


def _alike(plan: LaidOut, other: LaidOut) -> bool:
    """Return whether two plans have the same cards in the same splits, with room to spare."""
    return plan.cards.cards == other.cards.cards and all(
        _split(mine) == _split(its)
        for mine, its in zip(plan.cards.answers, other.cards.answers, strict=True)
    )


def _split(answer: SizingAnswer) -> tuple[object, ...]:
    first: Option = answer.options[0]
    return (
        first.gpus, first.replicas, first.tensor_parallel, first.pipeline_parallel,
        first.expert_parallel, first.data_parallel, first.mig_profile, first.verdict,
    )  # fmt: skip
