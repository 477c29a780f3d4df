"""Boxes to tick in Slack: messages of Block Kit, each inside Slack's limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.checklist.view import by_group
from bot.checklist.words import ChecklistWords
from bot.mrkdwn import escape, literal, shorten
from bot.ticks import Tick, last_number, shown_ticks

if TYPE_CHECKING:
    from sizing.spec.checklist_records import Checklist, ChecklistItem, Group

Block = dict[str, object]

TICK = "gpus1.tick"
"""Action of a set of boxes; its group and part follow, and the block's id says of which answer."""

MOST_BOXES = 10
"""Boxes of one element."""

BOX_CHARACTERS = 75
"""Text of one box, and its description."""

MESSAGE_BOXES = 40
"""Boxes of one message: with their texts they stay below what Slack takes at once."""

WHO_CHARACTERS = 2000

_BLOCK_ID = re.compile(r"tick:(A-[1-9][0-9]{0,17}):([a-z]+):([0-9]{1,2}):([0-9]{1,18})")
_USER = re.compile(r"[UW][A-Z0-9]{1,20}")


@dataclass(frozen=True)
class BoxSet:
    """What the id of a block says: one set of boxes, as it was drawn."""

    answer_id: str
    """Answer whose checklist it is."""

    group: str
    """Group of the items."""

    part: int
    """Place among the sets of that group, from 0."""

    seen: int
    """Last change that it was drawn with."""

    @property
    def block_id(self) -> str:
        """Return the id of its block; a redrawn set has another, so that Slack redraws it too."""
        return f"tick:{self.answer_id}:{self.group}:{self.part}:{self.seen}"


def box_set(block_id: str) -> BoxSet | None:
    """Return what the id of a block says; None for a block that has no boxes of ours."""
    found = _BLOCK_ID.fullmatch(block_id)
    return BoxSet(found[1], found[2], int(found[3]), int(found[4])) if found else None


def items_of(checklist: Checklist, boxes: BoxSet) -> frozenset[str]:
    """Return the items that a set of boxes shows; none where the checklist has no such set."""
    parts = {(group.value, part): items for group, part, items in _parts(checklist)}
    return frozenset(item.id for item in parts.get((boxes.group, boxes.part), ()))


def tick_messages(
    checklist: Checklist, words: ChecklistWords, answer_id: str, ticks: Iterable[Tick] = ()
) -> tuple[dict[str, object], ...]:
    """Return `text` and `blocks` of the messages that together show all boxes, in order."""
    history = tuple(ticks)
    drawing = _Drawing(checklist, words, answer_id, shown_ticks(history), last_number(history))
    return tuple(drawing.message(parts) for parts in _pages(checklist))


def page_of(checklist: Checklist, boxes: BoxSet) -> int | None:
    """Return which of the messages holds a set of boxes, from 0; None where none does."""
    for number, parts in enumerate(_pages(checklist)):
        if any((group.value, part) == (boxes.group, boxes.part) for group, part, _ in parts):
            return number
    return None


Part = tuple["Group", int, "tuple[ChecklistItem, ...]"]


def _parts(checklist: Checklist) -> Iterator[Part]:
    """Yield groups, cut evenly where one element does not hold all of their boxes."""
    for group, items in by_group(checklist):
        count = -(-len(items) // MOST_BOXES)
        size = -(-len(items) // count)
        for part in range(count):
            yield group, part, items[part * size : (part + 1) * size]


def _pages(checklist: Checklist) -> tuple[tuple[Part, ...], ...]:
    """Return the parts of each message, as many as fit."""
    pages: list[list[Part]] = [[]]
    for part in _parts(checklist):
        if sum(len(items) for _, _, items in pages[-1]) + len(part[2]) > MESSAGE_BOXES:
            pages.append([])
        pages[-1].append(part)
    return tuple(map(tuple, pages))


@dataclass(frozen=True)
class _Drawing:
    """Draws one checklist as it stands."""

    checklist: Checklist
    words: ChecklistWords
    answer_id: str
    ticked: Mapping[str, Tick]
    seen: int

    def message(self, parts: Sequence[Part]) -> dict[str, object]:
        """Return the message of some parts."""
        blocks = [block for part in parts for block in self._blocks(part)]
        return {"text": self._progress(), "blocks": [_context(self._progress()), *blocks]}

    def _progress(self) -> str:
        return self.words.page(
            "progress",
            done=sum(item.id in self.ticked for item in self.checklist.items),
            total=len(self.checklist.items),
            open=len(self.checklist.questions),
        )

    def _blocks(self, part: Part) -> Iterator[Block]:
        group, number, items = part
        boxes = BoxSet(self.answer_id, group.value, number, self.seen)
        yield {"type": "section", "text": _mrkdwn(f"*{escape(self.words.group(group))}*")}
        yield {
            "type": "actions",
            "block_id": boxes.block_id,
            "elements": [self._element(f"{TICK}.{group.value}.{number}", items)],
        }
        if who := self._who(items):
            yield _context(who)

    def _element(self, action_id: str, items: Sequence[ChecklistItem]) -> Block:
        options = {item.id: self._option(item) for item in items}
        element: Block = {
            "type": "checkboxes",
            "action_id": action_id,
            "options": list(options.values()),
        }
        # An empty list of boxes that are on is refused.
        if on := [option for name, option in options.items() if name in self.ticked]:
            element["initial_options"] = on
        return element

    def _option(self, item: ChecklistItem) -> Block:
        return {
            "text": _plain(shorten(self.words.title(item.id), BOX_CHARACTERS)),
            "description": _plain(shorten(self._description(item), BOX_CHARACTERS)),
            "value": item.id,
        }

    def _description(self, item: ChecklistItem) -> str:
        """Return who has to answer, else what an item says first, else what it weighs."""
        if item.asks:
            return f"{self.words.state(item.state)}: {self.words.person(item.asks)}"
        return next(iter(self.words.plain_sentences(item)), self.words.kind(item.kind))

    def _who(self, items: Sequence[ChecklistItem]) -> str:
        lines = [
            f"{escape(self.words.title(item.id))}: {self._by(self.ticked[item.id])}"
            for item in items
            if item.id in self.ticked
        ]
        return shorten("\n".join(lines), WHO_CHARACTERS)

    def _by(self, tick: Tick) -> str:
        known = _USER.fullmatch(tick.user_id)
        user = f"<@{tick.user_id}>" if known else literal(tick.user_name or tick.user_id)
        return f"{user} · {tick.at[:16].replace('T', ' ')} UTC"


def _context(text: str) -> Block:
    return {"type": "context", "elements": [_mrkdwn(text)]}


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text, "verbatim": True}
