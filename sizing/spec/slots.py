"""The place a GPU needs in a machine, and how many of them a machine has for it."""

from __future__ import annotations

from sizing.records import GpuRecord, Segment
from sizing.spec.machine_kinds import SlotForm
from sizing.spec.machines import SlotGroup
from sizing.units import ceil_div

MODULES = {
    "SXM": SlotForm.SXM,
    "OAM": SlotForm.OAM,
    "superchip tray": SlotForm.TRAY,
}
"""Forms that a baseboard or a tray takes, by the form factor of the GPU."""

WIDER = (
    SlotForm.PCIE_LOW,
    SlotForm.PCIE_SINGLE,
    SlotForm.PCIE_DOUBLE,
    SlotForm.PCIE_TRIPLE,
)
"""Places for cards, each of which takes the cards before it (low ones with another bracket)."""


def slot_form(gpu: GpuRecord) -> SlotForm:
    """Return the place that the GPU needs."""
    form = gpu.form_factor or ""
    if gpu.unified_memory or not form.startswith("PCIe"):
        return MODULES.get(form, SlotForm.BUILT_IN)
    slots = gpu.slots or 2
    if slots > 2:
        return SlotForm.PCIE_TRIPLE
    if slots > 1:
        return SlotForm.PCIE_DOUBLE
    return SlotForm.PCIE_LOW if form.startswith("PCIe LP") else SlotForm.PCIE_SINGLE


def is_card(gpu: GpuRecord) -> bool:
    """Return whether the GPU is a card for a slot."""
    return slot_form(gpu) in WIDER


def is_on_board(gpu: GpuRecord) -> bool:
    """Return whether several such GPUs come on one baseboard or tray."""
    return slot_form(gpu) in MODULES.values()


def cards(gpu: GpuRecord, gpus: int) -> int:
    """Return the cards or modules that so many GPUs are."""
    return ceil_div(gpus, gpu.devices_per_card)


def places(group: SlotGroup, form: SlotForm) -> int:
    """Return how many cards of that form the group takes.

    A card of three slots takes two places of two slots each.
    """
    if form not in WIDER or group.form not in WIDER:
        return group.gpus if form is group.form else 0
    if WIDER.index(group.form) >= WIDER.index(form):
        return group.gpus
    is_triple_in_double = (group.form, form) == (SlotForm.PCIE_DOUBLE, SlotForm.PCIE_TRIPLE)
    return group.gpus // 2 if is_triple_in_double else 0


def needs_airflow(gpu: GpuRecord) -> bool:
    """Return whether the card has no fan and lives on the air of the machine."""
    return is_card(gpu) and (gpu.cooling or "").startswith("passive")


def has_fan(gpu: GpuRecord) -> bool:
    """Return whether the card has a fan of its own, and so belongs into a tower."""
    return is_card(gpu) and (gpu.cooling or "").startswith("active")


def is_for_desks(gpu: GpuRecord) -> bool:
    """Return whether the GPU is sold for workstations and desks."""
    return gpu.segment in (Segment.WORKSTATION, Segment.CONSUMER, Segment.DESKTOP_SOC)
