"""Read no more of a file than a bound."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bot.errors import CodedError

LARGEST_CONFIG_BYTES: Final = 1_000_000
"""Bytes of a `config.json` that are read; real ones have up to 100,000."""


def read_bounded(path: Path, largest_bytes: int) -> bytes:
    """Return the bytes of a file no larger than that."""
    try:
        with path.open("rb") as file:
            content = file.read(largest_bytes + 1)
    except (OSError, ValueError) as error:
        raise CodedError("file_unreadable", path=str(path)) from error
    if len(content) > largest_bytes:
        raise CodedError("file_too_large", path=path.name, limit_bytes=largest_bytes)
    return content
