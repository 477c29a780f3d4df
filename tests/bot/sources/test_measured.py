"""Second opinions: which questions are put, and what a process of any manners leads to.

Nothing here needs aiconfigurator-core; what does is in test_measured_kernels.py.
"""

import json
import os
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import pytest

from bot.command import Grammar
from bot.errors import CodedError
from bot.labels import Labels
from bot.measured_settings import MeasuredSettings
from bot.messages import load_messages
from bot.sources.measured import WORKER, Measured
from bot.sources.measured_cases import Question, question_of
from bot.sources.measured_models import (
    CACHES,
    CHECKPOINTS,
    ENGINES,
    FORMATS,
    PACKAGE,
    RELEASE,
    SIXTEEN_BITS,
    SYSTEMS,
)
from sizing.engine import size

FAKE = Path(__file__).with_name("fake_worker.py")
ROOT = Path(__file__).parents[3]
COVERED = "llama 3.1 70b fp8 gpu=4xh100 users=16 in=2000 out=500"


@pytest.fixture(scope="module")
def answer_to(catalogue):
    grammar = Grammar(catalogue)
    return lambda text: size(grammar.parse(text).request, catalogue)


def asking(*behaviour, limit_s=20.0):
    return Measured(MeasuredSettings(limit_s, (sys.executable, str(FAKE), *behaviour)))


def refused(opinions, answer):
    with pytest.raises(CodedError) as caught:
        opinions.opinion(answer)
    return caught.value


