"""What a set of GPUs costs by the price lists: the cheapest instances that hold it; the cards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from sizing.performance import Estimate
from sizing.price import Purchase, Rental
from sizing.records import GpuRecord, InstanceRecord, PriceBook, PriceListRecord, PurchaseRecord
from sizing.units import ceil_div

FRESH = timedelta(days=90)
"""Age up to which a price is quoted without a warning."""

FULL_SERVER_GPUS = 8
"""GPUs of a server where the accelerator says no other number."""


@dataclass(frozen=True)
class Wanted:
    """Equal cards that are to be paid for."""

    gpu: GpuRecord
    copies: int
    """Groups of GPUs that may stand apart."""
    gpus_per_copy: int
    """GPUs of a group, which share fast links."""

    @property
    def gpus(self) -> int:
        """Return all of them."""
        return self.copies * self.gpus_per_copy


def wanted_of(gpu: GpuRecord, mig_profile: str | None, *, gpus: int, replicas: int) -> Wanted:
    """Return the cards to pay for: the whole ones where devices are MIG slices of `gpu`."""
    profile = gpu.mig_profile(mig_profile) if mig_profile else None
    if profile is not None:
        return Wanted(gpu, copies=ceil_div(gpus, profile.most_instances), gpus_per_copy=1)
    return Wanted(gpu, replicas, gpus_per_copy=gpus // replicas)


def cheapest_rental(wanted: Wanted, book: PriceBook, today: date) -> Rental | None:
    """Return the instances with the lowest price for the whole set; None where none holds it."""
    found = _cheapest(wanted, book)
    if found is None:
        return None
    needed, prices, instance = found
    return Rental(
        provider=prices.provider,
        region=prices.region,
        instance=instance.name,
        instances=needed,
        gpus=needed * instance.gpus,
        price_usd_per_hour=needed * instance.price_usd_per_hour,
        dated=prices.dated,
        is_old=_is_old(prices.dated, today),
    )


def rent_usd_per_hour(wanted: Wanted, book: PriceBook) -> float | None:
    """Return what those instances cost, USD per hour."""
    found = _cheapest(wanted, book)
    return found[0] * found[2].price_usd_per_hour if found else None


def purchase_of(wanted: Wanted, book: PriceBook, today: date) -> Purchase | None:
    """Return the price of the cards, whole boards counted; None where it is not known."""
    record, price_usd = book.purchases.get(wanted.gpu.id), purchase_usd(wanted, book)
    if record is None or price_usd is None:
        return None
    return Purchase(
        gpus=sold_gpus(wanted.gpu, wanted.gpus),
        price_usd=price_usd,
        dated=record.dated,
        is_old=_is_old(record.dated, today),
    )


def purchase_usd(wanted: Wanted, book: PriceBook) -> Estimate | None:
    """Return what the cards cost, whole boards counted, USD."""
    record = book.purchases.get(wanted.gpu.id)
    if record is None:
        return None
    gpus = sold_gpus(wanted.gpu, wanted.gpus)
    return _times(record, ceil_div(gpus, wanted.gpu.devices_per_card))


def sold_gpus(gpu: GpuRecord, gpus: int) -> int:
    """Return the devices that have to be bought to have `gpus` of them: whole boards."""
    if gpu.is_sold_as(gpus):
        return gpus
    boards = gpu.sold_in_gpus
    whole = ceil_div(gpus, boards[-1]) * boards[-1]
    return next((board for board in boards if board >= gpus), whole)


def instances_needed(wanted: Wanted, gpus: int) -> int | None:
    """Return how many instances of `gpus` hold the set; None where they part a group.

    A group stays inside an instance. One larger than a server takes whole servers.
    """
    if wanted.gpus_per_copy <= gpus:
        return ceil_div(wanted.copies, gpus // wanted.gpus_per_copy)
    if gpus >= (wanted.gpu.most_per_server_gpus or FULL_SERVER_GPUS):
        return wanted.copies * ceil_div(wanted.gpus_per_copy, gpus)
    return None


def _cheapest(
    wanted: Wanted, book: PriceBook
) -> tuple[int, PriceListRecord, InstanceRecord] | None:
    """Return how many of which instance hold the set at the lowest price."""
    offers = (
        (needed, prices, instance)
        for prices, instance in book.newest.get(wanted.gpu.id, ())
        if (needed := instances_needed(wanted, instance.gpus)) is not None
    )
    return min(offers, key=_order, default=None)


def _order(
    offer: tuple[int, PriceListRecord, InstanceRecord],
) -> tuple[float, int, str, str]:
    needed, prices, instance = offer
    return (needed * instance.price_usd_per_hour, needed, prices.provider, instance.name)


def _times(record: PurchaseRecord, cards: int) -> Estimate:
    return Estimate(
        low=record.low_usd * cards,
        typical=record.typical_usd * cards,
        high=record.high_usd * cards,
    )


def _is_old(dated: date, today: date) -> bool:
    return today - dated > FRESH
