"""The button for a second opinion, over both transports, with a program that speaks for kernels."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from bot.limits import find_problems
from bot.measured_settings import MeasuredSettings
from bot.workspace import Message

FAKE = Path(__file__).parents[1] / "bot" / "sources" / "fake_worker.py"
QUESTION = "/gpusize llama 3.1 70b fp8 gpu=4xh100 users=16"


def is_answer(message: Message) -> bool:
    return "Llama 3.1 70B" in message.shown and message.thread_ts is None


@pytest.fixture
def stage_asking(stage_of):
    def build(*behaviour: str, limit_s: float = 20):
        command = (sys.executable, str(FAKE), *behaviour)
        return stage_of(measured=MeasuredSettings(limit_s, command))

    return build


def test_it_comes_in_the_thread_of_the_answer(stage_asking) -> None:
    stage = stage_asking("figures", "250", "12.5", "800")
    stage.ben.types(QUESTION)
    answer = stage.ana.waits_for_message(is_answer)
    stage.ben.clicks(answer, "Second opinion")
    page = stage.ana.waits_for_message("Second opinion on")
    assert page.thread_ts == answer.ts
    assert not page.is_ephemeral
    assert page.text == "A second opinion on the speed in A-1, Llama 3.1 70B FP8."
    for fact in ("250 ms", "800", "aiconfigurator-core 0.12.0", "vLLM 0.24.0"):
        assert fact in page.shown
    assert find_problems("message", {"text": page.text, "blocks": list(page.blocks)}) == []


def test_two_clicks_have_one_page(stage_asking) -> None:
    stage = stage_asking("figures")
    stage.ben.types(QUESTION)
    answer = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(answer, "Second opinion")
    stage.ana.clicks(answer, "Second opinion")
    page = stage.ben.waits_for_message("Second opinion on")
    stage.ben.types("/gpusize help")
    stage.ben.waits_for_message("which GPUs for this model")
    assert stage.ben.thread(answer) == [answer, page]


def test_below_a_private_answer_it_is_private(stage_asking) -> None:
    stage = stage_asking("figures")
    stage.ben.types(QUESTION + " --private")
    answer = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(answer, "Second opinion")
    assert stage.ben.waits_for_message("Second opinion on").visible_to == stage.ben.id


def test_a_slow_one_holds_up_no_answer_and_is_told_to_its_asker(stage_asking, tmp_path) -> None:
    stage = stage_asking("hang", str(tmp_path / "pid"), limit_s=3)
    stage.ana.types(QUESTION)
    answer = stage.ana.waits_for_message(is_answer)
    started = time.monotonic()
    assert stage.ana.clicks(answer, "Segunda opinión").acked
    stage.ben.types("/gpusize llama-13b int8")
    stage.ben.waits_for_message("Llama 2 13B")
    assert time.monotonic() - started < 3
    told = stage.ana.waits_for_message("se detuvo")
    assert told.visible_to == stage.ana.id
    assert "3 segundos" in told.shown


def test_after_a_failure_it_may_be_asked_again(stage_asking) -> None:
    stage = stage_asking("crash")
    stage.ben.types(QUESTION)
    answer = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(answer, "Second opinion")
    first = stage.ben.waits_for_message("could not be computed")
    stage.ben.clicks(answer, "Second opinion")
    assert stage.ben.waits_for_message("could not be computed", after=first)
