"""Read a JSON table that somebody else wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from bot.errors import CodedError

DEEPEST: Final = 20
"""Levels of nested tables that are read: real files have four."""


def parse_json(content: bytes, source: str) -> Mapping[str, object]:
    """Return the table in a JSON file; raise CodedError for anything else."""
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CodedError("file_not_json", path=source) from error
    if not isinstance(raw, dict) or _depth(raw) > DEEPEST:
        raise CodedError("file_not_json", path=source)
    return raw


def _depth(value: object, level: int = 0) -> int:
    if level > DEEPEST or not isinstance(value, dict | list):
        return level
    inner = value.values() if isinstance(value, dict) else value
    return max((_depth(one, level + 1) for one in inner), default=level)
