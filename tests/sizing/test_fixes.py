"""Settings that make a set fit: each is tried again, by asking for it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bot.command import parse
from sizing.answer import Note, Option, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.fixes import MOST_FIXES
from sizing.request import SizingRequest

QUESTIONS = (
    "llama 3.1 70b fp8 gpu=1xh100",
    "llama 3.1 8b fp16 gpu=1x4090 ctx=64k users=4",
    "llama 3.1 8b fp16 gpu=1x4090 ctx=16k users=3",
    "llama 3.1 70b fp16 gpu=2xa100 users=32 ctx=8k",
    "llama 3.1 70b fp16 gpu=4xa100 users=128 ctx=8k",
    "llama 2 13b fp16 gpu=1xl40s users=9",
    "llama 2 13b fp16 gpu=1xl40s users=9 eager util=0.95",
    "llama 3.1 8b fp16 gpu=1xl4 ctx=32k",
    "llama 3.1 8b fp16 gpu=1xl4 ctx=20k util=0.92",
    "llama 3.1 8b fp16 gpu=1xl4 ctx=20k util=0.95",
    "llama 3.1 8b q8_0 gpu=1xrtx-3060-12 ctx=32k",
    "mixtral 8x7b fp16 gpu=1xh100",
    "qwen2.5 32b fp16 gpu=1xa100 users=16",
)
"""Sets that do not fit, or only just."""


def first(catalogue: Catalogue, question: str) -> tuple[SizingRequest, Option]:
    request = parse(question, catalogue).request
    return request, size(request, catalogue).options[0]


def fixes_of(option: Option) -> list[Note]:
    return [note for note in option.reasons if note.code.startswith("fix_")]


def last_number(note: Note) -> float:
    return float(re.findall(r"[\d.]+", str(note.values["flag"]))[-1])


CHANGES: dict[str, Callable[[SizingRequest, Note], dict[str, object]]] = {
    "fix_share": lambda _, note: {"memory_fraction": last_number(note)},
    "fix_cache": lambda _, note: {"kv_precision": note.values["kv_precision"]},
    "fix_graphs": lambda _, note: {"eager": True},
    "fix_format": lambda _, note: {"precision": note.values["precision"]},
    "fix_requests": lambda _, note: {"concurrent_requests": note.values["concurrent_requests"]},
    "fix_context": lambda _, note: {"context_tokens": note.values["context_tokens"]},
    "fix_gpus": lambda request, note: {
        "gpus": (request.gpus[0].model_copy(update={"count": note.values["gpus"]}),)
    },
}
"""What each setting is in a question."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_asked_for_each_setting_the_set_fits(catalogue: Catalogue, question: str) -> None:
    request, option = first(catalogue, question)
    assert option.verdict in (Verdict.TIGHT, Verdict.DOES_NOT_FIT)
    found = fixes_of(option)
    assert 0 < len(found) <= MOST_FIXES
    for note in found:
        changed = request.model_copy(update=CHANGES[note.code](request, note))
        again = size(changed, catalogue).options[0]
        assert again.verdict is Verdict.FITS, note
        assert again.gpu == option.gpu


LARGE = "llama 3.1 70b fp8 gpu=1xh100"
"""70B in 8 bits leaves an H100 little, and what stands beside the budget takes a small share."""

SMALL = "llama 3.1 8b fp16 gpu=1xl4"
"""8B in 16 bits leaves an L4 room for some 30,000 tokens."""


def longest(catalogue: Catalogue, question: str) -> int:
    """Return the longest context that fits, every overhead at its worst."""
    return first(catalogue, question)[1].safe_max_context_tokens


def test_a_larger_share_comes_first(catalogue: Catalogue) -> None:
    """The longest context of 94 hundredths, asked for in 90."""
    context = longest(catalogue, f"{LARGE} util=0.94")
    _, option = first(catalogue, f"{LARGE} ctx={context}")
    assert fixes_of(option)[0].values["flag"] == "--gpu-memory-utilization 0.94"


def test_without_graphs_there_is_room_for_more(catalogue: Catalogue) -> None:
    """The longest context of an eager start, asked for with graphs, at the largest share."""
    context = longest(catalogue, f"{LARGE} util=0.95 eager")
    _, option = first(catalogue, f"{LARGE} util=0.95 ctx={context}")
    found = {note.code: note.values.get("flag") for note in fixes_of(option)}
    assert found["fix_graphs"] == "--enforce-eager"
    assert "fix_share" not in found


def test_nothing_is_left_for_the_driver_above_95_hundredths(catalogue: Catalogue) -> None:
    context = longest(catalogue, f"{LARGE} util=0.95")
    inside = first(catalogue, f"{LARGE} util=0.9 ctx={context}")[1]
    beyond = first(catalogue, f"{LARGE} util=0.9 ctx={context + 16}")[1]
    assert "fix_share" in {note.code for note in fixes_of(inside)}
    assert "fix_share" not in {note.code for note in fixes_of(beyond)}