class TestQuestion:
    def test_a_case_in_the_words_of_the_package(self, answer_to):
        # 16 requests on one replica of one stage and one copy of the attention.
        assert question_of(answer_to(COVERED)) == Question(
            checkpoint="meta-llama/Meta-Llama-3.1-70B",
            system="h100_sxm",
            engine="vllm",
            number_format="fp8",
            cache_format="bfloat16",
            tensor_parallel=4,
            pipeline_parallel=1,
            data_parallel=1,
            expert_tensor_parallel=4,
            expert_parallel=1,
            batch=16,
            input_tokens=2000,
            output_tokens=500,
            step_tokens=2000,
        )

    @pytest.mark.parametrize(
        ("text", "split"),
        [
            # tensor x data parallel = ranks that cut experts x ranks that share them out.
            ("deepseek v3 8xh200 users=32", (8, 1, 8, 1)),
            ("deepseek v3 8xh200 dp=8 users=32", (1, 8, 1, 8)),
            ("qwen3-30b-a3b 2xh100", (2, 1, 2, 1)),
            ("qwen3-30b-a3b ep=2 2xh100", (2, 1, 1, 2)),
        ],
    )
    def test_the_split_of_experts_is_always_given(self, answer_to, text, split):
        asked = question_of(answer_to(text))
        tensor, data, cut, shared = split
        assert (asked.tensor_parallel, asked.data_parallel) == (tensor, data)
        assert (asked.expert_tensor_parallel, asked.expert_parallel) == (cut, shared)
        assert tensor * data == cut * shared

    @pytest.mark.parametrize(
        ("text", "batch"),
        [
            ("llama 70b fp8 pp=2 tp=2 4xh100 users=16", 8),  # 16 / 2 stages
            ("deepseek v3 8xh200 dp=8 users=32", 4),  # 32 / 8 copies of the attention
            ("llama 8b tp=1 dp=4 4xh100 users=64", 16),  # 64 / 4 replicas
            ("deepseek v3 8xh200 dp=8 users=9", 2),  # 9 / 8, rounded up
            ("llama 8b h100", 1),
        ],
    )
    def test_requests_are_counted_for_each_part(self, answer_to, text, batch):
        assert question_of(answer_to(text)).batch == batch

    def test_where_we_name_no_speed_the_load_is_the_asked_one(self, answer_to):
        answer = answer_to("llama 3.1 405b bf16 16xh100 users=16")
        assert answer.options[0].performance is None
        asked = question_of(answer)
        # 4,096 tokens by default, a quarter of them written; two stages.
        assert (asked.input_tokens, asked.output_tokens) == (3072, 1024)
        assert asked.batch * asked.pipeline_parallel == 16

    @pytest.mark.parametrize(
        ("text", "checkpoint", "number_format"),
        [
            ("llama 3.1 8b fp16 h100", "meta-llama/Meta-Llama-3.1-8B", None),
            ("llama 3.3 70b 4xh100", "meta-llama/Meta-Llama-3.1-70B", None),
            ("llama 3.1 70b nvfp4 b200", "meta-llama/Meta-Llama-3.1-70B", "nvfp4"),
            # Published in blocks: what the package brings is asked as it stands.
            ("qwen3-30b-a3b fp8-block h100", "Qwen/Qwen3-30B-A3B-FP8", None),
            ("gpt-oss-120b 2xh100", "openai/gpt-oss-120b", None),
        ],
    )
    def test_the_configuration_has_the_format_or_is_told_it(
        self, answer_to, text, checkpoint, number_format
    ):
        asked = question_of(answer_to(text))
        assert (asked.checkpoint, asked.number_format) == (checkpoint, number_format)

    def test_a_step_takes_the_prompt_or_what_was_named(self, answer_to):
        assert question_of(answer_to("llama 8b h100 in=4000 out=96")).step_tokens == 4000
        named = question_of(answer_to("llama 8b h100 in=4000 out=96 batched=1024"))
        assert named.step_tokens == 1024

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("llama 70b bf16 1xl40s", "opinion_does_not_fit"),
            ("llama 70b bf16 1xh100 users=4", "opinion_does_not_fit"),
            ("llama 8b qlora 1xh100", "opinion_training"),
            ("llama 8b gpu=rtx4090", "opinion_gpu"),
            ("llama 8b gpu=h100-pcie", "opinion_gpu"),
            ("llama 8b gpu=mi300x", "opinion_gpu"),
            ("llama 8b h100 engine=llamacpp", "opinion_engine"),
            ("llama 8b h100 engine=nim", "opinion_engine"),
            ("gemma 3 27b h100", "opinion_model"),
            ("gemma 2 9b h100", "opinion_model"),
            ("13b int8 h100", "opinion_model"),
            ("sdxl h100", "opinion_model"),
            ("llama 8b int8 h100", "opinion_precision"),
            ("llama 8b awq h100", "opinion_precision"),
            ("deepseek v3 bf16 gpu=16xh200", "opinion_precision"),
            ("llama 8b fp8 kv=int4 gpu=h100 engine=lmdeploy", "opinion_engine"),
            ("llama 8b h100 loras=4", "opinion_setting"),
            ("llama 8b h100 --enforce-eager", "opinion_setting"),
            ("llama 8b h100:3g.40gb", "opinion_setting"),
            ("llama 8b 1x3090+1x4090", "opinion_setting"),
        ],
    )
    def test_what_is_not_covered_is_said_and_nothing_is_started(
        self, answer_to, catalogue, text, code
    ):
        opinions = Measured(MeasuredSettings(5, ("/nonexistent",)))
        error = refused(opinions, answer_to(text))
        assert error.code == code
        assert not opinions.covers(answer_to(text))
        english, spanish = (
            load_messages(one, Labels(catalogue)).error(error) for one in ("en", "es")
        )
        assert english.startswith(("Not covered by the second opinion: ", "No second opinion: "))
        assert spanish.startswith(("La segunda opinión no cubre ", "No hay segunda opinión: "))
        assert english.count(". ") == 0, "one sentence"

    def test_the_sentence_names_what_is_not_covered(self, answer_to, catalogue):
        messages = load_messages("en", Labels(catalogue))
        error = refused(asking("crash"), answer_to("llama 8b gpu=rtx4090"))
        assert "kernels on GeForce RTX 4090 24 GB were not measured" in messages.error(error)


