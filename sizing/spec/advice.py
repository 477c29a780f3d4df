"""The sentence of each piece of advice about a machine."""

from __future__ import annotations

from sizing.notes import note
from sizing.spec.machine_kinds import Advice

ADVICE = {
    Advice.BUILT_OF_PARTS: note("platform_built_of_parts"),
    Advice.CARDS_NEED_FAN_KIT: note("platform_cards_need_fan_kit"),
    Advice.KIT_LIMITS_CARDS: note("platform_kit_limits_cards"),
    Advice.MORE_PLACES_UNTESTED: note("platform_more_places_untested"),
    Advice.NOT_ALL_PLACES_AT_ONCE: note("platform_not_all_places_at_once"),
    Advice.ONE_FRONT_FOR_GOOD: note("platform_one_front_for_good"),
    Advice.POWER_SET_LOWER: note("platform_power_set_lower"),
    Advice.SINGLE_WIDTH_75_W: note("platform_single_width_75_w"),
    Advice.SLOTS_NEED_BOTH_PROCESSORS: note("platform_slots_need_both_processors"),
    Advice.SLOWS_WITHOUT_SUPPLY: note("platform_slows_without_supply"),
    Advice.SUPPLIES_FOLLOW_CARDS: note("platform_supplies_follow_cards"),
    Advice.SUPPLIES_SIZES_DIFFER: note("platform_supplies_sizes_differ"),
    Advice.WEIGHT_OF_CHASSIS: note("platform_weight_of_chassis"),
}
"""By what the list of machines says."""
