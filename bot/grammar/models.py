"""Find the model that a person means among the catalogue's names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from bot.grammar.atoms import (
    PLAIN_SIZE,
    NameParts,
    atoms_of,
    is_size,
    key_of,
    parts_of,
)
from bot.grammar.model_names import ModelName, derived_names, stated_names
from bot.names import digits_of, misspelt, nearest
from bot.numbers import parameters
from sizing.errors import UnknownModelError
from sizing.records import ModelRecord

LONGEST_SPAN: Final = 7
"""Words that a name may have."""

SIZE_TOLERANCE: Final = 0.05
"""Share by which a rounded size may differ from the true one: 30 B for 32.5 B is a name instead."""


class Repository(NamedTuple):
    """What a repository on the Hub holds."""

    model_id: str
    precision: str | None = None
    """Precision, where it is a checkpoint in another than the model's own."""
    checkpoint: str | None = None
    """Its name, where it is one."""


@dataclass(frozen=True)
class ModelIndex:
    """All spellings of all models."""

    by_key: Mapping[str, str]
    """Id by key of each spelling."""

    by_repository: Mapping[str, Repository]
    """Models and checkpoints by lower-case name, which may say more than its last part."""

    spellings: Mapping[str, str]
    """A readable spelling for each key."""

    dated: Mapping[str, frozenset[str]]
    """Ids by key of a spelling without its date or version."""

    heads: frozenset[str]
    """First two characters of all keys."""

    names: Mapping[str, Sequence[NameParts]]
    """All spellings of a model, cut up."""

    published: Mapping[str, int]
    """Published parameters of a model; 0 where they are not known."""

    alternatives: Mapping[str, tuple[str, ...]]
    """Ids that a name of this model is easily confused with."""

    pictured: frozenset[str]
    """Ids of models that see or make pictures."""

    def find(self, words: Sequence[NameParts]) -> str | None:
        """Return the id of the model that exactly these words name."""
        whole = [atom for word in words for atom in word.atoms]
        if found := self._by_atoms(whole):
            return found
        core = [atom for word in words for atom in word.core]
        if not core or core == whole:
            return None
        found = self._by_atoms(core)
        if found and any(word.dated for word in words):
            others = self.dated.get(key_of(core), frozenset()) - {found}
            return None if others else found
        return found

    def _by_atoms(self, atoms: Sequence[str]) -> str | None:
        for order in _orders(atoms):
            if found := self.by_key.get(key_of(order)):
                return found
        return None

    def telling(self, words: Sequence[NameParts]) -> tuple[str, ...]:
        """Return the parts of a found name that tell models apart: roles and late dates do not."""
        named = [atom for word in words for atom in word.named]
        core = [atom for word in words for atom in word.core]
        return tuple(named if self._by_atoms(named) else core)

    def atoms(self, model_id: str) -> frozenset[str]:
        """Return the parts of all spellings of a model."""
        return frozenset(atom for parts in self.names[model_id] for atom in parts.atoms)

    def sizes(self, model_id: str) -> tuple[int, ...]:
        """Return the parameters that the names of a model say, and those published."""
        told = {parameters(atom) for atom in self.atoms(model_id) if _says_size(atom)}
        return tuple(sorted(filter(None, told | {self.published[model_id]})))

    def agrees(self, model_id: str, size: int) -> bool:
        """Return whether `size` parameters is one of the sizes told of a model."""
        return any(abs(size - own) <= SIZE_TOLERANCE * own for own in self.sizes(model_id))

    @cached_property
    def _families(self) -> frozenset[str]:
        """First letters of all names: llama, qwen."""
        return frozenset(_family_names(self.names, self.spellings.values()))

    @cached_property
    def _letters_by_numbers(self) -> Mapping[tuple[str, ...], Mapping[str, Sequence[str]]]:
        """Keys of spellings by their numbers, then by their letters; typos alone need them."""
        found: dict[tuple[str, ...], dict[str, list[str]]] = {}
        for known in self.spellings:
            by_letters = found.setdefault(_numbers(known), {})
            by_letters.setdefault(_letters(known), []).append(known)
        return found

    @cached_property
    def _all_letters(self) -> frozenset[str]:
        return frozenset(
            letters for by_letters in self._letters_by_numbers.values() for letters in by_letters
        )

    def misread(self, words: Sequence[NameParts]) -> tuple[str, str] | None:
        """Return the id and the spelling that these words are a typo of, if just one model is."""
        key = key_of(atom for word in words for atom in word.named)
        letters, numbers = _letters(key), _numbers(key)
        by_letters = self._letters_by_numbers.get(numbers, {})
        if letters in self._all_letters:
            return None
        close = misspelt(letters, sorted(by_letters))
        keys = [known for name in close for known in by_letters[name]]
        ids = {self.by_key[known] for known in keys}
        return (ids.pop(), self.spellings[min(keys)]) if len(ids) == 1 else None

    def suggestions(self, word: str) -> tuple[str, ...]:
        """Return up to three spellings of different models near `word`, best first."""
        parts = parts_of(word)
        atoms = parts.core or (word,)
        pool = self._pool(atoms)
        ranked = nearest(
            word, pool, limit=12, at_least=0 if len(pool) < len(self.spellings) else 60
        )
        by_id = {self.by_key[key]: self.spellings[key] for key in self._typos(parts)}
        for spelling in self._by_size(ranked, atoms):
            by_id.setdefault(self.by_key[key_of(atoms_of(spelling))], spelling)
        return tuple(by_id.values())[:3]

    def _typos(self, parts: NameParts) -> list[str]:
        """Return the keys with the same numbers whose letters are nearly the typed ones."""
        key = key_of(parts.named)
        by_letters = self._letters_by_numbers.get(_numbers(key), {})
        close = misspelt(_letters(key), sorted(by_letters))
        return sorted(known for name in close for known in by_letters[name])

    def unknown(self, word: str) -> UnknownModelError:
        """Return the error for a model the catalogue lacks, with near ones."""
        return UnknownModelError(word=word, suggestions=self.suggestions(word))

    def _pool(self, atoms: Sequence[str]) -> list[str]:
        """Prefer the family that was typed, since its other sizes are what people look for."""
        family = next((atom for atom in atoms if not is_size(atom)), "")
        own = [name for name in self.spellings.values() if family and name.startswith(family)]
        return own or list(self.spellings.values())

    def _by_size(self, names: Iterable[str], atoms: Sequence[str]) -> list[str]:
        asked = next((parameters(atom) for atom in atoms if PLAIN_SIZE.fullmatch(atom)), None)
        if not asked:
            return list(names)

        def distance(name: str) -> float:
            told = self.sizes(self.by_key[key_of(atoms_of(name))])
            return min((abs(size - asked) / asked for size in told), default=99.0)

        return sorted(names, key=distance)

    def knows_family(self, word: str) -> bool:
        """Return whether a word is the name of a family, or a likely typo of one."""
        letters = next((atom for atom in atoms_of(word) if atom.isalpha()), "")
        return letters in self._families or bool(misspelt(letters, sorted(self._families)))


