"""What a line of models adds to the plain decoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.sources.keys import Keys
from bot.sources.shape import Part, Shape, plain_decoder


@dataclass(frozen=True)
class Family:
    """How one `model_type` departs from a plain decoder such as Llama."""

    parts: tuple[Part, ...] = ()
    """What its keys add, in order."""

    shape: Mapping[str, object] = field(default_factory=dict)
    """Fields that hold for the whole line."""

    tied: bool = False
    """`tie_word_embeddings` where the file does not say it (the default of its class)."""

    defaults: Mapping[str, object] = field(default_factory=dict)
    """Keys that published files leave out because the class's defaults serve."""

    nested: Mapping[str, object] = field(default_factory=dict)
    """Keys that only the text part of a multi-modal file leaves out."""

    base: Part = plain_decoder
    """Reads the widths."""

    copies_ends: bool = False
    """Whether a multi-token-prediction head stores embedding and output head once more."""


def shape_of(config: Keys, family: Family) -> Shape:
    """Return the shape that a file describes; raise CodedError where a key is missing."""
    shape: Shape = {}
    family.base(config, shape)
    shape |= family.shape
    shape["tied_embeddings"] = config.flag("tie_word_embeddings", default=family.tied)
    for part in family.parts:
        part(config, shape)
    return shape
