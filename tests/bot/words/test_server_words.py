"""Words for software, NIM and money of a server spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.messages import LANGUAGES, load_messages, read_tables
from sizing.answer import note
from sizing.spec.money_plan import BudgetVerdict
from sizing.spec.nim import NimStatus
from sizing.spec.nim_facts import Goal
from sizing.spec.reasons import reasons
from sizing.spec.software_facts import load_software
from sizing.spec.stack_facts import KernelModules
from sizing.spec.watch_facts import Severity
from sizing.spec.wishes import Orchestrator


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_and_every_status_has_a_sentence(language: str) -> None:
    tables = read_tables(language)
    assert set(tables["cost_reasons"]) == {each.code for each in reasons()}
    assert set(tables["nim_status"]) == {status.value for status in NimStatus}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fixed_value_of_the_sections_has_a_word(language: str) -> None:
    tables, facts = read_tables(language), load_software()
    assert set(tables["alarms"]) == {alarm.id for alarm in facts.alarm}
    for table, kind in (
        ("kernel_modules", KernelModules),
        ("severities", Severity),
        ("budget_verdicts", BudgetVerdict),
        ("goals", Goal),
    ):
        assert set(tables[table]) == {value.value for value in kind}, table
    assert {each.value for each in Orchestrator} <= set(tables["words"])


def test_every_rule_that_decides_has_a_word() -> None:
    """The rules are the literals of the calculations: each has a word, and no word is left over."""
    folder = Path(__file__).parents[3] / "sizing" / "spec"
    names = ("drivers", "orchestration", "licensing")
    text = "".join((folder / f"{name}.py").read_text() for name in names)
    assert all(f'"{rule}"' in text for rule in read_tables("en")["software_rules"])


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
