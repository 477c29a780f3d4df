"""What differs between two answers, and the lines that say it."""

from __future__ import annotations

import re
from dataclasses import fields
from decimal import Decimal

import pytest

from bot.command import Grammar
from bot.difference import ASKED, Asked, Change, Difference, difference_of
from bot.format import Numbers
from bot.remembered import sizer
from bot.render import Renderer
from sizing.answer import SizingAnswer, Verdict
from sizing.catalogue import load_catalogue

CATALOGUE = load_catalogue()
GRAMMAR = Grammar(CATALOGUE)
SIZE = sizer(CATALOGUE)


def sized(text: str) -> SizingAnswer:
    return SIZE(GRAMMAR.parse(text).request)


def between(before: str, after: str) -> Difference:
    return difference_of(sized(before), sized(after))


def said(difference: Difference, language: str = "en") -> list[str]:
    page = Renderer(CATALOGUE).difference(difference, language, "A-12")
    return [line for line in page.splitlines() if line]


def changed(difference: Difference) -> set[str]:
    """Return the names of what differs."""
    names = {one.name for one in fields(difference)} - {"sets"}
    return {name for name in names if getattr(difference, name)}


def test_an_answer_does_not_differ_from_itself() -> None:
    same = between("llama-13b int8", "llama-13b int8")
    assert same.is_same
    assert changed(same) == set()
    assert said(same) == ["Against A-12: nothing changes."]
    assert said(same, "es") == ["Frente a A-12: nada cambia."]


def test_another_format_takes_more_memory_and_another_card() -> None:
    """12,687,769,600 weights grow from 8 bits with scales to 16: some 12.7 GB."""
    found = between("llama-13b int8", "llama-13b fp16")
    assert [(one.code, one.before, one.after) for one in found.asked] == [
        ("precision", "int8", "fp16")
    ]
    assert found.added_bytes == pytest.approx(12_687_769_600, rel=0.01)
    assert found.cards is found.sets
    assert found.gpus is None
    assert found.verdict is None
    head, rest = said(found)
    assert head == "Against A-12: **INT8 → FP16: 17.6 → 30.3 GB (+12.7 GB)**"
    assert rest.startswith("1 × L4 24 GB → 1 × L40 48 GB · ")


def test_two_cards_are_named_with_what_each_holds() -> None:
    head, rest = said(between("llama-13b int8", "llama-13b fp16 gpu=2xl4"))
    assert (
        head == "Against A-12: **INT8 → FP16: 17.6 → 30.3 GB on one GPU (+12.7 GB), now 2 cards**"
    )
    assert "1 × L4 24 GB → 2 × L4 24 GB · each card 17.6 → 16.6 GB · " in rest


def test_spanish_writes_a_decimal_comma() -> None:
    head, rest = said(between("llama-13b int8", "llama-13b fp16 gpu=2xl4"), "es")
    assert (
        head
        == "Frente a A-12: **INT8 → FP16: 17,6 → 30,3 GB en una GPU (+12,7 GB), ahora 2 tarjetas**"
    )
    assert "por tarjeta 17,6 → 16,6 GB" in rest


NEEDS = re.compile(r"needs ([\d.]+) GB")
TOLD = re.compile(r"([\d.]+) → ([\d.]+) GB \(([+−])([\d.]+) GB\)")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("llama-13b int8", "llama-13b int8 ctx=64k gpu=any"),
        ("llama-13b int8", "llama-13b int8 users=12 ctx=8k"),
        ("llama-3.1-8b ctx=64k users=4", "llama-3.1-8b"),
        ("llama-3.1-8b", "llama-3.1-8b fp8"),
        ("llama-13b", "llama-13b kv=fp8"),
        ("qwen3-8b ctx=32k", "qwen3-8b ctx=32k users=3"),
    ],
)
def test_the_headline_says_what_both_pages_say_and_adds_up(before: str, after: str) -> None:
    answers = [sized(before), sized(after)]
    assert all(answer.options[0].gpus == 1 for answer in answers)
    pages = [Renderer(CATALOGUE).answer(answer, "en", "A-1") for answer in answers]
    needs = [found[1] for page in pages if (found := NEEDS.search(page))]
    told = TOLD.search(said(difference_of(*answers))[0])
    assert told is not None
    assert [told[1], told[2]] == needs
    sign = 1 if told[3] == "+" else -1
    assert Decimal(told[2]) - Decimal(told[1]) == sign * Decimal(told[4])


def test_a_size_is_shown_as_it_is_counted() -> None:
    """49.94 MB are below 0.05 GB, and shown in MB; 50.4 MB are shown as 0.1 GB."""
    numbers = Numbers("en")
    shown = [numbers.gb_shown(size) for size in (68_349_000_000, 49_940_000, 50_400_000, 0)]
    assert shown == [68_300_000_000, 49_900_000, 100_000_000, 0]


