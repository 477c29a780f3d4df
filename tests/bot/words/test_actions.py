from __future__ import annotations

import pytest

from bot.actions import error_buttons, explain_button, language_in, manner, other_buttons
from bot.errors import CodedError
from bot.labels import Labels
from bot.messages import load_messages
from sizing.errors import InvalidRequestError, UnknownEngineError, UnknownModelError
from sizing.request import GpuChoice, SizingRequest


@pytest.fixture
def messages(catalogue):
    return load_messages("en", Labels(catalogue))


REQUEST = SizingRequest(model_id="llama-2-13b", precision="int8", max_gpus=4)


def _buttons(answer, messages, request=REQUEST, *, asked=""):
    return other_buttons(answer, request, manner=asked, messages=messages)


def test_answer_offers_explain_and_the_other_model(samples, messages):
    explain = explain_button("A-12", messages)
    [other] = _buttons(samples["fits"], messages)
    assert (explain.action_id, explain.value, explain.label) == ("gpus1.explain", "A-12", "Explain")
    assert (other.action_id, other.label) == ("gpus1.ask.1", "LLaMA 13B")
    # All that was asked is asked again, and what was left to the defaults is left to them.
    assert other.value == "llama-13b int8 gpus<=4"
    assert other.accessibility_label == "Ask again about LLaMA 13B"


def test_bare_gpu_family_offers_the_other_variants(samples, messages):
    gpus = (GpuChoice(gpu="h100-sxm", count=4), GpuChoice(gpu="l4", count=2))
    request = SizingRequest(model_id="llama-3.1-70b", gpus=gpus)
    [other] = _buttons(samples["several_gpus"], messages, request)
    assert other.label == "H100 PCIe 80GB"
    assert other.value == "llama-3.1-70b gpu=4xh100-pcie gpu=2xl4"


def test_answer_without_doubts_offers_no_other_question(samples, messages):
    assert _buttons(samples["tight"], messages) == ()


@pytest.mark.parametrize(
    ("language", "private", "words"),
    [
        (None, False, ""),
        ("es", False, " lang=es"),
        (None, True, " --private"),
        ("en", True, " lang=en --private"),
    ],
)
def test_other_question_is_asked_in_the_same_manner(samples, messages, language, private, words):
    [other] = _buttons(samples["fits"], messages, asked=manner(language, private=private))
    assert other.value == "llama-13b int8 gpus<=4" + words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("13b lang=ES", "es"),
        ("lang: en", "en"),
        ("idioma=es", "es"),
        ("language=es", "es"),
        ("13b slang=es", None),
        ("lang=fr", None),
    ],
)
def test_language_in_a_text(text, language):
    assert language_in(text) == language


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("lamma-13b int8", "lamma-13b", "llama-13b int8"),
        ("gpu=l4 LAMMA-13b", "lamma-13b", "gpu=l4 llama-13b"),
        ("lamma-13b, int8", "lamma-13b", "llama-13b, int8"),
        ("modelo=lamma-13b int8 lang=es", "lamma-13b", "modelo=llama-13b int8 lang=es"),
        ("(l+a*) int8", "l+a*", "(llama-13b) int8"),
    ],
)
def test_error_offers_the_question_corrected(messages, text, word, expected):
    error = UnknownModelError(word=word, suggestions=("llama-13b",))
    [button] = error_buttons(error, text, messages)
    assert (button.label, button.value) == ("llama-13b", expected)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        # The reader joins words; what it joined is not in the text.
        ("lamma 13 b int8", "lamma-13b"),
        # A part of a longer word is not the word.
        ("phi-4 int8", "ph"),
        ("phi-4 int8", "4"),
        ("qwen2.5-7b", "5"),
        # Two places: which one was meant is not known.
        ("ph engine=ph", "ph"),
        ("llama", ""),
    ],
)
def test_no_button_where_the_word_has_no_place_of_its_own(messages, text, word):
    error = UnknownModelError(word=word, suggestions=("llama-13b",))
    assert error_buttons(error, text, messages) == ()


def test_only_the_word_at_fault_is_replaced(messages):
    error = UnknownEngineError(word="ph", suggestions=("llamacpp",))
    [button] = error_buttons(error, "phi-4 engine=ph", messages)
    assert button.value == "phi-4 engine=llamacpp"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("lang=es --private", " lang=es --private"),
        ("—privado idioma=es", " lang=es --private"),
        ("non-private", ""),
    ],
)
def test_whole_questions_keep_language_and_privacy(messages, said, kept):
    error = InvalidRequestError(reason="two_models", suggestions=("llama-13b", "mixtral-8x7b"))
    buttons = error_buttons(error, f"llama-13b mixtral-8x7b {said}", messages)
    assert [button.value for button in buttons] == ["llama-13b" + kept, "mixtral-8x7b" + kept]


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
