"""Words that change a question: whatever option they name takes the place of what was asked."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from bot.command import format_request
from bot.grammar.options import FLAGS, NUMBER_OPTIONS, WORD_OPTIONS
from bot.names import word_set
from sizing.errors import InvalidRequestError, SizingError
from sizing.spec.wishes import Sharing

VALUES = {
    "memory_fraction": ("0.8", "0.95"), "acceptance": ("0.6", "0.7"),
    "offload_fraction": ("0.5", "0.75"), "rollout_fraction": ("0.3", "0.4"),
    "parameters": ("13b", "70b"), "active_parameters": ("3b", "5b"),
    "draft_parameters": ("1b", "2b"),
    "pue": ("1.2", "1.4"), "data_parallel": ("2", "4"),
}  # fmt: skip
"""Two legal values of number fields that do not believe 2 and 3."""

WORDS = {
    "precision": ("fp8", "int4"), "kv": ("fp8", "fp16"), "cache": None,
    "engine": ("vllm", "sglang"), "mode": ("lora", "full"), "language": None,
    "model": ("qwen2.5-72b", "llama-3.1-8b"), "gpu": ("4xh100", "2xl40s"),
    "memory": ("24gb", "80gb"), "attention": None, "purchase": ("buy", "rent"),
    "picture": ("512x512", "1024x768"), "goal": ("ctx", "users"), "kind": None, "family": None,
    "pool": ("8192", "16384"), "spec": ("eagle3", "mtp"), "framework": ("axolotl", "unsloth"),
    "method": ("dpo", "grpo"), "beside": ("llama-3.1-8b", "qwen2.5-7b"),
    "tuner": ("dora", "vera"), "targets": ("attention", "all-linear"),
    "trained-modules": None, "train-embeddings": ("on", "off"), "encoders": ("frozen", "trained"),
    "freeze-encoders": ("true", "false"), "optimizer": ("adamw", "lion"),
    "in-backward": ("on", "off"), "autocast": ("on", "off"), "zero": ("2", "3"),
    "offload": ("optimizer", "all"), "checkpointing": ("on", "off"),
    "encoder-checkpointing": ("on", "off"), "attention-kernel": ("on", "off"),
    "compile": ("on", "off"), "loss": ("liger", "whole"), "packing": ("on", "off"),
}  # fmt: skip
"""Two legal values of options with words; None for those that are no part of a question alone."""

SPOKEN = {"private", "json", "enable-lora"}

SETTINGS = [
    *((f"{one.keys[0]}={a}", f"{one.keys[0]}={b}")
      for one in NUMBER_OPTIONS for a, b in [VALUES.get(one.field, ("2", "3"))]),
    *((f"{WORD_OPTIONS[kind][0]}={values[0]}", f"{WORD_OPTIONS[kind][0]}={values[1]}")
      for kind, values in WORDS.items() if values),
    *((f"--{word}", f"--{word}=off") for word, kind in FLAGS.items()
      if kind not in SPOKEN | {"buy", "rent"}),
    ("loras=4", "loras=0"), ("precision=int8", "precision=auto"), ("gpu=4xh100", "gpu=any"),
]  # fmt: skip
"""Two ways to set every option."""

TRAINING = word_set("""
    framework method beside tuner targets train-embeddings encoders freeze-vit optimizer
    in-backward autocast zero offload checkpointing encoder-checkpointing flash compile
    loss packing trained-layers shard cp offload-fraction rollout mode
    """)
"""Keys that say something of training runs only."""


def subject(setting: str) -> str:
    key = setting.partition("=")[0]
    run = " mode=lora" if key in TRAINING and key != "mode" else ""
    return f"{'' if key in {'params', 'model'} else 'llama-13b'}{run}"


def told(request) -> dict[str, object]:
    return request.model_dump(exclude={"read_as", "ignored"})


def test_every_option_is_among_them() -> None:
    assert set(WORDS) == set(WORD_OPTIONS)


@pytest.mark.parametrize(("before", "after"), SETTINGS, ids=[one[1] for one in SETTINGS])
def test_an_option_takes_the_place_of_what_was_asked(grammar, ask, before, after) -> None:
    """Asked again with the option replaced, a question is the one asked with it in the first."""
    base = ask(f"{subject(before)} {before}")
    assert told(grammar.changed(base, after)) == told(ask(f"{subject(after)} {after}"))


@pytest.mark.parametrize(("before", "after"), SETTINGS, ids=[one[1] for one in SETTINGS])
def test_an_option_that_was_not_asked_is_added(grammar, ask, before, after) -> None:
    if before.startswith(("params", "model")):
        return
    base = ask(subject(before))
    assert told(grammar.changed(base, before)) == told(ask(f"{subject(before)} {before}"))


@given(st.sampled_from(SETTINGS), st.sampled_from(SETTINGS))
@example(("users=2", "users=3"), ("ctx=2", "ctx=3"))
def test_all_other_options_stay(grammar, ask, changed, kept) -> None:
    """One option is replaced beside another one, whichever they are, where both can be asked."""
    keys = {one[0].partition("=")[0] for one in (changed, kept)}
    assume(len(keys) == 2)
    assume(not keys & {"params", "model", "loras"})
    # These say one thing in two ways, or belong to each other: what was said last stands alone.
    assume(not any(len(keys & group) == 2 for group in TOGETHER))
    run = subject(changed[0]) if "mode" in subject(changed[0]) else subject(kept[0])
    try:
        base = ask(f"{run} {kept[0]} {changed[0]}")
        expected = ask(f"{run} {kept[0]} {changed[1]}")
    except SizingError:
        return
    assert told(grammar.changed(base, changed[1])) == told(expected)


TOGETHER = (
    {"ctx", "in", "out", "max-batch-total-tokens", "max"},
    {"users", "rps", "max"},
    {"gpu", "memory", "gpus", "tp", "pp", "ep", "dp"},
    TRAINING,
    {"precision", "engine"},
    # Words for one switch.
    *({f"--{word}" for word, kind in FLAGS.items() if kind == one} for one in set(FLAGS.values())),
)


@pytest.mark.parametrize(
    ("base", "words", "line"),
    [
        ("llama-13b int8", "ctx=64k users=32", "llama-2-13b int8 ctx=65536 users=32"),
        # A split belongs to its cards; a number alone counts the cards that were asked.
        ("llama-3.1-70b fp8 4xh100 tp=4", "2 gpus", "llama-3.1-70b fp8 gpu=2xh100-sxm"),
        ("llama-3.1-70b fp8 4xh100 tp=4", "l40s", "llama-3.1-70b fp8 gpu=l40s"),
        ("llama-13b users=5 ttft<1s", "rps=2 itl<50ms", "llama-2-13b rps=2 ttft<1000 itl<50"),
        ("llama-13b in=3000 out=500", "out=1000", "llama-2-13b in=3000 out=1000"),
        ("llama-13b in=3000 out=500", "ctx=8k", "llama-2-13b ctx=8192"),
        ("llama-3.1-8b qlora rank=8", "zero=2", "llama-3.1-8b mode=qlora rank=8 zero=2"),
        ("llama-3.1-8b qlora rank=8", "mode=infer", "llama-3.1-8b"),
        ("flux.1-dev", "512", "flux.1-dev res=512x512"),
        ("13b layers=40", "qwen2.5-72b", "qwen2.5-72b"),
        ("llama-13b", "layers=50", "llama-2-13b"),
        ("llama-13b max=users 2xl40s", "users=8", "llama-2-13b gpu=2xl40s users=8"),
        ("llama-13b users=5", "y con 40 usuarios", "llama-2-13b users=40"),
    ],
)
def test_what_belongs_together_changes_together(grammar, ask, base, words, line) -> None:
    assert format_request(grammar.changed(ask(base), words)) == line


def test_what_tells_of_no_named_model_is_said_to_be_passed_over(grammar, ask) -> None:
    assert grammar.changed(ask("llama-13b"), "layers=50 users=4").ignored == ("layers=50",)


@pytest.mark.parametrize(
    ("words", "reason"),
    [("please", "nothing_changed"), ("", "nothing_said"), ("fp8 int4", "two_precisions")],
)
def test_words_that_change_nothing_are_refused(grammar, ask, words, reason) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        grammar.changed(ask("llama-13b"), words)
    assert caught.value.values["reason"] == reason


PLAN = "spec llama-3.1-70b fp8 users=20 + bge-m3 growth=30% spare=1"


def server(grammar, line, words):
    return grammar.changed_server(grammar.parse(line).request, words)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("growth=50%", "spec llama-3.1-70b fp8 users=20 + bge-m3 growth=50% spare=1"),
        ("bge-m3 users=9", "spec llama-3.1-70b fp8 users=20 + bge-m3 users=9 growth=30% spare=1"),
        ("kv=fp8 country=ES",
         "spec llama-3.1-70b fp8 users=20 kv=fp8 + bge-m3 kv=fp8 growth=30% spare=1 country=ES"),
        ("llama-3.1-70b int4 + bge-m3 users=3",
         "spec llama-3.1-70b int4 users=20 + bge-m3 users=3 growth=30% spare=1"),
    ],
)  # fmt: skip
def test_a_plan_is_changed_model_by_model(grammar, words, line) -> None:
    changed, expected = server(grammar, PLAN, words), grammar.parse(line).request
    assert changed.growth == expected.growth
    assert changed.site == expected.site
    assert [told(one.request) for one in changed.workloads] == [
        told(one.request) for one in expected.workloads
    ]


def test_a_switch_of_a_plan_can_be_put_back(grammar) -> None:
    line = "spec llama-3.1-8b users=5 share=no liquid=yes"
    changed = server(grammar, line, "share=yes liquid=no")
    assert (changed.sharing, changed.site.liquid) == (Sharing.FRACTIONS, False)


def test_people_give_way_to_a_load_told_anew(grammar) -> None:
    line = "spec llama-3.1-8b people=300 rph=6"
    (one,) = server(grammar, line, "users=40").workloads
    assert (one.people, one.request.concurrent_requests) == (None, 40)
    (one,) = server(grammar, "spec llama-3.1-8b users=40", "people=300 rph=6").workloads
    assert (one.people, one.request.concurrent_requests) == (300, None)


def test_the_only_model_of_a_plan_can_be_another(grammar) -> None:
    (one,) = server(grammar, "spec llama-3.1-8b users=5", "qwen2.5-72b").workloads
    assert (one.request.model_id, one.request.concurrent_requests) == ("qwen2.5-72b", 5)


@pytest.mark.parametrize(
    ("words", "reason"),
    [("qwen2.5-72b", "which_workload"), ("", "nothing_said"), ("growth=x", "bad_value")],
)
def test_what_a_plan_cannot_take(grammar, words, reason) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        server(grammar, PLAN, words)
    assert caught.value.values["reason"] == reason


def test_slices_and_other_goals_are_changes_too(grammar, ask) -> None:
    base = ask("llama-3.1-8b fp8 gpu=1xh100 users=4")
    assert format_request(grammar.changed(base, "gpu=h100:3g.40gb")) == (
        "llama-3.1-8b fp8 gpu=h100-sxm:3g.40gb users=4"
    )
    assert format_request(grammar.changed(base, "max=ctx")).split()[2] == "max=ctx"
