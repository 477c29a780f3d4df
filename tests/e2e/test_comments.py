"""What people write in the thread of a decision: kept where it is switched on, and followed."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from bot.app import build_app
from bot.listeners.comments import EVENTS as MESSAGES
from bot.running import EVENTS, serve_http
from bot.storage.sqlite import SqliteLog
from bot.workspace import Fault, Workspace
from bot.workspace.people import ANA, BEN
from tests.e2e.conftest import settings_for, stage_with
from tests.e2e.deciding import (
    EVA,
    LEADS,
    ROBOT,
    TOM,
    actions,
    answered,
    card,
    saved,
    told,
)


def listening() -> Workspace:
    """Return a workspace whose app hears the messages of its conversations."""
    return Workspace(users=(ANA, BEN, EVA, TOM, ROBOT), groups=(LEADS,), events=EVENTS + MESSAGES)


@contextmanager
def builder(transport: str, database):
    with ExitStack() as open_stages:

        def build(**settings: object):
            settings = {"thread_comments": True, "workspace": listening(), **settings}
            return open_stages.enter_context(stage_with(transport, database, **settings))

        yield build


@pytest.fixture(params=["http", "socket"])
def stage_of(request, tmp_path):
    with builder(request.param, tmp_path / "gpusize.db") as build:
        yield build


@pytest.fixture
def http_stage_of(tmp_path):
    with builder("http", tmp_path / "gpusize.db") as build:
        yield build


@pytest.fixture
def stage(stage_of):
    return stage_of()


def proposed(stage):
    saved(stage.ben, answered(stage.ben))
    card(stage.ben, "ben proposed D-1.")
    return card(stage.ben, "D-1 · Proposed")


def kept(stage, number: int = 1):
    log = SqliteLog(stage.database)
    try:
        return log.comments_of(number)
    finally:
        log.close()


def words(stage) -> list[str]:
    return [f"{one.user_name}: {one.words}" for one in kept(stage)]


def waits_for(stage, expected: list[str]) -> None:
    def found() -> bool:
        return words(stage) == expected

    stage.workspace.wait_for(found, 10, f"{expected}, not {words(stage)}")


def settled(stage):
    """Return once all that was sent has been worked on."""
    stage.bot.workers.finish(10)
    return stage


def test_what_people_say_is_kept_and_shown(stage) -> None:
    drawn = proposed(stage)
    stage.ana.says("Is one card enough for @ben & <the> pilot?", drawn)
    stage.workspace.user("eva").says("I think so", drawn)
    waits_for(stage, ["ana: Is one card enough for @ben & <the> pilot?", "eva: I think so"])
    first = kept(stage)[0]
    assert (first.channel_id, first.user_id) == (drawn.channel, "U0ANA")
    assert first.at.startswith(str(stage.logged()[0].at)[:10])
    stage.ben.mentions(drawn, "history D-1")
    page = card(stage.ben, "Comments")
    assert "ana: “Is one card enough for @ben & <the> pilot?”" in page.shown
    assert "<@U0BEN" not in str(page.blocks)
    # A comment is no event: what is decided and its version stay as they are.
    assert actions(stage) == ["save", "propose"]


def test_a_history_that_is_asked_for_by_a_button_shows_them_too(stage) -> None:
    drawn = proposed(stage)
    stage.ana.says("¿Basta una tarjeta?", drawn)
    waits_for(stage, ["ana: ¿Basta una tarjeta?"])
    stage.ana.clicks(drawn, "gpus1.decide.menu", "history D-1 v1")
    page = told(stage.ana, "Comentarios")
    assert "«¿Basta una tarjeta?»" in page.shown


def test_changes_and_deletions_are_followed(stage) -> None:
    drawn = proposed(stage)
    one = stage.ana.says("Too deer", drawn)
    other = stage.ana.says("A word too many", drawn)
    waits_for(stage, ["ana: Too deer", "ana: A word too many"])
    one = stage.ana.edits(one, "Too dear")
    waits_for(stage, ["ana: Too dear", "ana: A word too many"])
    assert kept(stage)[0].edited_ts == one.edited_ts
    stage.ana.deletes(other)
    waits_for(stage, ["ana: Too dear"])
    settled(stage)
    for path in stage.database.parent.glob("gpusize.db*"):
        assert b"A word too many" not in path.read_bytes()
        assert b"Too deer" not in path.read_bytes()


def test_what_is_no_comment_is_not_kept(stage) -> None:
    drawn = proposed(stage)
    stage.ana.says("Outside of the thread")
    root = stage.ana.says("Another thread")
    stage.ben.says("In another thread", root)
    stage.ben.mentions(drawn, "status")
    stage.ben.says("please @gpusize tell us the status", drawn)
    stage.workspace.user("robot").says("beep", drawn)
    stage.ana.says("This one is", drawn)
    waits_for(stage, ["ana: This one is"])
    settled(stage)
    assert words(stage) == ["ana: This one is"]


def test_a_message_to_the_app_is_a_command_also_once_it_was_changed(stage) -> None:
    drawn = proposed(stage)
    message = stage.ana.says("status", drawn)
    waits_for(stage, ["ana: status"])
    stage.ana.edits(message, "@gpusize status")
    waits_for(stage, [])


def test_a_message_that_comes_twice_is_kept_once(http_stage_of) -> None:
    stage = http_stage_of()
    drawn = proposed(stage)
    message = stage.ana.says("Only once", drawn)
    waits_for(stage, ["ana: Only once"])
    stage.ana.deletes(message)
    waits_for(stage, [])
    for delivery in [one for one in stage.workspace.deliveries if one.kind == "event"]:
        # Slack sends again what it takes for lost, in whatever order.
        stage.workspace.replay(delivery)
    settled(stage)
    assert words(stage) == []


def test_what_is_switched_off_keeps_nothing_and_still_lets_go(http_stage_of) -> None:
    stage = http_stage_of()
    drawn = proposed(stage)
    one = stage.ana.says("Kept before", drawn)
    waits_for(stage, ["ana: Kept before"])
    with restarted(stage) as off:
        stage.ana.says("Not kept", drawn)
        one = stage.ana.edits(one, "Changed after")
        waits_for(off, ["ana: Changed after"])
        stage.ana.deletes(one)
        waits_for(off, [])
        late = stage.ana.says("Nor this", drawn)
        stage.ana.edits(late, "Nor this change")
        settled(off)
        assert words(off) == []


@contextmanager
def restarted(stage):
    """Let a bot answer whose setting is off."""
    bot = build_app(settings_for(stage.workspace, stage.database))
    try:
        with serve_http(bot) as url:
            stage.workspace.connect_http(url)
            yield replace(stage, bot=bot)
    finally:
        bot.close()


def test_nothing_is_kept_unless_it_is_switched_on(stage_of) -> None:
    stage = stage_of(thread_comments=False)
    drawn = proposed(stage)
    stage.ana.says("Between us", drawn)
    settled(stage)
    assert words(stage) == []


def test_comments_of_a_private_conversation_are_read_there_alone(http_stage_of) -> None:
    stage = http_stage_of()
    world = stage.workspace.world
    world.channels["C0PLANNING"] = replace(world.channels["C0PLANNING"], is_private=True)
    drawn = proposed(stage)
    stage.ana.says("Between us", drawn)
    waits_for(stage, ["ana: Between us"])
    stage.ben.types("/gpusize history D-1", "random")
    page = told(stage.ben, "| ben | Saved |")
    assert "Between us" not in page.shown
    stage.ben.types("/gpusize history D-1")
    assert "Between us" in told(stage.ben, "Comments", after=page).shown


def test_minutes_hold_all_comments(http_stage_of) -> None:
    stage = http_stage_of()
    drawn = proposed(stage)
    for number in range(22):
        stage.ana.says(f"Thought {number:02}", drawn)
    waits_for(stage, [f"ana: Thought {number:02}" for number in range(22)])
    stage.ben.mentions(drawn, "history D-1")
    page = card(stage.ben, "Comments")
    assert "before these: 2" in page.shown
    assert "Thought 01" not in page.shown
    assert "Thought 02" in page.shown
    stage.ben.mentions(drawn, "minutes")
    sent = stage.ben.waits_for_message(lambda seen: bool(seen.files))
    content = stage.workspace.world.files[sent.files[0]["id"]].content.decode()
    assert "Thought 01" in content
    assert "## Comments" in content


def test_where_slack_says_nothing_of_an_account_nothing_is_kept(http_stage_of) -> None:
    stage = http_stage_of()
    drawn = proposed(stage)
    stage.workspace.fail_next("users.info", Fault(error="user_not_found", times=9))
    stage.workspace.user("tom").says("Who am I?", drawn)
    settled(stage)
    assert words(stage) == []
    assert not [one for one in stage.workspace.world.seen_by("U0TOM") if one.visible_to == "U0TOM"]
