"""Decide what a question means that names no model of the catalogue exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from bot import numbers
from bot.grammar.atoms import PLAIN_SIZE, is_size, parts_of
from bot.grammar.draft import Draft, NamedModel, Size
from bot.grammar.formats import (
    LOOKS_LIKE_PRECISION,
    SplitName,
    split_precision,
    unknown_precision,
)
from bot.grammar.lexicon import Lexicon
from bot.grammar.vocabulary import NAME_TAILS, OTHER_FAMILIES, STOP_WORDS, TECHNICAL
from bot.grammar.words import Words
from sizing.errors import UnknownModelError

LONGEST_TYPO: Final = 4
"""Words of a mistyped name that are tried together."""

MOST_TRIED: Final = 24
"""Words of a long text that are tried as names."""

MOST_PLAIN_WORDS: Final = 2
"""Unknown words of a short line that may be a name, not a sentence."""

COUNTED: Final = re.compile(r"^\d+x(?=\d)")
LETTERS_OF_NAME: Final = 2
"""Letters beside digits that make a word look like a name: `v3` is none."""


@dataclass(frozen=True)
class _Part:
    typed: str
    key: str
    position: int
    is_size: bool


class UnnamedModels:
    """Looks for a mistyped name, then for a size, then for a name nobody here knows."""

    def __init__(self, draft: Draft, words: Words, lexicon: Lexicon) -> None:
        self._draft = draft
        self._words = words
        self._models = lexicon.models
        self._precisions = lexicon.precisions
        lefts = [_Part(one.typed, one.key, one.position, is_size=False) for one in draft.leftovers]
        sizes = [_Part(one.typed, one.typed, one.position, is_size=True) for one in draft.sizes]
        self._parts = sorted((*lefts, *sizes), key=lambda part: part.position)[:MOST_TRIED]

    def resolve(self) -> tuple[str, ...]:
        """Return the id of the model meant, or nothing where a size or no model stands there.

        Raises UnknownModelError for what looks like a model's name but is none of the catalogue.
        """
        for run in self._runs():
            if found := self._mistyped(run):
                return (found,)
        for part in self._parts:
            if not part.is_size:
                self._check(part)
        if self._draft.sizes or "parameters" in self._draft.fields:
            return ()
        self._refuse_plain_name()
        return ()

    def _runs(self) -> Iterator[list[_Part]]:
        """Yield groups of neighbouring words."""
        run: list[_Part] = []
        for part in self._parts:
            if run and part.position != run[-1].position + 1:
                yield run
                run = []
            run.append(part)
        if run:
            yield run

    def _mistyped(self, run: Sequence[_Part]) -> str | None:
        for start in range(len(run)):
            for length in range(min(LONGEST_TYPO, len(run) - start), 0, -1):
                span = run[start : start + length]
                if all(part.is_size for part in span) or not self._worth_trying(span):
                    continue
                if found := self._read(span):
                    return found
        return None

    @staticmethod
    def _worth_trying(span: Sequence[_Part]) -> bool:
        """Leave short plain words alone: too many are near some name."""
        text = "".join(part.key for part in span)
        return any(map(str.isdigit, text)) or len(text) >= 6

    def _read(self, span: Sequence[_Part]) -> str | None:
        heads = [split_precision(part.key, self._precisions) for part in span]
        bare = [head.head if head else part.key for head, part in zip(heads, span, strict=True)]
        found = self._models.misread([parts_of(word) for word in bare])
        if not found:
            return None
        model_id, spelling = found
        atoms = frozenset(parts_of(spelling).named)
        self._draft.models.append(NamedModel(model_id, spelling, None, atoms))
        typed = " ".join(part.typed for part in span)
        self._draft.correct(typed, spelling)
        for head in heads:
            if head:
                self._draft.precisions.setdefault(head.precision, head.typed)
        self._take(span)
        return model_id

    def _take(self, span: Sequence[_Part]) -> None:
        positions = {part.position for part in span}
        self._draft.leftovers = [
            one for one in self._draft.leftovers if one.position not in positions
        ]
        self._draft.sizes = [one for one in self._draft.sizes if one.position not in positions]

    def _check(self, part: _Part) -> None:
        """Read a name with a size in it by that size; refuse a name without."""
        head = split_precision(part.key, self._precisions)
        name = head.head if head else part.key
        self._refuse_precision(name)
        if self._belongs_to_family(part, name):
            raise self._unknown(part)
        size = next((atom for atom in parts_of(name).atoms if PLAIN_SIZE.fullmatch(atom)), None)
        letters = sum(map(str.isalpha, COUNTED.sub("", name)))
        if size and self._is_sized_name(name):
            self._by_size(part, size, split=head)
        elif self._draft.sizes:
            return
        elif part.position == self._draft.expected_model or self._looks_named(part, letters):
            raise self._unknown(part)

    def _refuse_precision(self, name: str) -> None:
        for piece in re.split(r"[-:]", name)[1:]:
            if LOOKS_LIKE_PRECISION.fullmatch(piece) and not self._precisions.find(piece):
                raise unknown_precision(piece, self._precisions)

    def _belongs_to_family(self, part: _Part, name: str) -> bool:
        """Return whether a word says a known family, so that a bare size would be another model."""
        in_name = any(self._models.knows_family(piece) for piece in re.split(r"[-_:/]", name))
        has_digits = any(map(str.isdigit, name))
        beside_size = any(
            other.is_size and abs(other.position - part.position) == 1 for other in self._parts
        )
        return in_name and (has_digits or beside_size or not self._draft.sizes)

    @staticmethod
    def _is_sized_name(name: str) -> bool:
        """Return whether a name has one size, and a hyphen or nothing beside it."""
        atoms = parts_of(name).atoms
        return sum(map(is_size, atoms)) == 1 and ("-" in name or len(atoms) == 1)

    def _by_size(self, part: _Part, size: str, *, split: SplitName | None) -> None:
        parameters = numbers.parameters(size)
        if not parameters:
            return
        if len(parts_of(split.head if split else part.key).core) > 1:
            self._draft.correct(part.typed, size)
        self._draft.sizes.append(Size(parameters, size, part.position))
        self._draft.leftovers = [
            one for one in self._draft.leftovers if one.position != part.position
        ]
        if split:
            self._draft.precisions.setdefault(split.precision, split.typed)

    def _looks_named(self, part: _Part, letters: int) -> bool:
        if part.key in TECHNICAL:
            return False
        if part.key in OTHER_FAMILIES:
            return True
        has_digits = any(map(str.isdigit, part.key))
        after_noun = self._words.key(part.position - 1) in {"model", "modelo"}
        return has_digits and (letters >= LETTERS_OF_NAME or after_noun)

    def _refuse_plain_name(self) -> None:
        """Take the one or two unknown words of a short line for a name."""
        lefts = [part for part in self._parts if not part.is_size]
        starts_line = bool(lefts) and lefts[0].position == 0
        is_sentence = bool(STOP_WORDS.intersection(self._words.keys))
        about_hardware = bool(TECHNICAL.intersection(self._words.keys))
        short = len(self._draft.leftovers) <= MOST_PLAIN_WORDS
        if starts_line and short and not is_sentence and not about_hardware:
            raise self._unknown(lefts[0])

    @staticmethod
    def _continues_name(part: _Part) -> bool:
        has_digits = any(map(str.isdigit, part.key))
        is_pixels = re.fullmatch(r"\d+x\d+", part.key)
        return part.is_size or part.key in NAME_TAILS or (has_digits and not is_pixels)

    def _unknown(self, part: _Part) -> UnknownModelError:
        run = next(run for run in self._runs() if part in run)
        at = run.index(part)
        before = [other for other in run[max(0, at - 1) : at] if other.is_size]
        around = [*before, part, *takewhile(self._continues_name, run[at + 1 : at + LONGEST_TYPO])]
        word = " ".join(other.typed for other in around)
        size = next((other.key for other in around if other.is_size), None)
        suggestions = self._models.suggestions(word)
        if size and len(suggestions) < 3:
            suggestions = (*suggestions, size)
        return UnknownModelError(word=word, suggestions=suggestions)
