"""Answers about training, and what holds for every run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.errors import NotCoveredError
from sizing.request import Goal, GpuChoice, Mode, SizingRequest
from sizing.training.kinds import TRAINED_KINDS
from sizing.training.layout import TrainingLayout
from sizing.training.need import training_need
from sizing.tuning import (
    AdapterTargets,
    Encoders,
    Loss,
    Method,
    Offload,
    Optimizer,
    Tuner,
    Tuning,
)

CATALOGUE: Catalogue = load_catalogue()
TRAINING = (Mode.LORA, Mode.QLORA, Mode.FULL)


class TestAnswers:
    def test_states_of_a_14b_model_are_in_the_published_range(self, asked):
        """QwenLM/Qwen issue 504: more than 250 GB for 14 B parameters by 18 bytes each.

        14.17 x 10^9 x 16 = 226.7 GB of states; 225 to 300 GB is accepted.
        """
        run = asked("qwen1.5-14b", Mode.FULL).training
        assert run is not None
        states = run.weights_bytes + run.gradient_bytes + run.optimizer_bytes + run.adapter_bytes
        assert 225e9 <= states <= 300e9

    def test_70b_in_full_does_not_fit_eight_a100(self, asked):
        """epfLLM/Megatron-LLM issue 52: 32 of them were the least that trained it."""
        options = asked("llama-2-70b", Mode.FULL, gpus=(GpuChoice(gpu="a100-sxm-80", count=8),))
        first, second, *_ = options.options
        assert (first.gpus, first.verdict) == (8, Verdict.DOES_NOT_FIT)
        assert (second.gpu, second.gpus, second.verdict) == ("a100-sxm-80", 32, Verdict.FITS)
        assert second.zero_stage == 3

    def test_8b_lora_at_8k_fits_one_a100(self, asked):
        """pytorch/torchtune issue 979."""
        found = asked(context_tokens=8192, gpus=(GpuChoice(gpu="a100-sxm-80", count=1),))
        assert found.options[0].verdict is Verdict.FITS
        assert found.options[0].zero_stage is None

    def test_13b_in_full_takes_sixteen_a100_of_40_gb(self, asked):
        """meta-llama/llama-cookbook issue 25: its maintainers' estimate."""
        found = asked("llama-2-13b", Mode.FULL, gpus=(GpuChoice(gpu="a100-sxm-40"),))
        assert (found.options[0].gpu, found.options[0].gpus) == ("a100-sxm-40", 16)
        assert found.options[0].nodes == 2

    @pytest.mark.parametrize("model", ["deepseek-v3", "gemma-3-27b", "qwen3-next-80b-a3b"])
    @pytest.mark.parametrize("mode", TRAINING)
    def test_no_kv_cache_means_every_architecture_is_sized(self, asked, model, mode):
        found = asked(model, mode)
        assert found.supported
        assert found.memory.kv_cache_bytes == 0

    def test_defaults_are_told(self, asked):
        codes = {
            note.code for note in asked(mode=Mode.QLORA, gpus=(GpuChoice(gpu="l4"),)).assumptions
        }
        assert codes >= {
            "default_sequence",
            "default_micro_batch",
            "default_checkpointing",
            "default_optimizer",
            "default_training_rank",
            "training_precision",
            "training_host_ram",
        }

    def test_what_was_asked_is_not_called_a_default(self, asked):
        found = asked(
            context_tokens=1024,
            concurrent_requests=2,
            checkpointing=False,
            optimizer=Optimizer.ADAMW_8BIT,
            adapter_rank=8,
            precision="bf16",
            zero_stage=2,
            gpus=(GpuChoice(gpu="l40s", count=2),),
        )
        codes = {note.code for note in found.assumptions}
        assert not codes & {
            "default_sequence",
            "default_micro_batch",
            "default_checkpointing",
            "default_optimizer",
            "default_training_rank",
            "training_precision",
            "default_sharding",
        }
        assert found.options[0].zero_stage == 2
        run = found.training
        assert run is not None
        assert (run.sequence_tokens, run.micro_batch, run.adapter_rank) == (1024, 2, 8)
        assert not run.checkpointing

    @pytest.mark.parametrize(
        ("mode", "precision", "held", "code"),
        [
            (Mode.FULL, "int8", "bf16", "full_in_16_bits"),
            (Mode.FULL, "fp32", "fp32", None),
            (Mode.LORA, "bnb-nf4", "bnb-nf4", None),
            (Mode.QLORA, "bf16", "bnb-nf4", "qlora_base_quantised"),
            (Mode.QLORA, "gptq-int4", "gptq-int4", None),
        ],
    )
    def test_precision_of_the_base(self, asked, mode, precision, held, code):
        found = asked(mode=mode, precision=precision)
        assert found.understood.precision == held
        warned = {note.code for note in found.warnings} & {
            "full_in_16_bits",
            "qlora_base_quantised",
        }
        assert warned == ({code} if code else set())

    def test_a_model_published_in_fp8_is_trained_in_16_bits(self, asked):
        assert asked("deepseek-v3", Mode.FULL).understood.precision == "bf16"

    def test_the_longest_context_of_a_run_is_not_covered(self, asked):
        with pytest.raises(NotCoveredError):
            asked(goal=Goal.MAX_CONTEXT)

    def test_frozen_encoders_and_bare_experts_are_told(self, asked):
        full = {note.code for note in asked("qwen2.5-vl-7b", Mode.FULL).assumptions}
        lora = {note.code for note in asked("mixtral-8x7b", Mode.LORA).assumptions}
        assert "encoders_frozen" in full
        assert "experts_without_adapters" in lora

    @pytest.mark.parametrize(
        ("mode", "fields", "code"),
        [
            (Mode.LORA, {}, "default_framework"),
            (Mode.LORA, {"method": Method.DPO}, "answers_in_pairs"),
            (Mode.LORA, {"method": Method.DPO}, "reference_without_adapters"),
            (Mode.FULL, {"method": Method.KTO}, "reference_kept"),
            (Mode.FULL, {"method": Method.REWARD}, "reward_of_pairs"),
            (Mode.LORA, {"method": Method.EMBEDDING}, "embedding_pairs"),
            (Mode.LORA, {"method": Method.CLASSIFICATION}, "labels_for_vocabulary"),
            (Mode.LORA, {"method": Method.PPO}, "value_and_reward_models"),
            (Mode.LORA, {"method": Method.GKD}, "teacher_beside"),
            (Mode.LORA, {"method": Method.GRPO}, "rollouts"),
            (Mode.FULL, {"tuner": Tuner.BADAM}, "partly_trained"),
            (Mode.FULL, {"tuner": Tuner.LLAMAPRO}, "layers_added"),
            (Mode.LORA, {"tuner": Tuner.DORA}, "adapter_kind"),
            (Mode.LORA, {"targets": AdapterTargets.QUERY_VALUE}, "adapter_targets"),
            (Mode.LORA, {"embeddings": True}, "embeddings_trained"),
            (Mode.FULL, {"optimizer": Optimizer.GALORE}, "projected_gradients"),
            (Mode.FULL, {"optimizer": Optimizer.PAGED_ADAMW}, "paged_states"),
            (Mode.FULL, {"step_in_backward": True}, "step_in_backward"),
            (Mode.FULL, {"autocast": True}, "autocast_copies"),
            (Mode.FULL, {"framework": "megatron"}, "gradients_in_32_bits"),
            (Mode.FULL, {"offload": Offload.ALL}, "weights_offloaded"),
            (Mode.FULL, {"offload": Offload.OPTIMIZER}, "optimizer_offloaded"),
            (Mode.FULL, {"offload": Offload.OPTIMIZER}, "host_memory_of_run"),
            (Mode.LORA, {"method": Method.GKD, "offload": Offload.BESIDE}, "beside_offloaded"),
            (Mode.LORA, {"offload_activations": True}, "activations_offloaded"),
            (Mode.LORA, {"loss": Loss.FUSED}, "loss_fused"),
            (Mode.LORA, {"framework": "unsloth"}, "loss_fused"),
            (Mode.LORA, {"loss": Loss.CHUNKED}, "loss_chunked"),
            (Mode.LORA, {"flash_attention": False}, "score_matrix_kept"),
            (Mode.LORA, {"compiled": True}, "compiled_layers"),
            (Mode.LORA, {"packed": True}, "packed_sequences"),
            (Mode.LORA, {"context_parallel": 2}, "sequences_shared_out"),
            (Mode.FULL, {"shard_gpus": 2}, "hybrid_sharding"),
            (Mode.LORA, {"tensor_parallel": 2}, "training_tensor_parallel"),
            (Mode.LORA, {"pipeline_parallel": 2}, "stages_in_turn"),
            (Mode.LORA, {"pipeline_parallel": 2, "framework": "megatron"}, "stages_at_once"),
        ],
    )
    def test_what_a_setting_means_is_told(self, asked, mode, fields, code):
        assert code in {note.code for note in asked(mode=mode, **fields).assumptions}

    @pytest.mark.parametrize(
        ("model", "fields", "code"),
        [
            ("qwen2.5-vl-7b", {}, "encoders_frozen"),
            ("qwen2.5-vl-7b", {"encoders": Encoders.TRAINED}, "encoder_activations_open"),
            (
                "qwen2.5-vl-7b",
                {"encoders": Encoders.TRAINED, "encoder_checkpointing": False},
                "encoders_kept_whole",
            ),
            (
                "qwen2.5-vl-7b",
                {"encoders": Encoders.TRAINED, "checkpointing": False}
                | {"encoder_checkpointing": True},
                "encoders_computed_again",
            ),
            ("gemma-3-27b", {"encoders": Encoders.TRAINED}, "encoder_activations_not_counted"),
            ("mixtral-8x7b", {"framework": "megatron"}, "experts_with_adapters"),
            ("mixtral-8x7b", {"expert_parallel": 8}, "training_expert_parallel"),
        ],
    )
    def test_what_a_setting_means_for_a_kind_of_model(self, asked, model, fields, code):
        assert code in {note.code for note in asked(model, **fields).assumptions}

    @pytest.mark.parametrize(
        ("mode", "fields", "key"),
        [
            (Mode.FULL, {"tuner": Tuner.DORA}, "tuner"),
            (Mode.LORA, {"tuner": Tuner.LISA}, "tuner"),
            (Mode.LORA, {"trained_layers": 2}, "trained-layers"),
            (Mode.FULL, {"adapter_rank": 8}, "rank"),
            (Mode.LORA, {"tuner": Tuner.IA3, "adapter_rank": 8}, "rank"),
            (Mode.FULL, {"targets": AdapterTargets.ATTENTION}, "targets"),
            (Mode.FULL, {"embeddings": True}, "train-embeddings"),
            (Mode.LORA, {"encoders": Encoders.TRAINED}, "encoders"),
            (Mode.LORA, {"encoder_checkpointing": False}, "encoder-checkpointing"),
            (Mode.LORA, {"optimizer": Optimizer.GALORE}, "optimizer"),
            (Mode.LORA, {"beside": "qwen2.5-1.5b"}, "teacher"),
            (Mode.LORA, {"rollout_fraction": 0.3}, "rollout"),
            (Mode.FULL, {"offload": Offload.BESIDE}, "offload"),
            (Mode.FULL, {"offload_fraction": 0.5}, "offload-fraction"),
            (Mode.LORA, {"offload_activations": True, "checkpointing": False},
             "offload=activations"),
        ],
    )  # fmt: skip
    def test_settings_that_change_nothing_are_told_and_change_nothing(
        self, asked, mode, fields, key
    ):
        """Without the setting the memory is the same."""
        found = asked(mode=mode, **fields)
        idle = [note for note in found.warnings if note.code == "idle_settings"]
        assert idle[0].values["options"] == (key,)
        kept = {name: fields[name] for name in ("tuner", "checkpointing") if name in fields}
        plain = asked(mode=mode, **({} if key == "tuner" else kept))
        assert found.memory == plain.memory

    def test_settings_with_an_effect_are_not_called_idle(self, asked):
        found = asked(
            "qwen2.5-vl-7b",
            Mode.FULL,
            optimizer=Optimizer.GALORE,
            adapter_rank=64,
            encoders=Encoders.TRAINED,
            encoder_checkpointing=False,
            offload_activations=True,
        )
        assert "idle_settings" not in {note.code for note in found.warnings}

    def test_options_of_serving_are_said_to_change_nothing(self, asked):
        found = asked(data_parallel=4, kv_precision="fp8")
        notes = [note for note in found.warnings if note.code == "serving_options"]
        assert notes[0].values["options"] == ("dp", "kv")

    def test_a_length_beyond_the_model_and_too_little_ram_are_warned_of(self, asked):
        """Twice 138 GB of weights: 276 GB."""
        found = asked("llama-2-70b", context_tokens=8192, host_ram_gb=128)
        codes = {note.code: note.values for note in found.warnings}
        assert codes["context_beyond_model"]["max_context_tokens"] == 4096
        assert codes["host_ram"]["needed_gb"] == 276

    def test_no_set_within_the_limit(self, asked):
        found = asked("llama-3.1-405b", Mode.FULL, max_gpus=8)
        assert found.options == ()
        assert "none_within_limit" in {note.code for note in found.warnings}

    def test_a_named_card_that_never_fits_is_shown_and_another_named(self, asked):
        """A consumer card is not joined over servers: eight RTX 4090 hold no 70B in full."""
        found = asked("llama-2-70b", Mode.FULL, gpus=(GpuChoice(gpu="rtx-4090"),))
        first = found.options[0]
        assert (first.gpu, first.gpus, first.verdict) == ("rtx-4090", 8, Verdict.DOES_NOT_FIT)
        assert any(option.verdict is Verdict.FITS for option in found.options)

    def test_a_card_that_trains_nothing_is_unsupported(self, asked):
        found = asked(gpus=(GpuChoice(gpu="tpu-v5e", count=1),))
        assert found.options[0].verdict is Verdict.UNSUPPORTED
        assert found.options[0].per_gpu is None


