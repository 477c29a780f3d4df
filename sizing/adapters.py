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
    """Adapters of one model: the two thin matrices of every attention and dense FFN projection."""

    inputs_bytes: int
    """First matrices (rank x inputs), whole on each tensor-parallel rank."""
    outputs_bytes: int
    """Second matrices (outputs x rank), cut like the projections."""

    @property
    def total_bytes(self) -> int:
        """Return the memory of all adapters before any split, bytes."""
        return self.inputs_bytes + self.outputs_bytes

    def on_one_gpu(self, layout: Layout) -> int:
        """Return the part one GPU holds, bytes (vLLM without `--fully-sharded-loras`)."""
        held = self.inputs_bytes + ceil_div(self.outputs_bytes, layout.tensor_parallel)
        return ceil_div(held, layout.pipeline_parallel)


def adapters_of(architecture: ArchitectureRecord, *, count: int, rank: int) -> Adapters:
    """Return `count` adapters of `rank`: rank x (inputs + outputs) for each projection."""
    shapes = _projections(architecture)
    size = count * rank * ADAPTER_BYTES_PER_PARAMETER
    return Adapters(
        inputs_bytes=size * sum(copies * inputs for copies, inputs, _ in shapes),
        outputs_bytes=size * sum(copies * outputs for copies, _, outputs in shapes),
    )


def _projections(architecture: ArchitectureRecord) -> list[tuple[int, int, int]]:
    """Return copies, inputs and outputs of the projections; experts carry no adapters."""
    width, layers = architecture.hidden_size, architecture.layers
    queries = architecture.heads * architecture.head_dim
    keys = architecture.kv_heads * architecture.head_dim
    dense = layers - (architecture.moe.layers if architecture.moe else 0)
    widening = 2 if architecture.gated_ffn else 1
    return [
        (layers, width, queries),
        (2 * layers, width, keys),
        (layers, queries, width),
        (widening * dense, width, architecture.ffn_size),
        (dense, architecture.ffn_size, width),
    ]
