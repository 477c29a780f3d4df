"""The Home tab: what it lists, for whom, and what its filters and pages do."""

from __future__ import annotations

import pytest

from bot.limits import find_problems


def tab(stage, person, words):
    """Return the tab when it shows `words`; it is valid whatever it shows."""

    def shown():
        home = person.home
        return home if home is not None and words in home.shown else None

    home = stage.workspace.wait_for(shown, 10, f"the Home tab with {words!r}")
    assert find_problems("home", home.content) == []
    return home


def typed(stage, person, line, words):
    assert person.types(line).acked
    return person.waits_for_message(lambda message: words in message.shown)


def opened(stage, person, words):
    assert person.opens_home().acked
    return tab(stage, person, words)


@pytest.fixture
def decided(stage):
    """D-1 of Ben's is withdrawn, D-2 is his draft."""
    typed(stage, stage.ben, "/gpusize llama-13b int8", "Llama 2 13B")
    typed(stage, stage.ben, "/gpusize save A-1 Pilot project=Atlas", "D-1")
    typed(stage, stage.ben, "/gpusize save A-1 Later & <more>", "D-2")
    typed(stage, stage.ben, "/gpusize withdraw D-1", "withdrew D-1")
    return stage


def test_an_empty_tab_says_how_a_decision_begins(stage) -> None:
    home = opened(stage, stage.ana, "Guardar decisión")
    assert "Esperan por usted" not in home.shown
    assert "Decisiones" in home.shown


def test_each_person_sees_what_concerns_them(decided) -> None:
    ben = opened(decided, decided.ben, "What you asked for")
    assert "Waiting for you" not in ben.shown
    assert [ben.shown.count(name) for name in ("D-1", "D-2")] == [1, 2], "what is open stands twice"
    assert "Later & <more>" in ben.shown


def test_words_of_people_are_not_formatted(stage) -> None:
    typed(stage, stage.ben, "/gpusize llama-13b int8", "Llama 2 13B")
    typed(stage, stage.ben, "/gpusize save A-1 *bold* _it_ ~st~ `co` a&b", "D-1")
    [row, *_] = [
        block["text"]["text"]
        for block in opened(stage, stage.ben, "bold").content["blocks"]
        if block["type"] == "section" and "bold" in block["text"]["text"]
    ]
    assert "∗bold∗ ˍitˍ ∼st∼ ˋcoˋ a&amp;b" in row


def test_filters_narrow_the_list(decided) -> None:
    home = opened(decided, decided.ben, "Later")
    assert decided.ben.clicks(home, "gpus1.home.state", "draft").acked
    decided.workspace.wait_for(lambda: "D-1" not in decided.ben.home.shown, 10, "drafts alone")
    home = decided.ben.home
    assert home.shown.count("D-2") == 2
    assert decided.ben.clicks(home, "gpus1.home.project", "Atlas").acked
    tab(decided, decided.ben, "No decisions here yet")


def test_pages_follow_each_other(stage) -> None:
    typed(stage, stage.ben, "/gpusize llama-13b int8", "Llama 2 13B")
    for number in range(1, 18):
        typed(stage, stage.ben, f"/gpusize save A-1 Plan {number}", f"D-{number} ")
    for number in range(1, 18):
        typed(stage, stage.ben, f"/gpusize withdraw D-{number}", f"withdrew D-{number}.")
    home = opened(stage, stage.ben, "D-17")
    assert "*D-2*" not in home.shown
    assert stage.ben.clicks(home, "Next page").acked
    home = tab(stage, stage.ben, "Plan 2")
    assert "D-17" not in home.shown
    assert stage.ben.clicks(home, "Earlier page").acked
    tab(stage, stage.ben, "D-17")
