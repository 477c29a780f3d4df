"""Lines that ask for a whole server."""

from __future__ import annotations

import pytest

from bot.command import AskSpec
from sizing.errors import InvalidRequestError, SizingError
from sizing.spec.request import SpecRequest


def spec(grammar, line: str) -> SpecRequest:
    command = grammar.parse(line)
    assert isinstance(command, AskSpec)
    return command.request


def test_workloads_and_the_room_around_them(grammar):
    asked = spec(
        grammar,
        "spec llama-70b fp8 users=20 + bge-m3 + whisper-large-v3 growth=30% years=3 country=es"
        " kw=12 iva=21%",
    )
    models = [one.request.model_id for one in asked.workloads]
    assert models == ["llama-3.3-70b", "bge-m3", "whisper-large-v3"]
    assert asked.workloads[0].request.concurrent_requests == 20
    assert (asked.growth.growth_percent, asked.growth.horizon_years) == (30, 3)
    assert (asked.site.country, asked.site.limit_kw, asked.money.tax_percent) == ("ES", 12, 21)


def test_spanish_words(grammar):
    asked = spec(
        grammar,
        "ficha llama 3.1 8b personas=300 rph=12 crecimiento 20% país=mx líquida=no"
        " tensión=400V fases=3 disyuntor=32A acometidas=2 altitud=2.240m moneda=mxn",
    )
    (workload,) = asked.workloads
    assert (workload.people, workload.requests_per_s) == (300, 1.0)
    assert asked.growth.growth_percent == 20
    site = asked.site
    assert (site.country, site.liquid, site.voltage_v, site.phases) == ("MX", False, 400, 3)
    assert (site.breaker_a, site.feeds, site.altitude_m) == (32, 2, 2240)
    assert asked.money.currency == "MXN"


@pytest.mark.parametrize(
    ("line", "wanted"), [("checklist 13b", True), ("lista 13b", True), ("spec 13b", False)]
)
def test_the_checklist_alone(grammar, line, wanted):
    assert grammar.parse(line).checklist is wanted


def test_what_is_said_of_the_answer(grammar):
    command = grammar.parse("spec 2xl40s qwen3-32b --spare 1 lang=es --private --json share=no")
    assert (command.language, command.private, command.as_json) == ("es", True, True)
    assert (command.request.growth.spare_servers, command.request.sharing) == (1, "no")
    (workload,) = command.request.workloads
    assert [(one.gpu, one.count) for one in workload.request.gpus] == [("l40s", 2)]


@pytest.mark.parametrize(
    ("word", "sharing"),
    [
        ("share=mig", "mig"),
        ("share=slices", "mig"),
        ("comparte=mig", "mig"),
        ("compartir=sí", "fractions"),
        ("share=no", "no"),
        ("", "fractions"),
    ],
)
def test_how_models_share_a_card(grammar, word, sharing):
    assert spec(grammar, f"spec 13b {word}").sharing == sharing


@pytest.mark.parametrize(
    ("words", "orchestrator", "system"),
    [
        ("orchestrator=kubernetes os=ubuntu-24.04", "kubernetes", "Ubuntu 24.04"),
        ("orquestador=docker so=rhel-9", "docker", "RHEL 9"),
        ("orchestrator=k8s os=RHEL9.4", "kubernetes", "RHEL 9.4"),
        ("--orchestrator docker --os ubuntu", "docker", "Ubuntu"),
        ("sistema-operativo=red-hat-9", None, "RHEL 9"),
        ("os=rocky-linux-9", None, "Rocky Linux 9"),
    ],
)
def test_the_software_that_is_wanted(grammar, words, orchestrator, system):
    wishes = spec(grammar, f"spec 13b {words}").software
    assert (wishes.orchestrator, wishes.operating_system) == (orchestrator, system)


def test_a_system_that_nobody_knows_is_told_what_to_type(grammar):
    with pytest.raises(InvalidRequestError) as caught:
        spec(grammar, "spec 13b os=plan-nine")
    assert caught.value.values["suggestions"] == ("os=ubuntu-24.04", "os=rhel-9")


def test_a_set_of_unequal_cards_is_no_list_of_workloads(grammar):
    assert len(spec(grammar, "spec llama-8b 1x3090+1x4090").workloads) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("spec", "spec_count"),
        ("spec " + " + ".join(["llama-8b"] * 9), "spec_count"),
        ("spec what fits 2xl40s", "spec_goal"),
        ("spec 13b people=300", "spec_people"),
        ("spec 13b rph=3", "spec_people"),
        ("spec 13b kw=much", "bad_value"),
        ("spec 13b liquid=perhaps", "bad_value"),
        ("spec 13b share=perhaps", "bad_value"),
        ("spec 13b orchestrator=nomad", "bad_value"),
        ("spec 13b os=plan-nine", "bad_value"),
        ("spec 13b os=", "bad_value"),
        ("spec 13b feeds=3", "out_of_range"),
        ("spec 13b country=", "bad_value"),
        ("spec 13b kw=3 + 7b kw=4", "given_twice"),
    ],
)
def test_what_cannot_be_understood(grammar, line, reason):
    with pytest.raises(InvalidRequestError) as caught:
        spec(grammar, line)
    assert caught.value.values["reason"] == reason


def test_eight_workloads_are_the_most(grammar):
    assert len(spec(grammar, "spec " + " + ".join(["llama-8b"] * 8)).workloads) == 8


@pytest.mark.parametrize("line", ["spec a + b", "spec llama-70b + no-such-model"])
def test_unknown_models_are_named(grammar, line):
    with pytest.raises(SizingError):
        spec(grammar, line)
