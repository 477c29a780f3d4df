"""People who are named in a line about a decision, as the log knows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bot.errors import CodedError
from bot.reply import Transport

if TYPE_CHECKING:
    from bot.reply import Asker

_USER: Final = re.compile(r"[UW][A-Z0-9]{4,}", re.ASCII)


def people_in(named: tuple[str, ...], asker: Asker) -> tuple[str, ...]:
    """Return the ids of those named; raise CodedError in Slack for words that mention nobody."""
    if asker.transport is Transport.SLACK:
        for name in named:
            if not _USER.fullmatch(name):
                raise CodedError("reviewer_unmentioned", name=name)
    return named
