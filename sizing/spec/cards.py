"""Which cards carry all workloads, and how many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.records import GpuRecord
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.mig_layout import SliceCopies, packed
from sizing.spec.sharing import Copies, Seat, cards_of, seated, shared_cards, sliced_cards
from sizing.spec.slice_choice import Sizer, in_slices
from sizing.spec.wishes import Sharing
from sizing.units import ceil_div

RUNS = frozenset({Verdict.FITS, Verdict.TIGHT})
"""Verdicts of sets that one would buy."""


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
    def in_slices(self) -> int:
        """Return how many workloads have MIG slices."""
        return sum(option.mig_profile is not None for option in self.options)

    @property
    def runs(self) -> bool:
        """Return whether every workload runs on them."""
        return all(option.verdict in RUNS for option in self.options)


def choose_cards(
    demands: Sequence[SizingRequest],
    size: Sizer,
    catalogue: Catalogue,
    *,
    sharing: Sharing = Sharing.FRACTIONS,
) -> CardSet:
    """Return the cards for all demands: the named ones, else those of the largest demand.

    Of several kinds the first that runs all of them with room to spare is taken; for MIG slices, of
    those that can be cut, where one of them runs all.

    Raises InvalidRequestError where several kinds are named, or no kind runs all workloads.
    """
    named = _named(demands)
    if named is not None:
        return set_on(catalogue.gpus[named], demands, size, sharing=sharing)
    first = size(max(demands, key=lambda demand: need_bytes(size(demand))))
    if sharing is Sharing.SLICES and (cut := _in_slices(first, demands, size, catalogue)):
        return cut
    if len(demands) == 1:
        return _best_of_one(first, catalogue, sharing=sharing)
    sets = [
        found
        for gpu in kinds_of(first)
        if (found := set_on(catalogue.gpus[gpu], demands, size, sharing=sharing)).runs
    ]
    if not sets:
        raise InvalidRequestError(reason="spec_no_card")
    return min(sets, key=_is_tight)


def _named(demands: Sequence[SizingRequest]) -> str | None:
    named = {choice.gpu for demand in demands for choice in demand.gpus if choice.gpu}
    if len(named) > 1 or any(demand.mixed_gpus for demand in demands):
        raise InvalidRequestError(reason="spec_one_card", suggestions=tuple(sorted(named)))
    return next(iter(named), None)


def need_bytes(answer: SizingAnswer) -> int:
    """Return the memory that a demand takes: of what is not sized in one figure, its weights."""
    return answer.memory.total_bytes or answer.memory.weights_bytes


def kinds_of(answer: SizingAnswer) -> Iterator[str]:
    """Yield the kinds of whole cards that run a workload: what one would buy for it first."""
    running = [option for option in answer.options if option.verdict in RUNS]
    whole = (option for option in running if option.mig_profile is None)
    yield from dict.fromkeys(option.gpu for option in sorted(whole, key=_merit))


def _in_slices(
    first: SizingAnswer, demands: Sequence[SizingRequest], size: Sizer, catalogue: Catalogue
) -> CardSet | None:
    """Return cards of which some demand has slices, and on which all run with room to spare.

    The first of those proposed for the largest demand, else the fewest of the others on sale, and
    of equally many those with the least memory to buy. None where no card gives a slice.
    """
    proposed = (gpu for name in kinds_of(first) if (gpu := catalogue.gpus[name]).mig_profiles)
    if found := next(_cut_sets(proposed, demands, size), None):
        return found
    return min(_cut_sets(cards_with_slices(catalogue), demands, size), key=_bought, default=None)


def _cut_sets(
    gpus: Iterable[GpuRecord], demands: Sequence[SizingRequest], size: Sizer
) -> Iterator[CardSet]:
    for gpu in gpus:
        found = set_on(gpu, demands, size, sharing=Sharing.SLICES)
        if _has_use_of_slices(found) and not _is_tight(found):
            yield found


def _has_use_of_slices(one: CardSet) -> bool:
    """Return whether some card carries several slices: one alone is no better than a whole card."""
    shared = set(shared_cards(one.seats)) & set(sliced_cards(one.seats))
    return bool(shared) or (one.in_slices == 1 == len(one.answers))


def _bought(one: CardSet) -> tuple[int, float]:
    """Return the cards that are needed, and the memory of those that have to be bought, GB."""
    sold_together = min(one.gpu.sold_in_gpus, default=1)
    return one.cards, max(one.cards, sold_together) * one.gpu.memory_gb


def cards_with_slices(catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return cards on sale that can be cut, one of each family and memory, the smallest first."""
    sold = [gpu for gpu in catalogue.gpus.values() if gpu.mig_profiles and gpu.in_production]
    ordered = sorted(sold, key=lambda gpu: (gpu.memory_gb, not gpu.family_default, gpu.id))
    kinds: dict[tuple[str, float], GpuRecord] = {}
    for gpu in ordered:
        kinds.setdefault((gpu.family, gpu.memory_gb), gpu)
    return tuple(kinds.values())


