"""What people write to each other in the thread of a decision."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

LONGEST_COMMENT: Final = 4000
"""Characters of a comment that are kept."""

CUT: Final = " […]"
"""Sign that the end of a longer one was left out."""

_ENTITY: Final = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_PERSON: Final = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")


class Comment(BaseModel):
    """One comment as it stands now; its text follows what Slack shows."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    decision_id: int
    """Number of the decision, 42 of D-42."""

    tenant: str
    """Organisation and workspace, parted by a slash."""

    channel_id: str
    """Slack conversation of the thread."""

    message_ts: str
    """Slack's name of the message, which is its moment, s since 1970."""

    edited_ts: str | None = None
    """Slack's name of its last change, s since 1970; None where it was never changed."""

    at: str
    """Moment it was written, ISO 8601, UTC."""

    user_id: str
    """Who wrote it."""

    user_name: str | None = None
    """Name people read."""

    text: str
    """Words in Slack's own markup, people named: `<@U0ANA|ana>`."""

    @property
    def words(self) -> str:
        """Return the words as people read them, in one line."""
        return " ".join(_unescaped(_ENTITY.sub(_shown, self.text)).split())


def moment_of(message_ts: str) -> datetime:
    """Return when a message was written; raise ValueError for what is no name of one."""
    return datetime.fromtimestamp(float(message_ts), UTC)


def kept_text(text: str, name: Callable[[str], str]) -> str:
    """Return what is kept of a message: people named, and no more than LONGEST_COMMENT letters."""
    named = _PERSON.sub(lambda found: f"<@{found[1]}|{_plain(name(found[1]))}>", text).strip()
    if len(named) <= LONGEST_COMMENT:
        return named
    kept = named[: LONGEST_COMMENT - len(CUT)]
    # An entity that the cut has opened is left out whole.
    opened = kept.rfind("<")
    return (kept[:opened] if opened > kept.rfind(">") else kept).rstrip() + CUT


def _shown(found: re.Match[str]) -> str:
    """Return what Slack shows for an entity: a person, a conversation, a group, a link, a date."""
    target, label = found[1], found[2]
    sign = {"@": "@", "#": "#"}.get(target[:1], "")
    if sign:
        return sign + (label or target[1:])
    if target.startswith("!"):
        return label or f"@{target.removeprefix('!').partition('^')[0]}"
    return f"{label} ({target})" if label and label != target else target


def _plain(name: str) -> str:
    return re.sub(r"[<>|&]", "", name)


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
