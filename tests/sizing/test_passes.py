"""Encoders, classifiers, speech, pictures and clips: weights, tensors of a pass, options."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import SizingAnswer, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.errors import NotCoveredError
from sizing.passes.load import pass_load
from sizing.passes.tensors import encoder_elements_per_token
from sizing.records import TensorGroup
from sizing.request import Goal, GpuChoice, Mode, SizingRequest
from sizing.units import GB, GIB, MIB

CATALOGUE = load_catalogue()
IN_PASSES = sorted(model.id for model in CATALOGUE.models.values() if model.works_in_passes)


def sized(catalogue: Catalogue, model_id: str, **asked: object) -> SizingAnswer:
    return size(SizingRequest(model_id=model_id, **asked), catalogue)


def codes(answer: SizingAnswer) -> set[str]:
    return {note.code for note in (*answer.warnings, *answer.assumptions)}


class TestPictures:
    def test_sdxl_by_hand(self, catalogue: Catalogue) -> None:
        """SDXL in FP16, one picture of 1,024 x 1,024.

        weights      3,468,837,867 x 2 bytes                               =  6,937,675,734
        decoding     FP32: 1,024^2 x 3,072 + 2 x 83,653,863 (its weights)  =  3,388,533,198
                     x 1.0, 1.25, 1.8 for the workspaces of convolutions
        runtime      0.3, 0.5, 1.0 GiB
        """
        memory = sized(catalogue, "sdxl-base-1.0").memory
        decoding = 1_024**2 * 3_072 + 2 * 83_653_863
        assert memory.weights_bytes == 6_937_675_734
        assert memory.activation_low_bytes == decoding
        assert memory.activation_bytes == pytest.approx(decoding * 1.25, abs=1)
        assert memory.activation_high_bytes == pytest.approx(decoding * 1.8, abs=1)
        assert memory.runtime_bytes == GIB // 2
        assert memory.total_bytes == (
            memory.weights_bytes + memory.activation_bytes + memory.runtime_bytes
        )

    def test_pictures_to_make_are_items(self, catalogue: Catalogue) -> None:
        """Four images are a batch of four, unless the batch itself is told."""
        assert sized(catalogue, "sdxl-base-1.0", images=4).understood.concurrent_requests == 4
        both = sized(catalogue, "sdxl-base-1.0", images=4, concurrent_requests=2)
        assert both.understood.concurrent_requests == 2

    @pytest.mark.parametrize(("precision", "peak_gib"), [("fp16", 21.72), ("fp32", 28.09)])
    def test_four_pictures_on_an_a100(
        self, catalogue: Catalogue, precision: str, peak_gib: float
    ) -> None:
        """Peak of the allocator, which the driver context is not part of.

        Source: huggingface.co/blog/simple_sdxl_optimizations.
        """
        memory = sized(
            catalogue, "sdxl-base-1.0", precision=precision, concurrent_requests=4
        ).memory
        peak = memory.weights_bytes + memory.activation_bytes
        assert peak == pytest.approx(peak_gib * GIB, rel=0.05)

    @pytest.mark.parametrize(
        ("model_id", "side", "buffer_mib"),
        [
            ("sd-1.5", 1_024, 8_361),
            ("sdxl-base-1.0", 1_024, 830.86),
            ("sd3-medium", 1_024, 1_786.11),
            ("sd3-medium", 1_792, 15_141.18),
            ("flux.1-dev", 1_024, 2_576.18),
            ("flux.1-dev", 1_792, 17_434.95),
        ],
    )
    def test_denoisers_without_fused_attention(
        self, catalogue: Catalogue, model_id: str, side: int, buffer_mib: float
    ) -> None:
        """Buffers of stable-diffusion.cpp: attention matrix in FP32 and the rest.

        Source: gpustack/gguf-parser-go@8dc7a62 gen.regression.go; SD 1.5: reference/memory.
        """
        request = SizingRequest(
            model_id=model_id,
            engine="sdcpp",
            precision="fp16",
            width_pixels=side,
            height_pixels=side,
        )
        load = pass_load(catalogue.models[model_id], request, catalogue)
        denoise = next(stage for stage in load.stages if stage.name == "denoise")
        typical = denoise.item_bytes * load.overhead.transformer.typical
        assert typical == pytest.approx(buffer_mib * MIB, rel=0.15)

    def test_formats_leave_clip_and_the_decoder_in_16_bits(self, catalogue: Catalogue) -> None:
        """FLUX.1 in FP8: transformer and T5 in 8 bits, CLIP and autoencoder in 16."""
        memory = sized(catalogue, "flux.1-dev", precision="fp8").memory
        eight = 11_901_408_320 + 4_762_310_656
        sixteen = 123_060_480 + 83_819_683
        assert memory.weights_bytes == eight + 2 * sixteen

    def test_text_encoders_leave_the_gpu_in_a_nim(self, catalogue: Catalogue) -> None:
        """NVIDIA publishes FP8 on cards of 16 GB and asks for 40 GB of host memory."""
        card = (GpuChoice(gpu="rtx-4080", count=1),)
        asked = {"precision": "fp8", "gpus": card}
        alone = sized(catalogue, "flux.1-dev", **asked)
        nim = sized(catalogue, "flux.1-dev", engine="nim", **asked)
        assert alone.options[0].verdict is Verdict.DOES_NOT_FIT
        assert nim.options[0].verdict in {Verdict.FITS, Verdict.TIGHT}
        assert {"text_encoders_offloaded"} <= codes(nim)
        groups = {group.group for group in nim.memory.groups}
        assert TensorGroup.TEXT_ENCODER not in groups

    def test_components_that_exceed_the_card(self, catalogue: Catalogue) -> None:
        """FLUX.2: transformer 64.4 GB and text encoder 48.0 GB do not share one card of 80 GB."""
        answer = sized(catalogue, "flux.2-dev", gpus=(GpuChoice(memory_gb=80, count=1),))
        assert answer.memory.weights_bytes == pytest.approx(112.6 * GB, rel=0.001)
        assert answer.options[0].verdict is Verdict.DOES_NOT_FIT
        assert any(option.verdict is Verdict.FITS for option in answer.options)


class TestClips:
    def test_decoding_sets_the_peak_of_cogvideox(self, catalogue: Catalogue) -> None:
        """33 GB with all networks on the GPU, 19 GB for the decoder alone.

        Source: huggingface/diffusers docs/source/en/api/pipelines/cogvideox.md.
        """
        memory = sized(catalogue, "cogvideox-2b").memory
        assert memory.total_bytes == pytest.approx(33 * GB, rel=0.05)
        decoder_bytes = 2 * 215_583_907 + memory.activation_bytes
        assert decoder_bytes == pytest.approx(19 * GB, rel=0.08)

    def test_hunyuanvideo_at_720_lines(self, catalogue: Catalogue) -> None:
        """60 GB for 720 x 1,280 x 129 frames (Tencent/HunyuanVideo@fa14b00 README.md)."""
        memory = sized(catalogue, "hunyuanvideo").memory
        assert memory.total_bytes == pytest.approx(60 * GB, rel=0.05)
        assert memory.total_low_bytes <= 60 * GB <= memory.total_high_bytes

    def test_frames_by_hand(self, catalogue: Catalogue) -> None:
        """Wan 2.1 14B, 832 x 480: the decoder works frame by frame and keeps finished frames.

        399,360 pixels x (20,244 + 12.5 x 81 frames) = 8,488,896,... bytes in FP32.
        """
        memory = sized(catalogue, "wan2.1-t2v-14b", width_pixels=832, height_pixels=480).memory
        assert memory.activation_low_bytes == round(399_360 * (20_244 + 12.5 * 81))


class TestTexts:
    def test_bge_m3_by_hand(self, catalogue: Catalogue) -> None:
        """32 texts of 8,192 tokens in FP32: 11 x 1,024 numbers for each token.

        32 x 8,192 x 11,264 x 4 bytes = 11,811,160,064, x 1.15 for what comes with it. Without
        fused attention 32 x 16 heads x 8,192^2 x 4 bytes = 128 GiB (FlagEmbedding issue 807).
        """
        answer = sized(catalogue, "bge-m3", context_tokens=8_192, concurrent_requests=32)
        assert answer.memory.activation_low_bytes == 11_811_160_064
        assert answer.memory.kv_bytes_per_token is None
        matrix = next(note for note in answer.assumptions if note.code == "attention_matrix")
        assert matrix.values["matrix_bytes"] == 128 * GIB

    @pytest.mark.parametrize(
        ("model_id", "elements"),
        [
            # Tensors counted in transformers 5.24: bytes for each token over bytes of a number.
            ("bert-base", 33_800 // 4),
            ("bert-large", 45_064 // 4),
            ("modernbert-base", 33_848 // 4),
            ("qwen3-embedding-8b", (254_480 - 36 * 2 * 1_024 * 2) // 2),
        ],
    )
    def test_numbers_of_a_token(self, catalogue: Catalogue, model_id: str, elements: int) -> None:
        architecture = catalogue.models[model_id].architecture
        assert architecture is not None
        assert encoder_elements_per_token(architecture) == pytest.approx(elements, rel=0.01)

    def test_an_engine_with_steps_never_holds_the_batch(self, catalogue: Catalogue) -> None:
        """vLLM works on 8,192 tokens at a time: more texts take no more memory."""
        few = sized(catalogue, "bge-m3", engine="vllm", concurrent_requests=16)
        many = sized(catalogue, "bge-m3", engine="vllm", concurrent_requests=1_024)
        assert few.memory.total_bytes == pytest.approx(many.memory.total_bytes, abs=1_024)
        assert many.options[0].max_concurrent_requests is None

    def test_the_article_s_small_models(self, catalogue: Catalogue) -> None:
        """NIM article: ResNet and BERT base run on a T4 or an A10 of 8 GB and more."""
        for model_id in ("resnet-50", "bert-base"):
            for gpu in ("t4", "a10"):
                answer = sized(catalogue, model_id, gpus=(GpuChoice(gpu=gpu, count=1),))
                assert answer.options[0].verdict is Verdict.FITS
                assert (answer.memory.total_high_bytes or 0) < 8 * GB


class TestSound:
    def test_whisper_by_hand(self, catalogue: Catalogue) -> None:
        """Whisper large v3, 10 clips: cross-attention of 1,500 positions and 448 tokens each.

        10 x 32 layers x 2 x 1,280 x (1,500 + 448) x 2 bytes = 3,191,603,200.
        """
        memory = sized(catalogue, "whisper-large-v3", concurrent_requests=10).memory
        assert memory.kv_cache_bytes == 3_191_603_200

    def test_whisper_turbo_on_twelve_gb(self, catalogue: Catalogue) -> None:
        """vllm-project/vllm issue 15216: it runs once fewer sequences are reserved."""
        answer = sized(
            catalogue, "whisper-large-v3-turbo", gpus=(GpuChoice(gpu="rtx-3060-12", count=1),)
        )
        assert answer.options[0].verdict is Verdict.FITS

    def test_long_sound_is_quadratic(self, catalogue: Catalogue) -> None:
        """Parakeet, 20 minutes: 1,200 x 646,000 + 1,200^2 x 20,000 = 29,575,200,000 bytes."""
        memory = sized(catalogue, "parakeet-ctc-0.6b", seconds=1_200).memory
        assert memory.activation_low_bytes == 29_575_200_000

    def test_what_is_not_known_is_said(self, catalogue: Catalogue) -> None:
        answer = sized(catalogue, "xtts-v2")
        memory = answer.memory
        assert "no_measured_basis" in codes(answer)
        assert memory.activation_low_bytes == round(memory.weights_bytes * 0.1)
        assert memory.activation_high_bytes == memory.weights_bytes


class TestOptions:
    def test_each_gpu_holds_a_copy(self, catalogue: Catalogue) -> None:
        """Nine pictures in three FP16 copies of SDXL, three on each card."""
        cards = (GpuChoice(gpu="rtx-4090", count=3),)
        option = sized(catalogue, "sdxl-base-1.0", concurrent_requests=9, gpus=cards).options[0]
        three = sized(catalogue, "sdxl-base-1.0", concurrent_requests=3).memory
        assert (option.replicas, option.tensor_parallel, option.gpus) == (3, 1, 3)
        assert option.per_gpu is not None
        assert option.per_gpu.need_bytes == three.total_bytes

    def test_users_take_copies(self, catalogue: Catalogue) -> None:
        """More clips than one card holds stand on as many as hold them, high bound included."""
        gpu = (GpuChoice(gpu="h100-sxm"),)
        options = sized(catalogue, "hunyuanvideo", concurrent_requests=8, gpus=gpu).options
        fitting = [one for one in options if one.verdict is Verdict.FITS and one.gpu == "h100-sxm"]
        assert fitting[0].replicas > 1
        assert (fitting[0].safe_max_concurrent_requests or 0) >= 8

    def test_an_engine_of_another_kind_is_refused(self, catalogue: Catalogue) -> None:
        gpu = (GpuChoice(gpu="l4", count=1),)
        for model_id, engine in (("resnet-50", "vllm"), ("llama-3.1-8b", "diffusers")):
            answer = sized(catalogue, model_id, engine=engine, gpus=gpu)
            assert answer.options[0].verdict is Verdict.UNSUPPORTED
            assert "unsupported_engine_kind" in {one.code for one in answer.options[0].reasons}

    def test_training_is_not_covered(self, catalogue: Catalogue) -> None:
        with pytest.raises(NotCoveredError):
            sized(catalogue, "sdxl-base-1.0", mode=Mode.LORA)

    def test_the_most_at_once_is_asked_for_but_no_context(self, catalogue: Catalogue) -> None:
        most = sized(catalogue, "sdxl-base-1.0", goal=Goal.MAX_REQUESTS)
        assert most.understood.goal is Goal.MAX_REQUESTS
        longest = sized(catalogue, "sdxl-base-1.0", goal=Goal.MAX_CONTEXT)
        assert longest.understood.goal is Goal.SIZE

    def test_options_without_effect_are_named(self, catalogue: Catalogue) -> None:
        answer = sized(catalogue, "sdxl-base-1.0", context_tokens=4_096, tensor_parallel=2)
        notes = [one for one in answer.warnings if one.code == "option_without_effect"]
        assert {note.values["option"] for note in notes} == {"ctx", "tp"}


@given(
    model_id=st.sampled_from(IN_PASSES),
    items=st.integers(1, 64),
    scale=st.integers(1, 8),
)
@settings(max_examples=60, deadline=None)
def test_more_work_never_needs_less(model_id: str, items: int, scale: int) -> None:
    side = 64 * scale
    shape = {"width_pixels": side, "height_pixels": side, "frames": 8 * scale, "seconds": scale}
    less = sized(CATALOGUE, model_id, concurrent_requests=items, context_tokens=64, **shape)
    larger = {name: 2 * value for name, value in shape.items()}
    more = sized(CATALOGUE, model_id, concurrent_requests=items + 1, context_tokens=128, **larger)
    for bound in ("total_low_bytes", "total_bytes", "total_high_bytes"):
        assert getattr(less.memory, bound) <= getattr(more.memory, bound)
    for answer in (less, more):
        memory = answer.memory
        assert sum(one.weights_bytes for one in memory.groups) == memory.weights_bytes
        parts = (memory.weights_bytes, memory.activation_bytes, memory.runtime_bytes)
        assert sum(part or 0 for part in parts) == memory.total_bytes
        assert all(option.tensor_parallel == 1 for option in answer.options)


@pytest.mark.parametrize("model_id", IN_PASSES)
def test_every_model_has_an_answer(model_id: str) -> None:
    answer = sized(CATALOGUE, model_id)
    assert answer.options[0].verdict is Verdict.FITS
    low, high = answer.memory.total_low_bytes, answer.memory.total_high_bytes
    assert (low or 0) < (answer.memory.total_bytes or 0) < (high or 0)
