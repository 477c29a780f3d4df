"""Write a question about a server as the line that asks exactly it again."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from bot.grammar.canonical import format_request
from bot.grammar.canonical_tuning import number_text
from bot.grammar.spec_options import ROWS, SPEC_WORDS, SYSTEMS, WORKLOAD
from sizing.records import Record
from sizing.request import SizingRequest
from sizing.spec.request import SpecRequest, Workload

NUMBERS: Final = {(row[0], row[1]): row[-1][0] for row in ROWS}
"""Key of each wish that is a number, by part of the spec and field."""

WORDS: Final = {place: key for key, place in reversed(tuple(SPEC_WORDS.items()))}
"""Key of each wish that is a word: the first of its keys."""

SYSTEM_KEYS: Final = {name: key for key, name in reversed(tuple(SYSTEMS.items()))}
"""Word for each operating system, by how its tables of support spell it."""


def format_spec(request: SpecRequest) -> str | None:
    """Return the canonical line of a server, without its verb; None where no line says it.

    What came out of a file, or was told where the words mean something else of a server, stands
    in no line.
    """
    if not all(_is_sayable(workload.request) for workload in request.workloads):
        return None
    models = " + ".join(map(format_workload, request.workloads))
    return " ".join([models, *wish_words(request)])


def _is_sayable(request: SizingRequest) -> bool:
    is_file = request.given is not None and request.reference is None
    return not is_file and not request.host_ram_gb and not request.spending.lifetime_years


def format_workload(workload: Workload) -> str:
    """Return what a line says of one model and its use."""
    return " ".join([format_request(workload.request), *_numbers(WORKLOAD, workload)])


def wish_words(request: SpecRequest) -> Iterator[str]:
    """Yield what a line says of all that stands around the models."""
    for section in ("", "growth", "host", "storage", "site", "software", "money"):
        record = getattr(request, section) if section else request
        yield from _words(section, record)
        yield from _numbers(section, record)


def _numbers(section: str, record: Record) -> Iterator[str]:
    for (part, field), key in NUMBERS.items():
        value = getattr(record, field) if part == section else None
        if value is not None:
            yield f"{key}={number_text(value)}"


def _words(section: str, record: Record) -> Iterator[str]:
    for (part, field), key in WORDS.items():
        if part != section:
            continue
        value = getattr(record, field)
        if value is not None and value != type(record).model_fields[field].default:
            yield f"{key}={_word(field, value)}"


def _word(field: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return system_word(str(value)) if field == "operating_system" else str(value)


def system_word(system: str) -> str:
    """Return the word for an operating system: `ubuntu-24.04` for Ubuntu 24.04."""
    name, _, version = system.rpartition(" ")
    known = SYSTEM_KEYS.get(name)
    return f"{known}-{version}" if known else SYSTEM_KEYS.get(system, system)
