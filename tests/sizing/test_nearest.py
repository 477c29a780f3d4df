"""What stands first where no set of known speed keeps the wishes about speed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Option, SizingAnswer
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest, Targets

MARKS = {"smallest", "recommended", "cheapest"}
STRICT = Targets(itl_ms=6.0)


def asked(catalogue, **fields: object) -> SizingAnswer:
    question = {"model_id": "llama-3.3-70b", "concurrent_requests": 133, "targets": STRICT}
    request = SizingRequest(input_tokens=100, output_tokens=100, **(question | fields))
    return size(request, catalogue)


def codes(option: Option) -> set[str]:
    return {reason.code for reason in option.reasons}


def warned(answer: SizingAnswer) -> set[str]:
    return {warning.code for warning in answer.warnings}


def nearest(answer: SizingAnswer) -> Option:
    (found,) = (option for option in answer.options if "nearest" in codes(option))
    return found


def test_the_nearest_set_of_known_speed_goes_before_those_of_unknown_speed(catalogue) -> None:
    answer = asked(catalogue)
    first = answer.options[0]
    assert first == nearest(answer)
    assert first.performance.itl_ms.typical > 6
    assert "time_broken" in codes(first)
    times = [option.performance.itl_ms.typical for option in answer.options[:3]]
    assert times == sorted(times)
    assert all("too_slow" in codes(option) for option in answer.options[:3])
    assert all(option.performance is None for option in answer.options[3:])
    assert all("unjudged" in codes(option) for option in answer.options[3:])
    told = next(each for each in answer.warnings if each.code == "limits_missed")
    assert told.values == {"gpus": first.gpus, "gpu": first.gpu}


def test_no_set_of_one_server_misses_the_limit_by_less(catalogue) -> None:
    """Each kind with two to eight cards is asked by name, in the splits that are proposed."""
    best = nearest(asked(catalogue)).performance.itl_ms.typical
    for gpu in ("b300-sxm", "b200-sxm", "h200-sxm", "h100-sxm", "mi300x", "rtx-pro-6000-server"):
        for count in (2, 4, 8):
            option = asked(catalogue, gpus=(GpuChoice(gpu=gpu, count=count),)).options[0]
            if option.performance and option.verdict == "fits":
                assert option.performance.itl_ms.typical >= best


def test_nothing_carries_a_mark_that_is_not_known_to_keep_the_limits(catalogue) -> None:
    for fields in ({}, {"gpus": (GpuChoice(gpu="h100-sxm", count=8),)}, {"engine": "transformers"}):
        answer = asked(catalogue, **fields)
        assert not any(codes(option) & MARKS for option in answer.options)


def test_named_kinds_go_before_the_nearest_of_all(catalogue) -> None:
    answer = asked(catalogue, gpus=(GpuChoice(gpu="l40s"), GpuChoice(gpu="h100-sxm")))
    assert {option.gpu for option in answer.options[:2]} == {"l40s", "h100-sxm"}
    assert answer.options[2] == nearest(answer)


def test_a_named_kind_is_shown_in_the_set_that_misses_the_limit_by_least(catalogue) -> None:
    """Four cards hold the load, eight are faster."""
    first = asked(catalogue, gpus=(GpuChoice(gpu="l40s"),)).options[0]
    four = asked(catalogue, gpus=(GpuChoice(gpu="l40s", count=4),)).options[0]
    assert (first.gpu, first.gpus) == ("l40s", 8)
    assert first.performance.itl_ms.typical < four.performance.itl_ms.typical


def test_a_named_kind_of_unknown_speed_goes_first_and_the_nearest_after_it(catalogue) -> None:
    answer = asked(catalogue, gpus=(GpuChoice(gpu="a2"),))
    assert answer.options[0].gpu == "a2"
    assert "unjudged" in codes(answer.options[0])
    assert answer.options[1] == nearest(answer)


@pytest.mark.parametrize("limits", [Targets(), Targets(itl_ms=8.0)])
def test_nothing_is_praised_where_no_set_answers_the_rate(catalogue, limits) -> None:
    request = SizingRequest(model_id="llama-3.1-8b", requests_per_s=20_000.0, targets=limits)
    answer = size(request, catalogue)
    assert "rate_unplaced" in warned(answer)
    assert answer.options
    assert not any(codes(option) & MARKS for option in answer.options)


def test_where_no_speed_is_known_at_all_it_is_said(catalogue) -> None:
    answer = asked(catalogue, engine="transformers")
    assert "limits_unweighed" in warned(answer)
    assert not any("nearest" in codes(option) for option in answer.options)


def test_a_limit_on_what_does_not_write_token_by_token_takes_no_mark_away(catalogue) -> None:
    """Speech is told by its rate alone: a limit to the first token changes nothing."""
    plain = size(SizingRequest(model_id="whisper-large-v3"), catalogue)
    limited = size(SizingRequest(model_id="whisper-large-v3", targets=STRICT), catalogue)
    assert [codes(one) & MARKS for one in plain.options] == [
        codes(one) & MARKS for one in limited.options
    ]
    assert not warned(limited) & {"limits_missed", "limits_unweighed"}


def test_a_load_beyond_one_server_has_a_nearest_set_too(catalogue) -> None:
    """600 requests of 32,000 tokens are 600 x 32,000 x 327,680 B = 6.3 TB of KV cache."""
    request = SizingRequest(
        model_id="llama-3.3-70b", concurrent_requests=600, context_tokens=32_000,
        targets=Targets(ttft_ms=10.0),
    )  # fmt: skip
    found = nearest(size(request, catalogue))
    assert found.replicas > 1
    assert found.max_concurrent_requests >= 600


@pytest.mark.parametrize(("gpu", "keeps"), [("l4", False), ("rtx-5090", True)])
def test_a_named_card_that_does_not_hear_at_the_rate_is_neither_smallest_nor_cheapest(
    catalogue, gpu, keeps
) -> None:
    """An L4 hears about 3 windows each second, an RTX 5090 about 18: 8 x 30 s arrive."""
    named = (GpuChoice(gpu=gpu, count=1),)
    request = SizingRequest(model_id="whisper-large-v3", requests_per_s=8.0, gpus=named)
    answer = size(request, catalogue)
    first = answer.options[0]
    assert (first.gpu, first.gpus) == (gpu, 1)
    assert bool(codes(first) & {"smallest", "cheapest"}) == keeps
    assert ("rate_beyond" in warned(answer)) != keeps
    assert ("heard_in_time" in {each.code for each in answer.assumptions}) == keeps


@pytest.mark.parametrize("rate", [1.0, 5.0, 6.4, 8.0, 40.0])
def test_proposed_sets_hear_what_arrives_with_a_fifth_to_spare(catalogue, rate) -> None:
    request = SizingRequest(model_id="whisper-large-v3", requests_per_s=rate)
    answer = size(request, catalogue)
    for option in answer.options:
        assert 0.8 * option.performance.windows_per_s.typical >= rate
    assert "rate_unplaced" not in warned(answer)


@settings(max_examples=25, deadline=None)
@given(
    model=st.sampled_from(["llama-3.1-8b", "llama-3.3-70b", "gpt-oss-120b", "deepseek-v3"]),
    users=st.integers(1, 400),
    itl_ms=st.floats(1.0, 60.0),
)
def test_marks_go_to_sets_whose_typical_figures_keep_the_limit(
    catalogue, model, users, itl_ms
) -> None:
    answer = asked(
        catalogue, model_id=model, concurrent_requests=users, targets=Targets(itl_ms=itl_ms)
    )
    first = answer.options[0]
    assert ("nearest" in codes(first)) == ("limits_missed" in warned(answer))
    for option in answer.options:
        if codes(option) & MARKS:
            assert option.performance.itl_ms.typical <= itl_ms * (1 + 1e-9)
        if "nearest" in codes(option):
            assert option.performance.itl_ms.typical > itl_ms
