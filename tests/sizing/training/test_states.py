"""What stays in memory through a run; each figure is derived beside it."""

from __future__ import annotations

import pytest

from sizing.request import Mode
from sizing.training.adapters import adapter_parameters
from sizing.training.layout import TrainingLayout
from sizing.training.need import training_need
from sizing.training.optimizers import step_bytes
from sizing.training.states import states_of
from sizing.training.trained import trainable_parameters, trained_groups
from sizing.tuning import AdapterTargets, Encoders, Method, Offload, Optimizer, Tuner

LLAMA_8B = 8_030_261_248
"""2 x 128,256 x 4,096 + 32 x (2 x 4,096^2 + 2 x 4,096 x 1,024 + 3 x 4,096 x 14,336 + 2 x 4,096)
+ 4,096."""

ENDS = 2 * 525_336_576
"""Embedding and head: 128,256 x 4,096 each."""

NORMS = 266_240
"""(32 x 2 + 1) x 4,096."""

MATRICES = LLAMA_8B - ENDS - NORMS
"""Attention and feed-forward parts: 6,979,321,856."""

ADAPTERS_8B = 41_943_040
"""Rank 16: q 4,096 + 4,096, k and v 4,096 + 1,024 each, o 4,096 + 4,096, gate, up and down
4,096 + 14,336 each: 81,920 a layer, x 32 layers x 16."""


def states_bytes(need):
    """Return the typical states on one GPU."""
    parts = (need.weights, need.gradients, need.optimizer, need.adapters)
    return sum(part.typical_bytes for part in parts)