def _best_of_one(answer: SizingAnswer, catalogue: Catalogue, *, sharing: Sharing) -> CardSet:
    """Return the first set of the answer that runs and is no slice of a card."""
    options = [option for option in answer.options if option.mig_profile is None]
    if not options:
        raise InvalidRequestError(reason="spec_no_card")
    best = min(options, key=_merit)
    chosen = answer.model_copy(update={"options": (best,)})
    gpu = catalogue.gpus[best.gpu]
    return CardSet(gpu, (chosen,), _seats(gpu, (best,), sharing=sharing))


def _merit(option: Option) -> tuple[bool, bool, bool]:
    """Return what is least for the set to buy: it runs, with room to spare, for a team."""
    codes = {reason.code for reason in option.reasons}
    fits = option.verdict is Verdict.FITS
    return (option.verdict not in RUNS, not fits, "recommended" not in codes)


def set_on(
    gpu: GpuRecord,
    demands: Sequence[SizingRequest],
    size: Sizer,
    *,
    sharing: Sharing = Sharing.FRACTIONS,
) -> CardSet:
    """Return the cards of one kind that carry all demands; whole ones where it cannot be cut."""
    answers = tuple(_first_alone(size(_on(gpu, demand))) for demand in demands)
    if sharing is Sharing.SLICES:
        answers = tuple(
            _cut(gpu, demand, answer, size) for demand, answer in zip(demands, answers, strict=True)
        )
    return set_of(gpu, answers, sharing=sharing)


def set_of(gpu: GpuRecord, answers: Sequence[SizingAnswer], *, sharing: Sharing) -> CardSet:
    """Return the cards of one kind on which each workload has the first set of its answer."""
    options = [answer.options[0] for answer in answers]
    return CardSet(gpu, tuple(answers), _seats(gpu, options, sharing=sharing))


def _cut(gpu: GpuRecord, demand: SizingRequest, whole: SizingAnswer, size: Sizer) -> SizingAnswer:
    """Return the answer on slices where these do, else that on whole cards or a named slice."""
    if whole.options[0].mig_profile or not gpu.mig_profiles:
        return whole
    found = in_slices(gpu, demand, whole, size)
    return _first_alone(found) if found else whole


def _seats(gpu: GpuRecord, options: Iterable[Option], *, sharing: Sharing) -> tuple[Seat, ...]:
    """Return where all copies stand: those on whole cards first, then the slices.

    A card that cannot be cut is shared by fractions where slices were wanted.
    """
    by_fractions = sharing is Sharing.FRACTIONS or (
        sharing is Sharing.SLICES and not gpu.mig_profiles
    )
    placed = list(enumerate(options))
    whole = [_copies(place, option) for place, option in placed if not option.mig_profile]
    seats = seated(whole, shares=by_fractions)
    slices = [
        SliceCopies(place, option.gpus, profile)
        for place, option in placed
        if option.mig_profile and (profile := gpu.mig_profile(option.mig_profile))
    ]
    return seats + packed(gpu, slices, cards_of(seats))


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
    """Return the copies that an option holds."""
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
