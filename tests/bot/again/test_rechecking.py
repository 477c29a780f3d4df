"""Decisions computed again, with a catalogue and an engine that changed in between."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.again.checked import Cheaper, Checked
from bot.again.daily import Daily
from bot.decisions.states import Action, State
from bot.decisions.store import Sight
from bot.messages import load_messages
from bot.recheck_all import summary_of
from bot.render import Renderer
from bot.reply import ReplyKind
from bot.service import Service
from tests.bot.again.conftest import says
from tests.bot.decisions.conftest import ANA, BEN, TENANT

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SIGHT = Sight(tenant=TENANT)


def figures(**changed: object) -> dict[str, object]:
    usual = {
        "need_bytes": 20_000_000_000, "set": "2xl4", "runs": True, "itl_ms": 40.0,
        "usd_per_month": 100.0, "purchase_usd": 5000.0,
    }  # fmt: skip
    return usual | changed


def checked(before=None, *, catalogue=("a", "b"), engine=("1", "1"), **rest) -> Checked:
    after = rest.pop("after", None) or figures()
    return Checked(
        before=before or figures(), after=after, catalogue=catalogue, engine=engine, **rest
    )


@pytest.mark.parametrize(
    ("after", "catalogue", "engine", "causes"),
    [
        (figures(), ("a", "b"), ("1", "2"), ()),
        (figures(usd_per_month=90.0), ("a", "b"), ("1", "2"), ("price",)),
        (figures(need_bytes=21), ("a", "b"), ("1", "1"), ("catalogue",)),
        (figures(itl_ms=30.0), ("a", "a"), ("1", "2"), ("engine",)),
        (figures(set="1xl40"), ("a", "b"), ("1", "2"), ("engine", "catalogue")),
        (figures(need_bytes=21), ("a", "a"), ("1", "1"), ("program",)),
    ],
)
def test_why_figures_differ(after, catalogue, engine, causes) -> None:
    assert checked(after=after, catalogue=catalogue, engine=engine).causes == causes


@pytest.mark.parametrize(
    ("rest", "told", "expected"),
    [
        ({}, None, False),
        ({"after": figures(runs=False)}, None, True),
        ({"after": figures(runs=False)}, {"no_longer_fits": True}, False),
        # 20.0 to 20.99 GB is 4.95 % more, 21.0 GB is 5 %.
        ({"after": figures(need_bytes=20_990_000_000)}, None, False),
        ({"after": figures(need_bytes=21_000_000_000)}, None, True),
        ({"after": figures(need_bytes=19_000_000_000)}, None, True),
        ({"after": figures(need_bytes=21_000_000_000)}, {"need_change": 0.05}, False),
        # 91 of 100 saves 9 %, 90 of 100 saves 10 %.
        ({"cheaper": Cheaper("1xl40", "usd_per_month", 91, 100)}, None, False),
        ({"cheaper": Cheaper("1xl40", "usd_per_month", 89, 100)}, None, True),
        ({"cheaper": Cheaper("1xl40", "usd_per_month", 89, 100)}, {"saved": 0.11}, False),
        # It was there when it was decided, or nothing has changed since.
        ({"cheaper": Cheaper("1xl40", "usd_per_month", 50, 100), "was_cheaper": 0.5}, None, False),
        ({"cheaper": Cheaper("1xl40", "usd_per_month", 50, 100), "catalogue": ("a", "a")},
         None, False),
    ],
)  # fmt: skip
def test_what_somebody_has_to_know(rest, told, expected) -> None:
    assert checked(**rest).is_important(told) is expected


def events(log, number=1):
    return log.events_of(number, SIGHT)


def with_catalogue(catalogue, log, **changed) -> Service:
    """The service with other facts, as a later version would bring them."""
    stamp = catalogue.stamp.model_copy(update={"digest": "0" * 16, "date": "2027-05-01"})
    later = replace(catalogue, stamp=stamp, **changed)
    return Service(later, log, Renderer(later))


def test_nothing_changed_is_said_so_and_kept(decided, log) -> None:
    reply = says(decided, "recheck D-1")
    assert reply.kind is ReplyKind.DECISION
    assert "**Nothing changed**" in reply.markdown
    assert "**Nada cambió**" in says(decided, "recalcular D-1", ANA).markdown
    assert [one.action for one in events(log)[3:]] == [Action.RECHECK, Action.RECHECK]
    data = events(log)[-1].details.data
    assert (data["changes"], data["causes"], data["no_longer_fits"]) == ({}, [], False)
    assert reply.data["recheck"]["after"]["need_bytes"] == data["after"]["need_bytes"]


def test_a_card_with_less_memory_does_not_hold_it_any_more(decided, catalogue, log) -> None:
    """The decided card has 32 GB and the load takes 27.7 GB: with 16 GB it does not fit."""
    gpu = says(decided, "show A-1").answer.options[0].gpu
    record = catalogue.gpus[gpu]
    smaller = record.model_copy(update={"memory_gb": 16, "usable_mib": 15_360})
    later = with_catalogue(catalogue, log, gpus={**catalogue.gpus, gpu: smaller})
    before = log.get_decision(1, SIGHT)
    reply = says(later, "recheck D-1")
    assert "**Would not fit any more**" in reply.markdown
    assert "Facts in the catalogue changed since." in reply.markdown
    after = log.get_decision(1, SIGHT)
    # What was decided stays: one event more is all.
    assert (after.state, after.answer_id, after.answer_hash) == (
        State.APPROVED, "A-1", before.answer_hash
    )  # fmt: skip
    assert after.sequence == before.sequence + 1


def dearer(catalogue, factor: float, *, only: str | None = None):
    """The price book with cards, bought and rented, at another price: all, or those of one."""
    prices = catalogue.prices
    by = lambda gpu: factor if only in {None, gpu} else 1.0  # noqa: E731
    bought = {
        gpu: one.model_copy(update={name: getattr(one, name) * by(gpu) for name in BOUGHT_FOR})
        for gpu, one in prices.purchases.items()
    }
    rented = tuple(
        prices_of.model_copy(
            update={
                "instances": tuple(
                    one.model_copy(
                        update={"price_usd_per_hour": one.price_usd_per_hour * by(one.gpu)}
                    )
                    for one in prices_of.instances
                )
            }
        )
        for prices_of in prices.lists
    )
    return replace(prices, lists=rented, purchases=bought)


BOUGHT_FOR = ("low_usd", "typical_usd", "high_usd")


@pytest.mark.parametrize("factor", [0.5, 1.25])
def test_prices_that_change_alone_are_the_cause(decided, catalogue, log, factor) -> None:
    """All cards at another price: their order, and with it the set, stays what it was."""
    later = with_catalogue(catalogue, log, prices=dearer(catalogue, factor))
    reply = says(later, "recheck D-1")
    told = reply.data["recheck"]
    assert told["causes"] == ["price"]
    assert set(told["changes"]) == {"usd_per_month", "purchase_usd"}
    bought = told["changes"]["purchase_usd"]
    assert bought["after"] == pytest.approx(factor * bought["before"])
    assert told["catalogue"]["before"] != told["catalogue"]["after"]
    assert "Prices alone changed: memory, set and speed are the same." in reply.markdown
    assert "Facts in the catalogue changed" not in reply.markdown
    assert "Solo cambiaron los precios" in says(later, "recalcular D-1", ANA).markdown
    summary = summary_of(Daily(log, later.again.rechecking).round(NOW, days=0), load_messages("en"))
    assert summary.splitlines()[0].endswith("prices alone changed")


def test_a_card_that_alone_is_dearer_makes_another_set_the_cheaper_one(
    decided, catalogue, log
) -> None:
    """The decided set is held against itself, though today another one would come first."""
    gpu = says(decided, "show A-1").answer.options[0].gpu
    later = with_catalogue(catalogue, log, prices=dearer(catalogue, 3.0, only=gpu))
    rounds = Daily(log, later.again.rechecking)
    posted: list[str] = []
    (found,) = rounds.round(NOW, days=90, post=lambda _, page: posted.append(page))
    assert found.checked.causes == ("price",)
    assert found.checked.after["set"] == found.checked.before["set"]
    assert found.checked.cheaper.saved > 0.1
    assert found.is_important
    (page,) = posted
    assert "**Cheaper option now**" in page
    # Told once: the next check with the same prices says nothing unasked.
    later_on = NOW + timedelta(days=91)
    (again,) = rounds.round(later_on, days=0, post=lambda _, page: posted.append(page))
    assert not again.is_important
    assert len(posted) == 1


def test_prices_of_a_whole_server_are_a_cause_too(decided, catalogue, log) -> None:
    """Of a plan the cards are dearer, the host is not: it has a price list of its own."""
    says(decided, "spec llama-3.1-8b users=5 gpu=l40s")
    for text, asker in [("save A-2 server", BEN), ("propose D-2", BEN), ("approve D-2", ANA)]:
        assert says(decided, text, asker).error is None
    later = with_catalogue(catalogue, log, prices=dearer(catalogue, 1.25))
    told = says(later, "recheck D-2").data["recheck"]
    assert told["causes"] == ["price"]
    assert told["changes"].keys() == {"purchase_usd", "total_usd"}
    card_usd = catalogue.prices.purchases["l40s"].typical_usd
    bought, total = (told["changes"][name] for name in ("purchase_usd", "total_usd"))
    assert bought["after"] - bought["before"] == pytest.approx(0.25 * card_usd)
    # Support of the years is a share of what was bought.
    assert total["after"] - total["before"] > bought["after"] - bought["before"]


def test_another_set_that_costs_less_is_named(decided, log) -> None:
    """Four H100 for a load that one card of a tenth of the price holds."""
    says(decided, "llama-13b int8 gpu=4xh100")
    says(decided, "save A-2 big")
    reply = says(decided, "recheck D-2")
    found = reply.data["recheck"]["cheaper"]
    assert found["usd"] < found["decided_usd"]
    gpus, gpu = found["set"].split("x", 1)
    named = decided.messages("en").labels.gpu(gpu)
    said = f"**Cheaper already when it was decided**: {gpus} × {named} fits"
    assert said in reply.markdown
    assert reply.markdown.index("Nothing changed") < reply.markdown.index(said)
    assert "Cheaper option now" not in reply.markdown
    assert reply.summary.startswith("D-2 · checked again")
    # It was there when it was decided, with the same facts: nobody is told unasked.
    checked, _ = decided.again.rechecking.checked(log.get_decision(2, SIGHT), "en")
    assert checked.cheaper is not None
    assert not checked.is_important()


def test_ended_decisions_are_computed_without_an_event(service, log) -> None:
    for text, asker in [("save A-1", BEN), ("propose D-1", BEN), ("withdraw D-1", BEN)]:
        assert says(service, text, asker).error is None
    assert says(service, "rerun D-1").error is None
    assert len(events(log)) == 3


def test_an_answer_of_another_shape_is_computed_from_its_question(decided, log) -> None:
    row = log.get_answer("A-1", team_id="T1")
    told = {name: getattr(row, name) for name in type(row).__mro__[1].__dataclass_fields__}
    from bot.storage import NewAnswer

    log.record_answer(NewAnswer(**told | {"answer_json": '{"old": 1}'}))
    log.record_answer(NewAnswer(**told | {"answer_json": "{}", "request_json": '{"old": 1}'}))
    rechecking = decided.again.rechecking
    decision = log.get_decision(1, SIGHT)
    old = decision.model_copy(update={"answer_id": "A-2"})
    found, page = rechecking.checked(old, "en")
    assert found.before is None
    assert "needs 27.7 GB and runs on" in page
    from bot.errors import CodedError

    with pytest.raises(CodedError) as caught:
        rechecking.checked(decision.model_copy(update={"answer_id": "A-3"}), "en")
    assert caught.value.code == "unreadable_question"


def test_plans_are_checked_too(decided, log) -> None:
    says(decided, "spec llama-3.1-8b users=5 + bge-m3")
    says(decided, "save A-2 server")
    says(decided, "propose D-2")
    reply = says(decided, "recheck D-2")
    assert "**Nothing changed**" in reply.markdown
    assert reply.data["recheck"]["after"]["total_w"] > 0


def test_a_round_checks_what_is_due_once(decided, log) -> None:
    daily = Daily(log, decided.again.rechecking)
    assert daily.round(datetime.now(UTC), days=90) == ()
    (found,) = daily.round(NOW, days=90)
    assert (found.decision.name, found.is_important) == ("D-1", False)
    assert events(log)[-1].user_id == "gpusize"
    # Checked a moment ago: due again when as many days are over.
    soon = datetime.now(UTC) + timedelta(days=89)
    assert daily.round(soon, days=90) == ()
    assert len(daily.round(soon + timedelta(days=2), days=90)) == 1
    summary = summary_of(daily.round(NOW, days=0), load_messages("en"))
    assert summary == "D-1 Pilot: nothing changed\n1 decision checked."
    spanish = summary_of((), load_messages("es"))
    assert spanish == "0 decisiones comprobadas."


def test_a_round_has_an_end_and_tells_what_matters(decided, catalogue, log) -> None:
    for text, asker in [("save A-1 Other", BEN), ("propose D-2", BEN), ("approve D-2", ANA)]:
        says(decided, text, asker)
    told = []
    daily = Daily(log, decided.again.rechecking)
    daily.round(NOW, days=90, post=lambda decision, page: told.append(page), most=1)
    assert told == []
    counts = [sum(one.action is Action.RECHECK for one in events(log, n)) for n in (1, 2)]
    assert sorted(counts) == [0, 1]
