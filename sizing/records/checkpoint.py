"""Records of published checkpoints whose formats are their own."""

from __future__ import annotations

from enum import StrEnum

from sizing.records.architecture import TensorGroup
from sizing.records.base import Identifier, Positive, PositiveCount, Record, Text


class Matrix(StrEnum):
    """Weight matrices of a layer that checkpoints treat apart from the rest of their group."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    QUERY_KEY_VALUE = "query_key_value"
    OUTPUT = "output"
    GATE = "gate"
    LATENT = "latent"
    INDEX = "index"
    IN = "in"
    STEP = "step"


class MatrixFormat(Record):
    """Format of some matrices, where it is not that of their group."""

    group: TensorGroup
    """Tensor group they belong to."""

    matrices: tuple[Matrix, ...] = ()
    """Which matrices of the group; empty for all."""

    layers: PositiveCount | None = None
    """In how many of the layers; None for all of them."""

    precision: Identifier | None = None
    """Format; None where they stay in 16 bits."""


class CheckpointRecord(Record):
    """A published checkpoint in another precision that leaves more, or less, in 16 bits."""

    repository: Text
    """Where it is published."""

    precision: Identifier
    """Precision that people call it by."""

    groups: dict[TensorGroup, Identifier]
    """Format of each quantised tensor group; the others stay in 16 bits."""

    exceptions: tuple[MatrixFormat, ...] = ()
    """Matrices of those groups in another format."""

    mtp_bits: Positive = 16
    """Bits of a weight of the multi-token-prediction heads."""
