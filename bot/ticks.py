"""What is done of a checklist: who ticked which item, when, and what a click means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tick:
    """One change of one item, as the log keeps it."""

    number: int
    """Number of the change; later ones are higher."""

    at: str
    """Moment of the change, ISO 8601, UTC."""

    item_id: str
    """Item of the checklist."""

    user_id: str
    """Who changed it: Slack user id, or the account name in the terminal."""

    user_name: str | None
    """Name people read."""

    is_on: bool
    """Whether it was ticked, not cleared."""


@dataclass(frozen=True, kw_only=True)
class TickClick:
    """What a person's screen sends after a click: the boxes of one group that are on there."""

    answer_id: str
    """Answer whose checklist it is, `A-12`."""

    items: frozenset[str]
    """Items that the group shows."""

    chosen: frozenset[str]
    """Those of them that are on, on that screen."""

    seen: int
    """Last change that the screen was drawn with; 0 for none."""

    user_id: str
    """Who clicked."""

    user_name: str | None = None
    """Name people read."""


def latest_ticks(ticks: Iterable[Tick]) -> dict[str, Tick]:
    """Return the last change of each item."""
    latest: dict[str, Tick] = {}
    for tick in ticks:
        if tick.item_id not in latest or latest[tick.item_id].number < tick.number:
            latest[tick.item_id] = tick
    return latest


def shown_ticks(ticks: Iterable[Tick]) -> dict[str, Tick]:
    """Return the items that are ticked, each with the change that ticked it."""
    return {item: tick for item, tick in latest_ticks(ticks).items() if tick.is_on}


def last_number(ticks: Iterable[Tick]) -> int:
    """Return the number of the last change, 0 without any: what a screen is drawn with."""
    return max((tick.number for tick in ticks), default=0)


def changes_of(click: TickClick, ticks: Iterable[Tick]) -> Mapping[str, bool]:
    """Return the items that the click changes, and what to.

    A screen shows the boxes as they were when it was drawn, with its owner's own clicks since: what
    differs from that was meant. An item that somebody else has changed meanwhile is left alone: the
    click was about a state that is gone. One that already is as wished needs no change.
    """
    history = tuple(ticks)
    now = latest_ticks(history)
    on_screen = latest_ticks(
        tick for tick in history if tick.number <= click.seen or tick.user_id == click.user_id
    )
    meant = {
        item: item in click.chosen
        for item in click.items
        if (item in click.chosen) != _is_on(on_screen, item)
    }
    return {
        item: is_on for item, is_on in sorted(meant.items()) if now.get(item) == on_screen.get(item)
    }


def _is_on(latest: Mapping[str, Tick], item: str) -> bool:
    return item in latest and latest[item].is_on
