"""LoRA adapters served beside the model: the memory an engine sets aside for them."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.parallelism import Layout
from sizing.records import ArchitectureRecord
from sizing.units import ceil_div

DEFAULT_RANK = 16
"""Rank that vLLM reserves unless told otherwise (`--max-lora-rank`)."""

ADAPTER_BYTES_PER_PARAMETER = 2
"""Adapters are kept in 16 bits."""


@dataclass(frozen=True)
class Adapters:
    """Adapters of one model: the two thin matrices of every attention and dense FFN projection.

    Under tensor parallelism a matrix is cut along the side its projection is cut on and kept
    whole on the other (vLLM `ColumnParallelLinearWithLoRA`, `RowParallelLinearWithLoRA`).
    """

    whole_bytes: int
    """Sides that every tensor-parallel rank holds whole."""
    cut_bytes: int
    """Sides that the ranks share."""

    @property
    def total_bytes(self) -> int:
        """Return the memory of all adapters before any split, bytes."""
        return self.whole_bytes + self.cut_bytes

    def on_one_gpu(self, layout: Layout) -> int:
        """Return the part one GPU holds, bytes."""
        held = self.whole_bytes + ceil_div(self.cut_bytes, layout.tensor_parallel)
        return ceil_div(held, layout.pipeline_parallel)


@dataclass(frozen=True)
class _Projection:
    """Equal projections, `whole` and `cut` sides of their adapters."""

    copies: int
    whole: int
    cut: int


def adapters_of(architecture: ArchitectureRecord, *, count: int, rank: int) -> Adapters:
    """Return `count` adapters of `rank`: rank x (inputs + outputs) for each projection."""
    projections = _projections(architecture)
    size = count * rank * ADAPTER_BYTES_PER_PARAMETER
    return Adapters(
        whole_bytes=size * sum(each.copies * each.whole for each in projections),
        cut_bytes=size * sum(each.copies * each.cut for each in projections),
    )


def _projections(architecture: ArchitectureRecord) -> tuple[_Projection, ...]:
    """Return the projections that carry adapters; experts carry none."""
    width, layers = architecture.hidden_size, architecture.layers
    queries = architecture.heads * architecture.head_dim
    keys = architecture.kv_heads * architecture.head_dim
    dense = layers - (architecture.moe.layers if architecture.moe else 0)
    widening = 2 if architecture.gated_ffn else 1
    return (
        _Projection(layers, whole=width, cut=queries),
        _Projection(2 * layers, whole=width, cut=keys),
        _Projection(layers, whole=width, cut=queries),
        _Projection(widening * dense, whole=width, cut=architecture.ffn_size),
        _Projection(dense, whole=width, cut=architecture.ffn_size),
    )
