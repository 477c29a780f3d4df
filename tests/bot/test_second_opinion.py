"""A second opinion in the replies: beside our own figures, in both languages, and in JSON."""

import json
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.assembly import build_service
from bot.cli import read_arguments, run
from bot.contract import reply_contract
from bot.measured_settings import MeasuredSettings
from bot.opinion import OpinionView, SecondOpinion
from bot.reply import Asker, ReplyKind, Transport
from bot.sources.measured import Measured
from bot.storage.sqlite import SqliteLog
from sizing.performance import BoundBy, Confidence, Estimate, Performance

FAKE = Path(__file__).parent / "sources" / "fake_worker.py"
COVERED = "llama 3.1 70b fp8 gpu=4xh100 users=16 in=2000 out=500"
BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = replace(BEN, user_id="U0ANA", user_name="ana", language="es")

OPINION = SecondOpinion(
    source="aiconfigurator-core",
    package_version="0.12.0",
    engine="vllm",
    database_version="0.24.0",
    system="h100_sxm",
    checkpoint="meta-llama/Meta-Llama-3.1-70B",
    concurrent_requests=16,
    input_tokens=2000,
    output_tokens=500,
    ttft_ms=250.0,
    itl_ms=15.0,
    output_tokens_per_s=900.0,
)


def estimate(low, typical, high):
    return Estimate(low=low, typical=typical, high=high)


OURS = Performance(
    confidence=Confidence.HIGH,
    concurrent_requests=16,
    at_saturation=False,
    input_tokens=2000,
    output_tokens=500,
    single_stream_tokens_per_s=estimate(60, 70, 80),
    output_tokens_per_s=estimate(800, 950, 1100),
    total_tokens_per_s=None,
    prefill_tokens_per_s=None,
    requests_per_s=None,
    ttft_ms=estimate(100, 200, 250),
    itl_ms=estimate(12, 14, 16),
    bound_by=BoundBy.WEIGHTS,
    users_per_replica=None,
)


@pytest.fixture
def log(tmp_path):
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


def measured(*behaviour):
    return Measured(MeasuredSettings(20, (sys.executable, str(FAKE), *behaviour)))


@pytest.fixture
def service(log):
    return build_service(log, opinions=measured("figures", "1234.5", "15.2", "987"))


def asks(service, text, asker=BEN):
    return service.handle(text, asker, None)


class TestBeside:
    def test_a_figure_on_the_bound_is_inside(self):
        # 250 ms is the high bound of the time to the first token.
        assert OpinionView(OPINION, OURS).outside == ()

    @pytest.mark.parametrize(
        ("changed", "outside"),
        [
            ({"ttft_ms": 250.1}, ("ttft",)),
            ({"itl_ms": 11.9}, ("itl",)),
            ({"output_tokens_per_s": 1100.5, "itl_ms": 20.0}, ("itl", "output_rate")),
            ({"itl_ms": None, "output_tokens_per_s": None}, ()),
        ],
    )
    def test_what_lies_outside_our_range_is_named(self, changed, outside):
        assert OpinionView(OPINION.model_copy(update=changed), OURS).outside == outside

    def test_with_no_load_asked_rates_are_those_of_one_request(self):
        alone = OURS.model_copy(update={"at_saturation": True, "concurrent_requests": 1})
        rate = OpinionView(OPINION, alone).rows[2]
        assert (rate.name, rate.ours) == ("output_rate", OURS.single_stream_tokens_per_s)

    def test_other_requests_in_flight_are_noticed(self):
        assert not OpinionView(OPINION, OURS).counts_others
        more = OPINION.model_copy(update={"concurrent_requests": 32})
        assert OpinionView(more, OURS).counts_others

    def test_where_we_name_no_speed_nothing_is_outside(self):
        view = OpinionView(OPINION, None)
        assert [row.ours for row in view.rows] == [None, None, None]
        assert (view.outside, view.counts_others) == ((), False)


