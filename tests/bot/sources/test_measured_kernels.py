"""The worker with aiconfigurator-core itself: its traps, and figures of its pinned release."""

import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import asdict
from importlib import resources
from importlib.util import find_spec

import pytest

from bot.command import Grammar
from bot.errors import CodedError
from bot.measured_settings import MeasuredSettings
from bot.sources.config import read_config
from bot.sources.measured import WORKER, Measured
from bot.sources.measured_cases import Question
from bot.sources.measured_models import CHECKPOINTS, ENGINES, RELEASE, SYSTEMS
from sizing.engine import size

pytestmark = pytest.mark.skipif(
    find_spec("aiconfigurator_core") is None,
    reason="the extra is not installed: pip install -e '.[measured]'",
)

LLAMA_70B = Question(
    checkpoint="meta-llama/Meta-Llama-3.1-70B",
    system="h100_sxm",
    engine="vllm",
    number_format=None,
    cache_format="bfloat16",
    tensor_parallel=4,
    pipeline_parallel=1,
    data_parallel=1,
    expert_tensor_parallel=4,
    expert_parallel=1,
    batch=16,
    input_tokens=3072,
    output_tokens=1024,
    step_tokens=3072,
)
QWEN = asdict(LLAMA_70B) | {"checkpoint": "Qwen/Qwen3-30B-A3B"}
"""The same load: what a backend remembers of it would be the other model's."""


def asked(question, environ=None):
    """Put a question to the worker as the bot does, and return its answer and its messages."""
    done = subprocess.run(
        [sys.executable, "-P", WORKER],
        input=json.dumps({**question, "time_limit_s": 120}),
        env=environ or os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def opinion_on(catalogue):
    grammar, opinions = Grammar(catalogue), Measured(MeasuredSettings(120))
    return lambda text: opinions.opinion(size(grammar.parse(text).request, catalogue))


@pytest.mark.parametrize(
    ("text", "ttft_ms", "itl_ms", "tokens_per_s"),
    [
        # Printed by release 0.12.0 for these cases through its own interface, on 2026-11-30.
        ("llama 3.1 8b bf16 1xh100 users=32 in=3072 out=1024", 160, 13.6, 2328),
        ("llama 3.1 8b fp8 1xh100 users=32 in=3072 out=1024", 146, 11.3, 2793),
        ("llama 3.1 70b bf16 4xh200 users=16 in=3072 out=1024 tp=4", 386, 16.3, 959),
        ("llama 3.1 8b bf16 1xl40s users=16 in=3072 out=1024", 389, 37.6, 421),
        ("qwen3-30b-a3b 2xh100 users=16 in=3072 out=1024 tp=2", 123, 10.0, 1586),
        ("deepseek v3 8xh200 users=32 in=3072 out=1024 tp=8", 368, 32.1, 985),
        ("gpt-oss-120b 2xh100 users=16 in=3072 out=1024 tp=2", 136, 9.0, 1752),
    ],
)
def test_the_figures_are_those_of_the_package(opinion_on, text, ttft_ms, itl_ms, tokens_per_s):
    found = opinion_on(text)
    assert (found.package_version, found.database_version) == (RELEASE, "0.24.0")
    assert found.ttft_ms == pytest.approx(ttft_ms, abs=0.5)
    assert found.itl_ms == pytest.approx(itl_ms, abs=0.05)
    assert found.output_tokens_per_s == pytest.approx(tokens_per_s, abs=0.5)


def test_a_model_never_gets_the_figures_of_another():
    """A backend remembers results by the load alone; one process, two models."""
    both = (
        f"import json, sys; sys.path.insert(0, {str(WORKER.parent)!r})\n"
        "import measured_worker as w\n"
        "for line in sys.stdin: print(json.dumps(w.figures_of(json.loads(line))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", both],
        input=f"{json.dumps(asdict(LLAMA_70B))}\n{json.dumps(QWEN)}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = map(json.loads, done.stdout.splitlines()[-2:])
    assert second == asked(QWEN)[0]["figures"]
    assert first["itl_ms"] > 1.5 * second["itl_ms"]


def test_a_mixture_is_split_as_told_and_never_guessed():
    answer, _ = asked(QWEN | {"expert_tensor_parallel": 2, "expert_parallel": 4})
    assert answer["failed"].startswith("ValueError: Parallelism width mismatch")
    whole, _ = asked(QWEN | {"expert_tensor_parallel": 1, "expert_parallel": 4})
    cut, _ = asked(QWEN)
    assert whole["figures"]["itl_ms"] != cut["figures"]["itl_ms"]


class Listener:
    """A proxy of this machine that counts who comes."""

    def __init__(self):
        self.visits = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                visitor, _ = self._server.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()

    def close(self):
        self._server.close()


@pytest.mark.parametrize(
    ("checkpoint", "kind"),
    [
        # Brought by the package, and yet looked up on the Hub when asked for by name.
        ("mistralai/Mixtral-8x7B-v0.1", "figures"),
        ("meta-llama/No-Such-Model", "failed"),
    ],
)
def test_nothing_is_fetched(checkpoint, kind):
    proxy = Listener()
    ways = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy.url)
    answer, _ = asked(asdict(LLAMA_70B) | {"checkpoint": checkpoint}, os.environ | ways)
    proxy.close()
    assert kind in answer
    assert proxy.visits == 0


