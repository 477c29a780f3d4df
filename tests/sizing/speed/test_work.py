"""What a GPU reads, computes and sends, counted by hand from the shapes of models."""

from __future__ import annotations

from math import log

import pytest

from sizing.parallelism import Layout

H100_16_BIT = 989e12
H100_8_BIT = 1979e12


def test_llama_8b_on_one_h100(work) -> None:
    """Of 1,000 + 500 tokens, an answer is on average at token 1,250.

    A layer: 2 x 4096^2 + 2 x 4096 x 1024 (attention), 3 x 4096 x 14336 (FFN), 2 x 4096 (norms).
    Read are 32 of them, a norm, and the head of 128,256 x 4096, but not the table of embeddings.
    A token's cache is 32 layers x 8 heads x 2 x 128 numbers of 16 bits.
    """
    found = work("llama-3.1-8b", "h100-sxm", read=1000, written=500)
    head = 128_256 * 4096
    layer = 2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096
    read = 32 * layer + 4096 + head
    assert read == 7_504_924_672
    assert found.dense_bytes == 2 * read
    assert (found.expert_bytes, found.expert_share) == (0, 1)
    assert found.cache_bytes == 1250 * 131_072
    assert found.linear_s == pytest.approx(2 * read / H100_16_BIT)
    assert found.prefill_linear_s == pytest.approx(1000 * 2 * (read - head) / H100_16_BIT)
    # a query against 1,250 keys and values of 128 numbers, two operations each, 32 x 32 heads
    assert found.attention_s == pytest.approx(2 * 32 * 32 * 256 * 1250 / H100_16_BIT)
    # each of 1,000 tokens looks at those before it: 500 on average
    assert found.prefill_attention_s == pytest.approx(2 * 32 * 32 * 256 * 500_000 / H100_16_BIT)
    assert (found.layers, found.exchanging_layers, found.wire_bytes) == (32, 0, 0)
    assert (found.pipeline, found.prompt_steps) == (1, 2)


