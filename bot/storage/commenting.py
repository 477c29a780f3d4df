"""Keep comments in any store: one row each, changed and taken out as Slack says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from bot.decisions.comments import Comment
from bot.decisions.records import Tenant
from bot.storage import SEEN_FOR_S
from bot.storage.tables import Tables
from bot.storage.values import moment, unicode_text

TABLE: Final = "comments"
"""Name of the table."""

KEY: Final = ("message_ts", "channel_id", "tenant")
"""Columns that name a row."""

COLUMNS: Final = (*KEY, "decision_id", "edited_ts", "at", "user_id", "user_name", "text")
"""Columns of a comment."""


class Commenting:
    """Comments within one transaction, in which nobody comes between."""

    def __init__(self, tables: Tables, now: datetime) -> None:
        self._tables = tables
        self._now = now

    def add(self, comment: Comment) -> bool:
        """Keep a comment; return whether it was: not twice, and not where it is deleted already."""
        if not self._is_first(comment.message_ts, comment.channel_id, comment.tenant):
            return False
        self._tables.records.add(TABLE, comment_row(comment))
        return True

    def change(self, comment: Comment, *, adds: bool) -> bool:
        """Keep the words of a later change; return whether they are.

        Where a comment of today has not come itself yet it is kept as it is now, if it `adds`.
        """
        row = self._found(comment.message_ts, comment.channel_id, comment.tenant)
        if row is None:
            # An older message was there before comments were kept, or is deleted long since.
            is_young = comment.at > moment(self._now - timedelta(seconds=SEEN_FOR_S))
            return adds and is_young and self.add(comment)
        if (row["edited_ts"] or "") >= (comment.edited_ts or ""):
            return False
        new = {"text": unicode_text(comment.text), "edited_ts": comment.edited_ts}
        self._tables.records.change(TABLE, _key(row), new)
        return True

    def drop(self, tenant: Tenant, channel_id: str, message_ts: str) -> bool:
        """Take a comment out, also where it comes later; return whether there was one."""
        self._is_first(message_ts, channel_id, tenant.key)
        row = self._found(message_ts, channel_id, tenant.key)
        if row is not None:
            self._tables.records.drop(TABLE, _key(row))
        return row is not None

    def _is_first(self, message_ts: str, channel_id: str, tenant: str) -> bool:
        """Return whether nothing has been heard of a message before."""
        key = unicode_text(f"comment:{tenant}:{channel_id}:{message_ts}")
        is_new = self._tables.seen.add(key, now=self._now, window_s=SEEN_FOR_S)
        return is_new and self._found(message_ts, channel_id, tenant) is None

    def _found(self, *key: str) -> Mapping[str, Any] | None:
        rows = self._tables.records.read(TABLE, COLUMNS, by=KEY[0], values=[key[0]])
        return next((row for row in rows if tuple(_key(row).values()) == key), None)


def comments_of(tables: Tables, number: int) -> tuple[Comment, ...]:
    """Return the comments on a decision, oldest first."""
    rows = tables.records.read(TABLE, COLUMNS, by="decision_id", values=[number])
    return tuple(map(Comment.model_validate, rows))


def comment_row(comment: Comment) -> dict[str, Any]:
    """Return what is kept of a comment, by column."""
    return {
        name: unicode_text(value) if isinstance(value, str) else value
        for name, value in comment.model_dump().items()
    }


def _key(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in KEY}
