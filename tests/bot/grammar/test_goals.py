"""Questions for the most, and the question turned round, in both languages."""

import pytest

from bot.command import Ask, Grammar, IncompleteRequestError, ListModels, format_request
from sizing.errors import InvalidRequestError
from sizing.records import ModelKind
from sizing.request import Goal


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("what fits 2xL40S", "fits gpu=2xl40s"),
        ("What fits on 2 x L40S?", "fits gpu=2xl40s"),
        ("fits 2xl40s", "fits gpu=2xl40s"),
        ("qué cabe en 2xL40S", "fits gpu=2xl40s"),
        ("¿Qué modelos caben en dos L40S?", "fits gpu=2xl40s"),
        ("cabe 2xl40s", "fits gpu=2xl40s"),
        ("what can I run on a 4090", "fits gpu=rtx-4090"),
        ("qué puedo ejecutar en una 4090", "fits gpu=1xrtx-4090"),
        ("qué modelos se pueden correr en una 4090", "fits gpu=1xrtx-4090"),
        ("what can 8xH100 run?", "fits gpu=8xh100-sxm"),
        ("which LLMs run on 24gb", "fits gpu=24gb"),
        ("models that fit 2x80gb", "fits gpu=2x80gb"),
        ("modelos que caben en 2x80gb", "fits gpu=2x80gb"),
        ("largest model for 24gb", "fits gpu=24gb"),
        ("modelo más grande para 24gb", "fits gpu=24gb"),
        ("el mejor modelo para una mac studio m3 ultra", "fits gpu=1xm3-ultra"),
        ("fits 3090+3070", "fits gpu=1xrtx-3090+1xrtx-3070"),
        ("what fits 2xl40s users=20 ctx=8k", "fits gpu=2xl40s ctx=8192 users=20"),
        ("what fits h100 int4 engine=sglang kv=fp8", "fits int4 kv=fp8 engine=sglang gpu=h100-sxm"),
        ("waht fits 2xL40S", "fits gpu=2xl40s"),
        ("que cave en 2xL40S", "fits gpu=2xl40s"),
        ("max concurrent requests 8xV100 32GB?", "fits gpu=8xv100-sxm2-32"),
        ("llama 70b fp8 2xH100 max ctx", "llama-3.3-70b fp8 max=ctx gpu=2xh100-sxm"),
        ("llama 70b 2xH100 maximum context length", "llama-3.3-70b max=ctx gpu=2xh100-sxm"),
        ("llama 70b 2xH100 contexto máximo", "llama-3.3-70b max=ctx gpu=2xh100-sxm"),
        ("llama 70b 2xH100 máximo contexto", "llama-3.3-70b max=ctx gpu=2xh100-sxm"),
        ("llama 70b 2xH100 maximum contxt", "llama-3.3-70b max=ctx gpu=2xh100-sxm"),
        ("DeepSeek-V3 8*H20(96GB) max len", "deepseek-v3 max=ctx gpu=8xh20"),
        ("how long a context llama-13b l40s", "llama-2-13b max=ctx gpu=l40s"),
        ("cuánto contexto aguanta llama-13b l40s", "llama-2-13b max=ctx gpu=l40s"),
        ("llama-13b l40s max users ctx=2k", "llama-2-13b max=users gpu=l40s ctx=2048"),
        ("llama-13b l40s máx usuarios", "llama-2-13b max=users gpu=l40s"),
        ("how many users can llama-13b serve on l40s", "llama-2-13b max=users gpu=l40s"),
        ("cuántas peticiones aguanta llama-13b en l40s", "llama-2-13b max=users gpu=l40s"),
        ("max=ctx llama-13b", "llama-2-13b max=ctx"),
        ("13b int8 max=users", "13b int8 max=users"),
    ],
)
def test_goal(ask, text, line):
    request = ask(text)
    assert format_request(request) == line
    assert not request.ignored
    assert ask(line).goal is request.goal is not Goal.SIZE


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("does llama-13b fit 2xL40S", "llama-2-13b gpu=2xl40s"),
        ("which gpu fits llama-13b", "llama-2-13b"),
        ("what 70b models fit 2xL40S", "70b gpu=2xl40s"),
        ("llama-13b max context 4k", "llama-2-13b ctx=4096"),
        ("llama-13b contexto máximo de 2k l40s", "llama-2-13b gpu=l40s ctx=2048"),
        ("llama-13b max users 20", "llama-2-13b users=20"),
        ("llama-13b max-model-len 2048", "llama-2-13b ctx=2048"),
        ("por qué qwen1.5-72b usa tanto contexto con 8192", "qwen1.5-72b ctx=8192"),
    ],
)
def test_a_number_or_a_model_makes_it_a_plain_question(ask, text, line):
    request = ask(text)
    assert request.goal is Goal.SIZE
    assert format_request(request) == line


@pytest.mark.parametrize(
    ("words", "kinds", "families"),
    [
        ("", (), ()),
        ("vlm", (ModelKind.VLM,), ()),
        ("multimodales", (ModelKind.VLM,), ()),
        ("moe", (ModelKind.MOE,), ()),
        ("densos", (ModelKind.LLM,), ()),
        ("hybrid", (ModelKind.HYBRID,), ()),
        ("moe vlm", (ModelKind.MOE, ModelKind.VLM), ()),
        ("kind=moe/hybrid", (ModelKind.MOE, ModelKind.HYBRID), ()),
        ("tipo=vlm", (ModelKind.VLM,), ()),
        ("qwen", (), ("qwen",)),
        ("family=qwen/llama", (), ("qwen", "llama")),
        ("nemotorn", (), ("nemotron",)),
    ],
)
def test_kinds_and_families(ask, words, kinds, families):
    request = ask(f"fits 2xl40s {words}")
    assert request.goal is Goal.WHAT_FITS
    assert (request.kinds, request.families) == (kinds, families)
    assert not request.ignored


def test_kinds_say_nothing_about_a_named_model(ask):
    request = ask("what fits qwen2.5-7b vlm 2xl40s")
    assert (request.goal, request.kinds, request.model_id) == (Goal.SIZE, (), "qwen2.5-7b")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("what fits", "no_gpus"),
        ("qué cabe", "no_gpus"),
        ("what fits 2xL40S or 4xA100", "two_gpu_sets"),
        ("max=speed llama-13b", "bad_value"),
        ("fits 2xl40s kind=fast", "bad_value"),
        ("fits 2xl40s family=lama", "bad_value"),
    ],
)
def test_what_cannot_be_answered(grammar, text, reason):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(text)
    assert caught.value.values["reason"] == reason


def test_a_choice_of_sets_becomes_a_question_each(grammar):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse("what fits 2xL40S or 4xA100 users=4")
    lines = ("fits gpu=2xl40s users=4", "fits gpu=4xa100-sxm-80 users=4")
    assert caught.value.suggestions == lines


def test_the_most_of_nothing_asks_for_the_model(grammar):
    with pytest.raises(IncompleteRequestError) as caught:
        grammar.parse("max users ctx=8k")
    assert caught.value.values["understood"] == "max=users ctx=8192"


def test_bare_cards_are_no_such_question(grammar):
    with pytest.raises(IncompleteRequestError):
        grammar.parse("2xL40S")


def test_a_list_stays_a_list(grammar: Grammar):
    assert grammar.parse("models llama 3") == ListModels(query="llama 3")


def test_manner_is_kept(grammar: Grammar):
    command = grammar.parse("qué cabe en 2xl40s --private lang=es --json")
    assert isinstance(command, Ask)
    assert (command.private, command.language, command.as_json) == (True, "es", True)
