"""What events found and measured, as pages say it: sentences with units, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.assembly import build_service
from bot.decision_view import DecisionView
from bot.decisions.life import replayed
from bot.decisions.records import Details, Event
from bot.decisions.states import Action
from bot.decisions.store import Sight
from bot.found_words import found_words, set_words
from tests.bot.again.conftest import says
from tests.bot.decisions.conftest import ANA, BEN

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
NAMES = ("before", "changes", "causes", "no_longer_fits", "cheaper", "figures", "number")
FIGURE = {"figure": "memory_bytes", "measured": 38e9, "estimated": 19e9, "error_percent": -50.0}


@pytest.fixture(scope="module")
def worded():
    service = build_service(None)
    return {language: service.messages(language) for language in ("en", "es")}


def event(action: Action, data) -> Event:
    return Event(
        decision=1, sequence=2, at="2026-01-01T00:00:00.000Z", action=action, user_id="U0BEN",
        package_version="1", details=Details(data=data),
    )  # fmt: skip


def rechecked(**data):
    return event(Action.RECHECK, {"before": {"set": "2xl4"}} | data)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("8xarc-pro-b50", "8 × Arc Pro B50 16 GB"),
        ("2xl40s+1xl4", "2 × L40S 48 GB + 1 × L4 24 GB"),
        ("2xa100-80:3g.40gb", "2 × slice 3g.40gb of "),
        ("no set at all", "no set at all"),
    ],
)
def test_a_set_is_named_as_people_do(worded, name, expected) -> None:
    assert set_words(name, worded["en"]).startswith(expected)


def test_a_recheck_says_figures_causes_and_what_is_cheaper(worded) -> None:
    # 1 - 90 / 120 = 25 %.
    found = rechecked(
        changes={
            "need_bytes": {"before": 20e9, "after": 21e9},
            "set": {"before": "2xl4", "after": "1xl40s"},
            "verdict": {"before": "fits", "after": "tight"},
            "requests": {"before": None, "after": 1200},
        },
        causes=["catalogue"],
        no_longer_fits=True,
        cheaper={"set": "1xl40s", "price": "usd_per_month", "usd": 90, "decided_usd": 120},
    )
    assert found_words(found, worded["en"], whole=True) == (
        "would not fit any more; memory needed 20.0 GB → 21.0 GB; "
        "set 2 × L4 24 GB → 1 × L40S 48 GB; requests at once – → 1,200; "
        "facts of the catalogue changed; "
        "a cheaper set fits: 1 × L40S 48 GB at USD 90.00 a month instead of USD 120, 25 % less"
    )
    short = found_words(found, worded["es"])
    assert short.startswith("ya no cabría; cambiaron datos del catálogo; cabe un conjunto")
    assert "→" not in short


def test_a_recheck_without_changes_says_so(worded) -> None:
    assert found_words(rechecked(), worded["es"], whole=True) == "nada cambió"
    anew = event(Action.RECHECK, {"before": None})
    assert found_words(anew, worded["en"]).startswith("computed anew")


def test_a_measurement_stands_beside_its_estimate(worded) -> None:
    alone = {"figure": "output_tokens_per_s", "measured": 92.0}
    told = event(Action.ACTUAL, {"number": 1, "figures": [FIGURE, alone]})
    assert found_words(told, worded["es"]) == (
        "Memoria de una GPU 38,0 GB, estimado 19,0 GB (−50 %); Tokens de salida/s, en total 92"
    )


def test_other_events_found_nothing(worded) -> None:
    assert found_words(event(Action.PROPOSE, None), worded["en"]) == ""


@given(
    st.sampled_from((Action.RECHECK, Action.ACTUAL)), st.dictionaries(st.sampled_from(NAMES), JSON)
)
def test_whatever_a_file_held_gives_a_page(worded, action, data) -> None:
    assert isinstance(found_words(event(action, data), worded["en"], whole=True), str)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("history D-1", ("nothing changed", "| Memory of a GPU 28.0 GB, estimated ")),
        ("minutes D-1", ("ben: nothing changed", "ben: Memory of a GPU 28.0 GB, estimated ")),
    ],
)
def test_pages_say_it(decided, line, words) -> None:
    for text in ("recheck D-1", "actual D-1 28 GB 92 tok/s"):
        assert says(decided, text).error is None
    page = says(decided, line).markdown
    for said in words:
        assert said in page
    for internal in ("bytes:", "need_bytes", "before.", "False"):
        assert internal not in page


def test_it_stands_since_it_was_approved_whatever_came_later(decided, log) -> None:
    for text in ("recheck D-1", "actual D-1 28 GB"):
        says(decided, text)
    events = [
        one.model_copy(update={"at": f"2026-01-0{one.sequence}T00:00:00.000Z"})
        for one in log.events_of(1, Sight(tenant=None))
    ]
    assert [one.action.value for one in events] == [
        "save",
        "propose",
        "approve",
        "recheck",
        "actual",
    ]
    listed = DecisionView(replayed(events), BEN.directory, events)
    unlisted = DecisionView(replayed(events), BEN.directory, trail=events)
    assert f"{listed.stands_since:%Y-%m-%d}" == f"{unlisted.stands_since:%Y-%m-%d}" == "2026-01-03"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("history D-1", "| Superseded | D-2 replaces it: newer cards |"),
        ("minutes D-1", "| Superseded | D-2 replaces it: newer cards |"),
        ("historial D-1 lang=es", "| Reemplazada | D-2 la reemplaza: newer cards |"),
    ],
)
def test_the_history_of_a_superseded_decision_names_its_successor(decided, line, words) -> None:
    texts = [("save A-1 Next", BEN), ("propose D-2", BEN), ("approve D-2", ANA)]
    for text, asker in [*texts, ("supersede D-1 by D-2 newer cards", BEN)]:
        assert says(decided, text, asker).error is None
    assert words in says(decided, line).markdown
