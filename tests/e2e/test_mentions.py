"""Mentions of the app, with and without files, over signed HTTP and over Socket Mode."""

from __future__ import annotations

import json
import struct

import pytest

from bot.listeners.attachments import MOST_FILES
from bot.sources.attached import LARGEST_START_BYTES
from bot.workspace import Fault, MentionsTell, Message

CHANNEL = "gpu-planning"
CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128_256, "max_position_embeddings": 131_072, "torch_dtype": "bfloat16",
}  # fmt: skip
FILE = {"config.json": json.dumps(CONFIG).encode()}


def is_answer(message: Message) -> bool:
    return "llama 8.03B" in message.shown and message.user == "U0GPUSIZE"


def calls(stage, method: str) -> int:
    return sum(call.method == method for call in stage.workspace.calls)


class TestWords:
    def test_a_mention_asks_what_the_command_does(self, stage) -> None:
        question = stage.ben.mentions(CHANNEL, "llama-13b int8 ttft<500ms")
        answer = stage.ana.waits_for_message("needs 17.6 GB")
        assert answer.thread_ts == question.ts
        assert not answer.is_ephemeral
        (row,) = stage.logged()
        assert row.question == "llama-13b int8 ttft<500ms"

    def test_in_a_thread_the_answer_stays_in_it(self, stage) -> None:
        root = stage.ana.says("Which GPUs for the new service?")
        stage.ben.mentions(root, "llama-13b int8")
        answer = stage.ana.waits_for_message("Llama 2 13B · INT8")
        assert answer.thread_ts == root.ts

    def test_an_error_in_a_thread_is_shown_there_to_the_asker_alone(self, stage) -> None:
        root = stage.ana.says("Which GPUs for the new service?")
        stage.ben.mentions(root, "llama-12b int8")
        refusal = stage.ben.waits_for_message("I don't know the model")
        assert (refusal.visible_to, refusal.thread_ts) == (stage.ben.id, root.ts)

    def test_a_mention_alone_gets_help(self, http_stage) -> None:
        http_stage.ben.mentions(CHANNEL, "")
        told = http_stage.ben.waits_for_message("which GPUs for this model")
        assert told.visible_to == http_stage.ben.id

    def test_what_is_understood_is_not_read_again(self, http_stage) -> None:
        http_stage.ben.mentions(CHANNEL, "llama-13b int8")
        http_stage.ben.waits_for_message("Llama 2 13B · INT8")
        assert calls(http_stage, "conversations.replies") == 0

    def test_messages_without_a_mention_are_left_alone(self, http_stage) -> None:
        http_stage.ben.says("llama-13b int8")
        http_stage.ben.uploads(FILE, "size this")
        assert http_stage.workspace.deliveries == []

    def test_another_app_is_not_answered(self, http_stage) -> None:
        question = http_stage.ben.mentions(CHANNEL, "llama-13b int8")
        http_stage.ben.waits_for_message("Llama 2 13B · INT8")
        delivery = http_stage.workspace.deliveries[-1]
        event = delivery.payload["event"] | {"bot_id": "B0OTHER", "ts": "1.0", "event_ts": "1.0"}
        http_stage.workspace.send_raw("event", delivery.payload | {"event": event})
        http_stage.bot.workers.finish(5)
        assert len(http_stage.ben.thread(question)) == 2


