"""Records of GGUF files: which tensor gets which type."""

from __future__ import annotations

from enum import StrEnum

from sizing.records.base import Count, Record, Text


class GgufTensor(StrEnum):
    """Matrices that file types treat apart from their default."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    OUTPUT = "output"
    QUERY_KEY_VALUE = "query_key_value"
    UP = "up"
    DOWN = "down"
    EXPERT = "expert"


class GgufLayers(StrEnum):
    """Layers that a rule reaches, of n."""

    ALL = "all"
    FIRST_TWO = "first_two"
    FIRST_FOUR = "first_four"
    FIRST_SIXTEENTH = "first_sixteenth"
    FIRST_EIGHTH = "first_eighth"
    MIDDLE = "middle"
    MORE_BITS = "more_bits"


class GgufRule(Record):
    """Type of some tensors in some layers."""

    tensors: tuple[GgufTensor, ...]
    """Which matrices."""

    type: Text
    """Type they get, as llama.cpp names it."""

    layers: GgufLayers = GgufLayers.ALL
    """In which layers."""

    least_heads_per_kv_head: Count = 0
    """Query heads that must share a key-value head for the rule to hold; 0 for all models."""


class GgufRecipe(Record):
    """Types of the tensors of one file type; the first rule that holds decides."""

    default: Text
    """Type of every matrix that no rule names."""

    head: Text
    """Type of the output head, and of an embedding table that serves as one."""

    embedding: Text | None = None
    """Type of the embedding table beside a head; None for the default."""

    rules: tuple[GgufRule, ...] = ()
    """Exceptions, in order."""
