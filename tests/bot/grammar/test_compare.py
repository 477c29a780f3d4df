"""Variants of one question: what divides them, and what a later one takes from the first."""

import pytest

from bot.command import Compare, IncompleteRequestError, format_request
from sizing.errors import InvalidRequestError

BASE = "llama-3.1-70b fp8 4xh100 users=20"


def _lines(grammar, text):
    command = grammar.parse(text)
    assert isinstance(command, Compare)
    return [format_request(request) for request in command.requests]


@pytest.mark.parametrize("verb", ["compare", "comparar", "Compara", "/gpusize compare"])
@pytest.mark.parametrize(
    "mark", ["|", " | ", " vs ", " VS. ", " versus ", " contra ", " y ", " con "]
)
def test_what_stands_between_variants(grammar, verb, mark):
    assert _lines(grammar, f"{verb} {BASE}{mark}int4 2xl40s") == [
        "llama-3.1-70b fp8 gpu=4xh100-sxm users=20",
        "llama-3.1-70b int4 gpu=2xl40s users=20",
    ]


def test_a_weaker_mark_divides_nothing_beside_a_stronger_one(grammar):
    lines = _lines(grammar, "compare llama-3.1-70b fp8 with 4xh100 and users=20 vs int4")
    assert lines == [
        "llama-3.1-70b fp8 gpu=4xh100-sxm users=20",
        "llama-3.1-70b int4 gpu=4xh100-sxm users=20",
    ]


@pytest.mark.parametrize(
    ("variant", "line"),
    [
        ("8xh100", "llama-3.1-70b fp8 gpu=8xh100-sxm users=20"),
        ("users=50", "llama-3.1-70b fp8 gpu=4xh100-sxm users=50"),
        ("sglang", "llama-3.1-70b fp8 engine=sglang gpu=4xh100-sxm users=20"),
        ("kv=fp8", "llama-3.1-70b fp8 kv=fp8 gpu=4xh100-sxm users=20"),
        ("32k", "llama-3.1-70b fp8 gpu=4xh100-sxm ctx=32768 users=20"),
        ("qwen2.5-72b", "qwen2.5-72b fp8 gpu=4xh100-sxm users=20"),
        ("13b", "13b fp8 gpu=4xh100-sxm users=20"),
        ("rent hours=8", "llama-3.1-70b fp8 rent gpu=4xh100-sxm users=20 hours=8"),
        ("ttft<500ms", "llama-3.1-70b fp8 gpu=4xh100-sxm users=20 ttft<500"),
    ],
)
def test_what_is_left_open_is_that_of_the_first(grammar, variant, line):
    assert _lines(grammar, f"compare {BASE} | {variant}")[1] == line


def test_a_split_belongs_to_the_gpus_it_was_said_with(grammar):
    """Four-way tensor parallel does not go over to two cards."""
    lines = _lines(grammar, "compare 70b int4 4xh100 tp=4 | 2xl40s | int8")
    assert [" tp=4" in line for line in lines] == [True, False, True]


@pytest.mark.parametrize(
    ("variant", "lengths"),
    [
        ("int4", "in=2000 out=400"),
        ("out=800", "in=2000 out=800"),
        ("in=500 out=100", "in=500 out=100"),
        ("ctx=8k", "ctx=8192"),
    ],
)
def test_lengths_stay_in_agreement(grammar, variant, lengths):
    line = _lines(grammar, f"compare 70b fp8 in=2000 out=400 | {variant}")[1]
    assert lengths in line
    assert ("in=" in line) == ("in=" in lengths)


@pytest.mark.parametrize(
    ("variant", "lengths"),
    [("in=1000", "ctx=4096 in=1000"), ("in=9000", "in=9000")],
)
def test_a_part_keeps_the_context_where_it_has_room(grammar, variant, lengths):
    line = _lines(grammar, f"compare 70b fp8 ctx=4k | {variant}")[1]
    assert lengths in line
    assert ("ctx=" in line) == ("ctx=" in lengths)


def test_wishes_add_up(grammar):
    line = _lines(grammar, "compare 70b fp8 ttft<1s | itl<50ms")[1]
    assert "ttft<1000" in line
    assert "itl<50" in line


def test_language_and_privacy_hold_for_all(grammar):
    command = grammar.parse("comparar 70b fp8 | int4 lang=es --private --json")
    assert (command.language, command.private, command.as_json) == ("es", True, True)


@pytest.mark.parametrize("text", ["{} compare int8 | int4", "compare int8 | int4 {}"])
def test_a_model_from_a_file_is_that_of_all(grammar, text):
    command = grammar.parse(text.format("file:models/config.json"))
    assert [request.reference for request in command.requests] == ["file:models/config.json"] * 2
    assert [request.precision for request in command.requests] == ["int8", "int4"]


def test_corrections_belong_to_the_variant_they_were_made_in(grammar):
    first, second = grammar.parse("compare lama-13b int8 | int4").requests
    assert [one.read_as for one in first.read_as] == ["llama-13b"]
    assert second.read_as == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("compare", "compare_count"),
        ("compare llama-13b", "compare_count"),
        ("compare 13b |", "compare_count"),
        ("compare 13b | 8b | 34b | 70b | 1b", "compare_count"),
        ("compare fits 2xl40s | 4xl40s", "compare_models"),
    ],
)
def test_what_cannot_be_compared(grammar, text, reason):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(text)
    assert caught.value.values["reason"] == reason


def test_the_first_variant_names_the_model(grammar):
    with pytest.raises(IncompleteRequestError):
        grammar.parse("compare fp8 | int4")


def test_what_was_read_can_be_asked_again(grammar):
    text = "compare 70b fp8 4xh100 tp=4 in=2000 out=400 | int4 2xl40s | ctx=8k | qwen2.5-72b out=10"
    first = grammar.parse(text)
    again = grammar.parse("compare " + " | ".join(map(format_request, first.requests)))
    assert again.requests == first.requests
