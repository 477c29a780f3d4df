"""Which limit binds, and what would move it: each way is asked again as it is typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.command import Ask, Grammar, format_request
from sizing.answer import Option, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.performance import BoundBy, Limit, Way, Wish
from sizing.request import SizingRequest, Targets

CATALOGUE = load_catalogue()


@pytest.fixture(scope="module")
def grammar(catalogue) -> Grammar:
    return Grammar(catalogue)


def asked(grammar: Grammar, question: str) -> SizingRequest:
    command = grammar.parse(question)
    assert isinstance(command, Ask)
    return command.request


def first(grammar: Grammar, catalogue: Catalogue, question: str) -> Option:
    return size(asked(grammar, question), catalogue).options[0]


@pytest.mark.parametrize(
    ("question", "limit", "wish", "taking"),
    [
        # more requests would cost nothing while weights are what is read; there is no room
        ("llama-13b int8 gpu=1xl4", Limit.MEMORY, None, BoundBy.WEIGHTS),
        ("llama 70b fp8 users=500 gpu=4xh100", Limit.MEMORY, None, BoundBy.MEMORY),
        ("llama 8b users=257 in=20 out=80 gpu=1xl40s", Limit.ENGINE, None, BoundBy.ENGINE),
        ("llama 70b users=1 gpu=4xh100", Limit.BANDWIDTH, None, BoundBy.WEIGHTS),
        ("llama 2 7b users=28 gpu=1xh100", Limit.BANDWIDTH, None, BoundBy.CACHE),
        ("llama 8b users=64 in=900 out=20 gpu=1xl40s", Limit.COMPUTE, None, BoundBy.PROMPTS),
        ("llama 70b users=900 in=20 out=80 gpu=4xh100", Limit.COMPUTE, None, BoundBy.COMPUTE),
        ("qwen3-0.6b users=1 gpu=1xh100", Limit.OVERHEAD, None, BoundBy.OVERHEAD),
        ("llama 70b users=100 in=50 out=950 gpu=8xl40s", Limit.EXCHANGE, None, BoundBy.EXCHANGE),
        ("llama 8b itl<15ms gpu=1xh100 users=8", Limit.LATENCY, Wish.ITL, BoundBy.WEIGHTS),
        ("llama 8b tps>=60 gpu=1xh100 users=8", Limit.LATENCY, Wish.TPS, BoundBy.WEIGHTS),
        # a prompt of 20,000 tokens takes most of a second alone
        ("llama 8b ttft<1s in=20k out=100 gpu=1xh100", Limit.LATENCY, Wish.TTFT, BoundBy.PROMPTS),
        # one of 500 takes 40 ms: the rest of a second is waiting for others
        ("llama 8b ttft<1s in=4000 out=4 gpu=1xl40s", Limit.QUEUEING, Wish.TTFT, BoundBy.PROMPTS),
        ("llama 8b ttft<60s gpu=1xl4", Limit.MEMORY, None, BoundBy.WEIGHTS),
    ],
)
def test_which_limit_binds(grammar, catalogue, question, limit, wish, taking) -> None:
    speed = first(grammar, catalogue, question).performance
    assert (speed.limit, speed.limiting_wish, speed.bound_by) == (limit, wish, taking)


def _number(option: Option) -> int:
    """Return the requests at once: inside the limits, where some were asked."""
    goodput = option.performance.goodput
    return round(goodput.concurrent_requests.typical) if goodput else option.max_concurrent_requests


def _again(grammar: Grammar, catalogue: Catalogue, way: Way, request: SizingRequest) -> Option:
    """Ask what was asked with the option of a way in the place of the same one."""
    told = asked(grammar, f"13b {way.option}")
    names = ("kv_precision", "precision", "input_tokens", "output_tokens", "gpus")
    changed = {name: getattr(told, name) for name in names if getattr(told, name)}
    if "input_tokens" in changed:
        changed["context_tokens"] = told.context_tokens
    return size(request.model_copy(update=changed), catalogue).options[0]


QUESTIONS = (
    "llama-13b int8 gpu=1xl4",
    "llama 70b fp8 users=500 gpu=4xh100 tp=4",
    "llama 70b fp8 users=200 in=2000 out=400 ttft<1s gpu=2xh200-nvl",
    "llama 70b fp8 users=64 in=2000 out=400 itl<30ms gpu=8xh100",
    "llama 8b users=64 gpu=1xh100",
    "llama 8b users=64 in=2900 out=20 gpu=1xl40s",
    "llama 70b users=100 in=50 out=950 gpu=8xl40s",
    "qwen3-30b-a3b users=32 gpu=2xa100",
    "gpt-oss-120b users=300 gpu=1xh100 itl<40ms",
    "llama 8b q4_k_m gpu=4090",
    "llama 8b sglang users=300 gpu=2xl4",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_way_gives_what_it_says_when_it_is_typed(grammar, catalogue, question) -> None:
    request = asked(grammar, question)
    option = size(request, catalogue).options[0]
    ways = option.performance.ways
    assert 1 <= len(ways) <= 2
    for way in ways:
        again = _again(grammar, catalogue, way, request)
        assert again.verdict is not Verdict.UNSUPPORTED
        if way.concurrent_requests is not None:
            assert way.output_tokens_per_s is None
            assert _number(again) == way.concurrent_requests >= 1.05 * _number(option)
        else:
            rates = [
                each.performance.output_tokens_per_s or each.performance.single_stream_tokens_per_s
                for each in (option, again)
            ]
            assert rates[1].typical == pytest.approx(way.output_tokens_per_s)
            assert rates[1].typical >= 1.05 * rates[0].typical


def test_only_the_first_option_is_advised_on(grammar, catalogue) -> None:
    options = size(asked(grammar, "llama-13b int8"), catalogue).options
    assert options[0].performance.ways
    assert not any(each.performance.ways for each in options[1:] if each.performance)


def test_formats_that_the_gpu_or_the_engine_refuses_are_no_advice(grammar, catalogue) -> None:
    """A V100 holds no FP8 weights, a T4 no FP8 cache; llama.cpp keeps other caches than vLLM."""
    on_v100 = first(grammar, catalogue, "llama 8b fp16 gpu=2xv100 users=2").performance.ways
    assert not any(way.option == "fp8" for way in on_v100)
    on_t4 = first(grammar, catalogue, "llama 8b gpu=2xt4").performance
    assert on_t4.limit is Limit.MEMORY
    assert not any(way.option == "kv=fp8" for way in on_t4.ways)
    file = first(grammar, catalogue, "llama 8b q8_0 gpu=4090 users=64 ctx=8k").performance.ways
    assert not any(way.option == "kv=fp8" for way in file)


def test_a_file_or_checkpoint_that_was_named_is_not_traded_for_another(grammar, catalogue) -> None:
    request = asked(grammar, "meta-llama/Llama-3.1-8B-Instruct users=1 gpu=1xh100")
    free = size(request, catalogue).options[0].performance.ways
    named = request.model_copy(update={"checkpoint": "meta-llama/Llama-3.1-8B-Instruct"})
    assert any(way.option == "fp8" for way in free)
    ways = size(named, catalogue).options[0].performance.ways
    assert not any(way.option in ("fp8", "int8", "awq") for way in ways)


def test_a_limit_no_request_keeps_still_gets_advice(grammar, catalogue) -> None:
    """One request alone takes longer than the limit between tokens: more GPUs shorten it."""
    option = first(grammar, catalogue, "llama 70b fp8 itl<15ms gpu=2xh100 users=4")
    assert option.performance.goodput.concurrent_requests.typical == 0
    assert "gpu=4xh100-sxm" in [way.option for way in option.performance.ways]


@settings(max_examples=20, deadline=None)
@given(
    model=st.sampled_from(["llama-3.1-8b", "llama-3.3-70b", "qwen3-30b-a3b"]),
    users=st.integers(1, 400),
    ttft_ms=st.none() | st.floats(200, 3000),
    itl_ms=st.none() | st.floats(10, 100),
)
def test_goodput_is_a_range_that_the_limits_hold(model, users, ttft_ms, itl_ms) -> None:
    """What is promised is never more than what the limits allow: it is counted with caution."""
    targets = Targets(ttft_ms=ttft_ms, itl_ms=itl_ms)
    request = SizingRequest(model_id=model, concurrent_requests=users, targets=targets)
    for option in size(request, CATALOGUE).options:
        if option.performance is None:
            continue
        goodput = option.performance.goodput
        assert (goodput is None) == (targets == Targets())
        if goodput is None:
            continue
        for each in (goodput.concurrent_requests, goodput.requests_per_s):
            assert each.low <= each.typical <= each.high
        whole, one = goodput.concurrent_requests, goodput.concurrent_requests_per_replica
        assert whole.typical == one.typical * option.replicas
        assert whole.typical <= option.max_concurrent_requests
        promised = option.performance.users_per_replica
        assert promised <= one.typical
        assert (promised or 0) >= min(1, int(one.typical))
        rate = goodput.replica_requests_per_s.typical * option.replicas
        assert goodput.requests_per_s.typical == pytest.approx(rate)


def test_the_question_can_be_written_with_each_way(grammar, catalogue) -> None:
    """What is proposed reads back as it was meant."""
    for question in QUESTIONS:
        for way in first(grammar, catalogue, question).performance.ways:
            request = asked(grammar, f"13b {way.option}")
            assert asked(grammar, format_request(request)) == request
