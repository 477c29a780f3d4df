"""What the plan of electricity, cooling and the room tells a purchase."""

from __future__ import annotations

from typing import Any

from sizing.spec.cooling import Liquid
from sizing.spec.facility import FacilityPlan

KG_PER_TONNE = 1000
W_PER_KW = 1000
LARGEST_C13_W = 2000
"""Rating of a supply from which its cord is a C19 at 230 V: 10 A carry 2.3 kW (IEC 60320)."""

Facts = dict[str, Any]


def facility_facts(plan: FacilityPlan) -> Facts:
    """Return values of ChecklistFacts by name; None for what is not known."""
    return _power(plan) | _circuits(plan) | _cooling(plan) | _room(plan)


def _power(plan: FacilityPlan) -> Facts:
    power, servers = plan.power, plan.site.servers
    supply = power.supply
    return {
        "server_typical_w": power.in_use_w.typical,
        "server_peak_w": power.design_w,
        "peak_kw": plan.site.total_kw,
        "peak_kva": plan.site.total_kva,
        "psus": supply.supplies,
        "psu_w": supply.supply_w,
        "psus_needed": supply.needed_supplies,
        "outlets": supply.supplies * servers,
        "outlet_type": "C19" if supply.supply_w > LARGEST_C13_W else "C13",
        "transient_w": power.peak_w,
    }


def _circuits(plan: FacilityPlan) -> Facts:
    use, circuit = plan.needed, plan.needed.circuit
    each_feed = max(1, use.circuits // use.feeds)
    load_va = plan.power.apparent_va * plan.site.servers / each_feed
    return {
        "feeds": use.feeds,
        "circuits_per_feed": each_feed,
        "circuit_a": circuit.breaker_a,
        "circuit_v": circuit.voltage_v,
        "circuit_phases": circuit.phases,
        "feed_kw": circuit.usable_va * each_feed * plan.power.power_factor / W_PER_KW,
        "feed_load_a": circuit.current_a(load_va),
        "breaker_share_percent": circuit.continuous_percent,
    }


def _cooling(plan: FacilityPlan) -> Facts:
    cooling, servers = plan.cooling, plan.site.servers
    known = cooling.throttling
    return {
        "heat_kw": cooling.heat_w * servers / W_PER_KW,
        "heat_btu_per_h": cooling.heat_btu_per_h * servers,
        "cooling_tons": cooling.cooling_tons * servers,
        "airflow_m3_per_h": cooling.airflow_m3_per_h.typical * servers,
        "airflow_cfm": cooling.airflow_cfm.typical * servers,
        "inlet_low_c": cooling.inlet_low_c,
        "inlet_high_c": cooling.inlet_high_c,
        "throttle_c": (known.slowdown_c or known.most_operating_c) if known else None,
        "liquid_required": cooling.liquid is Liquid.REQUIRED,
    }


def _room(plan: FacilityPlan) -> Facts:
    site, energy = plan.site, plan.site.energy
    each_kg = site.weight_kg / site.servers_per_rack if site.weight_kg else None
    return {
        "rack_units": site.rack_units,
        "racks": site.racks,
        "rack_kw": site.rack_kw,
        "server_kg": each_kg,
        "total_kg": each_kg * site.servers if each_kg else None,
        "energy_kwh_per_year": energy.site_kwh.typical,
        "pue": energy.pue,
        "emissions_kg_per_year": energy.co2e_t.typical * KG_PER_TONNE if energy.co2e_t else None,
    }
