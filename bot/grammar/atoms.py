"""Cut a model name into the parts that matter: letters, version numbers and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.names import word_set

PARTS: Final = re.compile(r"[-_:/\s]+|\.(?=\D|$)|(?<=\D)\.")
ATOM: Final = re.compile(
    r"\d+x\d+(?:\.\d+)?b(?![a-z0-9])"
    r"|^[ae]\d+(?:\.\d+)?[bm]$"
    r"|\d+(?:[.,]\d+)?[bmt](?![a-z0-9])"
    r"|\d+k(?![a-z0-9])"
    r"|\d+e(?![a-z0-9])"
    r"|\d+(?:\.\d+)*"
    r"|[a-z+]+"
)
SIZE: Final = re.compile(r"(?:\d+x)?\d+(?:[.,]\d+)?[bmt]|[ae]\d+(?:\.\d+)?[bm]|\d+e")
PLAIN_SIZE: Final = re.compile(r"\d+(?:[.,]\d+)?[bmt]")
CONTEXT_SUFFIX: Final = re.compile(r"\d+k|1m|10m")
DATE: Final = re.compile(
    r"(?:2[3-9])?(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|2[3-9](?:0[1-9]|1[0-2])|20\d\d"
)
VERSION_LETTER: Final = re.compile(r"v(?=\d)")
EMPTY_DECIMALS: Final = re.compile(r"\.0+(?=[bmt]$)")
LATE_VERSION: Final = re.compile(r"[01]\.\d+")
ROLES: Final = word_set("""
    instruct chat it hf base sft dpo rlhf thinking reasoning preview alpha beta latest
    original orig text meta nvidia google microsoft ibm openai unsloth imat imatrix quantized
    inst pt
    """)
"""Parts of a name that do not change the shape of a model."""


KEPT_PARTS: Final = 2048
"""Parts of names whose reading is kept: the names of a catalogue are made of some five hundred."""


@dataclass(frozen=True)
class NameParts:
    """One typed word, cut up."""

    atoms: tuple[str, ...]
    """All parts in order."""

    core: tuple[str, ...]
    """Parts without roles, dates, late versions and context lengths."""

    dated: bool
    """Whether `core` lacks a date or a version, which may tell two models apart."""

    @property
    def named(self) -> tuple[str, ...]:
        """Return the parts without roles: all that a correction may not lose."""
        return tuple(atom for atom in self.atoms if atom not in ROLES) or self.atoms


def atoms_of(name: str) -> tuple[str, ...]:
    """Return the parts of a lower-case name: `llama3.1:8b` gives llama, 3.1, 8b."""
    return tuple(atom for part in PARTS.split(name) if part for atom in _atoms_of_part(part))


@lru_cache(maxsize=KEPT_PARTS)
def _atoms_of_part(part: str) -> tuple[str, ...]:
    return tuple(ATOM.findall(part))


@lru_cache(maxsize=KEPT_PARTS)
def is_size(atom: str) -> bool:
    """Return whether a part is a size: 8b, 8x7b, a3b, e4b, 128e."""
    return atom[-1:] in "bmte" and SIZE.fullmatch(atom) is not None


def key_of(atoms: Iterable[str]) -> str:
    """Return what equal spellings share: letters and versions run together, sizes set apart."""
    key = ""
    after_size = False
    for atom in atoms:
        if is_size(atom):
            key += "|" + _plain_size(atom)
            after_size = True
        else:
            key += ("|" if after_size else "") + atom.replace(".", "").replace("+", "plus")
            after_size = False
    return VERSION_LETTER.sub("", key).lstrip("|")


def parts_of(word: str) -> NameParts:
    """Cut one typed word into its parts, and into those that decide the shape."""
    atoms = atoms_of(word)
    kept = [atom for atom in atoms if atom not in ROLES]
    if len(kept) > 1 and any(atom[-1] in "km" for atom in kept):
        kept = [atom for atom in kept if not CONTEXT_SUFFIX.fullmatch(atom)] or kept
    core = _without_dates(kept)
    return NameParts(atoms, tuple(core), dated=len(core) < len(kept))


def _without_dates(atoms: list[str]) -> list[str]:
    core: list[str] = []
    for atom in atoms:
        if not atom[0].isdigit():
            core.append(atom)
            continue
        if core and DATE.fullmatch(atom):
            continue
        if LATE_VERSION.fullmatch(atom) and core[-1:] == ["v"] and any(map(is_size, core)):
            core.pop()
            continue
        core.append(atom)
    return core


def _plain_size(atom: str) -> str:
    if "." not in atom and "," not in atom:
        return atom
    return EMPTY_DECIMALS.sub("", atom.replace(",", "."))
