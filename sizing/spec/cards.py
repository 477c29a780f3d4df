"""Which cards carry all workloads, and how many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.records import GpuRecord
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.sharing import Copies, Seat, cards_of, seated
from sizing.units import ceil_div

RUNS = frozenset({Verdict.FITS, Verdict.TIGHT})
"""Verdicts of sets that one would buy."""

Sizer = Callable[[SizingRequest], SizingAnswer]


@dataclass(frozen=True)
class CardSet:
    """Cards of one kind that carry all workloads."""

    gpu: GpuRecord
    answers: tuple[SizingAnswer, ...]
    """What each workload takes on them, alone; in the order of the workloads."""
    seats: tuple[Seat, ...]
    """Where each copy of each model stands."""

    @property
    def options(self) -> tuple[Option, ...]:
        """Return the set of each workload alone."""
        return tuple(answer.options[0] for answer in self.answers)

    @property
    def cards(self) -> int:
        """Return how many there are."""
        return cards_of(self.seats)

    @property
    def runs(self) -> bool:
        """Return whether every workload runs on them."""
        return all(option.verdict in RUNS for option in self.options)


def choose_cards(
    demands: Sequence[SizingRequest], size: Sizer, catalogue: Catalogue, *, shares: bool
) -> CardSet:
    """Return the cards for all demands: the named ones, else those of the largest demand.

    Of several kinds the first that runs all of them with room to spare is taken.

    Raises InvalidRequestError where several kinds are named, or no kind runs all workloads.
    """
    named = _named(demands)
    if named is not None:
        return set_on(catalogue.gpus[named], demands, size, shares=shares)
    first = size(max(demands, key=lambda demand: _need_bytes(size(demand))))
    if len(demands) == 1:
        return _best_of_one(first, catalogue, shares=shares)
    sets = [
        found
        for gpu in _kinds(first)
        if (found := set_on(catalogue.gpus[gpu], demands, size, shares=shares)).runs
    ]
    if not sets:
        raise InvalidRequestError(reason="spec_no_card")
    return min(sets, key=_is_tight)


def _named(demands: Sequence[SizingRequest]) -> str | None:
    named = {choice.gpu for demand in demands for choice in demand.gpus if choice.gpu}
    if len(named) > 1 or any(demand.mixed_gpus for demand in demands):
        raise InvalidRequestError(reason="spec_one_card", suggestions=tuple(sorted(named)))
    return next(iter(named), None)


def _need_bytes(answer: SizingAnswer) -> int:
    return answer.memory.total_bytes or answer.memory.weights_bytes


def _kinds(answer: SizingAnswer) -> Iterator[str]:
    """Yield the kinds of whole cards that run a workload: what one would buy for it first."""
    running = [option for option in answer.options if option.verdict in RUNS]
    whole = (option for option in running if option.mig_profile is None)
    yield from dict.fromkeys(option.gpu for option in sorted(whole, key=_merit))


def _best_of_one(answer: SizingAnswer, catalogue: Catalogue, *, shares: bool) -> CardSet:
    """Return the first set of the answer that runs and is no slice of a card."""
    options = [option for option in answer.options if option.mig_profile is None]
    if not options:
        raise InvalidRequestError(reason="spec_no_card")
    best = min(options, key=_merit)
    chosen = answer.model_copy(update={"options": (best,)})
    seats = seated([_copies(0, best)], shares=shares)
    return CardSet(catalogue.gpus[best.gpu], (chosen,), seats)


def _merit(option: Option) -> tuple[bool, bool, bool]:
    """Return what is least for the set to buy: it runs, with room to spare, for a team."""
    codes = {reason.code for reason in option.reasons}
    fits = option.verdict is Verdict.FITS
    return (option.verdict not in RUNS, not fits, "recommended" not in codes)


def set_on(
    gpu: GpuRecord, demands: Sequence[SizingRequest], size: Sizer, *, shares: bool
) -> CardSet:
    """Return the cards of one kind that carry all demands."""
    answers = tuple(size(_on(gpu, demand)) for demand in demands)
    answers = tuple(map(_first_alone, answers))
    copies = [_copies(place, answer.options[0]) for place, answer in enumerate(answers)]
    return CardSet(gpu, answers, seated(copies, shares=shares))


def _first_alone(answer: SizingAnswer) -> SizingAnswer:
    """Return the answer with its first set alone; raise InvalidRequestError without any."""
    if not answer.options:
        raise InvalidRequestError(reason="spec_no_card")
    return answer.model_copy(update={"options": answer.options[:1]})


def _on(gpu: GpuRecord, demand: SizingRequest) -> SizingRequest:
    """Return the demand on that kind of card; a count that was named stays."""
    if any(choice.gpu == gpu.id for choice in demand.gpus):
        return demand
    return demand.model_copy(update={"gpus": (GpuChoice(gpu=gpu.id),)})


def _copies(workload: int, option: Option) -> Copies:
    """Return the copies that an option holds; slices count as cards of their own."""
    if option.mig_profile is not None:
        return Copies(workload, copies=option.gpus, gpus_per_copy=1, fraction=1.0)
    need = option.per_gpu
    fraction = (need.need_high_bytes + need.outside_bytes) / need.usable_bytes if need else 1.0
    return Copies(
        workload,
        copies=option.replicas,
        gpus_per_copy=ceil_div(option.gpus, option.replicas),
        fraction=min(1.0, fraction),
    )


def _is_tight(one: CardSet) -> bool:
    return any(option.verdict is not Verdict.FITS for option in one.options)
