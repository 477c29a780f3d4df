"""Images and sound of a request: in its context, in its cache, and in words."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.inverse import what_fits
from sizing.media import media_of
from sizing.records import FixedRule, GivenModel
from sizing.request import GpuChoice, Mode, SizingRequest


def understood(catalogue: Catalogue, **asked: object):
    return size(SizingRequest(**asked), catalogue).understood


def codes(catalogue: Catalogue, **asked: object) -> set[str]:
    found = size(SizingRequest(**asked), catalogue)
    return {note.code for note in (*found.assumptions, *found.warnings)}


def values(catalogue: Catalogue, code: str, **asked: object) -> dict[str, object]:
    found = size(SizingRequest(**asked), catalogue)
    return next(one.values for one in (*found.assumptions, *found.warnings) if one.code == code)


class TestContext:
    """Two images of 1,024 x 1,024 are 2 x 37² = 2,738 tokens for Qwen2.5-VL."""

    QWEN = "qwen2.5-vl-7b"

    def test_a_usual_text_stands_beside_them(self, catalogue) -> None:
        found = understood(catalogue, model_id=self.QWEN, images=2)
        assert found.context_tokens == 4096 + 2738
        assert (found.images, found.image_tokens, found.media_tokens) == (2, 1369, 2738)
        assert (found.width_pixels, found.height_pixels) == (1024, 1024)

    def test_a_context_told_as_a_whole_holds_them(self, catalogue) -> None:
        found = understood(catalogue, model_id=self.QWEN, images=2, context_tokens=8192)
        assert found.context_tokens == 8192

    def test_they_come_on_top_of_a_prompt_told_by_itself(self, catalogue) -> None:
        asked = {"model_id": self.QWEN, "images": 2, "input_tokens": 1000}
        assert understood(catalogue, **asked).context_tokens == 1000 + 2738
        both = asked | {"output_tokens": 500, "context_tokens": 1500}
        assert understood(catalogue, **both).context_tokens == 1500 + 2738

    def test_a_context_they_overflow_grows_and_is_told(self, catalogue) -> None:
        asked = {"model_id": self.QWEN, "images": 2, "context_tokens": 2048}
        assert understood(catalogue, **asked).context_tokens == 2738
        found = values(catalogue, "media_beyond_context", **asked)
        assert found == {"media_tokens": 2738, "context_tokens": 2048}
        assert "media_beyond_context" not in codes(catalogue, **asked | {"context_tokens": 2738})

    def test_a_usual_text_gives_way_to_the_longest_context(self, catalogue) -> None:
        """LLaVA 1.5 takes 4,096 tokens: 576 of them for the image. Eight images take 4,608."""
        assert understood(catalogue, model_id="llava-1.5-7b", images=1).context_tokens == 4096
        assert understood(catalogue, model_id="llava-1.5-7b", images=8).context_tokens == 4608
        assert "context_beyond_model" in codes(catalogue, model_id="llava-1.5-7b", images=8)

    def test_a_size_alone_means_one_image(self, catalogue) -> None:
        found = understood(catalogue, model_id=self.QWEN, width_pixels=1280, height_pixels=720)
        assert (found.images, found.image_tokens) == (1, 46 * 26)

    def test_none_is_counted_unasked(self, catalogue) -> None:
        found = understood(catalogue, model_id=self.QWEN)
        assert (found.context_tokens, found.images, found.media_tokens) == (4096, 0, 0)
        assert found.image_tokens == 1369
        assert found.width_pixels is None

    def test_they_take_the_cache_of_as_many_tokens(self, catalogue) -> None:
        """6,834 tokens in blocks of 16: 6,848 x 28 layers x 4 heads x 2 x 128 numbers x 2 bytes."""
        memory = size(SizingRequest(model_id=self.QWEN, images=2), catalogue).memory
        assert memory.kv_cache_bytes == 6848 * 28 * 4 * 256 * 2

    def test_a_training_sequence_holds_them(self, catalogue) -> None:
        asked = {"model_id": self.QWEN, "mode": Mode.LORA}
        assert understood(catalogue, **asked, images=1).context_tokens == 2048 + 1369
        told = understood(catalogue, **asked, images=1, context_tokens=4096)
        assert told.context_tokens == 4096

    def test_a_text_to_rerank_brings_them(self, catalogue) -> None:
        found = understood(catalogue, model_id="jina-reranker-m0", images=1)
        assert found.context_tokens == 512 + 1369


class TestBesideTheText:
    """Llama 3.2 Vision attends to images in layers of its own: 8 x 2 x 8 x 128 numbers a token."""

    LLAMA = "llama-3.2-11b-vision"

    def test_the_context_holds_a_mark_only(self, catalogue) -> None:
        found = understood(catalogue, model_id=self.LLAMA, images=2)
        assert found.context_tokens == 4096 + 2
        assert found.source_tokens == 2 * 4 * 1601

    def test_the_cache_holds_every_tile(self, catalogue) -> None:
        """1,120 x 560 are two tiles; 4,097 tokens of text in blocks of 16 are 4,112."""
        asked = SizingRequest(model_id=self.LLAMA, images=1, width_pixels=1120, height_pixels=560)
        beside, text = 8 * 2048 * 3202 * 2, 32 * 2048 * 4112 * 2
        assert size(asked, catalogue).memory.kv_cache_bytes == beside + text

    def test_without_images_nothing_is_kept_beside(self, catalogue) -> None:
        memory = size(SizingRequest(model_id=self.LLAMA), catalogue).memory
        assert memory.kv_cache_bytes == 32 * 2048 * 4096 * 2
        found = values(catalogue, "image_cache", model_id=self.LLAMA)
        assert found["image_bytes"] == 8 * 2048 * 6404 * 2

    def test_it_is_said_in_bytes(self, catalogue) -> None:
        found = values(catalogue, "images_beside_text", model_id=self.LLAMA, images=3)
        assert found["image_bytes"] == 3 * 8 * 2048 * 6404 * 2


class TestSound:
    def test_it_takes_context(self, catalogue) -> None:
        """125 tokens for ten seconds beside 4,096 of text."""
        found = understood(catalogue, model_id="phi-4-multimodal", seconds=10)
        assert found.context_tokens == 4096 + 125
        assert (found.seconds, found.media_tokens) == (10, 125)

    def test_what_is_cut_off_is_told(self, catalogue) -> None:
        found = values(catalogue, "sound_cut", model_id="gemma-4-e4b", seconds=45)
        assert found == {"longest_seconds": 30, "seconds": 45}
        assert "sound_cut" not in codes(catalogue, model_id="gemma-4-e4b", seconds=30)

    def test_a_model_without_ears_says_so(self, catalogue) -> None:
        assert "reads_no_sound" in codes(catalogue, model_id="llama-3.1-8b", seconds=10)


class TestWords:
    def test_a_text_model_reads_no_images(self, catalogue) -> None:
        found = codes(catalogue, model_id="llama-3.1-8b", images=2)
        assert "reads_no_images" in found
        assert "images_counted" not in found

    def test_of_a_bare_size_nothing_is_known(self, catalogue) -> None:
        assert "images_not_known" in codes(catalogue, parameters=7 * 10**9, images=2)

    def test_a_default_size_is_told(self, catalogue) -> None:
        asked = {"model_id": "qwen3-vl-8b", "images": 2}
        assert "default_picture" in codes(catalogue, **asked)
        told = asked | {"width_pixels": 640, "height_pixels": 480}
        assert "default_picture" not in codes(catalogue, **told)

    def test_the_formula_is_told(self, catalogue) -> None:
        found = values(catalogue, "image_cells", model_id="qwen2.5-vl-7b", images=1)
        assert found == {"cell_pixels": 28, "area_pixels": 784, "most_tokens": 16_384}

    def test_a_budget_is_told(self, catalogue) -> None:
        found = values(catalogue, "image_budget", model_id="gemma-4-31b")
        assert found == {"budget_tokens": 280}

    def test_frames_are_not_covered(self, catalogue) -> None:
        found = values(catalogue, "option_not_covered", model_id="qwen3-vl-8b", frames=64)
        assert found == {"option": "frames"}

    def test_a_rule_not_published_is_told(self, catalogue) -> None:
        model = catalogue.models["qwen3-vl-8b"]
        silent = model.model_copy(update={"processor": None, "processor_is_published": False})
        other = Catalogue(
            models={**catalogue.models, model.id: silent},
            gpus=catalogue.gpus,
            precisions=catalogue.precisions,
            kv_precisions=catalogue.kv_precisions,
            engines=catalogue.engines,
            processors=catalogue.processors,
            efficiency=catalogue.efficiency,
            throughput=catalogue.throughput,
            frameworks=catalogue.frameworks,
            training_overheads=catalogue.training_overheads,
            stamp=catalogue.stamp,
        )
        assert "images_not_known" in codes(other, model_id=model.id, images=1)


class TestFitting:
    @pytest.fixture
    def asked(self) -> SizingRequest:
        return SizingRequest(gpus=(GpuChoice(gpu="l40s", count=1),))

    def test_only_what_sees_is_looked_at(self, catalogue, asked) -> None:
        found = what_fits(asked.model_copy(update={"images": 4}), catalogue)
        assert found.models
        assert all(
            media_of(SizingRequest(model_id=one.model_id), catalogue).image_rule
            for one in found.models
        )
        assert found.understood.images == 4

    def test_images_leave_room_for_fewer_requests(self, catalogue, asked) -> None:
        def most(request: SizingRequest) -> int:
            rows = {one.model_id: one.best for one in what_fits(request, catalogue).models}
            return rows["qwen3-vl-8b"].max_concurrent_requests

        assert most(asked.model_copy(update={"images": 4})) < most(asked)


def test_a_model_from_a_file_brings_its_rule(catalogue) -> None:
    shape = catalogue.models["qwen3-vl-8b"].shape
    given = GivenModel(
        name="Other",
        kind="vlm",
        source="config.json",
        model_type="other_vl",
        digest="0",
        architecture=shape,
        native_precision="bf16",
        image=FixedRule(kind="fixed", image_tokens=100),
    )
    found = understood(catalogue, given=given, images=3)
    assert found.media_tokens == 300
    unknown = given.model_copy(update={"image": None})
    assert "images_not_known" in codes(catalogue, given=unknown, images=3)
