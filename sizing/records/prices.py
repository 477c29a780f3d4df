"""Records of prices: instances for rent, accelerators for sale, and what running them takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Annotated

from pydantic import Field

from sizing.records.base import (
    Identifier,
    Name,
    Positive,
    PositiveCount,
    Record,
    SourcedRecord,
    Text,
)


class InstanceRecord(Record):
    """One kind of instance of a price list."""

    name: Name
    """What the provider calls it."""

    gpu: Identifier
    """Accelerator in it, id."""

    gpus: PositiveCount
    """How many of them."""

    price_usd_per_hour: Positive
    """On demand, whole instance, before tax, USD per hour."""


class PriceListRecord(SourcedRecord):
    """What one provider asked in one region on one day."""

    id: Identifier
    """Unique id: provider, region, day."""

    provider: Name
    """Company that rents."""

    region: Name
    """Region the prices hold in."""

    dated: date
    """Day of the prices."""

    instances: Annotated[tuple[InstanceRecord, ...], Field(min_length=1)]
    """Instances, by accelerator, count and name."""


class PurchaseRecord(SourcedRecord):
    """What one card with an accelerator costs to buy, before tax."""

    gpu: Identifier
    """Accelerator, id."""

    low_usd: Positive
    """Lowest price found, USD."""

    typical_usd: Positive
    """Middle of what is asked, USD."""

    high_usd: Positive
    """Highest price found, USD."""

    dated: date
    """Day of the prices."""


class FacilityRecord(SourcedRecord):
    """What running owned GPUs takes where the asker says nothing."""

    pue: Annotated[float, Field(ge=1)]
    """Power of the site over the power of its computers."""

    electricity_usd_per_kwh: Positive
    """Electricity before tax, USD per kWh."""

    lifetime_years: Positive
    """Years a purchase is spread over."""


class ApiQuote(Record):
    """What hosts of a model ask for a million tokens: the median of them, and the bounds."""

    source: Text
    """Table it was read from, with its version."""

    dated: date
    """Last change of a price that the table knows."""

    hosts: PositiveCount
    """Hosts that offer the model."""

    input_low_usd_per_million_tokens: Positive
    """Lowest price of a million input tokens, USD."""

    input_usd_per_million_tokens: Positive
    """Median price of a million input tokens, USD."""

    input_high_usd_per_million_tokens: Positive
    """Highest price of a million input tokens, USD."""

    output_low_usd_per_million_tokens: Positive
    """Lowest price of a million output tokens, USD."""

    output_usd_per_million_tokens: Positive
    """Median price of a million output tokens, USD."""

    output_high_usd_per_million_tokens: Positive
    """Highest price of a million output tokens, USD."""


@dataclass(frozen=True)
class PriceBook:
    """All prices of a catalogue."""

    lists: tuple[PriceListRecord, ...] = ()
    purchases: Mapping[str, PurchaseRecord] = field(default_factory=dict)
    """By accelerator."""
    facility: FacilityRecord | None = None

    @cached_property
    def newest(self) -> Mapping[str, tuple[tuple[PriceListRecord, InstanceRecord], ...]]:
        """Return the instances of each accelerator, every one at its newest price."""
        found: dict[tuple[str, str, str, str], tuple[PriceListRecord, InstanceRecord]] = {}
        for prices in sorted(self.lists, key=lambda each: each.dated):
            for one in prices.instances:
                found[one.gpu, prices.provider, prices.region, one.name] = (prices, one)
        by_gpu: dict[str, list[tuple[PriceListRecord, InstanceRecord]]] = {}
        for (gpu, *_), offer in found.items():
            by_gpu.setdefault(gpu, []).append(offer)
        return {gpu: tuple(offers) for gpu, offers in by_gpu.items()}
