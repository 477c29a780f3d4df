"""Every model that reads images or sound has a rule; the page about them is that of the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from sizing.catalogue import Catalogue
from sizing.images import Picture, image_tokens, sound_tokens
from sizing.records import ModelKind, ProcessorRecord, TensorGroup, TileRule

PAGE = Path(__file__).parents[2] / "docs" / "images.md"
SIZES = ((512, 512), (1024, 1024), (1920, 1080), (4096, 4096))
SOUND_SECONDS = 30


def test_every_model_that_sees_has_a_rule(catalogue: Catalogue) -> None:
    """Or says that none is published, which the answer repeats."""
    seeing = [
        model
        for model in catalogue.models.values()
        if model.architecture
        and (
            model.kind is ModelKind.VLM or TensorGroup.VISION in model.architecture.given_parameters
        )
    ]
    assert len(seeing) >= 50
    for model in seeing:
        processor = catalogue.processors.get(model.processor or "")
        has_rule = processor is not None and processor.image is not None
        assert has_rule != (not model.processor_is_published), model.id


def test_every_model_that_hears_has_a_rule(catalogue: Catalogue) -> None:
    """Whisper's line attends to the sound itself, and keeps 1,500 entries of it."""
    hearing = [
        model
        for model in catalogue.models.values()
        if model.architecture and TensorGroup.AUDIO in model.architecture.given_parameters
    ]
    assert len(hearing) >= 15
    for model in hearing:
        processor = catalogue.processors.get(model.processor or "")
        has_rule = processor is not None and processor.sound is not None
        assert has_rule != (model.shape.cross_attention is not None), model.id


def test_beside_the_text_are_only_models_with_layers_for_it(catalogue: Catalogue) -> None:
    for model in catalogue.models.values():
        processor = catalogue.processors.get(model.processor or "")
        if processor is None or not isinstance(processor.image, TileRule):
            continue
        cross = model.shape.cross_attention
        assert processor.image.cross_attention == (cross is not None), model.id
        if cross is not None:
            largest = image_tokens(processor.image, Picture(4096, 4096))
            assert cross.source_tokens == largest, model.id


def test_every_processor_reads_something(catalogue: Catalogue) -> None:
    for processor in catalogue.processors.values():
        assert processor.image or processor.sound, processor.id


def test_no_model_type_has_two_processors(catalogue: Catalogue) -> None:
    types = [name for one in catalogue.processors.values() for name in one.model_types]
    assert len(types) == len(set(types))


def _row(processor: ProcessorRecord) -> str:
    image, sound = processor.image, processor.sound
    cells = [f"{image_tokens(image, Picture(*size)):,}" if image else "—" for size in SIZES]
    cells.append(f"{sound_tokens(sound, SOUND_SECONDS):,}" if sound else "—")
    return f"| {processor.name} | {' | '.join(cells)} |"


def test_the_page_shows_every_processor(catalogue: Catalogue) -> None:
    rows = [_row(one) for one in catalogue.processors.values()]
    shown = PAGE.read_text(encoding="utf-8").splitlines()
    missing = [row for row in rows if row not in shown]
    assert not missing


@pytest.mark.parametrize(
    ("model_id", "width", "height", "tokens"),
    [
        ("gemma-3-27b", 1024, 1024, 256),
        ("qwen2.5-vl-72b", 1024, 1024, 1369),
        ("qwen3.5-27b", 1024, 1024, 1024),
        ("pixtral-large", 1024, 1024, 4160),
        ("mistral-large-3-675b", 1540, 1540, 3080),
        ("internvl3-8b", 1344, 896, 7 * 256),
        ("llama-4-maverick", 672, 672, 4 * 145 + 144),
        ("kimi-k2.6", 1008, 1008, 1296),
    ],
)
def test_tokens_of_models(
    catalogue: Catalogue, model_id: str, width: int, height: int, tokens: int
) -> None:
    processor = catalogue.processors[catalogue.models[model_id].processor or ""]
    assert processor.image is not None
    assert image_tokens(processor.image, Picture(width, height)) == tokens