class TestOptimizers:
    def test_full_fine_tuning_takes_sixteen_bytes_a_parameter(self, plan):
        """Weights 2, gradients 2, copy in 32 bits 4, moments 4 + 4 (ZeRO paper, section 3.1)."""
        run = plan(mode=Mode.FULL)
        states = states_of(run)
        assert trainable_parameters(run) == LLAMA_8B
        assert states.weights.typical_bytes == 2 * LLAMA_8B
        assert states.gradients.typical_bytes == 2 * LLAMA_8B
        assert states.optimizer.typical_bytes == 12 * LLAMA_8B
        assert states.adapters.typical_bytes == 0

    @pytest.mark.parametrize(
        ("optimizer", "per_parameter"),
        [
            (Optimizer.ADAMW, 2 + 2 + 12),
            (Optimizer.ADAMW_16BIT, 2 + 2 + 4),
            (Optimizer.ADAMW_8BIT, 2 + 2 + 2),
            (Optimizer.ADAMW_4BIT, 2 + 2 + 1),
            (Optimizer.LION, 2 + 2 + 4),
            (Optimizer.LION_8BIT, 2 + 2 + 1),
            (Optimizer.SGD, 2 + 2),
            (Optimizer.SGD_MOMENTUM, 2 + 2 + 2),
        ],
    )
    def test_of_a_full_run(self, plan, optimizer, per_parameter):
        """Weight and gradient in 16 bits; moments (and copy) of the width the name says."""
        need = training_need(plan(mode=Mode.FULL, optimizer=optimizer))
        assert states_bytes(need) == per_parameter * LLAMA_8B

    @pytest.mark.parametrize(
        ("optimizer", "per_parameter"),
        [
            (Optimizer.ADAMW, 4 + 4 + 8),
            (Optimizer.ADAMW_8BIT, 4 + 4 + 2),
            (Optimizer.LION, 4 + 4 + 4),
            (Optimizer.SGD, 4 + 4),
        ],
    )
    def test_weights_in_32_bits_need_no_copy(self, plan, optimizer, per_parameter):
        need = training_need(plan(mode=Mode.FULL, precision="fp32", optimizer=optimizer))
        assert need.weights.typical_bytes == 4 * LLAMA_8B
        assert states_bytes(need) == per_parameter * LLAMA_8B

    def test_paged_states_may_all_be_on_the_gpu_or_none(self, plan):
        states = states_of(plan(mode=Mode.FULL, optimizer=Optimizer.PAGED_ADAMW_8BIT))
        assert (states.optimizer.low_bytes, states.optimizer.high_bytes) == (0, 2 * LLAMA_8B)

    def test_muon_keeps_one_moment_of_matrices(self, plan):
        """Copy and one moment of matrices, 8 bytes; copy and both of the rest, 12."""
        states = states_of(plan(mode=Mode.FULL, optimizer=Optimizer.MUON))
        assert states.optimizer.typical_bytes == 8 * MATRICES + 12 * (ENDS + NORMS)

    def test_galore_keeps_moments_of_projected_gradients(self, plan):
        """Rank 128, 2 bytes a number: two moments of the longer side, a projector of the shorter.

        q and o: 128 x (4 x 4,096 + 2 x 4,096) = 3,145,728; k and v, 4,096 x 1,024:
        128 x (4 x 4,096 + 2 x 1,024) = 2,359,296; gate, up and down: 128 x (4 x 14,336
        + 2 x 4,096) = 8,388,608: 36,175,872 a layer. Embedding, head and norms: 4 bytes each.
        """
        run = plan(mode=Mode.FULL, optimizer=Optimizer.GALORE)
        expected = 32 * 36_175_872 + 4 * (ENDS + NORMS)
        assert states_of(run).optimizer.typical_bytes == expected
        assert states_of(run).gradients.typical_bytes == 2 * LLAMA_8B

    def test_q_galore_keeps_moments_in_8_bits_and_projectors_in_4(self, plan):
        """q, o 128 x (2 + 0.5) x 4,096; k, v 128 x (2 x 4,096 + 0.5 x 1,024); gate, up, down
        128 x (2 x 14,336 + 0.5 x 4,096): 2 x 1,310,720 + 2 x 1,114,112 + 3 x 3,932,160."""
        states = states_of(plan(mode=Mode.FULL, optimizer=Optimizer.Q_GALORE))
        assert states.optimizer.typical_bytes == 32 * 16_646_144 + 2 * (ENDS + NORMS)

    def test_apollo_mini_keeps_moments_of_rank_one(self, plan):
        """q, o 6 x 4,096; k, v 4 x 4,096 + 2 x 1,024; gate, up, down 4 x 14,336 + 2 x 4,096:
        2 x 24,576 + 2 x 18,432 + 3 x 65,536 = 282,624 a layer."""
        states = states_of(plan(mode=Mode.FULL, optimizer=Optimizer.APOLLO_MINI))
        assert states.optimizer.typical_bytes == 32 * 282_624 + 4 * (ENDS + NORMS)

    def test_adafactor_keeps_a_sum_for_each_row_and_column(self, plan):
        """A layer has 81,920 rows and columns, embedding and head 132,352 each, at 4 bytes."""
        states = states_of(plan(mode=Mode.FULL, optimizer=Optimizer.ADAFACTOR))
        assert states.optimizer.typical_bytes == 4 * (32 * 81_920 + 2 * 132_352)

    def test_a_step_within_the_backward_pass_keeps_the_gradients_of_one_part(self, plan):
        """The largest part is embedding or head: 525,336,576; a layer has 218,112,128."""
        states = states_of(plan(mode=Mode.FULL, step_in_backward=True))
        assert states.gradients.typical_bytes == 2 * 525_336_576

    def test_the_step_takes_a_billion_parameters_at_once(self, plan):
        """Gradients copied to 32 bits: 4 bytes of 10^9 parameters, 6 of 2 x 10^9 at most."""
        run = plan(mode=Mode.FULL)
        assert step_bytes(run, 10**8).typical_bytes == 4 * 10**8
        assert step_bytes(run, 10**9).typical_bytes == 4 * 10**9
        assert step_bytes(run, 10**9 + 1).typical_bytes == 4 * 10**9
        assert step_bytes(run, 10**10).high_bytes == 12 * 10**9

    def test_the_step_of_galore_seeks_singular_vectors_and_that_of_apollo_none(self, plan):
        """Of 4,096 x 14,336 entries: 12 bytes each, or the gradient in 32 bits alone."""
        galore = plan(mode=Mode.FULL, optimizer=Optimizer.GALORE)
        apollo = plan(mode=Mode.FULL, optimizer=Optimizer.APOLLO)
        assert step_bytes(galore, LLAMA_8B).typical_bytes == 12 * 4096 * 14_336
        assert step_bytes(apollo, LLAMA_8B).typical_bytes == 4 * 4096 * 14_336

    def test_the_step_of_adafactor_takes_its_largest_tensor(self, plan):
        """The embedding, 12 bytes of each of 525,336,576 entries."""
        run = plan(mode=Mode.FULL, optimizer=Optimizer.ADAFACTOR)
        assert step_bytes(run, LLAMA_8B).typical_bytes == 12 * 525_336_576

    def test_megatron_keeps_gradients_in_32_bits(self, plan):
        """6 + 12 bytes of a parameter on one GPU (its documents on the distributed optimizer)."""
        need = training_need(plan(mode=Mode.FULL, framework="megatron"))
        assert states_bytes(need) == 18 * LLAMA_8B


