"""Tokens of an image and of sound, by the rule of each processor."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sizing.catalogue import load_catalogue
from sizing.images import Picture, image_tokens, most_tokens, sound_tokens
from sizing.records import Choice, Fit, FixedRule, PatchRule, TileRule

PROCESSORS = load_catalogue().processors
IMAGES = {name: one.image for name, one in PROCESSORS.items() if one.image is not None}
SOUNDS = {name: one.sound for name, one in PROCESSORS.items() if one.sound is not None}

BY_HAND = [
    # Fixed: one size for every image.
    ("gemma-3", 896, 896, 256),
    ("gemma-3", 4000, 500, 256),
    ("gemma-3n", 1024, 768, 256),
    ("llava-1.5", 1280, 720, 576),  # (336 / 14)²
    # Qwen2-VL: 28 pixels a side, rounded. 1024 / 28 = 36.57 -> 37; 768 / 28 = 27.4 -> 27.
    ("qwen2-vl", 1024, 1024, 37 * 37),
    ("qwen2-vl", 1024, 768, 37 * 27),
    ("qwen2-vl", 1280, 720, 46 * 26),  # 45.7 and 25.7
    ("qwen2-vl", 224, 224, 64),
    ("qwen2-vl", 28, 28, 4),  # enlarged to 3,136 pixels, 2 x 2 cells
    # 8,000 x 8,000 is 5,102 times 12,845,056 / 10^4: sides x 0.448 = 3,584 = 128 cells.
    ("qwen2-vl", 8000, 8000, 128 * 128),
    # Qwen3-VL: 32 pixels a side.
    ("qwen3-vl", 1024, 1024, 32 * 32),
    ("qwen3-vl", 1920, 1080, 60 * 34),  # 33.75 -> 34
    ("qwen3-vl", 100, 100, 8 * 8),  # enlarged to 65,536 pixels
    # MiniMax M3: 451,584 pixels are 24 x 24 cells of 28.
    ("minimax-m3", 1024, 1024, 24 * 24),
    ("minimax-m3", 448, 448, 16 * 16),
    # GLM: an image counts as two frames, so half of 9,633,792 pixels: 6,144 cells.
    # sqrt(4,816,896) = 2,194.7, / 28 = 78.4 -> 78.
    ("glm-4.1v", 4000, 4000, 78 * 78),
    ("glm-4.1v", 1024, 1024, 37 * 37),
    # Pixtral: 16 pixels, the longer side 1,024 at most, one token at the end of each row.
    ("pixtral", 1024, 1024, 64 * (64 + 1)),
    ("pixtral", 256, 256, 16 * (16 + 1)),
    ("pixtral", 2048, 1024, 32 * (64 + 1)),
    ("pixtral", 16, 1024, 64 * (1 + 1)),
    # Mistral Small 3.1: 28 pixels, the longer side 1,540 at most: 55 cells.
    ("mistral-vision", 1540, 1540, 55 * (55 + 1)),
    ("mistral-vision", 3080, 1540, 28 * (55 + 1)),  # 770 / 28 = 27.5, covered by 28
    ("mistral-vision", 1024, 1024, 37 * (37 + 1)),
    # Kimi K2.5: padded up to cells of 28; 16,384 patches of 14 at most.
    ("kimi-k2.5", 1024, 1024, 37 * 37),
    ("kimi-k2.5", 1008, 1008, 36 * 36),
    # 2,800 x 2,800: 200 x 200 patches, scaled by sqrt(16,384 / 40,000) = 0.64 to 1,792 = 64 cells.
    ("kimi-k2.5", 2800, 2800, 64 * 64),
    ("kimi-vl", 2800, 2800, 32 * 32),  # 4,096 patches: x 0.32 = 896 = 32 cells
    # Gemma 4: 280 cells of 48 pixels: sqrt(280) = 16.7 -> 16; twice as wide 23.7 x 11.8.
    ("gemma-4", 1024, 1024, 16 * 16),
    ("gemma-4", 100, 100, 16 * 16),
    ("gemma-4", 2000, 1000, 23 * 11),
    ("gemma-4", 16000, 50, 280),  # less than a row high: one row, 320 times as wide, so all 280
    ("gemma-4", 50, 16000, 280),
    # InternVL: tiles of 448, 256 tokens each, at most 12, a thumbnail beside more than one.
    ("internvl", 448, 448, 256),
    ("internvl", 896, 448, (2 + 1) * 256),
    # A square: 1 x 1, or 2 x 2 from half of 4 x 448² pixels on, or 3 x 3 from half of 9 x 448² on.
    ("internvl", 600, 600, 256),
    ("internvl", 640, 640, (4 + 1) * 256),
    ("internvl", 1024, 1024, (9 + 1) * 256),
    ("internvl", 4000, 3000, (12 + 1) * 256),
    ("nvlm-d", 4000, 2700, (6 + 1) * 256),
    # Llama 3.2: 40 x 40 patches and a class token a tile, at most 4.
    ("llama-3.2-vision", 560, 560, 1_601),
    ("llama-3.2-vision", 1120, 560, 2 * 1_601),
    ("llama-3.2-vision", 1024, 1024, 4 * 1_601),
    ("llama-3.2-vision", 2240, 560, 4 * 1_601),
    # Llama 4: 144 tokens and a separator a tile, and 144 for the whole; one tile is the whole.
    ("llama-4", 336, 336, 144),
    ("llama-4", 672, 336, 2 * 145 + 144),
    ("llama-4", 1344, 1344, 16 * 145 + 144),
    ("llama-4", 300, 200, 144),
    # LLaVA-NeXT, 672 x 672: 48 x 48 tokens with one at the end of each row, 576 for the whole.
    ("llava-next", 672, 672, 48 * 49 + 576),
    # 1,000 x 500 goes to 672 x 336: 24 rows of 48.
    ("llava-next", 1000, 500, 24 * 49 + 576),
    # 640 x 480 goes to 672 x 672; 36 of 48 rows are image.
    ("llava-next", 640, 480, 36 * 49 + 576),
    # LLaVA-OneVision, 2,304 x 2,304: 162² tokens are 36 times 27², shrunk to 81².
    ("llava-onevision", 2304, 2304, 81 * 82 + 729),
    ("llava-onevision", 384, 384, 27 * 28 + 729),
    # DeepSeek-VL2: 14 x 15 for the whole, one between, 14 rows a tile.
    ("deepseek-vl2", 384, 384, 14 * 15 + 1 + 14 * 15),
    ("deepseek-vl2", 768, 384, 14 * 15 + 1 + 14 * 29),
    # Phi-4: 256 + 16 + 1 for the whole; 448 x 448 is one tile more, 16 rows of 16 and their ends.
    ("phi-4-multimodal", 448, 448, 273 + 16 * 17),
    ("phi-4-multimodal", 896, 448, 273 + 16 * 33),
    # 448 x 224: half the tile is padding, 8 rows are left.
    ("phi-4-multimodal", 448, 224, 273 + 8 * 17),
    # 1,024 x 1,024: 3 x 3 tiles, 48 rows.
    ("phi-4-multimodal", 1024, 1024, 273 + 48 * 49),
    # 4,480 x 4,480 are 100 tiles: the square of 36 at most, 96 rows.
    ("phi-4-multimodal", 4480, 4480, 273 + 96 * 97),
    # Phi-3.5 enlarges a square to 2 x 2 tiles: (4 + 1) x 144 + 1 + 3 x 12 as it states.
    ("phi-3.5-vision", 500, 500, 5 * 144 + 1 + 3 * 12),
    # Twice as high: two tiles.
    ("phi-3.5-vision", 1000, 2000, 3 * 144 + 1 + 3 * 12),
    # Four thirds as wide: two tiles by 1.5, covered by two.
    ("phi-3.5-vision", 1024, 768, 5 * 144 + 1 + 3 * 12),
    # Idefics 3: the longer side 1,456: 4 x 4 tiles of 171, line breaks between, 172 for the whole.
    ("idefics3", 800, 800, 16 * 171 + 3 + 172),
    ("idefics3", 800, 400, 8 * 171 + 1 + 172),
    ("smolvlm", 400, 800, 8 * 83 + 3 + 84),
    # Step: the whole at 728 is 169 tokens; windows of 504, 81 tokens and two marks each.
    ("step-3", 728, 728, 169),
    ("step-3", 1008, 1008, 169 + 4 * 83 + 1),
    ("step-3", 1009, 1008, 169 + 4 * 83 + 1),  # a pixel over two windows is no third
    ("step-3", 1200, 504, 169 + 3 * 83),  # 192 pixels over are more than a fifth of one
    ("step-3", 600, 300, 169 + 2 * 83),  # slender: windows of 300
    ("step-3", 700, 30, 169),  # thin: padded to 700 x 700, which the overview shows
    ("step-3", 4032, 4032, 169 + 36 * 83 + 5),  # shrunk to 3,024: 6 x 6
    ("idefics3", 5000, 100, 172 + 4 * 171),  # 1,456 x 29: one row of four
    # MiniCPM-V: 1,024 x 1,024 is 5.2 slices of 448²: six or five or seven; 2 x 3 is nearest square.
    ("minicpm-v", 448, 448, 64),
    ("minicpm-v", 1344, 1344, 64 + 9 * 66 + 2),
    # Command A Vision: 512 pixels, 256 tokens and a line break, a thumbnail beside more than one.
    ("command-a-vision", 512, 512, 257),
    ("command-a-vision", 1024, 512, 3 * 257),
    ("paligemma", 448, 448, 256),
]


@pytest.mark.parametrize(("name", "width", "height", "tokens"), BY_HAND)
def test_tokens_by_hand(name: str, width: int, height: int, tokens: int) -> None:
    assert image_tokens(IMAGES[name], Picture(width, height)) == tokens


def test_every_rule_for_images_is_derived_by_hand() -> None:
    """Fixed numbers of models that no test names stand in their source as they are."""
    named = {name for name, *_ in BY_HAND}
    rest = {name for name in IMAGES.keys() - named if not isinstance(IMAGES[name], FixedRule)}
    shared = {
        "ernie-4.5-vl": "qwen2-vl",
        "qwen2.5-omni": "qwen2-vl",
        "qwen3-omni": "qwen3-vl",
        "ovis2.5": "qwen3-vl",
    }
    assert rest == shared.keys()
    for name, like in shared.items():
        assert IMAGES[name].fit is IMAGES[like].fit
        assert IMAGES[name].cell_pixels == IMAGES[like].cell_pixels


SLICES = [
    # 5.2 slices: 5, 6 or 7; the grid nearest to a square has 2 x 3 or 3 x 2.
    (1024, 1024, 6),
    # 2 x 448² pixels: two slices or three; side by side for a wide image.
    (896, 448, 2),
    # 40 slices are more than nine: nine or eight; 8 x 1 is nearest to ten times as wide.
    (4480, 448, 9),
]


@pytest.mark.parametrize(("width", "height", "slices"), SLICES)
def test_slices_of_minicpm(width: int, height: int, slices: int) -> None:
    tokens = image_tokens(IMAGES["minicpm-v"], Picture(width, height))
    rows = tokens - 64 - slices * 66 + 1
    assert rows in range(1, slices + 1)
    assert slices % rows == 0


MOST_SLENDER = 150
"""Longer side by the shorter of the images below: Qwen2-VL refuses more than 200."""

SIDES = st.integers(64, 16_384)
SHAPES = st.tuples(SIDES, SIDES).filter(lambda sides: max(sides) < MOST_SLENDER * min(sides))
NAMES = st.sampled_from(sorted(IMAGES))


@given(NAMES, SHAPES)
@settings(max_examples=1000, deadline=None)
def test_an_image_has_tokens_and_never_more_than_the_most(
    name: str, sides: tuple[int, int]
) -> None:
    rule, picture = IMAGES[name], Picture(*sides)
    tokens = image_tokens(rule, picture)
    assert 0 < tokens <= _bound(rule)


def _bound(rule: object) -> float:
    match rule:
        case FixedRule():
            return rule.image_tokens
        case PatchRule() if rule.fit is Fit.LIMITS:
            # Padding to whole cells adds less than one cell a side, to 256 cells at most.
            return most_tokens(rule) * 1.1 + 256
        case PatchRule() if rule.fit is Fit.SIDES:
            return most_tokens(rule)
        case PatchRule():
            return rule.largest_pixels / rule.cell_pixels**2
        case TileRule(choice=Choice.WINDOWS):
            # The longer side shrinks to 3,024 pixels, the shorter one is cut to whole ones: to 20
            # at least (3,024 / 150 = 20.2). 3,024 / 20 = 151.2: 152 windows, each ends a row.
            window = rule.side_tokens**2 + rule.tile_tokens + rule.tile_row_tokens
            return (MOST_SLENDER + 2) * window + rule.overview_tokens
        case TileRule():
            square = rule.side_tokens * (rule.side_tokens + rule.row_tokens)
            tiles = rule.most_tiles * (square + rule.tile_tokens + rule.tile_row_tokens)
            return tiles + rule.overview_tokens
    raise AssertionError(rule)


BY_RATIO = frozenset({Choice.RATIO, Choice.CROPS})
"""Width by height is not as far from a grid's as height by width: they may choose another."""

