"""Decisions handed on in Slack, and what people are told while the log has no room."""

from __future__ import annotations

from bot.decisions.store import Sight
from bot.workspace import Fault
from tests.e2e.deciding import answered, saved


def decided(stage, **place) -> None:
    stage.ben.types("/gpusize llama-13b int8", **place)
    stage.ben.waits_for_message("Llama 2 13B")
    stage.ben.types("/gpusize save A-1 Two cards for the pilot", **place)
    stage.ben.waits_for_message("D-1 · Draft")


def files_of(stage, person):
    return [
        (file["name"], stage.workspace.world.files[file["id"]].content)
        for message in person.sees("dm")
        for told in (message, *person.thread(message))
        for file in told.files
    ]


def test_files_go_to_the_asker_alone(stage) -> None:
    decided(stage)
    stage.ben.types("/gpusize export")
    told = stage.ben.waits_for_message("direct message")
    assert told.visible_to == stage.ben.id
    files = dict(files_of(stage, stage.ben))
    assert set(files) == {"gpusize-decisions.xlsx", "gpusize-decisions.jsonl"}
    assert files["gpusize-decisions.jsonl"].count(b"\n") == 2
    assert not any(message.files for message in stage.ana.sees())


def test_minutes_in_the_language_of_the_asker(http_stage) -> None:
    decided(http_stage)
    http_stage.ana.types("/gpusize acta D-1")
    http_stage.ana.waits_for_message("mensaje directo")
    [(name, content)] = files_of(http_stage, http_stage.ana)
    assert name == "gpusize-D-1.md"
    assert content.decode().startswith("# Acta de D-1: Two cards for the pilot\n")


def test_minutes_asked_for_in_the_thread_stay_there(stage) -> None:
    decided(stage)
    drawn = next(one for one in stage.ben.sees() if "D-1 · Draft" in one.shown)
    stage.ana.mentions(drawn, "acta")
    with_file = stage.ana.waits_for_message(lambda seen: bool(seen.files))
    assert (with_file.channel, with_file.thread_ts) == (drawn.channel, drawn.ts)
    assert [file["name"] for file in with_file.files] == ["gpusize-D-1.md"]
    assert files_of(stage, stage.ana) == []
    [told] = [stage.workspace.world.files[file["id"]] for file in with_file.files]
    assert told.content.decode().startswith("# Acta de D-1: Two cards for the pilot\n")


def test_a_title_is_words_alone_in_the_direct_message(http_stage) -> None:
    answer = answered(http_stage.ben)
    title = "See <https://evil.example|docs> <@U0ANA> <!here> *b* _i_"
    saved(http_stage.ben, answer, {"title": title})
    http_stage.ben.waits_for_message("D-1 · ")
    words = "See &lt;https://evil.example|docs&gt; &lt;@U0ANA&gt; &lt;!here&gt; ∗b∗ ˍiˍ"
    asked = ((http_stage.ben, "Minutes of D-1: "), (http_stage.ana, "Acta de D-1: "))
    for person, start in asked:
        person.types("/gpusize minutes D-1")
        http_stage.workspace.wait_for(lambda person=person: person.sees("dm"), 10, start)
        assert person.sees("dm")[0].text == f"{start}{words}"


def test_a_stranger_gets_nothing(http_stage) -> None:
    """What was decided in a direct conversation is not open to the workspace."""
    decided(http_stage, channel="dm")
    http_stage.ana.types("/gpusize minutes D-1 lang=en", channel="dm")
    http_stage.ana.waits_for_message("no decision “D-1”")
    assert files_of(http_stage, http_stage.ana) == []


def test_a_file_that_slack_does_not_take_is_said(http_stage) -> None:
    decided(http_stage)
    http_stage.workspace.fail_next("files.getUploadURLExternal", Fault(error="missing_scope"))
    http_stage.ben.types("/gpusize minutes D-1")
    assert "files:write" in http_stage.ben.waits_for_message("did not take the file").shown


def test_without_room_the_asker_is_told_and_the_bot_goes_on(http_stage) -> None:
    """The database may not grow by a page: what the disk says when it is full."""
    decided(http_stage)
    connection = http_stage.bot.log._connection
    [pages] = connection.execute("pragma page_count").fetchone()
    connection.execute(f"pragma max_page_count = {pages}")
    http_stage.ben.types("/gpusize llama-70b fp8")
    refusal = http_stage.ben.waits_for_message("cannot keep anything")
    assert refusal.visible_to == http_stage.ben.id
    assert str(http_stage.database) not in refusal.shown
    connection.execute("pragma max_page_count = 1000000")
    http_stage.ben.types("/gpusize mistral-7b fp16")
    http_stage.ben.waits_for_message("Mistral 7B")


def test_a_decision_that_cannot_be_kept_can_be_taken_later(http_stage) -> None:
    """The file can only be read for a while."""
    decided(http_stage)
    http_stage.ben.types("/gpusize propose D-1")
    drawn = http_stage.ben.waits_for_message("D-1 · Proposed")
    http_stage.bot.workers.finish(10)
    before = http_stage.bot.log.events_of(1, Sight(tenant=None))
    connection = http_stage.bot.log._connection
    connection.execute("pragma query_only = on")
    http_stage.ana.clicks(drawn, "Approve")
    refusal = http_stage.ana.waits_for_message("cannot keep anything")
    assert refusal.visible_to == http_stage.ana.id
    assert http_stage.bot.log.events_of(1, Sight(tenant=None)) == before
    connection.execute("pragma query_only = off")
    http_stage.ana.clicks(drawn, "Approve")
    http_stage.ben.waits_for_message("D-1 · Approved")
