"""Memory of training runs; each figure is derived beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import SizingAnswer, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.errors import NotCoveredError
from sizing.records import ArchitectureRecord, Attention
from sizing.request import Goal, GpuChoice, Mode, Optimizer, SizingRequest
from sizing.subject import subject_of
from sizing.training.activations import activations, layer_bytes_per_token
from sizing.training.need import TrainingNeed, training_need
from sizing.training.plan import Targets, TrainingPlan
from sizing.training.run import TRAINED_KINDS, base_groups
from sizing.training.shape import adapter_inputs, adapter_parameters
from sizing.training.states import states_of, step_bytes, trainable_parameters

CATALOGUE: Catalogue = load_catalogue()
TRAINING = (Mode.LORA, Mode.QLORA, Mode.FULL)

LLAMA_8B = 8_030_261_248
"""2 x 128,256 x 4,096 + 32 x (2 x 4,096^2 + 2 x 4,096 x 1,024 + 3 x 4,096 x 14,336 + 2 x 4,096)
+ 4,096."""

ADAPTERS_8B = 41_943_040
"""Rank 16: q 4,096 + 4,096, k and v 4,096 + 1,024 each, o 4,096 + 4,096, gate, up and down
4,096 + 14,336 each: 81,920 a layer, x 32 layers x 16."""


def plan(model: str = "llama-3.1-8b", mode: Mode = Mode.LORA, **fields: object) -> TrainingPlan:
    """Return a run of a catalogue model at a length of 2,048, one sequence at a time."""
    subject = subject_of(SizingRequest(model_id=model), CATALOGUE)
    precision = CATALOGUE.precisions["bnb-nf4" if mode is Mode.QLORA else "bf16"]
    base = TrainingPlan(
        subject=subject,
        groups=base_groups(subject, precision, CATALOGUE),
        mode=mode,
        sequence_tokens=2048,
        micro_batch=1,
    )
    return replace(base, **fields)


def asked(model: str = "llama-3.1-8b", mode: Mode = Mode.LORA, **fields: object) -> SizingAnswer:
    """Return the answer to a question about training."""
    return size(SizingRequest(model_id=model, mode=mode, **fields), CATALOGUE)


def states_bytes(need: TrainingNeed) -> int:
    """Return the typical states on one GPU."""
    parts = (need.weights, need.gradients, need.optimizer, need.adapters)
    return sum(part.typical_bytes for part in parts)


class TestStates:
    def test_full_fine_tuning_takes_sixteen_bytes_a_parameter(self) -> None:
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
        [(Optimizer.ADAMW, 16), (Optimizer.ADAMW_16BIT, 8), (Optimizer.ADAMW_8BIT, 6)],
    )
    def test_optimizers_of_a_full_run(self, optimizer: Optimizer, per_parameter: int) -> None:
        """2 + 2 and 12 (copy and moments), 4 (moments in 16 bits) or 2 (in 8)."""
        need = training_need(plan(mode=Mode.FULL, optimizer=optimizer), gpus=1, zero_stage=0)
        assert states_bytes(need) == per_parameter * LLAMA_8B

    def test_weights_in_32_bits_need_no_copy(self) -> None:
        """4 + 4 + 8 bytes: the same sixteen."""
        subject = subject_of(SizingRequest(model_id="llama-3.1-8b"), CATALOGUE)
        groups = base_groups(subject, CATALOGUE.precisions["fp32"], CATALOGUE)
        need = training_need(plan(mode=Mode.FULL, groups=groups), gpus=1, zero_stage=0)
        assert need.weights.typical_bytes == 4 * LLAMA_8B
        assert states_bytes(need) == 16 * LLAMA_8B

    def test_adapters_take_sixteen_bytes_a_parameter(self) -> None:
        """In 32 bits: weight 4, gradient 4, moments 8; the frozen base 2."""
        run = plan()
        need = training_need(run, gpus=1, zero_stage=0)
        assert trainable_parameters(run) == ADAPTERS_8B
        assert need.adapters.typical_bytes == 4 * ADAPTERS_8B
        assert states_bytes(need) == 2 * LLAMA_8B + 16 * ADAPTERS_8B

    @pytest.mark.parametrize(
        ("targets", "per_layer"),
        [
            (Targets.QUERY_VALUE, 8192 + 5120),
            (Targets.ATTENTION, 8192 + 2 * 5120 + 8192),
            (Targets.ALL_LINEAR, 8192 + 2 * 5120 + 8192 + 3 * 18432),
        ],
    )
    def test_adapters_by_target(self, targets: Targets, per_layer: int) -> None:
        shape = plan().subject.architecture
        assert adapter_parameters(shape, rank=8, targets=targets) == 8 * 32 * per_layer

    def test_a_quantised_base_keeps_its_ends_in_32_bits(self) -> None:
        """Embedding and head 2 x 525,336,576 and norms 266,240 at 4 bytes = 4,203,757,568.

        The rest, 6,979,321,856 parameters at 4.126953125 bits, = 3,600,416,768 bytes.
        """
        states = states_of(plan(mode=Mode.QLORA))
        assert states.weights.typical_bytes == pytest.approx(7_804_174_336, abs=8)
        assert states.weights.low_bytes == pytest.approx(7_804_174_336 - 2_101_878_784, abs=8)

    def test_image_encoders_stay_frozen(self) -> None:
        run = plan("qwen2.5-vl-7b", Mode.FULL)
        assert trainable_parameters(run) < run.subject.parameters
        assert trainable_parameters(replace(run, frozen=frozenset())) == run.subject.parameters

    def test_preferences_keep_a_reference_unless_adapters_are_trained(self) -> None:
        """A second copy of 2 x 8,030,261,248 bytes; two answers of 2,048 tokens each."""
        full, lora = plan(mode=Mode.FULL, preference=True), plan(preference=True)
        assert states_of(full).reference.typical_bytes == 2 * LLAMA_8B
        assert states_of(lora).reference.typical_bytes == 0
        assert full.tokens == lora.tokens == 4096

    def test_adapters_of_latent_attention(self) -> None:
        """DeepSeek-V2-Lite, 27 layers, no query latent, 16 heads of 128 + 64 and 128, width 2,048.

        q 2,048 + 3,072, kv_a 2,048 + 576, kv_b 512 + 4,096, o 2,048 + 2,048: 16,448 a layer; one
        dense FFN of 10,944: 3 x 12,992; shared experts of 2,816 in 26 layers: 3 x 4,864 each.
        """
        shape = plan("deepseek-v2-lite").subject.architecture
        expected = 27 * 16_448 + 3 * 12_992 + 26 * 3 * 4864
        assert adapter_parameters(shape, rank=1, targets=Targets.ALL_LINEAR) == expected

    def test_routed_experts_carry_no_adapters(self) -> None:
        """48 layers x 16 x (q 2,048 + 4,096, k and v 2,048 + 512 each, o 4,096 + 2,048)."""
        assert trainable_parameters(plan("qwen3-30b-a3b")) == 48 * 16 * (6144 + 2 * 2560 + 6144)

    def test_the_step_takes_a_billion_parameters_at_once(self) -> None:
        """Gradients copied to 32 bits: 4 bytes of 10^9 parameters, 8 of 2 x 10^9 at most."""
        run = plan(mode=Mode.FULL)
        assert step_bytes(run, 10**8).typical_bytes == 4 * 10**8
        assert step_bytes(run, 10**9).typical_bytes == 4 * 10**9
        assert step_bytes(run, 10**9 + 1).typical_bytes == 4 * 10**9
        assert step_bytes(run, 10**10).high_bytes == 16 * 10**9


class TestActivations:
    def test_a_layer_of_gpt_3_keeps_what_korthikanti_says(self) -> None:
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

    def test_a_layer_of_llama(self) -> None:
        """2 x (4 x 4,096 + q 4,096 + k, v 2 x 1,024 + output 4,096 + 4 x 14,336) = 167,936."""
        assert layer_bytes_per_token(plan().subject.architecture) == 167_936

    def test_latent_attention_counts_its_full_heads(self) -> None:
        """DeepSeek-V3: 128 heads of 192 (q, k) and 128 (v); 8 experts and a shared one of 2,048.

        2 x (4 x 7,168 + 2 x 24,576 + 2 x 16,384 + 4 x max(18,432, 9 x 2,048)) = 368,640.
        """
        shape = subject_of(SizingRequest(model_id="deepseek-v3"), CATALOGUE).architecture
        assert layer_bytes_per_token(shape) == 368_640

    def test_with_checkpointing(self) -> None:
        """2,048 tokens: 32 x 4,096 x 2 bytes each kept; one layer x 1.5; 128,256 scores x 12."""
        found = activations(plan())
        assert found.kept.typical_bytes == 2048 * 32 * 4096 * 2
        assert found.layer.typical_bytes == round(2048 * 167_936 * 1.5)
        assert found.logits.typical_bytes == 2048 * 128_256 * 12
        assert found.total.typical_bytes == (2048 * 32 * 4096 * 2) + 2048 * 128_256 * 12

    def test_without_checkpointing(self) -> None:
        """All layers whole; adapters copy the input of each target for their dropout.

        Inputs of a layer: q, k, v, gate, up 4,096 each, o 4,096, down 14,336: 38,912.
        """
        assert adapter_inputs(plan().subject.architecture, Targets.ALL_LINEAR) == 32 * 38_912
        full = activations(plan(mode=Mode.FULL, checkpointing=False))
        lora = activations(plan(checkpointing=False))
        qlora = activations(plan(mode=Mode.QLORA, checkpointing=False))
        whole, copies = 2048 * 32 * 167_936, 2048 * 32 * 38_912 * 2
        assert full.kept.typical_bytes == whole
        assert lora.kept.typical_bytes == whole + copies
        assert qlora.kept.typical_bytes == round(whole * 1.6) + copies
        assert full.layer.typical_bytes == 0

    def test_a_quantised_base_unpacks_its_largest_matrix(self) -> None:
        """4,096 x 14,336 parameters at 2 bytes."""
        assert activations(plan(mode=Mode.QLORA)).unpacked_bytes == 4096 * 14_336 * 2
        assert activations(plan()).unpacked_bytes == 0

    def test_a_loss_in_pieces_has_no_table_of_scores(self) -> None:
        assert activations(plan(chunked_loss=True)).logits.high_bytes == 0


class TestSharding:
    @pytest.mark.parametrize(
        ("stage", "weights", "gradients", "optimizer"),
        [(0, 1, 1, 1), (1, 1, 1, 4), (2, 1, 4, 4), (3, 4, 4, 4)],
    )
    def test_stages_split_what_the_zero_paper_says(
        self, stage: int, weights: int, gradients: int, optimizer: int
    ) -> None:
        """Figure 1 of the paper: optimizer, then gradients, then weights."""
        need = training_need(plan(mode=Mode.FULL), gpus=4, zero_stage=stage)
        assert need.weights.typical_bytes == 2 * LLAMA_8B // weights
        assert need.gradients.typical_bytes == 2 * LLAMA_8B // gradients
        assert need.optimizer.typical_bytes == 12 * LLAMA_8B // optimizer

    def test_full_sharding_gathers_two_layers_and_an_end(self) -> None:
        """A layer: (8,030,261,248 - 2 x 525,336,576) x 2 / 32; embedding 1,050,673,152 bytes."""
        layer = -(-(LLAMA_8B - 2 * 525_336_576) * 2 // 32)
        lora = training_need(plan(), gpus=4, zero_stage=3)
        full = training_need(plan(mode=Mode.FULL), gpus=4, zero_stage=3)
        assert lora.buffers.typical_bytes == 2 * layer + 1_050_673_152
        assert full.buffers.typical_bytes == 2 * lora.buffers.typical_bytes

    def test_one_gpu_needs_no_communication(self) -> None:
        alone = training_need(plan(), gpus=1, zero_stage=0)
        copies = training_need(plan(), gpus=2, zero_stage=0)
        assert alone.buffers.high_bytes == 0
        assert copies.runtime.typical_bytes > alone.runtime.typical_bytes


class TestAnswers:
    def test_states_of_a_14b_model_are_in_the_published_range(self) -> None:
        """QwenLM/Qwen issue 504: more than 250 GB for 14 B parameters by 18 bytes each.

        14.17 x 10^9 x 16 = 226.7 GB of states; 225 to 300 GB is accepted.
        """
        run = asked("qwen1.5-14b", Mode.FULL).training
        assert run is not None
        states = run.weights_bytes + run.gradient_bytes + run.optimizer_bytes + run.adapter_bytes
        assert 225e9 <= states <= 300e9

    def test_70b_in_full_does_not_fit_eight_a100(self) -> None:
        """epfLLM/Megatron-LLM issue 52: 32 of them were the least that trained it."""
        options = asked("llama-2-70b", Mode.FULL, gpus=(GpuChoice(gpu="a100-sxm-80", count=8),))
        first, second, *_ = options.options
        assert (first.gpus, first.verdict) == (8, Verdict.DOES_NOT_FIT)
        assert (second.gpu, second.gpus, second.verdict) == ("a100-sxm-80", 32, Verdict.FITS)
        assert second.zero_stage == 3

    def test_8b_lora_at_8k_fits_one_a100(self) -> None:
        """pytorch/torchtune issue 979."""
        found = asked(context_tokens=8192, gpus=(GpuChoice(gpu="a100-sxm-80", count=1),))
        assert found.options[0].verdict is Verdict.FITS
        assert found.options[0].zero_stage is None

    def test_13b_in_full_takes_sixteen_a100_of_40_gb(self) -> None:
        """meta-llama/llama-cookbook issue 25: its maintainers' estimate."""
        found = asked("llama-2-13b", Mode.FULL, gpus=(GpuChoice(gpu="a100-sxm-40"),))
        assert (found.options[0].gpu, found.options[0].gpus) == ("a100-sxm-40", 16)
        assert found.options[0].nodes == 2

    @pytest.mark.parametrize("model", ["deepseek-v3", "gemma-3-27b", "qwen3-next-80b-a3b"])
    @pytest.mark.parametrize("mode", TRAINING)
    def test_no_kv_cache_means_every_architecture_is_sized(self, model: str, mode: Mode) -> None:
        found = asked(model, mode)
        assert found.supported
        assert found.memory.kv_cache_bytes == 0

    def test_defaults_are_told(self) -> None:
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

    def test_what_was_asked_is_not_called_a_default(self) -> None:
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
    def test_precision_of_the_base(
        self, mode: Mode, precision: str, held: str, code: str | None
    ) -> None:
        found = asked(mode=mode, precision=precision)
        assert found.understood.precision == held
        warned = {note.code for note in found.warnings} & {
            "full_in_16_bits",
            "qlora_base_quantised",
        }
        assert warned == ({code} if code else set())

    def test_a_model_published_in_fp8_is_trained_in_16_bits(self) -> None:
        assert asked("deepseek-v3", Mode.FULL).understood.precision == "bf16"

    def test_the_longest_context_of_a_run_is_not_covered(self) -> None:
        with pytest.raises(NotCoveredError):
            asked(goal=Goal.MAX_CONTEXT)

    def test_frozen_encoders_and_bare_experts_are_told(self) -> None:
        full = {note.code for note in asked("qwen2.5-vl-7b", Mode.FULL).assumptions}
        lora = {note.code for note in asked("mixtral-8x7b", Mode.LORA).assumptions}
        assert "encoders_frozen" in full
        assert "experts_without_adapters" in lora

    @pytest.mark.parametrize("mode", [Mode.LORA, Mode.FULL])
    def test_preferences_are_told(self, mode: Mode) -> None:
        codes = {note.code for note in asked(mode=mode, preference=True).assumptions}
        expected = "preference_reference" if mode is Mode.FULL else "preference_pairs"
        assert expected in codes

    def test_options_of_serving_are_said_to_change_nothing(self) -> None:
        found = asked(tensor_parallel=4, kv_precision="fp8")
        notes = [note for note in found.warnings if note.code == "serving_options"]
        assert notes[0].values["options"] == ("tp", "kv")

    def test_a_length_beyond_the_model_and_too_little_ram_are_warned_of(self) -> None:
        """Twice 138 GB of weights: 276 GB."""
        found = asked("llama-2-70b", context_tokens=8192, host_ram_gb=128)
        codes = {note.code: note.values for note in found.warnings}
        assert codes["context_beyond_model"]["max_context_tokens"] == 4096
        assert codes["host_ram"]["needed_gb"] == 276

    def test_no_set_within_the_limit(self) -> None:
        found = asked("llama-3.1-405b", Mode.FULL, max_gpus=8)
        assert found.options == ()
        assert "none_within_limit" in {note.code for note in found.warnings}

    def test_a_named_card_that_never_fits_is_shown_and_another_named(self) -> None:
        """A consumer card is not joined over servers: eight RTX 4090 hold no 70B in full."""
        found = asked("llama-2-70b", Mode.FULL, gpus=(GpuChoice(gpu="rtx-4090"),))
        first = found.options[0]
        assert (first.gpu, first.gpus, first.verdict) == ("rtx-4090", 8, Verdict.DOES_NOT_FIT)
        assert any(option.verdict is Verdict.FITS for option in found.options)

    def test_a_card_that_trains_nothing_is_unsupported(self) -> None:
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


