"""Write the settings of a training run so that they read back the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sizing.tuning import Tuning

WORDS: Final = (
    ("framework=", "framework"), ("method=", "method"), ("teacher=", "beside"),
    ("tuner=", "tuner"), ("targets=", "targets"), ("trained-layers=", "trained_layers"),
    ("encoders=", "encoders"), ("optimizer=", "optimizer"), ("zero=", "zero_stage"),
    ("shard=", "shard_gpus"), ("cp=", "context_parallel"), ("offload=", "offload"),
    ("offload-fraction=", "offload_fraction"), ("loss=", "loss"),
    ("rollout=", "rollout_fraction"), ("tokens=", "run_tokens"),
)  # fmt: skip
"""Fields whose value is a word or a number, in the order people name them."""

SWITCHES: Final = (
    ("train-embeddings=", "embeddings"), ("in-backward=", "step_in_backward"),
    ("autocast=", "autocast"), ("offload=activations", "offload_activations"),
    ("checkpointing=", "checkpointing"), ("encoder-checkpointing=", "encoder_checkpointing"),
    ("flash=", "flash_attention"), ("compile=", "compiled"),
    ("packing=", "packed"),
)  # fmt: skip
"""Fields that are on or off."""

KEYS: Final = {name: key.partition("=")[0] for key, name in (*WORDS, *SWITCHES)}
"""The key of each field."""


def tuning_words(tuning: Tuning) -> Iterator[str]:
    """Yield the options of everything that differs from its default."""
    told = tuning.model_dump(exclude_defaults=True)
    for key, name in WORDS:
        if name in told:
            value = told[name]
            yield key + (number_text(value) if isinstance(value, float | int) else value)
    for key, name in SWITCHES:
        if name in told:
            yield key if name == "offload_activations" else f"{key}{'on' if told[name] else 'off'}"


def number_text(value: float) -> str:
    """Write a number so that its decimals are not taken for thousands."""
    if value == int(value):
        return str(int(value))
    text = f"{value:.9f}".rstrip("0")
    return text + "0" if len(text.rpartition(".")[2]) == 3 else text
