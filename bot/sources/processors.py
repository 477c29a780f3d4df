"""How a model from outside the catalogue turns images and sound into tokens, by its files."""

from __future__ import annotations

from functools import cache
from typing import Final

from bot.sources.keys import Keys
from sizing.catalogue import load_processors
from sizing.records import (
    Choice,
    FixedRule,
    ImageRule,
    PatchRule,
    ProcessorRecord,
    SoundRule,
    TileRule,
)

TOKENS: Final = ("mm_tokens_per_image", "image_seq_length", "num_image_tokens")
"""Keys that say the tokens of an image where every image has as many."""

ENCODER: Final = (
    "vision_config", "thinker_config", "img_processor", "embd_layer", "mm_vision_tower",
)  # fmt: skip
"""Keys of files whose model sees; some model types serve text alone as well (`chatglm`)."""

MARKS: Final = 3
"""Tokens beside the square of an overview (Idefics 3: two before it and one behind)."""


@cache
def _by_type() -> dict[str, ProcessorRecord]:
    records = load_processors()
    return {name: record for record in records for name in record.model_types}


def rules_for(whole: Keys) -> tuple[ImageRule | None, SoundRule | None]:
    """Return the rules of a model type that is known, with the sizes that its file states.

    None where the type, or a size it states, is not one whose rule is known.
    """
    processor = _by_type().get(_type_of(whole))
    if processor is None:
        return None, None
    if processor.image is None or not whole.has(*ENCODER):
        return None, processor.sound
    return _image_rule(processor.image, whole), processor.sound


def _type_of(whole: Keys) -> str:
    """Return the type by which the processor is known: Pixtral in LLaVA's layout is Pixtral."""
    named, vision = whole.text("model_type"), whole.part("vision_config")
    inner = vision.text("model_type") if vision else ""
    return inner if (named, inner) == ("llava", "pixtral") else named


def _image_rule(rule: ImageRule, whole: Keys) -> ImageRule | None:
    vision = whole.part("vision_config") or Keys({})
    match rule:
        case FixedRule():
            return _fixed(rule, whole, vision)
        case PatchRule():
            return _patches(rule, whole, vision)
        case TileRule():
            return _tiles(rule, whole, vision)


def _fixed(rule: FixedRule, whole: Keys, vision: Keys) -> FixedRule:
    told = whole.count_or(0, *TOKENS) or vision.count_or(0, *TOKENS)
    return rule.model_copy(update={"image_tokens": told}) if told > 1 else rule


def _patches(rule: PatchRule, whole: Keys, vision: Keys) -> PatchRule:
    """Return the rule with the file's patches; merged as the rule's are where it is silent."""
    patch = vision.count_or(0, "patch_size", "spatial_patch_size")
    merge = vision.count_or(0, "spatial_merge_size") or whole.count_or(0, "spatial_merge_size")
    changed: dict[str, int] = {}
    if patch and merge:
        changed["cell_pixels"] = patch * merge
    return rule.model_copy(update=changed)


def _tiles(rule: TileRule, whole: Keys, vision: Keys) -> TileRule | None:
    """Return the rule with the file's tiles and grids; None for tiles of an unknown make."""
    side = whole.count_or(0, "force_image_size") or vision.count_or(0, "image_size")
    scale, patch = whole.count_or(0, "scale_factor"), vision.count_or(14, "patch_size")
    if whole.count_or(rule.side_tokens**2, "query_num") != rule.side_tokens**2:
        return None
    changed: dict[str, object] = {}
    if most := whole.count_or(0, "max_dynamic_patch"):
        changed["most_tiles"] = most
    if side not in {0, rule.tile_pixels}:
        if rule.choice is not Choice.CUT or not scale:
            return None
        across = side // patch // scale
        tiles_across = (rule.longest_pixels or side) // rule.tile_pixels
        changed |= {
            "tile_pixels": side, "side_tokens": across, "longest_pixels": tiles_across * side,
            "overview_tokens": across**2 + MARKS,
        }  # fmt: skip
    if rule.choice is Choice.PINPOINTS and (grids := _grids(whole, rule.tile_pixels)):
        changed["grids"] = grids
    return rule.model_copy(update=changed)


def _grids(whole: Keys, tile_pixels: int) -> tuple[tuple[int, int], ...]:
    """Return columns and rows of the sizes that a file lists as height and width."""
    sizes = whole.entries("image_grid_pinpoints")
    pairs = [size for size in sizes if isinstance(size, list | tuple) and len(size) == 2]
    grids = [
        (int(width) // tile_pixels, int(height) // tile_pixels)
        for height, width in pairs
        if isinstance(height, int) and isinstance(width, int)
    ]
    return tuple(grid for grid in grids if min(grid) > 0)
