"""Words for software, NIM and money of a server spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.messages import LANGUAGES, load_messages, read_tables
from sizing.answer import note
from sizing.spec.nim import NimStatus
from sizing.spec.reasons import reasons


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_and_every_status_has_a_sentence(language: str) -> None:
    tables = read_tables(language)
    assert set(tables["cost_reasons"]) == {each.code for each in reasons()}
    assert set(tables["nim_status"]) == {status.value for status in NimStatus}


PARTS = (
    "gpus", "host", "system", "tax", "electricity", "support", "licenses", "staff", "site", "rent",
    "server_network", "rack_and_power", "installation", "spare_servers", "growth_reserve",
)  # fmt: skip
"""Parts of a cost plan, as the calculations call them."""


def test_every_part_of_a_cost_plan_is_listed_here() -> None:
    folder = Path(__file__).parents[3] / "sizing" / "spec"
    text = "".join((folder / f"{name}.py").read_text() for name in ("purchase", "yearly", "money"))
    assert all(f'"{part}"' in text for part in PARTS if part not in {
        "tax", "rent", "spare_servers", "growth_reserve",
    })  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_has_a_word(language: str) -> None:
    words = read_tables(language)["words"]
    assert set(PARTS) <= set(words)


@pytest.mark.parametrize(
    ("values", "english", "spanish"),
    [
        (
            {"parts": ("gpus", "host"), "dated": None},
            "Prices without a day or older than 90 days: accelerators and servers around them."
            " Ask again before you budget.",
            "Precios sin fecha o de hace más de 90 días: aceleradores y servidores que los alojan."
            " Consúltelos de nuevo antes de presupuestar.",
        ),
        (
            {"parts": ("rent",), "dated": "2026-06-01"},
            "Prices older than 90 days, the oldest of 2026-06-01, or without a day: rental price."
            " Ask again before you budget.",
            "Precios de hace más de 90 días, el más antiguo del 2026-06-01, o sin fecha: precio de"
            " alquiler. Consúltelos de nuevo antes de presupuestar.",
        ),
    ],
)
def test_old_prices_are_worded(values: dict[str, object], english: str, spanish: str) -> None:
    told = note("money_old", **values)
    assert load_messages("en").note(told) == english
    assert load_messages("es").note(told) == spanish
