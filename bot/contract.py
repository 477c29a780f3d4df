"""The JSON contract `gpusize/1`: every key is always there, null where nothing is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.comparison import Variant
    from bot.errors import CodedError
    from bot.messages import Messages
    from bot.opinion import SecondOpinion
    from bot.reply import Answered, Listing, Reply
    from bot.start import Starts
    from sizing.answer import Note, NoteValue, SizingAnswer
    from sizing.errors import SizingError
    from sizing.fits import FitsAnswer
    from sizing.records import GpuRecord, ModelRecord
    from sizing.spec.answer import Spec
    from sizing.spec.power_answer import PowerAnswer

Json = dict[str, object]

SCHEMA = "gpusize/1"
"""Name and version of the contract."""

FITS_SCHEMA = "gpusize-fits/1"
"""Name and version of the contract of the question turned round."""

COMPARISON_SCHEMA = "gpusize-compare/1"
"""Name and version of the contract of variants side by side."""

SPEC_SCHEMA = "gpusize-spec/1"
"""Name and version of the contract of a server."""
POWER_SCHEMA = "gpusize-power/1"
"""Name and version of the contract of questions about electricity."""

NOTE_KEYS = {"code", "values"}
"""Keys of a note in JSON, before it has its sentence."""

NOT_COVERED = ("host", "storage", "power", "checklist", "nim")
"""Parts of the contract that are null until they are computed."""


def reply_contract(reply: Reply, messages: Messages) -> Json:
    """Return the JSON object of any reply."""
    if reply.error is not None:
        return error_contract(reply.error, messages)
    if reply.answer is not None:
        contract = to_contract(
            reply.answer, messages, reply.answer_id, starts=reply.starts, opinion=reply.opinion
        )
        return {**contract, **(reply.data or {})}
    return {"schema": SCHEMA, **(reply.data or {"text": reply.markdown})}


def to_contract(
    answer: SizingAnswer,
    messages: Messages,
    answer_id: str | None = None,
    *,
    starts: Starts | None = None,
    opinion: SecondOpinion | SizingError | CodedError | None = None,
) -> Json:
    """Return the JSON object of an answer; notes become code and sentence."""
    data = answer.model_dump(mode="json")
    return {
        "schema": SCHEMA,
        "answer_id": answer_id,
        "understood": data["understood"] | {"ordered_by": data["ordered_by"]},
        "memory": data["memory"],
        "options": [
            option | {"reasons": _notes(known.reasons, messages)}
            for option, known in zip(data["options"], answer.options, strict=True)
        ],
        "start": _starts(starts),
        "second_opinion": _opinion(opinion, messages),
        "training": data["training"],
        **dict.fromkeys(NOT_COVERED),
        "cost": data["cost"],
        "warnings": _notes(answer.warnings, messages),
        "assumptions": _notes(answer.assumptions, messages),
        "catalogue": data["catalogue"],
    }


def fits_contract(answer: FitsAnswer, messages: Messages, answer_id: str | None) -> Json:
    """Return the JSON object of a list of models that fit."""
    return {
        **answer.model_dump(mode="json"),
        "schema": FITS_SCHEMA,
        "answer_id": answer_id,
        "warnings": _notes(answer.warnings, messages),
        "assumptions": _notes(answer.assumptions, messages),
    }


def comparison_contract(variants: Iterable[Variant], messages: Messages) -> Json:
    """Return the JSON object of variants: the answer to each with its curve, in order."""
    answers = [
        to_contract(each.view.answer, messages, each.answer_id)
        | {"curve": [point.model_dump(mode="json") for point in each.curve]}
        for each in variants
    ]
    return {"schema": COMPARISON_SCHEMA, "variants": answers}


def spec_contract(spec: Spec, messages: Messages, answer_id: str | None) -> Json:
    """Return the JSON object of a server; notes become code and sentence."""
    around, facility = spec.around, spec.around.facility
    parts = {
        "servers": spec.servers,
        "host": around.host,
        "storage": around.storage,
        "platform": around.platform,
        "power": facility.power,
        "cooling": facility.cooling,
        "site": facility.site,
        "software": spec.software,
        "cost": spec.cost,
    }
    circuits = {name: getattr(facility, name) for name in ("needed", "there", "others", "notes")}
    data = {
        "workloads": [
            {**one.model_dump(mode="json"), "answer": to_contract(one.answer, messages)}
            for one in spec.workloads
        ],
        **{name: part.model_dump(mode="json") for name, part in parts.items()},
        "circuits": {"feeds": facility.feeds, **_plain(circuits)},
        "mig": [one.model_dump(mode="json") for one in spec.mig],
        "nim": [one.model_dump(mode="json") for one in spec.nim],
        "inside": _inside(spec),
        "warnings": _notes(spec.warnings, messages),
        "assumptions": _notes(spec.assumptions, messages),
        "catalogue": spec.catalogue.model_dump(mode="json"),
    }
    worded = {name: _worded(part, messages) for name, part in data.items()}
    return {"schema": SPEC_SCHEMA, "answer_id": answer_id, **worded}


def _inside(spec: Spec) -> Json | None:
    """Return the plans inside all limits, each with the line that asks for it."""
    if spec.inside is None:
        return None
    from bot.inside_lines import spec_view_of

    plans = [
        {**one.plan.model_dump(mode="json", exclude={"request"}), "line": one.line}
        for one in spec_view_of(spec).insides
    ]
    return {**spec.inside.model_dump(mode="json", exclude={"plans"}), "plans": plans}


def _plain(value: object) -> Any:  # noqa: ANN401 (JSON)
    """Return records inside dictionaries and sequences as JSON has them."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if dump else value


