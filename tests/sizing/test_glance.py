"""A glance at a load on a kind of cards finds the set that a whole answer puts first."""

from __future__ import annotations

import pytest

from sizing.answer import Verdict
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.glance import Glance
from sizing.request import GpuChoice, SizingRequest, Targets

CATALOGUE = load_catalogue()
GPUS = ("l4", "l40s", "h100-sxm", "h200-nvl", "mi300x", "rtx-5090", "gb10", "m3-ultra", "a16")

QUESTIONS = (
    SizingRequest(model_id="llama-3.3-70b"),
    SizingRequest(model_id="llama-3.1-8b", concurrent_requests=60, precision="fp8"),
    SizingRequest(model_id="llama-3.1-8b", requests_per_s=3, input_tokens=2000, output_tokens=300),
    SizingRequest(model_id="bge-m3", requests_per_s=5),
    SizingRequest(model_id="llama-3.1-8b", mode="qlora"),
    SizingRequest(parameters=13 * 10**9, precision="int4"),
)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", GPUS)
def test_it_finds_the_first_set_of_the_answer(question: SizingRequest, name: str) -> None:
    asked = question.model_copy(update={"gpus": (GpuChoice(gpu=name),)})
    whole = size(asked, CATALOGUE).options
    fits = [one for one in whole[:1] if one.gpu == name and one.verdict is Verdict.FITS]
    seen = Glance(question, CATALOGUE).on(CATALOGUE.gpus[name])
    expected = (fits[0].gpus, fits[0].replicas, fits[0].tensor_parallel) if fits else None
    found = seen.options[0] if seen else None
    assert expected == (found and (found.gpus, found.replicas, found.tensor_parallel))


def test_a_set_that_breaks_a_wish_about_speed_is_none() -> None:
    """Whole answers show it with its verdict on memory; here it must not stand for the load."""
    question = SizingRequest(
        model_id="llama-3.3-70b", concurrent_requests=20, targets=Targets(tokens_per_s=1_000)
    )
    assert Glance(question, CATALOGUE).on(CATALOGUE.gpus["l40s"]) is None


def test_an_engine_that_a_card_does_not_run_is_none() -> None:
    question = SizingRequest(model_id="llama-3.1-8b", engine="trtllm")
    assert Glance(question, CATALOGUE).on(CATALOGUE.gpus["mi300x"]) is None
