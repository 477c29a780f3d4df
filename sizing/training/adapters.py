"""Parameters of adapters, by kind."""

from __future__ import annotations

from collections.abc import Callable

from sizing.attention_layers import attention_layers
from sizing.projections import Matrices
from sizing.records import ArchitectureRecord
from sizing.training.linears import all_linears, target_linears
from sizing.tuning import AdapterTargets, Tuner

DEFAULT_RANKS = {
    Tuner.LORA: 16,
    Tuner.DORA: 16,
    Tuner.ADALORA: 12,
    Tuner.VERA: 256,
    Tuner.BOFT: 4,
    Tuner.BONE: 64,
    Tuner.PREFIX: 20,
    Tuner.PROMPT: 20,
    Tuner.BOTTLENECK: 128,
}
"""Rank of an adapter unless told otherwise; for BOFT the size of a block, for prefixes and prompts
their tokens, for a bottleneck its width (defaults of PEFT and ms-swift; 16 for LoRA)."""

OF_A_LINEAR: dict[Tuner, Callable[[Matrices, int], int]] = {
    # Hu et al. 2021, section 4.1: rank x (inputs + outputs).
    Tuner.LORA: lambda one, rank: rank * (one.inputs + one.outputs),
    # Liu et al. 2024: a magnitude for each output beside.
    Tuner.DORA: lambda one, rank: rank * (one.inputs + one.outputs) + one.outputs,
    # Zhang et al. 2023: a singular value for each rank beside.
    Tuner.ADALORA: lambda one, rank: rank * (one.inputs + one.outputs + 1),
    # Kopiczko et al. 2023: a scale for each rank and each output.
    Tuner.VERA: lambda one, rank: rank + one.outputs,
    # Liu et al. 2023: blocks of rank x rank along the inputs, a scale for each output.
    Tuner.BOFT: lambda one, rank: one.inputs * rank + one.outputs,
    # Kang 2024: one block row of the outputs.
    Tuner.BONE: lambda one, rank: rank * one.outputs,
}
"""Trained parameters of one linear layer's adapter."""


def adapter_parameters(
    architecture: ArchitectureRecord,
    *,
    rank: int,
    targets: AdapterTargets = AdapterTargets.ALL_LINEAR,
    tuner: Tuner = Tuner.LORA,
    experts: bool = False,
) -> int:
    """Return the trained parameters of one adapter, those of routed experts too where asked."""
    if tuner in OF_A_LINEAR:
        of_one = OF_A_LINEAR[tuner]
        whole = experts and targets is AdapterTargets.ALL_LINEAR
        linears = all_linears(architecture) if whole else target_linears(architecture, targets)
        return sum(one.count * of_one(one, rank) for one in linears)
    return _beside_the_linears(architecture, rank, tuner)


def _beside_the_linears(architecture: ArchitectureRecord, rank: int, tuner: Tuner) -> int:
    """Return the parameters of adapters that hang on no weight."""
    keys = sum(one.layers * one.kv_heads * one.head_dim for one in attention_layers(architecture))
    values = sum(
        one.layers * one.kv_heads * one.value_head_dim for one in attention_layers(architecture)
    )
    layers, hidden = architecture.layers, architecture.hidden_size
    match tuner:
        case Tuner.IA3:  # Liu et al. 2022: a scale for keys, values and the inner width.
            return keys + values + layers * architecture.ffn_size
        case Tuner.PREFIX:  # Li and Liang 2021: keys and values of each prefix token.
            return rank * (keys + values)
        case Tuner.PROMPT:  # Lester et al. 2021: an embedding for each prompt token.
            return rank * hidden
    # Houlsby et al. 2019: two bottlenecks a layer, each down and up with biases.
    return 2 * layers * (2 * rank * hidden + rank + hidden)


def adapter_inputs(architecture: ArchitectureRecord, targets: AdapterTargets) -> int:
    """Return the inputs of all targets together: what adapters copy of each token."""
    return sum(one.count * one.inputs for one in target_linears(architecture, targets))


def adapter_outputs(architecture: ArchitectureRecord, targets: AdapterTargets) -> int:
    """Return the outputs of all targets together: what DoRA scales of each token."""
    return sum(one.count * one.outputs for one in target_linears(architecture, targets))