@pytest.mark.parametrize(
    "changed",
    [
        # Hopper has no FP4 arithmetic, and nobody measured its stand-in.
        {"number_format": "nvfp4"},
        {"cache_format": "int8"},
        {"checkpoint": "openai/gpt-oss-120b", "engine": "trtllm", "expert_tensor_parallel": 4},
        {"checkpoint": "openai/gpt-oss-120b", "system": "a100_sxm"},
    ],
)
def test_what_was_not_measured_is_said_so(changed):
    answer, _ = asked(asdict(LLAMA_70B) | changed)
    assert answer.keys() == {"release", "missing"}
    assert answer["missing"].startswith("PerfDataNotAvailableError")


def test_the_asker_is_told_that_nobody_measured_it(opinion_on):
    with pytest.raises(CodedError) as caught:
        opinion_on("gpt-oss-120b a100 engine=vllm")
    assert caught.value.code == "opinion_not_measured"


def test_a_format_without_a_name_is_a_fault_not_a_figure():
    answer, _ = asked(asdict(LLAMA_70B) | {"number_format": "int8_wo_compressed"})
    assert answer["failed"].startswith("KeyError")


def test_standard_output_holds_the_answer_alone_and_nothing_is_noised():
    """Cases with rows of another engine print warnings by the dozen."""
    answer, messages = asked(QWEN | {"checkpoint": "deepseek-ai/DeepSeek-V3", "system": "h200_sxm"})
    assert all(type(value) in (float, str) for value in answer["figures"].values())
    assert messages == ""


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_every_gpu_of_the_table_has_kernels_of_every_engine(engine):
    for system in SYSTEMS.values():
        question = asdict(LLAMA_70B) | {"system": system, "engine": engine}
        assert "figures" in asked(question)[0], system


@pytest.mark.parametrize("row", CHECKPOINTS, ids=lambda row: row.name)
def test_a_configuration_has_the_shape_of_its_models(row, catalogue):
    brought = resources.files("aiconfigurator_core") / "model_configs"
    content = (brought / f"{row.name.replace('/', '--')}_config.json").read_bytes()
    theirs = read_config(content.replace(b"Infinity", b"1e30"), row.name, "x").architecture
    for model in row.models:
        ours = catalogue.models[model].architecture
        assert _shape(ours) == _shape(theirs), model


def _shape(architecture):
    moe = architecture.moe
    return (
        architecture.layers,
        architecture.hidden_size,
        architecture.heads,
        architecture.kv_heads,
        (moe.experts, moe.experts_per_token, moe.expert_ffn_size) if moe else None,
    )
