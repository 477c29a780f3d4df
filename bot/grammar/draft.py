"""The question while it is being read: what is said once, twice or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from bot.grammar.gpu_sets import GpuSets
from bot.grammar.slices import Slices
from sizing.errors import InvalidRequestError
from sizing.records import ModelKind
from sizing.request import Correction, Goal, Mode, Shape, SizingRequest, Targets
from sizing.speculation import Speculation
from sizing.spending import Means, Spending
from sizing.tuning import Tuning

SHAPE: Final = frozenset(Shape.model_fields)
"""Fields that stand below `shape`."""

SPENDING: Final = frozenset(Spending.model_fields)
"""Fields that stand below `spending`."""

TARGETS: Final = frozenset(Targets.model_fields)
"""Fields that stand below `targets`."""

MOST_IGNORED: Final = 12
"""Ignored words that are told; the rest of a long text is not repeated."""

SPECULATION: Final = frozenset(Speculation.model_fields)
"""Fields that stand below `speculation`."""

TUNING: Final = frozenset(Tuning.model_fields)
"""Fields that stand below `tuning`."""


@dataclass(frozen=True)
class Size:
    """A bare size in the text."""

    parameters: int
    typed: str
    position: int
    experts: int | None = None
    active_parameters: int | None = None

    @property
    def told(self) -> dict[str, int | None]:
        """Return the fields of the request that it fills."""
        mixture = {"experts": self.experts, "active_parameters": self.active_parameters}
        stated = {name: value for name, value in mixture.items() if value}
        return {"parameters": self.parameters, **stated}


@dataclass(frozen=True)
class NamedModel:
    """A model in the text."""

    model_id: str
    typed: str
    precision: str | None
    atoms: frozenset[str]
    """Parts of the name that tell models apart."""

    checkpoint: str | None = None
    """Repository of a published checkpoint in that precision, where the name is one."""


@dataclass(frozen=True)
class Leftover:
    """A word that nothing took up."""

    typed: str
    key: str
    position: int


@dataclass
class Draft:
    """What the words have said so far."""

    base: SizingRequest | None = None
    """Question that the words change, in whose light they are read; None for one of their own."""

    cleared: set[str] = field(default_factory=set)
    """Fields that were left to the defaults in so many words: `gpu=any`."""

    goal: Goal = Goal.SIZE
    kinds: dict[ModelKind, None] = field(default_factory=dict)
    families: dict[str, None] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    """Values by field name, stated with a key or a unit."""

    bare_context: dict[int, str] = field(default_factory=dict)
    """Lengths that stand alone, with the word each came from."""

    models: list[NamedModel] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    gpus: GpuSets = field(default_factory=GpuSets)
    loose_memory: list[float] = field(default_factory=list)
    loose_count: int | None = None
    engines: dict[str, str] = field(default_factory=dict)
    precisions: dict[str, str] = field(default_factory=dict)
    modes: dict[Mode, str] = field(default_factory=dict)
    means: dict[Means, None] = field(default_factory=dict)
    corrections: list[Correction] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    slices: Slices = field(default_factory=Slices)
    expected_model: int | None = None
    is_about_training: bool = False
    """Whether some word tells that; options that engines have too are then a training run's."""

    training: str | None = None
    own_adapters: bool = False
    language: str | None = None
    private: bool = False
    as_json: bool = False

    @property
    def trains(self) -> Mode | None:
        """Return how the question that the words change trains; None where it does not."""
        mode = self.base.mode if self.base else Mode.INFER
        return None if mode is Mode.INFER else mode

    def put(self, name: str, value: object, typed: str) -> None:
        """Keep a stated value; raise InvalidRequestError where another was stated before."""
        if self.fields.setdefault(name, value) != value:
            raise InvalidRequestError(reason="given_twice", word=typed)

    def checkpoint(self, precision: str | None) -> str | None:
        """Return the one checkpoint that was named, where its precision is the one asked for."""
        named = {one.checkpoint for one in self.models if one.precision == precision}
        return named.pop() if len(named) == 1 else None

    def heed(self, phrase: str) -> None:
        """Take up words that had been ignored."""
        self.ignored = [one for one in self.ignored if one != phrase]

    def forget(self, position: int) -> None:
        """Take up the words from `position` on that had been left over."""
        self.leftovers = [one for one in self.leftovers if one.position < position]

    def take_left(self, key: str) -> bool:
        """Take up a word that had been left over; return whether there was one."""
        found = [one for one in self.leftovers if one.key == key]
        self.leftovers = [one for one in self.leftovers if one not in found]
        return bool(found)

    def correct(self, typed: str, read_as: str) -> None:
        """Note that a word was read as another."""
        self.corrections.append(Correction(typed=typed, read_as=read_as))

    def ignore(self, *words: str) -> None:
        """Note words that changed nothing."""
        self.ignored.extend(word for word in words if word not in self.ignored)

    def request(self, **resolved: object) -> SizingRequest:
        """Return the request with what was resolved from several words filled in."""
        values = {name: value for name, value in self.fields.items() if name not in TARGETS}
        wishes = {name: value for name, value in self.fields.items() if name in TARGETS}
        shape = {name: values.pop(name) for name in SHAPE if name in values}
        tuning = {name: values.pop(name) for name in TUNING if name in values}
        money = {name: values.pop(name) for name in SPENDING if name in values}
        drafting = {name: values.pop(name) for name in SPECULATION if name in values}
        means = next(iter(self.means)) if len(self.means) == 1 else None
        return SizingRequest(
            **{**values, **resolved},
            speculation=Speculation(**drafting),
            spending=Spending(means=means, **money),
            targets=Targets(**wishes),
            shape=Shape(**shape),
            tuning=Tuning(**tuning),
            read_as=tuple(self.corrections),
            ignored=tuple(self.ignored[:MOST_IGNORED]),
        )
