"""Sizes of pictures: `1024x1024`, `1280 x 720`, `720p`."""

from __future__ import annotations

import re
from typing import Final

from bot.grammar.draft import Draft
from bot.grammar.words import Words
from sizing.errors import InvalidRequestError

PICTURE: Final = re.compile(r"(?P<width>\d{2,5})(?:x|\*|×)(?P<height>\d{2,5})(?:px|pixels)?")
SIDE: Final = re.compile(r"\d{2,5}")
SMALLEST_SIDE: Final = 64
"""Pixels below which two numbers are no picture: `2x80` is a set of cards."""

LARGEST_SIDE: Final = 16_384
"""Pixels of a side that are believed."""

LINES: Final = {
    "480p": (832, 480), "720p": (1280, 720), "1080p": (1920, 1080), "1440p": (2560, 1440),
    "2160p": (3840, 2160),
}  # fmt: skip
"""Sizes by their lines; 480 lines as video models take them."""


def picture_size(text: str) -> tuple[int, int] | None:
    """Return width and height in pixels; None where `text` is no size of a picture."""
    if text in LINES:
        return LINES[text]
    if found := PICTURE.fullmatch(text):
        return _believed(int(found["width"]), int(found["height"]))
    return _believed(int(text), int(text)) if SIDE.fullmatch(text) else None


def _believed(width: int, height: int) -> tuple[int, int] | None:
    sides = (width, height)
    return sides if min(sides) >= SMALLEST_SIDE and max(sides) <= LARGEST_SIDE else None


def put_picture(draft: Draft, value: str, typed: str) -> None:
    """Keep the size of a picture; raise InvalidRequestError where it is none."""
    size = picture_size(value)
    if size is None:
        raise InvalidRequestError(reason="bad_value", word=typed, suggestions=("res=1024x1024",))
    draft.put("width_pixels", size[0], typed)
    draft.put("height_pixels", size[1], typed)


class PictureRules:
    """Rules for sizes of pictures that stand alone."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def sized(self, words: Words, position: int) -> int:
        """Take `1024x1024` or `720p`; a number of lines alone says nothing about tokens."""
        word = words.key(position)
        if SIDE.fullmatch(word) or picture_size(word) is None:
            return 0
        put_picture(self._draft, word, words.typed[position])
        return 1