TURNABLE = st.sampled_from(
    sorted(name for name, rule in IMAGES.items() if getattr(rule, "choice", None) not in BY_RATIO)
)


@given(TURNABLE, SHAPES)
@settings(max_examples=1000, deadline=None)
def test_a_turned_image_has_nearly_as_many(name: str, sides: tuple[int, int]) -> None:
    """Only what stands at the end of each row tells width from height."""
    rule = IMAGES[name]
    across, down = (image_tokens(rule, Picture(*each)) for each in (sides, sides[::-1]))
    if not (getattr(rule, "row_tokens", 0) or getattr(rule, "tile_row_tokens", 0)):
        assert across == down
    assert min(across, down) * 2 >= max(across, down)


BOUNDED = st.sampled_from(
    sorted(
        name
        for name, rule in IMAGES.items()
        if isinstance(rule, PatchRule) and rule.fit is not Fit.BUDGET
    )
)


@given(BOUNDED, SHAPES, st.integers(2, 4))
@settings(max_examples=1000, deadline=None)
def test_a_larger_image_of_the_same_shape_never_has_fewer(
    name: str, sides: tuple[int, int], factor: int
) -> None:
    """As long as the processor resizes neither: shrinking and enlarging round in their own way."""
    rule, picture = IMAGES[name], Picture(*sides)
    larger = Picture(sides[0] * factor, sides[1] * factor)
    cell = rule.cell_pixels
    assume(larger.longest_pixels <= (rule.longest_pixels or 16_384))
    assume((picture.width_pixels - cell) * (picture.height_pixels - cell) >= rule.smallest_pixels)
    most = rule.largest_pixels or 16_384**2
    assume((larger.width_pixels + cell) * (larger.height_pixels + cell) <= most)
    assert image_tokens(rule, larger) >= image_tokens(rule, picture)


