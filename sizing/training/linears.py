"""The linear layers of a model: what adapters hang on and optimizers of matrices project."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.projections import Matrices, attention_matrices, recurrent_matrices
from sizing.records import ArchitectureRecord, Matrix
from sizing.tuning import AdapterTargets

QUERY_AND_VALUE = frozenset({Matrix.QUERY, Matrix.VALUE, Matrix.LATENT})
"""Matrices that the smallest set of targets takes; of latent attention all."""


def target_linears(
    architecture: ArchitectureRecord, targets: AdapterTargets
) -> tuple[Matrices, ...]:
    """Return the layers that carry adapters.

    Routed experts carry none: they are no linear layers of their own in current implementations
    (`target_modules="all-linear"` of PEFT).
    """
    found = [*_attention(architecture, targets), *recurrent_matrices(architecture)]
    if targets is AdapterTargets.ALL_LINEAR:
        found += _ffn(architecture, _dense_layers(architecture), architecture.ffn_size)
        if architecture.moe is not None:
            found += _ffn(architecture, architecture.moe.layers, architecture.moe.shared_ffn_size)
    return tuple(one for one in found if one.parameters)


def all_linears(architecture: ArchitectureRecord) -> tuple[Matrices, ...]:
    """Return every linear layer, each routed expert's too."""
    linears = target_linears(architecture, AdapterTargets.ALL_LINEAR)
    moe = architecture.moe
    if moe is None:
        return linears
    return (*linears, *_ffn(architecture, moe.layers * moe.experts, moe.expert_ffn_size))


def _attention(architecture: ArchitectureRecord, targets: AdapterTargets) -> tuple[Matrices, ...]:
    matrices = attention_matrices(architecture)
    if targets is not AdapterTargets.QUERY_VALUE:
        return matrices
    return tuple(one for one in matrices if one.matrix in QUERY_AND_VALUE)


def _dense_layers(architecture: ArchitectureRecord) -> int:
    layers = architecture.ffn_layers or architecture.layers
    moe = architecture.moe
    return layers if moe is None or moe.dense_beside_experts else layers - moe.layers


def _ffn(architecture: ArchitectureRecord, layers: int, width: int) -> Iterator[Matrices]:
    """Yield gate and up, then down (`LlamaMLP` of transformers); no gate where there is none."""
    if layers and width:
        hidden = architecture.hidden_size
        yield Matrices((2 if architecture.gated_ffn else 1) * layers, width, hidden)
        yield Matrices(layers, hidden, width)
