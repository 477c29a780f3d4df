"""Variants side by side, with the real catalogue and a real log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.cli import read_arguments, run
from bot.comparison import comparison_of
from bot.contract import reply_contract
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from bot.wordless import Wordless
from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.performance import Estimate
from sizing.request import GpuChoice, SizingRequest

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
QUESTION = "compare llama-3.1-70b fp8 4xh100 users=20 in=2000 out=400 | int4 2xl40s"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def service(catalogue: Catalogue, log: SqliteLog) -> Service:
    return Service(catalogue, log, Renderer(catalogue))


def asks(service: Service, text: str = QUESTION, asker: Asker = BEN) -> Reply:
    return service.handle(text, asker, None)


def rows(page: str) -> dict[str, list[str]]:
    """Return the cells of each row of the table, by its first."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: row[1:] for row in cells}


def test_the_table_says_what_each_answer_says(service, catalogue) -> None:
    reply = asks(service)
    assert (reply.kind, reply.private) == (ReplyKind.COMPARE, False)
    table = rows(reply.markdown)
    assert table[""] == ["A: FP8 · 4 × H100 SXM 80 GB", "B: INT4 · 2 × L40S 48 GB"]
    assert table["Answer"] == ["A-1", "A-2"]
    numbers = service.messages("en").numbers
    for place, precision, gpu, count in ((0, "fp8", "h100-sxm", 4), (1, "int4", "l40s", 2)):
        request = SizingRequest(
            model_id="llama-3.1-70b",
            precision=precision,
            context_tokens=2400,
            input_tokens=2000,
            output_tokens=400,
            concurrent_requests=20,
            gpus=(GpuChoice(gpu=gpu, count=count),),
        )
        first = size(request, catalogue).options[0]
        speed, price = first.performance, first.price
        column = {name: cells[place] for name, cells in table.items()}
        assert column["Verdict"] == "✅ Fits"
        assert column["Each GPU needs"] == numbers.gb(first.per_gpu.need_bytes)
        assert column["Requests at once"] == numbers.count(first.max_concurrent_requests)
        assert column["Output tokens/s"] == numbers.about(speed.output_tokens_per_s.typical)
        assert column["First token after"] == numbers.about_ms(speed.ttft_ms.typical)
        assert column["Between tokens"] == numbers.about_ms(speed.itl_ms.typical)
        rented = price.rented_usd_per_million_tokens.typical
        assert column["USD per million output tokens, rented"] == numbers.about(rented)
        owned = price.owned_usd_per_million_tokens.typical
        assert column["The same, bought"] == numbers.about(owned)


def test_each_variant_is_logged_and_can_be_read_again(service, log) -> None:
    asks(service)
    for answer_id, precision in (("A-1", "fp8"), ("A-2", "int4")):
        row = log.get_answer(answer_id, team_id="T1")
        assert row is not None
        assert row.question == QUESTION
        assert SizingAnswer.model_validate_json(row.answer_json).understood.precision == precision
        shown = asks(service, f"show {answer_id}").markdown
        assert answer_id in shown
        assert asks(service, f"explain {answer_id}").kind is ReplyKind.EXPLAIN


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        "compare llama-3.1-8b | 13b | 70b | mixtral-8x7b",
        "compare deepseek-r1 | gpu=t4 | 8xh200",
        "comparar llama 70b q4_k_m 2x4090 | 1xa100-80 awq | vllm int4",
        "compare 8b qlora | lora",
        "compare sdxl | flux.1-dev",
        "compare llama-13b 1xt4 | 1xt4+1xl4",
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_slack_takes_every_comparison(service, text, language) -> None:
    reply = asks(service, text, replace(BEN, language=language))
    assert reply.kind is ReplyKind.COMPARE
    message = to_message(reply)
    assert_valid("message", message)
    assert sum(block["type"] == "table" for block in message["blocks"]) == 1
    assert len(message["blocks"]) <= 7
    assert reply.summary.count("\n") == 0


