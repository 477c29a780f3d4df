"""Questions about electricity, as people see them in Slack."""

from __future__ import annotations

from bot.limits import find_problems


def test_power_stands_in_the_channel(stage) -> None:
    assert stage.ben.types("/gpusize power 8xh100 230V 32A").acked
    message = stage.ana.waits_for_message("10.2 kW at the wall")
    assert not message.is_ephemeral
    for fact in ("DGX H100", "0 servers", "7.36 kW", "34,802 BTU/h"):
        assert fact in message.shown
    assert find_problems("message", {"text": message.text, "blocks": list(message.blocks)}) == []
    assert message.text.startswith("Power: 10.2 kW")


def test_a_spanish_profile_reads_spanish(stage) -> None:
    stage.ana.types("/gpusize energía 7x4090 cpu=280W")
    message = stage.ana.waits_for_message(lambda seen: "en la pared" in seen.shown)
    assert "3,9 kW" in message.shown


def test_a_plain_question_needs_no_verb(stage) -> None:
    stage.ana.types("/gpusize circuito monofásico 230V 32A, ¿cuántos servidores de 8 GPU?")
    message = stage.ana.waits_for_message(lambda seen: "0 servidores" in seen.shown)
    assert "21,56 kW" in message.shown


def test_a_private_answer_stays_private(stage) -> None:
    stage.ben.types("/gpusize power 500W 120V 20A --private")
    message = stage.ben.waits_for_message("servers of 500 W")
    assert message.visible_to == stage.ben.id


def test_the_verb_alone_is_explained_to_the_asker(stage) -> None:
    stage.ben.types("/gpusize power")
    message = stage.ben.waits_for_message("Power of what?")
    assert message.visible_to == stage.ben.id
