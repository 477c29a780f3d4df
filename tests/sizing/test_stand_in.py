"""Models known by their size, or by their shape, alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import SizingAnswer
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.errors import InvalidRequestError
from sizing.records import Attention, TensorGroup
from sizing.request import Shape, SizingRequest
from sizing.subject import subject_of

CATALOGUE = load_catalogue()
B = 10**9
YI = Shape(layers=60, hidden_size=7168, heads=56, kv_heads=8, head_dim=128, vocabulary_size=64000)


def asked(**fields: object) -> SizingAnswer:
    return size(SizingRequest(**fields), CATALOGUE)


def codes(answer: SizingAnswer) -> set[str]:
    return {note.code for note in answer.assumptions}


class TestMixturesOfDenseModels:
    @pytest.mark.parametrize(
        ("parameters", "total", "active"),
        [
            # mistralai/Mixtral-8x22B-v0.1: 140.6 B in all, 39.1 B a token.
            (22 * B, 140.6 * B, 39.1 * B),
        ],
    )
    def test_experts_share_the_rest_of_the_model(self, parameters, total, active):
        """Not 8 x 22 B = 176 B: attention, norms and embedding are there once."""
        understood = asked(parameters=parameters, experts=8).understood
        assert understood.parameters == pytest.approx(total, rel=0.02)
        assert understood.active_parameters == pytest.approx(active, rel=0.05)
        assert understood.model == "8x22B"

    def test_groups(self):
        """Eight times the feed-forward part of the dense model, and a router."""
        dense = asked(parameters=13 * B).memory
        mixture = asked(parameters=13 * B, experts=8).memory
        one = {group.group: group.parameters for group in dense.groups}
        many = {group.group: group.parameters for group in mixture.groups}
        assert many[TensorGroup.EXPERTS] == 8 * one[TensorGroup.FFN]
        assert many[TensorGroup.ATTENTION] == one[TensorGroup.ATTENTION]
        assert TensorGroup.FFN not in many
        assert TensorGroup.ROUTER in many
        assert mixture.kv_bytes_per_token == dense.kv_bytes_per_token

    def test_one_expert_is_passed_by_every_token(self):
        understood = asked(parameters=13 * B, experts=1).understood
        assert understood.active_parameters == understood.parameters

    def test_stated_active_parameters_win(self):
        answer = asked(parameters=13 * B, experts=8, active_parameters=20 * B)
        assert answer.understood.active_parameters == 20 * B
        assert answer.understood.model == "8x13B A20B"
        assert "mixture_size" in codes(answer)


class TestTotalAndActive:
    @pytest.mark.parametrize(
        "model_id",
        ["glm-4.5-air", "qwen3-235b-a22b", "mixtral-8x22b", "minimax-m2", "qwen3-30b-a3b"],
    )
    def test_real_mixtures_lie_between_the_bounds(self, model_id):
        known = subject_of(SizingRequest(model_id=model_id), CATALOGUE)
        sizes = {"parameters": known.parameters, "active_parameters": known.active_parameters}
        memory = asked(**sizes, precision="bf16").memory
        exact = asked(model_id=model_id, precision="bf16").memory
        assert memory.kv_cache_low_bytes <= memory.kv_cache_bytes <= memory.kv_cache_high_bytes
        assert (
            memory.kv_cache_low_bytes <= exact.kv_cache_bytes <= memory.kv_cache_high_bytes * 1.01
        )
        assert memory.weights_bytes == pytest.approx(exact.weights_bytes, rel=0.001)

    def test_it_is_told_as_an_estimate(self):
        answer = asked(parameters=120 * B, active_parameters=12 * B)
        assert {"sparse_size", "kv_range_mixtures"} <= codes(answer)
        assert answer.understood.model == "120B A12B"
        assert answer.understood.active_parameters == 12 * B

    def test_active_beyond_all_is_refused(self):
        with pytest.raises(InvalidRequestError) as caught:
            asked(parameters=12 * B, active_parameters=12 * B + 1)
        assert caught.value.values["reason"] == "active_beyond_total"
        assert asked(parameters=12 * B, active_parameters=12 * B).options

    def test_a_told_shape_makes_the_cache_exact(self):
        """2 x 46 layers x 8 KV heads x 128 x 2 bytes = 188,416 bytes (GLM-4.5 Air)."""
        shape = Shape(layers=46, kv_heads=8, head_dim=128)
        answer = asked(parameters=107 * B, active_parameters=12 * B, shape=shape)
        assert answer.memory.kv_bytes_per_token == 188_416
        assert answer.memory.kv_cache_low_bytes is None
        assert "shape_told" in codes(answer)


class TestAttention:
    def test_where_it_is_open_both_bounds_are_told(self):
        """Llama 2 13B is multi-head: 819,200 bytes a token, the upper bound at its size."""
        answer = asked(parameters=13_015_864_320)
        memory = answer.memory
        assert memory.kv_cache_low_bytes == memory.kv_cache_bytes
        assert memory.kv_cache_high_bytes == pytest.approx(819_200 * 4096, rel=0.001)
        assert "kv_range_attention" in codes(answer)

    @pytest.mark.parametrize("attention", [Attention.GQA, Attention.MHA, Attention.MQA])
    def test_where_it_is_told_there_is_one_figure(self, attention):
        answer = asked(parameters=13 * B, attention=attention)
        assert answer.memory.kv_cache_high_bytes is None
        assert not {"kv_range_attention", "kv_range_mixtures"} & codes(answer)

    def test_a_named_model_has_no_bounds(self):
        assert asked(model_id="llama-2-13b").memory.kv_cache_high_bytes is None


class TestShape:
    def test_a_full_shape_is_counted(self):
        """Yi 34B: 34,388,917,248 parameters (01-ai/Yi-34B, model.safetensors.index.json)."""
        shape = YI.model_copy(update={"ffn_size": 20480})
        answer = asked(shape=shape, attention=Attention.GQA)
        assert answer.understood.parameters == 34_388_917_248
        assert answer.memory.kv_bytes_per_token == 2 * 60 * 8 * 128 * 2
        assert answer.understood.model == "34.39B"

    def test_the_feed_forward_part_takes_what_is_left(self):
        """60 x (2 x 7168^2 + 2 x 1024 x 7168) = 7.05 B of attention, 0.92 B of tables."""
        answer = asked(parameters=34 * B, shape=YI)
        groups = {group.group: group.parameters for group in answer.memory.groups}
        assert groups[TensorGroup.ATTENTION] == 60 * (2 * 7168**2 + 2 * 1024 * 7168)
        assert groups[TensorGroup.EMBEDDING] == groups[TensorGroup.HEAD] == 64000 * 7168
        assert sum(groups.values()) == 34 * B

    def test_a_head_is_the_width_divided_by_heads(self):
        shape = Shape(layers=32, hidden_size=4096, heads=32, kv_heads=4)
        assert (
            asked(parameters=7 * B, shape=shape).memory.kv_bytes_per_token == 2 * 32 * 4 * 128 * 2
        )

    @pytest.mark.parametrize(("attention", "kv_heads"), [(Attention.MHA, 40), (Attention.MQA, 1)])
    def test_attention_tells_the_kv_heads(self, attention, kv_heads):
        shape = Shape(layers=40, hidden_size=5120, heads=40)
        answer = asked(parameters=13 * B, shape=shape, attention=attention)
        assert answer.memory.kv_bytes_per_token == 2 * 40 * kv_heads * 128 * 2

    def test_kv_heads_divide_the_heads(self):
        with pytest.raises(InvalidRequestError) as caught:
            asked(parameters=34 * B, shape=Shape(heads=56, kv_heads=9))
        assert caught.value.values == {"reason": "kv_heads_mismatch", "heads": 56, "kv_heads": 9}

    @pytest.mark.parametrize("missing", ["layers", "hidden_size", "heads", "vocabulary_size"])
    def test_too_little_shape_is_no_model(self, missing):
        shape = YI.model_copy(update={"ffn_size": 20480, missing: None})
        with pytest.raises(InvalidRequestError) as caught:
            asked(shape=shape)
        assert caught.value.values["reason"] == "no_model"

    def test_a_shape_of_another_model_stretches(self):
        """The tables and the attention of a 34B do not fit into 1 B."""
        memory = asked(parameters=B, shape=YI).memory
        assert sum(group.parameters for group in memory.groups) == B


sizes = st.integers(10**8, 10**12)


@given(sizes, sizes, st.integers(1, 64), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_larger_size_never_needs_less(one, other, experts, is_mixture):
    small, large = sorted((one, other))
    fields = {"experts": experts} if is_mixture else {"active_parameters": 10**8}
    low, high = (asked(parameters=total, **fields).memory for total in (small, large))
    assert low.weights_bytes <= high.weights_bytes
    assert low.kv_bytes_per_token <= high.kv_bytes_per_token + 16


@given(st.integers(10**9, 10**12), st.data())
@settings(max_examples=60, deadline=None)
def test_parts_sum_to_the_size(total, data):
    active = data.draw(st.integers(10**8, total))
    answer = asked(parameters=total, active_parameters=active)
    assert answer.understood.parameters == total
    assert sum(group.parameters for group in answer.memory.groups) == total
