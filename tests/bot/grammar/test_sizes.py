"""Models named by their size, as mixtures, and by their shape."""

import pytest

from bot.command import IncompleteRequestError, format_request
from sizing.errors import InvalidRequestError
from sizing.request import Shape

B = 10**9


@pytest.mark.parametrize(
    ("text", "parameters", "experts", "active"),
    [
        ("8x13b", 13 * B, 8, None),
        ("16x7b int4", 7 * B, 16, None),
        ("8 x 13B", 13 * B, 8, None),
        ("8x1,5b", 1.5 * B, 8, None),
        ("13b experts=8", 13 * B, 8, None),
        ("120b-a12b", 120 * B, None, 12 * B),
        ("120B A12B", 120 * B, None, 12 * B),
        ("120b active=12b", 120 * B, None, 12 * B),
        ("120b con 12b activos", 120 * B, None, 12 * B),
        ("120b with 12b active", 120 * B, None, 12 * B),
        ("120b 12b activos", 120 * B, None, 12 * B),
        ("1t-a32b fp8", 1000 * B, None, 32 * B),
        ("un 34B denso", 34 * B, None, None),
    ],
)
def test_size(ask, text, parameters, experts, active):
    request = ask(text)
    assert request.model_id is None
    assert (request.parameters, request.experts) == (parameters, experts)
    assert request.active_parameters == active
    assert not request.ignored
    assert ask(format_request(request)) == request


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("8x7b", "mixtral-8x7b"),
        ("8x22b", "mixtral-8x22b"),
        ("30b-a3b", "qwen3-30b-a3b"),
        ("235b a22b", "qwen3-235b-a22b"),
        ("405b", "llama-3.1-405b"),
    ],
)
def test_such_a_name_of_the_catalogue_is_that_model(ask, text, model):
    assert ask(text).model_id == model


def test_a_size_like_a_name_is_written_so_that_it_stays_a_size(ask):
    request = ask("params=405b")
    assert (request.model_id, request.parameters) == (None, 405 * B)
    assert format_request(request) == "params=405b"


def test_shape(ask):
    keys = "layers=60 hidden=7168 heads=56 kvheads=8 headdim=128 ffn=20480 vocab=64k"
    shape = Shape(
        layers=60, hidden_size=7168, heads=56, kv_heads=8, head_dim=128, ffn_size=20480,
        vocabulary_size=64000,
    )  # fmt: skip
    assert ask(f"34b {keys}").shape == shape
    alone = ask(keys)
    assert (alone.parameters, alone.shape) == (None, shape)
    spoken = (
        "--num-hidden-layers 60 --hidden-size 7168 --num-attention-heads 56"
        " --num-key-value-heads 8 --head-dim 128 --intermediate-size 20480 --vocab-size 64000"
    )
    assert ask(spoken).shape == shape
    assert ask("34b capas=60 cabezas=56 cabezas-kv=8 vocabulario=64000").shape == Shape(
        layers=60, heads=56, kv_heads=8, vocabulary_size=64000
    )


def test_a_shape_that_cannot_be_counted_asks_for_the_size(grammar):
    with pytest.raises(IncompleteRequestError) as caught:
        grammar.parse("layers=60 heads=56")
    assert caught.value.values["understood"] == "layers=60 heads=56"


@pytest.mark.parametrize("told", ["layers=40", "experts=8", "active=2b", "kvheads=8"])
def test_a_named_model_has_its_own_shape(ask, told):
    request = ask(f"llama-13b {told}")
    assert (request.shape, request.experts, request.active_parameters) == (Shape(), None, None)
    assert len(request.ignored) == 1


def test_layers_in_a_sentence_are_no_shape(ask):
    assert ask("70b q4_k_m with 30 layers on the gpu").shape == Shape()


@pytest.mark.parametrize("text", ["34b layers=0", "34b heads=2.5", "8x13b 34b", "34b active=x"])
def test_what_cannot_be(grammar, text):
    with pytest.raises(InvalidRequestError):
        grammar.parse(text)
