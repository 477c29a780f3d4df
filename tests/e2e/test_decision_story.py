"""The whole life of decisions, from the first question to another log, in one story.

Told over both transports and with both stores: one test each, whose steps follow each other.
"""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.app import Bot, build_app
from bot.decisions.records import Decision, Rules
from bot.decisions.states import State
from bot.settings import Settings
from bot.store_settings import StoreSettings
from bot.workspace import Message, Person, Workspace
from bot.workspace.mrkdwn import user_pings
from sizing.catalogue import Catalogue, data_dir, load_catalogue
from tests.e2e.conftest import joined_by, settings_for
from tests.e2e.deciding import LEADS, SIGHT, card, saved, staffed, told

LEADERS = Rules(groups=(LEADS.id,))
PILOT, OLD_CARDS = "llama-13b int8 users=4", "llama-13b fp16 gpu=v100"
LOOKS = {
    "list decisions": {"D-1", "D-2", "D-3", "D-4"},
    "list superseded": {"D-1"},
    "list project=ATLAS": {"D-1", "D-3"},
    "list decisions pilot": {"D-1", "D-3"},
    "list decisions cheaper CARD": {"D-2"},
    "list decisions D-4": {"D-4"},
    "list mine approved": {"D-3", "D-4"},
    "history D-1": {"D-1", "D-3"},
    "history D-2": {"D-2"},
    "status D-3": {"D-3"},
}
"""Lines that look for decisions, and those that their answers name."""


@dataclass
class Story:
    """One workspace, and a bot in it that is stopped and started again."""

    workspace: Workspace
    transport: str
    store: StoreSettings
    bot: Bot | None = None
    running: ExitStack = field(default_factory=ExitStack)

    def starts(self, **settings: object) -> None:
        """Start the bot, after it was stopped where it runs."""
        self.running.close()
        told: Settings = settings_for(self.workspace, self.store.path)
        told = replace(told, store=self.store, recheck_days=None, **settings)
        self.bot = self.running.enter_context(closing(build_app(told)))
        self.running.enter_context(joined_by(self.transport, self.bot, self.workspace))

    def person(self, name: str) -> Person:
        return self.workspace.user(name)

    @property
    def ben(self) -> Person:
        return self.person("ben")

    def stands(self, number: int) -> Decision:
        return self.bot.log.get_decision(number, SIGHT)

    def happened(self, number: int) -> list[str]:
        events = self.bot.log.events_of(number, SIGHT)
        return [one.action.value for one in events if one.action.value != "place"]


@pytest.fixture(params=["sqlite", "postgres"])
def stores(request, tmp_path) -> tuple[StoreSettings, StoreSettings]:
    """Return two empty stores of a kind."""
    places = [tmp_path / "first.db", tmp_path / "second.db"]
    urls = (None, None)
    if request.param == "postgres":
        urls = (request.getfixturevalue("postgres_url"), request.getfixturevalue("postgres_schema"))
    return tuple(StoreSettings(path, url) for path, url in zip(places, urls, strict=True))


@pytest.fixture(params=["http", "socket"])
def story(request, stores) -> Iterator[Story]:
    with staffed() as workspace:
        story = Story(workspace, request.param, stores[0])
        try:
            yield story
        finally:
            story.running.close()


def test_from_the_question_to_another_log(story, stores, tmp_path, monkeypatch) -> None:
    story.starts(standing=LEADERS)
    pilot = ben_proposes(story, PILOT, {"title": "Cards for the pilot", "project": "Atlas"})
    the_wrong_person_is_told_who_may(story, pilot)
    of_two_at_once_one_approves(story, pilot)
    old = ben_keeps_a_draft_and_proposes_it(story)
    ana_rejects(story, old, "Cheaper cards are on their way")
    bigger = what_if_in_the_thread(story, pilot, "users=16")
    newer = the_new_answer_is_decided_on(story, bigger, pilot)
    one_takes_the_place_of_the_other(story, pilot, newer)
    what_was_measured_stands_beside_the_estimate(story, newer)

    with monkeypatch.context() as later:
        later.setattr("bot.assembly.load_catalogue", lambda: with_less_memory(tmp_path))
        story.starts(standing=LEADERS.model_copy(update={"needed": 2}))
        a_recheck_says_what_changed(story, newer)
        two_of_two_have_to_approve(story)

    answers, file = looked_for(story), exported(story)
    story.store = stores[1]
    read_in(file, tmp_path, story.store, monkeypatch)
    story.starts(standing=LEADERS)
    assert exported(story) == file
    assert looked_for(story) == answers


