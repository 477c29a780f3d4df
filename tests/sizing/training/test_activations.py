"""What comes and goes in a step; each figure is derived beside it."""

from __future__ import annotations

import pytest

from sizing.records import ArchitectureRecord, Attention
from sizing.request import Mode
from sizing.training.activations import activations
from sizing.training.adapters import adapter_inputs
from sizing.training.buffers import rollout_bytes
from sizing.training.layout import ALONE, Stage, TrainingLayout
from sizing.training.saved import layer_bytes_per_token, saved_per_token
from sizing.training.towers import tower_activations
from sizing.tuning import AdapterTargets, Encoders, Loss, Method, Tuner

TOKENS = 2048

FULL = 167_936
"""Bytes of a token in a layer of Llama 3.1 8B: 2 x (4 x 4,096 + q 4,096 + k, v 2 x 1,024
+ output 4,096 + 4 x 14,336)."""

NORMS = 16_384
"""Copies of the input of both norms that are computed in 32 bits: 2 x 2 x 4,096 bytes more."""

PRODUCTS = 45_056
"""Inputs of products, which frozen weights do not need: 2 x (2 x 4,096 + 14,336)."""

COPIES = 77_824
"""Inputs that adapters copy: q, k, v, gate, up 4,096 each, o 4,096, down 14,336: 38,912 x 2."""

GRADIENTS = 86_016
"""Gradients of gate, up and their product at once: 2 x 3 x 14,336."""


class TestLayer:
    def test_of_gpt_3_keeps_what_korthikanti_says(self):
        """34 s b h less the two dropout masks, s b h each: 32 h bytes of one token."""
        shape = ArchitectureRecord(
            layers=96,
            hidden_size=12288,
            heads=96,
            kv_heads=96,
            head_dim=128,
            ffn_size=4 * 12288,
            vocabulary_size=50257,
            tied_embeddings=True,
            attention=Attention.MHA,
            gated_ffn=False,
        )
        assert layer_bytes_per_token(shape) == 32 * 12288

    def test_of_llama(self, plan):
        assert layer_bytes_per_token(plan().subject.architecture) == FULL

    def test_of_latent_attention_counts_its_full_heads(self, plan):
        """DeepSeek-V3: 128 heads of 192 (q, k) and 128 (v); 8 experts and a shared one of 2,048.

        2 x (4 x 7,168 + 2 x 24,576 + 2 x 16,384 + 4 x max(18,432, 9 x 2,048)) = 368,640.
        """
        assert layer_bytes_per_token(plan("deepseek-v3").subject.architecture) == 368_640

    def test_of_a_mixture_copies_tokens_for_their_experts(self, plan):
        """Qwen3 30B A3B: 8 experts of a token read and write 2,048 numbers each."""
        run = plan("qwen3-30b-a3b", Mode.FULL, framework="unsloth")
        layer = layer_bytes_per_token(run.subject.architecture)
        assert saved_per_token(run).typical_bytes == layer + 2 * 2 * 8 * 2048

    def test_all_weights_trained(self, plan):
        assert saved_per_token(plan(mode=Mode.FULL)).typical_bytes == FULL + NORMS

    def test_frozen_products_keep_no_inputs_but_adapters_do(self, plan):
        assert saved_per_token(plan()).typical_bytes == FULL - PRODUCTS + NORMS + COPIES

    def test_software_that_shares_inputs_among_adapters_keeps_each_once(self, plan):
        """Unsloth: norms in 16 bits; of 38,912 inputs 2 x 4,096 + 14,336 are distinct."""
        run = plan(framework="unsloth")
        assert saved_per_token(run).typical_bytes == FULL - PRODUCTS + 2 * (2 * 4096 + 14_336)

    def test_dropout_keeps_a_mask_of_each_input(self, plan):
        run = plan(framework="ms-swift")
        assert saved_per_token(run).typical_bytes == FULL - PRODUCTS + NORMS + COPIES + 38_912

    def test_dora_scales_the_outputs(self, plan):
        """43,008 outputs of a layer, twice, in 16 bits."""
        lora, dora = plan(), plan(tuner=Tuner.DORA)
        more = saved_per_token(dora).typical_bytes - saved_per_token(lora).typical_bytes
        assert more == 2 * 2 * 43_008

    def test_a_compiled_layer_keeps_inputs_of_norms_attention_gate_and_up(self, plan):
        """2 x (2 x 4,096 + q, k, v and output 10,240 + 2 x 14,336)."""
        run = plan(mode=Mode.FULL, compiled=True)
        assert saved_per_token(run).typical_bytes == 94_208

    def test_attention_without_a_fused_kernel_keeps_its_scores(self, plan):
        """6 bytes of 32 heads x 2,048 keys for each token."""
        fused, plain = plan(), plan(flash_attention=False)
        more = saved_per_token(plain).typical_bytes - saved_per_token(fused).typical_bytes
        assert more == 6 * 32 * TOKENS

    def test_weights_in_32_bits_are_multiplied_in_32_unless_autocast(self, plan):
        wide = plan(mode=Mode.FULL, precision="fp32")
        cast = plan(mode=Mode.FULL, precision="fp32", autocast=True)
        assert saved_per_token(wide).typical_bytes == 2 * (FULL + NORMS)
        assert saved_per_token(cast).typical_bytes == FULL + NORMS

    def test_old_bitsandbytes_keeps_inputs_of_4_bit_products(self, plan):
        old = plan(mode=Mode.QLORA, framework="litgpt-0.4")
        new = plan(mode=Mode.QLORA, framework="litgpt")
        more = saved_per_token(old).typical_bytes - saved_per_token(new).typical_bytes
        assert more == PRODUCTS