models = st.sampled_from(
    sorted(one.id for one in CATALOGUE.models.values() if one.kind in TRAINED_KINDS)
)
modes = st.sampled_from(TRAINING)
lengths = st.integers(1, 65_536)
batches = st.integers(1, 64)
ranks = st.integers(1, 512)
sizes = st.integers(10**8, 10**12)


def total(run, gpus=1, stage=0):
    size = training_need(run, TrainingLayout(gpus=gpus, zero_stage=stage)).total
    return (size.low_bytes, size.typical_bytes, size.high_bytes)


def never_less(small, large):
    return all(one <= other for one, other in zip(small, large, strict=True))


degrees = st.sampled_from([None, 1, 2, 4])
tunings = st.builds(
    Tuning,
    framework=st.none() | st.sampled_from(sorted(CATALOGUE.frameworks)),
    method=st.none() | st.sampled_from(Method),
    tuner=st.none() | st.sampled_from(Tuner),
    targets=st.none() | st.sampled_from(AdapterTargets),
    trained_layers=st.none() | st.integers(1, 200),
    embeddings=st.booleans(),
    encoders=st.none() | st.sampled_from(Encoders),
    optimizer=st.none() | st.sampled_from(Optimizer),
    step_in_backward=st.booleans(),
    autocast=st.booleans(),
    zero_stage=st.none() | st.integers(0, 3),
    shard_gpus=degrees,
    context_parallel=degrees,
    offload=st.none() | st.sampled_from(Offload),
    offload_fraction=st.sampled_from([None, 0.5]),
    offload_activations=st.booleans(),
    checkpointing=st.sampled_from([None, True, False]),
    encoder_checkpointing=st.sampled_from([None, True, False]),
    flash_attention=st.sampled_from([None, True, False]),
    compiled=st.booleans(),
    loss=st.none() | st.sampled_from(Loss),
    rollout_fraction=st.sampled_from([None, 0.3]),
)


