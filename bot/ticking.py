"""Ticking a checklist: its boxes as they stand, and what a click changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.checklist.blocks import box_set, items_of, page_of, tick_messages
from bot.checklist.words import checklist_words
from bot.errors import CodedError
from bot.ticks import TickClick
from sizing.spec.answer import Spec
from sizing.spec.checklist import checklist_of
from sizing.spec.plan_facts import facts_of

if TYPE_CHECKING:
    from bot.history import History
    from bot.reply import Asker, HistoryEntry
    from bot.storage import Log
    from sizing.catalogue import Catalogue
    from sizing.spec.checklist_records import Checklist

Message = dict[str, object]


class Ticking:
    """Draws the boxes of a logged server's checklist, and keeps what is ticked."""

    def __init__(self, catalogue: Catalogue, history: History, log: Log) -> None:
        self._catalogue = catalogue
        self._history = history
        self._log = log

    def messages(self, reference: str, asker: Asker) -> tuple[Message, ...]:
        """Return the messages with all boxes of an answer; raise CodedError where it has none."""
        return self._drawn(self._history.entry(reference, asker))

    def clicked(self, block_id: str, chosen: frozenset[str], asker: Asker) -> Message:
        """Keep what a click changes and return the message that was clicked as it stands now.

        Raise CodedError where the answer is not there to see, or this version has no such boxes.
        """
        boxes = box_set(block_id)
        if boxes is None:
            raise CodedError("expired_button")
        entry = self._history.entry(boxes.answer_id, asker)
        checklist = self._checklist(entry)
        page = page_of(checklist, boxes)
        if page is None:
            raise CodedError("expired_button")
        self._log.record_ticks(
            TickClick(
                answer_id=entry.answer_id,
                items=items_of(checklist, boxes),
                chosen=chosen,
                seen=boxes.seen,
                user_id=asker.user_id,
                user_name=asker.user_name,
            )
        )
        return self._drawn(entry)[page]

    def _drawn(self, entry: HistoryEntry) -> tuple[Message, ...]:
        """Return all boxes in the language of the answer: everybody sees the same ones."""
        checklist, words = self._checklist(entry), checklist_words(entry.language)
        ticks = self._log.ticks_of(entry.answer_id)
        return tick_messages(checklist, words, entry.answer_id, ticks)

    def _checklist(self, entry: HistoryEntry) -> Checklist:
        if not isinstance(entry.answer, Spec):
            raise CodedError("expired_button")
        return checklist_of(facts_of(entry.answer, self._catalogue))
