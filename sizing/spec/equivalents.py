"""Other cards that carry the same load, for a purchase that takes equivalent offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sizing.answer import Verdict
from sizing.catalogue import Catalogue
from sizing.records import GpuRecord, Identifier, PositiveCount, Record
from sizing.request import SizingRequest
from sizing.spec.cards import CardSet, kinds_of, need_bytes, set_on
from sizing.spec.servers import servers_needed
from sizing.spec.slice_choice import Sizer
from sizing.spec.wishes import Sharing

MOST_EQUIVALENTS = 3
"""Sets that are named: enough for a tender to stay open."""


class Equivalent(Record):
    """Cards of another kind that carry the load."""

    gpu: Identifier
    """Catalogue id of the cards."""

    gpus: PositiveCount
    """Cards that the load of the last year takes."""


def equivalents_of(
    cards: CardSet,
    demands: Sequence[SizingRequest],
    size: Sizer,
    catalogue: Catalogue,
    *,
    sharing: Sharing,
) -> tuple[Equivalent, ...]:
    """Return other sets on which all demands fit with room to spare, those to buy first first.

    They are looked for among the cards that are proposed for the largest demand, one of a family,
    and fill no more servers.
    """
    answers = dict(enumerate(cards.answers))
    largest = max(answers, key=lambda place: need_bytes(answers[place]))
    free = [demand.model_copy(update={"gpus": ()}) for demand in demands]
    kinds = (catalogue.gpus[name] for name in kinds_of(size(free[largest])))
    others = _one_of_each(kinds, cards.gpu.family)
    most = servers_needed(cards)
    found = (
        Equivalent(gpu=one.gpu.id, gpus=one.cards)
        for one in _sets(others, free, size, sharing=sharing)
        if servers_needed(one) <= most
    )
    return tuple(islice(found, MOST_EQUIVALENTS))


def _one_of_each(gpus: Iterable[GpuRecord], taken: str) -> Iterator[GpuRecord]:
    """Yield the first card of each family but the one that is taken."""
    families = {taken}
    for gpu in gpus:
        if gpu.family not in families:
            families.add(gpu.family)
            yield gpu


def _sets(
    gpus: Iterable[GpuRecord], demands: Sequence[SizingRequest], size: Sizer, *, sharing: Sharing
) -> Iterator[CardSet]:
    for gpu in gpus:
        if sharing is Sharing.SLICES and not gpu.mig_profiles:
            continue
        found = set_on(gpu, demands, size, sharing=sharing)
        if all(option.verdict is Verdict.FITS for option in found.options):
            yield found
