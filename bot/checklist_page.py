"""The checklist of a purchase as one Markdown page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bot.checklist.view import ChecklistView
from bot.environment import make_environment
from bot.messages import load_messages
from bot.render import rendered

if TYPE_CHECKING:
    from bot.ticks import Tick
    from sizing.spec.checklist_records import Checklist


def checklist_page(checklist: Checklist, language: str, ticks: Iterable[Tick] = ()) -> str:
    """Return the page with its boxes, for the terminal and for a file."""
    view = ChecklistView(checklist, language, ticks)
    return rendered(make_environment(load_messages(language)), "checklist", {"view": view})
