"""What one request leaves in the KV cache, from the model's shape: no engine, no split."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizing.attention_layers import AttentionLayers, attention_layer_count, attention_layers
from sizing.records import ArchitectureRecord, MlaRecord
from sizing.recurrent import layer_state


@dataclass(frozen=True)
class CacheGroup:
    """Layers that keep equal entries."""

    layers: int
    heads: int
    """Parts that tensor parallelism divides; one where every rank keeps the whole entry."""
    head_elements: float
    """Numbers of one head for one token: its key and its value."""
    window_tokens: int | None = None
    """Tokens kept at most; None for the whole context."""
    is_source: bool = False
    """Whether it keeps `window_tokens` of an encoder, however short the request is."""

    def kept_tokens(self, tokens: int) -> int:
        """Return the tokens it keeps of a request of `tokens`."""
        if self.window_tokens is None:
            return tokens
        return self.window_tokens if self.is_source else min(tokens, self.window_tokens)

    @property
    def elements_per_token(self) -> float:
        """Return the numbers of one token over all layers of the group."""
        return self.layers * self.heads * self.head_elements


@dataclass(frozen=True)
class StateGroup:
    """Layers that keep a fixed state of each request."""

    layers: int
    layer_bytes: int
    """State of one layer, bytes; tensor parallelism divides it by heads."""


@dataclass(frozen=True)
class CacheLayout:
    """KV cache and states of one request, before any split."""

    groups: tuple[CacheGroup, ...]
    states: tuple[StateGroup, ...] = ()
    image_group: CacheGroup | None = None
    """Cross-attention entries that a request with an image adds."""

    @property
    def elements_per_token(self) -> float:
        """Return the numbers of one token in the layers that keep the whole context."""
        return sum(each.elements_per_token for each in self.groups if each.window_tokens is None)

    @property
    def bounded_elements(self) -> float:
        """Return the numbers that layers with a window keep of a long request."""
        return sum(
            each.elements_per_token * each.window_tokens
            for each in self.groups
            if each.window_tokens is not None
        )

    @property
    def source_elements(self) -> float:
        """Return the numbers kept of an encoder's output, however short a request is."""
        return sum(
            each.elements_per_token * each.kept_tokens(0) for each in self.groups if each.is_source
        )

    @property
    def has_windows(self) -> bool:
        """Return whether some layers keep a bounded number of tokens."""
        return any(each.window_tokens is not None and not each.is_source for each in self.groups)

    @property
    def state_bytes(self) -> int:
        """Return the fixed states of one request, bytes."""
        return sum(each.layers * each.layer_bytes for each in self.states)

    def in_full(self) -> CacheLayout:
        """Return the layout of an engine that keeps the whole context in every layer."""
        return replace(self, groups=tuple(map(_unbounded, self.groups)))

    def with_images(self, source_tokens: int) -> CacheLayout:
        """Return the layout of a request whose images leave so many entries beside the text."""
        if self.image_group is None or not source_tokens:
            return self
        kept = replace(self.image_group, window_tokens=source_tokens)
        return replace(self, groups=(*self.groups, kept), image_group=None)


def _unbounded(group: CacheGroup) -> CacheGroup:
    return group if group.is_source else replace(group, window_tokens=None)


def cache_layout(architecture: ArchitectureRecord) -> CacheLayout:
    """Return what one request keeps.

    Full attention keeps KV heads x (key + value) of every token (`FullAttentionSpec` of vLLM),
    windows those of the last tokens only (`SlidingWindowSpec`), latent attention one latent and
    one rotary key that all heads share (`MLAAttentionSpec`), recurrent layers a state
    (`MambaSpec`).
    """
    hidden = architecture.hidden_size
    states = tuple(
        StateGroup(layers.layers, layer_state(layers, hidden).state_bytes)
        for layers in architecture.recurrent
    )
    if not architecture.is_causal:
        return CacheLayout(())
    return CacheLayout(
        (*_attention_groups(architecture), *_index_groups(architecture), *_source(architecture)),
        states,
        image_group=_image_group(architecture),
    )


def _attention_groups(architecture: ArchitectureRecord) -> tuple[CacheGroup, ...]:
    if architecture.mla is not None:
        return (_latent_group(architecture, architecture.mla),)
    if architecture.compression:
        return _compressed_groups(architecture)
    return tuple(
        _group(layers)
        for layers in attention_layers(architecture)
        if not layers.reads_earlier_cache
    )


def _group(layers: AttentionLayers) -> CacheGroup:
    return CacheGroup(
        layers.layers,
        layers.kv_heads,
        layers.head_dim + layers.value_head_dim,
        layers.window_tokens,
    )


def _latent_group(architecture: ArchitectureRecord, mla: MlaRecord) -> CacheGroup:
    """Keep latent and rotary key, no factor two (DeepSeek-V2, arXiv 2405.04434, section 2.1)."""
    layers = attention_layer_count(architecture)
    return CacheGroup(layers, 1, mla.kv_lora_rank + mla.rope_head_dim)


def _compressed_groups(architecture: ArchitectureRecord) -> tuple[CacheGroup, ...]:
    """Keep one latent for several tokens, its index key, and a short window uncompressed."""
    width = architecture.head_dim
    groups = [
        CacheGroup(each.layers, 1, (width + each.index_head_dim) // each.tokens_per_entry)
        for each in architecture.compression
    ]
    window = architecture.compressed_window_tokens
    if window is not None:
        groups.append(CacheGroup(attention_layer_count(architecture), 1, width, window))
    return tuple(groups)


def _index_groups(architecture: ArchitectureRecord) -> tuple[CacheGroup, ...]:
    """Keep one index key for each token (sparse attention of DeepSeek-V3.2)."""
    index = architecture.indexer
    return () if index is None else (CacheGroup(index.layers, 1, index.head_dim),)


def _source(architecture: ArchitectureRecord) -> tuple[CacheGroup, ...]:
    """Keep keys and values of the encoder's output, where every request has one."""
    cross = architecture.cross_attention
    if cross is None or cross.for_each_image:
        return ()
    return (_cross_group(architecture, cross.layers, cross.source_tokens),)


def _image_group(architecture: ArchitectureRecord) -> CacheGroup | None:
    cross = architecture.cross_attention
    if cross is None or not cross.for_each_image:
        return None
    return _cross_group(architecture, cross.layers, cross.source_tokens)


def _cross_group(
    architecture: ArchitectureRecord, layers: int, source_tokens: int | None
) -> CacheGroup:
    width = architecture.head_dim + (architecture.value_head_dim or architecture.head_dim)
    is_source = source_tokens is not None
    return CacheGroup(layers, architecture.kv_heads, width, source_tokens, is_source=is_source)
