"""Repositories of the Hub, from a server of this machine that speaks its addresses."""

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bot.assembly import build_service
from bot.cli import main
from bot.errors import CodedError
from bot.hub_settings import HubSettings
from bot.messages import load_messages
from bot.reply import Asker, Transport
from bot.sources.hub import Hub, hub_reader
from bot.sources.references import Sources
from bot.storage.sqlite import SqliteLog
from sizing.architecture import parameter_count

CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128_256, "max_position_embeddings": 131_072, "torch_dtype": "bfloat16",
}  # fmt: skip
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class HubServer:
    """A Hub with one repository, whose manners can be spoilt."""

    def __init__(self):
        self.asked: list[tuple[str, str, str | None]] = []
        self.content = json.dumps(CONFIG).encode()
        self.status = 200
        self.error = None
        self.delay_s = 0.0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def _handler(self):
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self):
                self._respond(b"")

            def do_GET(self):
                self._respond(hub.content)

            def _respond(self, body):
                hub.asked.append((self.command, self.path, self.headers.get("Authorization")))
                time.sleep(hub.delay_s)
                is_there = self.path.startswith("/Acme/Zephyr-Zz/resolve/")
                status = hub.status if is_there else 404
                self.send_response(status)
                self.send_header("X-Repo-Commit", COMMIT)
                if status != 200:
                    self.send_header("X-Error-Code", hub.error or "RepoNotFound")
                    body = b""
                else:
                    self.send_header("ETag", f'"{hashlib.sha256(hub.content).hexdigest()}"')
                length = len(hub.content) if status == 200 else 0
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *values):
                pass

        return Handler

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    hub = HubServer()
    yield hub
    hub.close()


@pytest.fixture
def hub(server, tmp_path):
    return Hub(HubSettings(tmp_path / "cache", server.endpoint))


def refused(hub, name="Acme/Zephyr-Zz"):
    with pytest.raises(CodedError) as caught:
        hub.model(name)
    assert all(load_messages(one).error(caught.value) for one in ("en", "es"))
    return caught.value.code


def test_a_repository_gives_its_shape(hub):
    found = hub.model("Acme/Zephyr-Zz")
    assert (found.name, found.source) == ("Zephyr-Zz", "hf:Acme/Zephyr-Zz@0123456")
    assert parameter_count(found.architecture) == 8_030_261_248


def test_only_the_configuration_is_fetched(hub, server):
    hub.model("Acme/Zephyr-Zz@v1.0")
    paths = {path for _, path, _ in server.asked}
    assert paths == {"/Acme/Zephyr-Zz/resolve/v1.0/config.json"}
    assert {token for _, _, token in server.asked} == {None}


def test_what_was_fetched_serves_when_the_hub_is_gone(hub, server):
    first = hub.model("Acme/Zephyr-Zz")
    server.close()
    assert hub.model("Acme/Zephyr-Zz") == first
    assert refused(hub, "Acme/Never-Seen") == "hub_unreachable"


def test_a_slow_hub_is_left_after_the_deadline(server, tmp_path):
    server.delay_s = 5.0
    started = time.monotonic()
    hub = Hub(HubSettings(tmp_path, server.endpoint), deadline_s=0.3)
    assert refused(hub) == "hub_unreachable"
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (404, "RepoNotFound", "hub_no_repository"),
        (404, "RevisionNotFound", "hub_no_repository"),
        (404, "EntryNotFound", "hub_no_config"),
        (403, "GatedRepo", "hub_gated"),
        (500, "Broken", "hub_unreachable"),
    ],
)
def test_what_the_hub_refuses_is_said(hub, server, status, error, code):
    server.status, server.error = status, error
    assert refused(hub) == code


def test_a_large_file_is_not_fetched(hub, server):
    server.content = b" " * 1_000_001
    assert refused(hub) == "file_too_large"
    assert {method for method, _, _ in server.asked} == {"HEAD"}


def test_what_is_no_configuration_is_refused(hub, server):
    server.content = b"<html>"
    assert refused(hub) == "file_not_json"


def test_a_question_in_slack_and_its_log(server, tmp_path):
    log = SqliteLog(tmp_path / "log.db")
    settings = HubSettings(tmp_path / "cache", server.endpoint)
    service = build_service(log, Sources(hub=hub_reader(settings)))
    asker = Asker("U1", "C1", Transport.SLACK, team_id="T1")
    reply = service.handle("hf:Acme/Zephyr-Zz int8 users=8", asker, None)
    assert reply.error is None
    assert reply.answer.understood.source == "hf:Acme/Zephyr-Zz@0123456"
    assert "hf:Acme/Zephyr-Zz@0123456" in reply.markdown
    server.close()
    # The log holds the shape: neither the Hub nor the cache is needed to show it again.
    assert service.handle(f"show {reply.answer_id}", asker, None).answer == reply.answer
    log.close()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        # The repository holds BF16: FP8 is made of it while vLLM loads it, INT8 is not.
        ("hf:Acme/Zephyr-Zz gpu=h100", "vllm serve Acme/Zephyr-Zz"),
        ("hf:Acme/Zephyr-Zz fp8 gpu=h100", "--quantization fp8"),
        ("hf:Acme/Zephyr-Zz int8 gpu=h100", "/models/Zephyr-Zz-INT8"),
    ],
)
def test_the_start_command_names_the_repository(server, tmp_path, question, words):
    log = SqliteLog(tmp_path / "log.db")
    reader = hub_reader(HubSettings(tmp_path / "cache", server.endpoint))
    asker = Asker("ana", None, Transport.TERMINAL)
    reply = build_service(log, Sources(hub=reader)).handle(f"start {question}", asker, None)
    assert words in reply.markdown
    log.close()


def test_the_terminal_reads_the_environment(server, tmp_path, monkeypatch, capsys):
    for name, value in {
        "GPUSIZE_DB": str(tmp_path / "log.db"), "GPUSIZE_CACHE": str(tmp_path / "cache"),
        "HF_ENDPOINT": server.endpoint, "HF_TOKEN": "hf_secret",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert main(["hf:Acme/Zephyr-Zz", "int8", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["understood"]["model"] == "Zephyr-Zz"
    assert {token for _, _, token in server.asked} == {"Bearer hf_secret"}
    monkeypatch.setenv("GPUSIZE_HUB", "off")
    assert main(["hf:Acme/Zephyr-Zz", "int8"]) == 2
    assert "is off here" in capsys.readouterr().err


def test_without_the_library_the_sentence_says_how_to_get_it(hub, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    assert refused(hub) == "hub_not_installed"
