"""What a question about a server says in the second view of the form."""

from __future__ import annotations

from typing import Final

from bot.form.fields import SERVER
from bot.grammar.canonical_spec import system_word, wish_words
from bot.grammar.canonical_tuning import number_text
from sizing.spec.request import SpecRequest, Workload
from sizing.spec.wishes import Sharing

FIELDS: Final = {
    "growth": ("growth", "growth_percent"),
    "years": ("growth", "horizon_years"),
    "spare": ("growth", "spare_servers"),
    "country": ("site", "country"),
    "kw": ("site", "limit_kw"),
    "budget": ("money", "budget_usd"),
    "orchestrator": ("software", "orchestrator"),
    "system": ("software", "operating_system"),
}
"""Part of the question and wish of each field of the form."""


def wishes_of(request: SpecRequest) -> tuple[dict[str, str], str]:
    """Return the fields that the wishes fill, and the words that no field has room for."""
    told = {
        field: _text(field, getattr(getattr(request, part), name))
        for field, (part, name) in FIELDS.items()
    }
    if request.sharing is not Sharing.FRACTIONS:
        told["share"] = request.sharing.value
    known = {field: text for field, text in told.items() if text and _has_room(field, text)}
    return known, " ".join(wish_words(_without(request, known)))


def people_of(workload: Workload) -> dict[str, str]:
    """Return the fields of a load that was told by people; none where it was not."""
    if workload.people is None or workload.requests_per_person_per_hour is None:
        return {}
    return {
        "load": "people",
        "people": number_text(workload.people),
        "rph": number_text(workload.requests_per_person_per_hour),
    }


def _text(field: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, int | float):
        return number_text(value)
    return system_word(str(value)) if field == "system" else str(value)


def _has_room(field: str, text: str) -> bool:
    """Return whether a field can say it: a list has few values."""
    options = next(one.options for one in SERVER if one.name == field)
    return not options or text in options


def _without(request: SpecRequest, known: dict[str, str]) -> SpecRequest:
    """Return the question without what fields say."""
    rest = request
    for field in known:
        if field == "share":
            rest = rest.model_copy(update={"sharing": Sharing.FRACTIONS})
            continue
        part, name = FIELDS[field]
        record = getattr(rest, part).model_copy(update={name: None})
        rest = rest.model_copy(update={part: record})
    return rest
