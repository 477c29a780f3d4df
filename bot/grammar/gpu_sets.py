"""Accelerators as they were named: sets to choose from, each of equal or of unequal cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.grammar.gpu_phrase import MEMORY, GpuReader
from bot.grammar.options import WORD_OPTIONS
from bot.grammar.vocabulary import DEVICES
from bot.grammar.words import Words
from sizing.request import GpuChoice

JOINERS: Final = frozenset({"+", "plus", "mas"})
"""Words between two cards of one set."""

PASSED: Final = DEVICES | {"a", "an", "vram"}
"""Words that may stand between a card and such a word."""

GPU_KEY: Final = re.compile(rf"-{{0,2}}(?:{'|'.join(WORD_OPTIONS['gpu'])})[=:]")


@dataclass
class GpuSets:
    """Sets of accelerators in the order they were named."""

    _sets: list[list[GpuChoice]] = field(default_factory=list)
    end: int = -1
    """Position behind the set named last."""

    def add(self, choice: GpuChoice, *, end: int = -1, joined: bool = False) -> None:
        """Keep accelerators whose name ends before the word at `end`."""
        if joined:
            self._sets[-1].append(choice)
        else:
            self._sets.append([choice])
        self.end = end

    def joins(self, words: Words, position: int) -> bool:
        """Return whether what starts at `position` belongs to the set named last."""
        at = self._before(words, position)
        return at > self.end and words.key(at - 1) in JOINERS and self._follows(words, at - 1)

    def _follows(self, words: Words, position: int) -> bool:
        return self._before(words, position) == self.end

    def _before(self, words: Words, position: int) -> int:
        """Return where the words that say nothing before `position` begin."""
        while position > self.end >= 0 and words.key(position - 1) in PASSED:
            position -= 1
        return position

    def resolved(self) -> tuple[tuple[GpuChoice, ...], bool]:
        """Return each choice once, and whether they are one set of unequal cards."""
        sets = list(dict.fromkeys(map(_added_up, self._sets)))
        counted = {_name(one) for cards in sets for one in cards if one.count}
        sets = [cards for cards in sets if cards[0].count or _name(cards[0]) not in counted]
        choices = tuple(dict.fromkeys(one for cards in sets for one in cards))
        return choices, len(sets) == 1 and len(choices) > 1


def _name(choice: GpuChoice) -> tuple[str | None, float | None, str | None]:
    return choice.gpu, choice.memory_gb, choice.mig_profile


def _added_up(cards: Sequence[GpuChoice]) -> tuple[GpuChoice, ...]:
    """Return the cards of one set, equal ones added up; joined to others, a card counts one."""
    if len(cards) == 1:
        return tuple(cards)
    counts: dict[tuple[str | None, float | None, str | None], int] = {}
    for one in cards:
        counts[_name(one)] = counts.get(_name(one), 0) + (one.count or 1)
    return tuple(
        GpuChoice(gpu=gpu, memory_gb=memory_gb, mig_profile=mig_profile, count=count)
        for (gpu, memory_gb, mig_profile), count in counts.items()
    )


def split_joined(words: Words, reader: GpuReader) -> None:
    """Set apart the cards of one word: `gpu=1x3090+1x3070`.

    Raises UnknownGpuError and AmbiguousGpuError as reading their names does.
    """
    for position in range(len(words) - 1, -1, -1):
        word = words.key(position)
        if "+" not in word or word == "+":
            continue
        key = GPU_KEY.match(word)
        prefix = key[0] if key else ""
        pieces = [piece for piece in re.split(r"(\+)", word[len(prefix) :]) if piece]
        if all(_joined_pieces(pieces, reader, forced=bool(key))):
            counted = (f"1x{one}" if key and MEMORY.fullmatch(one) else one for one in pieces[1:])
            words.split(position, [prefix + pieces[0], *counted])


def _joined_pieces(pieces: Sequence[str], reader: GpuReader, *, forced: bool) -> Iterator[bool]:
    """Yield whether each piece is a card, and at last whether a card has a name or a count."""
    found = False
    for piece in pieces:
        is_card = piece != "+" and reader.read([piece], 0) is not None
        found = found or is_card
        yield is_card or piece == "+" or MEMORY.fullmatch(piece) is not None
    yield found or forced
