"""Fill the checklist of a purchase and its bill of materials with the figures of a plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from math import prod
from pathlib import Path

from sizing.catalogue import data_dir
from sizing.catalogue_reading import validated
from sizing.notes import Note, NoteValue
from sizing.spec.checklist_records import (
    BillLine,
    BillRecord,
    Checklist,
    ChecklistFile,
    ChecklistItem,
    Group,
    ItemRecord,
    Kind,
    LineRecord,
    State,
)
from sizing.spec.facts import AcceptanceRun, ChecklistFacts, known_values

FILE = "checklist.toml"

Values = Mapping[str, NoteValue]

_GROUPS = tuple(Group)


def load_checklist(path: Path | None = None) -> ChecklistFile:
    """Return what `checklist.toml` below `path` holds; raise CatalogueError naming the entry."""
    return _read(path or data_dir())


@cache
def _read(folder: Path) -> ChecklistFile:
    return validated(FILE, (folder / FILE).read_bytes(), ChecklistFile)


def checklist_of(facts: ChecklistFacts, file: ChecklistFile | None = None) -> Checklist:
    """Return checklist and bill of materials; what `facts` do not say turns into questions."""
    source = file or load_checklist()
    defaults = known_values(source.defaults, but=frozenset({"sources", "checked"}))
    values = defaults | facts.values()
    items = sorted(source.item, key=_place)
    filled = tuple(_filled(item, values, facts.runs, defaults.keys()) for item in items)
    lines = sorted(source.bill, key=_place)
    return Checklist(
        items=filled,
        bill=tuple(_bill_line(line, values) for line in lines if _is_billed(line, values)),
        defaults=tuple(_defaults_in(filled, defaults)),
    )


def find_items(checklist: Checklist, words: Iterable[str]) -> tuple[ChecklistItem, ...]:
    """Return the items of which `words` name the id or a topic, in the order of the checklist."""
    wanted = {word.strip().lower().replace("-", "_").replace(" ", "_") for word in words}
    return tuple(item for item in checklist.items if wanted & {item.id, *item.topics})


def _place(record: ItemRecord | BillRecord) -> tuple[int, int]:
    return _GROUPS.index(record.group), record.place


def _filled(
    item: ItemRecord,
    values: Values,
    runs: tuple[AcceptanceRun, ...],
    defaults: Collection[str],
) -> ChecklistItem:
    said = tuple(_said(item, values, runs))
    # A sentence with nothing but our own defaults answers no question.
    figures = {line.code for line, _ in said if set(line.needs) - set(defaults)}
    is_open = _is_open(item, figures)
    state = State.OPEN if is_open else State.FILLED if figures else State.CLAUSE
    return ChecklistItem(
        id=item.id,
        group=item.group,
        kind=item.kind,
        state=state,
        asks=item.asks if is_open else None,
        topics=item.topics,
        lines=tuple(_note(line.code, line.needs, known) for line, known in said),
    )


def _said(
    item: ItemRecord, values: Values, runs: tuple[AcceptanceRun, ...]
) -> Iterator[tuple[LineRecord, Values]]:
    """Yield the lines whose facts are known and whose conditions hold, run by run."""
    each = [line for line in item.lines if line.each_run]
    for run in runs:
        known = {**values, **known_values(run)}
        yield from ((line, known) for line in each if _holds(line, known))
    once = [line for line in item.lines if not line.each_run]
    yield from ((line, values) for line in once if _holds(line, values))


def _holds(line: LineRecord, values: Values) -> bool:
    wanted = line.only_if is None or bool(values.get(line.only_if))
    spared = line.unless is None or not values.get(line.unless)
    return wanted and spared and all(name in values for name in line.needs)


def _note(code: str, needs: tuple[str, ...], values: Values) -> Note:
    return Note(code=code, values={name: values[name] for name in needs if name in values})


def _is_open(item: ItemRecord, figures: set[str]) -> bool:
    if item.settled_by:
        return figures.isdisjoint(item.settled_by)
    return item.kind is Kind.QUESTION or (item.has_question and not figures)


def _is_billed(line: BillRecord, values: Values) -> bool:
    return line.only_if is None or bool(values.get(line.only_if, True))


def _bill_line(line: BillRecord, values: Values) -> BillLine:
    return BillLine(
        id=line.id,
        group=line.group,
        quantity=_quantity(line.factors, values),
        is_described=all(name in values for name in line.needs),
        description=_note(line.id, line.needs, values),
    )


def _quantity(factors: tuple[str, ...], values: Values) -> int | None:
    """Return the product of the factors: 1 without any, None where one is not known."""
    known = [value for name in factors if isinstance(value := values.get(name), int)]
    return prod(known) if len(known) == len(factors) else None


def _defaults_in(items: Iterable[ChecklistItem], defaults: Values) -> Iterator[Note]:
    """Yield the defaults that items state, each with the id of its item."""
    for item in items:
        stated = {name: line.values[name] for line in item.lines for name in line.values}
        found = {name: value for name, value in stated.items() if name in defaults}
        if found:
            yield Note(code=item.id, values=found)
