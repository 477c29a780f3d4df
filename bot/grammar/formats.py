"""Find precisions, KV precisions and serving engines among the catalogue's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from bot.names import compact, nearest
from sizing.errors import UnknownEngineError, UnknownPrecisionError

LONGEST_SPAN: Final = 4
"""Words that such a name may have: `q4 k m`, `tensorrt llm`."""

LOOKS_LIKE_PRECISION: Final = re.compile(
    r"(?:fp|int|uint|bf|nf|mxfp|nvfp|float|bfloat)-?\d{1,2}"
    r"|(?:i?q|tq)[1-9]\d?(?:[_-](?:[0-9]|xxs|xs|[klmsn]|xl|nl))*"
    r"|w\d{1,2}a\d{1,2}|\d{1,2}-?bits?|\d+(?:\.\d+)?bpw|e\dm\d"
)
"""What only a number format is called."""

DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d)")

PLAIN_WORDS: Final = frozenset({"full", "half", "none", "auto", "native", "mixed", "default"})
"""Names of number formats that mean something else in a sentence."""

GENERIC: Final = frozenset({"int4", "4bit", "int8", "8bit", "w4a16", "q4", "q8", "gguf"})
"""Names that say the bits only: a scheme named beside them wins."""

DECORATION: Final = re.compile(
    r"^(?:ud|i1|quantized|mlx)[-.]|[-.](?:dynamic|static|block|ct|gguf|marlin|g?(?:32|64|128)g?)$"
)
"""Words that publishers hang on a format's name without changing its size."""

FAVOURITE_FILES: Final = {
    "q2": ("q2km", "q2k"), "q3": ("q3km", "q3k"), "q4": ("q4km", "q4k", "q40"),
    "q5": ("q5km", "q5k", "q50"), "q6": ("q6k",), "q8": ("q80",), "qat": ("q40",),
}  # fmt: skip
"""Files that a bare quantisation level means, the usual one first."""

BARE_BITS: Final = {bits: (f"{bits}bit", f"{bits}bits", f"q{bits}") for bits in (3, 4, 5, 6, 8)}
"""Ways to name a width and no scheme; ids of the catalogue (`int4`) mean what they say."""


def _of_engine(name: str) -> dict[str, tuple[str, ...]]:
    return {word: (name.format(bits=bits),) for bits, words in BARE_BITS.items() for word in words}


ENGINE_FORMATS: Final = {
    "llamacpp": {
        **{
            word: FAVOURITE_FILES[f"q{bits}"]
            for bits, words in BARE_BITS.items()
            if bits != 3
            for word in words
        },
        **FAVOURITE_FILES,
    },
    "mlx": _of_engine("mlx{bits}bit"),
    "exllama": _of_engine("exl{bits}bpw"),
}
"""Formats that a bare width means to the users of an engine, the usual one first."""


class Named(Protocol):
    """A record with an id, a name and aliases."""

    @property
    def id(self) -> str:
        """Return the id."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return the other spellings."""


def says_bits_only(name: str) -> bool:
    """Return whether a precision's name leaves its scheme open."""
    return compact(name).removesuffix("s") in GENERIC


@dataclass(frozen=True)
class NameIndex:
    """Spellings of one kind of record."""

    by_key: Mapping[str, str]
    """Id by compact spelling."""

    ids: tuple[str, ...]
    """All ids."""

    def find(self, name: str) -> str | None:
        """Return the id of a name, decoration and a plural left aside."""
        key = compact(DECIMAL_COMMA.sub(".", name))
        for candidate in (key, key.removesuffix("s"), compact(undecorated(name))):
            if found := self.by_key.get(candidate):
                return found
        files = FAVOURITE_FILES.get(key, ())
        return next((self.by_key[file] for file in files if file in self.by_key), None)

    def find_span(self, words: Sequence[str], start: int) -> tuple[str, int] | None:
        """Return the id that the most words from `start` on name, and their number."""
        for length in range(min(LONGEST_SPAN, len(words) - start), 0, -1):
            name = "-".join(words[start : start + length])
            if found := self.find(name):
                return found, length
        return None


def build_name_index(records: Iterable[Named]) -> NameIndex:
    """Index ids and aliases; an id wins over another record's alias."""
    listed = tuple(records)
    by_key = {compact(alias): record.id for record in listed for alias in record.aliases}
    by_key |= {compact(record.id): record.id for record in listed}
    return NameIndex(by_key, tuple(record.id for record in listed))


def undecorated(name: str) -> str:
    """Return a format's name without what publishers hang on it."""
    previous = ""
    while previous != name:
        previous, name = name, DECORATION.sub("", name)
    return name


@dataclass(frozen=True)
class SplitName:
    """A model's name that ended in a precision."""

    head: str
    """The name before it."""

    precision: str
    """Id of the precision."""

    typed: str
    """The precision as typed."""


def split_precision(word: str, precisions: NameIndex) -> SplitName | None:
    """Cut the longest precision off the end of a model's name: `llama-8b-awq-int4`."""
    word = word.removesuffix(".gguf")
    parts = re.split(r"[-:/]", word)
    for start in range(max(1, len(parts) - LONGEST_SPAN), len(parts)):
        name = "-".join(parts[start:])
        if name in PLAIN_WORDS:
            continue
        if found := precisions.find(name) or specific(parts[start:], precisions):
            return SplitName(word[: len(word) - len(name) - 1], found, name)
    return None


def specific(names: Sequence[str], precisions: NameIndex) -> str | None:
    """Return the one scheme among names that are all precisions: awq of `awq`, `int4`."""
    found = [precisions.find(name) for name in names]
    if not all(found):
        return None
    schemes = {
        one for one, name in zip(found, names, strict=True) if one and not says_bits_only(name)
    }
    return schemes.pop() if len(schemes) == 1 else None


def unknown_precision(word: str, precisions: NameIndex) -> UnknownPrecisionError:
    """Return the error for a number format the catalogue lacks, with near ones."""
    letters = re.sub(r"\d.*", "", word)
    alike = [name for name in precisions.ids if letters and name.startswith(letters)]
    near = nearest(word, alike or precisions.ids, at_least=0 if alike else 50)
    return UnknownPrecisionError(word=word, suggestions=near)


def unknown_engine(word: str, engines: NameIndex) -> UnknownEngineError:
    """Return the error for a serving engine the catalogue lacks, with near ones."""
    return UnknownEngineError(word=word, suggestions=nearest(word, engines.ids) or engines.ids[:3])
