"""From fields to words and back."""

from __future__ import annotations

import pytest

from bot.command import Grammar
from bot.form.fields import REFINED, SERVER, WORKLOAD, shown
from bot.form.line import (
    asks_for_form,
    field_at_fault,
    line_of,
    refined_line,
    refined_words,
    values_of,
    words_of,
)
from sizing.catalogue import Catalogue


@pytest.fixture(scope="module")
def grammar(catalogue: Catalogue) -> Grammar:
    return Grammar(catalogue)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("  ", ""),
        ("new", ""),
        ("Nuevo llama-13b int8", "llama-13b int8"),
        ("llama-13b", None),
        ("news 13b", None),
    ],
)
def test_what_opens_the_form(text, wanted):
    assert asks_for_form(text) == wanted


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"model": "bge-m3"}, "spec bge-m3"),
        ({"model": "bge-m3", "precision": "published", "means": "both", "country": "any"},
         "spec bge-m3"),
        ({"model": "34b", "precision": "int4", "users": "20", "ttft": "1.5"},
         "spec 34b int4 users=20 ttft<1.5s"),
        ({"model": "34b", "load": "people", "people": "300", "rph": "12", "users": "20"},
         "spec 34b people=300 rph=12"),
        ({"model": "34b", "use": "qlora", "users": "20", "input": "9"}, "spec 34b mode=qlora"),
        ({"model": "34b", "gpu": "l40s", "count": "2", "growth": "20", "years": "4",
          "spare": "1", "country": "ES", "kw": "7.5", "budget": "90000", "means": "buy"},
         "spec 34b 2xl40s buy growth=20% years=4 spare=1 country=ES kw=7.5 budget=90000"),
        ({"model": "34b", "others": ("bge-m3", "whisper-large-v3"), "gpu": "l40s"},
         "spec 34b l40s + bge-m3 + whisper-large-v3"),
        ({"model": "34b", "count": "2"}, "spec 34b"),
        ({"model": "34b", "share": "mig", "orchestrator": "docker", "system": "rhel-9"},
         "spec 34b share=mig orchestrator=docker os=rhel-9"),
        ({"model": "34b", "share": "any", "orchestrator": "any", "system": "any"}, "spec 34b"),
    ],
)  # fmt: skip
def test_the_line_says_what_stands_in_the_fields(grammar, values, line):
    assert line_of(words_of(values)) == line
    assert grammar.parse(line).request.workloads


@pytest.mark.parametrize(
    "question",
    [
        "llama-3.1-70b fp8 users=20 gpu=2xl40s",
        "llama-3.1-70b awq rps=3 ctx=8192 tp=4",
        "qwen3-32b mode=lora rank=16",
        "8x13b in=100 out=20 itl<30 gpu=h100-sxm:3g.40gb",
        "bge-m3 rent budget=5000 kv=fp8 eager",
        "llama-3.1-8b ttft<1500 users=4 engine=sglang gpu=1x3090+1x4090",
    ],
)
def test_no_word_of_a_question_is_lost(grammar, question):
    asked = grammar.parse(question).request
    values, extra = values_of(asked)
    line = line_of(words_of(values, extra))
    (workload,) = grammar.parse(line).request.workloads
    assert workload.request.model_copy(update={"ignored": (), "read_as": ()}) == asked


@pytest.mark.parametrize(
    "question",
    [
        "llama-3.1-70b fp8 users=20 gpu=2xl40s",
        "llama-3.1-70b awq rps=3 ctx=8192 tp=4 buy",
        "qwen3-32b mode=lora rank=16 budget=5000",
        "8x13b in=100 out=20 itl<30 gpu=h100-sxm:3g.40gb",
        "how many users llama-3.1-8b 1xl4",
        "longest context llama-3.1-8b fp8 users=4 1xl4",
        "sdxl 1024x768 steps=30",
    ],
)
def test_a_question_asked_again_unchanged_is_the_same(grammar, question):
    asked = grammar.parse(question).request
    values, extra = values_of(asked)
    again = grammar.parse(refined_line(refined_words(values, extra))).request
    read = {"ignored": (), "read_as": (), "model_is_default": False}
    assert again.model_copy(update=read) == asked.model_copy(update=read)


def test_one_model_is_asked_about_again():
    names = {field.name for field in shown(REFINED, {})}
    assert {"model", "precision", "users", "gpu", "count", "budget"} <= names
    assert not {"others", "people", "growth", "country", "channel"} & names
    assert {"rps"} <= {field.name for field in shown(REFINED, {"load": "rate"})}


def test_the_field_that_said_what_was_not_understood():
    words = words_of({"model": "34b", "users": "20", "others": ("nonsense",)})
    assert field_at_fault(words, "users=20") == "users"
    assert field_at_fault(words, "Nonsense") == "others"
    assert field_at_fault(words, "something else") == "model"
    assert field_at_fault(words, "") == "model"


def test_fields_depend_on_others():
    def names(**values):
        return {field.name for field in shown(WORKLOAD, values)}

    assert {"users", "input"} <= names()
    assert not {"people", "rph", "rps"} & names()
    assert {"people", "rph"} <= names(load="people")
    assert not {"load", "people", "input", "ttft"} & names(use="full", load="people")
    assert len(shown(SERVER, {})) == len(SERVER)
