"""Words that name a model outside the catalogue; their case and marks must survive the reading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

REFERENCE: Final = re.compile(
    r"(?<!\S)(?P<reference>file:[^\s<>]{0,999}[^\s<>,;:!?)]"
    r"|hf:(?![.-])[\w.-]{1,96}/(?![.-])[\w.-]{1,96}(?<![.-])(?:@[\w.-]{1,64})?)"
    r"(?=[,;:!?)]*(?:\s|$))",
    re.IGNORECASE | re.ASCII,
)
"""`hf:organisation/name`, with a revision behind `@`, or `file:path`, blanks written as %20."""

PLACE: Final = "gpusize.reference"
"""Word that stands for a reference while the text is cleaned."""


def take_references(text: str) -> tuple[str, Mapping[str, str]]:
    """Return the text with a plain word for each reference, and what the words stand for."""
    found: dict[str, str] = {}

    def replaced(match: re.Match[str]) -> str:
        word = f"{PLACE}.{len(found)}"
        kind, _, rest = match["reference"].partition(":")
        found[word] = f"{kind.lower()}:{rest}"
        return word

    return REFERENCE.sub(replaced, text), found