@settings(max_examples=150, deadline=None)
@given(models, modes, lengths, batches, tunings, st.tuples(degrees, degrees, degrees))
def test_parts_sum_to_the_total(model, mode, length, batch, tuning, split):
    tensor, pipeline, expert = split
    request = SizingRequest(
        model_id=model,
        mode=mode,
        context_tokens=length,
        concurrent_requests=batch,
        tuning=tuning,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        expert_parallel=expert,
        gpus=(GpuChoice(gpu="h100-sxm", count=8),),
    )
    found = size(request, CATALOGUE)
    memory = found.memory
    assert memory.total_bytes == (
        memory.weights_bytes
        + memory.reference_bytes
        + memory.gradient_bytes
        + memory.optimizer_bytes
        + memory.adapter_bytes
        + memory.activation_bytes
        + memory.runtime_bytes
    )
    if tuning.offload is not Offload.ALL:
        assert memory.weights_bytes == sum(group.weights_bytes for group in memory.groups)
    assert memory.total_low_bytes <= memory.total_bytes <= memory.total_high_bytes
    for option in found.options:
        gpu = option.per_gpu
        if gpu is None:
            continue
        assert gpu.need_bytes == (
            gpu.weights_bytes
            + gpu.reference_bytes
            + gpu.gradient_bytes
            + gpu.optimizer_bytes
            + gpu.adapter_bytes
            + gpu.activation_bytes
            + gpu.runtime_bytes
        )
        assert gpu.need_low_bytes <= gpu.need_bytes <= gpu.need_high_bytes