class TestFiles:
    @pytest.mark.parametrize("tells", MentionsTell)
    def test_the_file_beside_a_mention_is_sized_in_its_thread(self, stage, tells) -> None:
        """However much of it the event tells."""
        stage.workspace.gestures.mentions_tell = tells
        question = stage.ben.mentions(CHANNEL, "size this ctx=32k users=8", files=FILE)
        answer = stage.ana.waits_for_message(is_answer)
        assert answer.thread_ts == question.ts
        for fact in ("8 requests of 32,768 tokens", "131,072 bytes", "config.json"):
            assert fact in answer.shown
        assert "Not understood" not in answer.shown
        assert calls(stage, "files.info") == (tells is MentionsTell.IDS)
        assert calls(stage, "conversations.replies") == (tells is MentionsTell.NOTHING)

    def test_it_speaks_spanish(self, stage) -> None:
        stage.ana.mentions(CHANNEL, "dimensiona esto ctx=32k usuarios=8", files=FILE)
        answer = stage.ben.waits_for_message(is_answer)
        assert "8 solicitudes simultáneas de 32.768 tokens" in answer.shown
        assert "No se entendió" not in answer.shown

    @pytest.mark.parametrize("tells", MentionsTell)
    def test_in_a_thread_it_stays_there(self, http_stage, tells) -> None:
        http_stage.workspace.gestures.mentions_tell = tells
        root = http_stage.ana.says("Which GPUs for the new service?")
        for number in range(3):
            http_stage.ana.says(f"{number}", root)
        http_stage.ben.mentions(root, "size this", files=FILE)
        assert http_stage.ana.waits_for_message(is_answer).thread_ts == root.ts

    def test_a_mention_without_words_is_about_the_file(self, http_stage) -> None:
        http_stage.ben.mentions(CHANNEL, "", files=FILE)
        assert http_stage.ben.waits_for_message(is_answer)

    def test_other_files_beside_a_question_change_nothing(self, http_stage) -> None:
        question = http_stage.ben.mentions(
            CHANNEL, "llama-13b int8", files={"plan.png": b"\x89PNG"}
        )
        answer = http_stage.ben.waits_for_message("Llama 2 13B · INT8")
        assert answer.thread_ts == question.ts
        assert calls(http_stage, "files.download") == 0

    def test_a_private_answer_is_the_askers_alone(self, http_stage) -> None:
        http_stage.ben.mentions(CHANNEL, "size this --private", files=FILE)
        assert http_stage.ben.waits_for_message(is_answer).visible_to == http_stage.ben.id

    @pytest.mark.parametrize(
        ("files", "words"),
        [
            ({"notes.txt": b"int8"}, "has no file"),
            ({"config.json": b"not json"}, "not a JSON table"),
            ({"config.json": b'{"model_type": "llama"}'}, "hidden_size"),
            ({"config.json": b" " * 1_000_001}, "larger than"),
            ({"model-00001-of-00002.gguf": b"GGUF"}, "one part of several"),
            ({"model.gguf": b"no GGUF"}, "not the kind of file"),
            ({"model.gguf": b""}, "not the kind of file"),
            ({"model.safetensors": b"x"}, "not the kind of file"),
            ({"a.safetensors.index.json": b" " * (LARGEST_START_BYTES + 1)}, "larger than"),
        ],
    )
    def test_a_file_that_will_not_do_is_refused_to_the_asker_alone(
        self, http_stage, files, words
    ) -> None:
        question = http_stage.ben.mentions(CHANNEL, "size this", files=files)
        refusal = http_stage.ben.waits_for_message(words, after=question)
        assert refusal.visible_to == http_stage.ben.id
        assert "gpusize-" not in refusal.shown

    def test_a_refusal_is_in_spanish_for_a_spanish_profile(self, http_stage) -> None:
        question = http_stage.ana.mentions(CHANNEL, "esto", files={"nota.txt": b"hola"})
        http_stage.ana.waits_for_message("no tiene ningún archivo", after=question)

    def test_only_so_many_files_are_looked_at(self, http_stage) -> None:
        many = {f"{number}.txt": b"x" for number in range(MOST_FILES)} | FILE
        question = http_stage.ben.mentions(CHANNEL, "size this", files=many)
        http_stage.ben.waits_for_message("has no file", after=question)

    def test_a_file_outside_slack_is_not_fetched(self, http_stage) -> None:
        """The token stays here, whatever address an event names."""
        question = http_stage.ben.mentions(CHANNEL, "llama-13b int8")
        http_stage.ben.waits_for_message("Llama 2 13B · INT8")
        payload = http_stage.workspace.deliveries[-1].payload
        file = {"id": "F1", "name": "config.json", "url_private": "https://evil.example/c.json"}
        event = payload["event"] | {"ts": "2.0", "text": "<@U0GPUSIZE> this", "files": [file]}
        http_stage.workspace.send_raw("event", payload | {"event": event})
        refusal = http_stage.ben.waits_for_message("kept outside Slack", after=question)
        assert refusal.visible_to == http_stage.ben.id
        assert calls(http_stage, "files.download") == 0