class TestAdapters:
    def test_they_take_sixteen_bytes_a_parameter(self, plan):
        """In 32 bits: weight 4, gradient 4, moments 8; the frozen base 2."""
        run = plan()
        need = training_need(run)
        assert trainable_parameters(run) == ADAPTERS_8B
        assert need.adapters.typical_bytes == 4 * ADAPTERS_8B
        assert states_bytes(need) == 2 * LLAMA_8B + 16 * ADAPTERS_8B

    @pytest.mark.parametrize(
        ("targets", "per_layer"),
        [
            (AdapterTargets.QUERY_VALUE, 8192 + 5120),
            (AdapterTargets.ATTENTION, 8192 + 2 * 5120 + 8192),
            (AdapterTargets.ALL_LINEAR, 8192 + 2 * 5120 + 8192 + 3 * 18432),
        ],
    )
    def test_by_target(self, plan, targets, per_layer):
        run = plan(adapter_rank=8, targets=targets)
        assert trainable_parameters(run) == 8 * 32 * per_layer

    @pytest.mark.parametrize(
        ("tuner", "rank", "expected"),
        [
            # Inputs of a layer: 6 x 4,096 and 14,336 = 38,912; outputs: 2 x 4,096 + 2 x 1,024
            # + 2 x 14,336 + 4,096 = 43,008.
            (Tuner.DORA, 16, 32 * (16 * 81_920 + 43_008)),
            (Tuner.ADALORA, 12, 32 * (12 * 81_920 + 7 * 12)),
            (Tuner.VERA, 256, 32 * (7 * 256 + 43_008)),
            (Tuner.BOFT, 4, 32 * (4 * 38_912 + 43_008)),
            (Tuner.BONE, 64, 32 * 64 * 43_008),
            # Keys and values: 2 x 1,024; the inner width: 14,336.
            (Tuner.IA3, 1, 32 * (2 * 1024 + 14_336)),
            (Tuner.PREFIX, 20, 32 * 20 * 2 * 1024),
            (Tuner.PROMPT, 20, 20 * 4096),
            (Tuner.BOTTLENECK, 128, 32 * 2 * (2 * 128 * 4096 + 128 + 4096)),
        ],
    )
    def test_by_kind(self, plan, tuner, rank, expected):
        """Formulas of their papers, at the default rank of their software."""
        run = plan(tuner=tuner)
        assert run.rank == rank
        assert trainable_parameters(run) == expected

    def test_a_quantised_base_keeps_its_ends_in_32_bits(self, plan):
        """Embedding and head 2 x 525,336,576 and norms 266,240 at 4 bytes = 4,203,757,568.

        The rest, 6,979,321,856 parameters at 4.126953125 bits, = 3,600,416,768 bytes.
        """
        states = states_of(plan(mode=Mode.QLORA))
        assert states.weights.typical_bytes == pytest.approx(7_804_174_336, abs=8)
        assert states.weights.low_bytes == pytest.approx(7_804_174_336 - 2_101_878_784, abs=8)

    @pytest.mark.parametrize(
        ("framework", "precision"),
        [("ms-swift", None), ("unsloth", None), (None, "gptq-int4"), (None, "hqq-4bit")],
    )
    def test_other_software_and_other_formats_leave_them_in_16(self, plan, framework, precision):
        run = plan(mode=Mode.QLORA, framework=framework, precision=precision)
        assert max(group.bits_per_weight for group in run.groups) == 16

    def test_of_latent_attention(self, plan):
        """DeepSeek-V2-Lite, 27 layers, no query latent, 16 heads of 128 + 64 and 128, width 2,048.

        q 2,048 + 3,072, kv_a 2,048 + 576, kv_b 512 + 4,096, o 2,048 + 2,048: 16,448 a layer; one
        dense FFN of 10,944: 3 x 12,992; shared experts of 2,816 in 26 layers: 3 x 4,864 each.
        """
        shape = plan("deepseek-v2-lite").subject.architecture
        expected = 27 * 16_448 + 3 * 12_992 + 26 * 3 * 4864
        assert adapter_parameters(shape, rank=1) == expected

    def test_routed_experts_carry_none_but_in_megatron(self, plan):
        """48 layers x 16 x (q 2,048 + 4,096, k and v 2,048 + 512 each, o 4,096 + 2,048).

        With experts: 48 x 128 of them, three matrices of 2,048 + 768 each.
        """
        attention = 48 * 16 * (6144 + 2 * 2560 + 6144)
        assert trainable_parameters(plan("qwen3-30b-a3b")) == attention
        experts = 16 * 48 * 128 * 3 * (2048 + 768)
        megatron = plan("qwen3-30b-a3b", framework="megatron")
        assert trainable_parameters(megatron) == attention + experts

    def test_trained_ends_are_copies_as_wide_as_what_they_copy(self, plan):
        """PEFT copies modules_to_save: 2 bytes, gradient 2, moments of `torch.optim.AdamW` 4."""
        run = plan(embeddings=True)
        need = training_need(run)
        assert trainable_parameters(run) == ADAPTERS_8B + ENDS
        assert need.adapters.typical_bytes == 4 * ADAPTERS_8B + 2 * ENDS
        assert states_bytes(need) == 2 * LLAMA_8B + 16 * ADAPTERS_8B + 8 * ENDS

    def test_a_sharded_run_keeps_a_copy_of_them_in_32_bits(self, plan):
        """DeepSpeed: 12 bytes a parameter beside weight and gradient, a quarter on each of four."""
        found = states_of(plan(embeddings=True), TrainingLayout(gpus=4, zero_stage=3))
        assert found.optimizer.typical_bytes == (12 * ENDS + 8 * ADAPTERS_8B) // 4
        assert found.adapters.typical_bytes == (2 * ENDS + 4 * ADAPTERS_8B) // 4


