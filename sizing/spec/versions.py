"""Versions of software: numbers joined by dots."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

Version = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)*$", max_length=30)]
"""Numbers joined by dots, `570.133.20`; the first numbers alone name a whole branch."""


def as_numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, to be compared."""
    return tuple(int(part) for part in version.split("."))


def is_before(version: str, other: str) -> bool:
    """Return whether a version is older than another; missing numbers count as zero."""
    length = max(version.count("."), other.count(".")) + 1
    return _padded(version, length) < _padded(other, length)


def is_of_branch(version: str, branch: str) -> bool:
    """Return whether a version begins with the numbers of a branch."""
    numbers = as_numbers(branch)
    return as_numbers(version)[: len(numbers)] == numbers


def _padded(version: str, length: int) -> tuple[int, ...]:
    numbers = as_numbers(version)
    return numbers + (0,) * (length - len(numbers))