def _worded(value: object, messages: Messages) -> object:
    """Return JSON with the sentence of each note in the place of its values."""
    if isinstance(value, dict):
        if value.keys() == NOTE_KEYS:
            note = {name: _tuples(part) for name, part in value["values"].items()}
            return {"code": value["code"], "text": messages.text(value["code"], note)}
        return {name: _worded(part, messages) for name, part in value.items()}
    return [_worded(part, messages) for part in value] if isinstance(value, list) else value


def _tuples(value: Any) -> NoteValue:  # noqa: ANN401 (JSON)
    return tuple(value) if isinstance(value, list) else value


def power_contract(answer: PowerAnswer, messages: Messages, answer_id: str | None = None) -> Json:
    """Return the JSON object of an answer about electricity; notes become code and sentence."""
    data = answer.model_dump(mode="json", exclude={"server": {"notes"}, "cooling": {"notes"}})
    told = (*answer.notes, *(answer.cooling.notes if answer.cooling else ()))
    notes = _notes(told, messages)
    return {"schema": POWER_SCHEMA, "answer_id": answer_id, **data, "notes": notes}


def error_contract(
    error: SizingError | CodedError, messages: Messages, command: str = "gpusize"
) -> Json:
    """Return the JSON object of a question that was not understood."""
    return {"schema": SCHEMA, "error": _error(error, messages, command)}


def models_contract(models: Iterable[ModelRecord]) -> Json:
    """Return the catalogue's models as data."""
    return {"models": [model.model_dump(mode="json") for model in models]}


def gpus_contract(gpus: Iterable[GpuRecord]) -> Json:
    """Return the catalogue's accelerators as data."""
    return {"gpus": [gpu.model_dump(mode="json") for gpu in gpus]}


def history_contract(listing: Listing) -> Json:
    """Return logged answers as data, latest first, and how many could not be read."""
    rows = [
        {
            "id": entry.answer_id,
            "asked_at": entry.asked_at.isoformat(),
            "asker": entry.asker,
            "question": entry.question,
            **_subject(entry.answer),
            "version": entry.version,
        }
        for entry in listing.entries
    ]
    return {"answers": rows, "not_shown": listing.unreadable}


def _subject(answer: Answered) -> Json:
    """Return the model and precision of a logged answer; null where it is about several."""
    asked = getattr(answer, "understood", None)
    return {name: getattr(asked, name, None) for name in ("model", "precision")}


def _error(error: SizingError | CodedError, messages: Messages, command: str = "gpusize") -> Json:
    reason = error.values.get("reason")
    word, suggestions = error.values.get("word"), error.values.get("suggestions", ())
    return {
        "code": str(reason) if reason else error.code,
        "text": messages.error(error, command),
        "word": word if isinstance(word, str) else None,
        "suggestions": list(suggestions) if isinstance(suggestions, tuple) else [],
    }


def _opinion(
    opinion: SecondOpinion | SizingError | CodedError | None, messages: Messages
) -> Json | None:
    """Return the second opinion, or every key of it as null and the reason why."""
    if opinion is None:
        return None
    if not isinstance(opinion, Exception):
        return {**opinion.model_dump(mode="json"), "error": None}
    from bot.opinion import SecondOpinion

    return {**dict.fromkeys(SecondOpinion.model_fields), "error": _error(opinion, messages)}


def _starts(starts: Starts | None) -> list[Json] | None:
    return [{"kind": one.kind, "text": one.text} for one in starts.items] if starts else None


def _notes(notes: Iterable[Note], messages: Messages) -> list[Json]:
    return [{"code": note.code, "text": messages.text(note.code, note.values)} for note in notes]
