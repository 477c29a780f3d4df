"""Legal ways to split one model over GPUs."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.records import ArchitectureRecord
from sizing.units import ceil_div

VOCABULARY_PADDING = 64
"""Rows to whose multiple engines pad the vocabulary (`DEFAULT_VOCAB_PADDING_SIZE`)."""


@dataclass(frozen=True)
class Layout:
    """How the GPUs of all replicas are used."""

    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    replicas: int = 1

    @property
    def gpus_per_replica(self) -> int:
        """Return the devices that hold one copy of the model."""
        return self.tensor_parallel * self.pipeline_parallel

    @property
    def gpus(self) -> int:
        """Return the devices of all replicas."""
        return self.gpus_per_replica * self.replicas


def splits_heads(architecture: ArchitectureRecord, tensor_parallel: int) -> bool:
    """Return whether heads divide evenly; KV heads may be copied, not cut (vLLM, SGLang)."""
    if architecture.heads % tensor_parallel:
        return False
    larger = max(architecture.kv_heads, tensor_parallel)
    smaller = min(architecture.kv_heads, tensor_parallel)
    return larger % smaller == 0


def splits_ffn(architecture: ArchitectureRecord, tensor_parallel: int) -> bool:
    """Return whether every FFN width divides evenly (vLLM `ensure_divisibility`)."""
    return all(width % tensor_parallel == 0 for width in ffn_widths(architecture))


def ffn_widths(architecture: ArchitectureRecord) -> tuple[int, ...]:
    """Return the inner widths of the model's FFNs, dense, routed and shared."""
    moe = architecture.moe
    if moe is None:
        return (architecture.ffn_size,)
    return (architecture.ffn_size, moe.expert_ffn_size, moe.shared_ffn_size)


def splits_vocabulary(architecture: ArchitectureRecord, tensor_parallel: int) -> bool:
    """Return whether the padded vocabulary divides evenly, as vLLM and SGLang require.

    Source: vLLM `vocab_parallel_embedding.py`, issue 31474; SGLang issue 31799.
    """
    return padded_vocabulary(architecture) % tensor_parallel == 0


def padded_vocabulary(architecture: ArchitectureRecord) -> int:
    """Return the rows of the embedding table as an engine allocates it."""
    return ceil_div(architecture.vocabulary_size, VOCABULARY_PADDING) * VOCABULARY_PADDING


def starts_with(architecture: ArchitectureRecord, tensor_parallel: int) -> bool:
    """Return whether engines get past start-up at a degree that divides the heads."""
    return splits_ffn(architecture, tensor_parallel) and splits_vocabulary(
        architecture, tensor_parallel
    )


def legal_tensor_parallel(architecture: ArchitectureRecord, limit: int) -> tuple[int, ...]:
    """Return the tensor-parallel degrees up to `limit` that an engine starts with."""
    return tuple(
        degree
        for degree in range(1, limit + 1)
        if splits_heads(architecture, degree) and starts_with(architecture, degree)
    )


def layout_for_count(architecture: ArchitectureRecord, gpus: int, limit: int) -> Layout:
    """Return the split of one replica over exactly `gpus` devices, tensor parallel first.

    `limit` is the largest tensor-parallel group; pipeline stages take the rest.
    """
    legal = legal_tensor_parallel(architecture, min(gpus, limit))
    degree = max(degree for degree in legal if gpus % degree == 0)
    return Layout(tensor_parallel=degree, pipeline_parallel=gpus // degree)


def kv_heads_on_one_gpu(kv_heads: int, tensor_parallel: int) -> int:
    """Return the KV heads a rank holds: copied, never less than one."""
    return ceil_div(kv_heads, tensor_parallel)


def layers_on_one_gpu(layers: int, pipeline_parallel: int) -> int:
    """Return the layers of the fullest pipeline stage."""
    return ceil_div(layers, pipeline_parallel)
