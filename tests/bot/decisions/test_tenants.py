"""Two workspaces with the same people and conversations never see or change each other's log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.decisions.measured import Figures, NewActual
from bot.decisions.records import Details, Tenant
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted
from bot.errors import CodedError
from bot.home_view import HomeState
from bot.render import Renderer
from bot.service import Service
from bot.ticks import TickClick
from tests.bot.decisions.conftest import BEN as SOMEBODY
from tests.bot.decisions.conftest import event

TENANT = Tenant("T1", "E1")
BEN = replace(SOMEBODY, enterprise_id="E1")
SECRET = "Zanzibar"
ROOT = "17.1"
OTHERS = (("T2", "E1"), ("T2", None), ("T1", "E2"), (None, "E1"))
LINES = (
    "list", "list decisions", "list mine", "list waiting", "list project=zanzibar", "list Zanzibar",
    "list decisions Zanzibar", "history", "status D-1", "history D-1", "minutes D-1", "export",
    "export project=zanzibar", "propose D-1", "approve D-1", "reject D-1 because it is too dear",
    "changes D-1 because it is too dear", "withdraw D-1",
    "supersede D-1 by D-2 newer cards are out",
    "recheck D-1", "rerun D-1", "what if D-1 users=3", "compare D-1 fp8 int4", "actual D-1 38 GB",
    "actual A-1 38 GB", "actuals", "save A-1", "show A-1", "explain A-1", "start A-1",
    "opinion A-1",
    "spec A-1", "revise D-1 A-2", "what if A-1 users=3", "compare A-1 fp8 int4",
)  # fmt: skip
THREAD_LINES = (
    "status", "history", "approve", "reject because it is too dear", "propose", "withdraw", "save",
    "save A-1", "recheck", "what if users=3", "compare fp8 int4", "actual 38 GB", "minutes",
)  # fmt: skip


@pytest.fixture
def known(catalogue, log):
    """A decision of the first workspace, with a thread, a measurement and a tick."""
    service = Service(catalogue, log, Renderer(catalogue))
    service.handle("llama-13b int8 users=4", BEN, None)
    for text in (f"save A-1 {SECRET} cards project={SECRET}", "propose D-1", "save A-1 Second"):
        assert service.handle(text, BEN, None).error is None
    place = Details(channel_id="C1", message_ts=ROOT, is_open=True)
    log.add_event(TENANT, 1, event(Action.PLACE, details=place), follows=2)
    log.keep_thread(TENANT, "C1", ROOT, "A-1")
    log.keep_thread(TENANT, "C1", "17.2", "A-1")
    figures = Figures(memory_bytes=7)
    told = {"answer_id": "A-1", "user_id": "U0BEN", "note": SECRET, "package_version": "1"}
    log.add_actual(TENANT, NewActual(figures=figures, **told))
    clicked = {"items": frozenset("a"), "chosen": frozenset("a"), "seen": 0, "user_id": "U0BEN"}
    log.record_ticks(TickClick(answer_id="A-1", **clicked))
    return service


def everything(log):
    """Return all that the log holds for the first workspace."""
    sight = Sight(tenant=TENANT)
    decisions = log.find_decisions(Wanted(limit=100), sight)
    place = {"enterprise_id": "E1", "viewer": "U0BEN", "channel": "C1"}
    answers = log.list_answers(team_id="T1", **place, limit=100)
    return (
        decisions,
        [log.events_of(one.number, sight) for one in decisions],
        answers,
        [log.ticks_of(one.id) for one in answers],
        log.actuals_of(TENANT),
        log.projects(sight),
        [log.thread_subject(TENANT, "C1", ts) for ts in (ROOT, "17.2")],
        log.decision_at(TENANT, "C1", ROOT),
    )


def told(reply):
    files = b"".join(make() for name, make in reply.files.items() if name != ".xlsx")
    return f"{reply.markdown} {reply.summary} {reply.data} {reply.answer} {files!r}"


@pytest.fixture(params=OTHERS)
def stranger(request):
    team, enterprise = request.param
    return replace(BEN, team_id=team, enterprise_id=enterprise)


def test_nothing_that_is_typed_shows_or_changes_the_others(known, log, stranger) -> None:
    before = everything(log)
    in_thread = replace(stranger, thread_ts=ROOT)
    lines = [(line, stranger) for line in LINES] + [(line, in_thread) for line in THREAD_LINES]
    for line, asker in lines:
        for one in (asker, replace(asker, user_id="U0ANA", user_name="ana")):
            reply = known.handle(line, one, None)
            assert "Zanzibar cards" not in told(reply), line
            assert (line, SECRET in told(reply).replace(f"“{SECRET}”", "")) in (
                (line, False), ("list Zanzibar", True), ("list decisions Zanzibar", True),
            )  # fmt: skip
    assert everything(log) == before


def test_nothing_that_is_clicked_shows_or_changes_the_others(known, log, stranger) -> None:
    before = everything(log)
    here = replace(stranger, thread_ts=ROOT)
    deciding = known.deciding
    assert (deciding.here(here), deciding.subject_here(here)) == (None, None)
    assert (deciding.projects(stranger), deciding.events(1, stranger)) == ((), ())
    assert deciding.proposed_to(stranger, limit=10) == ()
    assert known.recording.approved("", stranger) == ()
    content = known.overview.content(stranger, HomeState())
    assert (content.waiting, content.asked, content.recent.decisions) == ((), (), ())
    for work in (
        lambda: known.recording.saving("A-1", stranger, channel="C1"),
        lambda: known.ticking.clicked("gpus1.tick.A-1.0.0", frozenset(), stranger),
        lambda: deciding.revise(1, "A-1", stranger),
        lambda: deciding.propose(1, stranger),
    ):
        with pytest.raises(CodedError):
            work()
    deciding.keep_subject(ROOT, "A-9", here)
    assert everything(log) == before


def test_the_same_place_in_both_is_two_places(known, log, stranger) -> None:
    other = Tenant(stranger.team_id, stranger.enterprise_id)
    log.keep_thread(other, "C1", ROOT, "A-7")
    assert log.thread_subject(other, "C1", ROOT) == "A-7"
    assert log.thread_subject(TENANT, "C1", ROOT) == "A-1"
    known.handle("llama-13b int8", stranger, None)
    [answer] = log.list_answers(
        team_id=stranger.team_id, enterprise_id=stranger.enterprise_id, viewer="U0BEN", channel="C1"
    )
    assert known.handle(f"save {answer.id} Mine", stranger, None).error is None
    mine = known.deciding.found(Wanted(), stranger)
    assert [one.title for one in mine] == ["Mine"]
    assert log.find_decisions(Wanted(text="mine"), Sight(tenant=TENANT)) == ()


def test_a_person_is_forgotten_in_one_workspace_by_the_names_used_there(known, log) -> None:
    """The id may be somebody else's in the other one, whose name is nobody's business here."""
    namesake = replace(BEN, team_id="T2", user_name="Second")
    known.handle("llama-13b int8", namesake, None)
    before = log.list_answers(team_id="T2")
    log.forget(BEN.user_id, team_id="T1")
    titles = {one.title for one in log.find_decisions(Wanted(), Sight(tenant=TENANT))}
    assert titles == {f"{SECRET} cards", "Second"}
    assert log.list_answers(team_id="T2") == before
