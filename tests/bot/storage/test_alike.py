"""Whatever is done in whatever order, SQLite and PostgreSQL keep, find and hand on the same."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.deciding import Move, Proposal, sight_of, tenant_of
from bot.decisions.measured import Figures, NewActual
from bot.decisions.search import tokens_of
from bot.decisions.states import Action, State
from bot.decisions.store import Wanted
from bot.errors import CodedError, StorageError
from bot.render import Renderer
from bot.reply import Asker, Transport
from bot.service import Service
from bot.storage import Log, NewAnswer
from bot.storage.stores import open_log
from bot.ticks import TickClick
from tests.bot.decisions.conftest import Staff
from tests.bot.storage.conftest import FakeClock

ANSWERS, PEOPLE = 2, ("U0ANA", "U0BEN", "U0EVA", "U0ZOE")
WORDS = (
    "Búsqueda", "BÚSQUEDA", "busqueda", "tarjetas", "straße", "STRASSE", "ΣΑΣ", "σας", "σασ",
    "İstanbul", "ﬁn", "FIN", "２x", "①", "मुंबई", "ᎣᏏᏲ", "ꭳꮟᏺ", "𞤀𞤣", "日本語", "ñ", "n\u0303",
    "D-1", "d1", "1e5", "4x", "ǅ", "ſ", "™", "\u212a", "\0", "a\0b", "\ud800", "a\ud800b",
    "'", '"', "%", "_", "\\", "*", ":*", "&", "|", "!", "<->", "NEAR(a b)", "AND", "OR", "NOT",
    "x" * 520 + "y", "x" * 520 + "z", "\u0301", "{{ x }}", "<!channel>", "=1+1",
    "\N{LINE SEPARATOR}",
)  # fmt: skip
"""Letters of many scripts and cases, operators of both searches, and what stores stumble over."""

TYPED = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=4).map(" ".join)
CASES = (str, str.upper, str.lower, str.swapcase, str.casefold)
LENGTHS = (None, 510, 3, 1)
SOUGHT = st.builds(
    lambda text, change, length: change(text)[:length],
    TYPED,
    st.sampled_from(CASES),
    st.sampled_from(LENGTHS),
)
NUMBER = st.sampled_from((1, 1, 1, 2, 2, 3))
REASON = TYPED.map(lambda text: f"{text} because of it")


@dataclass(frozen=True)
class Place:
    """Where an example takes place: the numbers of its answers and decisions begin here."""

    answers: int
    decisions: int
    team: str


Do = Callable[[Service, Log, Asker, Place], Any]


def save(service, log, asker, place, *, answer, **said):
    return service.deciding.save(f"A-{place.answers + answer}", Proposal(**said), asker)


def act(service, log, asker, place, *, number, action, reason):
    if action is Action.PROPOSE:
        return service.deciding.propose(place.decisions + number, asker)
    return service.deciding.act(
        place.decisions + number, Move(action=action, reason=reason or None), asker
    )


def revise(service, log, asker, place, *, number, answer, reason):
    reference = f"A-{place.answers + answer}"
    return service.deciding.revise(place.decisions + number, reference, asker, reason=reason)


def supersede(service, log, asker, place, *, number, by, reason):
    numbers = place.decisions + number, place.decisions + by
    return service.deciding.supersede(*numbers, reason, asker)


def look(service, log, asker, place, *, wanted):
    return log.find_decisions(wanted, sight_of(asker))


def read(service, log, asker, place, *, number):
    return service.deciding.events(place.decisions + number, asker)


def projects(service, log, asker, place):
    return service.deciding.projects(asker)


def answers(service, log, asker, place, *, query):
    return log.list_answers(
        team_id=place.team, viewer=asker.user_id, channel=asker.channel_id, query=query
    )


def measure(service, log, asker, place, *, answer, note):
    told = NewActual(answer_id=f"A-{place.answers + answer}", user_id=asker.user_id, note=note,
                     figures=Figures(memory_bytes=7), package_version="1")  # fmt: skip
    log.add_actual(tenant_of(asker), told)
    return log.actuals_of(tenant_of(asker))


def thread(service, log, asker, place, *, channel, ts, answer):
    log.keep_thread(tenant_of(asker), channel, ts, f"A-{place.answers + answer}")
    return log.thread_subject(tenant_of(asker), channel, ts)


def tick(service, log, asker, place, *, answer, items):
    chosen = frozenset(items)
    click = TickClick(answer_id=f"A-{place.answers + answer}", items=frozenset("abc"),
                      chosen=chosen, seen=0, user_id=asker.user_id)  # fmt: skip
    return log.record_ticks(click)


def export(service, log, asker, place, *, filters):
    reply = service.handle(f"export {filters}", asker, None)
    if reply.error is not None:
        return str(reply.error)
    return reply.files[".jsonl"](), reply.files[".csv"](), reply.markdown


def step(
    do: Callable[..., Any],
    people: tuple[str, ...] = PEOPLE,
    **said: st.SearchStrategy[Any],
) -> st.SearchStrategy[Any]:
    """Return what somebody does; most work in the conversation that all but Zoe are in."""
    return st.tuples(
        st.just(do),
        st.sampled_from(people),
        st.sampled_from(("C1", "C1", "C1", "C2")),
        st.fixed_dictionaries(said),
    )


WANTED = st.builds(
    Wanted,
    text=SOUGHT,
    states=st.frozensets(st.sampled_from(State), max_size=2),
    project=st.none() | SOUGHT,
    model=st.sampled_from((None, "llama-2-13b", "'")),
    requester_id=st.sampled_from((None, *PEOPLE)),
    waiting_for=st.frozensets(st.sampled_from((*PEOPLE, "C1", "S0LEADS", "\0")), max_size=2),
    limit=st.integers(1, 3),
    offset=st.integers(0, 2),
)
ANSWER = st.integers(1, ANSWERS)
SAVE = step(
    save,
    ("U0BEN", "U0BEN", "U0ANA"),
    answer=ANSWER,
    title=TYPED,
    project=st.none() | TYPED,
    note=st.none() | TYPED,
    is_open=st.booleans(),
    reviewers=st.sampled_from(((), ("U0ANA",), ("U0ANA", "U0EVA"))),
)
APPROVERS = (Action.APPROVE, Action.APPROVE, Action.REJECT, Action.ASK_CHANGES)
REQUESTERS = (Action.PROPOSE, Action.PROPOSE, Action.PROPOSE, Action.WITHDRAW)
STEP = st.one_of(
    SAVE,
    step(act, number=NUMBER, action=st.sampled_from(APPROVERS), reason=REASON | TYPED),
    step(act, ("U0BEN",), number=NUMBER, action=st.sampled_from(REQUESTERS), reason=TYPED),
    step(act, ("U0BEN",), number=NUMBER, action=st.just(Action.PROPOSE), reason=st.just("")),
    step(act, ("U0ANA", "U0EVA"), number=NUMBER, action=st.just(Action.APPROVE), reason=TYPED),
    step(revise, ("U0BEN",), number=NUMBER, answer=ANSWER, reason=TYPED),
    step(supersede, number=NUMBER, by=NUMBER, reason=REASON),
    step(look, wanted=WANTED),
    step(look, wanted=st.builds(Wanted, text=SOUGHT)),
    step(read, number=NUMBER),
    step(projects),
    step(answers, query=SOUGHT),
    step(measure, answer=ANSWER, note=st.none() | TYPED),
    step(thread, channel=SOUGHT, ts=SOUGHT, answer=ANSWER),
    step(tick, answer=ANSWER, items=st.sets(st.sampled_from("abc"))),
    step(export, filters=st.just("")),
    step(export, filters=st.sampled_from(("proposed", "project=straße", "Búsqueda", "d1"))),
)


APPROVED = [
    one
    for number in (1, 2)
    for one in (
        (save, "U0BEN", "C1", {"answer": number, "title": f"Number {number}", "project": "Straße"}),
        (act, "U0BEN", "C1", {"number": number, "action": Action.PROPOSE, "reason": ""}),
        (act, "U0ANA", "C1", {"number": number, "action": Action.APPROVE, "reason": ""}),
    )
]
"""Steps after which two decisions are approved."""


@dataclass(frozen=True)
class Twins:
    """Two logs with the service over each, and the clock of both."""

    services: tuple[Service, ...] = field(repr=False)
    logs: tuple[Log, ...] = field(repr=False)
    clock: FakeClock = field(repr=False)
    answer: NewAnswer = field(repr=False)

    def begin(self, team: str) -> Place:
        """Return a workspace that nobody has worked in, with answers to decide on."""
        for log in self.logs:
            ids = [log.record_answer(replace(self.answer, team_id=team)) for _ in range(ANSWERS)]
        first = log.find_decisions(Wanted(limit=1), sight_of(OWNER))
        return Place(int(ids[0][2:]) - 1, first[0].number if first else 0, team)

    def outcomes(self, step: Any, place: Place) -> list[Any]:
        do, user, channel, said = step
        self.clock.now += timedelta(seconds=1)
        asker = Asker(user, channel, Transport.SLACK, "en", team_id=place.team, directory=Staff())
        return [
            outcome(lambda: do(service, log, asker, place, **said))  # noqa: B023 (called at once)
            for service, log in zip(self.services, self.logs, strict=True)
        ]


OWNER = Asker("owner", None, Transport.TERMINAL, "en")


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except StorageError:
        raise
    except CodedError as error:
        return str(error)


@pytest.fixture(scope="module")
def twins(catalogue, postgres, tmp_path_factory):
    import psycopg

    clock = FakeClock()
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("create schema alike")
    url = f"{postgres.url()}?options=-csearch_path%3Dalike"
    path = tmp_path_factory.mktemp("alike") / "gpusize.db"
    with (
        closing(open_log(path, clock=clock)) as one,
        closing(open_log(path, url, clock=clock)) as two,
    ):
        logs = (one, two)
        services = tuple(Service(catalogue, log, Renderer(catalogue)) for log in logs)
        asker = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T0")
        for service in services:
            service.handle("llama-13b int8", asker, None)
        row = asdict(one.get_answer("A-1", team_id="T0"))
        answer = NewAnswer(**{name.name: row[name.name] for name in fields(NewAnswer)})
        yield Twins(services, logs, clock, answer)


teams = count(1)


# The longest words make reports of failures long.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(
    max_examples=100,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=st.sampled_from(([], APPROVED)), steps=st.lists(STEP, min_size=5, max_size=25))
def test_the_same_steps_lead_to_the_same_in_both_stores(twins, before, steps):
    place = twins.begin(f"T{next(teams)}")
    for step in (*before, *steps):
        one, two = twins.outcomes(step, place)
        assert one == two, step
    ends = twins.outcomes((export, "U0BEN", "C1", {"filters": ""}), place)
    assert ends[0] == ends[1]


def found_alike(twins: Twins, place: Place, text: str) -> int:
    """Look in both stores for a text as people may type it; return how often it was found."""
    found = 0
    for typed in {change(text)[:length] for change in CASES for length in LENGTHS}:
        one, two = twins.outcomes((look, "U0BEN", "C1", {"wanted": Wanted(text=typed)}), place)
        assert one == two, typed
        found += bool(one)
    return found


def kept(twins: Twins, place: Place, **said: str) -> None:
    one, two = twins.outcomes((save, "U0BEN", "C1", {"answer": 1, **said}), place)
    assert one == two


def test_every_word_is_found_alike_in_any_case(twins):
    place = twins.begin(f"T{next(teams)}")
    for word in WORDS:
        kept(twins, place, title="", note=word)
    assert [word for word in WORDS if not found_alike(twins, place, word)] == []


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_any_letters_are_found_alike(twins, texts):
    place = twins.begin(f"T{next(teams)}")
    for text in texts:
        kept(twins, place, title=text, project=text)
    for text in texts:
        found_alike(twins, place, text)


@given(text=TYPED)
def test_words_that_are_cut_once_stay_as_they_are(text):
    """The words of a decision are cut again with each event, those of a query once."""
    words = tokens_of(text)
    assert tokens_of(" ".join(words)) == words
    assert tokens_of(text.swapcase()) == words
