"""Read the header of a GGUF file with `gguf`, llama.cpp's own package; weights are never touched.

Format: ggml-org/ggml docs/gguf.md, versions 2 and 3, little-endian. The package needs NumPy, so
whoever reads a file imports this module then, never at the start.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, ReaderField
from gguf.quants import quant_shape_to_byte_shape
from numpy.typing import DTypeLike, NDArray

from bot.errors import CodedError
from bot.sources.keys import MOST_LAYERS
from bot.sources.stored import Stored

MOST_KEYS: Final = 1_000
"""Most keys that are read: files have about fifty."""

MOST_TENSORS: Final = 100_000
"""Most tensors that are read: experts lie in one tensor a layer, so files have a few thousand."""

LONGEST_HEADER_BYTES: Final = 2**27
"""Bytes within which a header must end; one with its tokenizer's own file inside has 45 MB."""

LONGEST_TEXT_BYTES: Final = 1_000_000
"""Bytes of a text that is kept; a longer one is a tokenizer's file."""

LONGEST_LIST: Final = MOST_LAYERS
"""Entries of a list that are kept; a longer one is a vocabulary."""

MOST_DIMENSIONS: Final = 4
"""`GGML_MAX_DIMS`."""

MOST_PARAMETERS: Final = 2**48
"""Bound on the numbers in one tensor."""

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
        reader = _HeaderReader(path)
        return GgufHeader(dict(reader.values()), tuple(reader.stored), reader.shapes)
    except OSError as error:
        raise CodedError("file_unreadable", path=str(path)) from error
    except (ValueError, LookupError, OverflowError, struct.error) as error:
        # An empty file cannot be mapped: that is a ValueError too.
        raise CodedError("file_malformed", path=path.name) from error


class _HeaderReader(GGUFReader):
    """The package's reader, bounded, for headers alone.

    It walks the file and knows its types. What is done here instead, and why: reads are checked
    against the end of the file, which the package leaves to slices; lists are stepped over or
    taken whole, where it makes arrays of every entry (8 s and 0.5 GB for 128,000 words);
    tensors are counted without their weights, which it maps.
    """

    def __init__(self, path: Path) -> None:
        self.stored: list[Stored] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        super().__init__(path)

    def values(self) -> Iterator[tuple[str, Value]]:
        """Yield the metadata by key; vocabularies left out."""
        for key, field in self.fields.items():
            value = None if key.startswith("GGUF.") else _value(field)
            if value is not None:
                yield key, value

    @cached_property
    def _content(self) -> memoryview:
        return self.data.data[:LONGEST_HEADER_BYTES]

    def _get(
        self,
        offset: int,
        dtype: DTypeLike,
        count: int = 1,
        override_order: Literal["I", "S", "<"] | None = None,
    ) -> NDArray[Any]:
        """Return numbers of the file; never past the end, whatever a length claims."""
        little = np.dtype(dtype).newbyteorder(override_order or "<")
        return np.frombuffer(self._content, little, int(count), offset)

    def _build_fields(self, offs: int, count: int) -> int:
        # llama.cpp too refuses a file of the other byte order.
        if self.byte_order != "I" or count > MOST_KEYS:
            raise ValueError("out of bounds")
        return super()._build_fields(offs, count)

    def _get_field_parts(
        self, orig_offs: int, raw_type: int
    ) -> tuple[int, list[NDArray[Any]], list[int], list[GGUFValueType]]:
        """Take a list of numbers as one array; step over a list of texts."""
        if raw_type != GGUFValueType.ARRAY:
            return super()._get_field_parts(orig_offs, raw_type)
        kind, count = self._get(orig_offs, np.uint32), self._get(orig_offs + 4, np.uint64)
        start, types = orig_offs + 12, [GGUFValueType.ARRAY, GGUFValueType(int(kind[0]))]
        if types[1] is GGUFValueType.STRING:
            return self._past_texts(start, int(count[0])) - orig_offs, [kind, count], [], types
        # A list of lists has no entry here: nobody writes one.
        numbers = self._get(start, self.gguf_scalar_to_np[types[1]], int(count[0]))
        return start + numbers.nbytes - orig_offs, [kind, count, numbers], [2], types

    def _past_texts(self, at: int, count: int) -> int:
        """Return where a vocabulary ends: each text is its length and its bytes."""
        content, length = self._content, struct.Struct("<Q").unpack_from
        for _ in range(count):
            at += 8 + length(content, at)[0]
        if at > len(content):
            raise ValueError("cut off")
        return at

    def _build_tensor_info(self, offs: int, count: int) -> tuple[int, list[ReaderField]]:
        if count > MOST_TENSORS:
            raise ValueError("out of bounds")
        return super()._build_tensor_info(offs, count)

    def _build_tensors(self, start_offs: int, fields: list[ReaderField]) -> None:  # noqa: ARG002 its signature
        """Keep what the header says of each tensor."""
        for field in fields:
            _, _, _, dimensions, kind, _ = field.parts
            shape = tuple(dimensions.tolist())
            parameters = prod(shape)
            is_sound = 0 < len(shape) <= MOST_DIMENSIONS and 0 < parameters < MOST_PARAMETERS
            if not is_sound or field.name in self.shapes:
                raise ValueError("out of bounds")
            rows = quant_shape_to_byte_shape(shape[::-1], GGMLQuantizationType(int(kind[0])))
            self.shapes[field.name] = shape
            self.stored.append(Stored(field.name, parameters, prod(rows)))


def _value(field: ReaderField) -> Value | None:
    """Return a number, a text or a short list of numbers; None for a vocabulary."""
    last = field.parts[-1]
    if field.types[0] is GGUFValueType.STRING:
        # llama.cpp takes any bytes for a text, the package UTF-8 alone.
        return "" if len(last) > LONGEST_TEXT_BYTES else bytes(last).decode(errors="replace")
    if field.types[0] is GGUFValueType.ARRAY:
        is_kept = bool(field.data) and len(last) <= LONGEST_LIST
        return tuple(field.contents()) if is_kept else None
    number: int | float | bool = field.contents()
    return number
