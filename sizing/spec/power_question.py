"""What a short question about electricity tells, understood."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import Count, Identifier, Name, Positive, PositiveCount, Record
from sizing.spec.circuits import Circuit


class Topic(StrEnum):
    """What is asked beside the draw."""

    COUNT_CARDS = "count_cards"
    SUPPLIES = "supplies"
    RESTARTS = "restarts"
    COOLING = "cooling"


class PowerQuestion(Record):
    """A question about power, circuits, supplies or heat."""

    gpu: Identifier | None = None
    """Accelerator, id; None where none was named."""

    gpus: PositiveCount | None = None
    """Accelerators in a server; None leaves one, or as many as the supplies carry."""

    system: Identifier | None = None
    """Whole system that was named, id."""

    gpu_w: Positive | None = None
    """Board power that was told, W."""

    server_w: Positive | None = None
    """Draw of one server at the wall that was told, W."""

    servers: PositiveCount | None = None
    """Servers; None where they are asked for, or one."""

    cpu_w: Positive | None = None
    """All processors of a server, W."""

    supplies: PositiveCount | None = None
    """Power supplies in a server."""

    supply_w: Positive | None = None
    """Rating of one supply, W."""

    circuits: tuple[Circuit, ...] = ()
    """Circuits that were named."""

    voltage_v: Positive | None = None
    """Voltage that was told without a breaker, V."""

    limit_w: Positive | None = None
    """Most that a rack, a room or an uninterruptible supply gives, W."""

    circuit_count: PositiveCount | None = None
    """How many of each there are, on all feeds together; None for one, or one on each feed."""

    feeds: Annotated[int, Field(ge=1, le=2)] = 1
    """Independent feeds that each server hangs on."""

    country: Identifier | None = None
    """Country, ISO code."""

    altitude_m: Count = 0
    """Height above the sea, m."""

    topics: tuple[Topic, ...] = ()
    """What else is asked."""

    ignored: tuple[Name, ...] = ()
    """Words that told nothing."""
