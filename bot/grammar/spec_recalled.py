"""Past answers as what a server is for: `spec A-12 growth=30%`, `spec A-12 users=50 + bge-m3`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from bot.grammar.errors import IncompleteRequestError
from sizing.errors import InvalidRequestError, SizingError, UnknownModelError
from sizing.records import Record
from sizing.request import SizingRequest
from sizing.spec.request import SpecRequest

RecordT = TypeVar("RecordT", bound=Record)
Read = Callable[[str], SizingRequest]
Recall = Callable[[str], SizingRequest | SpecRequest]

REFERENCE: Final = re.compile(r"a(?P<hyphen>-?)(?P<number>\d{1,12})")
"""Name of an answer."""

LENGTHS: Final = ("context_tokens", "input_tokens", "output_tokens")
LOADS: Final = ("concurrent_requests", "requests_per_s")
ALTERNATIVES: Final = (LENGTHS, LOADS)
"""Fields that say one thing in different ways: a new one takes the place of all."""


def reference_in(question: str, read: Read) -> tuple[str, str] | None:
    """Return the answer that a question begins with and the words behind it; None for others.

    What is a model or an accelerator stays one: `a-100 llama-13b`, `a40`. A card alone asks for
    nothing, so that `a-100` alone is an answer.
    """
    word, _, rest = question.strip().partition(" ")
    found = REFERENCE.fullmatch(word)
    if found is None:
        return None
    is_unknown = _is_unknown(word, read)
    is_lone = bool(found["hyphen"]) and _names_no_model(question, read)
    return (f"A-{int(found['number'])}", rest) if is_unknown or is_lone else None


def _is_unknown(word: str, read: Read) -> bool:
    try:
        read(word)
    except UnknownModelError:
        return True
    except SizingError:
        return False
    return False


def _names_no_model(question: str, read: Read) -> bool:
    try:
        read(question)
    except IncompleteRequestError:
        return True
    except SizingError:
        return False
    return False


def said_beside(rest: str, read: Read) -> SizingRequest:
    """Return what the words behind an answer say; raise InvalidRequestError for another model."""
    if not rest.strip():
        return SizingRequest()
    try:
        read(rest)
    except IncompleteRequestError as error:
        return error.partial
    raise InvalidRequestError(reason="spec_answer_and_model", word=rest)


def over_question(request: SizingRequest, told: SizingRequest) -> SizingRequest:
    """Return a logged question with all that was told anew in its place."""
    new = dict(_told(told))
    cleared = {
        name: None for names in ALTERNATIVES if not new.keys().isdisjoint(names) for name in names
    }
    return _over(request.model_copy(update=cleared), told)


def over_server(request: SpecRequest, told: SpecRequest) -> SpecRequest:
    """Return a logged server with all that was told anew about what stands around its models."""
    return _over(request, told.model_copy(update={"workloads": request.workloads}))


def _over(base: RecordT, told: RecordT) -> RecordT:
    """Return `base` with each field that `told` does not leave at its default."""
    update = {
        name: _over(old, value) if isinstance(old := getattr(base, name), Record) else value
        for name, value in _told(told)
    }
    return base.model_copy(update=update)


def _told(record: Record) -> Iterator[tuple[str, Any]]:
    for name, field in type(record).model_fields.items():
        value = getattr(record, name)
        if value != field.get_default(call_default_factory=True):
            yield name, value