def test_in_spanish(service) -> None:
    page = asks(service, f"{QUESTION} lang=es").markdown
    assert page.startswith("# Llama 3.1 70B: 2 variantes\n")
    assert "USD por millón de tokens de salida, en alquiler" in page
    assert "Lo que una variante no dice se toma de A." in page


def test_buttons_ask_about_one_variant(service) -> None:
    buttons = asks(service).actions
    assert [button.label for button in buttons] == [
        "A: Llama 3.1 70B · FP8",
        "B: Llama 3.1 70B · INT4",
    ]
    assert asks(service, buttons[1].value).answer.options[0].gpu == "l40s"


def test_a_private_comparison_stays_private(service) -> None:
    reply = asks(service, f"{QUESTION} --private")
    assert reply.private
    assert all(button.value.endswith("--private") for button in reply.actions)


def test_a_variant_that_is_not_understood_is_told_to_the_asker_alone(service) -> None:
    unknown = asks(service, "compare llama-13b int8 | gpu=foo-9000")
    assert (unknown.kind, unknown.private) == (ReplyKind.ERROR, True)
    assert "foo-9000" in unknown.markdown
    single = asks(service, "compare llama-13b")
    assert (single.kind, single.private) == (ReplyKind.ERROR, True)
    assert "compare llama-70b fp8 4xh100 | int4 2xl40s" in single.markdown


def test_programs_get_both_answers_whole(service) -> None:
    reply = asks(service)
    contract = json.loads(json.dumps(reply_contract(reply, service.messages("en"))))
    assert contract["schema"] == "gpusize-compare/1"
    first, second = contract["variants"]
    assert (first["schema"], first["answer_id"], second["answer_id"]) == ("gpusize/1", "A-1", "A-2")
    assert second["understood"]["precision"] == "int4"
    assert second["options"][0]["gpu"] == "l40s"


def test_the_terminal_prints_it(catalogue, log, capsys) -> None:
    service = Service(catalogue, log, Renderer(catalogue))
    assert run(read_arguments([QUESTION], {}), lambda: nullcontext(service)) == 0
    assert "A: FP8 · 4 × H100 SXM 80 GB" in capsys.readouterr().out
    silent = Service(catalogue, log, Wordless(catalogue))
    assert run(read_arguments([QUESTION, "--json"], {}), lambda: nullcontext(silent)) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "gpusize-compare/1"


def _variant(catalogue: Catalogue, *, usd: float | None, held: int = 10) -> SizingAnswer:
    """Return an answer whose token costs `usd` rented, None where nobody rents it."""
    request = SizingRequest(
        model_id="llama-3.1-8b",
        concurrent_requests=1,
        gpus=(GpuChoice(gpu="h100-sxm", count=1),),
    )
    answer = size(request, catalogue)
    first = answer.options[0]
    told = usd and Estimate(low=usd, typical=usd, high=usd)
    price = first.price.model_copy(update={"rented_usd_per_million_tokens": told})
    first = first.model_copy(update={"price": price, "max_concurrent_requests": held})
    return answer.model_copy(update={"options": (first,)})


def _best(*answers: SizingAnswer) -> dict[str, str]:
    view = comparison_of(tuple((answer, f"A-{place}") for place, answer in enumerate(answers)))
    return {code: variant.letter for code, variant in view.best}


def test_the_best_is_named(catalogue) -> None:
    found = _best(_variant(catalogue, usd=2.0, held=9), _variant(catalogue, usd=1.0, held=8))
    assert (found["cheapest_rented"], found["widest"]) == ("B", "A")


def test_equals_are_not_ranked(catalogue) -> None:
    assert _best(_variant(catalogue, usd=2.0), _variant(catalogue, usd=2.0)) == {}


def test_nothing_is_cheapest_beside_what_has_no_price(catalogue) -> None:
    """The one without a price may be cheaper."""
    found = _best(_variant(catalogue, usd=2.0, held=9), _variant(catalogue, usd=None))
    assert found == {"widest": "B"}


