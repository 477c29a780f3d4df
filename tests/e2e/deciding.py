"""People who decide in the local workspace, and what they see."""

from __future__ import annotations

from bot.decisions.records import Decision, Event, Tenant
from bot.decisions.store import Sight
from bot.storage.sqlite import SqliteLog
from bot.workspace import User, UserGroup, Workspace
from bot.workspace.people import ANA, BEN, TEAM_ID

EVA = User("U0EVA", "eva", "Eva Ruiz", "en-US")
TOM = User("U0TOM", "tom", "Tom Lee", "en-US")
ROBOT = User("U0ROBOT", "robot", "Robot", "en-US", is_bot=True)
LEADS = UserGroup("S0LEADS", "infra-leads", "Infrastructure leads", ("U0ANA", "U0EVA"))
TENANT = Tenant(TEAM_ID)
SIGHT = Sight(tenant=TENANT)
QUESTION = "/gpusize llama-13b int8 in=3072 out=1024"


def staffed() -> Workspace:
    """Return a workspace with four people, a program and a user group."""
    return Workspace(users=(ANA, BEN, EVA, TOM, ROBOT), groups=(LEADS,))


def stands(stage, number: int = 1) -> Decision:
    log = SqliteLog(stage.database)
    try:
        return log.get_decision(number, SIGHT)
    finally:
        log.close()


def happened(stage, number: int = 1) -> tuple[Event, ...]:
    log = SqliteLog(stage.database)
    try:
        return log.events_of(number, SIGHT)
    finally:
        log.close()


def actions(stage, number: int = 1) -> list[str]:
    return [one.action.value for one in happened(stage, number) if one.action.value != "place"]


def answered(person, line: str = QUESTION, channel: str = "gpu-planning"):
    person.types(line, channel)
    return person.waits_for_message(lambda seen: "A-1" in seen.shown)


def has_thread(stage, answer) -> bool:
    """Return whether the log knows what the thread of an answer is about, as it soon does."""
    log = SqliteLog(stage.database)
    try:
        return log.thread_subject(TENANT, answer.channel, answer.ts) is not None
    finally:
        log.close()


def saved(person, answer, fields=None, button: str = "Save decision"):
    """Save an answer by its button, and return the view after it was submitted."""
    person.clicks(answer, button)
    view = person.waits_for_modal(lambda seen: "title" in seen.values)
    view = person.fills(view, fields or {})
    assert person.submits(view).acked
    return view


def card(person, words: str):
    """Wait for the card of a decision, or another message of it, that says this."""
    return person.waits_for_message(lambda seen: words in seen.shown and not seen.is_ephemeral)


def told(person, words: str, after=None):
    """Wait for what one person alone is told."""
    return person.waits_for_message(
        lambda seen: words in seen.shown and seen.visible_to == person.id, after=after
    )
