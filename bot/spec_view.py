"""What the pages about a server show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.run_view import answer_view
from sizing.spec.sharing import shared_cards

if TYPE_CHECKING:
    from bot.views import AnswerView
    from sizing.answer import Option
    from sizing.spec.answer import Spec, SpecWorkload

SPEC = "spec"
"""What these pages are about, as lists tell them from answers."""


@dataclass(frozen=True)
class WorkloadView:
    """One model of a spec."""

    workload: SpecWorkload
    shared: frozenset[int]
    """Cards that carry more than one copy."""

    @property
    def view(self) -> AnswerView:
        """Return its answer."""
        return answer_view(self.workload.answer)

    @property
    def option(self) -> Option:
        """Return the set it would take alone."""
        return self.workload.answer.options[0]

    @property
    def copies(self) -> int:
        """Return how many copies of it run."""
        return len(self.workload.seats)

    @property
    def gpus_per_copy(self) -> int:
        """Return the cards of one copy."""
        return len(self.workload.seats[0].cards)

    @property
    def is_beside(self) -> bool:
        """Return whether a copy stands on one card with others."""
        return self.gpus_per_copy == 1 and self.workload.seats[0].cards[0] in self.shared

    @property
    def percent(self) -> int:
        """Return the share of a card's memory that one copy reserves, per cent."""
        return self.workload.seats[0].fraction_percent


@dataclass(frozen=True)
class SpecView:
    """A spec, and what stands first in it."""

    spec: Spec

    goal = SPEC
    page = "spec.md.j2"

    @property
    def workloads(self) -> tuple[WorkloadView, ...]:
        """Return the models, in the order they were named."""
        seats = [seat for one in self.spec.workloads for seat in one.seats]
        shared = frozenset(shared_cards(seats))
        return tuple(WorkloadView(one, shared) for one in self.spec.workloads)

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
