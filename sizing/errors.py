"""Errors that a person's question can cause; the wording is the message catalogues' job."""

from __future__ import annotations


class SizingError(Exception):
    """Root of all errors of the engine: a code, and the values its sentence needs."""

    code = "sizing_error"

    def __init__(self, **values: str | int | float | tuple[str, ...]) -> None:
        super().__init__(f"{self.code}: {values}")
        self.values = values

    @property
    def word(self) -> str | None:
        """Return the word of the question that is at fault, where one is."""
        word = self.values.get("word")
        return word if isinstance(word, str) else None

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Return what could be typed instead, best first."""
        suggestions = self.values.get("suggestions", ())
        return suggestions if isinstance(suggestions, tuple) else ()


class CatalogueError(SizingError):
    """A data file breaks a rule; `file` and `detail` say where and which."""

    code = "catalogue_invalid"


class UnknownModelError(SizingError):
    """No model of that name; `word`, `suggestions`."""

    code = "unknown_model"


class UnknownGpuError(SizingError):
    """No accelerator of that name; `word`, `suggestions`."""

    code = "unknown_gpu"


class AmbiguousGpuError(SizingError):
    """Several accelerators answer to that name; `word`, `suggestions`."""

    code = "ambiguous_gpu"


class UnknownPrecisionError(SizingError):
    """No precision of that name; `word`, `suggestions`."""

    code = "unknown_precision"


class UnknownEngineError(SizingError):
    """No serving engine of that name; `word`, `suggestions`."""

    code = "unknown_engine"


class InvalidRequestError(SizingError):
    """The question contradicts itself or leaves its legal range; `reason` names the sentence."""

    code = "invalid_request"


class NotCoveredError(SizingError):
    """A question this version understands but does not answer; `what` names it."""

    code = "not_covered"
