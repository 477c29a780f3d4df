"""The part of a plan about electricity, cooling and the room, in both languages."""

from __future__ import annotations

import pytest

from bot.environment import make_environment
from bot.labels import Labels
from bot.messages import load_messages
from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec.electricity import load_electricity
from sizing.spec.facility import Machine, Use, facility_of
from sizing.spec.host_parts import usual_parts
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.wishes import SiteWishes

FACTS = load_electricity()
MODEL = ModelLoad(
    name="A model", model_id=None, kind=ModelKind.LLM, precision="fp8", engine="vllm",
    mode=Mode.INFER, parameters=10**9, weights_bytes=10**9, checkpoint_bytes=10**9, copies=1,
    gpus_per_copy=1,
)  # fmt: skip
IMPORT = '{% import "facility.md.j2" as parts %}{{ parts.facility(plan) }}'


def page(catalogue, language, gpu="h100-sxm", gpus=8, system="dgx-h100", **site):
    record = catalogue.gpus[gpu]
    load = ServerLoad(gpu=record, gpus=gpus, servers=4, models=(MODEL,))
    machine = Machine(rack_units=8, system=FACTS.system(system) if system else None)
    parts, wishes = usual_parts(record, gpus, FACTS), SiteWishes(**site)
    plan = facility_of(load, parts, machine, wishes, electricity=FACTS, use=Use(pue=1.5))
    environment = make_environment(load_messages(language, Labels(catalogue)))
    return environment.from_string(IMPORT).render(plan=plan)


@pytest.mark.parametrize(
    ("language", "facts"),
    [
        (
            "en",
            [
                "10.2 kW at the wall at most, 7.5 kW (6.5 kW–8.5 kW) in use",
                "(4): 40.8 kW, 42.9 kVA · **2 × 400 V three-phase 125 A (IEC 60309)** on feeds A",
                "34,802 BTU/h (2.9 tons)", "intake 5 to 30 °C", "slow down at 89 °C",
                "32 rack units, 2 racks with 3 servers and 30.6 kW", "544 kg/m²",
                "390,000 (340,000–450,000) kWh a year with a PUE of 1.50",
                "4 servers draw 40.80 kW, the limit is 30: 2 stay inside.",
            ],
        ),
        (
            "es",
            [
                "10,2 kW en la pared como máximo, 7,5 kW (6,5 kW–8,5 kW) en uso",
                "(4): 40,8 kW, 42,9 kVA · **2 × 400 V trifásica 125 A (IEC 60309)** entre las",
                "34.802 BTU/h (2,9 toneladas)", "de 5 a 30 °C", "bajan su reloj a 89 °C",
                "32 unidades de rack, 2 racks con 3 servidores y 30,6 kW", "544 kg/m²",
                "390.000 (340.000–450.000) kWh al año con un PUE de 1,50",
                "4 servidores consumen 40,80 kW y el límite es 30: caben 2.",
            ],
        ),
    ],
)  # fmt: skip
def test_the_page_of_four_dgx_h100(catalogue, language, facts) -> None:
    shown = page(catalogue, language, country="es", limit_kw=30)
    for fact in facts:
        assert fact in shown, shown


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("gpu", "gpus", "system"),
    [("l4", 1, None), ("gb200", 72, "gb200-nvl72"), ("tpu-v5e", 4, None), ("rtx-4090", 2, None)],
)
def test_every_kind_has_a_page(catalogue, language, gpu, gpus, system) -> None:
    shown = page(
        catalogue, language, gpu, gpus, system, voltage_v=400, breaker_a=63, circuits=2,
        rack_units=8, inlet_c=40, liquid=False, altitude_m=2_400, grid_g_co2e_per_kwh=250,
    )  # fmt: skip
    assert "CO₂e" in shown
    assert "None" not in shown
