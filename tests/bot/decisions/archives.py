"""A log with decisions in several states, and the lines it is written out as."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from bot.reply import terminal_asker
from bot.ticks import TickClick
from tests.bot.decisions.conftest import ANA, BEN, EVA

LINES = (
    ("save A-1 Two cards for Ana project=Atlas", BEN),
    ("propose D-1", BEN),
    ("changes D-1 please plan for 64k of context", ANA),
    ("save A-2 Another one project=Borea", EVA),
    ("propose D-2", EVA),
    ("approve D-2", ANA),
    ("save A-1 a third one", BEN),
)


def filled(service, log):
    """Ask and decide: three decisions about two of three answers, a tick, a measurement."""
    service.handle("mistral-7b fp16", EVA, None)
    service.handle("qwen2.5-7b fp16", BEN, None)
    for text, asker in LINES:
        assert service.handle(text, asker, None).error is None, text
    click = {"items": frozenset({"gpu"}), "chosen": frozenset({"gpu"}), "seen": 0}
    log.record_ticks(TickClick(answer_id="A-1", user_id="U0ANA", user_name="ana", **click))
    with opened(log) as db:
        db.execute(
            "insert into actuals (tenant, at, answer_id, decision_id, user_id, user_name, "
            "measured_json, note, package_version) values ('/T1', '2026-01-01T00:00:00.000Z', "
            "'A-1', 1, 'U0ANA', 'ana', ?, 'as told by ana', '0.1')",
            ['{"memory_bytes": 27100000000, "itl_ms": 20}'],
        )


def opened(log):
    """Return another connection to the log's file; each statement is kept at once."""
    return closing(sqlite3.connect(log._path, isolation_level=None))


def exported(service, text="export", asker=None):
    return service.handle(text, asker or terminal_asker("en"), None)


def lines_of(service, text="export", asker=None):
    return exported(service, text, asker).files[".jsonl"]().splitlines(keepends=True)
