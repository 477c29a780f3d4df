"""What `checklist.toml` holds, and the checklist that is made of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from sizing.notes import Note
from sizing.records import Count, Positive, PositiveCount, Record, SourcedRecord

Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Keys = tuple[Key, ...]


class Group(StrEnum):
    """Groups of items, in the order in which they are worked through."""

    WORKLOAD = "workload"
    GPU = "gpu"
    NODE = "node"
    POWER = "power"
    COOLING = "cooling"
    SITE = "site"
    SOFTWARE = "software"
    ACCEPTANCE = "acceptance"
    SUPPORT = "support"
    SECURITY = "security"
    SUPPLY = "supply"
    COMMERCIAL = "commercial"


class Kind(StrEnum):
    """Weight of an item."""

    MUST = "must"
    OPTION = "option"
    QUESTION = "question"


class Person(StrEnum):
    """Who can answer an open question."""

    BUYER = "buyer"
    FACILITIES = "facilities"
    FINANCE = "finance"
    IT = "it"
    LEGAL = "legal"
    PROCUREMENT = "procurement"
    SECURITY = "security"
    SUPPLIER = "supplier"


class State(StrEnum):
    """What stands in an item."""

    FILLED = "filled"
    CLAUSE = "clause"
    OPEN = "open"


class LineRecord(Record):
    """Sentence of an item, and when it is said."""

    code: Key
    """Key of the sentence."""

    needs: Keys = ()
    """Facts that must be known: all that the sentence names, and those it rests on."""

    only_if: Key | None = None
    """Fact that must be true, or not zero."""

    unless: Key | None = None
    """Fact that must be false, or zero."""

    each_run: bool = False
    """Whether it is said of each acceptance run, with the run's values."""


class ItemRecord(SourcedRecord):
    """Item of the checklist."""

    id: Key
    """Name in data, messages and JSON."""

    group: Group
    """Group in which it stands."""

    place: PositiveCount
    """Place in its group."""

    kind: Kind
    """How much it weighs."""

    asks: Person
    """Who answers it where it is open."""

    topics: Annotated[Keys, Field(min_length=1)]
    """Other names under which it is found, sorted."""

    lines: tuple[LineRecord, ...] = ()
    """Sentences, in order."""

    settled_by: Keys = ()
    """Lines of which one answers the question; empty for any that needs facts."""

    has_question: bool = True
    """Whether something remains to be asked where nothing answers it."""


class BillRecord(Record):
    """Line of the bill of materials."""

    id: Key
    """Name in data, messages and JSON."""

    group: Group
    """Group in which it stands."""

    place: PositiveCount
    """Place in its group."""

    factors: Keys = ()
    """Facts whose product is the quantity; none for one piece."""

    needs: Keys = ()
    """Facts that its description needs."""

    only_if: Key | None = None
    """Fact that must be true, or not zero, for the line to be there; unknown counts as true."""


class ChecklistDefaults(SourcedRecord):
    """Figures that acceptance and upkeep begin with; the buyer may name others."""

    burn_in_hours: PositiveCount
    """Burn-in on site under full load, hours."""

    diag_level: PositiveCount
    """Level of `dcgmi diag`."""

    dust_months: PositiveCount
    """Time between two cleanings, months."""

    loss_percent: Positive
    """Loss of quality allowed in a lower precision, relative, per cent."""

    recheck_percent: Positive
    """Share of the first result to be reached when a benchmark is repeated, per cent."""

    water_share_percent: Positive
    """Share of the heat that liquid cooling has to take, per cent."""


class ChecklistFile(Record):
    """What `checklist.toml` holds."""

    defaults: ChecklistDefaults
    """Figures to begin with."""

    item: tuple[ItemRecord, ...]
    """Items, sorted by id."""

    bill: tuple[BillRecord, ...]
    """Lines of the bill of materials, sorted by id."""


class ChecklistItem(Record):
    """Item with the figures of a plan."""

    id: Key
    """Name in messages and JSON."""

    group: Group
    """Group in which it stands."""

    kind: Kind
    """How much it weighs."""

    state: State
    """Whether figures, a clause alone, or a question stands in it."""

    asks: Person | None
    """Who has to answer; None where nothing is open."""

    topics: Keys
    """Other names under which it is found."""

    lines: tuple[Note, ...]
    """Sentences with their values, in order."""


class BillLine(Record):
    """Line of the bill of materials with the figures of a plan."""

    id: Key
    """Name in messages and JSON."""

    group: Group
    """Group in which it stands."""

    quantity: Count | None
    """Pieces for all servers; None where a figure is missing."""

    is_described: bool
    """Whether the figures of its description are known."""

    description: Note
    """What it is, with its values."""


class Checklist(Record):
    """Checklist and bill of materials of one plan."""

    items: tuple[ChecklistItem, ...]
    """Items by group, the binding ones first."""

    bill: tuple[BillLine, ...]
    """Bill of materials by group."""

    defaults: tuple[Note, ...]
    """Figures that nobody asked for and that stand in an item: its id, and the figure."""

    @property
    def questions(self) -> tuple[ChecklistItem, ...]:
        """Return the items that somebody has to answer."""
        return tuple(item for item in self.items if item.state is State.OPEN)
