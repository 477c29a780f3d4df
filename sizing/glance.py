"""One load on many kinds of cards: the first set of each, without speed, prices or advice."""

from __future__ import annotations

from sizing.answer import SizingAnswer, Verdict
from sizing.arrivals import asks_rate, requests_in_flight, with_reading_speed
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import SizingError
from sizing.offers import option_of
from sizing.placement import Placer
from sizing.ranking import first_choice
from sizing.records import GpuRecord
from sizing.request import GpuChoice, Mode, SizingRequest
from sizing.weighing import placer_of


class Glance:
    """Looks at a load on one kind of cards after another, each some thirty times faster.

    What it finds is the set that `size` puts first where one fits; all else of the answer is that
    of the load on no cards in particular.
    """

    def __init__(self, request: SizingRequest, catalogue: Catalogue) -> None:
        """Take a question whose cards are left open; raise SizingError where it cannot be read."""
        self._request = request
        self._catalogue = catalogue
        self._answer = size(request, catalogue)
        model = catalogue.models.get(request.model_id or "")
        in_passes = model is not None and model.works_in_passes
        self.is_quick = request.mode is Mode.INFER and not in_passes

    @property
    def answer(self) -> SizingAnswer:
        """Return the answer to the question, the cards left open."""
        return self._answer

    def on(self, gpu: GpuRecord) -> SizingAnswer | None:
        """Return the answer with the first set of that kind; None where none fits."""
        asked = self._request.model_copy(update={"gpus": (GpuChoice(gpu=gpu.id),)})
        try:
            return self._served(asked) if self.is_quick else self._sized(asked, gpu)
        except SizingError:
            # An engine or a format that this kind of card asks for is not to be had.
            return None

    def _sized(self, asked: SizingRequest, gpu: GpuRecord) -> SizingAnswer | None:
        answer = size(asked, self._catalogue)
        first = answer.options[0] if answer.options else None
        if first is None or first.gpu != gpu.id or first.verdict is not Verdict.FITS:
            return None
        return answer.model_copy(update={"options": (first,)})

    def _served(self, asked: SizingRequest) -> SizingAnswer | None:
        if asks_rate(asked):
            asked = with_reading_speed(asked)
        placer = placer_of(asked, self._catalogue)
        if placer.load.subject.cache is None:
            return None
        placer = _in_flight(asked, placer)
        row = first_choice(asked, placer)
        if row is None or row.verdict is not Verdict.FITS:
            return None
        return self._answer.model_copy(update={"options": (option_of(row, placer.load, ()),)})


def _in_flight(asked: SizingRequest, placer: Placer) -> Placer:
    """Return what weighs the requests that a rate keeps in flight; the same where none is told."""
    if not asks_rate(asked):
        return placer
    requests = requests_in_flight(asked, placer, asked.requests_per_s or 0.0)
    return placer.for_requests(requests) if requests else placer
