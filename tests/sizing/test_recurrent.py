"""Layers with a fixed state, counted by hand from their published shapes."""

from __future__ import annotations

import pytest

from sizing.records import (
    GatedDeltaNetRecord,
    KimiDeltaRecord,
    LightningRecord,
    Mamba2Record,
    MambaRecord,
    RecurrentRecord,
    ShortConvolutionRecord,
)
from sizing.recurrent import layer_size, layer_state

QWEN3_NEXT = GatedDeltaNetRecord(
    kind="gated_delta_net",
    layers=36,
    key_heads=16,
    value_heads=32,
    key_head_dim=128,
    value_head_dim=128,
)
NEMOTRON_H = Mamba2Record(
    kind="mamba2", layers=24, heads=128, head_dim=64, state_size=128, groups=8
)
JAMBA = MambaRecord(kind="mamba", layers=28, inner_size=8_192, state_size=16, time_step_rank=256)
KIMI_LINEAR = KimiDeltaRecord(kind="kimi_delta", layers=20, heads=32, head_dim=128)
KIMI_K3 = KimiDeltaRecord(kind="kimi_delta", layers=69, heads=96, head_dim=128, full_rank_gate=True)
MINIMAX = LightningRecord(kind="lightning", layers=70, heads=64, head_dim=128)
LFM2 = ShortConvolutionRecord(kind="short_convolution", layers=10, conv_kernel=3)


@pytest.mark.parametrize(
    ("layers", "hidden", "matrices", "vectors", "norms"),
    [
        # q, k, v, z: 2 x 2,048 + 2 x 4,096; b, a: 2 x 32; out; conv 8,192 x 4; dt_bias, A_log.
        (QWEN3_NEXT, 2_048, 2_048 * (12_288 + 64 + 4_096), 8_192 * 4 + 64, 128),
        # in: 2 x 8,192 + 2 x 8 x 128 + 128; out 8,192; conv with bias (8,192 + 2,048) x 5.
        (NEMOTRON_H, 4_096, 4_096 * (18_560 + 8_192), 10_240 * 5 + 384, 8_192),
        # in 2 x 8,192, x 256 + 2 x 16, dt 256, out; conv with bias, dt bias, A_log, D.
        (
            JAMBA,
            4_096,
            4_096 * 16_384 + 8_192 * 288 + 8_192 * 256 + 4_096 * 8_192,
            8_192 * 5 + 8_192 + 8_192 * 16 + 8_192,
            288,
        ),
        # q, k, v, o; two gates of 2,304 x 128 + 128 x 4,096; beta 2,304 x 32.
        (
            KIMI_LINEAR,
            2_304,
            4 * 2_304 * 4_096 + 2 * (2_304 * 128 + 128 * 4_096) + 2_304 * 32,
            3 * 4_096 * 4 + 4_096 + 32,
            128,
        ),
        # The output gate is one matrix of 7,168 x 12,288.
        (
            KIMI_K3,
            7_168,
            5 * 7_168 * 12_288 + 7_168 * 128 + 128 * 12_288 + 7_168 * 96,
            3 * 12_288 * 4 + 12_288 + 96,
            128,
        ),
        (MINIMAX, 6_144, 5 * 6_144 * 8_192, 0, 8_192),
        (LFM2, 2_048, 4 * 2_048 * 2_048, 2_048 * 3, 0),
    ],
)
def test_parameters_of_a_layer(
    layers: RecurrentRecord, hidden: int, matrices: int, vectors: int, norms: int
) -> None:
    size = layer_size(layers, hidden)
    assert sum(outputs * inputs for _, outputs, inputs in size.matrices) == matrices
    assert (size.vectors, size.norms) == (vectors, norms)


@pytest.mark.parametrize(
    ("layers", "hidden", "state", "convolution"),
    [
        (QWEN3_NEXT, 2_048, 32 * 128 * 128, 3 * 8_192),
        (NEMOTRON_H, 4_096, 128 * 64 * 128, 3 * 10_240),
        (JAMBA, 4_096, 8_192 * 16, 3 * 8_192),
        (KIMI_LINEAR, 2_304, 32 * 128 * 128, 3 * 3 * 4_096),
        (MINIMAX, 6_144, 64 * 128 * 128, 0),
        (LFM2, 2_048, 0, 2 * 2_048),
    ],
)
def test_state_of_a_request(
    layers: RecurrentRecord, hidden: int, state: int, convolution: int
) -> None:
    """States in FP32, remembered convolution inputs in 16 bits."""
    found = layer_state(layers, hidden)
    assert (found.state_elements, found.convolution_elements) == (state, convolution)
    assert found.state_bytes == state * 4 + convolution * 2
