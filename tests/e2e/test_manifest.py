"""The manifest asks Slack for what the app uses: no less, no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from slack_sdk import WebClient

from bot.actions import EXPLAIN, REFINE, SAVE, SERVER, START, WRONG
from bot.decisions.records import Rules
from bot.form.views import NEW
from bot.listeners.acknowledging import COMMAND
from bot.listeners.actions import QUESTIONS
from bot.listeners.comments import EVENTS as MESSAGES
from bot.listeners.decisions import REVIEW
from bot.listeners.people import People
from bot.listeners.shortcuts import SIZE_FILE
from bot.running import EVENTS
from bot.workspace import Fault, MentionsTell, Message, UserGroup, Workspace
from bot.wsgi import EVENTS_PATH
from tests.e2e.deciding import card, saved

MANIFEST = json.loads((Path(__file__).parents[2] / "manifest.json").read_text(encoding="utf-8"))

SCOPE_OF = {
    "auth.test": None,
    "apps.connections.open": None,
    "response_url": None,
    "chat.delete": "chat:write",
    "chat.getPermalink": None,
    "chat.update": "chat:write",
    "conversations.info": "channels:read",
    "conversations.members": "groups:read",
    "usergroups.list": "usergroups:read",
    "usergroups.users.list": "usergroups:read",
    "conversations.replies": None,
    "files.completeUploadExternal": "files:write",
    "files.getUploadURLExternal": "files:write",
    "files.info": "files:read",
    "chat.postEphemeral": "chat:write",
    "chat.postMessage": "chat:write",
    "files.download": "files:read",
    "users.info": "users:read",
    "views.open": None,
    "views.publish": None,
    "views.update": None,
}
"""Scope that each method of Slack's Web API needs, from its reference page.