def ben_proposes(story: Story, question: str, fields: dict[str, object]) -> Message:
    """Ask, save the answer and propose it; return the card."""
    return proposed(story, asked(story.ben, question), fields)


def ben_keeps_a_draft_and_proposes_it(story: Story) -> Message:
    fields = {"title": "Cards we have", "note": "=cheaper at first", "now": "draft"}
    saved(story.ben, asked(story.ben, OLD_CARDS), fields)
    draft = card(story.ben, "D-2 · Draft: Cards we have")
    assert story.happened(2) == ["save"]
    story.ben.clicks(draft, "Propose")
    assert "@subteam^S0LEADS, please review" in card(story.ben, "ben proposed D-2.").shown
    return card(story.ben, "D-2 · Proposed: Cards we have")


def asked(person: Person, question: str) -> Message:
    before = len(person.sees())
    person.types(f"/gpusize {question}")
    return person.waits_for_message(
        lambda seen: seen in person.sees()[before:] and "Save decision" in seen.shown
    )


def proposed(story: Story, answer: Message, fields: dict[str, object]) -> Message:
    saved(story.ben, answer, fields)
    drawn = card(story.ben, f"Proposed: {fields['title']}")
    story.ben.waits_for_modal("is saved")
    return drawn


def the_wrong_person_is_told_who_may(story: Story, drawn: Message) -> None:
    tom = story.person("tom")
    tom.clicks(drawn, "Approve")
    refusal = told(tom, "You may not decide D-1; who may: @infra-leads")
    assert refusal.thread_ts == drawn.ts
    assert story.happened(1) == ["save", "propose"]


def of_two_at_once_one_approves(story: Story, drawn: Message) -> None:
    both_approve(story, drawn)
    assert story.happened(1) == ["save", "propose", "approve"]
    ana, eva = story.person("ana"), story.person("eva")
    is_eva = story.stands(1).decided_by == eva.id
    loser, words = (ana, "D-1 ya está decidida") if is_eva else (eva, "D-1 is already decided")
    assert told(loser, words).thread_ts == drawn.ts
    assert user_pings(card(story.ben, "approved D-1.").as_json()) == []
    assert card(story.ben, "D-1 · Approved").ts == drawn.ts


