"""A server of three models planned through the form by a person at the page, step by step.

Every step is photographed into the folder that GPUSIZE_SCREENSHOTS names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bot.messages import load_messages

pytestmark = pytest.mark.browser

MODELS = {"model": "Llama 3.1 70B", "others": ("BGE-M3", "Whisper large v3")}
PLAN_S = 30_000
"""Longest time a plan may take on a busy machine, ms."""


@dataclass(frozen=True)
class Words:
    """What a person of one language looks for."""

    person: str
    language: str
    country: str
    title: str
    picture: str

    def field(self, name: str) -> str:
        """Return the label of a field."""
        return load_messages(self.language).label("form", f"{name}_label")

    def button(self, name: str) -> str:
        """Return the words on a button of the form."""
        return load_messages(self.language).label("form", name)


ENGLISH = Words(
    "Ben Carter", "en", "Spain", "Server for Llama 3.1 70B + BGE-M3 + Whisper large v3",
    "Memory of each card",
)  # fmt: skip
SPANISH = Words(
    "Ana Torres", "es", "España", "Servidor para Llama 3.1 70B + BGE-M3 + Whisper large v3",
    "Memoria de cada tarjeta",
)  # fmt: skip


def chooses(page: Any, label: str, name: str) -> None:
    """Type into a field that offers names, and take the one that is meant."""
    box = page.locator("#modal").get_by_label(label, exact=False).first
    box.fill(name)
    page.locator(f'#modal datalist option[value="{name}"]').first.wait_for(state="attached")
    box.blur()


def types_in(page: Any, label: str, value: str) -> None:
    page.locator("#modal").get_by_role("textbox", name=label).fill(value)


def fills_models(page: Any, words: Words) -> None:
    chooses(page, words.field("model"), MODELS["model"])
    for other in MODELS["others"]:
        chooses(page, words.field("others"), other)
    page.get_by_label(words.field("precision")).select_option(label="FP8")
    types_in(page, words.field("users"), "20")
    types_in(page, words.field("input"), "2000")
    types_in(page, words.field("output"), "400")


def fills_server(page: Any, words: Words) -> None:
    chooses(page, words.field("gpu"), "H100 SXM 80 GB")
    types_in(page, words.field("growth"), "20")
    types_in(page, words.field("years"), "3")
    page.get_by_label(words.field("country")).select_option(label=words.country)
    types_in(page, words.field("budget"), "400000")


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_from_the_empty_form_to_the_ticked_checklist(page, shoots, http_stage, words) -> None:
    def shot(step: str) -> None:
        shoots(f"form-{words.language}", step)

    page.select_option("#user", label=words.person)
    page.select_option("#language", words.language)
    page.fill("#composer", "/gpusize new")
    page.press("#composer", "Enter")
    page.wait_for_selector("#modal[open]")
    shot("opened")

    fills_models(page, words)
    shot("models")
    page.get_by_role("button", name=words.button("next")).click()
    page.get_by_label(words.field("country")).wait_for()
    shot("server-empty")
    fills_server(page, words)
    shot("server")
    page.get_by_role("button", name=words.button("submit")).click()
    page.locator("#modal").get_by_text("A-1").wait_for(timeout=PLAN_S)
    shot("posted")
    page.locator("#modal").get_by_role("button", name=words.button("done")).last.click()
    page.wait_for_selector("#modal", state="hidden")

    plan = page.locator("#messages .message").filter(has_text=words.title)
    plan.wait_for()
    assert plan.locator("svg.chart").count() == 2
    plan.evaluate("it => it.scrollIntoView({block: 'start'})")
    shot("plan")
    page.locator("#scroll").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    shot("plan-charts")

    plan.locator("button.replies:not(.quiet)").click()
    replies = page.locator("#replies")
    for ending in (".png", ".md", ".xlsx"):
        replies.locator(".file", has_text=f"gpusize-A-1{ending}").wait_for(timeout=PLAN_S)
    picture = replies.locator("img.shown-file")
    assert picture.get_attribute("alt").startswith(words.picture)
    assert picture.evaluate("it => it.decode().then(() => it.naturalWidth)") == 1200
    picture.scroll_into_view_if_needed()
    shot("thread-picture")
    replies.locator(".file").last.scroll_into_view_if_needed()
    shot("thread-files")
    box = replies.locator("input[type=checkbox]").first
    box.scroll_into_view_if_needed()
    box.check()
    replies.get_by_text(words.person.split()[0].lower()).first.wait_for()
    shot("ticked")
    assert replies.locator("input[type=checkbox]").first.is_checked()
    (row,) = http_stage.logged()
    assert row.question == (
        "spec llama-3.1-70b fp8 users=20 in=2000 out=400 h100-sxm growth=20% years=3 country=ES"
        f" budget=400000 + bge-m3 + whisper-large-v3 lang={words.language}"
    )


REFINED = {
    "en": "Against A-1: INT8 → FP16: 17.6 → 30.3 GB on one GPU (+12.7 GB), now 2 cards",
    "es": "Frente a A-1: INT8 → FP16: 17,6 → 30,3 GB en una GPU (+12,7 GB), ahora 2 tarjetas",
}
"""Line that leads an answer that was asked again."""


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_an_answer_is_refined_in_its_thread(page, shoots, words) -> None:
    def shot(step: str) -> None:
        shoots(f"refine-{words.language}", step)

    messages = load_messages(words.language)
    page.select_option("#user", label=words.person)
    page.select_option("#language", words.language)
    page.fill("#composer", "/gpusize llama-13b int8")
    page.press("#composer", "Enter")
    page.get_by_role("button", name=messages.label("buttons", "refine_spoken")).click()
    page.wait_for_selector("#modal[open]")
    shot("opened")
    page.get_by_label(words.field("precision")).select_option(label="FP16")
    chooses(page, words.field("gpu"), "L4 24 GB")
    types_in(page, words.field("count"), "2")
    shot("changed")
    page.locator("#modal button[type=submit]").click()
    page.locator("#modal").get_by_text("A-2").wait_for(timeout=PLAN_S)
    shot("posted")
    page.locator("#modal").get_by_role("button", name=words.button("done")).last.click()
    page.wait_for_selector("#modal", state="hidden")
    page.locator("button.replies:not(.quiet)").click()
    answer = page.locator("#replies .message").filter(has_text=REFINED[words.language])
    answer.wait_for()
    answer.evaluate("it => it.scrollIntoView({block: 'start'})")
    shot("thread")
    latest = f"{messages.label('buttons', 'latest')} A-2"
    page.locator("#messages .message").filter(has_text=latest).wait_for()
    posted = page.locator("#messages .message").filter(has_text=REFINED[words.language])
    assert posted.count() == 0
