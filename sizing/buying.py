"""What a set of GPUs costs by the price lists: the cheapest instances that hold it; the cards."""

from __future__ import annotations

from collections.abc import Iterator
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


def cheapest_rental(wanted: Wanted, book: PriceBook, today: date) -> Rental | None:
    """Return the instances with the lowest price for the whole set; None where none holds it."""
    rows = list(_rentals(wanted, book, today))
    return min(rows, key=_order, default=None)


def purchase_of(wanted: Wanted, book: PriceBook, today: date) -> Purchase | None:
    """Return the price of the cards, whole boards counted; None where it is not known."""
    record = book.purchases.get(wanted.gpu.id)
    if record is None:
        return None
    gpus = sold_gpus(wanted.gpu, wanted.gpus)
    return Purchase(
        gpus=gpus,
        price_usd=_times(record, ceil_div(gpus, wanted.gpu.devices_per_card)),
        dated=record.dated,
        is_old=_is_old(record.dated, today),
    )


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


def _rentals(wanted: Wanted, book: PriceBook, today: date) -> Iterator[Rental]:
    for prices, instance in _newest(wanted.gpu.id, book):
        needed = instances_needed(wanted, instance.gpus)
        if needed is not None:
            yield Rental(
                provider=prices.provider,
                region=prices.region,
                instance=instance.name,
                instances=needed,
                gpus=needed * instance.gpus,
                price_usd_per_hour=needed * instance.price_usd_per_hour,
                dated=prices.dated,
                is_old=_is_old(prices.dated, today),
            )


def _newest(gpu: str, book: PriceBook) -> list[tuple[PriceListRecord, InstanceRecord]]:
    """Return each instance with that accelerator at its newest price."""
    found: dict[tuple[str, str, str], tuple[PriceListRecord, InstanceRecord]] = {}
    for prices in sorted(book.lists, key=lambda each: each.dated):
        for instance in prices.instances:
            if instance.gpu == gpu:
                found[prices.provider, prices.region, instance.name] = (prices, instance)
    return list(found.values())


def _order(rental: Rental) -> tuple[float, int, str, str]:
    return (rental.price_usd_per_hour, rental.instances, rental.provider, rental.instance)


def _times(record: PurchaseRecord, cards: int) -> Estimate:
    return Estimate(
        low=record.low_usd * cards,
        typical=record.typical_usd * cards,
        high=record.high_usd * cards,
    )


def _is_old(dated: date, today: date) -> bool:
    return today - dated > FRESH
