"""What every log promises about decisions when several write at once, and for odd texts."""

import pytest

from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted

TENANT = Tenant("T1")
ALL = Sight(tenant=TENANT)


def saved(title="Two cards", **details):
    told = Details(title=title, rules=Rules(users=("U0ANA",)), team_id="T1", **details)
    return NewEvent(action=Action.SAVE, user_id="U1", package_version="0.1", answer_id="A-1",
                    request_hash="r", answer_hash="a", details=told)  # fmt: skip


@pytest.fixture
def log(store):
    log = store.open()
    yield log
    log.close()


PREAMBLE = """
from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
log = opened()
print("ready", flush=True)
sys.stdin.readline()
"""
BEGIN = (
    PREAMBLE
    + """
for n in range(10):
    told = Details(title=f"{sys.argv[3]} {n}", rules=Rules(users=("U0ANA",)), team_id="T1")
    event = NewEvent(action=Action.SAVE, user_id="U1", package_version="0.1", answer_id="A-1",
                     request_hash="r", answer_hash="a", details=told)
    print(log.begin_decision(Tenant("T1"), event).number)
log.close()
"""
)
WITHDRAW = (
    PREAMBLE
    + """
event = NewEvent(action=Action.WITHDRAW, user_id="U1", package_version="0.1", reason="not needed")
print(log.add_event(Tenant("T1"), 1, event, follows=1) is not None)
log.close()
"""
)


def said_by_four(store, code):
    children = [store.run(code, f"P{number}") for number in range(4)]
    assert [child.stdout.readline() for child in children] == ["ready\n"] * 4
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [line for child in children for line in child.communicate(timeout=60)[0].split()]
    assert [child.returncode for child in children] == [0] * 4
    return said


def test_processes_that_begin_decisions_at_once_use_each_number_once(store):
    numbers = said_by_four(store, BEGIN)
    assert sorted(map(int, numbers)) == list(range(1, 41))
    log = store.open()
    titles = {found.title for found in log.find_decisions(Wanted(limit=100), ALL)}
    assert titles == {f"P{process} {n}" for process in range(4) for n in range(10)}
    log.close()


def test_of_processes_that_follow_the_same_event_one_wins(store, log):
    log.begin_decision(TENANT, saved())
    assert sorted(said_by_four(store, WITHDRAW)) == ["False", "False", "False", "True"]
    assert [event.sequence for event in log.events_of(1, ALL)] == [1, 2]


def test_events_are_never_changed_nor_written_twice(store, log):
    log.begin_decision(TENANT, saved())
    for statement in ("update decision_events set reason = 'x'", "delete from decision_events"):
        with pytest.raises(store.refusals, match="append-only"):
            store.execute(statement)
    with pytest.raises(store.refusals, match=r"(?i)unique"):
        store.execute("insert into decision_events select * from decision_events")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("búsqueda", True),
        ("BUSQ tarj", True),
        ("tarjetas mañana", True),
        ("manana", True),
        ("d1", True),
        ("D-1", True),
        ("D-12", False),
        ("d-1 tarjetas", True),
        ("quedas", False),
        ("busqueda | nothing", False),
        ("!nothing", False),
        ("'busqueda' & (tarjetas) :* <-> !", True),
        ("busqueda' ); drop table decisions; --", False),
        ('"busqueda" NEAR AND', False),
        ("h100 4x", True),
        ("1e5", True),
        ("x" * 1000, True),
        ("x" * 999, True),
        ("\0\\ % _ *", True),
    ],
)
def test_words_are_found_alike_in_every_store(log, text, found):
    """All words of a query stand in a decision, or begin one that does; signs are no operators."""
    note = f"para mañana, 4x h100 a 1e5, {'x' * 1000}"
    log.begin_decision(TENANT, saved("Búsqueda: dos tarjetas", note=note))
    log.begin_decision(TENANT, saved("Otra cosa"))
    numbers = [decision.number for decision in log.find_decisions(Wanted(text=text), ALL)]
    assert (1 in numbers) is found


def test_nul_does_no_harm(log):
    log.begin_decision(TENANT, saved("two\0cards", project="a\0b"))
    log.keep_thread(TENANT, "C\0", "1.2", "A-1")
    assert len(log.find_decisions(Wanted(text="cards"), ALL)) == 1
    assert log.thread_subject(TENANT, "C\0", "1.2") == "A-1"
    assert len(log.events_of(1, ALL)) == 1


def test_decisions_of_another_workspace_are_not_there(log):
    log.begin_decision(TENANT, saved())
    other = Sight(tenant=Tenant("T2"))
    assert log.find_decisions(Wanted(), other) == ()
    assert (log.get_decision(1, other), log.events_of(1, other)) == (None, ())
    assert log.add_event(Tenant("T2"), 1, saved(), follows=1) is None
    assert len(log.find_decisions(Wanted(), Sight(tenant=None))) == 1
