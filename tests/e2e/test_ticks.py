"""Boxes of a checklist in Slack, clicked by several people."""

from __future__ import annotations

import pytest
from slack_sdk import WebClient

from bot.assembly import build_service
from bot.reply import Asker, Transport
from bot.storage.sqlite import SqliteLog

QUESTION = "/gpusize spec llama-3.1-8b fp8 l40s users=4"
POWER = "gpus1.tick.power.0"


def boxes(message):
    return {
        block["elements"][0]["action_id"]: block["elements"][0]
        for block in message.blocks
        if block["type"] == "actions"
    }


def shows_power(message):
    return POWER in boxes(message)


def on(message, group=POWER):
    return [option["value"] for option in boxes(message)[group].get("initial_options", ())]


def ticked(stage):
    log = SqliteLog(stage.database)
    try:
        return [(tick.item_id, tick.is_on, tick.user_id) for tick in log.ticks_of("A-1")]
    finally:
        log.close()


@pytest.fixture
def asked(stage):
    """Return the answer about a server, below which the boxes stand."""
    stage.ben.types(QUESTION)
    answer = stage.ben.waits_for_message("A-1")
    (row,) = stage.logged()
    asker = Asker(row.user_id, row.channel_id, Transport.SLACK, "en", team_id=row.team_id)
    log = SqliteLog(stage.database)
    messages = build_service(log).ticking.messages("A-1", asker)
    log.close()
    client = WebClient(stage.workspace.bot_token, base_url=stage.workspace.api_url)
    for message in messages:
        client.chat_postMessage(channel=answer.channel, thread_ts=answer.ts, **message)
    return answer


def power(stage, answer, *, ticks=None):
    """Return the message with the boxes about power, once as many as that are on."""
    return stage.ben.waits_for_message(
        lambda m: shows_power(m) and (ticks is None or len(on(m)) == ticks)
    )


def test_a_tick_is_kept_and_shown_with_who_and_when(stage, asked) -> None:
    message = power(stage, asked)
    assert on(message) == []
    delivery = stage.ana.clicks(message, POWER, ["circuits"])
    assert delivery.acked
    drawn = power(stage, asked, ticks=1)
    assert (drawn.ts, on(drawn)) == (message.ts, ["circuits"])
    assert "Circuits, feeds and plugs: " in drawn.shown
    assert ticked(stage) == [("circuits", True, stage.ana.id)]


def test_two_people_work_on_the_same_group(stage, asked) -> None:
    message = power(stage, asked)
    stage.ana.clicks(message, POWER, ["circuits"])
    drawn = power(stage, asked, ticks=1)
    stage.ben.clicks(drawn, POWER, ["circuits", "ups"])
    drawn = power(stage, asked, ticks=2)
    stage.ben.clicks(drawn, POWER, ["ups"])
    assert on(power(stage, asked, ticks=1)) == ["ups"]
    assert ticked(stage) == [
        ("circuits", True, stage.ana.id),
        ("ups", True, stage.ben.id),
        ("circuits", False, stage.ben.id),
    ]


def test_boxes_of_an_answer_that_is_gone_say_so_to_whoever_clicks(stage, asked) -> None:
    """A message forwarded from elsewhere, or boxes of another version."""
    message = power(stage, asked)
    client = WebClient(stage.workspace.bot_token, base_url=stage.workspace.api_url)
    blocks = [
        block | {"block_id": block["block_id"].replace("A-1:", "A-99:")}
        if block["type"] == "actions"
        else block
        for block in message.blocks
    ]
    posted = client.chat_postMessage(channel=message.channel, text="old", blocks=blocks)
    old = stage.ben.waits_for_message(lambda m: m.ts == posted["ts"])
    stage.ben.clicks(old, POWER, ["ups"])
    stage.ben.waits_for_message(lambda m: m.visible_to == stage.ben.id and "A-99" in m.shown)
    assert ticked(stage) == []


def test_boxes_that_only_one_person_sees_stay_with_that_person(stage, asked) -> None:
    message = power(stage, asked)
    client = WebClient(stage.workspace.bot_token, base_url=stage.workspace.api_url)
    client.chat_postEphemeral(
        channel=message.channel, user=stage.ben.id, text="boxes", blocks=list(message.blocks)
    )
    own = stage.ben.waits_for_message(lambda m: shows_power(m) and m.is_ephemeral)
    stage.ben.clicks(own, POWER, ["ups"])
    drawn = stage.ben.waits_for_message(
        lambda m: shows_power(m) and m.is_ephemeral and on(m) == ["ups"]
    )
    assert drawn.visible_to == stage.ben.id
    assert ticked(stage) == [("ups", True, stage.ben.id)]
