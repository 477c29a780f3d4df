"""Read the sizes of weights from the header of a safetensors file or from its index.

Format: 8 bytes, the length of a JSON table, the table, the data (huggingface/safetensors README).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Final

from bot.errors import CodedError
from bot.sources.bounded import read_bounded
from bot.sources.json_table import parse_json
from bot.sources.stored import MOST_TENSORS, Stored

LARGEST_HEADER_BYTES: Final = 100_000_000
"""Bytes of a header: the limit of the format itself (`MAX_HEADER_SIZE`)."""

LARGEST_INDEX_BYTES: Final = 100_000_000
"""Bytes of an index; DeepSeek V3's has 9 million."""

SHARD: Final = re.compile(r"-(\d{5})-of-(\d{5})\.safetensors$")

PACKED: Final = {"I32": 8, "U8": 2}
"""4-bit weights of one packed number: AWQ, GPTQ and compressed-tensors; NVFP4, bitsandbytes."""

AUXILIARY: Final = re.compile(
    r"scale|zero|qzeros|g_idx|absmax|quant_map|quant_state|weight_shape|nested|input_global"
)
"""Names of what a number format keeps beside its weights."""

WEIGHT_TYPES: Final = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I8", "F4"})


@dataclass(frozen=True)
class Header:
    """What the headers of one checkpoint say."""

    tensors: tuple[Stored, ...]
    """All tensors; empty where only an index was at hand."""

    names: tuple[str, ...]
    """Names of all tensors."""

    total_bytes: int
    """Bytes of all tensors together."""

    dtypes: Mapping[str, int]
    """Bytes by number type."""

    vocabulary: tuple[int, int] | None = None
    """Shape of the embedding table."""


def read_weights(path: Path) -> Header:
    """Return the tensors of a checkpoint, given one of its files or its index."""
    if path.name.endswith(".index.json"):
        return _read_index(path)
    match = SHARD.search(path.name)
    if match is None:
        return _merged([_header_of(path)], path)
    return _merged([_header_of(shard) for shard in _shards(path, match)], path)


def _shards(path: Path, match: re.Match[str]) -> Iterator[Path]:
    """Yield every part of a checkpoint; raise CodedError for one that is missing."""
    count, stem = int(match[2]), path.name[: match.start()]
    if not 0 < count <= 10_000:
        raise CodedError("file_malformed", path=path.name)
    for number in range(1, count + 1):
        shard = path.with_name(f"{stem}-{number:05}-of-{count:05}.safetensors")
        if not shard.is_file():
            raise CodedError("file_part_missing", path=shard.name)
        yield shard


def _read_index(path: Path) -> Header:
    """Return what an index says, or the headers of its files where all lie beside it."""
    index = parse_json(read_bounded(path, LARGEST_INDEX_BYTES), path.name)
    places, metadata = index.get("weight_map"), index.get("metadata")
    if not isinstance(places, dict) or len(places) > MOST_TENSORS:
        raise CodedError("file_malformed", path=path.name)
    files = sorted({place for place in places.values() if isinstance(place, str)})
    beside = [path.with_name(Path(name).name) for name in files]
    if beside and all(file.is_file() for file in beside):
        return _merged([_header_of(file) for file in beside], path)
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    if not isinstance(total, int | float) or not 0 < total < 2**63:
        raise CodedError("file_malformed", path=path.name)
    return Header((), tuple(map(str, places)), int(total), {})


def _header_of(path: Path) -> Mapping[str, Any]:
    """Return the table at the start of a file; no more than its length is read."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
            if not 2 <= length <= LARGEST_HEADER_BYTES:
                raise CodedError("file_malformed", path=path.name)
            content = file.read(length)
    except OSError as error:
        raise CodedError("file_unreadable", path=str(path)) from error
    if len(content) < length:
        raise CodedError("file_malformed", path=path.name)
    return parse_json(content, path.name)


def _merged(headers: list[Mapping[str, Any]], path: Path) -> Header:
    tensors: list[Stored] = []
    dtypes: dict[str, int] = {}
    vocabulary = None
    for header in headers:
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            tensor, dtype, shape = _tensor(name, entry, path)
            tensors.append(tensor)
            dtypes[dtype] = dtypes.get(dtype, 0) + tensor.size_bytes
            if len(shape) == 2 and name.endswith(("embed_tokens.weight", "wte.weight")):
                vocabulary = (shape[0], shape[1])
    if not 0 < len(tensors) <= MOST_TENSORS:
        raise CodedError("file_malformed", path=path.name)
    total = sum(tensor.size_bytes for tensor in tensors)
    names = tuple(tensor.name for tensor in tensors)
    return Header(tuple(tensors), names, total, dtypes, vocabulary)


def _tensor(name: str, entry: object, path: Path) -> tuple[Stored, str, list[int]]:
    """Return one tensor, its number type and its shape."""
    match entry:
        case {"dtype": str() as dtype, "shape": list() as shape, "data_offsets": [start, end]}:
            numbers = [*shape, start, end]
            if all(_is_size(number) for number in numbers) and start <= end:
                return Stored(name, _parameters(name, dtype, shape), end - start), dtype, shape
    raise CodedError("file_malformed", path=path.name)


def _is_size(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**48


def _parameters(name: str, dtype: str, shape: list[int]) -> int:
    if len(shape) > 8 or AUXILIARY.search(name):
        return 0
    if dtype in WEIGHT_TYPES:
        return prod(shape)
    return prod(shape) * PACKED.get(dtype, 0)
