"""Plans that stay inside the limits that a first plan passes, or how far away the nearest are."""

from __future__ import annotations

from sizing.notes import Note
from sizing.performance import Estimate
from sizing.price import Rental
from sizing.records import Count, Identifier, Name, Positive, PositiveCount, Record
from sizing.spec.request import SpecRequest


class InsideFigures(Record):
    """Figures of a plan that keeps every limit that was told."""

    gpu: Identifier
    """Catalogue id of its cards."""

    gpus: PositiveCount
    """Cards of all servers."""

    gpus_per_server: PositiveCount
    """Cards in one server."""

    servers: PositiveCount
    """Servers that carry the load."""

    spare_servers: Count
    """Servers that wait for one of them to fail."""

    machine: Name | None
    """A machine that takes the cards; None where none is listed."""

    total_kw: Positive
    """Highest draw of all servers, kW."""

    rack_units: PositiveCount
    """Rack units of all servers."""

    circuits: PositiveCount
    """Circuits of all servers, those of both feeds counted."""

    usd: Estimate | None
    """Purchase, or a month of rent where renting is wanted, USD; None where a price is missing."""

    rental: Rental | None
    """What is rented, where renting is wanted."""

    gives_up: tuple[Name, ...]
    """What it does without: `spare_servers`, `growth_reserve`, `precision`, `named_cards`,
    `named_count`, `vendor`, `market`, `speed_known`; nothing where it carries all as asked."""

    precision: Identifier | None
    """Precision of the models whose own was left open, where it gives that up."""


class InsidePlan(InsideFigures):
    """A plan that keeps every limit, and the question that asks for it."""

    request: SpecRequest
    """Question that is answered with this plan."""


class Inside(Record):
    """The limits that a plan passes, and what stays inside all that were told."""

    passed: tuple[Name, ...]
    """Limits that are passed, by the names of their wishes; `budget` last."""

    plans: tuple[InsidePlan, ...]
    """Plans that keep all limits, the nearest first; none where no card has one."""

    least: tuple[Note, ...]
    """Where there is none: the least that was found of what is limited, and how far above."""

    tried_without: tuple[Name, ...]
    """What was given up in the last try, where there is none; as `gives_up` of a plan."""

    kinds_tried: Count
    """Kinds of cards that were planned."""
