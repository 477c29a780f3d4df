"""What to mind of a server's power, as notes."""

from __future__ import annotations

from math import ceil

from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.records import GpuRecord
from sizing.spec.electricity import Electricity
from sizing.spec.electricity_records import ConnectorsRecord
from sizing.spec.machine_records import SystemRecord
from sizing.spec.supplies import SupplyPlan


def connectors_for(board_power_w: float, connectors: ConnectorsRecord) -> Note:
    """Return which connectors a card of that power takes."""
    beyond_w = board_power_w - connectors.slot_w
    if beyond_w <= 0:
        return note("slot_is_enough", board_power_w=board_power_w, slot_w=connectors.slot_w)
    return note(
        "card_connectors",
        board_power_w=board_power_w,
        slot_w=connectors.slot_w,
        eight_pins=ceil(beyond_w / connectors.eight_pin_w),
        eight_pin_w=connectors.eight_pin_w,
        sixteen_pins=ceil(board_power_w / connectors.sixteen_pin_w),
        sixteen_pin_w=connectors.sixteen_pin_w,
    )


def gpu_notes(
    gpu: GpuRecord, gpus: int, connectors: ConnectorsRecord, system: SystemRecord | None
) -> tuple[Note, ...]:
    """Return what to mind of the GPUs themselves."""
    if not gpu.board_power_w:
        return (note("board_power_unknown", gpu=gpu.id),)
    notes = []
    if (gpu.form_factor or "").startswith("PCIe"):
        notes.append(connectors_for(gpu.board_power_w * gpu.devices_per_card, connectors))
    if system and system.default_gpu_w and system.default_gpu_w < gpu.board_power_w:
        notes.append(
            note(
                "gpu_limit_lowered",
                system=system.name,
                default_w=system.default_gpu_w,
                board_power_w=gpu.board_power_w,
            )
        )
    return tuple(notes) if gpus else ()


def printed_notes(
    printed_w: float | None, dc_w: Estimate, system: SystemRecord | None
) -> tuple[Note, ...]:
    """Return where the maximum comes from."""
    if printed_w is None:
        return ()
    if system is None:
        return (note("maximum_given", most_w=printed_w, parts_w=dc_w.typical),)
    return (note("maximum_printed", system=system.name, most_w=printed_w, parts_w=dc_w.typical),)


def supply_notes(
    supply: SupplyPlan, electricity: Electricity, *, is_desktop: bool
) -> tuple[Note, ...]:
    """Return what to mind of the supplies."""
    sold = electricity.supplies
    most = sold.most_desktop_supplies if is_desktop else sold.most_redundant_supplies
    notes = []
    if supply.supplies > most:
        notes.append(note("supplies_beyond", supplies=supply.supplies, most_supplies=most))
    if is_desktop and supply.supplies > 1:
        notes.append(note("several_supplies", supplies=supply.supplies))
    if supply.supply_w > sold.low_line_most_w:
        notes.append(note("high_line_alone", supply_w=supply.supply_w, most_v=sold.low_line_v))
    return tuple(notes)