class TestProcess:
    def test_its_figures_become_an_opinion(self, answer_to):
        found = asking("figures", "250", "12.5", "800").opinion(answer_to(COVERED))
        assert found.model_dump() == {
            "source": "aiconfigurator-core",
            "package_version": "0.12.0",
            "engine": "vllm",
            "database_version": "0.24.0",
            "system": "h100_sxm",
            "checkpoint": "meta-llama/Meta-Llama-3.1-70B",
            "concurrent_requests": 16,
            "input_tokens": 2000,
            "output_tokens": 500,
            "ttft_ms": 250.0,
            "itl_ms": 12.5,
            "output_tokens_per_s": 800.0,
        }

    def test_copies_of_the_model_add_up(self, answer_to):
        found = asking("figures").opinion(answer_to("llama 8b tp=1 dp=4 4xh100 users=64"))
        # 4 copies, 16 requests and 1,000 tokens per second each.
        assert (found.concurrent_requests, found.output_tokens_per_s) == (64, 4000.0)

    def test_an_answer_of_one_token_has_no_time_between_two(self, answer_to):
        answer = answer_to("llama 8b h100 in=1000 out=1")
        found = asking("figures", "90", "0", "0").opinion(answer)
        assert (found.ttft_ms, found.itl_ms, found.output_tokens_per_s) == (90.0, None, None)

    def test_a_process_that_hangs_is_killed(self, answer_to, tmp_path):
        note, started = tmp_path / "pid", time.monotonic()
        error = refused(asking("hang", str(note), limit_s=2), answer_to(COVERED))
        assert (error.code, error.values["limit_s"]) == ("opinion_late", 2)
        assert time.monotonic() - started < 10
        with pytest.raises(ProcessLookupError):
            os.kill(int(note.read_text()), 0)

    @pytest.mark.parametrize("behaviour", ["noise", "endless", "failed", "crash"])
    def test_what_is_no_answer_is_told_as_a_fault(self, answer_to, caplog, behaviour):
        assert refused(asking(behaviour), answer_to(COVERED)).code == "opinion_failed"
        assert "second opinion failed" in caplog.text

    def test_a_program_that_is_not_there_is_told_as_a_fault(self, answer_to):
        opinions = Measured(MeasuredSettings(5, ("/nonexistent/program",)))
        assert refused(opinions, answer_to(COVERED)).code == "opinion_failed"

    def test_a_case_that_nobody_measured_is_named(self, answer_to, catalogue):
        error = refused(asking("missing"), answer_to(COVERED))
        assert load_messages("en", Labels(catalogue)).error(error) == (
            "Not covered by the second opinion: Llama 3.1 70B in FP8, KV cache 16 bits, was not "
            "measured with vLLM on 4 × H100 SXM 80 GB."
        )

    def test_another_release_is_not_believed(self, answer_to):
        error = refused(asking("newer"), answer_to(COVERED))
        assert (error.code, error.values["found"]) == ("opinion_release", "0.13.0")
        assert "pip install aiconfigurator-core==0.12.0" in load_messages("es").error(error)

    def test_without_the_package_the_sentence_says_how_to_get_it(self, answer_to):
        error = refused(asking("absent"), answer_to(COVERED))
        text = load_messages("en").error(error)
        assert text.endswith("`pip install aiconfigurator-core==0.12.0`.")

    def test_our_own_worker_says_that_the_package_is_missing(self, answer_to):
        """Without `site`, the interpreter sees the standard library alone."""
        opinions = Measured(MeasuredSettings(20, (sys.executable, "-S", "-P", str(WORKER))))
        assert refused(opinions, answer_to(COVERED)).code == "opinion_not_installed"

    def test_it_sees_no_token(self, answer_to, monkeypatch):
        for name in ("SLACK_BOT_TOKEN", "HF_TOKEN", "HTTPS_PROXY"):
            monkeypatch.setenv(name, "secret")
        found = asking("environment").opinion(answer_to(COVERED))
        seen = set(found.database_version.split())
        assert not seen & {"SLACK_BOT_TOKEN", "HF_TOKEN", "HTTPS_PROXY"}
        assert {"HF_HUB_OFFLINE", "PATH"} <= seen

    def test_only_a_few_wait_for_their_turn(self, answer_to, tmp_path):
        """Two are worked on, four wait; the seventh is told at once."""
        answer, opinions = answer_to(COVERED), asking("hang", str(tmp_path / "pid"), limit_s=3)
        codes = []
        threads = [
            threading.Thread(target=lambda: codes.append(refused(opinions, answer).code))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        started = time.monotonic()
        while opinions._places._value and time.monotonic() - started < 2:
            time.sleep(0.01)
        started = time.monotonic()
        assert refused(opinions, answer).code == "opinion_busy"
        assert time.monotonic() - started < 1
        for thread in threads:
            thread.join()
        assert set(codes) == {"opinion_late", "opinion_busy"}
        assert asking("figures").opinion(answer)

    def test_a_place_is_free_again_after_each_question(self, answer_to):
        opinions = asking("crash")
        codes = {refused(opinions, answer_to(COVERED)).code for _ in range(8)}
        assert codes == {"opinion_failed"}


def test_the_process_has_limits():
    script = (
        f"import sys; sys.path.insert(0, {str(WORKER.parent)!r})\n"
        "import measured_worker as w\n"
        "import resource, signal; w._limit(5)\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[0], signal.alarm(0))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    # 4 GiB; one second after the parent would have killed it.
    assert done.stdout.split() == ["4294967296", "6"]


class TestTables:
    def test_every_name_is_one_of_the_catalogue(self, catalogue):
        assert set(SYSTEMS) <= set(catalogue.gpus)
        assert set(ENGINES) <= set(catalogue.engines)
        assert set(CACHES) <= set(catalogue.kv_precisions)
        assert SIXTEEN_BITS | set(FORMATS) <= set(catalogue.precisions)
        for row in CHECKPOINTS:
            assert row.precision in catalogue.precisions, row.name
            assert set(row.models) <= set(catalogue.models), row.name

    def test_a_model_has_one_configuration_in_each_format(self):
        pairs = [(model, row.precision) for row in CHECKPOINTS for model in row.models]
        assert len(pairs) == len(set(pairs))

    def test_the_release_is_the_one_of_the_extra(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert project["optional-dependencies"]["measured"] == [f"{PACKAGE}=={RELEASE}"]

    def test_the_documentation_names_every_gpu(self, catalogue):
        page = (ROOT / "docs" / "second-opinion.md").read_text(encoding="utf-8")
        listed = next(line for line in page.splitlines() if line.startswith("| GPUs |"))
        for gpu in SYSTEMS:
            words = catalogue.gpus[gpu].name.split()
            # `H100 SXM 80 GB`: the memory is named where there are two.
            assert words[0] in listed, gpu


LIBRARIES = ("aiconfigurator_core", "pandas", "pyarrow", "scipy", "subprocess")

ANSWERING = """
import json, sys
from bot.cli import main
assert main(["llama", "3.1", "8b", "h100"]) == 0
import bot.app
print(json.dumps(sorted(sys.modules)))
"""


def test_an_answer_without_one_loads_nothing_for_it(tmp_path):
    """In the terminal and in the bot alike, whether the package is installed or not."""
    before = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, sys, slack_bolt\nprint(json.dumps(list(sys.modules)))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    done = subprocess.run(
        [sys.executable, "-c", ANSWERING],
        env=os.environ | {"GPUSIZE_DB": str(tmp_path / "log.db")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1])) - set(json.loads(before.stdout))
    assert "bot.service" in loaded
    assert loaded.isdisjoint(LIBRARIES)
