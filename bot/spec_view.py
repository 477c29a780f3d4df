"""What the pages about a server show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.option_view import wish_notes
from bot.run_view import answer_view
from sizing.request import Targets
from sizing.spec.passed import passed_notes, refused_notes
from sizing.spec.sharing import shared_cards

if TYPE_CHECKING:
    from bot.views import AnswerView
    from sizing.answer import Note, Option
    from sizing.spec.answer import Spec, SpecWorkload
    from sizing.spec.inside import InsidePlan
    from sizing.spec.mig_plan import MigSlice
    from sizing.spec.nim import NimSupport

NO_WISHES = Targets()

RESERVES = frozenset({"spare_servers", "growth_reserve"})
"""Servers beyond those of today's load."""

SPEC = "spec"
"""What these pages are about, as lists tell them from answers."""


@dataclass(frozen=True)
class WorkloadView:
    """One model of a spec."""

    workload: SpecWorkload
    shared: frozenset[int]
    """Cards that carry more than one copy."""
    slices: tuple[MigSlice, ...] = ()
    """MIG slices of its copies."""

    @property
    def view(self) -> AnswerView:
        """Return its answer."""
        return answer_view(self.workload.answer)

    @property
    def option(self) -> Option:
        """Return the set it would take alone."""
        return self.workload.answer.options[0]

    @property
    def wishes(self) -> tuple[Note, ...]:
        """Return whether the wishes about speed are kept, or why that cannot be told."""
        return wish_notes(self.option) if self.view.understood.targets != NO_WISHES else ()

    @property
    def copies(self) -> int:
        """Return how many copies of it run."""
        return len(self.workload.seats)

    @property
    def gpus_per_copy(self) -> int:
        """Return the cards of one copy."""
        return len(self.workload.seats[0].cards)

    @property
    def slice(self) -> MigSlice | None:
        """Return the MIG slice of one copy; None where it has whole cards or a fraction."""
        return self.slices[0] if self.slices else None

    @property
    def is_beside(self) -> bool:
        """Return whether a copy stands on one card with others."""
        return self.gpus_per_copy == 1 and self.workload.seats[0].cards[0] in self.shared

    @property
    def shares_card(self) -> bool:
        """Return whether some card of a copy carries others too."""
        return any(not self.shared.isdisjoint(seat.cards) for seat in self.workload.seats)

    @property
    def percent(self) -> int:
        """Return the share of a card's memory that one copy reserves, per cent."""
        return self.workload.seats[0].fraction_percent


@dataclass(frozen=True)
class NamedSupport:
    """What NVIDIA's matrix says of one model."""

    name: str
    support: NimSupport


@dataclass(frozen=True)
class MigCut:
    """What is typed on servers that are cut alike."""

    servers: tuple[int, ...]
    """Their numbers, from 1."""
    commands: tuple[str, ...]
    """What is typed on each."""


@dataclass(frozen=True)
class InsideView:
    """A plan that keeps all limits."""

    plan: InsidePlan
    line: str | None
    """What is typed for it in the terminal; None where no line says it."""
    changes: tuple[str, ...]
    """Words that are said anew."""

    @property
    def all_servers(self) -> int:
        """Return the servers that are bought."""
        return self.plan.servers + self.plan.spare_servers

    @property
    def reserves_alone(self) -> bool:
        """Return whether it is the first plan without its reserves."""
        return bool(self.plan.gives_up) and set(self.plan.gives_up) <= RESERVES

    @property
    def other(self) -> tuple[str, ...]:
        """Return what else is given up: the precision is named by itself."""
        return tuple(code for code in self.plan.gives_up if code != "precision")


@dataclass(frozen=True)
class SpecView:
    """A spec, and what stands first in it."""

    spec: Spec
    insides: tuple[InsideView, ...] = ()
    """Plans that keep all limits, where this one does not."""

    goal = SPEC
    page = "spec.md.j2"

    @property
    def workloads(self) -> tuple[WorkloadView, ...]:
        """Return the models, in the order they were named."""
        seats = [seat for one in self.spec.workloads for seat in one.seats]
        shared = frozenset(shared_cards(seats))
        slices = [each for card in self.spec.mig for each in card.slices]
        return tuple(
            WorkloadView(one, shared, tuple(each for each in slices if each.workload == place))
            for place, one in enumerate(self.spec.workloads)
        )

    @property
    def cuts(self) -> tuple[MigCut, ...]:
        """Return what cuts cards into MIG slices, servers that are cut alike together."""
        servers: dict[tuple[str, ...], list[int]] = {}
        for number in dict.fromkeys(card.server for card in self.spec.mig):
            cards = [card for card in self.spec.mig if card.server == number]
            commands = tuple(command for card in cards for command in card.commands)
            servers.setdefault(commands, []).append(number)
        return tuple(MigCut(tuple(found), commands) for commands, found in servers.items())

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the models."""
        return tuple(one.view.understood.model for one in self.workloads)

    @property
    def shares(self) -> bool:
        """Return whether some cards carry several models."""
        return self.spec.servers.shared_cards > 0

    @property
    def reserve_gpus(self) -> int:
        """Return the cards that only the load of later years takes."""
        return self.spec.servers.gpus_needed - self.spec.servers.gpus_needed_today

    @property
    def extra_gpus(self) -> int:
        """Return the cards that are bought only since boards and servers are sold whole."""
        servers = self.spec.servers
        return servers.gpus_per_server * servers.servers - servers.gpus_needed

    @property
    def limits(self) -> tuple[Note, ...]:
        """Return the limits of room and host that are exceeded, and what stays inside each."""
        return passed_notes(self.spec.around)

    @property
    def refused(self) -> tuple[Note, ...]:
        """Return what speaks against the machine that was named; none where it does."""
        return refused_notes(self.spec.around)

    @property
    def all_servers(self) -> int:
        """Return the servers that are bought."""
        return self.spec.servers.servers + self.spec.servers.spare_servers

    @property
    def nims(self) -> tuple[NamedSupport, ...]:
        """Return what NVIDIA's matrix says, by model."""
        pairs = zip(self.names, self.spec.nim, strict=True)
        return tuple(NamedSupport(name, support) for name, support in pairs)
