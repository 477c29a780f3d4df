"""What one item makes a GPU compute, read and start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ItemWork:
    """Work of one item, and of the batch it is part of."""

    network: str
    """Kind of network: `unet`, `transformer`, `text`, `speech`."""
    quantised_operations: float
    """Additions and multiplications with weights that a format below 16 bits applies to."""
    other_operations: float
    """Those in 16 bits whatever the format; of 32 bits counted twice."""
    kernels: float
    """Operators started for the whole batch."""
    item_bytes: float = 0.0
    """Cache read for the item."""
    batch_bytes: float = 0.0
    """Weights read once for the whole batch, step by step."""
