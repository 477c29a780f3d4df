"""Whose log a delivery belongs to, however Slack says it."""

from __future__ import annotations

import pytest

from bot.listeners.bodies import asker_of

# The parts that say who and where, as Slack's reference pages show each kind of payload.
TYPED = {"team_id": "T1", "enterprise_id": "E1", "user_id": "U1", "channel_id": "C1"}
MENTIONED = {
    "team_id": "T1",
    "event": {"type": "app_mention", "user": "U1", "channel": "C1", "team": "T1"},
    "authorizations": [{"enterprise_id": "E1", "team_id": "T1", "user_id": "U0BOT"}],
}
CLICKED = {
    "type": "block_actions",
    "team": {"id": "T1", "domain": "w", "enterprise_id": "E1", "enterprise_name": "Org"},
    "enterprise": {"id": "E1", "name": "Org"},
    "user": {"id": "U1", "team_id": "T1"},
    "channel": {"id": "C1"},
}
FILLED_IN = {
    "type": "view_submission",
    "team": {"id": "T1", "domain": "w", "enterprise_id": "E1", "enterprise_name": "Org"},
    "user": {"id": "U1", "team_id": "T1"},
    "view": {"id": "V1", "team_id": "T1", "app_installed_team_id": "T1"},
}
INSTALLED_FOR_THE_ORGANISATION = {
    "type": "view_submission",
    "team": None,
    "enterprise": {"id": "E1", "name": "Org"},
    "user": {"id": "U1", "team_id": "T1"},
    "view": {"id": "V1", "team_id": "T1", "app_installed_team_id": "T1"},
}
KINDS = (TYPED, MENTIONED, CLICKED, FILLED_IN, INSTALLED_FOR_THE_ORGANISATION)


@pytest.mark.parametrize("body", KINDS)
def test_every_kind_of_delivery_names_the_same_tenant(body) -> None:
    asker = asker_of(body, "en")
    assert (asker.enterprise_id, asker.team_id, asker.user_id) == ("E1", "T1", "U1")


def test_a_mention_from_another_workspace_belongs_to_the_one_of_the_app() -> None:
    """In a shared conversation the person's workspace is another one than the app's."""
    body = MENTIONED | {"event": MENTIONED["event"] | {"team": "T9", "user_team": "T9"}}
    assert asker_of(body, "en").team_id == "T1"


def test_without_an_organisation_there_is_none() -> None:
    body = {"team": {"id": "T1", "domain": "w"}, "user": {"id": "U1"}, "enterprise": None}
    asker = asker_of(body, "en")
    assert (asker.enterprise_id, asker.team_id) == (None, "T1")
