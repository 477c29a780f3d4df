"""Read a GGUF file, in one part or several, into a model that can be sized."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gguf import Keys, LlamaFileType
from pydantic import ValidationError

from bot.errors import CodedError
from bot.sources.gguf_header import GgufHeader, Value, read_header
from bot.sources.gguf_shape import Facts, architecture_of
from bot.sources.stored import Stored, by_group, layer_of
from sizing.records import ArchitectureRecord, Doubt, GivenModel, ModelKind, TensorGroup

PART: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)

FILE_TYPES: Final = {
    LlamaFileType.ALL_F32: "fp32", LlamaFileType.MOSTLY_F16: "fp16",
    LlamaFileType.MOSTLY_Q4_0: "q4-0", LlamaFileType.MOSTLY_Q4_1: "q4-1",
    LlamaFileType.MOSTLY_Q8_0: "q8-0", LlamaFileType.MOSTLY_Q5_0: "q5-0",
    LlamaFileType.MOSTLY_Q5_1: "q5-1", LlamaFileType.MOSTLY_Q2_K: "q2-k",
    LlamaFileType.MOSTLY_Q3_K_S: "q3-k-s", LlamaFileType.MOSTLY_Q3_K_M: "q3-k-m",
    LlamaFileType.MOSTLY_Q3_K_L: "q3-k-l", LlamaFileType.MOSTLY_Q4_K_S: "q4-k-s",
    LlamaFileType.MOSTLY_Q4_K_M: "q4-k-m", LlamaFileType.MOSTLY_Q5_K_S: "q5-k-s",
    LlamaFileType.MOSTLY_Q5_K_M: "q5-k-m", LlamaFileType.MOSTLY_Q6_K: "q6-k",
    LlamaFileType.MOSTLY_IQ2_XXS: "iq2-xxs", LlamaFileType.MOSTLY_IQ2_XS: "iq2-xs",
    LlamaFileType.MOSTLY_Q2_K_S: "q2-k-s", LlamaFileType.MOSTLY_IQ3_XS: "iq3-xs",
    LlamaFileType.MOSTLY_IQ3_XXS: "iq3-xxs", LlamaFileType.MOSTLY_IQ1_S: "iq1-s",
    LlamaFileType.MOSTLY_IQ4_NL: "iq4-nl", LlamaFileType.MOSTLY_IQ3_S: "iq3-s",
    LlamaFileType.MOSTLY_IQ3_M: "iq3-m", LlamaFileType.MOSTLY_IQ2_S: "iq2-s",
    LlamaFileType.MOSTLY_IQ2_M: "iq2-m", LlamaFileType.MOSTLY_IQ4_XS: "iq4-xs",
    LlamaFileType.MOSTLY_IQ1_M: "iq1-m", LlamaFileType.MOSTLY_BF16: "bf16",
    LlamaFileType.MOSTLY_MXFP4_MOE: "mxfp4-moe",
}  # fmt: skip
"""Catalogue precision by `general.file_type`."""

NEAREST: Final = (
    (1.9, "iq1-m"), (2.7, "q2-k"), (3.6, "q3-k-m"), (4.7, "q4-k-s"), (5.2, "q4-k-m"),
    (6.2, "q5-k-m"), (7.5, "q6-k"), (12.0, "q8-0"), (24.0, "fp16"),
)  # fmt: skip
"""Format whose average bits come next, for files whose type the catalogue does not know."""


def read_gguf(path: Path) -> GivenModel:
    """Return the model of a file; the other parts must lie beside it."""
    headers = [read_header(part) for part in _parts(path)]
    values, shapes = headers[0].values, _shapes(headers)
    tensors = [tensor for header in headers for tensor in header.tensors]
    if not tensors:
        raise CodedError("file_malformed", path=path.name)
    facts = Facts(values, shapes)
    loaded = [one for one in tensors if (layer_of(one.name) or 0) < facts.layers]
    architecture = _architecture(facts, path)
    precision, is_known = _precision(values, tensors)
    return GivenModel(
        name=_name(values, path),
        kind=_kind(architecture, loaded),
        source=path.name,
        model_type=facts.name,
        digest=_digest(headers),
        architecture=architecture,
        max_context_tokens=facts.number(Keys.LLM.CONTEXT_LENGTH) or None,
        native_precision=precision,
        engine="llamacpp",
        mtp_parameters=_parameters(tensors) - _parameters(loaded),
        tensors=by_group(loaded),
        doubts=() if is_known else (Doubt.QUANTISATION,),
    )


def _parts(path: Path) -> Iterator[Path]:
    """Yield every part of a file; raise CodedError for one that is missing."""
    match = PART.search(path.name)
    if match is None:
        yield path
        return
    count, stem = int(match[2]), path.name[: match.start()]
    if not 0 < count <= 1000:
        raise CodedError("file_malformed", path=path.name)
    for number in range(1, count + 1):
        part = path.with_name(f"{stem}-{number:05}-of-{count:05}.gguf")
        if not part.is_file():
            raise CodedError("file_part_missing", path=part.name)
        yield part


def _shapes(headers: list[GgufHeader]) -> dict[str, tuple[int, ...]]:
    return {name: shape for header in headers for name, shape in header.shapes.items()}


def _architecture(facts: Facts, path: Path) -> ArchitectureRecord:
    try:
        return ArchitectureRecord.model_validate(architecture_of(facts))
    except ValidationError as error:
        raise CodedError("file_malformed", path=path.name) from error


def _precision(values: dict[str, Value], tensors: list[Stored]) -> tuple[str, bool]:
    """Return the catalogue's name of the file's format, and whether it has one."""
    kind = values.get(Keys.General.FILE_TYPE)
    if isinstance(kind, int) and kind in FILE_TYPES:
        return FILE_TYPES[LlamaFileType(kind)], True
    bits = 8 * sum(one.size_bytes for one in tensors) / _parameters(tensors)
    return next((name for most, name in NEAREST if bits <= most), "fp32"), False


def _parameters(tensors: list[Stored]) -> int:
    return sum(tensor.parameters for tensor in tensors)


def _kind(architecture: ArchitectureRecord, tensors: list[Stored]) -> ModelKind:
    if architecture.recurrent:
        return ModelKind.HYBRID
    if architecture.moe is not None:
        return ModelKind.MOE
    groups = {size.group for size in by_group(tensors)}
    return ModelKind.VLM if TensorGroup.VISION in groups else ModelKind.LLM


def _name(values: dict[str, Value], path: Path) -> str:
    name = values.get(Keys.General.NAME)
    return (name if isinstance(name, str) and name.strip() else path.stem)[:80]


def _digest(headers: list[GgufHeader]) -> str:
    digest = hashlib.sha256()
    for header in headers:
        digest.update(repr(sorted(header.values.items())).encode())
        digest.update(repr(sorted(map(repr, header.tensors))).encode())
    return digest.hexdigest()[:16]
