"""Shape of an encoder beside the text model, for what its training keeps."""

from __future__ import annotations

from sizing.records.base import PositiveCount, Record


class TowerRecord(Record):
    """Shape of an encoder beside the text model, for what its training keeps."""

    layers: PositiveCount
    """Transformer blocks."""

    hidden_size: PositiveCount
    """Width of its residual stream."""

    ffn_size: PositiveCount
    """Inner width of its feed-forward part."""

    gated_ffn: bool = False
    """Whether that part has three matrices instead of two."""

    patch_pixels: PositiveCount
    """Pixels of a picture that one of its tokens, a patch, stands for."""

    frames_per_patch: PositiveCount = 1
    """Frames of a clip that one patch stands for."""

    patches_per_token: PositiveCount
    """Patches that are merged into one token of the text model."""
