"""What the list of models that fit shows, its JSON form, and the questions it leads to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.answer import Verdict
from sizing.request import Goal

if TYPE_CHECKING:
    from sizing.fits import FitsAnswer, FitsUnderstood, FittingModel
    from sizing.request import GpuChoice

SHOWN_MODELS = 15
"""Models of the first view."""

MOST_OF_A_CLASS = 4
"""Models of one size class in the first view, so that smaller ones are seen as well."""


@dataclass(frozen=True)
class NamedSet:
    """Equal GPUs as the asker named them; the fields that a set's name is made of."""

    gpu: str
    gpus: int
    nodes: int = 1
    replicas: int = 1
    mig_profile: str | None = None
    cards: tuple[()] = ()


@dataclass(frozen=True)
class FitsView:
    """The models that fit, and which of them the first view shows."""

    answer: FitsAnswer

    @property
    def goal(self) -> Goal:
        """Return what the asker wanted to know."""
        return Goal.WHAT_FITS

    @property
    def understood(self) -> FitsUnderstood:
        """Return the question as it was answered."""
        return self.answer.understood

    @property
    def sets(self) -> tuple[NamedSet, ...]:
        """Return the GPUs as the asker named them."""
        asked = self.understood
        if len(asked.gpus) == 1:
            return (_named(asked.gpus[0], asked.gpu_count),)
        return tuple(_named(choice, choice.count or 1) for choice in asked.gpus)

    @property
    def first(self) -> FittingModel | None:
        """Return the model to name first."""
        return self.answer.models[0] if self.answer.models else None

    @property
    def rows(self) -> tuple[FittingModel, ...]:
        """Return the models of the table: the largest classes first, a few of each."""
        seen: Counter[int] = Counter()
        chosen: list[FittingModel] = []
        for model in self.answer.models:
            seen[model.class_parameters] += 1
            if seen[model.class_parameters] <= MOST_OF_A_CLASS:
                chosen.append(model)
        if len(chosen) < SHOWN_MODELS:
            chosen = [*self.answer.models]
        return tuple(chosen[:SHOWN_MODELS])

    @property
    def found(self) -> int:
        """Return how many models run."""
        return len(self.answer.models)

    @property
    def tight(self) -> int:
        """Return how many of them have little to spare in every precision."""
        return sum(model.best.verdict is Verdict.TIGHT for model in self.answer.models)

    @property
    def looked_at(self) -> int:
        """Return how many models were looked at."""
        return self.found + self.answer.too_large

    @property
    def hidden_rows(self) -> int:
        """Return how many models the table leaves out."""
        return self.found - len(self.rows)


def _named(choice: GpuChoice, count: int) -> NamedSet:
    name = choice.gpu or f"any-{choice.memory_gb:g}gb"
    return NamedSet(name, count, mig_profile=choice.mig_profile)
