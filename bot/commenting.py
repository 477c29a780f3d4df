"""Comments in the threads of decisions: kept where that is wished for, and who reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decision_details import tenant_of
from bot.reply import Transport

if TYPE_CHECKING:
    from bot.decisions.comments import Comment
    from bot.decisions.records import Decision
    from bot.reply import Asker
    from bot.storage import Log


@dataclass(frozen=True)
class Commenting:
    """Keeps comments and shows them to those who can read their thread."""

    log: Log
    """Where they are kept."""

    def of(self, decision: Decision, asker: Asker) -> tuple[Comment, ...]:
        """Return the comments that an asker may read, oldest first.

        Those of a conversation that is not public are read in that conversation alone, also by
        people who may see the decision elsewhere; the owner of the machine reads all.
        """
        if asker.transport is Transport.TERMINAL:
            return self.log.comments_of(decision.number)
        if not (decision.is_open or asker.channel_id == decision.channel_id):
            return ()
        found = self.log.comments_of(decision.number)
        return tuple(one for one in found if one.channel_id == decision.channel_id)

    def add(self, comment: Comment) -> bool:
        """Keep a comment; return whether it was new."""
        return self.log.add_comment(comment)

    def change(self, comment: Comment, *, adds: bool) -> bool:
        """Keep what a comment says now; one that was never heard of only if it `adds`."""
        return self.log.change_comment(comment, adds=adds)

    def drop(self, message_ts: str, asker: Asker) -> bool:
        """Take out what was deleted in the conversation of the asker; return if it was there."""
        if asker.channel_id is None:
            return False
        return self.log.drop_comment(tenant_of(asker), asker.channel_id, message_ts)
