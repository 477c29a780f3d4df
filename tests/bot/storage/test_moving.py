"""The log moves from its file into PostgreSQL: all of it, or nothing."""

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted
from bot.errors import StorageError
from bot.storage import NewAnswer
from bot.storage.postgres import PostgresLog
from bot.storage.postgres.moving import move_log, source_tables, target_types
from bot.storage.sqlite import SqliteLog
from bot.ticks import TickClick

ROOT = Path(__file__).parents[3]
ANSWER = NewAnswer(
    enterprise_id="E1",
    team_id="T1",
    user_id="U1",
    user_name="ana\tñ\\N",
    channel_id="C1",
    transport="socket",
    language="es",
    question="llama-13b\nint8 \\. 'x' \U0001f600",
    request_json='{"model_id":"llama-13b","read_as":"\\u0000 \\ud800"}',
    answer_json='{"schema":"gpusize/1"}',
    package_version="0.1.0",
    catalogue_digest="0123456789abcdef",
)


TENANT = Tenant("T1", "E1")


def saved(title, **details):
    told = Details(title=title, rules=Rules(users=("U0ANA",)), team_id="T1", **details)
    return NewEvent(action=Action.SAVE, user_id="U1", package_version="0.1", answer_id="A-1",
                    request_hash="r", answer_hash="a", details=told)  # fmt: skip


@pytest.fixture
def path(tmp_path, clock):
    path = tmp_path / "gpusize.db"
    log = SqliteLog(path, clock=clock)
    with log.together():
        for number in range(1200):
            log.record_answer(replace(ANSWER, is_private=bool(number % 2), user_id=f"U{number}"))
        log.record_answer(replace(ANSWER, answer_json=None, error_code="unknown_model"))
    for item, chosen in (("ups", {"ups"}), ("ups", set()), ("heat", {"heat"})):
        log.record_ticks(
            TickClick(
                answer_id="A-7",
                items=frozenset({item}),
                chosen=frozenset(chosen),
                seen=2,
                user_id="U1",
            )
        )
    log.first_seen("event:Ev1")
    log.begin_decision(TENANT, saved("Dos tarjetas", project="Búsqueda"))
    log.begin_decision(TENANT, saved("Three cards", model_names=("llama-13b",)))
    log.keep_thread(TENANT, "C1", "1.2", "A-7")
    log.close()
    return path


def rows(connection, table, columns):
    """Return all of a table; a boolean is a number in SQLite."""
    found = connection.execute(f"select {', '.join(columns)} from {table}").fetchall()  # noqa: S608
    plain = (tuple(int(one) if isinstance(one, bool) else one for one in row) for row in found)
    return sorted(plain, key=repr)


