"""Images that are cut into patches at a size near their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, floor, isqrt, sqrt
from typing import Final

from sizing.images.picture import Picture
from sizing.records import Fit, PatchRule

LARGEST_PIXELS: Final = 2**15
"""Side of an image that no bound shrinks, pixels."""

Cells = tuple[int, int]
"""Columns and rows of tokens."""


def patch_tokens(rule: PatchRule, picture: Picture) -> int:
    """Return a token for each cell, and those at the end of each row."""
    columns, rows = FITS[rule.fit](rule, picture)
    return rows * (columns + rule.row_tokens)


def most_tokens(rule: PatchRule) -> int:
    """Return about the most tokens of one image: what its bounds allow a square."""
    longest = rule.longest_pixels or LARGEST_PIXELS
    side = min(longest, isqrt(rule.largest_pixels or longest**2))
    return patch_tokens(rule, Picture(side, side))


def _area(rule: PatchRule, picture: Picture) -> Cells:
    """Round each side to whole cells, then bring the area inside the bounds.

    `smart_resize` of Qwen2-VL (transformers): rounded to the nearest, down where the area is too
    large, up where it is too small.
    """
    cell = rule.cell_pixels
    cells = round(picture.width_pixels / cell), round(picture.height_pixels / cell)
    pixels = cells[0] * cells[1] * cell**2
    if rule.largest_pixels is not None and pixels > rule.largest_pixels:
        return _shrunk(picture, cell, sqrt(picture.pixels / rule.largest_pixels))
    if pixels < rule.smallest_pixels:
        factor = sqrt(rule.smallest_pixels / picture.pixels)
        width, height = picture.width_pixels * factor, picture.height_pixels * factor
        return ceil(width / cell), ceil(height / cell)
    return max(1, cells[0]), max(1, cells[1])


def _shrunk(picture: Picture, cell: int, divisor: float) -> Cells:
    width = floor(picture.width_pixels / divisor / cell)
    height = floor(picture.height_pixels / divisor / cell)
    return max(1, width), max(1, height)


def _sides(rule: PatchRule, picture: Picture) -> Cells:
    """Shrink the longer side to its bound, then cover the image with cells.

    `get_resize_output_image_size` of Pixtral (transformers).
    """
    longest = rule.longest_pixels or picture.longest_pixels
    ratio = picture.longest_pixels / longest
    if ratio > 1:
        width, height = floor(picture.width_pixels / ratio), floor(picture.height_pixels / ratio)
        picture = Picture(max(1, width), max(1, height))
    return picture.cells(rule.cell_pixels)


def _limits(rule: PatchRule, picture: Picture) -> Cells:
    """Shrink until patches and sides are inside the bounds, then pad to whole cells.

    `navit_resize` of Kimi K2.5 (transformers); patches are counted rounded down.
    """
    patch = rule.patch_pixels or rule.cell_pixels
    columns = max(1, picture.width_pixels // patch)
    rows = max(1, picture.height_pixels // patch)
    scales = [1.0]
    if rule.largest_pixels is not None:
        scales.append(sqrt(rule.largest_pixels / patch**2 / (columns * rows)))
    if rule.longest_pixels is not None:
        scales.append(rule.longest_pixels / picture.longest_pixels)
    return picture.scaled(min(scales)).cells(rule.cell_pixels)


def _budget(rule: PatchRule, picture: Picture) -> Cells:
    """Enlarge or shrink the image to the most whole cells of its shape within the area.

    `get_aspect_ratio_preserving_size` of Gemma 4 (transformers).
    """
    cell, most = rule.cell_pixels, rule.largest_pixels or picture.pixels
    factor = sqrt(most / picture.pixels)
    columns = floor(factor * picture.width_pixels / cell)
    rows = floor(factor * picture.height_pixels / cell)
    longest = most // cell**2
    if not rows:
        return min(max(1, floor(picture.ratio)), longest), 1
    if not columns:
        return 1, min(max(1, floor(1 / picture.ratio)), longest)
    return columns, rows


FITS: Final[Mapping[Fit, Callable[[PatchRule, Picture], Cells]]] = {
    Fit.AREA: _area,
    Fit.SIDES: _sides,
    Fit.LIMITS: _limits,
    Fit.BUDGET: _budget,
}
"""How many cells an image has, by how it is resized."""
