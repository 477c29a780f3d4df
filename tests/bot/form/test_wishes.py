"""The form opened from a server: both views are filled in, and no word of the question is lost."""

from __future__ import annotations

import pytest

from bot.command import Grammar
from bot.form.filling import Form
from bot.form.wishes import wishes_of
from bot.labels import Labels
from bot.limits import assert_valid
from bot.messages import load_messages
from sizing.catalogue import Catalogue


@pytest.fixture(scope="module")
def grammar(catalogue: Catalogue) -> Grammar:
    return Grammar(catalogue)


@pytest.fixture(scope="module")
def form(catalogue: Catalogue, grammar: Grammar) -> Form:
    return Form(catalogue, grammar)


LINES = (
    "llama-3.1-8b people=300 rph=12 growth=20% years=3 spare=1 country=MX kw=6.5 budget=90000",
    "llama-3.3-70b fp8 gpu=8xh100 share=mig orchestrator=k8s os=ubuntu-24.04 rent",
    "llama-3.1-8b users=20 + bge-m3 + whisper-large-v3 growth=12.5% country=ES rack=8 circuits=4",
    "llama-3.1-8b os=rocky-9 country=BE liquid=no tax=21% staff=60000 share=no inlet=27",
    "llama-3.1-8b users=20 + llama-3.3-70b people=50 rph=6 kw=12",
)


@pytest.mark.parametrize("line", LINES)
def test_a_server_opened_and_sent_unchanged_is_the_same(form, grammar, line: str) -> None:
    request = grammar.parse(f"spec {line}").request
    draft = form.draft_of_entry(request, "en")
    again = grammar.parse(form.line(draft)).request
    budgets = [one.request.budget_usd for one in request.workloads]
    assert [one.request.budget_usd for one in again.workloads] == budgets
    assert again == request


def test_the_second_view_has_its_wishes(form, grammar, catalogue) -> None:
    request = grammar.parse(f"spec {LINES[0]}").request
    draft = form.draft_of_entry(request, "en")
    assert draft.second == {
        "growth": "20", "years": "3", "spare": "1", "country": "MX", "kw": "6.5",
        "budget": "90000",
    }  # fmt: skip
    assert (draft.first["load"], draft.first["people"], draft.first["rph"]) == (
        "people",
        "300",
        "12",
    )
    messages = load_messages("en", Labels(catalogue))
    view = form.next(
        {
            "callback_id": "gpus1.form.workload",
            "private_metadata": draft.to_json(),
            "state": {"values": {}},
        },
        messages,
    )["view"]
    assert_valid("modal", view)
    elements = {block["block_id"]: block["element"] for block in view["blocks"]}
    assert elements["growth"]["initial_value"] == "20"
    assert elements["kw"]["initial_value"] == "6.5"
    assert elements["country"]["initial_option"]["value"] == "MX"


def test_what_no_list_offers_stays_in_the_words(grammar) -> None:
    """Belgium and Rocky Linux are in no list of the form."""
    known, words = wishes_of(grammar.parse(f"spec {LINES[3]}").request)
    assert known == {"share": "no"}
    assert {"os=rocky-9", "country=BE"} <= set(words.split())


def test_words_open_the_same_form(form, grammar) -> None:
    request = grammar.parse(f"spec {LINES[0]}").request
    assert form.draft(f"spec {LINES[0]}", "en") == form.draft_of_entry(request, "en")
