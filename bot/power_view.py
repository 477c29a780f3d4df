"""What the page of an answer about electricity shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sizing.notes import Note
from sizing.spec.circuits import CircuitUse
from sizing.spec.cooling import CoolingPlan
from sizing.spec.power_answer import PowerAnswer

POWER = "power"
"""What these pages are about, as lists tell them from answers."""


@dataclass(frozen=True)
class PowerView:
    """An answer about electricity, ready for a template."""

    answer: PowerAnswer
    """The answer."""

    goal = POWER
    page = "power.md.j2"

    @property
    def gpus(self) -> int:
        """Return the accelerators of the server."""
        return self.answer.server.gpus if self.answer.server else 0

    @property
    def gpu(self) -> str | None:
        """Return the accelerator that was named, id."""
        return self.answer.question.gpu

    @property
    def system(self) -> str | None:
        """Return the whole system whose printed maximum counts."""
        return self.answer.server.system if self.answer.server else None

    @cached_property
    def rows(self) -> tuple[CircuitUse, ...]:
        """Return the circuits, those that were named first."""
        return (*self.answer.circuits, *self.answer.offered)

    @property
    def cooling(self) -> CoolingPlan | None:
        """Return heat and air."""
        return self.answer.cooling

    @property
    def spare_supplies(self) -> int:
        """Return the supplies beyond those that carry the load."""
        server = self.answer.server
        return server.supply.supplies - server.supply.needed_supplies if server else 0

    @property
    def first(self) -> CircuitUse:
        """Return the first circuit."""
        return self.rows[0]

    @property
    def none_carried(self) -> bool:
        """Return whether no circuit that was named carries a server."""
        return bool(self.answer.question.circuits) and not any(
            use.servers for use in self.answer.circuits
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return all that is to be minded: of the answer, then of heat and air."""
        return (*self.answer.notes, *(self.cooling.notes if self.cooling else ()))