@pytest.fixture
def admin(postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def count(connection, table):
    return connection.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608


def test_every_row_arrives_with_its_number_and_its_time(path, postgres_url, admin):
    moved = {table.name: table.rows for table in move_log(path, postgres_url)}
    told = {name: moved[name] for name in ("answers", "seen", "ticks", "decisions", "threads")}
    assert told == {"answers": 1201, "seen": 1, "ticks": 3, "decisions": 2, "threads": 1}
    with sqlite3.connect(path) as file:
        for table in source_tables(file):
            columns = tuple(target_types(admin, table))
            found = rows(admin, table, columns)
            assert (len(found), found) == (moved[table], rows(file, table, columns))
    file.close()


def test_the_log_goes_on_where_it_stood(path, postgres_url, clock):
    move_log(path, postgres_url)
    log = PostgresLog(postgres_url, clock=clock)
    found = log.get_answer("A-1", team_id="T1")
    assert {name: getattr(found, name) for name in vars(ANSWER) if name != "user_id"} == {
        name: value for name, value in vars(ANSWER).items() if name != "user_id"
    }
    assert log.record_answer(ANSWER) == "A-1202"
    assert not log.first_seen("event:Ev1")
    assert [tick.number for tick in log.ticks_of("A-7")] == [1, 2, 3]
    assert len(log.list_answers(team_id="T1", query="ñ llama-13b", limit=2000)) == 0
    assert len(log.list_answers(team_id="T1", query="llama-13b", limit=2000)) == 1201
    log.close()


def test_decisions_are_found_as_before(path, postgres_url):
    move_log(path, postgres_url)
    log, old = PostgresLog(postgres_url), SqliteLog(path)
    sight = Sight(tenant=TENANT)
    for wanted in (
        Wanted(),
        Wanted(text="TARJ dos"),
        Wanted(project="BÚSQUEDA"),
        Wanted(model="llama-13b"),
        Wanted(text="nothing"),
    ):
        assert log.find_decisions(wanted, sight) == old.find_decisions(wanted, sight)
    assert len(log.find_decisions(Wanted(text="tarj"), sight)) == 1
    assert log.events_of(1, sight) == old.events_of(1, sight)
    assert log.thread_subject(TENANT, "C1", "1.2") == "A-7"
    assert log.begin_decision(TENANT, saved("Four cards")).number == 3
    old.close()
    log.close()


def test_both_stores_have_the_same_tables_and_columns(tmp_path, postgres_url, admin):
    """A table that is added to one of them would else be left behind."""
    SqliteLog(tmp_path / "a.db").close()
    PostgresLog(postgres_url).close()
    with sqlite3.connect(tmp_path / "a.db") as file:
        names = source_tables(file)
        columns = {
            name: {column for _, column, *_ in file.execute(f"pragma table_info({name})")}
            for name in names
        }
    file.close()
    held = admin.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
    assert set(names) | {"gpusize_schema"} == {name for (name,) in held}
    assert columns == {name: set(target_types(admin, name)) for name in names}
    assert names.index("answers") < names.index("ticks"), "what is referred to comes first"


def test_a_log_of_a_released_version_moves(tmp_path, postgres_url):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        schema = Path(__file__).parent / "schemas" / "0.1.0.sql"
        old.executescript(schema.read_text(encoding="utf-8"))
    old.close()
    moved = move_log(path, postgres_url)
    assert {table.name: table.rows for table in moved if table.rows} == {"answers": 1, "seen": 1}


def test_an_empty_log_moves(tmp_path, postgres_url):
    SqliteLog(tmp_path / "a.db").close()
    assert {table.rows for table in move_log(tmp_path / "a.db", postgres_url)} == {0}


@pytest.mark.parametrize("kept", ["answer", "delivery"])
def test_a_database_that_holds_something_is_refused(path, postgres_url, admin, kept):
    log = PostgresLog(postgres_url)
    _ = log.record_answer(ANSWER) if kept == "answer" else log.first_seen("event:Ev9")
    log.close()
    with pytest.raises(StorageError) as caught:
        move_log(path, postgres_url)
    assert caught.value.code == "move_not_empty"
    assert count(admin, "answers") + count(admin, "seen") == 1


def test_it_moves_once(path, postgres_url):
    move_log(path, postgres_url)
    with pytest.raises(StorageError, match="move_not_empty"):
        move_log(path, postgres_url)


def fails_at(admin, table, statement):
    admin.execute(
        "create function odd() returns trigger language plpgsql as "
        f"$$ begin {statement}; return new; end $$".encode()
    )
    admin.execute(
        f"create trigger odd before insert on {table} for each row execute function odd()".encode()
    )


@pytest.mark.parametrize(
    ("table", "statement", "code"),
    [
        ("ticks", "raise exception 'x' using errcode = 'disk_full'", "log_disk_full"),
        ("answers", "new.question = new.question || ' '", "move_differs"),
        ("ticks", "if new.id = 2 then return null; end if", "move_differs"),
        ("seen", "new.expires_at = '2026'", "move_differs"),
    ],
)
def test_what_does_not_arrive_whole_leaves_nothing(
    path, postgres_url, admin, table, statement, code
):
    PostgresLog(postgres_url).close()
    fails_at(admin, table, statement)
    with pytest.raises(StorageError) as caught:
        move_log(path, postgres_url)
    assert caught.value.code == code
    assert [count(admin, name) for name in ("answers", "ticks", "seen", "decisions")] == [0] * 4
    with sqlite3.connect(path) as file:
        assert count(file, "answers") == 1201
    file.close()


def test_nobody_writes_to_the_file_meanwhile(path, postgres_url):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(StorageError) as caught:
        move_log(path, postgres_url, busy_s=0.1)
    other.close()
    assert (caught.value.code, caught.value.values["path"]) == ("log_busy", str(path))


def test_a_file_that_is_not_there_is_not_made(tmp_path, postgres_url):
    with pytest.raises(StorageError) as caught:
        move_log(tmp_path / "a.db", postgres_url)
    assert caught.value.code == "move_no_file"
    assert list(tmp_path.iterdir()) == []


def ran(folder, *arguments, **env):
    kept = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-P", "-m", "bot", "migrate-store", *arguments],
        env=kept | env,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("answers: rows 1201,", "The log of")),
        ("es", ("answers: filas 1201,", "El registro")),
    ],
)
def test_the_command_says_what_it_moved(tmp_path, path, postgres_url, language, words):
    done = ran(tmp_path, GPUSIZE_DB=str(path), DATABASE_URL=postgres_url, GPUSIZE_LANG=language)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert any(line.startswith(words[0]) for line in lines)
    assert lines[-1].startswith(words[1])
    assert "not-a-secret" not in done.stdout


def test_the_file_may_be_named(tmp_path, path, postgres_url):
    assert ran(tmp_path, "--from", str(path), DATABASE_URL=postgres_url).returncode == 0


def test_without_an_address_nothing_is_moved(tmp_path, path):
    done = ran(tmp_path, GPUSIZE_DB=str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("DATABASE_URL is not set")
