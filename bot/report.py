"""One document about a server that can be read from top to bottom, printed and signed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from bot.checklist.view import ChecklistView, ItemView
from bot.environment import make_environment
from bot.markup import Md
from bot.messages import load_messages
from bot.render import rendered
from sizing.spec.checklist_records import Group

if TYPE_CHECKING:
    from bot.ticks import Tick
    from sizing.spec.checklist_records import Checklist

_HEADING = re.compile(r"^(#{1,4})(?= )", re.MULTILINE)
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Section:
    """One part of the plan, worded by its own template."""

    title: str
    """Heading."""

    markdown: str
    """The part's page; its headings go below that of the section."""

    @property
    def body(self) -> Md:
        """Return the page with its headings two levels lower."""
        pieces = _FENCE.split(self.markdown.strip())
        return Md("".join(p if p.startswith("```") else _HEADING.sub(r"\1##", p) for p in pieces))


@dataclass(frozen=True)
class Asked:
    """Open questions that one person or department answers."""

    name: str
    """Who."""

    items: tuple[ItemView, ...]
    """Items with their questions."""


class ReportView:
    """What the report shows."""

    def __init__(
        self,
        title: str,
        sections: Iterable[Section],
        checklist: ChecklistView,
        *,
        made_on: date,
        answer_id: str,
    ) -> None:
        self.title = title
        self.sections = tuple(sections)
        self.checklist = checklist
        self.made_on = made_on.isoformat()
        self.answer_id = answer_id

    @property
    def acceptance(self) -> tuple[ItemView, ...]:
        """Return the acceptance tests that say what to reach."""
        return tuple(i for i in self.checklist.items_in(Group.ACCEPTANCE) if i.sentences)

    @property
    def questions(self) -> tuple[Asked, ...]:
        """Return the open questions by who answers them, those with most first."""
        asked: dict[str, list[ItemView]] = {}
        for item in (item for group in self.checklist.groups for item in group.items):
            if item.question is not None:
                asked.setdefault(item.asks, []).append(item)
        found = [Asked(name, tuple(items)) for name, items in asked.items()]
        return tuple(sorted(found, key=lambda one: -len(one.items)))


def report_page(
    title: str,
    sections: Iterable[Section],
    checklist: Checklist,
    *,
    language: str,
    made_on: date,
    answer_id: str,
    ticks: Iterable[Tick] = (),
) -> str:
    """Return the report as Markdown: parts of the plan, acceptance, purchase, questions, names."""
    boxes = ChecklistView(checklist, language, ticks)
    view = ReportView(title, sections, boxes, made_on=made_on, answer_id=answer_id)
    return rendered(make_environment(load_messages(language)), "report", {"view": view})