class TestReply:
    def test_a_button_stands_below_an_answer_that_is_covered(self, service):
        reply = asks(service, COVERED)
        assert [button.action_id for button in reply.actions][:3] == [
            "gpus1.explain", "gpus1.start", "gpus1.opinion",
        ]  # fmt: skip
        assert reply.actions[2].label == "Second opinion"
        assert reply.opinion is None

    @pytest.mark.parametrize("text", ["llama 3.1 70b int8 4xh100", "llama 3.1 70b 1xl40s"])
    def test_there_is_none_where_it_would_lead_nowhere(self, service, text):
        actions = [button.action_id for button in asks(service, text).actions]
        assert "gpus1.opinion" not in actions

    def test_its_page_stands_beside_our_figures(self, service):
        answer = asks(service, COVERED)
        page = service.second_opinion(answer.actions[2].value, BEN)
        ours = answer.answer.options[0].performance
        assert (page.kind, page.private, page.answer_id) == (ReplyKind.OPINION, False, "A-1")
        assert page.markdown.startswith(
            "# Second opinion on Llama 3.1 70B · FP8 on 4 × H100 SXM 80 GB\n"
        )
        rows = [line.split(" | ") for line in page.markdown.splitlines() if line.startswith("| ")]
        assert [row[-1] for row in rows[1:]] == ["1.2 s |", "15 ms |", "990 |"]
        assert page.markdown.count("(") >= 3, "our ranges"
        assert "aiconfigurator-core 0.12.0: kernels of vLLM 0.24.0" in page.markdown
        assert "For 16 requests in flight, prompts of 2,000 and answers of 500" in page.markdown
        # 1.2 s is six times what we say: outside.
        assert ours.ttft_ms.high < 1234.5
        assert "⚠️ Outside the range of gpusize: time to first token (ttft)" in page.markdown

    def test_in_spanish(self, service):
        asks(service, COVERED, ANA)
        page = asks(service, "opinión A-1", ANA)
        assert page.markdown.startswith("# Segunda opinión sobre Llama 3.1 70B · FP8 en 4 × H100")
        assert "| 1,2 s |" in page.markdown
        assert "entradas de 2.000" in page.markdown
        assert page.summary == "Una segunda opinión sobre la velocidad en A-1, Llama 3.1 70B FP8."

    def test_typed_it_is_for_the_asker(self, service):
        asks(service, COVERED)
        assert asks(service, "opinion A-1").private
        assert asks(service, "opinion A-9").error.code == "unknown_answer"

    def test_it_follows_the_language_of_the_page_it_is_asked_on(self, service):
        asks(service, COVERED, ANA)
        shown = asks(service, "show A-1 lang=en", ANA)
        button = next(one for one in shown.actions if one.action_id == "gpus1.opinion")
        assert service.second_opinion(button.value, ANA).language == "en"

    def test_without_a_package_there_is_no_button_and_the_words_say_so(self, log):
        service = build_service(log, opinions=measured("absent"))
        asks(service, COVERED)
        reply = asks(service, "opinion A-1", ANA)
        assert reply.error.code == "opinion_not_installed"
        assert "`pip install aiconfigurator-core==0.12.0`" in reply.markdown
        off = build_service(log)
        assert "gpus1.opinion" not in {one.action_id for one in asks(off, COVERED).actions}
        assert asks(off, "opinion A-1").error.code == "opinion_off"

    def test_a_list_of_models_has_none(self, service):
        reply = asks(service, "what fits 2xl40s")
        assert asks(service, f"opinion {reply.answer_id}").error.code == "lists_models"


class TestTerminal:
    @pytest.fixture
    def ask(self, log):
        def do(*arguments, behaviour=("figures", "200", "15", "1000")):
            @contextmanager
            def opened():
                yield build_service(log, opinions=measured(*behaviour))

            return run(read_arguments(arguments, {}), opened)

        return do

    def test_it_comes_below_the_answer(self, ask, capsys):
        assert ask("--second-opinion", COVERED) == 0
        answer, _, opinion = capsys.readouterr().out.partition("\n# Second opinion on ")
        assert answer.startswith("# Llama 3.1 70B · FP8 → 4 × H100")
        assert "200 ms |" in opinion

    def test_where_there_is_none_the_answer_stands(self, ask, capsys):
        assert ask("--second-opinion", "llama 3.1 8b int8 h100") == 0
        out = capsys.readouterr().out
        assert out.startswith("# Llama 3.1 8B")
        assert out.endswith("⚠️ Not covered by the second opinion: Llama 3.1 8B in INT8.\n")

    def test_a_question_that_is_not_understood_stays_one(self, ask, capsys):
        assert ask("--second-opinion", "llama-12b int8") == 2
        assert "second" not in capsys.readouterr().err

    def test_json_has_every_key_with_and_without_figures(self, ask, capsys):
        def found(*arguments):
            assert ask(*arguments, "--json") == 0
            return json.loads(capsys.readouterr().out)["second_opinion"]

        keys = {*SecondOpinion.model_fields, "error"}
        assert found(COVERED) is None
        covered = found("--second-opinion", COVERED)
        assert covered.keys() == keys
        assert (covered["itl_ms"], covered["error"]) == (15.0, None)
        refused = found("--second-opinion", "gemma 3 27b h100 lang=es")
        assert refused.keys() == keys
        assert {name: value for name, value in refused.items() if value is not None} == {
            "error": {
                "code": "opinion_model",
                "text": "La segunda opinión no cubre este caso: Gemma 3 27B no está entre sus "
                "modelos.",
                "word": None,
                "suggestions": [],
            }
        }
        assert found("opinion", "A-2")["ttft_ms"] == 200.0

    def test_each_line_of_a_file_has_its_own(self, ask, capsys, tmp_path):
        path = tmp_path / "questions.txt"
        path.write_text(f"{COVERED}\nfoo\nllama 3.1 8b int8 h100\n", encoding="utf-8")
        assert ask("--batch", str(path), "--second-opinion", "--json") == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert rows[0]["second_opinion"]["output_tokens_per_s"] == 1000.0
        assert rows[1]["error"]["code"] == "unknown_model"
        assert rows[2]["second_opinion"]["error"]["code"] == "opinion_precision"

    def test_help_names_the_option(self, ask, capsys):
        for language, words in (("en", "beside our own"), ("es", "junto a nuestra")):
            assert ask("--help", "--lang", language) == 0
            lines = capsys.readouterr().out.splitlines()
            assert any("--second-opinion" in line and words in line for line in lines)


def test_our_own_speed_is_left_alone(service):
    reply = asks(service, COVERED)
    ours = reply.answer.options[0].performance
    page = service.second_opinion("A-1", BEN)
    contract = reply_contract(page, service.messages("en"))
    assert contract["options"][0]["performance"] == ours.model_dump(mode="json")
    assert contract["options"][0]["performance"]["source"] == "roofline"
    assert contract["second_opinion"]["source"] == "aiconfigurator-core"
