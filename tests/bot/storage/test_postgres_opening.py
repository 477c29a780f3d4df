"""What happens when the log's database is empty, old, newer, or somebody else's."""

import hashlib
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from bot.errors import StorageError
from bot.storage import NewAnswer
from bot.storage.postgres import PostgresLog, migrations
from bot.storage.postgres.migrations import STEPS, apply_steps

ROOT = Path(__file__).parents[3]
ANSWER = NewAnswer(
    user_id="U1", transport="terminal", language="en", question="7b", package_version="9.9.9"
)
OBJECTS = """
select 'column', table_name, column_name, data_type || ' ' || is_nullable || ' ' ||
    coalesce(collation_name, '') || ' ' || coalesce(generation_expression, '')
from information_schema.columns where table_schema = 'public'
union all select 'index', tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
union all select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid)
from pg_trigger where not tgisinternal
union all select 'function', proname, '', prosrc
from pg_proc where pronamespace = 'public'::regnamespace
union all select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
from pg_constraint where connamespace = 'public'::regnamespace
order by 1, 2, 3
"""


@pytest.fixture
def admin(postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def refusal(url):
    with pytest.raises(StorageError) as caught:
        PostgresLog(url)
    return caught.value


def objects(connection):
    return connection.execute(OBJECTS).fetchall()


def steps(connection):
    return [
        name for (name,) in connection.execute("select name from gpusize_schema order by number")
    ]


@pytest.mark.parametrize("number", range(1, len(STEPS)))
def test_every_earlier_schema_is_brought_forward(
    number, postgres, postgres_url, admin, monkeypatch
):
    """Each number of steps was once the newest; what stands in it is kept."""
    with admin.transaction(), monkeypatch.context() as earlier:
        earlier.setattr(migrations, "STEPS", STEPS[:number])
        apply_steps(admin, 0)
    admin.execute(
        "insert into answers (id, at, user_id, transport, language, is_private, question, "
        "package_version) values (1, '2026', 'U1', 'socket', 'en', false, 'llama', '0.1.0')"
    )
    log = PostgresLog(postgres_url)
    assert log.get_answer("A-1", team_id=None).question == "llama"
    assert log.record_answer(ANSWER) == "A-2"
    log.close()
    assert steps(admin) == [name for name, _ in STEPS]
    admin.execute("create database fresh_of_" + admin.info.dbname)
    fresh_url = postgres.url("fresh_of_" + admin.info.dbname)
    PostgresLog(fresh_url).close()
    with psycopg.connect(fresh_url) as fresh:
        assert objects(admin) == objects(fresh)


def test_eight_processes_that_start_at_once_migrate_once(postgres_url, admin):
    code = (
        "import sys; from bot.storage.postgres import PostgresLog; print('ready', flush=True);"
        "sys.stdin.readline(); PostgresLog(sys.argv[1]).close()"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, postgres_url],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    assert {child.stdout.readline() for child in children} == {"ready\n"}
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 8
    assert steps(admin) == [name for name, _ in STEPS]


def test_a_failed_step_leaves_the_database_as_it_was(postgres_url, admin, monkeypatch):
    broken = (*STEPS, ("999_broken", "create table x (y integer); select 1 / 0"))
    monkeypatch.setattr(migrations, "STEPS", broken)
    assert refusal(postgres_url).code == "log_failed"
    assert objects(admin) == []


def test_a_newer_log_is_left_alone(postgres_url, admin):
    PostgresLog(postgres_url).close()
    admin.execute("insert into gpusize_schema values (99, '099_later')")
    before = objects(admin)
    error = refusal(postgres_url)
    assert (error.code, error.values["found"], error.values["known"]) == (
        "log_newer",
        99,
        len(STEPS),
    )
    assert objects(admin) == before


@pytest.mark.parametrize(
    "statement",
    ["create table bookmarks (url text)", "create view places as select 1 as x"],
)
def test_somebody_elses_database_is_left_alone(postgres_url, admin, statement):
    admin.execute(statement)
    before = objects(admin)
    assert refusal(postgres_url).code == "log_strange_tables"
    assert objects(admin) == before


def test_answers_outlive_even_a_truncation(postgres_url, admin):
    log = PostgresLog(postgres_url)
    log.record_answer(ANSWER)
    log.close()
    with pytest.raises(psycopg.IntegrityError, match="append-only"):
        admin.execute("truncate answers cascade")


def test_the_released_steps_are_what_they_were():
    """Databases in use have run them: new ones are added at the end, none is edited."""
    digests = {name: hashlib.sha256(sql.encode()).hexdigest()[:12] for name, sql in STEPS}
    released = {
        "001_answers": "1f8321bd0a89",
        "002_seen": "9cfe4c42943e",
        "003_ticks": "4f5b98c22562",
    }
    assert dict(list(digests.items())[: len(released)]) == released
    assert [int(name[:3]) for name, _ in STEPS] == list(range(1, len(STEPS) + 1))