class TestParts:
    @pytest.mark.parametrize(
        ("tuner", "layers", "ends"),
        [
            (Tuner.FREEZE, 2, 0),
            (Tuner.LISA, 2, ENDS),
            (Tuner.BADAM, 1, 0),
            (Tuner.LLAMAPRO, 4, 0),
        ],
    )
    def test_so_many_layers_are_trained_at_once(self, plan, tuner, layers, ends):
        """A layer has (6,979,321,856 + 266,240) / 32 parameters, the last norm's share included."""
        run = plan(mode=Mode.FULL, tuner=tuner)
        assert trainable_parameters(run) == layers * (MATRICES + NORMS) // 32 + ends
        states = states_of(run)
        assert states.gradients.typical_bytes == 2 * trainable_parameters(run)

    def test_their_number_can_be_told(self, plan):
        run = plan(mode=Mode.FULL, tuner=Tuner.FREEZE, trained_layers=8)
        assert trainable_parameters(run) == 8 * (MATRICES + NORMS) // 32

    def test_added_layers_are_weights_beside(self, plan):
        """Four of 32 layers of 2 bytes a parameter more."""
        states = states_of(plan(mode=Mode.FULL, tuner=Tuner.LLAMAPRO))
        assert states.adapters.typical_bytes == 4 * 2 * (MATRICES + NORMS) // 32

    def test_image_encoders_stay_frozen_unless_told(self, plan):
        run = plan("qwen2.5-vl-7b", Mode.FULL)
        trained = plan("qwen2.5-vl-7b", Mode.FULL, encoders=Encoders.TRAINED)
        assert trainable_parameters(run) < run.subject.parameters
        assert trainable_parameters(trained) == run.subject.parameters

    def test_an_encoder_can_be_trained_beside_adapters(self, plan):
        run = plan("qwen2.5-vl-7b", encoders=Encoders.TRAINED)
        assert set(trained_groups(run)) == {"vision"}


