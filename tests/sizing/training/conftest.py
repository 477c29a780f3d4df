"""Training runs of catalogue models, every default filled in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.request import Mode, SizingRequest
from sizing.subject import subject_of
from sizing.training.base import base_precision
from sizing.training.plan import TrainingPlan
from sizing.training.run import plan_of
from sizing.tuning import Tuning

CATALOGUE: Catalogue = load_catalogue()


def request_of(model: str, mode: Mode, fields: dict[str, object]) -> SizingRequest:
    """Return a question; settings of the run may stand among the other fields."""
    settings = {name: fields.pop(name) for name in list(fields) if name in Tuning.model_fields}
    return SizingRequest(model_id=model, mode=mode, tuning=Tuning(**settings), **fields)


@pytest.fixture(scope="session")
def plan() -> Callable[..., TrainingPlan]:
    """Return what makes a run of a model, of sequences of 2,048 tokens unless told otherwise."""

    def make(model: str = "llama-3.1-8b", mode: Mode = Mode.LORA, **fields: object) -> TrainingPlan:
        request = request_of(model, mode, {"context_tokens": 2048, **fields})
        subject = subject_of(request, CATALOGUE)
        return plan_of(request, subject, base_precision(request, subject, CATALOGUE), CATALOGUE)

    return make


@pytest.fixture(scope="session")
def asked() -> Callable[..., SizingAnswer]:
    """Return what answers a question about training."""

    def ask(model: str = "llama-3.1-8b", mode: Mode = Mode.LORA, **fields: object) -> SizingAnswer:
        return size(request_of(model, mode, fields), CATALOGUE)

    return ask
