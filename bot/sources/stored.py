"""Tensors as they lie in files: their group by name, their sizes by group."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sizing.records import GivenTensors, TensorGroup


@dataclass(frozen=True)
class Stored:
    """One tensor of a file."""

    name: str
    parameters: int
    """Parameters it stands for; 0 for scales and the like."""
    size_bytes: int


MOST_TENSORS: Final = 2_000_000
"""Most tensors that are read: a mixture of 900 experts in 93 layers has 250,000."""

LAYER: Final = re.compile(r"(?:^|\.)(?:layers|h|blocks?|block|layer|blk)\.(\d{1,5})\.")
"""Number of a tensor's layer."""

TOWER: Final = re.compile(
    r"vision|visual|multi_modal_projector|mm_projector|image_newline|vit\b|^mlp1\.|^v\.|^mm\."
)
AUDIO: Final = re.compile(r"audio|^a\.|speech")
PARTS: Final = (
    (TensorGroup.SHARED_EXPERTS, re.compile(r"shared_expert|_shexp|shared_mlp")),
    (TensorGroup.ROUTER, re.compile(
        r"mlp\.gate\.|\.router\b|\.router\.|gate_inp|moe\.gate\.|feed_forward\.gate\.|mlp\.gate$"
        r"|block_sparse_moe\.gate\.|e_score_correction|exp_probs_b"
    )),
    (TensorGroup.EXPERTS, re.compile(r"experts|_exps")),
    (TensorGroup.NORM, re.compile(r"norm|\bln_|layernorm|\.ln\d?\.|ln_f")),
    (TensorGroup.HEAD, re.compile(r"lm_head|^output\.|embed_out")),
    (TensorGroup.EMBEDDING, re.compile(
        r"embed|\bwte\b|\bwpe\b|token_embd|position_embd|token_types"
    )),
    (TensorGroup.OTHER, re.compile(
        r"\.bias$|sinks|a_log|dt_bias|conv1d|ssm_(?:a|d|dt|conv1d)\b|rope_freqs|layer_scale"
    )),
    (TensorGroup.FFN, re.compile(
        r"mlp|ffn|mixer\.(?:up|down)_proj|feed_forward|dense_h_to|dense_4h|fc_in|fc_out|fc1|fc2|\.w[123]\."
    )),
    (TensorGroup.RECURRENT, re.compile(
        r"linear_attn|mamba|ssm|shortconv|kda|\.conv\.|mixer\.(?:in|out|x|dt)_proj"
    )),
    (TensorGroup.ATTENTION, re.compile(r"attn|attention|mixer")),
)  # fmt: skip
"""Parts of names, the most telling first: an expert's matrix is also one of an FFN."""


def group_of(name: str) -> TensorGroup:
    """Return the group a tensor belongs to, by the names of transformers and llama.cpp."""
    lower = name.lower()
    if TOWER.search(lower):
        return TensorGroup.VISION
    if AUDIO.search(lower):
        return TensorGroup.AUDIO
    return next((group for group, part in PARTS if part.search(lower)), TensorGroup.OTHER)


def layer_of(name: str) -> int | None:
    """Return the number of the layer a tensor belongs to; None for the ends and for encoders."""
    if TOWER.search(name.lower()) or AUDIO.search(name.lower()):
        return None
    match = LAYER.search(name)
    return int(match[1]) if match else None


def by_group(
    tensors: Iterable[Stored], counted: Mapping[TensorGroup, int] | None = None
) -> tuple[GivenTensors, ...]:
    """Return the sizes of each group; `counted` parameters go before those of packed tensors."""
    parameters: dict[TensorGroup, int] = {}
    sizes: dict[TensorGroup, int] = {}
    for tensor in tensors:
        group = group_of(tensor.name)
        parameters[group] = parameters.get(group, 0) + tensor.parameters
        sizes[group] = sizes.get(group, 0) + tensor.size_bytes
    known = counted or {}
    return tuple(
        GivenTensors(
            group=group,
            parameters=known.get(group) or parameters[group] or 1,
            weights_bytes=sizes[group],
        )
        for group in TensorGroup
        if sizes.get(group)
    )