@settings(max_examples=60, deadline=None)
@given(models, modes, lengths, lengths, batches, st.booleans())
def test_more_tokens_never_need_less(plan, model, mode, one, other, batch, checkpointing):
    short, long = sorted((one, other))
    run = plan(model, mode, concurrent_requests=batch, checkpointing=checkpointing)
    assert never_less(
        total(replace(run, sequence_tokens=short)), total(replace(run, sequence_tokens=long))
    )
    assert never_less(total(replace(run, micro_batch=1)), total(run))


@settings(max_examples=60, deadline=None)
@given(models, st.sampled_from([Mode.LORA, Mode.QLORA]), ranks, ranks)
def test_a_higher_rank_never_needs_less(plan, model, mode, one, other):
    low, high = sorted((one, other))
    assert never_less(
        total(plan(model, mode, adapter_rank=low)), total(plan(model, mode, adapter_rank=high))
    )


@settings(max_examples=80, deadline=None)
@given(models, modes, st.integers(2, 256), st.integers(2, 256), st.integers(1, 3))
def test_more_gpus_never_need_more_of_each(plan, model, mode, one, other, stage):
    """From two on: the second brings communication, and layers that are gathered."""
    few, many = sorted((one, other))
    run = plan(model, mode)
    assert never_less(total(run, many, stage), total(run, few, stage))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(10**8, 10**12), st.integers(10**8, 10**12), st.sampled_from([Mode.LORA, Mode.FULL])
)
def test_more_parameters_never_need_less(one, other, mode):
    small, large = (
        size(SizingRequest(parameters=count, mode=mode), CATALOGUE).memory
        for count in sorted((one, other))
    )
    assert small.total_bytes <= large.total_bytes


SAVINGS = (
    {"optimizer": Optimizer.ADAMW_8BIT},
    {"optimizer": Optimizer.SGD},
    {"step_in_backward": True},
    {"offload": Offload.OPTIMIZER},
    {"offload_activations": True},
    {"loss": Loss.CHUNKED},
    {"targets": AdapterTargets.QUERY_VALUE},
)
"""Settings that save memory or leave it as it is."""


@settings(max_examples=60, deadline=None)
@given(models, modes, st.sampled_from(SAVINGS))
def test_checkpointing_and_savings_never_need_more(plan, model, mode, saving):
    """On one GPU; what goes to the host waits for a moment in a bucket of 1 GB."""
    run = plan(model, mode)
    assert total(run)[1] <= total(plan(model, mode, checkpointing=False))[1]
    bucket = 1.03 * 10**9 if "offload" in saving else 0
    assert total(plan(model, mode, **saving))[1] <= total(run)[1] + bucket
