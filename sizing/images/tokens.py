"""Tokens of an image and of sound, by the rule of the processor."""

from __future__ import annotations

from sizing.images.patches import patch_tokens
from sizing.images.picture import Picture
from sizing.images.tiles import tile_tokens
from sizing.records import FixedRule, ImageRule, PatchRule, SoundRule
from sizing.units import ceil_div


def image_tokens(rule: ImageRule, picture: Picture) -> int:
    """Return the tokens of one image; the marks before and after it are not counted."""
    if isinstance(rule, FixedRule):
        return rule.image_tokens
    if isinstance(rule, PatchRule):
        return patch_tokens(rule, picture)
    return tile_tokens(rule, picture)


def sound_tokens(rule: SoundRule, seconds: int) -> int:
    """Return the tokens of one recording of `seconds`."""
    heard = min(seconds, rule.longest_seconds or seconds)
    if rule.whole_pieces:
        return ceil_div(heard, rule.piece_seconds) * rule.piece_tokens
    return ceil_div(heard * rule.piece_tokens, rule.piece_seconds)
