"""Which grid of tiles a processor cuts an image into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import ceil, log
from typing import Final

from sizing.images.picture import Picture
from sizing.records import Choice, TileRule

Grid = tuple[int, int]
"""Columns and rows of tiles; none where the image is not cut."""

UNCUT: Final[Grid] = (0, 0)

WORTH_A_TILE: Final = 0.5
"""Share of the area of the larger of two grids of one shape that makes it the choice (InternVL)."""

SLENDER: Final = 1.5
"""Length by breadth above which Step cuts even an image that fits its overview."""

VERY_SLENDER: Final = 4
"""Length by breadth above which its window is the shorter side."""

THIN_PIXELS: Final = 32
"""Shorter side below which a very slender image is padded to a square."""

WORTH_A_WINDOW: Final = 0.2
"""Share of a window above which what is left of a side gets one more."""


def grid_of(rule: TileRule, picture: Picture) -> Grid:
    """Return the columns and rows of tiles of an image."""
    return CHOICES[rule.choice](rule, picture)


def _ratio(rule: TileRule, picture: Picture) -> Grid:
    """Return the grid whose shape is nearest to the image's (`find_closest_aspect_ratio`).

    Of two grids equally near the larger one, where the image has more than half its pixels.
    """
    best, least = (1, 1), float("inf")
    for columns, rows in _grids(rule):
        difference = abs(picture.ratio - columns / rows)
        worth = WORTH_A_TILE * rule.tile_pixels**2 * columns * rows
        if difference < least or (difference == least and picture.pixels > worth):
            best, least = (columns, rows), difference
    return best


def _canvas(rule: TileRule, picture: Picture) -> Grid:
    """Return the grid that holds the image with the least enlargement, else the least shrinking.

    `get_optimal_tiled_canvas` of Llama 3.2 and `get_best_fit` of Llama 4 (transformers): of equals
    the smallest.
    """

    def scale(grid: Grid) -> float:
        width, height = (tiles * rule.tile_pixels for tiles in grid)
        return min(width / picture.width_pixels, height / picture.height_pixels)

    scales = [(scale(grid), grid) for grid in _grids(rule)]
    enlarging = [each for each in scales if each[0] >= 1]
    chosen = min(each[0] for each in enlarging) if enlarging else max(each[0] for each in scales)
    return min((grid for size, grid in scales if size == chosen), key=_tiles)


def _pinpoints(rule: TileRule, picture: Picture) -> Grid:
    """Return the grid that keeps the most of the image and then wastes the least.

    `select_best_resolution` of LLaVA-NeXT (transformers).
    """

    def merit(grid: Grid) -> tuple[int, int]:
        width, height = (tiles * rule.tile_pixels for tiles in grid)
        scale = min(width / picture.width_pixels, height / picture.height_pixels)
        pixels = int(picture.width_pixels * scale) * int(picture.height_pixels * scale)
        kept = min(pixels, picture.pixels)
        return kept, kept - width * height

    return max(_grids(rule), key=merit)


def _crops(rule: TileRule, picture: Picture) -> Grid:
    """Return the grid that covers the image, else the nearest in shape (Phi-4-multimodal)."""
    grid = picture.cells(rule.tile_pixels)
    return grid if _tiles(grid) <= rule.most_tiles else _ratio(rule, picture)


def _cut(rule: TileRule, picture: Picture) -> Grid:
    """Enlarge or shrink the longer side to its bound, then cover the image with tiles (Idefics 3).

    The shorter side is rounded up to an even number before.
    """
    longest = rule.longest_pixels or picture.longest_pixels
    shorter = int(longest * picture.shortest_pixels / picture.longest_pixels)
    long, short = ceil(longest / rule.tile_pixels), ceil(_even(shorter) / rule.tile_pixels)
    grid = (long, max(1, short))
    return grid if picture.width_pixels >= picture.height_pixels else (grid[1], grid[0])


def _enlarged(rule: TileRule, picture: Picture) -> Grid:
    """Enlarge the longer side to as many tiles as the bound allows (`HD_transform` of Phi-3.5)."""
    slender = _slenderness(picture)
    long = max(n for n in range(1, rule.most_tiles + 1) if n * ceil(n / slender) <= rule.most_tiles)
    short = ceil(int(long * rule.tile_pixels / slender) / rule.tile_pixels)
    grid = (long, max(1, short))
    return grid if picture.width_pixels >= picture.height_pixels else (grid[1], grid[0])


def _even(side_pixels: int) -> int:
    return side_pixels + side_pixels % 2


def _windows(rule: TileRule, picture: Picture) -> Grid:
    """Return the windows that slide over the image; none where the overview shows it all.

    `_plan_patches` of Step 3.7 (transformers).
    """
    if picture.shortest_pixels < THIN_PIXELS and _slenderness(picture) > VERY_SLENDER:
        picture = Picture(picture.longest_pixels, picture.longest_pixels)
    if rule.longest_pixels and picture.longest_pixels > rule.longest_pixels:
        picture = picture.scaled(rule.longest_pixels / picture.longest_pixels)
    window = _window(rule, picture)
    if not window:
        return UNCUT
    return _snapped(picture.width_pixels, window), _snapped(picture.height_pixels, window)


def _window(rule: TileRule, picture: Picture) -> int:
    """Return the side of the window, pixels; 0 for none."""
    if picture.longest_pixels <= (rule.overview_pixels or rule.tile_pixels):
        return picture.shortest_pixels if _slenderness(picture) > SLENDER else 0
    if _slenderness(picture) > VERY_SLENDER:
        return min(picture.shortest_pixels, rule.tile_pixels)
    return rule.tile_pixels


def _snapped(side_pixels: int, window_pixels: int) -> int:
    whole, left = divmod(side_pixels, window_pixels)
    return max(1, whole + (left > WORTH_A_WINDOW * window_pixels)) if whole else 1


def _slenderness(picture: Picture) -> float:
    return picture.longest_pixels / picture.shortest_pixels


def _slices(rule: TileRule, picture: Picture) -> Grid:
    """Return the slices whose number is near the image's area and whose shape is near its shape.

    `get_sliced_grid` of MiniCPM-V: the number that covers the area, one less and one more.
    """
    ideal = min(ceil(picture.pixels / rule.tile_pixels**2), rule.most_tiles)
    if ideal <= 1:
        return UNCUT
    counts = {ideal - 1, ideal, ideal + 1} - {1}
    grids = [grid for grid in _grids(rule) if _tiles(grid) in counts]
    return min(grids, key=lambda grid: abs(log(picture.ratio) - log(grid[0] / grid[1])))


def _grids(rule: TileRule) -> Iterable[Grid]:
    """Return the grids to choose from, fewest tiles first unless the processor lists them."""
    if rule.grids:
        return rule.grids
    sides = range(1, rule.most_tiles + 1)
    grids = ((columns, rows) for columns in sides for rows in sides)
    return sorted((grid for grid in grids if _tiles(grid) <= rule.most_tiles), key=_tiles)


def _tiles(grid: Grid) -> int:
    return grid[0] * grid[1]


CHOICES: Final[Mapping[Choice, Callable[[TileRule, Picture], Grid]]] = {
    Choice.RATIO: _ratio,
    Choice.CANVAS: _canvas,
    Choice.PINPOINTS: _pinpoints,
    Choice.CROPS: _crops,
    Choice.WINDOWS: _windows,
    Choice.CUT: _cut,
    Choice.ENLARGED: _enlarged,
    Choice.SLICES: _slices,
}
"""The grid of an image, by how it is chosen."""
