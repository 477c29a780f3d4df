"""A `config.json` uploaded to Slack, sized by the shortcut on its message."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from bot.errors import CodedError
from bot.listeners.shortcuts import SIZE_FILE
from bot.sources.slack_file import Wanted, fetch

CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128_256, "max_position_embeddings": 131_072, "torch_dtype": "bfloat16",
}  # fmt: skip
FILE = {"config.json": json.dumps(CONFIG).encode()}


def test_the_file_is_sized_in_the_thread_of_its_message(stage):
    message = stage.ben.uploads(FILE, "int8 users=8 please")
    assert stage.ben.uses_shortcut(SIZE_FILE, message).acked
    answer = stage.ana.waits_for_message("llama 8.03B")
    assert answer.thread_ts == message.ts
    assert "INT8" in answer.text
    for fact in ("8.0 B parameters", "131,072 bytes", "config.json"):
        assert fact in answer.shown


def test_the_log_keeps_the_shape(stage):
    message = stage.ben.uploads(FILE)
    stage.ben.uses_shortcut(SIZE_FILE, message)
    answer = stage.ben.waits_for_message("llama 8.03B")
    stage.ben.clicks(answer, "Explain")
    stage.ben.waits_for_message("How it was computed")
    [row] = stage.logged()
    assert json.loads(row.request_json)["given"]["architecture"]["layers"] == 32


@pytest.mark.parametrize("text", ["look, a Mistral 7B and a Qwen3 8B!", "help", "x" * 2990])
def test_words_that_are_no_question_leave_the_file_alone(http_stage, text):
    message = http_stage.ben.uploads(FILE, text)
    http_stage.ben.uses_shortcut(SIZE_FILE, message)
    assert http_stage.ben.waits_for_message("llama 8.03B").thread_ts == message.ts


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "has no"),
        ({"notes.txt": b"int8"}, "has no"),
        ({"config.json": b"not json"}, "not a JSON table"),
        ({"config.json": b'{"model_type": "llama"}'}, "hidden_size"),
        ({"config.json": b" " * 1_000_001}, "larger than"),
    ],
)
def test_a_file_that_will_not_do_is_refused_to_the_asker_alone(http_stage, files, words):
    message = http_stage.ben.uploads(files, "size this")
    http_stage.ben.uses_shortcut(SIZE_FILE, message)
    refusal = http_stage.ben.waits_for_message(words, after=message)
    assert refusal.visible_to == http_stage.ben.id


def test_a_spanish_profile_is_answered_in_spanish(http_stage):
    message = http_stage.ana.uploads({"nota.txt": b"hola"})
    http_stage.ana.uses_shortcut(SIZE_FILE, message)
    http_stage.ana.waits_for_message("no tiene ningún", after=message)


def test_the_same_delivery_twice_is_one_answer(http_stage):
    message = http_stage.ben.uploads(FILE, "int8")
    delivery = http_stage.ben.uses_shortcut(SIZE_FILE, message)
    http_stage.ben.waits_for_message("llama 8.03B")
    http_stage.workspace.replay(delivery)
    http_stage.bot.workers.finish(5)
    answers = [one for one in http_stage.ben.thread(message) if "llama 8.03B" in one.shown]
    assert len(answers) == 1


class TestFetching:
    """The token goes to Slack and to nobody else."""

    def refused(self, url, api_url="https://slack.com/api/"):
        with pytest.raises(CodedError) as caught:
            fetch(Wanted("config.json", url, 100), token="xoxb-1", api_url=api_url, tls=None)
        return caught.value.code

    @pytest.mark.parametrize(
        "url",
        [
            "", "config.json", "http://files.slack.com/a", "https://files.slack.com.evil.example/a",
            "https://evil.example/files.slack.com", "https://slack.com@evil.example/a",
            "file:///etc/passwd", "ftp://files.slack.com/a", "http://127.0.0.1:1/a",
        ],
    )  # fmt: skip
    def test_other_addresses_are_refused(self, url):
        assert self.refused(url) == "file_not_from_slack"

    def test_only_the_address_of_the_local_workspace_itself(self):
        local = "http://127.0.0.1:8123/api/"
        assert self.refused("http://127.0.0.1:8124/download/F1", local) == "file_not_from_slack"

    def test_a_page_to_sign_in_is_no_file(self, http_stage):
        """What Slack shows a token that may not read the file."""
        message = http_stage.ben.uploads(FILE)
        url = message.files[0]["url_private_download"]
        with pytest.raises(CodedError) as caught:
            fetch(
                Wanted("config.json", url, 100_000),
                token="xoxb-another",
                api_url=http_stage.workspace.api_url,
                tls=None,
            )
        assert caught.value.code == "file_not_fetched"

    def test_the_start_of_a_long_file_may_do(self, http_stage):
        message = http_stage.ben.uploads({"model.gguf": b"x" * 1000})
        file = Wanted("model.gguf", message.files[0]["url_private_download"], 100, only_start=True)
        client = http_stage.bot.app.client
        content = fetch(file, token=client.token, api_url=client.base_url, tls=None)
        assert content == b"x" * 100

    def test_no_redirect_is_followed(self):
        asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(302)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *values):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        assert self.refused(f"{base}/download/F1", f"{base}/api/") == "file_not_fetched"
        assert asked == ["/download/F1"]
        server.shutdown()
        server.server_close()
