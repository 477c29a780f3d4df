"""Read a model from files of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from bot.errors import CodedError
from bot.sources.config import read_config
from bot.sources.references import Sources
from sizing.records import GivenModel

LARGEST_CONFIG_BYTES: Final = 1_000_000
"""Bytes of a `config.json` that are read; real ones have up to 100,000."""


def terminal_sources() -> Sources:
    """Return the readers of the terminal."""
    return Sources(file=read_file)


def reference_to(path: str) -> str:
    """Return the word that names a file in a question: what blanks would split is quoted."""
    return "file:" + quote(path, safe="/.-_~")


def read_file(name: str) -> GivenModel:
    """Return the model in the file that a reference names; raise CodedError for a bad one."""
    path = Path(unquote(name)).expanduser()
    return read_config(read_bounded(path, LARGEST_CONFIG_BYTES), path.name)


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
