"""The spec: workloads on their cards, and the servers around these."""

from __future__ import annotations

from sizing.answer import CatalogueStamp, Note, SizingAnswer
from sizing.records import Count, Identifier, Positive, PositiveCount, Record
from sizing.spec.around import Around
from sizing.spec.equivalents import Equivalent
from sizing.spec.inside import Inside
from sizing.spec.mig_plan import MigCard
from sizing.spec.money_plan import CostPlan
from sizing.spec.nim import NimSupport
from sizing.spec.sharing import Seat
from sizing.spec.software_plan import SoftwarePlan


class SpecWorkload(Record):
    """One model of a spec."""

    people: PositiveCount | None
    """People who use it, where the load was told by them."""

    requests_per_person_per_hour: Positive | None
    """Requests that each of them sends in an hour of work."""

    answer: SizingAnswer
    """What it takes alone, at the load of the last year; its one option is what is bought."""

    seats: tuple[Seat, ...]
    """Where its copies stand."""

    @property
    def shared_percent(self) -> int | None:
        """Return the share of a card that one copy reserves; None where it has its own."""
        return self.seats[0].fraction_percent if self.seats else None


class Servers(Record):
    """Servers and cards that are bought, all alike."""

    gpu: Identifier
    """Catalogue id of the cards."""

    gpus_needed: PositiveCount
    """Cards that the load of the last year takes."""

    gpus_needed_today: PositiveCount
    """Cards that the load of today takes."""

    gpus_per_server: PositiveCount
    """Cards in one server."""

    servers: PositiveCount
    """Servers that carry the load."""

    spare_servers: Count
    """Servers that wait for one of them to fail."""

    gpus: PositiveCount
    """Cards of all servers."""

    shared_cards: Count
    """Cards that carry more than one copy."""

    spans_servers: bool
    """Whether one copy of a model uses several servers at once."""

    growth_factor: Positive
    """Load of the last year over that of today."""

    runs: bool
    """Whether every workload runs on these cards."""

    equivalents: tuple[Equivalent, ...] = ()
    """Other cards that carry the same load."""


class Spec(Record):
    """A full server spec."""

    workloads: tuple[SpecWorkload, ...]
    """Models, in the order they were named."""

    servers: Servers
    """Servers and cards."""

    mig: tuple[MigCard, ...] = ()
    """Cards that are cut into MIG slices; none where models have whole cards or fractions."""

    around: Around
    """What stands around the GPUs: host, storage, machine, power, circuits, cooling, room."""

    software: SoftwarePlan
    """Driver, containers, engines, licences, monitoring."""

    nim: tuple[NimSupport, ...]
    """What NVIDIA's own matrix says of each model on these GPUs, in their order."""

    cost: CostPlan
    """Purchase, years, and what renting would cost."""

    inside: Inside | None = None
    """Plans inside the limits that were told, where this one passes one; None where it does not."""

    warnings: tuple[Note, ...]
    """What the asker should know before trusting the spec."""

    assumptions: tuple[Note, ...]
    """Defaults that were filled in, and estimates."""

    catalogue: CatalogueStamp
    """Which facts were used."""
