"""Kinds of machines, of places in them and of advice about them."""

from __future__ import annotations

from enum import StrEnum


class MachineKind(StrEnum):
    """What a machine is, as it is bought."""

    INTEGRATED = "integrated"
    RACK_SERVER = "rack_server"
    RACK_SYSTEM = "rack_system"
    TOWER_SERVER = "tower_server"
    WORKSTATION = "workstation"
    DESKTOP = "desktop"
    EDGE = "edge"


class SlotForm(StrEnum):
    """Place for a GPU."""

    SXM = "sxm"
    OAM = "oam"
    TRAY = "tray"
    BUILT_IN = "built_in"
    PCIE_LOW = "pcie_low"
    PCIE_SINGLE = "pcie_single"
    PCIE_DOUBLE = "pcie_double"
    PCIE_TRIPLE = "pcie_triple"


class Cooling(StrEnum):
    """How a machine is cooled."""

    AIR = "air"
    LIQUID = "liquid"
    EITHER = "either"


class ProcessorUse(StrEnum):
    """Machines a processor is sold for."""

    DESKTOP = "desktop"
    WORKSTATION = "workstation"
    SERVER = "server"
    BUILT_IN = "built_in"


class Advice(StrEnum):
    """What a buyer of one machine should know."""

    BUILT_OF_PARTS = "built_of_parts"
    CARDS_NEED_FAN_KIT = "cards_need_fan_kit"
    KIT_LIMITS_CARDS = "kit_limits_cards"
    MORE_PLACES_UNTESTED = "more_places_untested"
    NOT_ALL_PLACES_AT_ONCE = "not_all_places_at_once"
    ONE_FRONT_FOR_GOOD = "one_front_for_good"
    POWER_SET_LOWER = "power_set_lower"
    SINGLE_WIDTH_75_W = "single_width_75_w"
    SLOTS_NEED_BOTH_PROCESSORS = "slots_need_both_processors"
    SLOWS_WITHOUT_SUPPLY = "slows_without_supply"
    SUPPLIES_FOLLOW_CARDS = "supplies_follow_cards"
    SUPPLIES_SIZES_DIFFER = "supplies_sizes_differ"
    WEIGHT_OF_CHASSIS = "weight_of_chassis"
