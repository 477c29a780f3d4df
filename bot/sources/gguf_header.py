"""Walk over the metadata of a GGUF file; vocabularies are stepped over, weights never touched.

Format: ggml-org/ggml docs/gguf.md, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Final

from bot.errors import CodedError
from bot.sources.stored import Stored

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
MOST_KEYS: Final = 100_000
MOST_TENSORS: Final = 1_000_000
LONGEST_TEXT_BYTES: Final = 1_000_000
LONGEST_LIST: Final = 10_000
"""Entries of a list that are kept; a longer one is a vocabulary."""

MOST_DIMENSIONS: Final = 4
"""`GGML_MAX_DIMS`."""

NUMBERS: Final = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
"""Types of numbers (`GGUFValueType`) as `struct` writes them."""

TEXT, LIST = 8, 9

TYPE_SIZES: Final = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
    40: (64, 36), 41: (128, 18),
}  # fmt: skip
"""Weights and bytes of a block by tensor type (gguf 0.19, `GGML_QUANT_SIZES`)."""

Value = int | float | bool | str | tuple[int | float | bool | str, ...]


@dataclass(frozen=True)
class GgufHeader:
    """What one file says about itself."""

    values: dict[str, Value]
    """Metadata by key; vocabularies left out."""

    tensors: tuple[Stored, ...]
    """Its tensors."""

    shapes: dict[str, tuple[int, ...]]
    """Dimensions of each tensor, the innermost first."""


def read_header(path: Path) -> GgufHeader:
    """Return the metadata of a file; raise CodedError where it is no GGUF file or is cut off."""
    try:
        with (
            path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            return _Walk(content).header()
    except (struct.error, OverflowError, ValueError) as error:
        # An empty file cannot be mapped: that is a ValueError too.
        raise CodedError("file_malformed", path=path.name) from error
    except OSError as error:
        raise CodedError("file_unreadable", path=str(path)) from error


class _Walk:
    """A place in a file, moved forward by every read."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self._at = 0

    def header(self) -> GgufHeader:
        """Read the whole metadata."""
        if self._content[:4] != MAGIC:
            raise ValueError("no GGUF file")
        self._at = 4
        version = self._number("I")
        tensors, keys = self._number("Q"), self._number("Q")
        if version not in VERSIONS or keys > MOST_KEYS or tensors > MOST_TENSORS:
            raise ValueError("out of bounds")
        values = dict(self._pairs(int(keys)))
        shapes: dict[str, tuple[int, ...]] = {}
        stored = tuple(self._tensor(shapes) for _ in range(int(tensors)))
        return GgufHeader(values, stored, shapes)

    def _pairs(self, count: int) -> Iterator[tuple[str, Value]]:
        for _ in range(count):
            key = self._text()
            value = self._value(int(self._number("I")))
            if value is not None:
                yield key, value

    def _value(self, kind: int) -> Value | None:
        if kind == TEXT:
            return self._text()
        if kind == LIST:
            return self._list()
        return self._number(NUMBERS.get(kind, ""))

    def _list(self) -> Value | None:
        """Return a short list of numbers; step over texts and over long lists."""
        kind, count = int(self._number("I")), int(self._number("Q"))
        if kind == TEXT:
            self._skip_texts(count)
            return None
        letter = NUMBERS.get(kind, "")
        size = struct.calcsize(letter)
        if not letter or count > LONGEST_LIST:
            self._skip(size * count if letter else len(self._content) + 1)
            return None
        start = self._at
        self._skip(size * count)
        return struct.unpack_from(f"<{count}{letter}", self._content, start)

    def _skip_texts(self, count: int) -> None:
        """Step over a vocabulary: each text is its length and its bytes."""
        content, at, length = self._content, self._at, struct.Struct("<Q").unpack_from
        for _ in range(count):
            at += 8 + length(content, at)[0]
        self._at = at
        self._skip(0)

    def _tensor(self, shapes: dict[str, tuple[int, ...]]) -> Stored:
        name = self._text()
        dimensions = int(self._number("I"))
        if not 0 < dimensions <= MOST_DIMENSIONS:
            raise ValueError("out of bounds")
        shape = tuple(int(self._number("Q")) for _ in range(dimensions))
        kind = int(self._number("I"))
        self._number("Q")
        weights, size_bytes = TYPE_SIZES.get(kind, (0, 0))
        parameters = prod(shape)
        if not weights or not 0 < parameters < 2**48:
            raise ValueError("out of bounds")
        shapes[name] = shape
        return Stored(name, parameters, -(-parameters // weights) * size_bytes)

    def _text(self) -> str:
        length = int(self._number("Q"))
        if length > LONGEST_TEXT_BYTES:
            self._skip(length)
            return ""
        start = self._at
        self._skip(length)
        return self._content[start : self._at].decode(errors="replace")

    def _number(self, letter: str) -> int | float | bool:
        if not letter:
            raise ValueError("unknown type")
        start = self._at
        self._skip(struct.calcsize(letter))
        value: int | float | bool = struct.unpack_from(f"<{letter}", self._content, start)[0]
        return value

    def _skip(self, size: int) -> None:
        """Move on; never past the end, whatever a length claims."""
        self._at += size
        if self._at > len(self._content):
            raise ValueError("cut off")
