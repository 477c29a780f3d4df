"""What only a log in a database of a server can meet: restarts, refusals, other people's tables."""

import logging
import threading
import time
from urllib.parse import quote

import psycopg
import pytest

from bot.errors import StorageError
from bot.storage import NewAnswer
from bot.storage.postgres import PostgresLog
from bot.ticks import TickClick

ANSWER = NewAnswer(
    team_id="T1",
    user_id="U1",
    transport="socket",
    language="en",
    question="llama-13b int8",
    request_json='{"model_id":"llama-13b"}',
    answer_json="{}",
    package_version="9.9.9",
)


@pytest.fixture
def log(postgres_url):
    log = PostgresLog(postgres_url, busy_s=5)
    yield log
    log.close()


@pytest.fixture
def admin(postgres_url):
    """Return a connection of somebody else to the same database."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def refusal(url, **options):
    with pytest.raises(StorageError) as caught:
        PostgresLog(url, **options)
    return caught.value


class TestRestart:
    def test_it_goes_on_after_the_server_has_been_restarted(self, log, postgres):
        assert log.record_answer(ANSWER) == "A-1"
        postgres.stop()
        postgres.start()
        assert log.record_answer(ANSWER) == "A-2"

    def test_a_write_waits_for_a_server_that_comes_back_in_time(self, log, postgres):
        log.record_answer(ANSWER)
        postgres.stop()
        back = threading.Timer(1, postgres.start)
        back.start()
        assert log.record_answer(ANSWER) == "A-2"
        back.join()

    def test_a_server_that_stays_away_is_named_and_what_was_asked_is_not_kept(
        self, postgres_url, postgres
    ):
        log = PostgresLog(postgres_url, busy_s=1)
        postgres.stop()
        with pytest.raises(StorageError) as caught:
            log.record_answer(ANSWER)
        postgres.start()
        assert caught.value.code == "log_unreachable"
        assert postgres.address in caught.value.values["path"]
        assert log.record_answer(ANSWER) == "A-1"
        log.close()

    def test_after_a_long_absence_the_first_call_is_answered(self, postgres_url, postgres):
        """The pool's own attempts have become rare by then."""
        log = PostgresLog(postgres_url, busy_s=1)
        postgres.stop()
        for _ in range(3):
            with pytest.raises(StorageError):
                log.record_answer(ANSWER)
        postgres.start()
        assert [log.record_answer(ANSWER) for _ in range(3)] == ["A-1", "A-2", "A-3"]
        log.close()

    def test_what_was_together_when_the_server_stopped_is_undone_whole(self, log, postgres):
        def interrupted():
            with log.together():
                log.record_answer(ANSWER)
                postgres.stop()
                postgres.start()

        with pytest.raises(StorageError) as caught:
            interrupted()
        assert caught.value.code == "log_unreachable"
        assert log.list_answers(team_id="T1") == ()
        assert log.record_answer(ANSWER) == "A-1"

    def test_a_connection_that_is_cut_in_a_write_keeps_nothing(self, log, admin):
        def cut():
            with log.together():
                log.record_answer(ANSWER)
                admin.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    "where application_name = 'gpusize' and datname = current_database()"
                )
                log.record_answer(ANSWER)

        with pytest.raises(StorageError) as caught:
            cut()
        assert caught.value.code == "log_unreachable"
        assert log.record_answer(ANSWER) == "A-1"


