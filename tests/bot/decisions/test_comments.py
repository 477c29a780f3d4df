"""Comments: what is kept of a message, and how it reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.decisions.comments import CUT, LONGEST_COMMENT, Comment, kept_text, moment_of
from bot.reply import terminal_asker
from tests.bot.decisions.conftest import ANA, BEN, Staff


def comment(text: str, **more: object) -> Comment:
    given = {
        "decision_id": 1, "tenant": "/T1", "channel_id": "C1", "message_ts": "1796090400.000100",
        "at": "2026-12-01T02:00:00.000Z", "user_id": "U0ANA", "user_name": "ana",
    }  # fmt: skip
    return Comment(**given | more, text=text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One card is enough", "One card is enough"),
        ("for <@U0BEN|ben> &amp; me", "for @ben & me"),
        ("for <@U0BEN>", "for @U0BEN"),
        ("see <#C1|gpu> and <#C2>", "see #gpu and #C2"),
        ("<!subteam^S1|@leads> <!subteam^S1> <!here>", "@leads @subteam @here"),
        ("<!date^1796090400^{date}|1 December>", "1 December"),
        ("<https://example.org/a?b=1&amp;c=2>", "https://example.org/a?b=1&c=2"),
        ("<https://example.org|our page>", "our page (https://example.org)"),
        ("<mailto:ana@example.org|ana@example.org>", "ana@example.org (mailto:ana@example.org)"),
        ("&lt;b&gt; &amp;lt;", "<b> &lt;"),
        ("two\n\nlines\tand  blanks", "two lines and blanks"),
        ("", ""),
    ],
)
def test_how_it_reads(text, words) -> None:
    assert comment(text).words == words


def test_people_are_named_where_it_is_kept() -> None:
    assert kept_text(" for <@U0BEN> and <@U0ANA|old name> ", Staff().name) == (
        "for <@U0BEN|ben> and <@U0ANA|ana>"
    )


def test_a_name_that_looks_like_markup_breaks_nothing() -> None:
    kept = kept_text("<@U0BEN> yes", lambda _: "a|b>&<c")
    assert kept == "<@U0BEN|abc> yes"
    assert comment(kept).words == "@abc yes"


def test_a_long_one_is_cut_and_says_so() -> None:
    assert kept_text("x" * LONGEST_COMMENT, Staff().name) == "x" * LONGEST_COMMENT
    cut = kept_text("x" * (LONGEST_COMMENT + 1), Staff().name)
    assert len(cut) == LONGEST_COMMENT
    assert cut.endswith(CUT)


def test_no_entity_is_cut_in_two() -> None:
    text = "x" * (LONGEST_COMMENT - 10) + " <https://example.org/a/long/address>"
    assert kept_text(text, Staff().name) == "x" * (LONGEST_COMMENT - 10) + CUT


@given(st.text(max_size=5000))
def test_whatever_is_written_is_kept_within_bounds(text) -> None:
    kept = kept_text(text, Staff().name)
    assert len(kept) <= LONGEST_COMMENT
    assert "\n" not in comment(kept).words


def test_history_and_minutes_show_them_to_those_who_may_read_them(service, log) -> None:
    """Ben asks in the conversation of the decision, Eva elsewhere; the terminal sees all."""
    assert service.handle("save A-1 Pilot", BEN, None).error is None
    log.add_comment(comment("for <@U0BEN|ben>", edited_ts="1796090500.000100"))
    owner = terminal_asker("en")
    for line in ("history D-1", "minutes D-1"):
        for asker in (BEN, owner):
            reply = service.handle(line, asker, None)
            assert "2026-12-01 02:00 UTC, ana: “for @ben” (changed since)" in reply.markdown
            (told,) = reply.data["comments"]
            assert (told["text"], told["user_id"]) == ("for <@U0BEN|ben>", "U0ANA")
        elsewhere = service.handle(line, replace(BEN, channel_id="C9"), None)
        assert "for @ben" not in elsewhere.markdown
        assert "comments" not in elsewhere.data
    assert "comments" not in service.handle("status D-1", BEN, None).data
    spanish = service.handle("historial D-1", ANA, None).markdown
    assert "ana: «for @ben» (cambiado después)" in spanish


def test_the_moment_is_in_the_name_of_the_message() -> None:
    assert moment_of("1796090400.000100").isoformat() == "2026-12-01T02:00:00.000100+00:00"
