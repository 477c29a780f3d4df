"""What an answer says about a model from outside the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, note
from sizing.records import Doubt, GivenModel
from sizing.request import SizingRequest
from sizing.subject import Subject


def given_notes(request: SizingRequest, subject: Subject) -> Iterator[Note]:
    """Say where the shape and the sizes come from."""
    given = request.given
    if given is not None and subject.cache is not None:
        yield note("given_model", source=given.source, model_type=given.model_type)
    if given is not None and given.tensors:
        yield note("given_tensors", source=given.source)


def given_warnings(request: SizingRequest, subject: Subject) -> Iterator[Note]:
    """Say what was not understood, and what is missing."""
    given = request.given
    if given is None:
        return
    for doubt in given.doubts:
        yield _doubted(doubt, given, subject)
    if subject.cache is None:
        yield note("shape_not_given", source=given.source)


def _doubted(doubt: Doubt, given: GivenModel, subject: Subject) -> Note:
    match doubt:
        case Doubt.MODEL_TYPE:
            return note("unknown_model_type", model_type=given.model_type)
        case Doubt.QUANTISATION:
            return note("unknown_quantisation", precision=given.native_precision)
        case Doubt.PARAMETERS:
            return note("parameters_from_bytes", source=given.source)
        case Doubt.ENCODER if subject.is_multimodal:
            return note("encoder_estimated", model_type=given.model_type)
        case _:
            return note("encoder_not_counted", source=given.source)
