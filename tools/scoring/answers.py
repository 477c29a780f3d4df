"""What the product answers, without words and without a log."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bot.command import Ask, Grammar, IncompleteRequestError
from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import SizingError
from sizing.records import ModelRecord
from sizing.request import SizingRequest

CASES = Path(__file__).parents[2] / "tests" / "accuracy" / "cases"


@dataclass(frozen=True)
class Cards:
    """Facts of the accelerators named in a question without a model."""

    gpus: tuple[str, ...]


Reply = SizingAnswer | Cards | str
"""An answer, facts of cards, or the code of the sentence given instead."""


class Engine:
    """Answers questions the way the product does."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._grammar = Grammar(catalogue)

    @cached_property
    def models(self) -> dict[str, ModelRecord]:
        """Return the models of the catalogue by their repository, the first of each."""
        found: dict[str, ModelRecord] = {}
        for model in self.catalogue.models.values():
            found.setdefault(model.hf_id.lower(), model)
        return found

    def model(self, hf_id: str | None) -> ModelRecord | None:
        """Return the model published at `hf_id`; None where the catalogue has none."""
        return self.models.get((hf_id or "").lower())

    def read(self, question: str) -> SizingRequest | None:
        """Return the question as understood; None where it is none about a model."""
        try:
            command = self._grammar.parse(question)
        except SizingError:
            return None
        return command.request if isinstance(command, Ask) else None

    def size(self, request: SizingRequest) -> SizingAnswer:
        """Return the answer to a request."""
        return size(request, self.catalogue)

    def answer(self, question: str) -> Reply:
        """Return what the product answers to a line of text."""
        try:
            command = self._grammar.parse(question)
            if not isinstance(command, Ask):
                return type(command).__name__.lower()
            return self.size(command.request)
        except IncompleteRequestError as error:
            named = tuple(choice.gpu for choice in error.partial.gpus if choice.gpu)
            return Cards(named) if named else "invalid_request: no_model"
        except SizingError as error:
            reason = error.values.get("reason") or error.values.get("what")
            return f"{error.code}: {reason}" if reason else error.code


def read_csv(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of cases, a dictionary each."""
    with (CASES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_lines(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of cases, one JSON object a line."""
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