def test_a_variant_that_does_not_run_is_not_best(service) -> None:
    """An A100 holds it; a T4, cheaper an hour, does not: there is nothing to rank."""
    reply = asks(service, "compare llama-3.1-8b fp16 1xa100-80 users=4 | 1xt4")
    assert "❌" in reply.markdown
    assert "**Cheapest" not in reply.markdown


def test_a_variant_without_any_set_shows_dashes(service) -> None:
    reply = asks(service, "compare llama-3.1-70b fp16 1xh100 | deepseek-r1 gpus<=1")
    assert reply.kind is ReplyKind.COMPARE
    assert_valid("message", to_message(reply))


class TestCurves:
    def test_each_variant_has_its_curve_in_json(self, service) -> None:
        reply = asks(service)
        for variant in reply_contract(reply, service.messages("en"))["variants"]:
            most = variant["options"][0]["max_concurrent_requests"]
            counts = [point["concurrent_requests"] for point in variant["curve"]]
            assert counts[0] == 1
            assert counts[-1] == most
            assert variant["curve"][0].keys() == {
                "concurrent_requests", "itl_ms", "output_tokens_per_s",
            }  # fmt: skip

    def test_slack_gets_a_chart_between_table_and_buttons(self, service) -> None:
        message = to_message(asks(service))
        assert_valid("message", message)
        kinds = [block["type"] for block in message["blocks"]]
        assert kinds[-2:] == ["data_visualization", "actions"]
        series = message["blocks"][-2]["chart"]["series"]
        assert [one["name"] for one in series] == ["A: FP8", "B: INT4"]

    def test_a_variant_without_speed_is_left_out(self, service) -> None:
        reply = asks(service, "compare llama-8b bf16 1xl40s | q4_k_m 1x4090 | fp8 1xl4")
        assert [one.name for one in reply.charts[0].series] == ["A: BF16", "C: FP8"]
        assert reply.charts[0].alt_text.startswith("Output tokens per second against")

    def test_a_lone_curve_is_no_comparison(self, service) -> None:
        assert asks(service, "compare llama-8b bf16 1xl40s | q4_k_m 1x4090").charts == ()


class TestPictures:
    @pytest.fixture
    def ask(self, service):
        def ask(*arguments: str) -> int:
            return run(read_arguments(arguments, {}), lambda: nullcontext(service))

        return ask

    def test_the_terminal_draws_one_and_shows_the_points(self, ask, tmp_path, capsys) -> None:
        file = tmp_path / "out.png"
        assert ask(QUESTION, "--chart", str(file)) == 0
        assert file.read_bytes().startswith(b"\x89PNG")
        page = capsys.readouterr().out
        assert "**Output tokens/s by time between tokens**" in page
        assert "| Time between tokens | A: FP8 | B: INT4 |" in page

    def test_in_spanish(self, ask, tmp_path, capsys) -> None:
        assert ask(QUESTION, "--lang", "es", "--chart", str(tmp_path / "a.png")) == 0
        assert "| Tiempo entre tokens | A: FP8 | B: INT4 |" in capsys.readouterr().out

    @pytest.mark.parametrize("arguments", [("llama-8b",), ("gpus",)])
    def test_where_there_is_nothing_to_draw(self, ask, tmp_path, capsys, arguments) -> None:
        file = tmp_path / "out.png"
        assert ask(*arguments, "--chart", str(file)) == 2
        assert not file.exists()
        assert "nothing to draw" in capsys.readouterr().err

    def test_a_file_of_questions_has_no_picture(self, ask, tmp_path, capsys) -> None:
        questions = tmp_path / "questions.txt"
        questions.write_text(QUESTION, encoding="utf-8")
        assert ask("--batch", str(questions), "--chart", str(tmp_path / "out.png")) == 2
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize("name", ["", "no/such/folder.png"])
    def test_where_it_cannot_be_written(self, ask, tmp_path, capsys, monkeypatch, name) -> None:
        monkeypatch.chdir(tmp_path)
        arguments = [QUESTION, "--chart"] + ([name] if name else [])
        assert ask(*arguments) == 2
        assert "cannot write the picture" in capsys.readouterr().err