def test_a_share_of_which_a_part_is_filled_goes_no_further(catalogue: Catalogue) -> None:
    """TGI fills 0.9 of its setting: the longest context of 90 hundredths needs all of it."""
    context = longest(catalogue, f"{SMALL} engine=tgi util=0.9 eager")
    fuller = first(catalogue, f"{SMALL} engine=tgi util=0.6 eager ctx={context}")[1]
    beyond = first(catalogue, f"{SMALL} engine=tgi util=0.6 eager ctx={context + 1}")[1]
    assert fixes_of(fuller)[0].values["flag"] == "--cuda-memory-fraction 1"
    assert "fix_share" not in {note.code for note in fixes_of(beyond)}


def test_all_other_kinds_are_found_somewhere(catalogue: Catalogue) -> None:
    found = {note.code for text in QUESTIONS for note in fixes_of(first(catalogue, text)[1])}
    assert found >= CHANGES.keys() - {"fix_share", "fix_graphs"}


@pytest.mark.parametrize("question", ["llama 3.1 8b fp16 gpu=1xh100", "llama-13b int8"])
def test_what_fits_needs_nothing(catalogue: Catalogue, question: str) -> None:
    _, option = first(catalogue, question)
    assert option.verdict is Verdict.FITS
    assert fixes_of(option) == []


def test_only_the_first_set_gets_advice(catalogue: Catalogue) -> None:
    answer = size(parse(QUESTIONS[0], catalogue).request, catalogue)
    assert fixes_of(answer.options[0])
    assert not any(fixes_of(option) for option in answer.options[1:])


@pytest.mark.parametrize(
    ("engine", "cache", "context"),
    [
        ("vllm", "--kv-cache-dtype fp8", "--max-model-len"),
        ("nim", "--kv-cache-dtype fp8", "--max-model-len"),
        ("sglang", "--kv-cache-dtype fp8_e4m3", "--context-length"),
        ("trtllm", "kv_cache_config.dtype: fp8", "--max_seq_len"),
        ("tgi", "--kv-cache-dtype fp8_e4m3fn", "--max-total-tokens"),
        ("lmdeploy", "--quant-policy 8", "--session-len"),
    ],
)
def test_each_engine_is_told_in_its_own_words(
    catalogue: Catalogue, engine: str, cache: str, context: str
) -> None:
    """Half as long again as what fits: a cache of half the size does."""
    context_tokens = longest(catalogue, f"{SMALL} engine={engine} eager") * 3 // 2
    _, option = first(catalogue, f"{SMALL} ctx={context_tokens} engine={engine} eager")
    flags = [str(note.values["flag"]) for note in fixes_of(option) if "flag" in note.values]
    assert cache in flags
    assert any(flag.startswith(context + " ") for flag in flags)


def test_llamacpp_counts_the_context_of_all_slots(catalogue: Catalogue) -> None:
    """Three requests share -c; its cache in 8 bits needs flash attention."""
    _, option = first(catalogue, "llama 3.1 8b q8_0 gpu=1xl4 ctx=64k users=3")
    by_code = {note.code: note.values for note in fixes_of(option)}
    context = by_code["fix_context"]
    assert context["flag"] == f"-c {3 * context['context_tokens']}"
    assert context["context_tokens"] % 1024 == 0
    _, smaller = first(catalogue, "llama 3.1 8b q8_0 gpu=1xl4 ctx=32k users=4")
    flags = [note.values.get("flag") for note in fixes_of(smaller)]
    assert "-fa on -ctk q8_0 -ctv q8_0" in flags


def test_without_an_option_the_question_is_named(catalogue: Catalogue) -> None:
    _, option = first(catalogue, f"{SMALL} ctx=100k engine=transformers")
    flags = [str(note.values["flag"]) for note in fixes_of(option) if "flag" in note.values]
    assert any(flag.startswith("ctx=") for flag in flags)


def test_no_more_gpus_than_the_asker_takes(catalogue: Catalogue) -> None:
    _, free = first(catalogue, "llama 3.1 70b fp16 gpu=1xh100")
    _, limited = first(catalogue, "llama 3.1 70b fp16 gpu=1xh100 gpus<=1")
    assert "fix_gpus" in {note.code for note in fixes_of(free)}
    assert "fix_gpus" not in {note.code for note in fixes_of(limited)}


def test_a_format_that_is_only_stored_is_not_advised(catalogue: Catalogue) -> None:
    """Ampere cannot compute in FP4: AWQ, whose kernels are made for it, comes before."""
    _, option = first(catalogue, "llama 3.1 70b fp16 gpu=1xa100")
    formats = [note.values["precision"] for note in fixes_of(option) if note.code == "fix_format"]
    assert formats == ["awq"]
