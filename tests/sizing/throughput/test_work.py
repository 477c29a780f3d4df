"""Operations and bytes of pictures, texts and windows of sound, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.catalogue import Catalogue, load_catalogue
from sizing.records import ModelRecord
from sizing.subject import subject_from
from sizing.throughput.pictures import denoise_work, evaluation_work, picture_work
from sizing.throughput.speech import speech_work
from sizing.throughput.texts import text_work
from sizing.throughput.work import ItemWork
from sizing.weights import group_weights

CATALOGUE = load_catalogue()
PICTURES = sorted(
    model.id for model in CATALOGUE.models.values() if model.pipeline and model.pipeline.steps
)
MEGAPIXEL = 1_024**2


def pipeline_of(catalogue: Catalogue, model_id: str):
    pipeline = catalogue.models[model_id].pipeline
    assert pipeline is not None
    return pipeline


def groups_of(catalogue: Catalogue, model: ModelRecord, precision: str = "fp16"):
    return group_weights(subject_from(model), catalogue.precisions[precision], catalogue)


class TestPictures:
    def test_sdxl_by_hand(self, catalogue: Catalogue) -> None:
        """1,024 x 1,024, 20 steps, guidance on two copies.

        an evaluation  5.253e10 + 5,681,120 x 1,048,576 + 0.6836 x 1,048,576^2 = 6.7612e12
        denoising      20 x 2 x 6.7612e12                                       = 2.7045e14
        decoding       FP32, counted twice: 2 x (9,461,060 x 1,048,576 + 0.5 x 1,048,576^2)
                                                                                = 2.0940e13
        prompts        2 x 817,720,320 parameters x 77 tokens x 2 copies        = 2.5186e11
        operators      20 x 3,254 + 145 + 2 x 600                               = 66,425
        """
        work = picture_work(pipeline_of(catalogue, "sdxl-base-1.0"), MEGAPIXEL, 20)
        assert work is not None
        assert work.network == "unet"
        assert work.quantised_operations == pytest.approx(2.7045e14, rel=1e-4)
        assert work.other_operations == pytest.approx(2.0940e13 + 2.5186e11, rel=1e-4)
        assert work.kernels == 66_425

    def test_guidance_that_is_not_joined_starts_twice_the_operators(
        self, catalogue: Catalogue
    ) -> None:
        """Qwen-Image evaluates the prompt and its negation one after the other: 2 x 6,517."""
        pipeline = pipeline_of(catalogue, "qwen-image")
        step, alone = denoise_work(pipeline, MEGAPIXEL), evaluation_work(pipeline, MEGAPIXEL)
        assert (step.kernels, alone.kernels) == (13_034, 6_517)
        assert step.quantised_operations == 2 * alone.quantised_operations

    @pytest.mark.parametrize(
        ("model_id", "linear_operations"),
        [("flux.1-dev", 59.52304e12), ("sdxl-base-1.0", 5.9791e12)],
    )
    def test_an_evaluation_is_that_of_the_makers_count(
        self, catalogue: Catalogue, model_id: str, linear_operations: float
    ) -> None:
        """huggingface.co/datasets/diffusers/benchmarks counts one evaluation without attention."""
        pipeline = pipeline_of(catalogue, model_id)
        denoise = pipeline.passes[0]
        attention = denoise.attention_operations_per_square_pixel * MEGAPIXEL**2
        counted = evaluation_work(pipeline, MEGAPIXEL).quantised_operations
        assert counted > linear_operations
        assert counted - attention == pytest.approx(linear_operations, rel=0.06)

    def test_video_has_no_count(self, catalogue: Catalogue) -> None:
        assert picture_work(pipeline_of(catalogue, "wan2.1-t2v-1.3b"), MEGAPIXEL, 30) is None

    @given(
        model_id=st.sampled_from(PICTURES),
        pixels=st.integers(64**2, 4_096**2),
        steps=st.integers(1, 200),
    )
    def test_more_of_anything_is_more_work(self, model_id: str, pixels: int, steps: int) -> None:
        pipeline = pipeline_of(CATALOGUE, model_id)
        work = picture_work(pipeline, pixels, steps)
        assert work is not None
        larger = picture_work(pipeline, pixels + 64, steps)
        longer = picture_work(pipeline, pixels, steps + 1)
        for other in (larger, longer):
            assert other is not None
            assert operations(other) > operations(work)


class TestTexts:
    def test_bert_large_by_hand(self, catalogue: Catalogue) -> None:
        """24 layers of 12 x 1,024^2 and 13 x 1,024 parameters, all tokens over all 512.

        products   2 x 24 x (12 x 1,024^2 + 13 x 1,024) x 512, and the pooler's 1,024^2 + 1,024
        attention  24 x 4 x 1,024 x 512^2 = 25,769,803,776
        """
        model = catalogue.models["bert-large"]
        work = text_work(groups_of(catalogue, model), model.shape, 512)
        layers = 24 * (12 * 1_024**2 + 13 * 1_024)
        pooler = 1_024**2 + 1_024
        assert work.other_operations == 25_769_803_776
        assert work.quantised_operations == pytest.approx(2 * (layers + pooler) * 512, rel=1e-3)
        assert work.kernels == 24 * 20

    def test_a_causal_reader_attends_to_half_the_pairs(self, catalogue: Catalogue) -> None:
        """Qwen3 Embedding 0.6B: 28 layers, 16 heads of 128: 28 x 4 x 2,048 x 1,000^2 / 2."""
        model = catalogue.models["qwen3-embedding-0.6b"]
        work = text_work(groups_of(catalogue, model, "bf16"), model.shape, 1_000)
        assert work.other_operations == 28 * 4 * 2_048 * 1_000**2 / 2

    def test_a_token_passes_its_own_experts_only(self, catalogue: Catalogue) -> None:
        model = catalogue.models["nomic-embed-text-v2-moe"]
        moe = model.shape.moe
        assert moe is not None
        groups = groups_of(catalogue, model)
        experts = sum(one.parameters for one in groups if one.group.value == "experts")
        idle = experts * (1 - moe.experts_per_token / moe.experts)
        everything = sum(one.parameters for one in groups if one.group.value != "embedding")
        work = text_work(groups, model.shape, 1)
        assert work.quantised_operations == pytest.approx(2 * (everything - idle), rel=1e-6)


class TestSpeech:
    def test_whisper_large_by_hand(self, catalogue: Catalogue) -> None:
        """One window, 76 tokens, one beam.

        encoder  2 x 636,968,960 x 1,500 + 636,968,960 x 1,500^2 / (3 x 1,280)  = 2.28413e12
        decoder  2 x 906,521,600 x 76                                          = 1.37791e11
        cache    2 x 32 layers x 1,280 x 1,500 x 2 bytes x 76                  = 18,677,760,000
        weights  906,521,600 x 2 bytes x 76                                    = 137,791,283,200
        """
        model = catalogue.models["whisper-large-v3"]
        work = speech_work(groups_of(catalogue, model), model.shape)
        assert work.quantised_operations == pytest.approx(2.28413e12 + 1.37791e11, rel=1e-5)
        assert work.item_bytes == 18_677_760_000
        assert work.batch_bytes == 137_791_283_200

    def test_attention_of_the_encoder_is_near_that_of_its_layers(
        self, catalogue: Catalogue
    ) -> None:
        """32 layers x 4 x 1,280 x 1,500^2 = 3.6864e11; parameters stand for layers within 2 %."""
        model = catalogue.models["whisper-large-v3"]
        work = speech_work(groups_of(catalogue, model), model.shape, tokens=0)
        attention = work.quantised_operations - 2 * 636_968_960 * 1_500
        assert attention == pytest.approx(32 * 4 * 1_280 * 1_500**2, rel=0.02)

    def test_beams_share_the_cache_of_the_sound(self, catalogue: Catalogue) -> None:
        model = catalogue.models["whisper-large-v3"]
        groups = groups_of(catalogue, model)
        one = speech_work(groups, model.shape)
        five = speech_work(groups, model.shape, beams=5)
        assert five.item_bytes == one.item_bytes
        decoder = five.quantised_operations - one.quantised_operations
        assert decoder == pytest.approx(4 * 2 * 906_521_600 * 76)

    def test_only_a_decoder_with_an_encoder_hears(self, catalogue: Catalogue) -> None:
        model = catalogue.models["llama-3.1-8b"]
        with pytest.raises(ValueError, match="encoder"):
            speech_work((), model.shape)


def operations(work: ItemWork) -> float:
    return work.quantised_operations + work.other_operations