@dataclass
class _Builder:
    by_key: dict[str, str] = field(default_factory=dict)
    spellings: dict[str, str] = field(default_factory=dict)
    dated: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    names: dict[str, list[NameParts]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: ModelName, *, readable: bool) -> None:
        """Take a name as it stands."""
        self._key(name.parts.atoms, name, readable=readable)
        if name.parts.dated:
            self.dated[key_of(name.parts.core)].add(name.model_id)
        self.names[name.model_id].append(name.parts)

    def add_without_role(self, name: ModelName, *, readable: bool) -> None:
        """Take a name without `base`, `instruct` and the like, which another may be in full."""
        named = name.parts.named
        if named != name.parts.atoms:
            self._key(named, name, readable=readable)

    def _key(self, atoms: Sequence[str], name: ModelName, *, readable: bool) -> None:
        key = key_of(atoms)
        if self.by_key.setdefault(key, name.model_id) == name.model_id and readable:
            self.spellings.setdefault(key, name.text)


def build_model_index(models: Mapping[str, ModelRecord]) -> ModelIndex:
    """Index every spelling; ids before aliases before what is derived from other names."""
    builder = _Builder()
    for names, readable in (
        (stated_names(models.values()), True),
        (derived_names(models.values()), False),
    ):
        for name in names:
            builder.add(name, readable=readable)
        for name in names:
            builder.add_without_role(name, readable=readable)
    return ModelIndex(
        by_key=builder.by_key,
        by_repository=dict(_repositories(models.values())),
        spellings=builder.spellings,
        dated={key: frozenset(ids) for key, ids in builder.dated.items()},
        heads=frozenset(key[:2] for key in builder.by_key),
        names=builder.names,
        published={one.id: one.published_parameters or 0 for one in models.values()},
        alternatives={model.id: model.alternatives for model in models.values()},
        pictured=frozenset(model.id for model in models.values() if _has_pictures(model)),
    )


def _repositories(models: Iterable[ModelRecord]) -> Iterator[tuple[str, Repository]]:
    for model in models:
        for one in model.checkpoints:
            found = Repository(model.id, one.precision, one.repository)
            yield one.repository.lower(), found
        yield model.hf_id.lower(), Repository(model.id)


def _has_pictures(model: ModelRecord) -> bool:
    return model.pipeline is not None and model.pipeline.width_pixels is not None


def _family_names(ids: Iterable[str], spellings: Iterable[str]) -> Iterator[str]:
    """Yield the first letters of all names; two letters count in an id only."""
    for names, fewest in ((ids, 2), (spellings, 3)):
        heads = (atoms_of(name)[0] for name in names)
        yield from (head for head in heads if head.isalpha() and len(head) >= fewest)


def _orders(atoms: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield a name as typed, with a leading size last, and with a trailing version before it."""
    yield atoms
    if not atoms:
        return
    if is_size(atoms[0]):
        split = next((i for i, atom in enumerate(atoms) if not is_size(atom)), len(atoms))
        yield [*atoms[split:], *atoms[:split]]
    elif "." in atoms[-1] and not is_size(atoms[-1]) and any(map(is_size, atoms)):
        split = next(i for i, atom in enumerate(atoms) if is_size(atom))
        end = -2 if atoms[-2] == "v" else -1
        yield [*atoms[:split], atoms[-1], *atoms[split:end]]


def _says_size(atom: str) -> bool:
    return atom[0].isdigit() and is_size(atom) and atom not in {"1m", "10m"} and "x" not in atom


def _letters(key: str) -> str:
    rest = "".join(part for part in key.split("|") if not is_size(part))
    return "".join(filter(str.isalpha, rest))


def _numbers(key: str) -> tuple[str, ...]:
    parts = key.split("|")
    sizes = (part for part in parts if is_size(part))
    return (*sizes, *digits_of("".join(part for part in parts if not is_size(part))))
