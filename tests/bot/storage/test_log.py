"""What every log promises, kept in real stores, by threads and by processes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.storage import NewAnswer, answer_number

START = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
ANSWER = NewAnswer(
    team_id="T1",
    user_id="U1",
    user_name="ana",
    channel_id="C1",
    transport="socket",
    language="es",
    question="llama-13b int8",
    request_json='{"model_id":"llama-13b"}',
    answer_json='{"schema":"gpusize/1"}',
    package_version="0.1.0",
    catalogue_digest="0123456789abcdef",
)


@pytest.fixture
def log(store, clock):
    log = store.open(clock=clock)
    yield log
    log.close()


class TestAnswers:
    def test_ids_count_up_from_one(self, log):
        assert [log.record_answer(ANSWER) for _ in range(11)] == [f"A-{n}" for n in range(1, 12)]

    @pytest.mark.parametrize("typed", ["A-1", "a-1", "1", " a1 "])
    def test_an_answer_comes_back_as_it_was_recorded(self, log, typed):
        log.record_answer(ANSWER)
        found = log.get_answer(typed, team_id="T1")
        assert (found.id, found.at) == ("A-1", "2026-11-30T09:30:00.000Z")
        assert {name: getattr(found, name) for name in vars(ANSWER)} == vars(ANSWER)

    @pytest.mark.parametrize("typed", ["A-2", "A-01", "0", "-1", "D-1", "", "1 or 1=1", "9" * 40])
    def test_what_is_no_answer_of_ours_is_none(self, log, typed):
        log.record_answer(ANSWER)
        assert log.get_answer(typed, team_id="T1") is None

    def test_a_workspace_never_sees_another_one(self, log):
        log.record_answer(ANSWER)
        assert log.get_answer("A-1", team_id="T2") is None
        assert log.list_answers(team_id="T2") == ()
        assert log.get_answer("A-1", team_id=None).id == "A-1"

    def test_answers_are_never_changed(self, log, store):
        log.record_answer(ANSWER)
        for statement in ("update answers set question = 'x'", "delete from answers"):
            with pytest.raises(store.refusals, match="append-only"):
                store.execute(statement)

    def test_text_that_is_not_unicode_is_kept_readable(self, log):
        """A terminal hands undecodable bytes over as lone surrogates, which no store takes."""
        log.record_answer(replace(ANSWER, question="llama \udcff <!channel> 'ñ'"))
        assert log.get_answer("1", team_id="T1").question == "llama ? <!channel> 'ñ'"

    def test_nul_is_replaced(self, log):
        log.record_answer(replace(ANSWER, question="llama\0-13b", user_id="U\0", user_name="\0"))
        found = log.get_answer("1", team_id="T1")
        assert (found.question, found.user_id, found.user_name) == ("llama?-13b", "U?", "?")
        assert [one.id for one in log.list_answers(team_id="T1", query="LLAMA\0")] == ["A-1"]
        assert log.get_answer("1", team_id="T1", viewer="U\0") is not None

    def test_a_name_that_is_not_unicode_finds_its_own(self, log):
        odd = replace(ANSWER, user_id="ana \udcff", channel_id=None, is_private=True)
        log.record_answer(odd)
        assert log.list_answers(team_id="T1", viewer="ana \udcff", query="x") == ()
        (found,) = log.list_answers(team_id="T1", viewer="ana \udcff", user="ana \udcff")
        assert found.user_id == "ana ?"

    @pytest.mark.parametrize(
        "text",
        [
            "'; drop table answers; --",
            "x'), (99, 'y') --",
            "%s %(team)s %% :team $1 {} \\'; select 1",
            "E'\\\\' /* $$ */ \u2028 \U0001f600 \r\n\t",
            "\ufffd\uffff\U0010ffff",
        ],
    )
    def test_text_is_never_a_statement(self, log, text):
        names = ("enterprise_id", "user_id", "user_name", "channel_id", "question", "error_code")
        odd = replace(ANSWER, **dict.fromkeys(names, text), request_json=f'["{len(text)}"]')
        log.record_answer(odd)
        found = log.get_answer("1", team_id="T1", viewer=text, channel=text)
        assert {name: getattr(found, name) for name in vars(odd)} == vars(odd)
        assert len(log.list_answers(team_id="T1", query=text, user=text, viewer=text)) == 1
        assert log.get_answer("1", team_id=text, enterprise_id=text, viewer=text) is None
        assert [log.first_seen(text), log.first_seen(text)] == [True, False]
        log.release_seen(text)
        assert log.first_seen(text)
        assert log.record_answer(ANSWER) == "A-2"

    def test_a_long_answer_comes_back_whole(self, log):
        long = replace(ANSWER, answer_json=f'"{"ñ" * 3_000_000}"')
        log.record_answer(long)
        assert log.get_answer("1", team_id="T1").answer_json == long.answer_json


class TestList:
    @pytest.fixture(autouse=True)
    def _answers(self, log):
        for question, model, user in [
            ("llama-13b int8", "llama-13b", "U1"),
            ("7b en 100% fp8", None, "U2"),
            ("Mixtral", "mixtral-8x7b", "U1"),
        ]:
            request = f'{{"model_id":"{model}"}}' if model else "{}"
            log.record_answer(
                replace(ANSWER, question=question, request_json=request, user_id=user)
            )
        log.record_answer(replace(ANSWER, answer_json=None, error_code="unknown_model"))

    @pytest.mark.parametrize(
        ("asked", "ids"),
        [
            ({}, ["A-3", "A-2", "A-1"]),
            ({"limit": 2}, ["A-3", "A-2"]),
            ({"limit": 2, "offset": 2}, ["A-1"]),
            ({"user": "U2"}, ["A-2"]),
            ({"query": "LLAMA"}, ["A-1"]),
            ({"query": "int8 llama"}, ["A-1"]),
            ({"query": "8x7b"}, ["A-3"]),
            ({"query": "100%"}, ["A-2"]),
            ({"query": "1%8"}, []),
            ({"query": "llama_13b"}, []),
            ({"query": "' or 1=1 --"}, []),
            # The same word many times is one word; of many words the first 20 count.
            ({"query": "llama " * 2000}, ["A-1"]),
            ({"query": " ".join(["8x7b"] + ["i" * n for n in range(1, 1100)])}, []),
        ],
    )
    def test_list(self, log, asked, ids):
        """Newest first; errors are kept but not listed; wildcards of SQL are ordinary letters."""
        assert [found.id for found in log.list_answers(team_id="T1", **asked)] == ids

    def test_an_error_is_kept_with_its_code(self, log):
        assert log.get_answer("A-4", team_id="T1").error_code == "unknown_model"


class TestSeen:
    def test_a_delivery_is_new_once(self, log):
        assert [log.first_seen("event:Ev1") for _ in range(3)] == [True, False, False]
        assert log.first_seen("event:Ev2")

    def test_it_is_new_again_when_its_window_is_over(self, log, clock):
        log.first_seen("press", window_s=10)
        clock.now = START + timedelta(seconds=9.999)
        assert not log.first_seen("press", window_s=10)
        clock.now = START + timedelta(seconds=10)
        assert log.first_seen("press", window_s=10)

    def test_old_deliveries_are_purged(self, log, clock, store):
        for number in range(5):
            log.first_seen(f"event:{number}")
        clock.now = START + timedelta(hours=24)
        log.first_seen("event:5")
        assert store.execute("select key from seen") == [("event:5",)]

    def test_a_released_delivery_is_tried_again(self, log):
        log.first_seen("event:Ev1")
        log.release_seen("event:Ev1")
        assert log.first_seen("event:Ev1")

    def test_of_many_threads_one_is_first(self, log):
        with ThreadPoolExecutor(16) as pool:
            firsts = list(pool.map(lambda _: log.first_seen("event:Ev1"), range(64)))
        assert sum(firsts) == 1


class TestTogether:
    def test_a_crash_right_after_the_reply_loses_nothing(self, store):
        child = store.run("print(opened().record_answer(answer('x')), flush=True)\nos._exit(9)")
        assert child.communicate(timeout=30)[0] == "A-1\n"
        assert child.returncode == 9
        log = store.open()
        assert log.get_answer("A-1", team_id=None).question == "x"
        log.close()

    def test_a_crash_in_the_middle_of_a_write_leaves_no_half(self, store):
        child = store.run(
            "log = opened()\n"
            "with log.together():\n"
            "    log.first_seen('k')\n"
            "    log.record_answer(answer('x'))\n"
            "    os._exit(9)"
        )
        assert child.communicate(timeout=30) == ("", None)
        assert child.returncode == 9
        log = store.open()
        assert log.first_seen("k")
        assert log.record_answer(ANSWER) == "A-1", "what was undone leaves no gap"
        log.close()

    def test_processes_that_open_and_write_at_once_lose_nothing(self, store):
        """Four processes make the same new store and write 100 answers each."""
        write = (
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            "log = opened()\n"
            "for n in range(100):\n"
            "    print(log.record_answer(answer(f'{os.getpid()} {n}')))\n"
            "log.close()\n"
        )
        children = [store.run(write) for _ in range(4)]
        assert [child.stdout.readline() for child in children] == ["ready\n"] * 4
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        ids = [line for child in children for line in child.communicate(timeout=60)[0].split()]
        assert [child.returncode for child in children] == [0, 0, 0, 0]
        assert sorted(map(answer_number, ids)) == list(range(1, 401))
        log = store.open()
        kept = log.list_answers(team_id=None, limit=1000)
        assert {answer.question for answer in kept} == {
            f"{child.pid} {n}" for child in children for n in range(100)
        }
        log.close()

    def test_threads_share_one_log(self, log):
        with ThreadPoolExecutor(16) as pool:
            ids = list(pool.map(lambda _: log.record_answer(ANSWER), range(200)))
        assert sorted(map(answer_number, ids)) == list(range(1, 201))

    def test_what_is_together_is_seen_by_its_thread_at_once_and_by_others_at_its_end(
        self, log, store
    ):
        other = store.open()
        with log.together():
            assert log.record_answer(ANSWER) == "A-1"
            assert log.get_answer("A-1", team_id="T1").question == ANSWER.question
            assert other.list_answers(team_id="T1") == ()
        assert other.list_answers(team_id="T1") != ()
        other.close()

    def test_an_error_undoes_all_that_was_together(self, log):
        def broken_off():
            with log.together():
                log.record_answer(ANSWER)
                log.first_seen("event:Ev1")
                raise KeyError

        with pytest.raises(KeyError):
            broken_off()
        assert log.list_answers(team_id="T1") == ()
        assert log.first_seen("event:Ev1")
        assert log.record_answer(ANSWER) == "A-1"

    def test_another_thread_waits_until_all_that_is_together_is_kept(self, log):
        with ThreadPoolExecutor(1) as pool:
            with log.together():
                waiting = pool.submit(log.record_answer, ANSWER)
                assert [log.record_answer(ANSWER) for _ in range(20)][-1] == "A-20"
                assert not waiting.done()
            assert waiting.result(timeout=10) == "A-21"


def test_private_answers_are_for_their_asker(log):
    private = log.record_answer(replace(ANSWER, user_id="U1", is_private=True))
    public = log.record_answer(replace(ANSWER, user_id="U1"))
    for viewer, seen in (("U1", [public, private]), ("U2", [public]), (None, [public, private])):
        found = log.list_answers(team_id=ANSWER.team_id, viewer=viewer, channel="C1")
        assert [answer.id for answer in found] == seen
    assert log.get_answer(private, team_id=ANSWER.team_id, viewer="U2", channel="C1") is None
    assert log.get_answer(private, team_id=ANSWER.team_id, viewer="U1").is_private


@pytest.mark.parametrize(
    ("viewer", "channel", "sees"),
    [
        ("U1", "C1", True),
        ("U1", "C2", True),
        ("U1", None, True),
        ("U2", "C1", True),
        ("U2", "C2", False),
        ("U2", None, False),
        (None, None, True),
    ],
)
def test_others_see_an_answer_in_its_channel_alone(log, viewer, channel, sees):
    log.record_answer(ANSWER)
    place = {"team_id": "T1", "viewer": viewer, "channel": channel}
    assert (log.get_answer("A-1", **place) is not None) is sees
    assert (len(log.list_answers(**place)) == 1) is sees


@pytest.mark.parametrize(
    ("team", "enterprise", "viewer", "ids"),
    [
        ("T1", None, "U1", ["A-1"]),
        ("T1", "E1", "U1", ["A-1"]),
        (None, "E1", "U1", ["A-2"]),
        (None, "E2", "U1", []),
        (None, None, "U1", ["A-3"]),
        (None, None, None, ["A-3", "A-2", "A-1"]),
    ],
)
def test_without_a_workspace_only_the_owner_sees_all(log, team, enterprise, viewer, ids):
    log.record_answer(ANSWER)
    log.record_answer(replace(ANSWER, team_id=None, enterprise_id="E1"))
    log.record_answer(replace(ANSWER, team_id=None))
    place = {"team_id": team, "enterprise_id": enterprise, "viewer": viewer, "channel": "C1"}
    assert [found.id for found in log.list_answers(**place)] == ids
    for number in ("A-1", "A-2", "A-3"):
        assert (log.get_answer(number, **place) is not None) is (number in ids)
