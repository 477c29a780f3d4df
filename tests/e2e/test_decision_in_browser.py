"""A decision saved, asked to change, proposed anew and approved by people at the page.

Every step is photographed into the folder that GPUSIZE_SCREENSHOTS names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bot.messages import Messages, load_messages

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Story:
    """What people of one language do and see."""

    language: str
    asker: str
    approver: str
    title: str
    reason: str
    changed: str
    approved: str
    what_if: str
    save: str

    @property
    def messages(self) -> Messages:
        return load_messages(self.language)

    def button(self, action: str) -> str:
        """Return the words on a button of the record."""
        return self.messages.label("decision_buttons", action)


ENGLISH = Story(
    "en", "Ben Carter", "Ana Torres", "One card for the pilot",
    "Please plan for 64k of context", "Changes requested", "Approved",
    "what if ctx=64k", "save",
)  # fmt: skip
SPANISH = Story(
    "es", "Ana Torres", "Ben Carter", "Una tarjeta para el piloto",
    "Calcule también con 64k de contexto", "Con cambios pedidos", "Aprobada",
    "y si ctx=64k", "guardar",
)  # fmt: skip


def becomes(page: Any, name: str, language: str) -> None:
    page.select_option("#user", label=name)
    page.select_option("#language", language)


def says(page: Any, line: str, *, box: str = "#composer") -> None:
    page.fill(box, line)
    page.press(box, "Enter")


def record(page: Any, state: str) -> Any:
    """Wait until the record says that state, and return it."""
    found = page.locator("#messages .message").filter(has_text=f"D-1 · {state}")
    found.wait_for()
    return found


def fills(page: Any, label: str, value: str) -> None:
    page.locator("#modal").get_by_role("textbox", name=label).fill(value)


def to_the_end(page: Any) -> None:
    # Messages are drawn anew at any moment: only their list stays in place.
    page.locator("#scroll").evaluate("it => it.scrollTo(0, it.scrollHeight)")


def closes(page: Any) -> None:
    page.locator("#modal").get_by_role("button").last.click()
    page.wait_for_selector("#modal", state="hidden")


@pytest.mark.parametrize("story", [ENGLISH, SPANISH], ids=["en", "es"])
def test_an_answer_becomes_a_decision_that_somebody_else_approves(page, shoots, story) -> None:
    def shot(step: str) -> None:
        shoots(f"decision-{story.language}", step)

    messages = story.messages
    becomes(page, story.asker, story.language)
    says(page, "/gpusize llama-13b int8")
    page.get_by_role("button", name=story.button("save_spoken")).click()
    page.wait_for_selector("#modal[open]")
    fills(page, messages.label("decision_form", "title_label"), story.title)
    project = page.locator("#modal").get_by_label(messages.label("decision_form", "project_label"))
    project.first.fill("Atlas")
    page.locator('#modal datalist option[value*="Atlas"]').first.wait_for(state="attached")
    project.first.blur()
    shot("form")
    page.locator("#modal button[type=submit]").click()
    shown = record(page, messages.word("decision_states", "proposed"))
    shot("saved")
    closes(page)
    to_the_end(page)
    shot("proposed")

    becomes(page, story.approver, story.language)
    shown.get_by_role("button", name=story.button("ask_changes").rstrip("…")).click()
    page.wait_for_selector("#modal[open]")
    page.locator("#modal textarea").fill(story.reason)
    shot("changes")
    page.locator("#modal button[type=submit]").click()
    shown = record(page, story.changed)
    closes(page)
    shown.locator("button.replies:not(.quiet)").click()
    page.locator("#replies").get_by_text(story.reason).last.wait_for()
    shot("thread")

    becomes(page, story.asker, story.language)
    shown.locator("button.replies:not(.quiet)").click()
    says(page, f"@gpusize {story.what_if}", box="#reply")
    page.locator("#replies").get_by_text("A-2").last.wait_for()
    shot("what-if")
    says(page, f"@gpusize {story.save}", box="#reply")
    shown = record(page, messages.word("decision_states", "proposed"))
    shot("anew")
    becomes(page, story.approver, story.language)
    shown.get_by_role("button", name=story.button("approve")).click()
    shot("confirm")
    page.locator("dialog[open]").get_by_role("button", name=story.button("approve")).click()
    shown = record(page, story.approved)
    to_the_end(page)
    shot("approved")
    says(page, "/gpusize list atlas")
    listed = page.locator("#messages .message").filter(has_text=story.title).nth(1)
    listed.wait_for()
    to_the_end(page)
    shot("list")
