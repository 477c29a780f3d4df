"""A person at the local workspace's page, with the real app behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Any, http_stage) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
    opened.set_default_timeout(10_000)
    opened.goto(http_stage.workspace.page_url)
    opened.wait_for_selector("#composer")
    yield opened
    opened.close()


def types(page: Any, line: str) -> None:
    page.fill("#composer", line)
    page.press("#composer", "Enter")


@pytest.mark.parametrize(
    ("person", "verdict", "button", "derivation"),
    [
        ("Ben Carter", "Fits 1 × L4 24 GB", "Explain", "819,200 bytes"),
        ("Ana Torres", "Cabe en 1 × L4 24 GB", "Explicar", "819.200 bytes"),
    ],
)
def test_a_question_its_answer_and_its_derivation(
    page, person: str, verdict: str, button: str, derivation: str
) -> None:
    page.select_option("#user", label=person)
    types(page, "/gpusize llama-13b int8")
    page.get_by_text(verdict).first.wait_for()
    page.get_by_role("button", name=button).first.click()
    page.locator("button.replies:not(.quiet)").click()
    page.locator("#replies").get_by_text(derivation).first.wait_for()


def test_an_error_is_shown_to_its_asker_alone(page) -> None:
    page.select_option("#user", label="Ben Carter")
    types(page, "/gpusize llama-12b int8")
    page.get_by_text("I don't know the model").first.wait_for()
    page.select_option("#user", label="Ana Torres")
    page.get_by_text("I don't know the model").first.wait_for(state="detached")
