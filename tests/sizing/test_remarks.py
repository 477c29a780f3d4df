"""Warnings and assumptions that depend on how the question was asked."""

from __future__ import annotations

import pytest

from sizing.answer import Note
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest
from sizing.subject import model_parameters


def _values(notes: tuple[Note, ...], code: str) -> list[dict[str, object]]:
    return [dict(note.values) for note in notes if note.code == code]


@pytest.mark.parametrize(("is_default", "told"), [(True, 1), (False, 0)])
def test_other_models_are_told_where_the_name_could_mean_them(
    catalogue: Catalogue, is_default: bool, told: int
) -> None:
    request = SizingRequest(model_id="llama-2-13b", model_is_default=is_default)
    found = _values(size(request, catalogue).assumptions, "model_default")
    expected = {"model": "Llama 2 13B", "alternatives": ("llama-1-13b",)}
    assert found == [expected] * told


def test_a_model_without_alternatives_is_told_of_none(catalogue: Catalogue) -> None:
    assert catalogue.models["llama-3.1-405b"].alternatives == ()
    request = SizingRequest(model_id="llama-3.1-405b", model_is_default=True)
    assert _values(size(request, catalogue).assumptions, "model_default") == []


@pytest.mark.parametrize(
    ("gpus", "names", "effective_gb"),
    [
        # 2 cards of 8 GB, the smaller of 24 and 8.
        (
            (GpuChoice(gpu="rtx-3090", count=1), GpuChoice(gpu="rtx-3070", count=1)),
            ("rtx-3090", "rtx-3070"),
            16,
        ),
        # 2 + 1 cards of 24 GB.
        (
            (GpuChoice(gpu="rtx-3090", count=2), GpuChoice(gpu="rtx-4090", count=1)),
            ("rtx-3090", "rtx-4090"),
            72,
        ),
        # 1 + 3 cards of 16 GB.
        (
            (GpuChoice(gpu="l40s", count=1), GpuChoice(memory_gb=16, count=3)),
            ("l40s", "any-16gb"),
            64,
        ),
    ],
)
def test_unequal_cards_offer_as_many_times_the_smallest(
    catalogue: Catalogue, gpus: tuple[GpuChoice, ...], names: tuple[str, ...], effective_gb: float
) -> None:
    request = SizingRequest(model_id="mistral-7b-v0.3", gpus=gpus, mixed_gpus=True)
    answer = size(request, catalogue)
    found = _values(answer.warnings, "mixed_gpus")
    assert found == [{"gpus": names, "effective_gb": effective_gb}]
    # Each is sized alone.
    assert {(option.gpu, option.gpus) for option in answer.options} >= {
        (name, choice.count) for name, choice in zip(names, gpus, strict=True)
    }


def test_cards_to_choose_from_are_no_set(catalogue: Catalogue) -> None:
    gpus = (GpuChoice(gpu="rtx-3090", count=1), GpuChoice(gpu="rtx-3070", count=1))
    request = SizingRequest(model_id="mistral-7b-v0.3", gpus=gpus)
    assert _values(size(request, catalogue).warnings, "mixed_gpus") == []


class TestCacheNotes:
    def test_both_bounds_of_windows(self, catalogue) -> None:
        """Gemma 3 27B, 8 requests of 32,768: 8 x (32,768 x 81,920 + 1,024 x 425,984) bytes,
        and 8 x 32,768 x 507,904 with everything kept."""
        request = SizingRequest(
            model_id="gemma-3-27b", context_tokens=32_768, concurrent_requests=8
        )
        found = size(request, catalogue)
        note = next(note for note in found.assumptions if note.code == "windows_honoured")
        assert note.values["window_bytes"] == 8 * (32_768 * 81_920 + 1_024 * 425_984)
        assert note.values["full_bytes"] == 8 * 32_768 * 507_904
        assert found.memory.kv_cache_bytes == note.values["window_bytes"]

    def test_an_engine_that_keeps_everything(self, catalogue) -> None:
        request = SizingRequest(model_id="gemma-3-27b", context_tokens=32_768, engine="sglang")
        found = size(request, catalogue)
        note = next(note for note in found.assumptions if note.code == "windows_reserved_in_full")
        assert found.memory.kv_cache_bytes == note.values["full_bytes"] == 32_768 * 507_904

    def test_short_requests_have_one_bound(self, catalogue) -> None:
        found = size(SizingRequest(model_id="gemma-3-27b", context_tokens=1_024), catalogue)
        assert not {note.code for note in found.assumptions} & {
            "windows_honoured",
            "windows_reserved_in_full",
        }

    def test_a_state_is_said(self, catalogue) -> None:
        found = size(SizingRequest(model_id="qwen3.5-27b"), catalogue)
        note = next(note for note in found.assumptions if note.code == "state_per_request")
        assert note.values["state_bytes"] == 48 * (48 * 128 * 128 * 4 + 3 * 10_240 * 2)

    def test_an_image_is_said(self, catalogue) -> None:
        found = size(SizingRequest(model_id="llama-3.2-11b-vision"), catalogue)
        note = next(note for note in found.assumptions if note.code == "image_cache")
        assert note.values["image_bytes"] == 8 * 2_048 * 6_404 * 2

    @pytest.mark.parametrize(("precision", "tower"), [("q4-k-m", True), ("bf16", False)])
    def test_a_gguf_file_holds_the_text_model(self, catalogue, precision: str, tower: bool) -> None:
        found = size(SizingRequest(model_id="gemma-3-27b", precision=precision), catalogue)
        text = 27_432_406_640 - 423_060_336
        assert found.understood.parameters == (text if tower else 27_432_406_640)
        assert any(note.code == "towers_separate" for note in found.assumptions) == tower


def test_sound_is_kept_for_each_request(catalogue: Catalogue) -> None:
    """Whisper large v3: 32 layers x 20 heads x 128 numbers x 1,500 positions x 2 bytes."""
    found = size(SizingRequest(model_id="whisper-large-v3"), catalogue)
    values = _values(found.assumptions, "source_cache")
    assert values == [{"source_bytes": 32 * 20 * 128 * 1_500 * 2}]


@pytest.mark.parametrize(
    ("gpu", "code"), [("tpu-v5e", "rented_only"), ("rtx-4090", "out_of_production")]
)
def test_what_is_only_rented_has_no_stock_to_look_for(
    catalogue: Catalogue, gpu: str, code: str
) -> None:
    request = SizingRequest(model_id="llama-3.2-1b", gpus=(GpuChoice(gpu=gpu, count=1),))
    codes = {reason.code for reason in size(request, catalogue).options[0].reasons}
    assert codes & {"rented_only", "out_of_production"} == {code}


@pytest.mark.parametrize(
    ("engine", "precision", "left_out"),
    [
        ("transformers", None, 0),
        ("vllm", None, 1_800_000_000),
        (None, "q8-0", 1_800_000_000 + 676_550_144 + 640_000_000),
    ],
)
def test_what_speaks_is_loaded_by_transformers_alone(
    catalogue: Catalogue, engine: str | None, precision: str | None, left_out: int
) -> None:
    """Qwen2.5-Omni 7B: talker and wave decoder 1.8 B; in GGUF no encoders either."""
    whole = model_parameters(catalogue.models["qwen2.5-omni-7b"])
    found = size(
        SizingRequest(model_id="qwen2.5-omni-7b", engine=engine, precision=precision), catalogue
    )
    loaded = sum(group.parameters for group in found.memory.groups)
    assert loaded == whole - left_out
    told = _values(found.assumptions, "speech_not_loaded")
    assert told == ([{"speech_bytes": 3_600_000_000}] if left_out else [])
