"""One load with all that stands around it on one kind of cards after another, at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sizing.answer import SizingAnswer
from sizing.candidates import in_production
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import SizingError
from sizing.glance import Glance
from sizing.records import GpuRecord
from sizing.request import SizingRequest
from sizing.spec.bounds import Bounds
from sizing.spec.cards import CardSet, cards_with_slices, set_of, set_on
from sizing.spec.demand import growth_factor
from sizing.spec.facts_files import SpecFacts
from sizing.spec.laid_out import LaidOut, laid_out, plan_of
from sizing.spec.measures import is_rented
from sizing.spec.naming import open_demands
from sizing.spec.request import SpecRequest
from sizing.spec.wishes import Sharing


def kinds_for(request: SpecRequest, catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return all accelerators that can be had new; where slices are wanted, cards with some."""
    slices = request.sharing is Sharing.SLICES
    return cards_with_slices(catalogue) if slices else in_production(catalogue)


class Looker:
    """Plans questions; what it found of a load is kept."""

    def __init__(self, catalogue: Catalogue, facts: SpecFacts) -> None:
        self._catalogue = catalogue
        self._facts = facts
        self._glances: dict[str, Glance] = {}

    def planned(self, asked: SpecRequest) -> LaidOut | None:
        """Return the plan of a question from its beginning; None where it has none."""
        try:
            return plan_of(asked, self._catalogue, self._facts)
        except SizingError:
            # That combination of card, engine and format is not to be had.
            return None

    def bounds(self, asked: SpecRequest) -> Bounds | None:
        """Return the least that the load takes on each kind; None where it has no size."""
        demands = open_demands(asked, growth_factor(asked.growth))
        try:
            answers = [self._glance(demand).answer for demand in demands]
        except SizingError:
            # No engine has that format, or that engine is not for cards in general.
            return None
        return Bounds(asked, sum(one.memory.weights_bytes for one in answers), self._catalogue)

    def on(self, gpu: GpuRecord, asked: SpecRequest) -> LaidOut | None:
        """Return the plan on a kind of cards; None where not all models fit there."""
        cards = self._cards_on(gpu, asked, growth_factor(asked.growth))
        if cards is None or not cards.runs:
            return None
        # Rent leaves out what only growth takes; nothing else here follows from today's load.
        today = self._cards_on(gpu, asked, 1.0) if is_rented(asked) else cards
        return self.laid_out(asked, cards, today)

    def laid_out(self, asked: SpecRequest, cards: CardSet, today: CardSet | None = None) -> LaidOut:
        """Return the plan around cards that are known."""
        return laid_out(asked, cards, self._catalogue, facts=self._facts, today=today or cards)

    def _cards_on(self, gpu: GpuRecord, asked: SpecRequest, factor: float) -> CardSet | None:
        demands = open_demands(asked, factor)
        if asked.sharing is Sharing.SLICES:
            return self._sliced(gpu, demands)
        glances = [self._glance(demand) for demand in demands]
        found: dict[int, SizingAnswer] = {}
        for place in sorted(range(len(glances)), key=lambda place: not glances[place].is_quick):
            answer = glances[place].on(gpu)
            if answer is None:
                return None
            found[place] = answer
        answers = [found[place] for place in range(len(glances))]
        return set_of(gpu, answers, sharing=asked.sharing)

    def _sliced(self, gpu: GpuRecord, demands: Sequence[SizingRequest]) -> CardSet | None:
        try:
            sizer = partial(size, catalogue=self._catalogue)
            return set_on(gpu, demands, sizer, sharing=Sharing.SLICES)
        except SizingError:
            return None

    def _glance(self, demand: SizingRequest) -> Glance:
        key = demand.model_dump_json()
        if key not in self._glances:
            self._glances[key] = Glance(demand, self._catalogue)
        return self._glances[key]
