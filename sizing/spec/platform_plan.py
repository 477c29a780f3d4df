"""Machines for a load, and what to ask any vendor for."""

from __future__ import annotations

from sizing.notes import Note
from sizing.records import Identifier, Name, Positive, PositiveCount, Record
from sizing.spec.machine_kinds import Cooling, MachineKind, SlotForm


class PlatformOption(Record):
    """One machine that takes the cards."""

    id: Identifier
    """Id of the machine."""

    name: Name
    """Name people read, with its maker."""

    kind: MachineKind
    """What it is."""

    machines: PositiveCount
    """Machines for all GPUs of the load, spare ones not counted."""

    gpus_per_machine: PositiveCount
    """GPUs that the load fills of each."""

    takes_gpus: PositiveCount
    """GPUs that each takes."""

    rack_units: PositiveCount | None
    """Height, rack units; None where unknown, or where it stands beside a desk."""

    max_power_w: Positive | None
    """Published maximum draw, W."""

    psus: PositiveCount | None
    """Power supplies, or their bays."""

    psu_w: Positive | None
    """Rating of one, the smallest where several are offered, W."""

    psus_needed: PositiveCount | None
    """Supplies that carry the whole machine."""

    weight_kg: Positive | None
    """Published weight, kg."""

    inlet_low_c: float | None
    """Coldest air at its intake, degrees Celsius."""

    inlet_high_c: float | None
    """Warmest air at its intake, degrees Celsius."""

    cooling: Cooling
    """How it is cooled."""

    reasons: tuple[Note, ...]
    """What speaks for it, and what to know."""

    doubts: tuple[Note, ...]
    """What to ask of the vendor."""

    unverified: tuple[str, ...]
    """Keys above whose value no source at hand confirms."""

    sources: tuple[str, ...]
    """Where its facts come from."""


class PlatformAsk(Record):
    """What to ask any vendor for."""

    form: SlotForm
    """Place that each GPU needs."""

    gpus: PositiveCount
    """GPUs of one server."""

    cards: PositiveCount
    """Cards or modules that they are."""

    card_w: Positive | None
    """Most that each card or module draws, W."""

    needs_airflow: bool
    """Whether cards have no fan, so that the server must be certified for them."""

    stands_at_desk: bool
    """Whether one workstation is enough."""

    sockets: PositiveCount | None
    """Processor sockets."""

    cores: PositiveCount
    """Least physical cores."""

    ram_gb: Positive
    """Least memory, ECC, all channels filled alike, GB."""

    pcie_generation: PositiveCount | None
    """PCI Express generation of the slots."""

    system_drives: PositiveCount
    """Mirrored drives for the operating system, apart from data."""

    data_bays: PositiveCount
    """NVMe bays for data."""

    link: str
    """Link between the GPUs: the code of the host's part."""


class PlatformChoice(Record):
    """Machines for a load."""

    options: tuple[PlatformOption, ...]
    """Machines that take the cards, best first; empty where none is listed."""

    ask: PlatformAsk
    """What to ask for, whichever machine it is."""

    notes: tuple[Note, ...]
    """What became of the machine that was named, and what to know."""