class TestWaiting:
    def test_another_writer_is_waited_for_and_then_named(self, postgres_url):
        first, second = PostgresLog(postgres_url), PostgresLog(postgres_url, busy_s=1)
        with first.together():
            first.record_answer(ANSWER)
            with pytest.raises(StorageError) as caught:
                second.record_answer(ANSWER)
        assert caught.value.code == "log_busy"
        assert second.record_answer(ANSWER) == "A-2"
        first.close()
        second.close()

    def test_what_fails_in_the_middle_leaves_the_rest_that_is_together(self, postgres_url, admin):
        """A batch shows the answers before a failure: they must be kept, as in SQLite."""
        log = PostgresLog(postgres_url, busy_s=1)
        with log.together():
            log.record_answer(ANSWER)
            with admin.transaction():
                admin.execute("lock table ticks in access exclusive mode")
                click = TickClick(
                    answer_id="A-1",
                    items=frozenset({"ups"}),
                    chosen=frozenset({"ups"}),
                    seen=0,
                    user_id="U1",
                )
                with pytest.raises(StorageError) as caught:
                    log.record_ticks(click)
            log.record_answer(ANSWER)
        assert caught.value.code == "log_busy"
        assert len(log.list_answers(team_id="T1")) == 2
        log.close()

    def test_a_statement_that_takes_too_long_is_ended(self, postgres_url, admin):
        log = PostgresLog(postgres_url, busy_s=1)
        admin.execute(
            "create function slow() returns trigger language plpgsql as "
            "$$ begin perform pg_sleep(20); return new; end $$"
        )
        admin.execute(
            "create trigger slow before insert on answers for each row execute function slow()"
        )
        start = time.monotonic()
        with pytest.raises(StorageError) as caught:
            log.record_answer(ANSWER)
        assert caught.value.code == "log_slow"
        assert time.monotonic() - start < 10
        log.close()

    def test_no_more_than_five_connections_are_made(self, postgres_url, admin):
        log = PostgresLog(postgres_url, busy_s=1)
        refused = []

        def read():
            try:
                log.ticks_of("A-1")
            except StorageError as error:
                refused.append(error.code)

        with admin.transaction():
            admin.execute("lock table ticks in access exclusive mode")
            threads = [threading.Thread(target=read) for _ in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            made = admin.execute(
                "select count(*) from pg_stat_activity where application_name = 'gpusize' "
                "and datname = current_database()"
            ).fetchone()
        assert made[0] <= 5
        assert set(refused) == {"log_busy"}
        assert len(refused) == 12
        log.close()

    def test_more_threads_than_connections_wait_for_each_other(self, log):
        ids = set()
        threads = [
            threading.Thread(target=lambda: ids.add(log.record_answer(ANSWER))) for _ in range(30)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ids == {f"A-{number}" for number in range(1, 31)}


class TestRefusals:
    """Each with its own sentence, and never with the password."""

    def test_a_wrong_password(self, postgres):
        error = refusal(postgres.url(password="s3cret-wrong"))
        assert error.code == "log_refused"
        assert "s3cret" not in str(error)

    def test_an_unknown_user(self, postgres):
        assert refusal(postgres.url(user="nobody-here")).code == "log_refused"

    def test_an_unknown_database(self, postgres):
        error = refusal(postgres.url("nowhere"))
        assert (error.code, error.values["path"]) == (
            "log_no_database",
            f"{postgres.address}/nowhere",
        )

    def test_nobody_listens(self):
        error = refusal("postgresql://ana:s3cret@127.0.0.1:1/log")
        assert (error.code, error.values["path"]) == ("log_unreachable", "127.0.0.1:1/log")
        assert "s3cret" not in str(error)

    def test_a_host_that_has_no_address(self):
        assert refusal("postgres://ana:s3cret@nowhere.invalid/log").code == "log_unreachable"

    def test_tls_that_the_server_does_not_speak(self, postgres_url):
        error = refusal(f"{postgres_url}?sslmode=require")
        assert error.code == "log_unreachable"
        assert "SSL" in error.values["detail"]

    @pytest.mark.parametrize(
        "url",
        [
            "postgres://ana:s3/cret@127.0.0.1/log",
            "postgres://ana:s3cret@127.0.0.1:port/log",
            "postgres://ana:12/s3cret@127.0.0.1/log",
            "postgres://ana:%zzs3cret@127.0.0.1/log",
            "postgres://ana:s3cret@127.0.0.1/log?pass=s3cret",
            "mysql://ana:s3cret@127.0.0.1/log",
        ],
    )
    def test_an_address_that_is_none_is_not_quoted(self, url):
        error = refusal(url)
        assert (error.code, error.__cause__, error.__context__) == ("log_address", None, None)
        assert "cret" not in str(error)

    def test_no_room_for_another_connection(self, postgres, postgres_url, admin):
        log = PostgresLog(postgres_url, busy_s=1)
        limited = f"limited_{admin.info.dbname}"
        admin.execute(f"create role {limited} login password 'x' connection limit 1".encode())
        admin.execute(f"grant all on schema public to {limited}".encode())
        url = postgres.url(admin.info.dbname, user=limited, password="x")
        with psycopg.connect(url):
            assert refusal(url).code == "log_full_house"
        log.close()

    def test_a_user_who_may_not_make_tables(self, postgres, admin):
        poor = f"poor_{admin.info.dbname}"
        admin.execute(f"create role {poor} login password 'x'".encode())
        url = postgres.url(admin.info.dbname, user=poor, password="x")
        assert refusal(url).code == "log_no_rights"

    def test_a_copy_that_only_reads(self, log, postgres_url, admin):
        log.record_answer(ANSWER)
        name = admin.info.dbname
        admin.execute(f"alter database {name} set default_transaction_read_only = on".encode())
        copy = PostgresLog(postgres_url)
        assert copy.get_answer("A-1", team_id="T1") is not None
        with pytest.raises(StorageError) as caught:
            copy.record_answer(ANSWER)
        assert caught.value.code == "log_read_only"
        copy.close()

    def test_a_full_disk(self, log, admin):
        """A server whose disk is full says so in the middle of a statement."""
        admin.execute(
            "create function full_disk() returns trigger language plpgsql as "
            "$$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$"
        )
        admin.execute("create trigger f before insert on seen execute function full_disk()")
        with pytest.raises(StorageError) as caught:
            log.first_seen("event:Ev1")
        assert caught.value.code == "log_disk_full"

    def test_another_encoding(self, postgres, postgres_url, admin):
        name = f"latin_{admin.info.dbname}"
        admin.execute(
            f"create database {name} encoding 'LATIN1' template template0 "
            "lc_collate 'C' lc_ctype 'C'".encode()
        )
        error = refusal(postgres.url(name))
        assert (error.code, error.values["found"]) == ("log_encoding", "LATIN1")

    def test_the_pool_says_nothing_of_the_password(self, postgres, postgres_url, caplog):
        caplog.set_level(logging.DEBUG)
        log = PostgresLog(postgres_url, busy_s=1)
        postgres.stop()
        with pytest.raises(StorageError):
            log.first_seen("k")
        postgres.start()
        log.close()
        assert "not-a-secret" not in caplog.text
        assert caplog.text


class TestAddresses:
    def test_a_password_of_odd_letters(self, postgres, admin):
        odd = "p@ss/w:rd?#%ñ' \\"
        name = f"odd_{admin.info.dbname}"
        quoted = odd.replace("'", "''")
        admin.execute(f"create role {name} login superuser password '{quoted}'".encode())
        url = postgres.url(admin.info.dbname, user=name, password=quote(odd, safe=""))
        log = PostgresLog(url)
        assert log.record_answer(ANSWER) == "A-1"
        log.close()

    def test_a_scheme_in_capitals(self, postgres_url):
        PostgresLog(postgres_url.replace("postgres:", "PostgreSQL:", 1)).close()

    def test_a_schema_of_its_own_beside_other_tables(self, postgres_url, admin):
        admin.execute("create table bookmarks (url text)")
        admin.execute("create schema gpusize")
        log = PostgresLog(f"{postgres_url}?options=-csearch_path%3Dgpusize")
        assert log.record_answer(ANSWER) == "A-1"
        log.close()
        assert admin.execute("select count(*) from gpusize.answers").fetchone() == (1,)
