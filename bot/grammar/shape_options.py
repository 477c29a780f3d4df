"""Keys for the shape of a model without a name, as configuration files and papers call them."""

from __future__ import annotations

from typing import Final

SHAPE_OPTIONS: Final = (
    ("experts", 10**5, ("experts", "expertos", "num-experts")),
    ("layers", 10**5, ("layers", "capas", "num-hidden-layers", "n-layers")),
    ("hidden_size", 10**7, ("hidden", "hidden-size", "d-model", "n-embd")),
    ("heads", 10**5, ("heads", "cabezas", "num-attention-heads", "attention-heads", "n-heads")),
    ("kv_heads", 10**5, (
        "kvheads", "kv-heads", "num-key-value-heads", "cabezas-kv", "n-kv-heads",
    )),
    ("head_dim", 10**5, ("headdim", "head-dim", "head-size")),
    ("ffn_size", 10**7, ("ffn", "ffn-size", "intermediate-size", "intermediate", "d-ff")),
    ("vocabulary_size", 10**8, ("vocab", "vocab-size", "vocabulary", "vocabulario")),
)  # fmt: skip
"""Field, largest value that is believed, and keys."""
