"""The rule for images and sound of a model that a `config.json` describes."""

from __future__ import annotations

import pytest

from bot.sources.keys import Keys
from bot.sources.processors import rules_for
from sizing.images import Picture, image_tokens

FILES = [
    # Of each file: its content, width and height of an image, and the tokens it takes.
    ({"model_type": "qwen2_5_vl", "vision_config": {"patch_size": 14, "spatial_merge_size": 2}},
     1024, 1024, 37 * 37),
    # Patches of 16 in a file of the same type: 32 pixels a token.
    ({"model_type": "qwen2_5_vl", "vision_config": {"patch_size": 16, "spatial_merge_size": 2}},
     1024, 1024, 32 * 32),
    ({"model_type": "gemma3", "mm_tokens_per_image": 64, "vision_config": {}}, 896, 896, 64),
    ({"model_type": "paligemma", "vision_config": {"num_image_tokens": 1024}}, 448, 448, 1024),
    ({"model_type": "llava", "image_seq_length": 576, "vision_config": {}}, 336, 336, 576),
    # Pixtral in LLaVA's layout names one token a picture, and is read as Pixtral.
    ({"model_type": "llava", "image_seq_length": 1,
      "vision_config": {"model_type": "pixtral", "patch_size": 16}}, 1024, 1024, 64 * 65),
    ({"model_type": "internvl_chat", "max_dynamic_patch": 6, "force_image_size": 448,
      "vision_config": {}},
     4000, 2700, 7 * 256),
    # Grids of its own: 336 x 672 only, 24 rows of 48 for a picture twice as wide.
    ({"model_type": "llava_next", "image_grid_pinpoints": [[336, 672]], "vision_config": {}},
     1344, 672, 24 * 49 + 576),
    # Tiles of 512 pixels, patches of 16, four to a side: 8 x 8 tokens a tile, 67 for the whole.
    ({"model_type": "smolvlm", "scale_factor": 4,
      "vision_config": {"image_size": 512, "patch_size": 16}}, 800, 800, 16 * 66 + 3 + 67),
]  # fmt: skip


@pytest.mark.parametrize(("config", "width", "height", "tokens"), FILES)
def test_a_file_sets_what_its_line_leaves_open(config, width, height, tokens) -> None:
    image, _ = rules_for(Keys(config))
    assert image_tokens(image, Picture(width, height)) == tokens


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"model_type": "never_seen"},
        {"model_type": "llama"},
        {"model_type": "chatglm"},
        {"model_type": "llama4", "vision_config": {"image_size": 448}},
        {"model_type": "minicpmv", "query_num": 96, "vision_config": {}},
    ],
)
def test_what_is_not_known_has_no_rule(config) -> None:
    """A tile of another size may be cut into another number of tokens: nobody guesses."""
    assert rules_for(Keys(config))[0] is None


@pytest.mark.parametrize("grids", [[["a", "b"]], [[336]], [[0, 336]], "336x672", [[1, 1]], 7])
def test_grids_that_make_no_sense_leave_those_of_the_line(grids) -> None:
    config = {"model_type": "llava_next", "image_grid_pinpoints": grids, "vision_config": {}}
    image, _ = rules_for(Keys(config))
    assert image_tokens(image, Picture(672, 672)) == 48 * 49 + 576


def test_an_encoder_that_no_key_describes_has_the_rule_of_its_line() -> None:
    """Phi-3.5 Vision names its encoder, not its shape."""
    image, _ = rules_for(Keys({"model_type": "phi3_v", "img_processor": {"name": "clip"}}))
    assert image_tokens(image, Picture(500, 500)) == 5 * 144 + 1 + 3 * 12


def test_sound_has_its_rule_too() -> None:
    image, sound = rules_for(Keys({"model_type": "qwen2_audio"}))
    assert image is None
    assert (sound.piece_tokens, sound.piece_seconds) == (25, 1)
