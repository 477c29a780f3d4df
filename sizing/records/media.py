"""Records of processors: how many tokens an image or a stretch of sound becomes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sizing.records.base import (
    Count,
    Identifier,
    Name,
    PositiveCount,
    Record,
    SourcedRecord,
)


class Fit(StrEnum):
    """How a processor resizes an image before it cuts it into cells."""

    AREA = "area"
    SIDES = "sides"
    LIMITS = "limits"
    BUDGET = "budget"


class Choice(StrEnum):
    """How a processor chooses the grid of tiles for an image."""

    RATIO = "ratio"
    CANVAS = "canvas"
    PINPOINTS = "pinpoints"
    CROPS = "crops"
    WINDOWS = "windows"
    CUT = "cut"
    ENLARGED = "enlarged"
    SLICES = "slices"


class Trim(StrEnum):
    """Where the padding of a tiled image lies whose tokens are left out."""

    CENTRED = "centred"
    CORNER = "corner"


class FixedRule(Record):
    """As many tokens for every image: it is resized to one size."""

    kind: Literal["fixed"]
    """Discriminator."""

    image_tokens: PositiveCount
    """Tokens of an image."""


class PatchRule(Record):
    """A token for each square cell of the resized image."""

    kind: Literal["patches"]
    """Discriminator."""

    cell_pixels: PositiveCount
    """Side of the square that one token stands for, patches merged."""

    fit: Fit
    """How the image is resized."""

    smallest_pixels: Count = 0
    """Least area of the resized image; 0 without a bound."""

    largest_pixels: PositiveCount | None = None
    """Largest area of the resized image."""

    longest_pixels: PositiveCount | None = None
    """Longest side of the resized image."""

    patch_pixels: PositiveCount | None = None
    """Side of an unmerged patch, where the bounds count patches."""

    row_tokens: Count = 0
    """Tokens at the end of each row of cells."""


class TileRule(Record):
    """Tokens for each tile of a grid that suits the image, and for an overview of the whole."""

    kind: Literal["tiles"]
    """Discriminator."""

    tile_pixels: PositiveCount
    """Side of a tile."""

    choice: Choice
    """How the grid is chosen."""

    most_tiles: PositiveCount
    """Most tiles of a grid, the overview not counted; under `windows` of an image less slender than
    1 to 4."""

    side_tokens: PositiveCount
    """Tokens along the side of a tile."""

    tile_tokens: Count = 0
    """Tokens of each tile beside its square: class token, marks, separators."""

    row_tokens: Count = 0
    """Tokens at the end of each row of tokens."""

    tile_row_tokens: Count = 0
    """Tokens between rows of tiles."""

    overview_tokens: Count = 0
    """Tokens of the overview; 0 without one."""

    overview_pixels: PositiveCount | None = None
    """Side of the overview where it is not a tile's."""

    always_tiled: bool = False
    """Whether a single tile is read beside its overview."""

    trim: Trim | None = None
    """Where padding lies whose tokens are left out; None where it is kept."""

    grids: tuple[tuple[PositiveCount, PositiveCount], ...] = ()
    """Columns and rows of the grids to choose from; empty for all of `most_tiles`."""

    shrunk_to_tiles: PositiveCount | None = None
    """Tiles to whose tokens a larger grid is shrunk afterwards."""

    longest_pixels: PositiveCount | None = None
    """Longest side of the image before it is cut; images are enlarged to it under `cut`."""

    cross_attention: bool = False
    """Whether these tokens are attended to beside the text, one token of which marks the image."""


ImageRule = Annotated[FixedRule | PatchRule | TileRule, Field(discriminator="kind")]
"""A pure function of width and height, as data."""


class SoundRule(Record):
    """Tokens of a stretch of sound."""

    piece_seconds: PositiveCount
    """Stretch of sound that `piece_tokens` stand for."""

    piece_tokens: PositiveCount
    """Tokens of that stretch."""

    whole_pieces: bool = False
    """Whether a shorter stretch is padded to a whole piece."""

    longest_seconds: PositiveCount | None = None
    """Longest recording that is read; what is longer is cut off."""


class ProcessorRecord(SourcedRecord):
    """What turns images and sound into tokens."""

    id: Identifier
    """Unique id, by which models name it."""

    name: Name
    """Name people read."""

    model_types: tuple[Name, ...] = ()
    """`model_type` of the configurations that use it."""

    image: ImageRule | None = None
    """Tokens of an image; None where it reads none."""

    sound: SoundRule | None = None
    """Tokens of sound; None where it reads none."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return no other names: models alone name a processor."""
        return ()