class TestMethods:
    @pytest.mark.parametrize("method", [Method.DPO, Method.KTO, Method.GRPO])
    def test_a_reference_is_kept_unless_adapters_are_trained(self, plan, method):
        full, lora = plan(mode=Mode.FULL, method=method), plan(method=method)
        assert states_of(full).reference.typical_bytes == 2 * LLAMA_8B
        assert states_of(lora).reference.typical_bytes == 0

    @pytest.mark.parametrize("method", [Method.ORPO, Method.SIMPO, Method.CPO])
    def test_methods_without_a_reference(self, plan, method):
        assert states_of(plan(mode=Mode.FULL, method=method)).reference.typical_bytes == 0

    def test_ppo_trains_two_models_and_keeps_two(self, plan):
        """Policy and value model are trained; reference, reward model and the value model's
        weights stand beside the policy's."""
        states = states_of(plan(mode=Mode.FULL, method=Method.PPO))
        assert states.reference.typical_bytes == 3 * 2 * LLAMA_8B
        assert states.gradients.typical_bytes == 2 * 2 * LLAMA_8B
        assert states.optimizer.typical_bytes == 2 * 12 * LLAMA_8B

    def test_ppo_with_adapters_keeps_a_base_for_value_and_reward(self, plan):
        states = states_of(plan(method=Method.PPO))
        assert states.reference.typical_bytes == 2 * 2 * LLAMA_8B
        assert states.adapters.typical_bytes == 2 * 4 * ADAPTERS_8B

    def test_a_named_reward_model_takes_its_own_size(self, plan):
        """Qwen2.5 1.5B has 1,543,714,304 parameters."""
        states = states_of(plan(method=Method.PPO, beside="qwen2.5-1.5b"))
        assert states.reference.typical_bytes == 2 * LLAMA_8B + 2 * 1_543_714_304

    def test_a_teacher_stands_beside_or_in_host_memory(self, plan):
        there = plan(method=Method.GKD)
        away = plan(method=Method.GKD, offload=Offload.BESIDE)
        assert states_of(there).reference.typical_bytes == 2 * LLAMA_8B
        assert states_of(away).reference.typical_bytes == 0

    @pytest.mark.parametrize("method", [Method.REWARD, Method.CLASSIFICATION, Method.EMBEDDING])
    def test_what_scores_no_vocabulary_has_no_head(self, plan, method):
        run = plan(mode=Mode.FULL, method=method)
        assert run.weights_bytes == 2 * (LLAMA_8B - 525_336_576)

    def test_models_for_embeddings_and_for_ranking_have_methods_of_their_own(self, plan):
        assert plan("bge-m3").method is Method.EMBEDDING
        assert plan("bge-reranker-v2-m3").method is Method.CLASSIFICATION
        assert plan("llama-3.1-8b").method is Method.SFT


class TestOffload:
    def test_the_optimizer_leaves_with_the_gradients(self, plan):
        """ZeRO-Offload (Ren et al. 2021): 12 + 2 bytes a parameter to the host."""
        states = states_of(plan(mode=Mode.FULL, offload=Offload.OPTIMIZER))
        assert states.weights.typical_bytes == 2 * LLAMA_8B
        assert states.optimizer.high_bytes == 0
        assert (states.gradients.low_bytes, states.gradients.typical_bytes) == (0, 0)
        assert states.host_bytes == 14 * LLAMA_8B
        assert states.updated_parameters == 0

    def test_a_share_of_it_leaves(self, plan):
        """Half of 12 bytes each way."""
        run = plan(mode=Mode.FULL, offload=Offload.OPTIMIZER, offload_fraction=0.5)
        assert states_of(run).optimizer.typical_bytes == 6 * LLAMA_8B

    def test_megatron_keeps_the_gradients(self, plan):
        run = plan(mode=Mode.FULL, framework="megatron", offload=Offload.OPTIMIZER)
        assert states_of(run).gradients.typical_bytes == 4 * LLAMA_8B

    def test_weights_that_leave_come_back_a_billion_parameters_at_a_time(self, plan):
        """`stage3_max_live_parameters`, 10^9: 2 bytes each, more than two layers and the head."""
        states = states_of(plan(mode=Mode.FULL, offload=Offload.ALL))
        assert states.weights.typical_bytes == pytest.approx(2 * 10**9)
        assert states.gradients.high_bytes == 0
        assert states.host_bytes == 16 * LLAMA_8B
