"""What a server spec is asked for: workloads, and wishes about all that stands around them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from sizing.records import Positive, PositiveCount, Record
from sizing.request import SizingRequest
from sizing.spec.wishes import (
    GrowthWishes,
    HostWishes,
    MoneyWishes,
    Sharing,
    SiteWishes,
    SoftwareWishes,
    StorageWishes,
)

MOST_WORKLOADS = 8
"""Models of one spec."""

SECONDS_PER_HOUR = 3600
W_PER_KW = 1000


class Workload(Record):
    """One model, and how it is used."""

    request: SizingRequest
    """The question about it alone; its load is that of today."""

    people: PositiveCount | None = None
    """People who use it, where the load is told by them."""

    requests_per_person_per_hour: Positive | None = None
    """Requests that each of them sends in an hour of work."""

    @model_validator(mode="after")
    def _told_together(self) -> Workload:
        if (self.people is None) != (self.requests_per_person_per_hour is None):
            raise ValueError("people and their requests per hour go together")
        return self

    @property
    def requests_per_s(self) -> float | None:
        """Return the arrival rate: as told, else people x requests per hour."""
        if self.people is None or self.requests_per_person_per_hour is None:
            return self.request.requests_per_s
        return self.people * self.requests_per_person_per_hour / SECONDS_PER_HOUR


class SpecRequest(Record):
    """Workloads of one purchase; None in a wish leaves it to the defaults."""

    workloads: Annotated[tuple[Workload, ...], Field(min_length=1, max_length=MOST_WORKLOADS)]
    """Models, in the order they were named."""

    sharing: Sharing = Sharing.FRACTIONS
    """How models share a card."""

    growth: GrowthWishes = GrowthWishes()
    """How the load grows, and what is kept in reserve."""

    host: HostWishes = HostWishes()
    """Limits of the host."""

    storage: StorageWishes = StorageWishes()
    """What is stored beside the models."""

    site: SiteWishes = SiteWishes()
    """The room."""

    software: SoftwareWishes = SoftwareWishes()
    """What the software has to be like."""

    money: MoneyWishes = MoneyWishes()
    """What the money is reckoned with."""


def with_limits(request: SpecRequest) -> SpecRequest:
    """Return the request with the power that was told with a model as a limit of the room."""
    told_w = [one.request.power_limit_w for one in request.workloads if one.request.power_limit_w]
    if request.site.limit_kw or not told_w:
        return request
    site = request.site.model_copy(update={"limit_kw": min(told_w) / W_PER_KW})
    return request.model_copy(update={"site": site})
