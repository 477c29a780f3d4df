"""Decisions handed on as files, through the service, with a real log."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from openpyxl import load_workbook

from bot.reply import ReplyKind
from bot.storage.sqlite import SqliteLog
from tests.bot.decisions.archives import exported, filled, lines_of
from tests.bot.decisions.conftest import ANA, BEN, EVA


@pytest.fixture
def log(tmp_path):
    """A file: the tests look into it."""
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def full(service, log):
    filled(service, log)
    return service


def kinds(lines):
    return [
        (one["kind"], one.get("id") or one["decision"]["number"]) for one in map(json.loads, lines)
    ]


def numbers(reply):
    return [one["decision"]["number"] for one in reply.data["lines"] if one["kind"] == "decision"]


def test_every_line_comes_after_those_it_refers_to(full):
    assert kinds(lines_of(full)) == [
        ("answer", 1), ("answer", 2), ("tick", 1),
        ("decision", 1), ("decision", 2), ("decision", 3), ("actual", 1),
    ]  # fmt: skip
    assert {json.loads(line)["schema"] for line in lines_of(full)} == {"gpusize-log/1"}


def test_the_terminal_prints_what_the_file_would_hold(full):
    reply = exported(full)
    assert reply.kind is ReplyKind.EXPORT
    assert reply.printed() == reply.files[".jsonl"]()
    assert reply.markdown == "Decisions exported: 3; answers they rest on: 2.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export", [1, 2, 3]),
        ("exportar proyecto=atlas", [1]),
        ("export state=approved", [2]),
        ("export estado=aprobada,borrador", [2, 3]),
        ("export model=mistral", [2]),
        ("export modelo=llama-13b", [1, 3]),
        ("export two cards", [1]),
        ("export project=Atlas state=approved", None),
    ],
)
def test_filters_narrow_it(full, text, expected):
    reply = exported(full, text)
    if expected is None:
        assert reply.error.code == "export_nothing"
    else:
        assert numbers(reply) == expected


def test_an_unknown_state_is_said(full):
    assert exported(full, "export state=done").error.values["reason"] == "bad_value"


def test_only_what_the_asker_may_see(full):
    """Outside the conversation somebody sees what they take part in, a stranger nothing."""
    elsewhere = replace(EVA, user_id="U0ZOE", channel_id="C9")
    assert exported(full, asker=elsewhere).error.code == "export_nothing"
    assert exported(full, asker=replace(BEN, team_id="T2")).error.code == "export_nothing"
    assert numbers(exported(full, asker=replace(EVA, channel_id="C9"))) == [2]


def test_a_sheet_has_no_formula(service, log):
    service.handle("save A-1 =1+1 for all", BEN, None)
    rows = list(csv.reader(io.StringIO(exported(service).files[".csv"]().decode("utf-8-sig"))))
    assert dict(zip(*rows, strict=True))["Title"] == "'=1+1 for all"


def test_nobody_has_decided_on_a_draft_or_a_proposal(service):
    for text in ("save A-1 one", "save A-1 two", "save A-1 three", "propose D-1", "propose D-2"):
        service.handle(text, BEN, None)
    service.handle("approve D-1", ANA, None)
    rows = csv.DictReader(io.StringIO(exported(service).files[".csv"]().decode("utf-8-sig")))
    assert {row["Decision"]: row["Last decided by"] for row in rows} == {
        "D-1": "ana", "D-2": "", "D-3": "",
    }  # fmt: skip


def test_the_workbook_has_decisions_and_events(full):
    spanish = replace(ANA, channel_id="C1")
    book = load_workbook(io.BytesIO(exported(full, "exportar", spanish).files[".xlsx"]()))
    assert book.sheetnames == ["Decisiones", "Sucesos"]
    decisions, events = (list(book[name].values) for name in book.sheetnames)
    assert [row[:2] for row in decisions] == [
        ("Decisión", "Estado"), ("D-3", "Borrador"), ("D-2", "Aprobada"),
        ("D-1", "Con cambios pedidos"),
    ]  # fmt: skip
    assert len(events) == 1 + 7


class TestMinutes:
    def test_they_hold_figures_rules_trail_hashes_and_measurements(self, full, log):
        page = exported(full, "minutes D-1", BEN).files[".md"]().decode()
        decision = json.loads(lines_of(full)[3])["decision"]
        for words in (
            "# Minutes of D-1: Two cards for Ana",
            "Changes requested",
            "### Llama 2 13B",
            r"1 approval from \#gpu",
            "| ana | Asked for changes | please plan for 64k of context |",
            decision["answer_hash"],
            decision["request_hash"],
            "ana: Memory of a GPU 27.1 GB, estimated ",
            "; Between tokens 20 ms, estimated ",
        ):
            assert words in page

    def test_in_spanish(self, full):
        page = exported(full, "acta D-2", ANA).markdown
        assert page.startswith("# Acta de D-2: Another one\n")
        assert "Aprobada** por ana" in page

    def test_of_the_decision_of_a_thread_and_of_none(self, full):
        assert exported(full, "minutes", ANA).error.code == "no_decision_here"
        assert exported(full, "minutes D-9", ANA).error.code == "unknown_decision"

    def test_not_of_one_that_somebody_may_not_see(self, full):
        stranger = replace(BEN, user_id="U0ZOE", channel_id="C9")
        assert exported(full, "minutes D-1", stranger).error.code == "unknown_decision"
