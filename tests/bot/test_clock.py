"""The day of today, and what it does to prices."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bot.clock import today
from bot.render import Renderer
from bot.reply import Asker, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue
from sizing.request import SizingRequest

ANA = Asker("ana", None, Transport.TERMINAL)


@pytest.mark.parametrize(
    ("fixed", "day"),
    [
        ("0", date(1970, 1, 1)),
        # 20,787 days of 86,400 s after the first of 1970
        ("1795996799", date(2026, 11, 29)),
        ("1795996800", date(2026, 11, 30)),
    ],
)
def test_a_fixed_moment_stands_for_now(fixed: str, day: date) -> None:
    assert today({"SOURCE_DATE_EPOCH": fixed}) == day


@pytest.mark.parametrize("nothing", [{}, {"SOURCE_DATE_EPOCH": ""}, {"SOURCE_DATE_EPOCH": "soon"}])
def test_without_one_it_is_today(nothing: dict[str, str]) -> None:
    assert datetime.now(UTC).date() - today(nothing) <= timedelta(days=1)


@pytest.mark.parametrize(
    ("day", "is_old"), [(date(2026, 12, 19), False), (date(2026, 12, 20), True)]
)
def test_a_question_is_asked_on_its_day(
    catalogue: Catalogue, tmp_path: Path, day: date, is_old: bool
) -> None:
    """Lambda's prices are of 2026-09-20: 90 days old on 19 December. The log keeps the day."""
    log = SqliteLog(tmp_path / "a.db")
    service = Service(catalogue, log, Renderer(catalogue), today=lambda: day)
    reply = service.handle("llama 3.1 70b fp8 gpu=4xh100 rent", ANA, None)
    assert reply.answer is not None
    rental = reply.answer.options[0].price.rental
    assert (rental.provider, rental.is_old) == ("Lambda", is_old)
    row = log.get_answer("A-1", team_id=None)
    log.close()
    assert row is not None
    assert SizingRequest.model_validate_json(row.request_json or "").as_of == day
