"""The software of a server: what is needed, from which release on, and why."""

from __future__ import annotations

from datetime import date

from sizing.notes import Note
from sizing.records import (
    Count,
    Identifier,
    Name,
    Positive,
    PositiveCount,
    Record,
    Text,
)
from sizing.spec.stack_facts import KernelModules, Platform
from sizing.spec.versions import Version
from sizing.spec.watch_facts import Severity
from sizing.spec.wishes import Orchestrator


class Requirement(Record):
    """One piece of software on the host."""

    name: Name
    """Name people read."""

    least_version: Version | None
    """Oldest release that does; None where no source says so."""

    advised_version: Version | None
    """Release or branch to install; None where none is better than another."""

    ends: date | None
    """Day on which support of the advised release ends."""

    rule: Name
    """What decides the oldest release: `card`, `toolkit`, `engine`, `architecture`, `newest`."""

    is_confirmed: bool
    """Whether a first-hand source says so."""

    sources: tuple[Text, ...]
    """Where it can be read again."""

    checked: date
    """Day on which that was read."""


class EngineSoftware(Record):
    """One engine as it is started."""

    engine: Identifier
    """Serving engine, id."""

    models: tuple[Name, ...]
    """Models it serves."""

    image: Text | None
    """Container image without its tag; None where none is published."""

    version: Version | None
    """Release to take: the newest read about, or the last that runs on the card."""

    first_version: Version | None
    """First release that runs on the card; None where no source says so."""

    toolkit: Version | None
    """CUDA or ROCm that it brings along."""

    is_confirmed: bool
    """Whether first-hand sources say so."""

    sources: tuple[Text, ...]
    """Where it can be read again."""

    checked: date | None
    """Day on which that was read; None where nothing is known."""


class FormatGate(Record):
    """A number format that needs a compute capability."""

    precision: Identifier
    """Precision of the weights."""

    needed_capability: Version
    """Least compute capability that computes in it."""

    capability: Version
    """That of the card."""

    is_passed: bool
    """Whether the card computes in it; else it stores it at best."""


class Orchestration(Record):
    """What starts the containers and hands them the GPUs."""

    orchestrator: Orchestrator
    """Docker or Kubernetes."""

    rule: Name
    """Why: `asked`, `one_server`, `several_servers`."""

    operator: Name | None = None
    """Operator that installs driver, device plugin and monitoring."""

    operator_version: Version | None = None
    """Its release."""

    first_kubernetes: Version | None = None
    """Oldest Kubernetes that it supports."""

    last_kubernetes: Version | None = None
    """Newest Kubernetes it was validated with."""

    device_plugin: Version | None = None
    """Release of the device plugin."""

    resource: Name | None = None
    """Name under which Kubernetes counts the GPUs."""

    is_confirmed: bool = True
    """Whether first-hand sources say so."""

    sources: tuple[Text, ...] = ()
    """Where it can be read again."""


class LicenseNeed(Record):
    """One subscription."""

    license: Identifier
    """Subscription, id."""

    name: Name
    """Name people read."""

    licenses: Count
    """How many have to be bought: one for each GPU, those that come with a card left out."""

    rule: Name
    """Why so many: `production`, `trial`, `included`."""

    usd_per_year: Positive | None
    """All of them, before tax, USD a year; None where none is bought."""

    rented_usd_per_gpu_hour: Positive | None
    """On rented GPUs, USD per GPU and hour; None where it is not sold so, or not needed."""

    included_years: Positive | None
    """Years for which the cards bring them along."""

    dated: date
    """Day of the price."""

    is_old: bool
    """Whether that day is more than 90 days ago."""

    sources: tuple[Text, ...]
    """Where it can be read again."""


class Alarm(Record):
    """One figure to watch, with the bound for this card."""

    code: Identifier
    """What it watches."""

    metric: Name
    """What the exporter calls it."""

    severity: Severity
    """How soon somebody has to look."""

    above_c: Positive | None
    """Temperature that raises it, degrees Celsius."""

    above_w: Positive | None
    """Power of one GPU that raises it, W."""

    lasts_seconds: PositiveCount | None
    """How long it has to last; None for at once."""

    events: tuple[PositiveCount, ...]
    """Numbers of errors that raise it."""

    exported_by_default: bool
    """Whether the exporter sends it without being told."""

    is_confirmed: bool
    """Whether a source gives the bound."""


class Monitoring(Record):
    """What watches the GPUs."""

    exporter: Name
    """Program that offers their figures to Prometheus."""

    version: Text | None
    """Its release."""

    port: PositiveCount
    """Port it listens on."""

    dashboard: Text | None
    """Ready-made dashboard of Grafana."""

    alarms: tuple[Alarm, ...]
    """Figures that raise an alarm."""


class SoftwarePlan(Record):
    """The software of one kind of server."""

    platform: Platform
    """Family of drivers and libraries."""

    driver: Requirement | None
    """Driver of the GPU; None where it comes with the system."""

    kernel_modules: KernelModules | None
    """Flavour of NVIDIA's kernel modules."""

    container_toolkit: Requirement | None
    """What gives containers the GPU; None where there are none."""

    docker: Requirement | None
    """Docker, where an engine asks for a release."""

    operating_systems: tuple[Name, ...]
    """Systems that driver and containers are tested on; empty where none are named."""

    wanted_system: Name | None = None
    """System that the asker wants; None where any of the tested ones will do."""

    engines: tuple[EngineSoftware, ...]
    """Engines, by id."""

    gates: tuple[FormatGate, ...]
    """Number formats that need a compute capability."""

    orchestration: Orchestration | None
    """What starts the containers; None where there are none."""

    licenses: tuple[LicenseNeed, ...]
    """Subscriptions."""

    monitoring: Monitoring | None
    """What watches the GPUs; None where no exporter is known."""

    notes: tuple[Note, ...]
    """What was taken for granted, and what to see to."""
