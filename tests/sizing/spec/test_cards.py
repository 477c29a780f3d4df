"""Cards for several models, and the servers they stand in."""

from __future__ import annotations

from functools import partial

import pytest

from sizing.answer import Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import InvalidRequestError
from sizing.request import GpuChoice, Mode, SizingRequest
from sizing.spec.cards import CardSet, choose_cards
from sizing.spec.servers import server_load
from sizing.spec.sharing import Seat
from sizing.spec.wishes import Sharing


def chosen(
    catalogue: Catalogue, *demands: SizingRequest, sharing: Sharing = Sharing.FRACTIONS
) -> CardSet:
    return choose_cards(demands, partial(size, catalogue=catalogue), catalogue, sharing=sharing)


def on(gpu: str, count: int | None = None, **more) -> SizingRequest:
    return SizingRequest(gpus=(GpuChoice(gpu=gpu, count=count),), **more)


LARGE = SizingRequest(model_id="llama-3.1-70b", precision="fp8", concurrent_requests=8)
EMBEDDER = SizingRequest(model_id="bge-m3")
SPEECH = SizingRequest(model_id="whisper-large-v3")


def test_one_model_has_the_set_that_its_answer_proposes(catalogue: Catalogue) -> None:
    cards = chosen(catalogue, LARGE)
    assert cards.runs
    assert cards.options[0].gpu == cards.gpu.id
    assert cards.cards == cards.options[0].gpus


def test_small_models_stand_beside_a_large_one(catalogue: Catalogue) -> None:
    """70 GB of weights on 2 x H100 leave half a card free: embedder and speech go there."""
    named = LARGE.model_copy(update={"gpus": (GpuChoice(gpu="h100-sxm", count=2),)})
    together = chosen(catalogue, named, EMBEDDER, SPEECH)
    apart = chosen(catalogue, named, EMBEDDER, SPEECH, sharing=Sharing.NONE)
    assert (together.gpu.id, together.cards, apart.cards) == ("h100-sxm", 2, 4)
    assert [option.verdict for option in together.options] == [Verdict.FITS] * 3


def test_several_models_without_a_card_in_mind(catalogue: Catalogue) -> None:
    cards = chosen(catalogue, LARGE, EMBEDDER, SPEECH)
    assert cards.runs
    assert len(cards.answers) == 3
    assert {option.gpu for option in cards.options} == {cards.gpu.id}


def test_two_kinds_of_cards_are_two_questions(catalogue: Catalogue) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        chosen(catalogue, on("l4", model_id="bge-m3"), on("h100-sxm", model_id="llama-3.1-8b"))
    assert caught.value.values["reason"] == "spec_one_card"


def test_a_named_card_that_does_not_run_is_kept_and_told(catalogue: Catalogue) -> None:
    cards = chosen(catalogue, on("l4", 1, model_id="llama-3.1-70b", precision="fp16"))
    assert not cards.runs


def test_a_server_of_eight(catalogue: Catalogue) -> None:
    """Boards of H100 SXM carry four or eight: three that are needed are bought as four."""
    cards = chosen(catalogue, on("h100-sxm", 2, model_id="llama-3.1-70b", precision="fp8"))
    load = server_load(cards, most_per_server=None, spare=1)
    assert (load.gpus, load.servers, load.spare_servers) == (4, 1, 1)
    assert [model.name for model in load.models] == ["Llama 3.1 70B"]
    assert load.models[0].gpus_per_copy == 2


def test_copies_are_spread_over_servers(catalogue: Catalogue) -> None:
    """16 cards of one each, 8 in a server; a platform of four needs four servers."""
    cards = chosen(catalogue, on("l40s", 16, model_id="llama-3.1-8b", concurrent_requests=900))
    seats = tuple(Seat(workload=0, cards=(card,), fraction_percent=90) for card in range(16))
    spread = CardSet(cards.gpu, cards.answers, seats)
    two = server_load(spread, most_per_server=None, spare=0)
    assert (two.servers, two.gpus, two.models[0].copies) == (2, 8, 8)
    four = server_load(spread, most_per_server=4, spare=0)
    assert (four.servers, four.gpus, four.models[0].copies) == (4, 4, 4)


def test_a_copy_that_spans_servers(catalogue: Catalogue) -> None:
    cards = chosen(catalogue, on("h100-sxm", 16, model_id="deepseek-v3", precision="fp8"))
    load = server_load(cards, most_per_server=None, spare=0)
    assert (load.servers, load.gpus, load.spans_servers) == (2, 8, True)
    assert load.models[0].gpus_per_copy == 8


def test_a_training_run_keeps_checkpoints(catalogue: Catalogue) -> None:
    """Full: 14 bytes a parameter; LoRA: its adapters alone."""
    asked = {"model_id": "llama-3.1-8b", "gpus": (GpuChoice(gpu="h100-sxm", count=4),)}
    full = server_load(
        chosen(catalogue, SizingRequest(mode=Mode.FULL, **asked)), most_per_server=None, spare=0
    ).models[0]
    lora = server_load(
        chosen(catalogue, SizingRequest(mode=Mode.LORA, **asked)), most_per_server=None, spare=0
    ).models[0]
    assert full.training_state_bytes == 14 * full.parameters
    assert 0 < lora.training_state_bytes < 10**9
