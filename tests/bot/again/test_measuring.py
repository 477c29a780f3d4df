"""What was measured: read, kept, held against the estimate, listed and exported."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from bot.again.cases import COLUMNS
from bot.decisions.states import Action
from bot.decisions.store import Sight
from bot.errors import StorageError
from bot.grammar.measured_words import measured_in
from bot.held_against import Row
from bot.reply import ReplyKind
from sizing.errors import InvalidRequestError
from tests.bot.again.conftest import says
from tests.bot.decisions.conftest import ANA, BEN, TENANT


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("38 GB 92 tok/s", {"memory_bytes": 38_000_000_000, "output_tokens_per_s": 92}),
        # 38 x 2^30
        ("38GiB", {"memory_bytes": 40_802_189_312}),
        ("22,9 GB", {"memory_bytes": 22_900_000_000}),
        ("15.360 MiB", {"memory_bytes": 16_106_127_360}),
        ("ttft=350ms itl=22ms", {"ttft_ms": 350, "itl_ms": 22}),
        ("ttft=1,2s tpot:30", {"ttft_ms": 1200, "itl_ms": 30}),
        ("25 tok/s/user 8 users", {"user_tokens_per_s": 25, "requests": 8}),
        ("25 tokens/s/usuario, 8 usuarios", {"user_tokens_per_s": 25, "requests": 8}),
        ("1,4 kW", {"power_w": 1400}),
        ("power=350W", {"power_w": 350}),
        ("2.5 s/image", {"seconds_per_image": 2.5}),
        ("memory=38GB tok/s=92", {"memory_bytes": 38_000_000_000, "output_tokens_per_s": 92}),
    ],
)
def test_figures_are_read_with_their_units(text, figures) -> None:
    assert measured_in(text)[0].told == pytest.approx(figures)


def test_words_beside_the_figures_are_a_note() -> None:
    figures, note = measured_in("38 GB with driver 550 and 92 tok/s")
    assert figures.told == {"memory_bytes": 38e9, "output_tokens_per_s": 92}
    assert note == "with driver 550 and"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fast", "no_measurement"),
        ("38 GB 40 GB", "given_twice"),
        ("ttft=soon", "bad_value"),
        ("0 GB", "not_positive"),
        ("-5 GB", "not_positive"),
        ("−5GB", "not_positive"),
        ("92 tok/s -5 GB", "not_positive"),
        ("memory=-5GB", "not_positive"),
        # 99,999,999 x 10^9 bytes are 10^17, a hundred times the most.
        ("99999999 GB", "beyond_measure"),
        ("1000001 GB", "beyond_measure"),
        ("users=1000000001", "beyond_measure"),
    ],
)
def test_what_is_no_measurement(text, reason) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        measured_in(text)
    assert caught.value.values["reason"] == reason


def test_the_bounds_themselves_are_believed() -> None:
    figures, _ = measured_in("1,000,000 GB 1000000000 tok/s")
    assert figures.told == {"memory_bytes": 10**15, "output_tokens_per_s": 1e9}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("actual D-1 -5 GB", "“-5 GB” must be more than zero."),
        ("actual D-1: 99999999 GB", "memory goes up to 1,000,000 GB"),
        ("actual D-1 ttft=soon", "use `ttft=350ms`"),
        ("actual D-1 fast", "What was measured?"),
        ("actual D-1 about -3 GB", "“-3 GB” must be more than zero."),
        ("actual hello", "What was measured?"),
        ("medido hola", "What was measured?"),
        ("measured fast", "What was measured?"),
    ],
)
def test_what_is_wrong_with_a_measurement_is_said(decided, log, text, sentence) -> None:
    assert sentence in says(decided, text).markdown.replace("\\", "")
    assert log.actuals_of(TENANT) == ()


def test_a_question_may_begin_with_the_verb(decided) -> None:
    assert says(decided, "actual memory of llama-13b int8").kind is ReplyKind.ANSWER
    assert says(decided, "real time models h100").kind is not ReplyKind.DECISION


@pytest.mark.parametrize(
    ("row", "error_percent", "is_inside"),
    [
        # 90 of 100 measured is 10 % too low.
        (Row("itl_ms", 100, 90, 80, 110), -10, True),
        (Row("itl_ms", 110, 90, 80, 110), -100 * 20 / 110, True),
        (Row("itl_ms", 111, 90, 80, 110), -100 * 21 / 111, False),
        (Row("itl_ms", 79, 90, 80, 110), 100 * 11 / 79, False),
        (Row("power_w", 100, 150), 50, None),
        (Row("power_w", 100), None, None),
    ],
)
def test_error_and_range(row, error_percent, is_inside) -> None:
    expected = None if error_percent is None else pytest.approx(error_percent)
    assert row.error_percent == expected
    assert row.is_inside is is_inside


def test_a_measurement_stands_beside_the_estimate_and_in_the_events(decided, log) -> None:
    reply = says(decided, "actual D-1 27.7 GB 92 tok/s our test")
    assert reply.kind is ReplyKind.DECISION
    (told,) = (one for one in reply.data["actual"]["figures"] if one["figure"] == "memory_bytes")
    assert (told["measured"], told["is_inside"]) == (27_700_000_000, True)
    assert abs(told["error_percent"]) < 1
    assert "| Memory of a GPU | 27.7 GB | 27.7 GB" in reply.markdown
    (event,) = log.events_of(1, Sight(tenant=TENANT))[3:]
    assert event.action is Action.ACTUAL
    assert event.details.data["note"] == "our test"
    (kept,) = log.actuals_of(TENANT)
    assert (kept.number, kept.answer_id, kept.decision_id) == (1, "A-1", 1)
    spanish = says(decided, "medido D-1 27,7 GB lang=es").markdown
    assert "| Memoria de una GPU | 27,7 GB | 27,7 GB" in spanish


def test_memory_is_held_against_what_the_engine_reserves_where_that_is_nearer(decided) -> None:
    """vLLM takes its whole share: on the decided card a monitor shows far more than the need."""
    option = says(decided, "show A-1").answer.options[0]
    reserved = option.per_gpu.reserved_bytes
    reply = says(decided, f"actual A-1 {reserved / 1e9:.2f} GB")
    (figure,) = reply.data["actuals"][0]["figures"]
    assert (figure["figure"], figure["is_inside"]) == ("reserved", None)
    assert figure["error_percent"] == pytest.approx(0, abs=0.1)


def test_in_a_thread_it_needs_no_name(decided, log) -> None:
    log.keep_thread(TENANT, "C1", "18.1", "A-1")
    reply = says(decided, "actual 38 GB", replace(BEN, thread_ts="18.1"))
    assert reply.kind is ReplyKind.ACTUALS
    assert [one.decision_id for one in log.actuals_of(TENANT)] == [None]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("actual 38 GB", "nothing_here"),
        ("actual D-1 fast", "invalid_request"),
        ("actual A-99 38 GB", "unknown_answer"),
        ("actual D-9 38 GB", "unknown_decision"),
    ],
)
def test_what_cannot_be_kept_is_said(decided, log, text, code) -> None:
    assert says(decided, text).error.code == code
    assert log.actuals_of(TENANT) == ()


def test_a_list_shows_what_a_person_may_see(decided, log) -> None:
    says(decided, "llama-3.1-8b fp8 --private gpu=l4")
    says(decided, "actual A-2 10 GB")
    says(decided, "actual D-1 38 GB")
    assert len(says(decided, "actuals").data["actuals"]) == 2
    # Ana sees the decision, not the private answer; another workspace sees nothing.
    assert [one["answer_id"] for one in says(decided, "mediciones", ANA).data["actuals"]] == ["A-1"]
    other = replace(BEN, team_id="T2")
    assert says(decided, "actuals", other).data["actuals"] == []
    found = says(decided, "actuals llama 3.1")
    assert [one["model"] for one in found.data["actuals"]] == ["Llama 3.1 8B"]
    assert "Nothing was measured yet of “mistral”" in says(decided, "actuals mistral").markdown


def test_measurements_are_handed_on_as_cases(decided) -> None:
    says(decided, "llama-3.1-8b fp8 gpu=l4 users=4")
    says(decided, "actual A-2 12 GB 150 tok/s 40 tok/s/user =HYPERLINK(1)")
    files = says(decided, "actuals").files
    rows = list(csv.DictReader(io.StringIO(files[".csv"]().decode())))
    assert tuple(rows[0]) == COLUMNS
    told = [(row["figure"], row["value"], row["concurrency"], row["gpu"]) for row in rows]
    # A request among four others gets a token every 1000 / 40 = 25 ms.
    assert told == [("output_tokens_per_s", "150.0", "4", "l4"), ("itl_ms", "25.0", "4", "l4")]
    assert {row["note"] for row in rows} == {"'=HYPERLINK(1)"}
    assert {row["model"] for row in rows} == {"meta-llama/Llama-3.1-8B-Instruct"}
    (line,) = map(json.loads, files[".jsonl"]().decode().splitlines())
    # 12e9 / 2^30
    assert line["check"] == {"total_gib": 11.176}
    assert line["bot_input"] == "llama-3.1-8b fp8 gpu=l4 users=4"


@pytest.mark.parametrize(
    ("line", "ending", "expected"),
    [
        ("actuals lang=en", ".csv", ("rows: 2.", "A-2 Memory of a GPU; A-2 Requests at once.")),
        ("actuals lang=en", ".jsonl", ("lines: 1.", "A-2 Output tokens/s, all together; ")),
        ("mediciones lang=es", ".csv", ("filas: 2.", "A-2 Memoria de una GPU; ")),
    ],
)
def test_what_a_file_of_cases_holds_is_said(decided, line, ending, expected) -> None:
    says(decided, "llama-3.1-8b fp8 gpu=l4 users=4")
    says(decided, "actual A-2 12 GB 150 tok/s 40 tok/s/user 4 requests")
    reply = says(decided, line)
    assert reply.error is None
    rows = reply.files[ending]().decode().splitlines()[ending == ".csv" :]
    written, left = reply.handed[ending](f"cases{ending}").splitlines()
    assert written.endswith(f" cases{ending}, {expected[0]}")
    assert f"{len(rows)}." in written
    assert expected[1] in left


def test_a_file_that_holds_all_leaves_nothing_out(decided) -> None:
    says(decided, "actual A-1 92 tok/s")
    assert says(decided, "actuals").handed[".csv"]("x.csv") == "Written: x.csv, rows: 1."


def test_columns_are_those_of_the_cases() -> None:
    from pathlib import Path

    folder = Path(__file__).parents[2] / "accuracy" / "cases" / "speed"
    with (folder / "measured.csv").open(encoding="utf-8") as file:
        assert tuple(next(csv.reader(file))) == COLUMNS


def test_measurements_are_never_rewritten(decided, log) -> None:
    says(decided, "actual D-1 38 GB")
    with pytest.raises(StorageError, match="append-only"), log._writing() as tables:
        tables.decisions._connection.execute("update actuals set note = 'x'")
