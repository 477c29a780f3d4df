"""The least that a load can draw and cost on a kind of cards, before anything is placed on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, inf

from sizing.buying import Wanted, purchase_usd
from sizing.catalogue import Catalogue
from sizing.records import GpuRecord, Segment
from sizing.spec.measures import is_rented
from sizing.spec.request import SpecRequest
from sizing.spec.room import W_PER_KW
from sizing.spec.spending_of import budget_usd_of


class Bounds:
    """Holds kinds of cards against power and budget by the weights of all models alone."""

    def __init__(self, request: SpecRequest, weights_bytes: int, catalogue: Catalogue) -> None:
        """Take a question, and the weights of one copy of each of its models, bytes."""
        self._weights_bytes = weights_bytes
        self._catalogue = catalogue
        self._limit_kw = request.site.limit_kw or inf
        self._budget_usd = inf if is_rented(request) else budget_usd_of(request) or inf

    def worth_planning(self, gpus: Iterable[GpuRecord]) -> list[GpuRecord]:
        """Return the kinds that may stay inside."""
        return [gpu for gpu in gpus if self._may_stay_inside(gpu)]

    def below(self, gpus: Iterable[GpuRecord], most: Mapping[str, float]) -> list[GpuRecord]:
        """Return the kinds that may take less than `most` of power (kW) or money (USD)."""
        limit_kw, budget_usd = most.get("limit_kw", 0.0), most.get("budget", 0.0)
        return [
            gpu for gpu in gpus if self.least_kw(gpu) < limit_kw or self.least_usd(gpu) < budget_usd
        ]

    def _may_stay_inside(self, gpu: GpuRecord) -> bool:
        """Return whether the least is inside; a card without a price is inside no budget."""
        is_affordable = self._budget_usd == inf or self.least_usd(gpu) <= self._budget_usd
        return self.least_kw(gpu) <= self._limit_kw and is_affordable

    def least_kw(self, gpu: GpuRecord) -> float:
        """Return the power of the fewest cards that hold the weights, kW; 0 where it is unknown."""
        return self._cards(gpu) * (gpu.board_power_w or 0) / W_PER_KW

    def least_usd(self, gpu: GpuRecord) -> float:
        """Return the usual price of as many, USD; infinite where it is unknown.

        0 for what is sold by the rack: no card of it has a price of its own.
        """
        if gpu.segment is Segment.RACK:
            return 0.0
        usd = purchase_usd(Wanted(gpu, self._cards(gpu), gpus_per_copy=1), self._catalogue.prices)
        return usd.typical if usd else inf

    def _cards(self, gpu: GpuRecord) -> int:
        return max(1, ceil(self._weights_bytes / gpu.usable_bytes))
