"""Images that are cut into tiles, with an overview of the whole."""

from __future__ import annotations

from math import ceil, sqrt

from sizing.images.grids import Grid, grid_of
from sizing.images.picture import Picture
from sizing.records import TileRule, Trim

SHRUNK_FROM = 1.1
"""Length by bound from which a grid's tokens are shrunk (LLaVA-OneVision, `anyres_max`)."""


def tile_tokens(rule: TileRule, picture: Picture) -> int:
    """Return the tokens of the tiles and of the overview."""
    grid = grid_of(rule, picture)
    tiles = grid[0] * grid[1]
    if not tiles or (tiles == 1 and rule.overview_tokens and not rule.always_tiled):
        return rule.overview_tokens
    columns, rows = _features(rule, picture, grid)
    between = (grid[1] - 1) * rule.tile_row_tokens
    return (
        rows * (columns + rule.row_tokens)
        + tiles * rule.tile_tokens
        + between
        + rule.overview_tokens
    )


def _features(rule: TileRule, picture: Picture, grid: Grid) -> Grid:
    """Return the columns and rows of tokens over all tiles, padding left out where it is."""
    columns, rows = (side * rule.side_tokens for side in grid)
    if rule.trim is Trim.CORNER:
        return _trimmed_corner(rule, picture, grid)
    if rule.trim is Trim.CENTRED:
        columns, rows = _trimmed_centre(picture, columns, rows)
    return _shrunk(rule, columns, rows)


def _trimmed_centre(picture: Picture, columns: int, rows: int) -> Grid:
    """Leave out whole rows or columns of padding on both sides (`unpad_image` of LLaVA-NeXT)."""
    if picture.ratio > columns / rows:
        height = int(round(picture.height_pixels * (columns / picture.width_pixels), 7))
        return columns, rows - 2 * ((rows - height) // 2)
    width = int(round(picture.width_pixels * (rows / picture.height_pixels), 7))
    return columns - 2 * ((columns - width) // 2), rows


def _trimmed_corner(rule: TileRule, picture: Picture, grid: Grid) -> Grid:
    """Leave out padding right and below, by half tokens (Phi-4-multimodal).

    A token covers two patches of a side; one that is half padding stays.
    """
    width, height = (side * rule.tile_pixels for side in grid)
    scale_across, scale_down = width / picture.width_pixels, height / picture.height_pixels
    half_pixels = rule.tile_pixels / (2 * rule.side_tokens)
    scale = min(scale_across, scale_down)
    if scale_across < scale_down:
        height_used = int(picture.height_pixels * scale)
        return grid[0] * rule.side_tokens, _tokens_left(height, height_used, half_pixels)
    width_used = int(picture.width_pixels * scale)
    return _tokens_left(width, width_used, half_pixels), grid[1] * rule.side_tokens


def _tokens_left(side_pixels: int, used_pixels: int, half_pixels: float) -> int:
    halves = side_pixels // half_pixels - (side_pixels - used_pixels) // half_pixels
    return ceil(halves / 2)


def _shrunk(rule: TileRule, columns: int, rows: int) -> Grid:
    """Shrink both sides alike where more tokens are left than the bound allows."""
    if rule.shrunk_to_tiles is None:
        return columns, rows
    factor = sqrt(columns * rows / (rule.shrunk_to_tiles * rule.side_tokens**2))
    if factor <= SHRUNK_FROM:
        return columns, rows
    return int(columns // factor), int(rows // factor)