Those about conversations need one scope for public and another for private ones.
"""

SCOPE_OF_EVENT = {"app_mention": "app_mentions:read", "app_home_opened": None}

HISTORY = {"channels:history", "groups:history"}
"""Either serves conversations.replies, each for its kind of channel."""


def is_answer(message: Message) -> bool:
    return "Llama 2 13B" in message.shown


def test_the_command_is_the_one_the_app_listens_to() -> None:
    (command,) = MANIFEST["features"]["slash_commands"]
    assert command["command"] == COMMAND
    assert command["should_escape"] is False


def test_the_shortcuts_are_those_the_app_listens_to() -> None:
    shortcuts = MANIFEST["features"]["shortcuts"]
    kinds = [(shortcut["callback_id"], shortcut["type"]) for shortcut in shortcuts]
    assert kinds == [(NEW, "global"), (SIZE_FILE, "message"), (REVIEW, "message")]
    for shortcut in shortcuts:
        assert len(shortcut["name"]) <= 24
        assert len(shortcut["description"]) <= 150


def test_scopes_are_those_of_the_methods_called(stage_of) -> None:
    group = UserGroup("S0LEADS", "leads", "Leads", ("U0ANA",))
    stage = stage_of(workspace=Workspace(groups=(group,)), standing=Rules(groups=("S0LEADS",)))
    stage.ben.types("/gpusize llama-13b int8")
    message = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(message, EXPLAIN)
    stage.ben.waits_for_message("How it was computed")
    stage.ben.types("/gpusize help")
    stage.ben.waits_for_message(lambda seen: seen.visible_to == stage.ben.id)
    upload = stage.ben.uploads({"config.json": b"{}"})
    stage.ben.uses_shortcut(SIZE_FILE, upload)
    stage.ben.waits_for_message("hidden_size", after=upload)
    stage.workspace.gestures.mentions_tell = MentionsTell.NOTHING
    stage.ben.mentions("gpu-planning", "size this", files={"config.json": b"[]"})
    stage.ben.waits_for_message("not a JSON table", after=upload)
    stage.workspace.fail_next("chat.postMessage", Fault(error="invalid_blocks"))
    stage.ben.types("/gpusize compare llama-3.1-8b 1xl40s | 1xl4")
    words = stage.ben.waits_for_message("2 variants")
    stage.ben.waits_for_message(lambda seen: bool(seen.files), after=words)
    saved(stage.ben, message)
    decided = card(stage.ana, "D-1 · Proposed")
    stage.ana.clicks(decided, "Approve")
    card(stage.ben, "ana approved D-1.")
    stage.bot.workers.finish(5)
    directory = People().directory(
        WebClient(stage.workspace.bot_token, base_url=stage.workspace.api_url),
        team_id=None,
        own_id=None,
    )
    assert directory.members(message.channel)
    called = {call.method for call in stage.workspace.calls}
    needed = {SCOPE_OF[method] for method in called} - {None}
    needed |= {SCOPE_OF_EVENT[event] for event in EVENTS} - {None}
    needed |= HISTORY if "conversations.replies" in called else set()
    assert needed | {"commands"} == set(MANIFEST["oauth_config"]["scopes"]["bot"])


def test_interactivity_is_on_for_the_buttons(stage) -> None:
    assert MANIFEST["settings"]["interactivity"]["is_enabled"]
    stage.ben.types("/gpusize llama-13b int8")
    message = stage.ben.waits_for_message(is_answer)
    buttons = [element["action_id"] for element in message.blocks[-1]["elements"]]
    assert buttons[0] == EXPLAIN
    assert all(
        one in {START, REFINE, SERVER, SAVE, WRONG} or QUESTIONS.match(one) for one in buttons[1:]
    )
    for action_id in buttons:
        assert stage.ben.clicks(message, action_id).acked


@pytest.mark.parametrize("field", ["socket_mode_enabled", "token_rotation_enabled"])
def test_settings_suit_self_hosting(field: str) -> None:
    """Socket Mode needs no public address; rotated tokens would need a store of their own."""
    assert MANIFEST["settings"][field] is (field == "socket_mode_enabled")


def test_the_documented_changes_for_http_point_to_the_path_that_is_served() -> None:
    """What the documentation says to change is in the manifest, or is an address."""
    text = (Path(__file__).parents[2] / "docs" / "slack.md").read_text(encoding="utf-8")
    changes = json.loads(text.partition("```json")[2].partition("```")[0])
    (command,) = changes["features"]["slash_commands"]
    interactivity = changes["settings"]["interactivity"]
    assert command["command"] == COMMAND
    events = changes["settings"]["event_subscriptions"]
    assert events["bot_events"] == list(EVENTS)
    for url in (command["url"], interactivity["request_url"], events["request_url"]):
        assert url.startswith("https://")
        assert url.endswith(EVENTS_PATH)
    assert interactivity["is_enabled"]
    assert changes["settings"]["socket_mode_enabled"] is False
    assert changes["settings"].keys() <= MANIFEST["settings"].keys()


def test_what_comments_need_is_documented_and_no_scope_more() -> None:
    """Messages are asked for by who switches comments on, not by the manifest."""
    text = (Path(__file__).parents[2] / "docs" / "slack.md").read_text(encoding="utf-8")
    changes = json.loads(text.rpartition("```json")[2].partition("```")[0])
    events = changes["settings"]["event_subscriptions"]["bot_events"]
    assert events == [*EVENTS, *MESSAGES]
    scopes = {"message.channels": "channels:history", "message.groups": "groups:history"}
    assert {scopes[one] for one in MESSAGES} <= set(MANIFEST["oauth_config"]["scopes"]["bot"])


def test_the_local_workspace_sends_the_events_that_the_app_subscribes_to() -> None:
    subscribed = MANIFEST["settings"].get("event_subscriptions", {}).get("bot_events", [])
    assert list(EVENTS) == subscribed


def test_private_answers_can_reach_people_in_their_own_conversation() -> None:
    """Where Slack takes no ephemeral message, the answer goes to the Messages tab."""
    home = MANIFEST["features"]["app_home"]
    assert home["messages_tab_enabled"]
    assert home["home_tab_enabled"]