@given(SHAPES, st.integers(2, 4))
@settings(max_examples=500, deadline=None)
def test_a_budget_is_filled_whatever_the_size(sides: tuple[int, int], factor: int) -> None:
    rule = IMAGES["gemma-4"]
    few, many = (
        image_tokens(rule, Picture(sides[0] * each, sides[1] * each)) for each in (1, factor)
    )
    assert few == many


@given(st.sampled_from(["internvl", "llama-4", "llama-3.2-vision", "llava-next"]), SHAPES)
@settings(max_examples=500, deadline=None)
def test_doubled_sides_never_have_fewer_tiles(name: str, sides: tuple[int, int]) -> None:
    rule, larger = IMAGES[name], Picture(2 * sides[0], 2 * sides[1])
    assume(larger.longest_pixels <= 3_000)
    assert image_tokens(rule, larger) >= image_tokens(rule, Picture(*sides))


SOUND_BY_HAND = [
    ("gemma-3n", 1, 188),
    ("gemma-3n", 30, 188),
    ("gemma-3n", 31, 2 * 188),
    ("voxtral", 30, 375),
    ("voxtral", 61, 3 * 375),
    ("phi-4-multimodal", 10, 125),
    ("phi-4-multimodal", 3, 38),  # 37.5
    ("gemma-4", 10, 250),
    ("gemma-4", 30, 750),
    ("gemma-4", 600, 750),
    ("qwen2-audio", 20, 500),
    ("qwen3-asr", 60, 780),
]


@pytest.mark.parametrize(("name", "seconds", "tokens"), SOUND_BY_HAND)
def test_tokens_of_sound(name: str, seconds: int, tokens: int) -> None:
    assert sound_tokens(SOUNDS[name], seconds) == tokens


@given(st.sampled_from(sorted(SOUNDS)), st.integers(1, 10_000), st.integers(1, 10_000))
def test_longer_sound_never_has_fewer_tokens(name: str, seconds: int, more: int) -> None:
    rule = SOUNDS[name]
    assert 0 < sound_tokens(rule, seconds) <= sound_tokens(rule, seconds + more)
