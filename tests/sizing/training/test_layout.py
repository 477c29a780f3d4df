"""How a run is spread over GPUs; each figure is derived beside it."""

from __future__ import annotations

import pytest

from sizing.answer import Verdict
from sizing.request import GpuChoice, Mode
from sizing.training.activations import activations
from sizing.training.layout import Stage, TrainingLayout
from sizing.training.need import training_need
from sizing.training.states import states_of
from sizing.tuning import Method, Offload

LLAMA_8B = 8_030_261_248
END = 525_336_576
NORMS = 266_240
MATRICES = LLAMA_8B - 2 * END - NORMS

BUCKET = 2 * 500_000_000
"""Gradients in 16 bits that DeepSpeed gathers before it sends them (`reduce_bucket_size`)."""

H100 = "h100-sxm"


def copies(gpus, stage, **fields):
    """Return a layout of equal GPUs."""
    return TrainingLayout(gpus=gpus, zero_stage=stage, **fields)


class TestSharding:
    @pytest.mark.parametrize(
        ("stage", "weights", "gradients", "optimizer"),
        [(0, 1, 1, 1), (1, 1, 1, 4), (2, 1, 4, 4), (3, 4, 4, 4)],
    )
    def test_stages_split_what_the_zero_paper_says(
        self, plan, stage, weights, gradients, optimizer
    ):
        """Figure 1 of the paper: optimizer, then gradients, then weights."""
        need = training_need(plan(mode=Mode.FULL), copies(4, stage))
        assert need.weights.typical_bytes == 2 * LLAMA_8B // weights
        assert need.gradients.typical_bytes == 2 * LLAMA_8B // gradients
        assert need.optimizer.typical_bytes == 12 * LLAMA_8B // optimizer

    def test_hybrid_sharding_splits_within_sets(self, plan):
        """Eight GPUs in sets of four: a quarter each."""
        states = states_of(plan(mode=Mode.FULL), copies(8, 3, shard_gpus=4))
        assert states.optimizer.typical_bytes == 12 * LLAMA_8B // 4

    def test_full_sharding_gathers_two_layers_and_an_end(self, plan):
        """A layer: (8,030,261,248 - 2 x 525,336,576) x 2 / 32; embedding 1,050,673,152 bytes.

        Trained weights have gradients as large; what is sent waits in a bucket: of adapters all.
        """
        whole = 2 * -(-(LLAMA_8B - 2 * END) * 2 // 32) + 1_050_673_152
        lora = training_need(plan(), copies(4, 3))
        full = training_need(plan(mode=Mode.FULL), copies(4, 3))
        assert lora.buffers.typical_bytes == whole + 2 * 41_943_040
        assert full.buffers.typical_bytes == 2 * whole + BUCKET

    def test_a_run_that_writes_answers_gathers_the_model(self, plan):
        """Unless an engine of its own writes them."""
        run, beside = plan(method=Method.GRPO), plan(method=Method.GRPO, rollout_fraction=0.3)
        whole = training_need(run, copies(4, 3)).buffers.typical_bytes
        assert whole == 2 * LLAMA_8B + 2 * 41_943_040
        assert training_need(beside, copies(4, 3)).buffers.typical_bytes < whole / 4

    def test_one_gpu_needs_no_communication(self, plan):
        alone = training_need(plan())
        two = training_need(plan(), copies(2, 0))
        assert alone.buffers.high_bytes == 0
        assert two.runtime.typical_bytes > alone.runtime.typical_bytes

    def test_an_offloaded_optimizer_sends_gradients_even_from_one_gpu(self, plan):
        need = training_need(plan(mode=Mode.FULL, offload=Offload.OPTIMIZER))
        assert need.buffers.typical_bytes == BUCKET


class TestDegrees:
    def test_tensor_parallel_copies_norms_alone(self, plan):
        states = states_of(plan(mode=Mode.FULL), TrainingLayout(gpus=2, tensor=2))
        assert states.weights.typical_bytes == 2 * ((MATRICES + 2 * END) // 2 + NORMS)

    def test_stages_hold_their_layers_and_one_end(self, plan):
        """The norms of 32 layers and the last one count as layers'."""
        run, layout = plan(mode=Mode.FULL), TrainingLayout(gpus=2, pipeline=2)
        of_layers = (MATRICES + NORMS) // 2
        for stage in (Stage.FIRST, Stage.LAST):
            states = states_of(run, layout, stage)
            assert states.weights.typical_bytes == 2 * (of_layers + END)

    def test_stages_take_whole_layers(self, plan):
        """Of 32 layers on three GPUs the fullest has eleven."""
        states = states_of(plan(mode=Mode.FULL), TrainingLayout(gpus=3, pipeline=3), Stage.FIRST)
        expected = 2 * ((MATRICES + NORMS) * 11 / 32 + END)
        assert states.weights.typical_bytes == pytest.approx(expected, abs=2)

    def test_experts_are_shared_out_whole(self, plan):
        """Qwen3 30B A3B: 48 x 128 experts of 3 x 2,048 x 768 parameters, a quarter on each GPU.

        States of the rest are shared out over eight GPUs, those of equal experts over two.
        """
        experts = 48 * 128 * 3 * 2048 * 768
        run = plan("qwen3-30b-a3b", Mode.FULL, framework="megatron")
        rest = run.subject.parameters - experts
        states = states_of(run, copies(8, 1, expert=4))
        assert states.weights.typical_bytes == 2 * (experts // 4 + rest)
        assert states.optimizer.typical_bytes == 12 * (experts // 8) + 12 * rest // 8

    @pytest.mark.parametrize(
        ("degrees", "smallest"),
        [
            ({"tensor": 2, "pipeline": 2}, 4),
            ({"tensor": 2, "context": 4}, 8),
            ({"tensor": 2, "expert": 8}, 8),
            ({"tensor": 4, "expert": 2, "pipeline": 2}, 8),
        ],
    )
    def test_experts_use_the_gpus_of_other_degrees(self, degrees, smallest):
        assert TrainingLayout(**degrees).smallest_gpus == smallest

    @pytest.mark.parametrize(
        ("method", "stage"), [(Method.SFT, Stage.LAST), (Method.CLASSIFICATION, Stage.FIRST)]
    )
    def test_the_fullest_stage_decides(self, plan, method, stage):
        """The last with its table of scores; without one the first, which holds more batches."""
        run = plan(framework="megatron", method=method)
        layout = TrainingLayout(gpus=4, pipeline=4)
        there = activations(run, layout, stage).total.typical_bytes
        assert training_need(run, layout).activations.typical_bytes == there


class TestAnswers:
    def test_what_is_proposed_divides_by_the_degrees(self, asked):
        found = asked("llama-2-70b", tensor_parallel=4, pipeline_parallel=2)
        assert found.options
        assert all(option.gpus % 8 == 0 for option in found.options)
        assert {option.tensor_parallel for option in found.options} == {4}
        assert {option.pipeline_parallel for option in found.options} == {2}

    def test_named_gpus_that_do_not_divide_are_refused(self, asked):
        found = asked(tensor_parallel=2, gpus=(GpuChoice(gpu=H100, count=3),))
        first = found.options[0]
        assert first.verdict is Verdict.UNSUPPORTED
        assert {reason.code for reason in first.reasons} >= {"degrees_do_not_divide"}

    @pytest.mark.parametrize(
        ("fields", "zero_stage", "code"),
        [
            ({}, 3, "default_sharding"),
            ({"framework": "megatron"}, 1, "default_optimizer_sharding"),
            ({"pipeline_parallel": 2}, 0, "default_copies"),
        ],
    )
    def test_what_copies_share_out_by_default(self, asked, fields, zero_stage, code):
        found = asked(gpus=(GpuChoice(gpu=H100, count=4),), **fields)
        assert found.options[0].zero_stage == zero_stage
        assert code in {note.code for note in found.assumptions}

    def test_one_copy_shares_nothing_out(self, asked):
        found = asked(tensor_parallel=2, gpus=(GpuChoice(gpu=H100, count=2),), max_gpus=2)
        codes = {note.code for note in found.assumptions}
        assert not codes & {"default_sharding", "default_copies"}

    def test_an_engine_beside_the_run_takes_its_share_of_the_card(self, asked):
        """Three tenths of the usable memory are the engine's."""
        found = asked(
            method=Method.GRPO, rollout_fraction=0.3, gpus=(GpuChoice(gpu=H100, count=1),)
        )
        gpu = found.options[0].per_gpu
        assert gpu.budget_bytes == int(gpu.usable_bytes * 0.7)
