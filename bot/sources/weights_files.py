"""Combine weights of safetensors files with the shape of the `config.json` beside them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.sources.bounded import LARGEST_CONFIG_BYTES, read_bounded
from bot.sources.config import read_config
from bot.sources.safetensors import Header, read_weights
from bot.sources.stored import Stored, by_group, layer_of
from sizing.architecture import tensor_groups
from sizing.records import (
    ArchitectureRecord,
    Doubt,
    GivenModel,
    GivenTensors,
    ModelKind,
)

DTYPE_PRECISIONS: Final = {
    "F32": "fp32", "F16": "fp16", "BF16": "bf16", "F8_E4M3": "fp8", "F8_E5M2": "fp8",
    "I8": "int8", "I32": "int4", "U8": "nvfp4", "F4": "nvfp4",
}  # fmt: skip
"""Catalogue precision of the number type that most bytes have."""

UNKNOWN_SHAPE: Final = {
    "heads": 64, "kv_heads": 64, "head_dim": 128, "ffn_size": 0, "attention": "mha",
    "tied_embeddings": False, "cache_is_known": False,
}  # fmt: skip
"""Stands where no shape is known; nothing but splits by powers of two is derived from it."""


def read_safetensors(path: Path) -> GivenModel:
    """Return the model of safetensors files: the weights, and the shape where it is at hand."""
    header = read_weights(path)
    config = path.with_name("config.json")
    if config.is_file():
        return _with_shape(header, read_bounded(config, LARGEST_CONFIG_BYTES), path)
    return _weights_alone(header, path)


def _with_shape(header: Header, config: bytes, path: Path) -> GivenModel:
    """Replace the counted sizes by those of the files; heads beyond the layers are set apart."""
    model = read_config(config, path.name)
    layers = model.architecture.layers
    loaded = [one for one in header.tensors if (layer_of(one.name) or 0) < layers]
    if not header.tensors:
        return model.model_copy(update={"tensors": _shared_out(header.total_bytes, model)})
    counted = {size.group: size.parameters for size in tensor_groups(model.architecture)}
    return model.model_copy(update={"tensors": by_group(loaded, counted)})


def _shared_out(total_bytes: int, model: GivenModel) -> tuple[GivenTensors, ...]:
    """Share the bytes of an index out by the counted parameters of each group."""
    sizes = tensor_groups(model.architecture)
    whole = sum(size.parameters for size in sizes)
    # What heads for several tokens take lies in the same files and is not loaded.
    loaded = total_bytes * whole // (whole + model.mtp_parameters)
    return tuple(
        GivenTensors(
            group=size.group,
            parameters=size.parameters,
            weights_bytes=max(1, loaded * size.parameters // whole),
        )
        for size in sizes
    )


def _weights_alone(header: Header, path: Path) -> GivenModel:
    dtype = max(header.dtypes, key=lambda one: header.dtypes[one], default="BF16")
    whole = (Stored("model", header.total_bytes // 2, header.total_bytes),)
    tensors = by_group(header.tensors or whole)
    return GivenModel(
        name=path.name[:80],
        kind=ModelKind.LLM,
        source=path.name,
        model_type="?",
        digest=_digest(header),
        architecture=_unknown_shape(header),
        native_precision=DTYPE_PRECISIONS.get(dtype, "bf16"),
        tensors=tensors,
        doubts=() if header.tensors else (Doubt.PARAMETERS,),
    )


def _unknown_shape(header: Header) -> ArchitectureRecord:
    layers = {layer for name in header.names if (layer := layer_of(name)) is not None}
    vocabulary, hidden = header.vocabulary or (64, 64)
    known = {"layers": max(1, len(layers)), "hidden_size": hidden, "vocabulary_size": vocabulary}
    return ArchitectureRecord.model_validate({**UNKNOWN_SHAPE, **known})


def _digest(header: Header) -> str:
    sizes: Mapping[str, int] = Counter({one.name: one.size_bytes for one in header.tensors})
    lines = "\n".join(f"{name} {sizes.get(name, 0)}" for name in sorted(header.names))
    return hashlib.sha256(f"{header.total_bytes}\n{lines}".encode()).hexdigest()[:16]
