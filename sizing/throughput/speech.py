"""Work of a window of sound: an encoder over all of it, a decoder token by token."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import GroupWeights
from sizing.records import ArchitectureRecord, TensorGroup
from sizing.throughput.texts import KERNELS_PER_LAYER
from sizing.throughput.work import ItemWork

WINDOW_SECONDS = 30
"""Sound that Whisper encodes at once, silence included (openai/whisper audio.py CHUNK_LENGTH)."""

TOKENS_PER_WINDOW = 76
"""Tokens written of a window of speech: MLPerf Inference v5.1, reference implementation on
LibriSpeech, 1,403.84 tokens and 18.47 windows a second."""

CACHE_BYTES = 2
"""Bytes of a cached number."""


def speech_work(
    groups: Iterable[GroupWeights],
    shape: ArchitectureRecord,
    *,
    tokens: int = TOKENS_PER_WINDOW,
    beams: int = 1,
) -> ItemWork:
    """Return the work of one window: encoder, then `tokens` steps of the decoder.

    Encoder: 2 x parameters x positions, and attention over all of them: a layer has 12 d^2
    parameters and takes 4 d n^2, so that P parameters take P n^2 / (3 d). Decoder: 2 x parameters
    for each token and beam; its weights are read once a step for the batch, the cache of the
    sound for each window (the beams of one window share it).
    """
    cross = shape.cross_attention
    if cross is None or cross.source_tokens is None:
        raise ValueError("only a decoder that reads an encoder works on windows")
    listed = list(groups)
    heard = sum(one.parameters for one in listed if one.group is TensorGroup.AUDIO)
    written = [one for one in listed if one.group is not TensorGroup.AUDIO]
    positions, width = cross.source_tokens, shape.hidden_size
    encoder = 2.0 * heard * positions + heard * positions**2 / (3 * width)
    decoder = 2.0 * sum(one.parameters for one in written) * tokens * beams
    cache = 2.0 * cross.layers * shape.kv_heads * shape.head_dim * positions * CACHE_BYTES
    layers = heard / (12 * width**2) + tokens * shape.layers
    return ItemWork(
        network="speech",
        quantised_operations=encoder + decoder,
        other_operations=0.0,
        kernels=KERNELS_PER_LAYER * layers,
        item_bytes=cache * tokens,
        batch_bytes=float(sum(one.weights_bytes for one in written) * tokens),
    )
