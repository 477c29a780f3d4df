"""Questions about electricity: circuits, watts and what they belong to, with and without a verb."""

from __future__ import annotations

import pytest

from bot.command import Ask, Power
from sizing.errors import InvalidRequestError, SizingError
from sizing.spec.electricity import UnknownCountryError


@pytest.fixture
def told(grammar):
    """Return a function from a line to what it tells."""

    def read(text):
        command = grammar.parse(text)
        assert isinstance(command, Power), f"{text!r}: {command}"
        return command.question.model_dump(mode="json", exclude_defaults=True)

    return read


def circuits(question):
    return [
        (each["voltage_v"], each.get("phases", 1), each["breaker_a"])
        for each in question["circuits"]
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("230V 32A", [(230, 1, 32)]),
        ("32A 230V", [(230, 1, 32)]),
        ("230 V, 32 A", [(230, 1, 32)]),
        ("230V/32A", [(230, 1, 32)]),
        ("208V3ph60A", [(208, 3, 60)]),
        ("208 V three-phase 60 A", [(208, 3, 60)]),
        ("400V 32A", [(400, 3, 32)]),
        ("230/400 V 63 A", [(400, 3, 63)]),
        ("400V 32A monofásico", [(400, 1, 32)]),
        ("3 fases 208V 30A", [(208, 3, 30)]),
        ("120V/20A 208V/30A 208V3ph60A", [(120, 1, 20), (208, 1, 30), (208, 3, 60)]),
        ("20A 120V or 30A 208V", [(120, 1, 20), (208, 1, 30)]),
        ("230V 16A o 32A", [(230, 1, 16), (230, 1, 32)]),
        ("trifásico 400 V 32 A y monofásico 230V 16A", [(400, 3, 32), (230, 1, 16)]),
        ("230V 32A monofásico o 400V 32A trifásico", [(230, 1, 32), (400, 3, 32)]),
        ("20 amperios a 120 voltios", [(120, 1, 20)]),
        ("120V 20A 120V 20A", [(120, 1, 20)]),
    ],
)
def test_circuits(told, text, expected):
    assert circuits(told(f"power 500W {text}")) == expected


@pytest.mark.parametrize("text", ["4 a100 80gb 230V", "power 4xa100-80 230V"])
def test_a_card_is_no_ampere(told, text):
    question = told(text if text.startswith("power") else f"power {text}")
    assert question["gpu"] == "a100-sxm-80"
    assert question["voltage_v"] == 230
    assert "circuits" not in question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8xh100", {"gpu": "h100-sxm", "gpus": 8}),
        ("7x4090 cpu=280W", {"gpu": "rtx-4090", "gpus": 7, "cpu_w": 280}),
        ("7x4090 280W CPU", {"gpu": "rtx-4090", "gpus": 7, "cpu_w": 280}),
        ("4x300W psu=2x1800W", {"gpus": 4, "gpu_w": 300, "supplies": 2, "supply_w": 1800}),
        ("A6000 2x1,8 kW PSU", {"gpu": "rtx-a6000", "supplies": 2, "supply_w": 1800}),
        ("dos fuentes de 1600 W 3090", {"gpu": "rtx-3090", "supplies": 2, "supply_w": 1600}),
        ("4 RTX 3090 y un Threadripper de 350W", {"gpu": "rtx-3090", "gpus": 4, "cpu_w": 350}),
        ("2x RTX 3090, 350W Xeon w9-3475X", {"gpu": "rtx-3090", "gpus": 2, "cpu_w": 350}),
        ("2x750W PSU 3 GPU de 160W", {"gpus": 3, "gpu_w": 160, "supplies": 2, "supply_w": 750}),
        (
            "RTX A6000 300W 1600W",
            {
                "gpu": "rtx-a6000",
                "gpu_w": 300,
                "supplies": 1,
                "supply_w": 1600,
            },
        ),
        ("DGX H100 40 kW rack", {"system": "dgx-h100", "limit_w": 40_000}),
        ("UPS de 10 kVA DGX A100", {"system": "dgx-a100", "limit_w": 10_000}),
        ("3090 370W", {"gpu": "rtx-3090", "gpu_w": 370}),
        ("3090 1400W", {"gpu": "rtx-3090", "supplies": 1, "supply_w": 1400}),
        ("500W", {"server_w": 500}),
        ("2 kW", {"server_w": 2000}),
        ("10 servers of 2 kW", {"servers": 10, "server_w": 2000}),
        ("nodo=500W servidores=10", {"servers": 10, "server_w": 500}),
        ("20 nodos de 1,5 kW", {"servers": 20, "server_w": 1500}),
        ("dgx b200", {"system": "dgx-b200"}),
        ("2x DGX H100", {"system": "dgx-h100", "servers": 2}),
        ("3 DGX A100", {"system": "dgx-a100", "servers": 3}),
        ("4x L40S en españa", {"gpu": "l40s", "gpus": 4, "country": "es"}),
        ("8xh100 country=mx", {"gpu": "h100-sxm", "gpus": 8, "country": "mx"}),
        ("8xh100 a/b", {"gpu": "h100-sxm", "gpus": 8, "feeds": 2}),
        ("8xh100 2240 m", {"gpu": "h100-sxm", "gpus": 8, "altitude_m": 2240}),
        ("8xh100 altitud=2240", {"gpu": "h100-sxm", "gpus": 8, "altitude_m": 2240}),
    ],
)
def test_what_watts_and_numbers_belong_to(told, text, expected):
    question = told(f"power {text}")
    question.pop("topics", None)
    assert question == expected


