"""Compare names as people type them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

SEPARATORS: Final = re.compile(r"[\s._:/+-]+")
DIGITS: Final = re.compile(r"\d+")
FEWEST_LETTERS: Final = 4
"""Letters a word needs before a typo in it may be forgiven."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written with spaces."""
    return frozenset(text.split())


def compact(name: str) -> str:
    """Return `name` without the characters that people leave out or exchange."""
    return SEPARATORS.sub("", name.lower().replace("+", "plus"))


def digits_of(name: str) -> tuple[str, ...]:
    """Return the runs of digits of a name: what a correction may never change."""
    return tuple(DIGITS.findall(name))


def nearest(
    word: str, names: Iterable[str], *, limit: int = 3, at_least: float = 60
) -> tuple[str, ...]:
    """Return the names most like `word`, those with the same numbers first.

    `at_least` is the least likeness that counts, 0-100.
    """
    from rapidfuzz import fuzz, process

    found = process.extract(word, list(names), scorer=fuzz.ratio, limit=40, score_cutoff=at_least)
    own = digits_of(word)
    ranked = sorted(found, key=lambda hit: (digits_of(hit[0]) != own, -hit[1], len(hit[0]), hit[0]))
    return tuple(hit[0] for hit in ranked[:limit])


def misspelt(letters: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that `letters` is a likely typo of: one edit, two from ten letters on."""
    from rapidfuzz.distance import OSA

    if len(letters) < FEWEST_LETTERS:
        return ()
    edits = 2 if len(letters) >= 10 else 1
    return tuple(name for name in names if OSA.distance(letters, name, score_cutoff=edits) <= edits)
