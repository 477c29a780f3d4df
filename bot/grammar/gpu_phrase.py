"""Read accelerators with their count and memory: `2 x L40S`, `8xA100 80GB`, `2x24GB`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.grammar.gpus import FORMS, LINES, LONGEST_SPAN, PORTABLE, UNLISTED, GpuIndex
from bot.grammar.machines import MAC_WORDS, mac_of_memory, mac_words
from bot.grammar.vocabulary import (
    ADAPTERS,
    ARRIVALS,
    CONTEXT,
    DEVICES,
    IRRELEVANT_UNITS,
    NODES,
    RAM,
    RATES,
    TOKENS,
    USERS,
)
from bot.numbers import small_number
from sizing.errors import InvalidRequestError
from sizing.request import GpuChoice

TIMES: Final = re.compile(r"(\d+)x(.+)")
TIMES_AFTER: Final = re.compile(r"(.*?)x(\d+)")
MEMORY: Final = re.compile(r"(\d{1,4})(?:g|gb|gib)s?\+?")
WITH_MEMORY: Final = re.compile(r"(.*\D|.*-)-?(\d{1,4})(?:g|gb|gib)s?|(.+)-(\d{1,4})")
NVL: Final = re.compile(r"nvl(\d{1,3})(?:x(\d{1,5}))?")
MOST_DEVICES: Final = 100_000
"""Devices of one question that are believed."""

MOST_SPACED: Final = 1024
"""Largest number that, apart from a name, still reads as its count and not as a length."""

DGX_DEVICES: Final = 8
"""Accelerators of one DGX server, A100 to B300."""

DGX_FAMILIES: Final = frozenset({"a100", "h100", "h200", "b200", "b300"})
"""Families that a DGX server carries eight of."""

UNITS: Final = (
    USERS | DEVICES | NODES | TOKENS | CONTEXT | ADAPTERS | IRRELEVANT_UNITS | RAM | ARRIVALS
) | frozenset(RATES)
"""Words that belong to the number before them."""


@dataclass(frozen=True)
class GpuPhrase:
    """Accelerators as read, and how many words that took."""

    choice: GpuChoice
    length: int


@dataclass(frozen=True)
class _Name:
    ids: tuple[str, ...]
    typed: str
    length: int


class GpuReader:
    """Reads accelerators out of words."""

    def __init__(self, index: GpuIndex) -> None:
        self._index = index

    def read(self, words: Sequence[str], start: int, *, forced: bool = False) -> GpuPhrase | None:
        """Return the accelerators named at `start`; `forced` means that nothing else can stand.

        Raises UnknownGpuError and AmbiguousGpuError for names of accelerators that are not in the
        catalogue, or there more than once.
        """
        count, rest, used = self._leading_count(words, start)
        counted = count is not None
        if found := self._named(rest, counted=counted or forced):
            return self._finish(rest, found, count, used)
        if rest and (counted or forced) and (size := MEMORY.fullmatch(rest[0])):
            return self._memory_only(rest, float(size[1]), count, used)
        if forced and rest and not small_number(rest[0]):
            raise self._index.unknown(rest[0])
        return None

    def _leading_count(self, words: Sequence[str], start: int) -> tuple[int | None, list[str], int]:
        """Return a count, the words after it with the first one freed of it, and words used up."""
        rest = list(words[start : start + LONGEST_SPAN + 4])
        count, used = None, 0
        while rest and (times := TIMES.fullmatch(rest[0])) and not self._index.lookup(rest[0]):
            count = (count or 1) * int(times[1])
            rest[0] = times[2]
        number = small_number(rest[0]) if count is None and len(rest) > 1 else None
        if number is not None and number <= MOST_SPACED:
            skip = 2 if rest[1] in DEVICES else 1
            skip += skip == 2 and rest[skip : skip + 1] in (["de"], ["of"], ["with"], ["con"])
            if self._starts_name(rest[skip:]) or (skip > 1 and self._starts_memory(rest[skip:])):
                return self._checked(number, rest[0]), rest[skip:], skip
        return (self._checked(count, words[start]) if count is not None else None), rest, used

    def _starts_name(self, rest: list[str]) -> bool:
        return bool(rest) and (self._named(rest, counted=False) is not None)

    @staticmethod
    def _starts_memory(rest: list[str]) -> bool:
        return bool(rest) and MEMORY.fullmatch(rest[0]) is not None

    @staticmethod
    def _checked(count: int, word: str) -> int:
        if count < 1:
            raise InvalidRequestError(reason="not_positive", word=word)
        if count > MOST_DEVICES:
            raise InvalidRequestError(reason="out_of_range", word=word)
        return count

    def _named(self, rest: Sequence[str], *, counted: bool) -> _Name | None:
        """Return the longest accelerator name at the front of `rest`."""
        if len(rest) > 1 and counted and MEMORY.fullmatch(rest[0]):
            found = self._longest(rest[1:])
            return self._narrow(found, rest[0], 1) if found else None
        return (
            self._longest(rest)
            or self._machine(rest)
            or self._in_line(rest)
            or self._unlisted(rest, counted=counted)
        )

    def _machine(self, rest: Sequence[str]) -> _Name | None:
        """Read a Mac by its chip or its memory: `macbook pro m4 max`, `mac studio 192gb`."""
        glued = bool(rest) and rest[0].startswith("mac") and "-" in rest[0]
        parts = rest[0].split("-") if glued else list(rest)
        start = mac_words(parts)
        if not start:
            return None
        if chip := self._longest(parts[start:]):
            length = start + chip.length
            return _Name(chip.ids, " ".join(parts[:length]), 1 if glued else length)
        found, used = mac_of_memory(parts, self._index.records)
        typed = " ".join(parts[:used])
        if found:
            return _Name((found,), typed, 1 if glued else used)
        return None

    def _longest(self, rest: Sequence[str]) -> _Name | None:
        for length in range(min(LONGEST_SPAN, len(rest)), 0, -1):
            span = rest[:length]
            if (length > 1 and len(span[0]) < 2) or is_counted(rest, length - 1):
                continue
            name = "-".join(span)
            if ids := self._index.lookup(name):
                return self._portable(rest, _Name(ids, " ".join(span), length))
            if length == 1 and (found := self._with_memory(name)):
                return found
        return None

    def _portable(self, rest: Sequence[str], name: _Name) -> _Name:
        following = rest[name.length : name.length + 1]
        if following and following[0] in PORTABLE:
            raise self._index.unknown(f"{name.typed} {following[0]}")
        return name

    def _with_memory(self, word: str) -> _Name | None:
        found = WITH_MEMORY.fullmatch(word)
        name, size = (found[1] or found[3], found[2] or found[4]) if found else ("", "")
        ids = self._index.lookup(name.strip("-")) if name.strip("-") else ()
        return self._narrow(_Name(ids, word, 1), size + "gb", 0) if ids else None

    def _in_line(self, rest: Sequence[str]) -> _Name | None:
        """Read a product line and a number that no spelling has exactly: `RTX 6000`."""
        if not rest:
            return None
        line = re.match(r"[a-z]+", rest[0])
        if not line or line[0] not in LINES:
            return None
        has_digits = any(map(str.isdigit, rest[0]))
        length = 1 if has_digits else 2 if len(rest) > 1 and re.search(r"\d", rest[1]) else 0
        if not length:
            return None
        typed = " ".join(rest[:length])
        ids = self._index.alike(typed)
        if not ids:
            raise self._index.unknown(typed)
        return _Name(ids, typed, length)

    def _unlisted(self, rest: Sequence[str], *, counted: bool) -> _Name | None:
        """Raise UnknownGpuError for what can only be an accelerator."""
        if not rest:
            return None
        pair = "-".join(rest[:2])
        for name in (pair, rest[0]):
            if UNLISTED.fullmatch(name.removesuffix("s")):
                raise self._index.unknown(name.replace("-", " "))
        looks_named = re.fullmatch(r"[a-z]+\d+[a-z]*", rest[0])
        if counted and looks_named and not re.fullmatch(r"[a-z]\d{1,2}", rest[0]):
            raise self._index.unknown(rest[0])
        return None

    def _narrow(self, name: _Name, memory: str, extra: int) -> _Name:
        size = MEMORY.fullmatch(memory)
        fitting = self._index.with_memory(name.ids, float(size[1])) if size else name.ids
        if not fitting:
            raise self._index.no_variant(
                f"{name.typed} {memory}" if extra else name.typed, name.ids
            )
        return _Name(fitting, name.typed, name.length + extra)

    def _finish(self, rest: Sequence[str], name: _Name, count: int | None, used: int) -> GpuPhrase:
        """Take up memory, format and count that follow the name."""
        position = name.length
        while position < len(rest):
            word = rest[position]
            if after := self._trailing_count(word, name, count):
                count = self._checked(after, word)
            elif word in MAC_WORDS and self._index.records[name.ids[0]].vendor == "Apple":
                pass
            elif word in FORMS:
                name = _Name(self._index.with_form(name.ids, word), name.typed, name.length)
            elif narrowed := self._following_memory(rest, position, name):
                name = narrowed
                if times := TIMES_AFTER.fullmatch(word):
                    count = self._checked((count or 1) * int(times[2]), word)
            else:
                break
            position += 1
        chosen = self._index.choose(name.ids, name.typed)
        if name.typed.startswith("dgx") and self._index.records[chosen].family in DGX_FAMILIES:
            count = self._checked((count or 1) * DGX_DEVICES, name.typed)
        return GpuPhrase(GpuChoice(gpu=chosen, count=count), used + position)

    @staticmethod
    def _trailing_count(word: str, name: _Name, count: int | None) -> int | None:
        """Read `x8`, and `NVL4` of a GB200 board."""
        if times := re.fullmatch(r"x(\d+)", word):
            return (count or 1) * int(times[1])
        if (board := NVL.fullmatch(word)) and all(one.startswith("gb") for one in name.ids):
            return (count or 1) * int(board[1]) * int(board[2] or 1)
        return None

    def _following_memory(self, rest: Sequence[str], position: int, name: _Name) -> _Name | None:
        word = TIMES_AFTER.sub(r"\1", rest[position])
        following = rest[position + 1 : position + 2]
        if following and following[0] in RAM:
            return None
        if re.fullmatch(r"\d{2,3}", word):
            return self._bare_memory(rest, position, name, float(word))
        size = MEMORY.fullmatch(word)
        if not size:
            return None
        fitting = self._index.with_memory(name.ids, float(size[1]))
        if not fitting and following and following[0] in {"vram", "used", "usados", "free"}:
            return None
        if not fitting:
            raise self._index.no_variant(f"{name.typed} {word}", name.ids)
        return _Name(fitting, name.typed, name.length)

    def _bare_memory(
        self, rest: Sequence[str], position: int, name: _Name, memory_gb: float
    ) -> _Name | None:
        """Read `A100 80`: a number without unit counts only where a variant has that memory."""
        records = (self._index.records[one] for one in self._index.with_memory(name.ids, memory_gb))
        exact = tuple(one.id for one in records if one.memory_gb == memory_gb)
        if not exact or is_counted(rest, position):
            return None
        return _Name(exact, name.typed, name.length)

    def _memory_only(
        self, rest: Sequence[str], memory_gb: float, count: int | None, used: int
    ) -> GpuPhrase | None:
        following = rest[1:2]
        if memory_gb <= 0 or (following and following[0] in RAM):
            return None
        device = bool(following) and following[0] in DEVICES
        return GpuPhrase(GpuChoice(memory_gb=memory_gb, count=count), used + 1 + device)


def is_counted(words: Sequence[str], position: int) -> bool:
    """Return whether the word at `position` is a number that belongs to the next word."""
    following = words[position + 1 : position + 2]
    is_number = words[position].isdigit()
    return is_number and bool(following) and (following[0] in UNITS or following[0] == "x")
