"""Width and height of an image."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Picture:
    """Width and height, pixels."""

    width_pixels: int
    height_pixels: int

    @property
    def pixels(self) -> int:
        """Return the area, pixels."""
        return self.width_pixels * self.height_pixels

    @property
    def longest_pixels(self) -> int:
        """Return the longer side, pixels."""
        return max(self.width_pixels, self.height_pixels)

    @property
    def shortest_pixels(self) -> int:
        """Return the shorter side, pixels."""
        return min(self.width_pixels, self.height_pixels)

    @property
    def ratio(self) -> float:
        """Return width by height."""
        return self.width_pixels / self.height_pixels

    def scaled(self, factor: float) -> Picture:
        """Return the picture times `factor`, sides rounded down, one pixel at least."""
        width, height = int(self.width_pixels * factor), int(self.height_pixels * factor)
        return Picture(max(1, width), max(1, height))

    def cells(self, cell_pixels: int) -> tuple[int, int]:
        """Return the columns and rows of squares that cover it."""
        return ceil(self.width_pixels / cell_pixels), ceil(self.height_pixels / cell_pixels)