class TestStep:
    def test_with_checkpointing(self, plan):
        """32 layers x 4,096 x 2 bytes of each token kept; one layer computed again, with the
        gradients of its inner values; 128,256 scores x 12 bytes."""
        found = activations(plan())
        kept, scores = TOKENS * 32 * 4096 * 2, TOKENS * 128_256 * 12
        layer = TOKENS * (FULL - PRODUCTS + NORMS + COPIES + GRADIENTS)
        assert found.kept.typical_bytes == kept
        assert found.layer.typical_bytes == layer
        assert found.logits.typical_bytes == scores
        assert found.total.typical_bytes == kept + max(layer, scores)

    def test_without_checkpointing(self, plan):
        shape = plan().subject.architecture
        assert adapter_inputs(shape, AdapterTargets.ALL_LINEAR) == 32 * 38_912
        full = activations(plan(mode=Mode.FULL, checkpointing=False))
        lora = activations(plan(checkpointing=False))
        assert full.kept.typical_bytes == TOKENS * 32 * (FULL + NORMS)
        assert lora.kept.typical_bytes == TOKENS * 32 * (FULL - PRODUCTS + NORMS + COPIES)
        assert full.layer.typical_bytes == lora.layer.typical_bytes == 0

    @pytest.mark.parametrize(
        ("framework", "zero_stage", "width"),
        [("transformers", 0, 4), ("transformers", 3, 2), ("ms-swift", 0, 2)],
    )
    def test_a_raised_base_hands_on_32_bits(self, plan, framework, zero_stage, width):
        run = plan(mode=Mode.QLORA, framework=framework)
        layout = TrainingLayout(gpus=2 if zero_stage else 1, zero_stage=zero_stage)
        assert activations(run, layout).kept.typical_bytes == TOKENS * 32 * 4096 * width

    def test_inputs_that_wait_in_host_memory(self, plan):
        """Two of 32 layers are on their way; all are in host memory."""
        kept = TOKENS * 32 * 4096 * 2
        found = activations(plan(offload_activations=True))
        assert (found.kept.typical_bytes, found.host_bytes) == (kept * 2 // 32, kept)

    def test_a_quantised_base_unpacks_its_largest_matrix(self, plan):
        """4,096 x 14,336 parameters at 2 bytes."""
        assert activations(plan(mode=Mode.QLORA)).unpacked_bytes == 4096 * 14_336 * 2
        assert activations(plan()).unpacked_bytes == 0

    def test_autocast_copies_what_is_trained_and_a_layer_of_what_is_not(self, plan):
        full = plan(mode=Mode.FULL, autocast=True)
        lora = plan(autocast=True)
        held = plan(autocast=True, checkpointing=False)
        assert activations(full).unpacked_bytes == 2 * 8_030_261_248
        assert activations(lora).unpacked_bytes == 2 * (8_030_261_248 // 32)
        assert activations(held).unpacked_bytes == 2 * 8_030_261_248


class TestScores:
    @pytest.mark.parametrize(
        ("framework", "entry_bytes"),
        [("transformers", 12), ("megatron", 8), ("torchtune", 4), ("litgpt", 4)],
    )
    def test_by_software(self, plan, framework, entry_bytes):
        found = activations(plan(framework=framework)).logits
        assert found.typical_bytes == TOKENS * 128_256 * entry_bytes

    def test_in_pieces_and_together_with_the_head(self, plan):
        """16 bits of each score; 6 bytes of each of 4,096 numbers of the output."""
        chunked = activations(plan(loss=Loss.CHUNKED)).logits.typical_bytes
        fused = activations(plan(loss=Loss.FUSED)).logits.typical_bytes
        assert chunked == TOKENS * 128_256 * 2
        assert fused == TOKENS * 4096 * 6
        assert activations(plan(framework="unsloth")).logits.typical_bytes == fused

    def test_of_methods(self, plan):
        whole = activations(plan()).logits.typical_bytes
        assert activations(plan(method=Method.DPO)).logits.typical_bytes == 2 * whole
        assert activations(plan(method=Method.GKD)).logits.typical_bytes == 3 * whole
        assert activations(plan(method=Method.CLASSIFICATION)).logits.typical_bytes == 0

    def test_pairs_are_twice_the_tokens(self, plan):
        assert plan(method=Method.DPO).tokens == plan(method=Method.EMBEDDING).tokens == 2 * TOKENS
        assert plan(method=Method.KTO).tokens == TOKENS

    def test_rollouts_keep_keys_and_values(self, plan):
        """2 x 8 heads x 128 x 32 layers x 2 bytes of each of 2,048 tokens."""
        run, beside = plan(method=Method.GRPO), plan(method=Method.GRPO, rollout_fraction=0.3)
        assert rollout_bytes(run, ALONE).typical_bytes == TOKENS * 131_072
        assert rollout_bytes(beside, ALONE).typical_bytes == 0


class TestEncoders:
    """Qwen2.5-VL 7B: 32 layers of 1,280 and 3,420, gated; 4 patches of 14 x 14 in a token."""

    def test_frozen_ones_keep_nothing(self, plan):
        assert tower_activations(plan("qwen2.5-vl-7b")).high_bytes == 0

    @pytest.mark.parametrize(
        ("encoders", "layer"),
        [
            (Encoders.TRAINED, 2 * (8 * 1280 + 4 * 3420)),
            (Encoders.ADAPTERS, 2 * (8 * 1280 + 4 * 3420 - 2 * 1280 - 3420)),
        ],
    )
    def test_inputs_of_layers_and_one_layer_again(self, plan, encoders, layer):
        """Without a picture told, half of the tokens are of pictures."""
        found = tower_activations(plan("qwen2.5-vl-7b", encoders=encoders))
        assert found.typical_bytes == (TOKENS * 4 // 2) * (32 * 2 * 1280 + layer)
        assert (found.low_bytes, found.high_bytes) == (0, 2 * found.typical_bytes)

    def test_without_checkpointing_of_their_own(self, plan):
        run = plan("qwen2.5-vl-7b", encoders=Encoders.TRAINED, encoder_checkpointing=False)
        layer = 2 * (8 * 1280 + 4 * 3420)
        assert tower_activations(run).typical_bytes == (TOKENS * 4 // 2) * 32 * layer

    def test_a_picture_told_is_counted_by_its_patches(self, plan):
        """1,400 x 700 pixels are 100 x 50 patches."""
        run = plan("qwen2.5-vl-7b", encoders=Encoders.TRAINED, width_pixels=1400, height_pixels=700)
        per_patch = 32 * 2 * 1280 + 2 * (8 * 1280 + 4 * 3420)
        found = tower_activations(run)
        assert (found.low_bytes, found.typical_bytes) == (5000 * per_patch, 5000 * per_patch)


class TestParts:
    def test_tensor_parallel_cuts_layers_and_scores(self, plan):
        """What stands between the products is cut where the software shares the tokens out."""
        layout = TrainingLayout(gpus=2, tensor=2)
        whole, cut = activations(plan()), activations(plan(), layout)
        assert cut.kept.typical_bytes == whole.kept.typical_bytes
        assert cut.layer.typical_bytes == whole.layer.typical_bytes // 2
        assert cut.logits.typical_bytes == whole.logits.typical_bytes // 2
        megatron = plan(framework="megatron")
        assert activations(megatron, layout).kept.typical_bytes == TOKENS * 32 * 4096

    def test_context_parallel_cuts_tokens(self, plan):
        layout = TrainingLayout(gpus=4, context=4)
        assert activations(plan(), layout).kept.typical_bytes == TOKENS // 4 * 32 * 4096 * 2

    def test_the_first_of_stages_holds_a_batch_for_each(self, plan):
        """Four stages of eight layers; only the last scores the vocabulary."""
        layout = TrainingLayout(gpus=4, pipeline=4)
        run = plan(framework="megatron")
        first = activations(run, layout, Stage.FIRST)
        last = activations(run, layout, Stage.LAST)
        assert first.kept.typical_bytes == 4 * TOKENS * 8 * 4096 * 2
        assert last.kept.typical_bytes == TOKENS * 8 * 4096 * 2
        assert (first.logits.typical_bytes, last.logits.typical_bytes) == (
            0,
            TOKENS * 128_256 * 8,
        )

    def test_stages_that_work_in_turn_hold_one_batch(self, plan):
        layout = TrainingLayout(gpus=4, pipeline=4)
        first = activations(plan(), layout, Stage.FIRST)
        assert first.kept.typical_bytes == TOKENS * 8 * 4096 * 2
