"""`gpusize-bot recheck`: every approved decision of the log, checked again at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.again.daily import Daily, Found
from bot.assembly import build_service
from bot.daily_settings import RECHECK_DAYS
from bot.messages import Messages
from bot.storage.stores import open_log

if TYPE_CHECKING:
    from bot.settings import Settings


def recheck_all(settings: Settings, days: int | None) -> str:
    """Check decisions again that were last checked so many days ago; return what was found."""
    with closing(open_log(settings.store.path, settings.store.url)) as log:
        service = build_service(log)
        daily = Daily(log, service.again.rechecking)
        wanted = days if days is not None else settings.recheck_days or RECHECK_DAYS
        found = daily.round(datetime.now(UTC), days=wanted)
        return summary_of(found, service.messages(settings.language))


def summary_of(found: Iterable[Found], messages: Messages) -> str:
    """Return one line for each decision that was checked, and their number."""
    lines = [_line(one, messages) for one in found]
    return "\n".join([*lines, str(messages.word("rechecks", "total", count=len(lines)))])


def _line(found: Found, messages: Messages) -> str:
    said = "; ".join(str(messages.word("rechecks", code)) for code in _codes(found))
    return f"{found.decision.name} {found.decision.title}: {said}"


def _codes(found: Found) -> Iterator[str]:
    checked = found.checked
    if checked is None:
        yield "failed"
        return
    if checked.no_longer_fits:
        yield "no_longer_fits"
    if checked.is_cheaper_now:
        yield "cheaper"
    yield from checked.causes or ("same",)
