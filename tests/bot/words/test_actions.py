from __future__ import annotations

import pytest

from bot.actions import answer_buttons, error_buttons
from bot.errors import CodedError
from bot.labels import Labels
from bot.messages import load_messages
from sizing.errors import InvalidRequestError, UnknownModelError
from sizing.request import GpuChoice, SizingRequest


@pytest.fixture
def messages(catalogue):
    return load_messages("en", Labels(catalogue))


REQUEST = SizingRequest(model_id="llama-2-13b", precision="int8", max_gpus=4)


def _buttons(answer, messages, request=REQUEST):
    return answer_buttons(answer, request, answer_id="A-12", messages=messages)


def test_answer_offers_explain_and_the_other_model(samples, messages):
    explain, other = _buttons(samples["fits"], messages)
    assert (explain.action_id, explain.value, explain.label) == ("gpus1.explain", "A-12", "Explain")
    assert (other.action_id, other.label) == ("gpus1.ask.1", "LLaMA 13B")
    # All that was asked is asked again, and what was left to the defaults is left to them.
    assert other.value == "llama-13b int8 gpus<=4"
    assert other.accessibility_label == "Ask again about LLaMA 13B"


def test_bare_gpu_family_offers_the_other_variants(samples, messages):
    gpus = (GpuChoice(gpu="h100-sxm", count=4), GpuChoice(gpu="l4", count=2))
    request = SizingRequest(model_id="llama-3.1-70b", gpus=gpus)
    _, other = _buttons(samples["several_gpus"], messages, request)
    assert other.label == "H100 PCIe 80GB"
    assert other.value == "llama-3.1-70b gpu=4xh100-pcie gpu=2xl4"


def test_answer_without_doubts_offers_explain_alone(samples, messages):
    assert len(_buttons(samples["tight"], messages)) == 1


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("lamma-13b int8", "lamma-13b", "llama-13b int8"),
        ("gpu=l4 LAMMA-13b", "lamma-13b", "gpu=l4 llama-13b"),
        # The reader joins words; what it joined is not in the text.
        ("lamma 13 b int8", "lamma-13b", "llama-13b"),
    ],
)
def test_error_offers_the_question_corrected(messages, text, word, expected):
    error = UnknownModelError(word=word, suggestions=("llama-13b",))
    [button] = error_buttons(error, text, messages)
    assert (button.label, button.value) == ("llama-13b", expected)


def test_at_most_three_suggestions(messages):
    error = UnknownModelError(word="x", suggestions=tuple("abcde"))
    buttons = error_buttons(error, "x", messages)
    assert [button.action_id for button in buttons] == [f"gpus1.ask.{n}" for n in (1, 2, 3)]


def test_two_models_offer_each_question_whole(messages):
    questions = ("llama-13b int8", "mixtral-8x7b int8")
    error = InvalidRequestError(reason="two_models", word="mixtral-8x7b", suggestions=questions)
    buttons = error_buttons(error, "llama-13b mixtral-8x7b int8", messages)
    assert tuple(button.value for button in buttons) == questions


@pytest.mark.parametrize("reason", ["two_engines", "two_precisions", "two_modes"])
def test_each_reading_is_offered_as_a_whole_question(messages, reason):
    """Even where a word at fault is named that stands in the text."""
    questions = ("llama-2-13b engine=vllm", "llama-2-13b engine=sglang")
    error = InvalidRequestError(reason=reason, word="sglang", suggestions=questions)
    buttons = error_buttons(error, "llama-13b vllm sglang", messages)
    assert tuple(button.value for button in buttons) == questions


def test_error_without_suggestions_has_no_button(messages):
    assert error_buttons(CodedError("log_busy", path="a"), "x", messages) == ()
