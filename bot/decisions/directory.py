"""Who is who in the place a decision is taken in."""

from __future__ import annotations

from typing import Final, Protocol


class Directory(Protocol):
    """Knows who is who: the people of groups and conversations, and everybody's name."""

    def members(self, subject: str) -> frozenset[str]:
        """Return the ids of the people in a user group or a conversation."""
        ...

    def name(self, subject: str) -> str:
        """Return what people call a person, a user group or a conversation."""
        ...


class Nameless:
    """Directory of a place without groups and conversations, where an id is the name."""

    def members(self, subject: str) -> frozenset[str]:  # noqa: ARG002 (the protocol's)
        """Return nobody."""
        return frozenset()

    def name(self, subject: str) -> str:
        """Return the id itself."""
        return subject


NAMELESS: Final = Nameless()
"""The directory of the terminal."""
