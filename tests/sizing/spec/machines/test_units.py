"""Numbers of the records about machines carry their unit in their name."""

from __future__ import annotations

import importlib
import typing
from types import UnionType

import pytest
from pydantic import BaseModel

from sizing.units import UNIT_SUFFIXES

MODULES = (
    "contents", "cores", "drives", "host_plan", "lanes", "loading", "machines", "network",
    "platform_plan", "ram", "storage",
)  # fmt: skip
COUNTS = {
    "adapters", "cards", "cores", "cores_needed", "cpu_sockets", "data_bays", "data_drives",
    "devices", "dimms_per_channel", "drive_bays", "drives", "hosts", "lanes", "lanes_needed",
    "lost_with_drives", "machines", "memory_channels", "modules", "pcie_generation", "pcie_lanes",
    "per_channel", "ports", "practised_cores", "psus", "psus_needed", "rack_units", "sockets",
    "gpus_per_machine", "system_drives", "two_socket_pcie_lanes", "chipset_lanes", "gpus",
    "ram_to_gpu_memory", "software_share", "low", "typical", "high",
}  # fmt: skip
"""Fields without a unit: counts and ratios."""


def holds_numbers(annotation: object) -> bool:
    if annotation in (int, float):
        return True
    if isinstance(annotation, UnionType) or typing.get_origin(annotation) is not None:
        return any(holds_numbers(inner) for inner in typing.get_args(annotation))
    return False


@pytest.mark.parametrize("name", MODULES)
def test_units_stand_in_the_names_of_all_numbers(name: str) -> None:
    module = importlib.import_module(f"sizing.spec.{name}")
    records = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, BaseModel)
        and kind.__module__ == module.__name__
    ]
    assert records
    for record in records:
        for field, info in record.model_fields.items():
            if holds_numbers(info.annotation) and field not in COUNTS:
                assert any(field.endswith(f"_{unit}") for unit in UNIT_SUFFIXES), field
