"""Speed of pictures, texts and speech in answers: measured figures, batches, refusals."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.performance import Confidence, Estimate, Performance
from sizing.records import ModelKind
from sizing.request import GpuChoice, SizingRequest, Targets

CATALOGUE = load_catalogue()
OF_OTHER_KINDS = sorted(
    model.id
    for model in CATALOGUE.models.values()
    if model.kind in {ModelKind.IMAGE, ModelKind.EMBEDDING, ModelKind.RERANKER, ModelKind.ASR}
)


def sized(catalogue: Catalogue, model_id: str, gpus: str, **asked: object) -> SizingAnswer:
    count, _, gpu = gpus.partition(" ")
    choice = GpuChoice(gpu=gpu, count=int(count))
    return size(SizingRequest(model_id=model_id, gpus=(choice,), **asked), catalogue)


def first(catalogue: Catalogue, model_id: str, gpus: str, **asked: object) -> Option:
    return sized(catalogue, model_id, gpus, **asked).options[0]


def speed(catalogue: Catalogue, model_id: str, gpus: str, **asked: object) -> Performance:
    found = first(catalogue, model_id, gpus, **asked).performance
    assert found is not None
    return found


def holds(estimate: Estimate | None, value: float) -> bool:
    return estimate is not None and estimate.low <= value <= estimate.high


def codes(answer: SizingAnswer) -> set[str]:
    notes = [*answer.warnings, *answer.assumptions]
    return {note.code for note in (*notes, *answer.options[0].reasons)}


class TestPictures:
    @pytest.mark.parametrize(
        ("model_id", "gpu", "steps", "measured_s"),
        [
            ("flux.1-dev", "h100-sxm", 28, 6.573),  # diffusers-torchao, table of an H100
            ("flux.1-dev", "l20", 28, 26.36),  # diffusers, ParaAttention page, baseline
            ("sdxl-base-1.0", "a100-sxm-80", 30, 3.31),  # diffusers, fast diffusion, SDPA
        ],
    )
    def test_published_times_lie_in_the_range(
        self, catalogue: Catalogue, model_id: str, gpu: str, steps: int, measured_s: float
    ) -> None:
        found = speed(catalogue, model_id, f"1 {gpu}", steps=steps, precision="bf16")
        assert holds(found.seconds_per_image, measured_s)
        assert holds(found.latency_ms, measured_s * 1e3)
        assert holds(found.images_per_s, 1 / measured_s)
        assert found.requests_per_s == found.images_per_s

    def test_mlperf_lies_in_the_range_of_nim(self, catalogue: Catalogue) -> None:
        """MLPerf Inference v4.1, SDXL at 20 steps: 16.49 pictures a second on 8 x H100 SXM."""
        fields = {"steps": 20, "engine": "nim", "precision": "fp8", "concurrent_requests": 64}
        found = speed(catalogue, "sdxl-base-1.0", "8 h100-sxm", **fields)
        assert holds(found.images_per_s, 16.49)

    def test_steps_that_were_not_named_are_said(self, catalogue: Catalogue) -> None:
        answer = sized(catalogue, "flux.1-dev", "1 h100-sxm")
        assert answer.understood.steps == 28
        assert "default_steps" in codes(answer)
        asked = sized(catalogue, "flux.1-dev", "1 h100-sxm", steps=50)
        assert asked.understood.steps == 50
        assert "default_steps" not in codes(asked)

    def test_copies_share_the_pictures(self, catalogue: Catalogue) -> None:
        """Four pictures on four cards: each makes one, four times as many a second."""
        one = speed(catalogue, "flux.1-dev", "1 h100-sxm")
        four = speed(catalogue, "flux.1-dev", "4 h100-sxm", concurrent_requests=4)
        assert one.images_per_s is not None
        assert four.images_per_s is not None
        assert four.images_per_s.typical == pytest.approx(4 * one.images_per_s.typical)
        assert four.latency_ms == one.latency_ms

    def test_a_copy_without_a_picture_makes_none(self, catalogue: Catalogue) -> None:
        one = speed(catalogue, "flux.1-dev", "1 h100-sxm")
        idle = speed(catalogue, "flux.1-dev", "4 h100-sxm", concurrent_requests=1)
        assert idle.images_per_s == one.images_per_s

    def test_a_set_that_does_not_hold_it_has_no_speed(self, catalogue: Catalogue) -> None:
        option = first(catalogue, "flux.1-dev", "1 l4")
        assert option.verdict is Verdict.DOES_NOT_FIT
        assert option.performance is None

    def test_many_rows_make_it_sure(self, catalogue: Catalogue) -> None:
        near = speed(catalogue, "flux.1-dev", "1 h100-sxm")
        far = speed(catalogue, "flux.1-dev", "1 mi300x")
        assert (near.confidence, far.confidence) == (Confidence.HIGH, Confidence.LOW)
        assert far.images_per_s is not None
        assert far.images_per_s.high >= 2 * far.images_per_s.typical


class TestTexts:
    def test_infinitys_benchmark_lies_in_the_range(self, catalogue: Catalogue) -> None:
        """sentence-transformers on an L4, BGE large in FP16: 1,150,000 tokens in 59.1 s."""
        found = speed(catalogue, "bge-large-en-v1.5", "1 l4", precision="fp16", context_tokens=449)
        assert holds(found.prefill_tokens_per_s, 1_150_000 / 59.107)
        assert found.texts_per_s is not None
        assert found.prefill_tokens_per_s is not None
        ratio = found.prefill_tokens_per_s.typical / found.texts_per_s.typical
        assert ratio == pytest.approx(449)
        assert found.confidence is Confidence.LOW

    def test_rerankers_read_as_embedders_do(self, catalogue: Catalogue) -> None:
        found = speed(catalogue, "bge-reranker-v2-m3", "1 l4", precision="fp16")
        assert found.texts_per_s is not None

    def test_an_engine_without_a_measurement_has_no_speed(self, catalogue: Catalogue) -> None:
        answer = sized(catalogue, "qwen3-embedding-8b", "1 h100-sxm", engine="vllm")
        assert answer.options[0].performance is None
        assert "speed_engine_unmeasured" in codes(answer)


class TestSpeech:
    def test_mlperf_lies_in_the_range_of_trtllm(self, catalogue: Catalogue) -> None:
        """MLPerf Inference v5.1, Whisper large v3: 22.0 windows a second on 4 x L4."""
        found = speed(catalogue, "whisper-large-v3", "1 l4", engine="trtllm")
        assert holds(found.windows_per_s, 22.0151 / 4)
        assert holds(found.audio_seconds_per_s, 30 * 22.0151 / 4)

    def test_nothing_asked_is_a_full_card(self, catalogue: Catalogue) -> None:
        full = speed(catalogue, "whisper-large-v3", "1 l4")
        alone = speed(catalogue, "whisper-large-v3", "1 l4", concurrent_requests=1)
        assert (full.at_saturation, alone.at_saturation) == (True, False)
        assert full.windows_per_s is not None
        assert alone.windows_per_s is not None
        assert alone.concurrent_requests == 1
        assert full.windows_per_s.typical > 2 * alone.windows_per_s.typical

    def test_a_small_model_is_faster(self, catalogue: Catalogue) -> None:
        large, turbo = (
            speed(catalogue, model_id, "1 h100-sxm").windows_per_s
            for model_id in ("whisper-large-v3", "whisper-large-v3-turbo")
        )
        assert large is not None
        assert turbo is not None
        assert turbo.typical > 2 * large.typical


@pytest.mark.parametrize(
    ("model_id", "gpus", "asked", "code"),
    [
        ("wan2.1-t2v-1.3b", "1 h100-sxm", {}, "speed_kind_unmeasured"),
        ("yolov8x", "1 l4", {}, "speed_kind_unmeasured"),
        ("kokoro-82m", "1 l4", {}, "speed_kind_unmeasured"),
        ("parakeet-ctc-0.6b", "1 l4", {}, "speed_model_unmeasured"),
        ("qwen3-asr-1.7b", "1 l4", {}, "speed_model_unmeasured"),
        ("flux.1-dev", "1 h100-sxm", {"engine": "sdcpp"}, "speed_engine_unmeasured"),
        ("whisper-large-v3", "2 l4", {"tensor_parallel": 2}, "speed_split_unmeasured"),
    ],
)
def test_no_number_where_nothing_like_it_was_measured(
    catalogue: Catalogue, model_id: str, gpus: str, asked: dict[str, object], code: str
) -> None:
    answer = sized(catalogue, model_id, gpus, **asked)
    assert answer.options[0].performance is None
    assert code in codes(answer)


def test_slices_of_a_card_were_not_measured(catalogue: Catalogue) -> None:
    choice = GpuChoice(gpu="h100-sxm", count=1, mig_profile="3g.40gb")
    for model_id in ("sdxl-base-1.0", "whisper-large-v3"):
        answer = size(SizingRequest(model_id=model_id, gpus=(choice,)), catalogue)
        assert answer.options[0].performance is None
        assert "speed_cards_unmeasured" in codes(answer)


@settings(max_examples=80, deadline=None)
@given(
    model_id=st.sampled_from(OF_OTHER_KINDS),
    gpu=st.sampled_from(["h100-sxm", "b200-sxm", "l40s", "rtx-4090", "mi300x", "a100-sxm-80"]),
    items=st.integers(1, 64),
)
def test_every_figure_is_a_range_and_a_larger_batch_never_makes_less(
    model_id: str, gpu: str, items: int
) -> None:
    few, more = (
        first(CATALOGUE, model_id, f"1 {gpu}", concurrent_requests=each).performance
        for each in (items, items + 1)
    )
    if few is None or more is None:
        return
    for name in Performance.model_fields:
        estimate = getattr(few, name)
        if isinstance(estimate, Estimate):
            assert 0 < estimate.low <= estimate.typical <= estimate.high
    assert few.requests_per_s is not None
    assert more.requests_per_s is not None
    assert more.requests_per_s.typical >= few.requests_per_s.typical * 0.999999


class TestRates:
    def test_pictures_that_arrive_take_copies(self, catalogue: Catalogue) -> None:
        """One picture a second: copies for 1 / 0.8 of it, each at work on one."""
        asked = SizingRequest(
            model_id="flux.1-dev", gpus=(GpuChoice(gpu="h100-sxm"),), requests_per_s=1.0
        )
        alone = speed(catalogue, "flux.1-dev", "1 h100-sxm").images_per_s
        option = size(asked, catalogue).options[0]
        assert alone is not None
        assert option.replicas == ceil(1 / 0.8 / alone.typical)
        assert option.performance is not None
        assert option.performance.requests_per_s is not None
        assert option.performance.requests_per_s.typical >= 1 / 0.8

    def test_sets_of_unknown_speed_are_not_proposed_for_a_rate(self, catalogue: Catalogue) -> None:
        asked = SizingRequest(model_id="flux.1-dev", requests_per_s=1.0)
        assert all(option.performance for option in size(asked, catalogue).options)

    def test_an_asked_set_that_is_too_slow_is_told(self, catalogue: Catalogue) -> None:
        answer = sized(catalogue, "flux.1-dev", "1 h100-sxm", requests_per_s=1.0)
        assert "rate_beyond" in codes(answer)
        assert "rate_beyond" not in codes(
            sized(catalogue, "flux.1-dev", "1 h100-sxm", requests_per_s=0.01)
        )

    def test_a_rate_of_what_was_not_measured_is_not_covered(self, catalogue: Catalogue) -> None:
        assert "option_not_covered" in codes(
            sized(catalogue, "yolov8x", "1 l4", requests_per_s=10.0)
        )

    def test_windows_that_arrive_take_copies_of_one_card(self, catalogue: Catalogue) -> None:
        asked = SizingRequest(
            model_id="whisper-large-v3", gpus=(GpuChoice(gpu="l4"),), requests_per_s=20.0
        )
        option = size(asked, catalogue).options[0]
        assert (option.tensor_parallel, option.gpu) == (1, "l4")
        assert option.performance is not None
        assert option.performance.requests_per_s is not None
        assert option.performance.requests_per_s.typical >= 20 / 0.8


def test_a_generation_without_a_measurement_has_no_speed(catalogue: Catalogue) -> None:
    for model_id in ("flux.1-dev", "whisper-large-v3"):
        answer = sized(catalogue, model_id, "1 gaudi3-pcie", engine=None)
        assert answer.options[0].performance is None
        assert "speed_gpu_unmeasured" in codes(answer)


@pytest.mark.parametrize("gpus", ["1 h100-sxm", "1 m3-ultra"])
def test_each_model_that_fits_has_a_speed_or_one_reason_why_not(
    catalogue: Catalogue, gpus: str
) -> None:
    for model in catalogue.models.values():
        if not model.works_in_passes:
            continue
        answer = sized(catalogue, model.id, gpus)
        option = answer.options[0]
        said = [code for code in codes(answer) if code.startswith("speed")]
        if option.performance is not None:
            assert not said, model.id
        elif option.verdict is Verdict.FITS:
            assert len(said) == 1, model.id


def test_what_writes_no_answer_to_a_prompt_has_no_cost_of_tokens(catalogue: Catalogue) -> None:
    """The tokens of a transcript are no product of their own, and there is no prompt to blend."""
    for model_id in ("whisper-large-v3", "flux.1-dev", "bge-m3"):
        answer = sized(catalogue, model_id, "1 h100-sxm")
        assert answer.options[0].performance is not None
        assert answer.options[0].price is not None
        assert answer.cost is None


def test_a_model_that_was_not_measured_has_a_wider_range(catalogue: Catalogue) -> None:
    """Stable Diffusion 3 medium is not among the rows, SDXL is."""
    wide, near = (
        speed(catalogue, model_id, "1 a100-sxm-80").images_per_s
        for model_id in ("sd3-medium", "sdxl-base-1.0")
    )
    assert wide is not None
    assert near is not None
    assert wide.high / wide.low > near.high / near.low
    assert speed(catalogue, "sd3-medium", "1 a100-sxm-80").confidence is Confidence.MEDIUM


@pytest.mark.parametrize("model_id", ["flux.1-dev", "bge-m3", "whisper-large-v3"])
def test_wishes_about_tokens_mean_nothing(catalogue: Catalogue, model_id: str) -> None:
    wishes = Targets(ttft_ms=1.0, itl_ms=1.0, tokens_per_s=1.0)
    answer = sized(catalogue, model_id, "1 h100-sxm", targets=wishes)
    told = [
        note.values["option"] for note in answer.warnings if note.code == "option_without_effect"
    ]
    assert told == ["ttft", "itl", "tps"]
    assert answer.options[0].performance is not None


def test_steps_mean_nothing_to_what_takes_none(catalogue: Catalogue) -> None:
    for model_id in ("bge-m3", "whisper-large-v3", "llama-3.1-8b"):
        answer = sized(catalogue, model_id, "1 h100-sxm", steps=20)
        assert "option_without_effect" in codes(answer)
        assert answer.understood.steps is None