def both_approve(story: Story, drawn: Message) -> None:
    """Let Ana and Eva click at the same moment, and wait until all is done."""
    barrier = threading.Barrier(2)

    def click(name: str) -> None:
        barrier.wait()
        story.person(name).clicks(drawn, "Approve")

    threads = [threading.Thread(target=click, args=(name,)) for name in ("ana", "eva")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert story.bot.workers.finish(10) == 0


def ana_rejects(story: Story, drawn: Message, reason: str) -> None:
    ana = story.person("ana")
    reasoned(ana, drawn, "Reject…", {"reason": reason})
    assert card(story.ben, f"ana rejected D-2: “{reason}”").thread_ts == drawn.ts
    assert story.stands(2).state is State.REJECTED


def reasoned(person: Person, drawn: Message, button: str, fields: dict[str, object]) -> None:
    """Press a button that asks why, and say it."""
    person.clicks(drawn, button)
    view = person.waits_for_modal(lambda seen: "reason" in seen.values)
    assert person.submits(person.fills(view, fields)).acked


def what_if_in_the_thread(story: Story, drawn: Message, change: str) -> Message:
    story.ben.mentions(drawn, f"what if {change}")
    reply = story.ben.waits_for_message("Against D-1: *requests 4 → 16")
    assert reply.thread_ts == drawn.ts
    assert "(+41.0 GB)" in reply.shown
    return reply


def the_new_answer_is_decided_on(story: Story, answer: Message, first: Message) -> Message:
    """The thread is that of another decision: this one gets a message of its own."""
    drawn = proposed(story, answer, {"title": "More cards for the pilot", "project": "atlas"})
    assert not drawn.is_reply
    assert drawn.ts != first.ts
    story.person("eva").clicks(drawn, "Approve")
    assert card(story.ben, "eva approved D-3.").thread_ts == drawn.ts
    return card(story.ben, "D-3 · Approved")


def one_takes_the_place_of_the_other(story: Story, first: Message, newer: Message) -> None:
    reason = "The pilot has more users now"
    reasoned(story.ben, first, "Supersede…", {"other": "D-3", "reason": reason})
    assert card(story.ben, "D-1 · Superseded").ts == first.ts
    assert story.stands(1).superseded_by == 3
    story.person("tom").mentions(first, "status")
    page = story.ben.waits_for_message(
        lambda seen: seen.is_reply and "D-1 · Superseded" in seen.shown
    )
    assert reason in page.shown


def what_was_measured_stands_beside_the_estimate(story: Story, drawn: Message) -> None:
    story.person("eva").mentions(drawn, "actual 70 GB on our node")
    page = story.ben.waits_for_message(
        lambda seen: "on our node" in seen.shown and seen.is_reply and seen.user != "U0EVA"
    )
    assert page.thread_ts == drawn.ts
    assert "70.0 GB" in page.shown


def with_less_memory(folder: Path) -> Catalogue:
    """Return the catalogue of a folder in which the H100 NVL has 64 GB."""
    changed = folder / "data"
    shutil.copytree(data_dir(), changed)
    file = changed / "gpus" / "nvidia_datacenter.toml"
    text = file.read_text()
    entry = re.search(r'\[\[gpu\]\]\nid = "h100-nvl".*?(?=\n\[\[)', text, re.DOTALL)[0]
    smaller = re.sub(
        r"memory_gb = .*\nusable_mib = .*", r"memory_gb = 64\nusable_mib = 60_000", entry
    )
    assert smaller != entry
    file.write_text(text.replace(entry, smaller))
    return load_catalogue(changed)


def a_recheck_says_what_changed(story: Story, drawn: Message) -> None:
    before = story.stands(3)
    story.ben.mentions(drawn, "recheck")
    page = story.ben.waits_for_message("Would not fit any more")
    assert page.thread_ts == drawn.ts
    assert "Facts in the catalogue changed since." in page.shown
    after = story.stands(3)
    assert after == before.model_copy(
        update={"sequence": before.sequence + 1, "updated_at": after.updated_at}
    )


def two_of_two_have_to_approve(story: Story) -> None:
    drawn = ben_proposes(story, "mistral-7b fp16", {"title": "Cards for the demo"})
    both_approve(story, drawn)
    assert story.happened(4) == ["save", "propose", "approve", "approve"]
    assert card(story.ben, "D-4 · Approved").ts == drawn.ts
    said = [one.shown for one in story.ben.thread(drawn)]
    assert sum("approved D-4" in one for one in said) == 2
    assert sum("more approvals are needed: 1" in one for one in said) == 1


def looked_for(story: Story) -> dict[str, str]:
    """Return what the bot answers to whoever looks for decisions."""
    answers = {look: told_anew(story.ben, look) for look in LOOKS}
    assert {look: set(re.findall(r"D-\d", answer)) for look, answer in answers.items()} == LOOKS
    return answers


def told_anew(person: Person, line: str) -> str:
    """Return what only one person is told to a line."""
    before = len([one for one in person.sees() if one.is_ephemeral])
    person.types(f"/gpusize {line}")

    def is_new(seen: Message) -> bool:
        return seen in [one for one in person.sees() if one.is_ephemeral][before:]

    return person.waits_for_message(is_new).shown


def exported(story: Story) -> bytes:
    """Return the lines that Ben is handed."""
    world = story.workspace.world
    before = set(world.files)
    assert "direct message" in told_anew(story.ben, "export")
    new = [world.files[one] for one in world.files if one not in before]
    return next(one.content for one in new if one.name.endswith(".jsonl"))


def read_in(file: bytes, folder: Path, store: StoreSettings, monkeypatch) -> None:
    """Read the lines into an empty store, by the command of the owner."""
    path = folder / "decisions.jsonl"
    path.write_bytes(file)
    monkeypatch.setenv("GPUSIZE_DB", str(store.path))
    if store.url:
        monkeypatch.setenv("DATABASE_URL", store.url)
    assert main(["import", str(path)]) == 0
