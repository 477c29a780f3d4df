"""Boxes in Slack: inside its limits in both languages, and true to the ticks of the log."""

from __future__ import annotations

import pytest

from bot.checklist.blocks import (
    MOST_BOXES,
    TICK,
    BoxSet,
    box_set,
    items_of,
    page_of,
    tick_messages,
)
from bot.checklist.words import checklist_words
from bot.limits import assert_valid
from bot.ticks import Tick
from sizing.spec.checklist_records import Checklist, Group


def tick(item, number=1, *, user="U012ABC", name="Ana", is_on=True):
    return Tick(
        number=number,
        at="2026-11-30T09:30:00.000Z",
        item_id=item,
        user_id=user,
        user_name=name,
        is_on=is_on,
    )


def all_ticked(checklist):
    return [tick(item.id, number) for number, item in enumerate(checklist.items, start=1)]


def drawn(checklist, language="en", ticks=()):
    return tick_messages(checklist, checklist_words(language), "A-12", ticks)


def blocks(messages, kind):
    return [block for message in messages for block in message["blocks"] if block["type"] == kind]


def elements(messages):
    return [block["elements"][0] for block in blocks(messages, "actions")]


@pytest.mark.parametrize("ticked", [False, True], ids=["none ticked", "all ticked"])
@pytest.mark.parametrize("which", ["filled", "empty"])
def test_slack_takes_every_message(request, which, ticked, language):
    checklist = request.getfixturevalue(which)
    for message in drawn(checklist, language, all_ticked(checklist) if ticked else ()):
        assert_valid("message", message)


def test_there_is_one_box_for_each_item(filled, language):
    shown = elements(drawn(filled, language))
    values = [option["value"] for element in shown for option in element["options"]]
    assert values == [item.id for item in filled.items]


def test_a_large_group_is_cut_evenly(filled):
    """Eleven items of the server: six and five, not ten and one."""
    servers = [item for item in filled.items if item.group is Group.NODE]
    assert len(servers) == 11 > MOST_BOXES
    sizes = [
        len(block["elements"][0]["options"])
        for block in blocks(drawn(filled), "actions")
        if ":node:" in block["block_id"]
    ]
    assert sizes == [6, 5]


@pytest.mark.parametrize("count", [1, 9, 10, 11, 20, 21])
def test_groups_of_any_size_stay_inside_the_limits(filled, count):
    items = tuple(item.model_copy(update={"group": Group.NODE}) for item in filled.items[:count])
    checklist = Checklist(items=items, bill=(), defaults=())
    messages = drawn(checklist)
    assert sum(len(element["options"]) for element in elements(messages)) == count
    assert all(len(element["options"]) <= MOST_BOXES for element in elements(messages))


def test_ids_of_blocks_differ_within_all_messages(filled):
    ids = [block["block_id"] for block in blocks(drawn(filled), "actions")]
    assert len(ids) == len(set(ids))
    actions = [element["action_id"] for element in elements(drawn(filled))]
    assert len(actions) == len(set(actions))
    assert all(action.startswith(f"{TICK}.") for action in actions)


def test_ticks_show_as_boxes_that_are_on(filled):
    messages = drawn(
        filled, ticks=[tick("circuits", 7), tick("ups", 8), tick("ups", 9, is_on=False)]
    )
    on = [
        option["value"]
        for element in elements(messages)
        for option in element.get("initial_options", ())
    ]
    assert on == ["circuits"]
    assert all(block["block_id"].endswith(":9") for block in blocks(messages, "actions"))


def test_who_ticked_and_when_stands_below_the_group(filled):
    (who,) = [
        block["elements"][0]["text"]
        for block in blocks(drawn(filled, ticks=[tick("circuits")]), "context")
        if "<@" in block["elements"][0]["text"]
    ]
    assert who == "Circuits, feeds and plugs: <@U012ABC> · 2026-11-30 09:30 UTC"


def test_a_name_that_is_no_slack_user_is_shown_as_text(filled):
    messages = drawn(filled, ticks=[tick("circuits", user="ana", name="<!channel>")])
    texts = [block["elements"][0]["text"] for block in blocks(messages, "context")]
    assert any("&lt;!channel&gt; · 2026-11-30" in text for text in texts)


def test_the_sentence_for_notifications_counts(filled):
    messages = drawn(filled, "es", [tick("circuits")])
    total, asked = len(filled.items), len(filled.questions)
    assert {message["text"] for message in messages} == {
        f"1 de {total} listos, {asked} preguntas abiertas"
    }


def test_an_open_item_says_who_answers(empty):
    options = {o["value"]: o for element in elements(drawn(empty)) for o in element["options"]}
    assert options["ups"]["description"]["text"] == "open: facilities"
    assert options["payment"]["description"]["text"].startswith("Payment follows the signed")


@pytest.mark.parametrize(
    "block_id",
    [
        "", "tick", "tick:A-0:power:0:0", "tick:A-12:power:0", "tick:D-1:power:0:0",
        "tick:A-12:power:x:0", "tick:A-12:power:0:-1", "tick:A-12:power:0:0\n",
    ],
)  # fmt: skip
def test_other_ids_are_none_of_ours(block_id):
    assert box_set(block_id) is None


def test_a_block_says_which_items_it_shows(filled):
    for number, message in enumerate(drawn(filled)):
        for block in blocks([message], "actions"):
            boxes = box_set(block["block_id"])
            shown = {option["value"] for option in block["elements"][0]["options"]}
            assert boxes.block_id == block["block_id"]
            assert items_of(filled, boxes) == shown
            assert page_of(filled, boxes) == number


@pytest.mark.parametrize("boxes", [BoxSet("A-1", "power", 9, 0), BoxSet("A-1", "nothing", 0, 0)])
def test_a_block_of_another_version_shows_nothing(filled, boxes):
    assert items_of(filled, boxes) == frozenset()
    assert page_of(filled, boxes) is None
