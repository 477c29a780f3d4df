"""What typing becomes, and whom it pings."""

from __future__ import annotations

import pytest

from bot.workspace.mrkdwn import escape, typed_message, user_pings
from bot.workspace.people import DEFAULT_USERS, BotApp, default_channels

USERS = (*DEFAULT_USERS, BotApp().user)
CHANNELS = default_channels(DEFAULT_USERS, BotApp())


@pytest.mark.parametrize(
    ("typed", "encoded"),
    [
        ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
        ("<!channel>", "&lt;!channel&gt;"),
        ("@channel look", "<!channel> look"),
        ("@gpusize status", "<@U0GPUSIZE> status"),
        ("ask @ben in #random", "ask <@U0BEN> in <#C0RANDOM>"),
        ("ana@example.com @benedict", "ana@example.com @benedict"),
    ],
)
def test_typing_becomes_entities(typed: str, encoded: str) -> None:
    assert typed_message(typed, USERS, CHANNELS) == encoded


def test_escaping_replaces_the_ampersand_first() -> None:
    assert escape("&lt;<") == "&amp;lt;&lt;"


def test_pings_are_listed_once_each() -> None:
    message = {
        "text": "<@U0ANA> and <@U0ANA|ana>",
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": "<@U0BEN>"}},
            {"type": "section", "text": {"type": "plain_text", "text": "<@U0CAROL>"}},
        ],
    }

    assert user_pings(message) == ["U0ANA", "U0BEN"]
