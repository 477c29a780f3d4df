"""One score with its target."""

from __future__ import annotations

from dataclasses import dataclass

SLACK = 1e-6
"""Rounding of the kept scores."""


@dataclass(frozen=True)
class Score:
    """One score with its target."""

    name: str
    what: str
    value: float
    target: float
    rows: int
    is_share: bool
    """Whether more is better: a share of rows, not an error."""

    @property
    def is_reached(self) -> bool:
        """Return whether the target is met."""
        return not self.is_worse_than(self.target)

    def is_worse_than(self, other: float) -> bool:
        """Return whether the score falls behind `other`."""
        if self.is_share:
            return self.value < other - SLACK
        return self.value > other + SLACK
