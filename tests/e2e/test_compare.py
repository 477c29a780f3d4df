"""Variants side by side, as people see them in Slack."""

from __future__ import annotations

import pytest

from bot.limits import find_problems

QUESTION = "/gpusize compare llama-3.1-70b fp8 4xh100 users=20 | int4 2xl40s"


def test_a_comparison_stands_in_the_channel(stage) -> None:
    assert stage.ben.types(QUESTION).acked
    message = stage.ana.waits_for_message("2 variants")
    assert not message.is_ephemeral
    assert message.text.startswith("Llama 3.1 70B: 2 variants compared")
    for fact in ("A: FP8 · 4 × H100 SXM 80 GB", "B: INT4 · 2 × L40S 48 GB", "A-1", "A-2"):
        assert fact in message.shown
    assert find_problems("message", {"text": message.text, "blocks": list(message.blocks)}) == []
    assert [row.id for row in stage.logged()] == ["A-2", "A-1"]


def test_a_button_asks_about_one_of_them(stage) -> None:
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message("2 variants")
    stage.ben.clicks(message, "B: Llama 3.1 70B · INT4")
    answer = stage.ben.waits_for_message(lambda seen: "2 × L40S 48 GB" in seen.text)
    assert "INT4" in answer.text


@pytest.mark.parametrize("words", ["comparar llama-13b int8 | int4", "compare llama-13b | lang=es"])
def test_a_spanish_profile_reads_spanish(stage, words) -> None:
    stage.ana.types(f"/gpusize {words}")
    message = stage.ana.waits_for_message(lambda seen: "variantes" in seen.shown)
    assert message.user == "U0GPUSIZE"


def test_one_variant_is_told_to_the_asker_alone(stage) -> None:
    stage.ben.types("/gpusize compare llama-13b int8")
    message = stage.ben.waits_for_message("two to four variants")
    assert message.visible_to == stage.ben.id