def test_less_memory_and_fewer_cards_are_said_as_such() -> None:
    head, _ = said(between("llama-13b fp16 gpu=2xl4", "llama-13b int8 gpu=1xl4"))
    assert head.endswith("30.3 → 17.6 GB on one GPU (−12.7 GB), now 1 card**")


def test_the_same_load_on_other_cards_needs_the_same_memory() -> None:
    found = between("llama-13b int8 gpu=1xl4", "llama-13b int8 gpu=1xl40")
    assert found.asked == ()
    assert found.need_bytes is None
    assert found.added_bytes is None
    (line,) = said(found)
    assert line.startswith("Against A-12: 1 × L4 24 GB → 1 × L40 48 GB · ")


def test_what_stops_to_fit_is_said_and_speeds_it_has_not_are_left_out() -> None:
    found = between("llama-13b int8 gpu=1xl4", "llama-13b fp16 gpu=1xl4")
    assert found.verdict is not None
    assert (found.verdict.before, found.verdict.after) == (Verdict.FITS, Verdict.DOES_NOT_FIT)
    assert found.itl_ms is not None
    assert found.itl_ms.after is None
    assert said(found)[1] == "✅ Fits → ❌ Does not fit · room for 2 → 0 at once"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("llama-13b users=4", "llama-13b users=16 ctx=8k",
         "context 4,096 → 8,192 tokens, requests 4 → 16: "),
        ("llama-13b in=100 out=100", "llama-13b in=200 out=50",
         "context 200 → 250 tokens, prompt 100 → 200 tokens, answer 100 → 50 tokens: "),
        # A question without a split has no prompt of its own to hold the other against.
        ("llama-13b", "llama-13b in=1000 out=500", "context 4,096 → 1,500 tokens: "),
        ("llama-13b", "llama-13b kv=fp8", "KV cache 16 bits → FP8"),
        ("llama-13b", "llama-13b ttft<1s", "wished first token – → 1.0 s"),
        ("llama-13b", "llama-13b engine=sglang", "vLLM → SGLang"),
        ("llama-13b", "llama-13b fraction=0.95", "memory fraction 0.90 → 0.95"),
        ("llama-13b", "llama-13b budget=20k", "budget – → USD 20,000"),
        ("llama-13b", "llama-3.1-8b", "Llama 2 13B → Llama 3.1 8B, FP16 → BF16: "),
    ],
)  # fmt: skip
def test_what_was_asked_in_another_way_leads(before: str, after: str, line: str) -> None:
    assert said(between(before, after))[0].startswith(f"Against A-12: **{line}")


def test_defaults_of_another_kind_of_run_are_not_taken_for_wishes() -> None:
    """Training takes the whole memory without being told to."""
    asked = {one.code for one in between("llama-13b", "llama-13b qlora").asked}
    assert {"mode", "engine", "context"} <= asked
    assert "memory_fraction" not in asked


def test_other_facts_are_told_by_their_dates() -> None:
    then = sized("llama-13b int8")
    stamp = then.catalogue.model_copy(update={"digest": "0" * 16, "date": "2026-12-24"})
    now = then.model_copy(update={"catalogue": stamp})
    found = difference_of(then, now)
    assert changed(found) == {"catalogue"}
    assert said(found) == [f"Against A-12: **catalogue {then.catalogue.date} → 2026-12-24**"]


def test_a_change_too_small_to_be_told_is_kept_and_not_told() -> None:
    then = sized("llama-13b int8")
    assert then.options[0].performance is not None
    itl_ms = then.options[0].performance.itl_ms
    assert itl_ms is not None
    slower = itl_ms.model_copy(update={"typical": itl_ms.typical * 1.0001})
    speed = then.options[0].performance.model_copy(update={"itl_ms": slower})
    first = then.options[0].model_copy(update={"performance": speed})
    now = then.model_copy(update={"options": (first, *then.options[1:])})
    found = difference_of(then, now)
    assert changed(found) == {"itl_ms"}
    assert said(found) == ["Against A-12: nothing changes."]


def test_answers_without_a_set_are_compared_too() -> None:
    then = sized("llama-13b int8")
    nothing = then.model_copy(update={"options": ()})
    gone, back = difference_of(then, nothing), difference_of(nothing, then)
    assert gone.gpus is not None
    assert (gone.gpus.before, gone.gpus.after) == (1, 0)
    assert not gone.is_split
    assert said(gone) == ["Against A-12: **now 0 cards**"]
    assert said(back)[0] == "Against A-12: **now 1 card**"
    assert difference_of(nothing, nothing).is_same


NAMED = {"model", "checkpoint", "mode", "precision", "kv_precision", "engine"}
"""What is asked by a name; all else is a number."""


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("code", sorted(ASKED))
def test_all_that_is_compared_has_words(code: str, language: str) -> None:
    values = ("int8", "fp16") if code in NAMED else (1, 2)
    found = Difference(sets=Change(None, None), asked=(Asked(code, *values),))
    (line,) = said(found, language)
    before, arrow, after = line.partition(" → ")
    assert arrow
    assert before.split()[-1] != after.split()[0]