def total(run: TrainingPlan, gpus: int = 1, stage: int = 0) -> tuple[int, int, int]:
    size = training_need(run, gpus=gpus, zero_stage=stage).total
    return (size.low_bytes, size.typical_bytes, size.high_bytes)


def never_less(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    return all(one <= other for one, other in zip(small, large, strict=True))


@settings(max_examples=60, deadline=None)
@given(
    models,
    modes,
    lengths,
    batches,
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from(Optimizer),
)
def test_parts_sum_to_the_total(model, mode, length, batch, flags, optimizer) -> None:
    checkpointing, preference = flags
    found = asked(
        model,
        mode,
        context_tokens=length,
        concurrent_requests=batch,
        checkpointing=checkpointing,
        preference=preference,
        optimizer=optimizer,
    )
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
    assert memory.weights_bytes == sum(group.weights_bytes for group in memory.groups)
    assert memory.total_low_bytes <= memory.total_bytes <= memory.total_high_bytes
    for option in found.options:
        gpu = option.per_gpu
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
def test_more_tokens_never_need_less(model, mode, one, other, batch, checkpointing) -> None:
    short, long = sorted((one, other))
    run = plan(model, mode, micro_batch=batch, checkpointing=checkpointing)
    assert never_less(
        total(replace(run, sequence_tokens=short)), total(replace(run, sequence_tokens=long))
    )
    assert never_less(total(replace(run, micro_batch=1)), total(run))


@settings(max_examples=60, deadline=None)
@given(models, st.sampled_from([Mode.LORA, Mode.QLORA]), ranks, ranks)
def test_a_higher_rank_never_needs_less(model, mode, one, other) -> None:
    low, high = sorted((one, other))
    assert never_less(total(plan(model, mode, rank=low)), total(plan(model, mode, rank=high)))


@settings(max_examples=80, deadline=None)
@given(models, modes, st.integers(2, 256), st.integers(2, 256), st.integers(1, 3))
def test_more_gpus_never_need_more_of_each(model, mode, one, other, stage) -> None:
    """From two on: the second brings communication, and layers that are gathered."""
    few, many = sorted((one, other))
    run = plan(model, mode)
    assert never_less(total(run, many, stage), total(run, few, stage))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(10**8, 10**12), st.integers(10**8, 10**12), st.sampled_from([Mode.LORA, Mode.FULL])
)
def test_more_parameters_never_need_less(one, other, mode) -> None:
    small, large = (
        size(SizingRequest(parameters=count, mode=mode), CATALOGUE).memory
        for count in sorted((one, other))
    )
    assert small.total_bytes <= large.total_bytes


@settings(max_examples=40, deadline=None)
@given(models, modes)
def test_checkpointing_and_smaller_states_never_need_more(model, mode) -> None:
    run = plan(model, mode)
    assert total(run)[1] <= total(replace(run, checkpointing=False))[1]
    assert total(replace(run, optimizer=Optimizer.ADAMW_8BIT))[1] <= total(run)[1]