def test_eight_bits_halve_what_is_read_and_double_the_rate_of_quantised_groups(work) -> None:
    """The head stays in 16 bits: its bytes and its rate do not change."""
    found = work("llama-3.1-8b", "h100-sxm", read=1000, written=500, precision="fp8")
    head = 128_256 * 4096
    layers = 32 * (2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    assert found.dense_bytes == pytest.approx(layers + 2 * head, rel=0.001)
    quick, slow = 2 * layers / H100_8_BIT, 2 * head / H100_16_BIT
    assert found.linear_s == pytest.approx(quick + slow, rel=0.001)


def test_a_format_that_is_only_stored_saves_bytes_but_no_arithmetic(work) -> None:
    whole = work("llama-3.1-8b", "a100-sxm-80", read=1000, written=500)
    stored = work("llama-3.1-8b", "a100-sxm-80", read=1000, written=500, precision="awq")
    assert stored.dense_bytes < 0.45 * whole.dense_bytes
    assert stored.linear_s == pytest.approx(whole.linear_s)


@pytest.mark.parametrize(
    ("model", "layout", "width"),
    [
        ("llama-3.1-8b", Layout(), 14336),
        ("llama-3.1-8b", Layout(4), 3584),
        ("gpt-oss-120b", Layout(), 2880),
        ("gpt-oss-120b", Layout(4), 720),
        ("gpt-oss-120b", Layout(data_parallel=4, expert_parallel=4), 2880),
    ],
    ids=["dense", "dense, cut", "whole", "cut by tensor ranks", "shared out whole"],
)
def test_the_feed_forward_width_of_one_rank(work, model, layout, width) -> None:
    found = work(model, "h100-sxm", layout, read=100, written=100)
    assert found.grain == pytest.approx(log(width / 4096))


def test_tensor_parallel_ranks_send_a_ring_each_layer_twice(work) -> None:
    """Two all-reduces of 32 layers, 4096 numbers of 16 bits, 2 x 3/4 of which a rank sends."""
    alone = work("llama-3.1-8b", "h100-sxm", read=1000, written=500)
    four = work("llama-3.1-8b", "h100-sxm", Layout(4), read=1000, written=500)
    assert four.wire_bytes == 2 * 32 * 2 * 4096 * 2 * 3 / 4
    assert four.exchanging_layers == 32
    assert four.dense_bytes == alone.dense_bytes / 4
    assert four.cache_bytes == alone.cache_bytes / 4
    assert four.linear_s == pytest.approx(alone.linear_s / 4)
    assert four.prefill_attention_s == pytest.approx(alone.prefill_attention_s / 4)


def test_stages_share_arithmetic_and_cache_but_a_token_passes_all_weights(work) -> None:
    alone = work("llama-3.1-8b", "h100-sxm", read=1000, written=500)
    two = work("llama-3.1-8b", "h100-sxm", Layout(pipeline_parallel=2), read=1000, written=500)
    assert two.dense_bytes == alone.dense_bytes
    assert two.cache_bytes == alone.cache_bytes / 2
    assert two.linear_s == pytest.approx(alone.linear_s / 2)
    assert (two.pipeline, two.wire_bytes, two.exchanging_layers) == (2, 0, 0)


LATENT = 61 * 576 * 2
"""Bytes of one token of DeepSeek V3: 512 + 64 numbers of 16 bits in 61 layers."""

EXPERTS = 58 * 256 * 3 * 7168 * 2048
"""Parameters of its routed experts."""


def test_ranks_that_cut_the_heads_each_read_the_whole_latent_cache(work) -> None:
    """A step of sparse layers sends what dense ones send: 2 x 61 sums of 7168 numbers."""
    found = work("deepseek-v3", "h200-sxm", Layout(8), read=2000, written=1000)
    assert found.cache_bytes == 2500 * LATENT
    assert found.expert_share == 8 / 256
    # 8 bits and a 32-bit scale for each block of 128 x 128
    assert found.expert_bytes == pytest.approx(EXPERTS / 8 * (1 + 4 / 128**2), rel=1e-4)
    assert found.wire_bytes == 2 * 61 * 2 * 7168 * 2 * 7 / 8
    assert found.exchanging_layers == 61
    assert (found.layers, found.expert_layers, found.latent_layers) == (61, 58, 61)


def test_copies_of_the_attention_share_out_the_requests_and_their_cache(work) -> None:
    """A token goes to 7 other ranks at most and comes back, in 58 layers; each rank reads all of
    the attention, an eighth of the experts and the cache of an eighth of the requests.
    """
    layout = Layout(data_parallel=8, expert_parallel=8)
    found = work("deepseek-v3", "h200-sxm", layout, read=2000, written=1000)
    cut = work("deepseek-v3", "h200-sxm", Layout(8), read=2000, written=1000)
    assert found.cache_bytes == 2500 * LATENT / 8
    assert found.expert_bytes == cut.expert_bytes
    assert found.dense_bytes == 8 * cut.dense_bytes
    assert found.linear_s == pytest.approx(cut.linear_s)
    assert found.wire_bytes == 2 * 58 * 2 * 7168 * 7 / 8


def test_latent_attention_works_on_the_latent_and_reads_prompts_expanded(work) -> None:
    """Absorbed, a query of a head meets 576 numbers and sums 512; a prompt's meets 192 + 128."""
    found = work("deepseek-v3", "h200-sxm", Layout(8), read=2000, written=1000)
    heads = 61 * 128 / 8
    assert found.attention_s == pytest.approx(2 * heads * 1088 * 2500 / H100_16_BIT)
    pairs = 2000 * 2000 / 2
    assert found.prefill_attention_s == pytest.approx(2 * heads * 320 * pairs / H100_16_BIT)


def test_gpt_oss_windows_and_experts(work) -> None:
    """Half of 36 layers look back 128 tokens; 8 heads x 2 x 64 numbers of 16 bits each.

    A prompt of 4,000 tokens: its first 128 look at 64 on average, all others at 128.
    """
    found = work("gpt-oss-120b", "h100-sxm", Layout(2), read=4000, written=192)
    token = 8 * 2 * 64 * 2
    assert found.cache_bytes == 18 * token * (4096 + 128) / 2
    assert found.expert_share == 4 / 128
    heads, width = 18 * 64 / 2, 128
    assert found.attention_s == pytest.approx(2 * heads * width * (4096 + 128) / H100_16_BIT)
    pairs = 4000 * 4000 / 2 + 128 * 128 / 2 + (4000 - 128) * 128
    assert found.prefill_attention_s == pytest.approx(2 * heads * width * pairs / H100_16_BIT)


def test_a_prompt_inside_a_window_is_an_ordinary_one(work) -> None:
    found = work("gpt-oss-120b", "h100-sxm", read=128, written=2)
    assert found.prefill_attention_s == pytest.approx(
        2 * 36 * 64 * 128 * 128 * 128 / 2 / H100_16_BIT
    )


def test_states_are_read_and_written_whatever_the_length(work) -> None:
    """Qwen3-Next: 36 of 48 layers keep 32 heads x 128 x 128 numbers of 32 bits, and three inputs
    of a convolution over 2 x 16 x 128 + 32 x 128 channels, 16 bits each; two ranks share both.
    """
    short = work("qwen3-next-80b-a3b", "h100-sxm", Layout(2), read=10, written=10)
    long = work("qwen3-next-80b-a3b", "h100-sxm", Layout(2), read=9000, written=1000)
    layer = 32 * 128 * 128 * 4 + 3 * 8192 * 2
    assert short.state_bytes == long.state_bytes == 2 * 36 * layer / 2
    # 12 layers with 2 KV heads x 2 x 256 numbers of 16 bits, one head on each rank
    assert long.cache_bytes == 12 * 2 * 256 * 2 * 9500
    assert (long.layers, long.state_layers, long.expert_layers) == (48, 36, 48)


def test_encoders_are_not_read_while_text_is_written(work) -> None:
    """Gemma 3 27B carries an image encoder of 0.4 B parameters, and its head is its table."""
    found = work("gemma-3-27b", "h100-sxm", read=100, written=100)
    layer = 5376 * 128 * (2 * 32 + 2 * 16) + 3 * 5376 * 21504
    tied = 262_208 * 5376
    assert found.dense_bytes == pytest.approx(2 * (62 * layer + tied), rel=0.001)
