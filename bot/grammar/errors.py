"""Errors that carry what was understood before the question failed."""

from __future__ import annotations

from sizing.errors import InvalidRequestError
from sizing.request import SizingRequest


class IncompleteRequestError(InvalidRequestError):
    """The question names no model; `understood` says the rest as it could be typed again."""

    def __init__(self, *, partial: SizingRequest, understood: str) -> None:
        super().__init__(reason="no_model", understood=understood)
        self.partial = partial
        """Everything else that was understood."""


class TwoModelsError(InvalidRequestError):
    """The question names two models; `suggestions` ask for one each."""

    def __init__(self, *, word: str, suggestions: tuple[str, ...]) -> None:
        super().__init__(reason="two_models", word=word, suggestions=suggestions)