class TestWeights:
    """Indexes and headers: what they hold is tested with their readers."""

    INDEX = json.dumps(
        {
            "metadata": {"total_size": 16_060_522_496},
            "weight_map": {"model.layers.0.a": "model-00001-of-00004.safetensors"},
        }
    ).encode()

    def test_an_index_says_the_bytes_of_the_weights(self, http_stage) -> None:
        files = {"model.safetensors.index.json": self.INDEX}
        question = http_stage.ben.mentions(CHANNEL, "size this", files=files)
        answer = http_stage.ben.waits_for_message("16.1 GB", after=question)
        assert answer.thread_ts == question.ts
        assert "model.safetensors.index.json holds weights but not the shape" in answer.shown

    def test_with_the_configuration_beside_it_the_rest_is_known_too(self, http_stage) -> None:
        files = {"model.safetensors.index.json": self.INDEX, **FILE}
        http_stage.ben.mentions(CHANNEL, "size this", files=files)
        answer = http_stage.ben.waits_for_message(is_answer)
        for fact in ("16.1 GB", "131,072 bytes", "model.safetensors.index.json"):
            assert fact in answer.shown

    def test_of_a_file_of_weights_the_start_is_read(self, http_stage) -> None:
        """One tensor of 2 x 3 numbers in its header; its data are more than is ever fetched."""
        table = {"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}
        header = json.dumps(table).encode()
        content = struct.pack("<Q", len(header)) + header + b"\0" * LARGEST_START_BYTES
        files = {"tiny.safetensors": content}
        question = http_stage.ben.mentions(CHANNEL, "size this", files=files)
        answer = http_stage.ben.waits_for_message("tiny.safetensors", after=question)
        assert "6 parameters" in answer.shown

    def test_a_header_longer_than_is_read_is_told(self, http_stage) -> None:
        """A GGUF file whose first key is longer than all that is fetched."""
        start = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**40)
        files = {"huge.gguf": start + b"\0" * LARGEST_START_BYTES}
        question = http_stage.ben.mentions(CHANNEL, "size this", files=files)
        refusal = http_stage.ben.waits_for_message("longer than", after=question)
        assert "huge.gguf" in refusal.shown


class TestTrouble:
    def test_the_same_delivery_twice_is_one_answer(self, http_stage) -> None:
        question = http_stage.ben.mentions(CHANNEL, "size this", files=FILE)
        http_stage.ben.waits_for_message(is_answer)
        http_stage.workspace.replay(http_stage.workspace.deliveries[-1])
        http_stage.bot.workers.finish(5)
        assert len(http_stage.ben.thread(question)) == 2

    def test_an_edited_mention_asks_anew(self, http_stage) -> None:
        question = http_stage.ben.mentions(CHANNEL, "llama-13b int8")
        first = http_stage.ben.waits_for_message("Llama 2 13B · INT8")
        payload = http_stage.workspace.deliveries[-1].payload
        edit = {"edited": {"user": http_stage.ben.id, "ts": "3.0"}}
        text = {"text": "<@U0GPUSIZE> llama-13b fp16"}
        http_stage.workspace.send_raw("event", payload | {"event": payload["event"] | edit | text})
        second = http_stage.ben.waits_for_message("Llama 2 13B · FP16", after=first)
        assert second.thread_ts == question.ts

    @pytest.mark.parametrize("error", ["missing_scope", "not_in_channel", "thread_not_found"])
    def test_a_message_that_cannot_be_read_again_is_answered_by_its_words(
        self, http_stage, error
    ) -> None:
        http_stage.workspace.gestures.mentions_tell = MentionsTell.NOTHING
        http_stage.workspace.fail_next("conversations.replies", Fault(error=error))
        question = http_stage.ben.mentions(CHANNEL, "size this", files=FILE)
        told = http_stage.ben.waits_for_message(
            lambda seen: seen.visible_to == http_stage.ben.id, after=question
        )
        assert told.text

    def test_a_busy_slack_is_asked_again(self, http_stage) -> None:
        http_stage.workspace.gestures.mentions_tell = MentionsTell.IDS
        busy = Fault(status=429, error="ratelimited", retry_after_s=1)
        http_stage.workspace.fail_next("files.info", busy)
        http_stage.ben.mentions(CHANNEL, "size this", files=FILE)
        assert http_stage.ben.waits_for_message(is_answer)
        assert calls(http_stage, "files.info") == 2

    @pytest.mark.parametrize("mode", ["tombstone", "hidden_by_limit"])
    def test_a_file_that_is_gone_is_refused(self, http_stage, mode) -> None:
        question = http_stage.ben.mentions(CHANNEL, "llama-13b int8")
        http_stage.ben.waits_for_message("Llama 2 13B · INT8")
        payload = http_stage.workspace.deliveries[-1].payload
        event = payload["event"] | {"ts": "2.0", "files": [{"id": "F1", "mode": mode}]}
        http_stage.workspace.send_raw("event", payload | {"event": event})
        http_stage.ben.waits_for_message("did not hand out the file", after=question)
        assert calls(http_stage, "files.info") == 0

    def test_a_file_that_slack_does_not_tell_is_refused(self, http_stage) -> None:
        http_stage.workspace.gestures.mentions_tell = MentionsTell.IDS
        http_stage.workspace.fail_next("files.info", Fault(error="file_deleted"))
        question = http_stage.ben.mentions(CHANNEL, "size this", files=FILE)
        http_stage.ben.waits_for_message("did not hand out the file", after=question)

    def test_where_the_bot_is_no_member_slack_sends_nothing(self, http_stage) -> None:
        http_stage.ben.mentions("random", "size this", files=FILE)
        assert http_stage.workspace.deliveries == []
