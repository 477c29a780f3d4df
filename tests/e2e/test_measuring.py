"""“Wrong number?” below an answer, and what the daily round writes in a thread."""

from __future__ import annotations

import pytest

from bot.limits import find_problems
from bot.listeners.daily import daily_jobs, tell_thread
from bot.storage.sqlite import SqliteLog
from bot.workspace import Fault
from tests.bot.decisions.conftest import first

BUTTONS = {"ben": "Wrong number?", "ana": "¿Cifra errónea?"}
ROWS = {"ben": "Memory of a GPU", "ana": "Memoria de una GPU"}


def answered(person, line: str = "/gpusize llama-13b int8 gpu=1xl40s"):
    person.types(line)
    return person.waits_for_message(lambda seen: "A-1" in seen.shown)


def below(stage, person, answer):
    found = lambda: (person.thread(answer)[1:] or [None])[0]  # noqa: E731
    return stage.workspace.wait_for(found, 5, "a reply in the thread")


@pytest.mark.parametrize("name", ["ana", "ben"])
def test_what_was_measured_stands_below_the_answer(stage, name) -> None:
    person = getattr(stage, name)
    answer = answered(person)
    person.clicks(answer, BUTTONS[name])
    view = person.waits_for_modal(BUTTONS[name])
    assert find_problems("modal", view.content) == []
    person.fills(view, {"memory": "17.6 GB", "note": "our test"})
    assert person.submits(view).acked
    reply = below(stage, person, answer)
    assert ROWS[name] in reply.shown
    assert "our test" in reply.shown
    assert not reply.is_ephemeral
    log = SqliteLog(stage.database)
    (kept,) = log.actuals_of(None)
    log.close()
    assert (kept.answer_id, kept.figures.memory_bytes) == ("A-1", 17_600_000_000)


def test_a_form_that_comes_too_late_is_told_to_the_person_alone(http_stage) -> None:
    answer = answered(http_stage.ben)
    http_stage.workspace.fail_next("views.open", Fault(error="expired_trigger_id"))
    http_stage.ben.clicks(answer, BUTTONS["ben"])
    told = http_stage.ben.waits_for_message("could not be opened in time")
    assert told.visible_to == http_stage.ben.id
    http_stage.ben.clicks(answer, BUTTONS["ben"])
    assert http_stage.ben.waits_for_modal(BUTTONS["ben"])


def test_a_figure_that_cannot_be_read_is_said_in_the_form(http_stage) -> None:
    answer = answered(http_stage.ben)
    http_stage.ben.clicks(answer, BUTTONS["ben"])
    view = http_stage.ben.waits_for_modal(BUTTONS["ben"])
    http_stage.ben.fills(view, {"memory": "much"})
    http_stage.ben.submits(view)
    still = http_stage.ben.waits_for_modal(lambda seen: bool(seen.errors))
    assert set(still.errors) == {"memory"}


def test_a_round_writes_in_the_thread_of_a_decision(http_stage) -> None:
    answer = answered(http_stage.ben)
    log = http_stage.bot.log
    from bot.decisions.records import Tenant

    place = {"channel_id": answer.channel, "message_ts": answer.ts}
    decision = log.begin_decision(Tenant("T1"), first(**place))
    client = http_stage.bot.app.client
    assert tell_thread(client, decision, "## D-1 · checked again: Pilot\n\nIt would not fit.\n")
    told = below(http_stage, http_stage.ben, answer)
    assert "It would not fit." in told.shown
    # A conversation that is gone stops nothing.
    gone = decision.model_copy(update={"channel_id": "C0GONE"})
    assert not tell_thread(client, gone, "## D-1\n")
    assert not tell_thread(client, decision.model_copy(update={"message_ts": None}), "## D-1\n")


def test_the_round_is_switched_by_its_setting(http_stage) -> None:
    from dataclasses import replace

    from tests.e2e.conftest import settings_for

    settings = settings_for(http_stage.workspace, http_stage.database)
    names = [
        [job.name for job in daily_jobs(one, None, None, None)]
        for one in (
            settings,
            replace(settings, recheck_days=None),
            replace(settings, remind_days=None, keep_days=730),
            replace(settings, recheck_days=None, remind_days=None),
        )
    ]
    assert names == [["recheck", "remind"], ["remind"], ["recheck", "retention"], []]