def test_how_many_circuits_there_are(told):
    question = told("power dgx h100 a/b 2x 400V 63A")
    assert (question["circuit_count"], question["feeds"]) == (2, 2)
    assert told("cuántos DGX H100 en 4 circuitos de 400 V 63 A")["circuit_count"] == 4


@pytest.mark.parametrize("verb", ["power", "energía", "electricidad", "Potencia", "corriente"])
def test_each_verb(told, verb):
    assert told(f"{verb} 8xh100")["gpus"] == 8


@pytest.mark.parametrize(
    "text",
    [
        "can a 1500W power supply run on a 120V 15A outlet",
        "PSU for 4x RTX 3090?",
        "¿cuánto consume un servidor 8xH200?",
        "my 4090 keeps rebooting under load",
        "8x L40S 208V 30A",
        "XE9680 400V",
        "how many DGX H100 fit in a 40 kW rack",
    ],
)
def test_a_line_without_a_model_may_do_without_the_verb(told, text):
    told(text)


@pytest.mark.parametrize(
    "text",
    [
        "llama-13b int8",
        "llama 3.1 70b fp8 4xh100 power=3000w",
        "potencia 3000w llama-2-13b",
        "llama-70b on a server with 230V 32A",
    ],
)
def test_a_model_makes_it_a_question_of_size(grammar, text):
    assert isinstance(grammar.parse(text), Ask)


@pytest.mark.parametrize("text", ["L40S", "8xh100", "fp8 gpu=l40s", "foo-bar-9000"])
def test_other_lines_stay_what_they_were(grammar, text):
    with pytest.raises(SizingError):
        grammar.parse(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("power", "no_power"),
        ("power feeds=3 8xh100", "bad_value"),
        ("power psu=lots 8xh100", "bad_value"),
        ("power 8xh100 230V 9000A", "bad_value"),
        ("power 8xh100 12V 30A", "bad_value"),
        ("power servers=0 500W", "bad_value"),
        ("power 8xh100 usres=3", "unknown_key"),
    ],
)
def test_what_cannot_be_is_told(grammar, text, reason):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(text)
    assert caught.value.values["reason"] == reason


def test_an_unknown_country_is_told(grammar):
    with pytest.raises(UnknownCountryError):
        grammar.parse("power 8xh100 country=zz")


def test_language_and_privacy_are_heard(grammar):
    command = grammar.parse("power 8xh100 lang=es --private")
    assert (command.language, command.private) == ("es", True)


def test_words_that_tell_nothing_are_kept(told):
    assert told("Lenovo P900 1400W + 3090")["ignored"] == ["lenovo", "p900"]
