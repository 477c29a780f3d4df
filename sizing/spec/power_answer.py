"""Answer a short question about electricity: what is drawn, what carries it, what it heats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.notes import Note
from sizing.performance import Estimate
from sizing.records import GpuRecord, Name, Positive, Record
from sizing.spec.answer_notes import answer_notes
from sizing.spec.circuits import (
    Circuit,
    CircuitUse,
    carried,
    needed,
    that_carry,
)
from sizing.spec.cooling import CoolingPlan, cooling_of
from sizing.spec.electricity import Electricity
from sizing.spec.host_parts import usual_parts
from sizing.spec.machine_records import SystemRecord
from sizing.spec.offered import familiar, offered_circuits, size_of
from sizing.spec.power import ServerPower, server_power
from sizing.spec.power_question import PowerQuestion, Topic
from sizing.spec.supplies import (
    Redundancy,
    SupplyCheck,
    check_supplies,
    efficiency_bounds,
    efficiency_percent,
    need_w,
    supply_class,
)
from sizing.split_notes import GPUS_PER_SERVER

EXAMPLES: Final = ("l40s", "a100-sxm-80", "h100-sxm", "b200-sxm")
"""Accelerators of servers that are shown where only their number is told."""

MOST_OFFERED = 4
"""Larger circuits that are offered beside those that were named."""

ONE_KW = 1000.0
"""Load that circuits are shown with where none was told, W."""

STAND_IN: Final = "l40s"
"""Card that stands for one whose board power alone was told."""


class Example(Record):
    """A server with as many accelerators as were told, of a kind that was not."""

    name: Name
    """System, or accelerator."""

    server: ServerPower
    """Its power."""

    circuits: tuple[CircuitUse, ...]
    """The circuits shown, with such servers on them."""


class PowerAnswer(Record):
    """What a question about electricity is answered with."""

    question: PowerQuestion
    """The question, understood."""

    server: ServerPower | None
    """One server; None where no accelerator was told."""

    examples: tuple[Example, ...] = ()
    """Servers that could be meant, smallest first."""

    load_w: Positive
    """Load of one server that circuits are counted with, W."""

    is_load_told: bool
    """Whether it follows from the question; else it is one kW."""

    supply_check: SupplyCheck | None = None
    """What the named supplies carry."""

    supply_input_w: Estimate | None = None
    """Draw of the named supplies at their full rating, W."""

    circuits: tuple[CircuitUse, ...]
    """Circuits that were named; familiar ones where none was."""

    offered: tuple[CircuitUse, ...] = ()
    """Larger circuits that carry one server."""

    needed: tuple[CircuitUse, ...] = ()
    """Circuits of each kind for the number of servers that was told."""

    cooling: CoolingPlan | None
    """Heat and air of one server; None where no load was told."""

    notes: tuple[Note, ...] = ()
    """What was assumed and what to mind."""


def power_answer(
    question: PowerQuestion, catalogue: Catalogue, electricity: Electricity
) -> PowerAnswer:
    """Return what a question about power is answered with.

    Raises InvalidRequestError where it tells no load, circuit or supply; UnknownCountryError.
    """
    return _Answering(question, catalogue, electricity).answer()


class _Answering:
    """One question, with what it is about."""

    def __init__(
        self, question: PowerQuestion, catalogue: Catalogue, electricity: Electricity
    ) -> None:
        self._asked = question
        self._catalogue = catalogue
        self._facts = electricity
        self._country = electricity.country(question.country) if question.country else None
        volts = [question.voltage_v, *(each.voltage_v for each in question.circuits)]
        self._voltage_v = min(filter(None, volts), default=None)
        self._factor = electricity.fallback.power_factor
        self._system = electricity.system(question.system or "")
        self._gpu = self._accelerator()
        self._shown = question.circuits or familiar(electricity, self._country, question.voltage_v)

    def answer(self) -> PowerAnswer:
        """Return the answer."""
        server, examples, input_w = self._server(), self._examples(), self._supply_input()
        load_w = self._load_w(server, examples, input_w)
        if load_w is None and not self._asked.circuits:
            raise InvalidRequestError(reason="no_power")
        uses = tuple(self._carried(each, load_w or ONE_KW) for each in self._shown)
        offered = self._offered(uses, load_w)
        return PowerAnswer(
            question=self._asked,
            server=server,
            examples=examples,
            load_w=load_w or ONE_KW,
            is_load_told=load_w is not None,
            supply_check=self._supply_check(server),
            supply_input_w=input_w,
            circuits=uses,
            offered=offered,
            needed=self._needed(load_w),
            cooling=self._cooling(server, load_w),
            notes=answer_notes(
                self._asked,
                self._facts,
                server=server,
                load_w=load_w,
                gpu=self._gpu,
                country=self._country,
                circuits=(*uses, *offered),
            ),
        )

    def _accelerator(self) -> GpuRecord | None:
        """Return the accelerator that was named, with the board power that was told."""
        asked = self._asked
        named = asked.gpu or (self._system.accelerators[-1] if self._system else None)
        if named is None and asked.gpu_w is None:
            return None
        gpu = self._catalogue.gpus[named or STAND_IN]
        return gpu.model_copy(update={"board_power_w": asked.gpu_w}) if asked.gpu_w else gpu

    def _server(self) -> ServerPower | None:
        """Return the server of the named accelerators."""
        if self._gpu is None:
            return None
        gpus = self._asked.gpus or (self._system.gpus if self._system else self._most_cards())
        is_usual = not (self._asked.gpu_w or self._asked.cpu_w)
        system = self._system or (self._facts.system_with(self._gpu, gpus) if is_usual else None)
        return self._powered(self._gpu, gpus, system)

    def _powered(self, gpu: GpuRecord, gpus: int, system: SystemRecord | None) -> ServerPower:
        host = usual_parts(gpu, gpus, self._facts, cpu_w=self._asked.cpu_w)
        return server_power(
            gpu,
            gpus,
            host,
            self._facts,
            system=system,
            redundancy=Redundancy.BOTH_FEEDS if self._asked.feeds > 1 else None,
            voltage_v=self._voltage_v,
        )

    def _most_cards(self) -> int:
        """Return the cards that the named supplies carry, where that is asked; else one."""
        check = self._check() if Topic.COUNT_CARDS in self._asked.topics else None
        return min(GPUS_PER_SERVER, max(1, check.most_gpus or 1)) if check else 1

    def _examples(self) -> tuple[Example, ...]:
        """Return servers of usual kinds with the number of accelerators that was told alone."""
        gpus = self._asked.gpus
        if self._gpu or gpus is None or self._asked.server_w:
            return ()
        found = []
        for name in EXAMPLES:
            gpu = self._catalogue.gpus[name]
            system = self._facts.system_with(gpu, gpus)
            server = self._powered(gpu, gpus, system)
            uses = tuple(self._carried(each, server.design_w) for each in self._shown)
            found.append(Example(name=server.system or gpu.name, server=server, circuits=uses))
        return tuple(sorted(found, key=lambda each: each.server.design_w))

    def _supply_input(self) -> Estimate | None:
        """Return what the named supplies draw at their full rating; of a pair one is spare."""
        check = self._check()
        if check is None:
            return None
        level = supply_class(self._facts, self._voltage_v, redundant=check.supplies > 1)
        worst, best = efficiency_bounds(level)
        full = efficiency_percent(level, 100)
        output = check.redundant_w * 100
        return Estimate(low=output / best, typical=output / full, high=output / worst)

    def _check(
        self, needed_w: float | None = None, *, rest_w: float | None = None
    ) -> SupplyCheck | None:
        asked = self._asked
        if asked.supply_w is None:
            return None
        return check_supplies(
            asked.supplies or 1,
            asked.supply_w,
            self._facts.supplies,
            gpu_w=self._gpu.board_power_w if self._gpu else None,
            needed_w=needed_w,
            rest_w=rest_w,
        )

    def _supply_check(self, server: ServerPower | None) -> SupplyCheck | None:
        """Return what the supplies carry, beside what the cards that were told need of them."""
        if server is None:
            return self._check()
        cards_w = server.gpus * (server.board_power_w or 0)
        alone = (self._asked.supplies or 1) == 1
        rest_w = max(0.0, server.dc_w.typical - cards_w) if alone else None
        if Topic.COUNT_CARDS in self._asked.topics and self._asked.gpus is None:
            return self._check(rest_w=rest_w)
        kept_w = self._facts.supplies.reserve_w if rest_w is None else rest_w
        return self._check(need_w(kept_w, cards_w, self._facts.supplies), rest_w=rest_w)

    def _load_w(
        self,
        server: ServerPower | None,
        examples: Sequence[Example],
        input_w: Estimate | None,
    ) -> float | None:
        if self._asked.server_w:
            return self._asked.server_w
        if server:
            return server.design_w
        if examples:
            return examples[-1].server.design_w
        return input_w.typical if input_w else None

    def _carried(self, circuit: Circuit, server_w: float) -> CircuitUse:
        feeds = self._asked.feeds
        circuits = self._asked.circuit_count or feeds
        return carried(circuit, server_w, power_factor=self._factor, circuits=circuits, feeds=feeds)

    def _offered(self, uses: Sequence[CircuitUse], load_w: float | None) -> tuple[CircuitUse, ...]:
        """Return larger circuits, where some that were named carry no server."""
        if load_w is None or all(use.servers for use in uses):
            return ()
        if not self._asked.circuits and any(use.servers for use in uses):
            return ()
        shown = {size_of(use.circuit) for use in uses}
        sold = offered_circuits(self._facts, self._country, uses)
        fresh = [each for each in sold if size_of(each) not in shown]
        return that_carry(fresh, load_w, power_factor=self._factor, most=MOST_OFFERED)

    def _needed(self, load_w: float | None) -> tuple[CircuitUse, ...]:
        servers, feeds = self._asked.servers, self._asked.feeds
        if servers is None or load_w is None:
            return ()
        return tuple(
            needed(each, load_w, servers, power_factor=self._factor, feeds=feeds)
            for each in self._shown
        )

    def _cooling(self, server: ServerPower | None, load_w: float | None) -> CoolingPlan | None:
        heat_w = server.heat_w if server else self._asked.server_w
        if heat_w is None or load_w is None:
            return None
        printed = server.system if server else None
        system = next((one for one in self._facts.systems if one.name == printed), None)
        altitude_m = self._asked.altitude_m
        return cooling_of(heat_w, self._facts, gpu=self._gpu, altitude_m=altitude_m, system=system)
