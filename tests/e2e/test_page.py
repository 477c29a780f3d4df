"""A person at the local workspace's page, with the real app behind it."""

from __future__ import annotations

import json
from typing import Any

import pytest

CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128_256, "max_position_embeddings": 131_072, "torch_dtype": "bfloat16",
}  # fmt: skip
FILE = {"config.json": json.dumps(CONFIG).encode()}

pytestmark = pytest.mark.browser


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


@pytest.mark.parametrize(
    ("person", "question", "facts"),
    [
        ("Ben Carter", "@gpusize size this ctx=32k users=8", "8 requests of 32,768 tokens"),
        (
            "Ana Torres",
            "@gpusize dimensiona esto ctx=32k usuarios=8",
            "8 solicitudes simultáneas de 32.768 tokens",
        ),
    ],
)
def test_a_file_attached_to_a_mention_is_sized_in_its_thread(
    page, person: str, question: str, facts: str
) -> None:
    page.select_option("#user", label=person)
    file = {"name": "config.json", "mimeType": "application/json", "buffer": FILE["config.json"]}
    with page.expect_file_chooser() as chooser:
        page.click("#composer-attach")
    chooser.value.set_files([file])
    types(page, question)
    page.locator("button.replies:not(.quiet)").click()
    page.locator("#replies").get_by_text(facts).first.wait_for()
    assert page.locator("#messages .file").inner_text().startswith("📄")


def test_an_error_is_shown_to_its_asker_alone(page) -> None:
    page.select_option("#user", label="Ben Carter")
    types(page, "/gpusize llama-12b int8")
    page.get_by_text("I don't know the model").first.wait_for()
    page.select_option("#user", label="Ana Torres")
    page.get_by_text("I don't know the model").first.wait_for(state="detached")


def test_a_comparison_is_drawn_and_its_points_stand_below(page) -> None:
    page.select_option("#user", label="Ben Carter")
    types(page, "/gpusize compare llama-3.1-70b fp8 4xh100 | int4 2xl40s")
    drawn = page.locator("svg.chart")
    drawn.wait_for()
    assert drawn.get_attribute("aria-label") == "Output tokens/s by time between tokens"
    assert drawn.locator("polyline").count() == 2
    assert page.locator(".legend li").all_inner_texts() == ["A: FP8", "B: INT4"]
    categories = page.locator(".block-data_visualization tbody th").count()
    assert drawn.locator("circle").count() == 2 * categories
    assert drawn.bounding_box()["height"] > 150
