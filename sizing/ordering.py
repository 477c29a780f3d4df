"""The order of sets: wishes kept, inside the budget, fewer servers, cheaper; unpriced ones last."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Generic, NamedTuple, Protocol, TypeVar

from sizing.buying import FULL_SERVER_GPUS, Wanted, purchase_usd, rent_usd_per_hour, wanted_of
from sizing.catalogue import Catalogue
from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.price import Basis
from sizing.request import Goal, SizingRequest
from sizing.running import (
    HOURS_PER_DAY,
    electricity_usd_per_hour,
    fixed_usd_per_month,
    in_use_per_month,
    terms_of,
)
from sizing.spending import Means
from sizing.units import ceil_div

BASES = {None: Basis.MONTH, Means.RENT: Basis.RENT, Means.BUY: Basis.PURCHASE}
"""What sets are ordered by, as the asker comes by them."""


UNITS = {Basis.RENT: "per_hour", Basis.PURCHASE: "per_card", Basis.MONTH: "per_month"}
"""What a price of each basis is for."""

MOST_OPTIONS = 10
"""Options of one answer."""

Size = tuple[int, float, bool, float, str]
"""Fewer GPUs, less memory, usable memory measured, fewer watts, id."""


@dataclass(frozen=True)
class PaidSet:
    """A set of equal GPUs, as it is paid for."""

    gpu_id: str
    mig_profile: str | None
    """MIG slice that each device is, where it is one."""
    gpus: int
    """Devices of all copies."""
    replicas: int
    servers: int
    """Servers that all of them stand in."""
    power_w: float | None
    """Maximum power of the cards, W."""


class Place(NamedTuple):
    """Place in the order; the lower goes first."""

    budget: int
    """0 inside the budget or none named, 1 perhaps, 2 beyond it, 3 where no price is known."""
    servers: int
    """Servers that the price leaves out: all for bought cards, those of a copy for rented ones."""
    is_unpriced: bool
    usd: float
    """Price in the unit of the basis."""


UNPRICED = Place(budget=0, servers=0, is_unpriced=True, usd=inf)
"""Place where money is not weighed."""


@dataclass(frozen=True)
class _Prices:
    rent_usd_per_hour: float | None
    purchase_usd: Estimate | None


class Purse:
    """Weighs sets by what they cost the asker, by the price lists of one catalogue."""

    def __init__(self, request: SizingRequest, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._counts = request.goal is Goal.SIZE
        self._means = request.spending.means
        self._budget_usd = request.budget_usd
        self._hours = request.spending.hours_per_day or HOURS_PER_DAY
        self.terms = terms_of(request.spending, catalogue.prices.facility)

    @property
    def basis(self) -> Basis:
        """Return what money is counted by."""
        return BASES[self._means]

    @property
    def leads(self) -> bool:
        """Return whether money decides what goes first: where renting or buying was asked for."""
        return self._counts and self._means is not None

    def place(self, paid: PaidSet) -> Place:
        """Return where a set stands by money: all alike where the most of something was asked."""
        if not self._counts:
            return UNPRICED
        wanted = self._wanted(paid)
        prices = self._prices(wanted)
        usd = self._usd(prices, paid.power_w)
        return Place(
            budget=self._against_budget(prices),
            servers=self._servers(paid, wanted),
            is_unpriced=usd is None,
            usd=inf if usd is None else usd,
        )

    def least_usd_per_month(self, wanted: Wanted, power_w: float | None) -> float | None:
        """Return the cheaper of renting and owning, USD per month; None without any price."""
        return self._per_month(self._prices(wanted), power_w)

    def _wanted(self, paid: PaidSet) -> Wanted | None:
        gpu = self._catalogue.gpus.get(paid.gpu_id)
        if gpu is None:
            return None
        return wanted_of(gpu, paid.mig_profile, gpus=paid.gpus, replicas=paid.replicas)

    def _prices(self, wanted: Wanted | None) -> _Prices:
        if wanted is None:
            return _Prices(None, None)
        book = self._catalogue.prices
        rent = None if self._means is Means.BUY else rent_usd_per_hour(wanted, book)
        bought = None if self._means is Means.RENT else purchase_usd(wanted, book)
        return _Prices(rent, bought)

    def _usd(self, prices: _Prices, power_w: float | None) -> float | None:
        if self._means is Means.RENT:
            return prices.rent_usd_per_hour
        if self._means is Means.BUY:
            return prices.purchase_usd.typical if prices.purchase_usd else None
        return self._per_month(prices, power_w)

    def _per_month(self, prices: _Prices, power_w: float | None) -> float | None:
        rent, bought = prices.rent_usd_per_hour, prices.purchase_usd
        ways = [] if rent is None else [in_use_per_month(rent, self._hours)]
        if bought and power_w is not None and self.terms:
            power = electricity_usd_per_hour(power_w, self.terms)
            fixed = fixed_usd_per_month(bought, self.terms).typical
            ways.append(fixed + in_use_per_month(power, self._hours))
        return min(ways, default=None)

    def _servers(self, paid: PaidSet, wanted: Wanted | None) -> int:
        if self._means is not Means.RENT or wanted is None:
            return paid.servers
        most = wanted.gpu.most_per_server_gpus or FULL_SERVER_GPUS
        return ceil_div(wanted.gpus_per_copy, most)

    def _against_budget(self, prices: _Prices) -> int:
        budget_usd = self._budget_usd
        if budget_usd is None:
            return 0
        if self._means is Means.RENT:
            rent = prices.rent_usd_per_hour
            if rent is None:
                return 3
            return 0 if in_use_per_month(rent, self._hours) <= budget_usd else 2
        if prices.purchase_usd is None:
            return 3
        if prices.purchase_usd.high <= budget_usd:
            return 0
        return 1 if prices.purchase_usd.low <= budget_usd else 2


class Weighed(Protocol):
    """A candidate that an order tells from others."""

    @property
    def key(self) -> Hashable:
        """Return what tells two candidates apart."""


Row = TypeVar("Row", bound=Weighed)


class Order(Generic[Row]):
    """Puts the sets of one question in order; the place of each is computed once."""

    def __init__(
        self,
        purse: Purse,
        *,
        paid: Callable[[Row], PaidSet],
        size: Callable[[Row], Size],
        wishes: Callable[[Row], int] = lambda _: 0,
    ) -> None:
        self._purse = purse
        self._paid, self._size, self._wishes = paid, size, wishes
        self._places: dict[Hashable, tuple[int, Place]] = {}

    def by_money(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows that keep more wishes first, then by money, by size where it is equal."""
        return sorted(rows, key=self._by_money)

    def by_size(self, rows: Iterable[Row]) -> list[Row]:
        """Return the smallest first, of those that keep wishes and budget; priced before others."""
        return sorted(rows, key=self._by_size)

    def as_asked(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows by money where renting or buying was asked for, else by size."""
        return self.by_money(rows) if self._purse.leads else self.by_size(rows)

    def listed(self, marked: Iterable[Row], rows: Iterable[Row]) -> list[Row]:
        """Return the marked rows before the others, all by money where that leads."""
        others = self.by_money(rows)
        return self.by_money([*marked, *others]) if self._purse.leads else [*marked, *others]

    def keeping(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows that are known to keep every wish."""
        return [row for row in rows if self._place(row)[0] == 0]

    def unjudged(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of which it is not known whether they keep every wish."""
        return [row for row in rows if self._place(row)[0] == 1]

    def breaking(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows that are known to break a wish."""
        return [row for row in rows if self._place(row)[0] == 2]

    def cheapest(self, rows: Iterable[Row]) -> list[Row]:
        """Return the first by money, where the prices of several are known."""
        priced = {row.key: row for row in rows if not self._place(row)[1].is_unpriced}
        return [min(priced.values(), key=self._by_money)] if len(priced) > 1 else []

    def cheapest_note(self, row: Row) -> Note:
        """Return the mark of the cheapest set, with what it costs by the basis."""
        return note("cheapest", basis=UNITS[self._purse.basis], price_usd=self._place(row)[1].usd)

    def _by_money(self, row: Row) -> tuple[int, Place, Size]:
        return (*self._place(row), self._size(row))

    def _by_size(self, row: Row) -> tuple[int, int, int, bool, Size]:
        wishes, place = self._place(row)
        size = self._size(row)
        return (wishes, place.budget, size[0], place.is_unpriced, size)

    def _place(self, row: Row) -> tuple[int, Place]:
        key = row.key
        found = self._places.get(key)
        if found is None:
            found = (self._wishes(row), self._purse.place(self._paid(row)))
            self._places[key] = found
        return found


def first_of(rows: Iterable[Row], marked: Iterable[Row]) -> list[Row]:
    """Return the ten rows of an answer: the first ones, and those with a mark wherever they are."""
    unique = {row.key: row for row in rows}
    kept = [row.key for row in marked if row.key in unique]
    chosen = set(list(dict.fromkeys([*kept, *unique]))[:MOST_OPTIONS])
    return [row for key, row in unique.items() if key in chosen]
