"""The attention layers of a model, grouped by shape and reach."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.records import ArchitectureRecord, AttentionVariantRecord


@dataclass(frozen=True)
class AttentionLayers:
    """Equal attention layers."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    value_head_dim: int
    window_tokens: int | None
    """Tokens they look back on; None for the whole context."""
    reads_earlier_cache: bool
    value_is_key: bool


def attention_layer_count(architecture: ArchitectureRecord) -> int:
    """Return the layers that attend: all but those with a state and those with an FFN alone."""
    recurrent = sum(layers.layers for layers in architecture.recurrent)
    return architecture.layers - recurrent - architecture.ffn_only_layers


def attention_layers(architecture: ArchitectureRecord) -> tuple[AttentionLayers, ...]:
    """Return the groups of equal layers, those of the architecture's own shape first."""
    variants = architecture.attention_variants
    own = attention_layer_count(architecture) - sum(each.layers for each in variants)
    groups = tuple(_variant(each, architecture) for each in variants)
    if own <= 0:
        return groups
    value_head_dim = architecture.value_head_dim or architecture.head_dim
    return (
        AttentionLayers(
            layers=own,
            heads=architecture.heads,
            kv_heads=architecture.kv_heads,
            head_dim=architecture.head_dim,
            value_head_dim=value_head_dim,
            window_tokens=None,
            reads_earlier_cache=False,
            value_is_key=False,
        ),
        *groups,
    )


def _variant(each: AttentionVariantRecord, architecture: ArchitectureRecord) -> AttentionLayers:
    """Fill in what a variant shares with the architecture; its own head sets its values too."""
    head_dim = each.head_dim or architecture.head_dim
    inherited = None if each.head_dim else architecture.value_head_dim
    return AttentionLayers(
        layers=each.layers,
        heads=each.heads or architecture.heads,
        kv_heads=each.kv_heads or architecture.kv_heads,
        head_dim=head_dim,
        value_head_dim=each.value_head_dim or inherited or head_dim,
        window_tokens=each.window_tokens,
        reads_earlier_cache=each.reads_earlier_cache,
        value_is_key=each.value_is_key,
    )
