"""Files that came with a message: which are read, how much of them, and what they say."""

from __future__ import annotations

import json
import struct

import gguf
import numpy as np
import pytest

from bot.errors import CodedError
from bot.listeners.attachments import MOST_FILES, files_of
from bot.sources.attached import (
    LARGEST_START_BYTES,
    AttachedFile,
    attachment_of,
    is_readable,
    is_start_enough,
    largest_bytes,
)
from bot.sources.bounded import LARGEST_CONFIG_BYTES
from sizing.records import Doubt

CONFIG = AttachedFile(
    "config.json",
    json.dumps(
        {
            "model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
            "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 1000,
        }
    ).encode(),
)  # fmt: skip


@pytest.fixture(scope="module")
def tiny_gguf(tmp_path_factory) -> bytes:
    """Two layers as llama.cpp's own writer makes them, the header alone."""
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny Llama")
    writer.add_context_length(2048)
    writer.add_embedding_length(256)
    writer.add_block_count(2)
    writer.add_feed_forward_length(512)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_token_list([f"token {number}" for number in range(1000)])
    writer.add_tensor_info("token_embd.weight", [1000, 256], np.dtype(np.float16), 0)
    for layer in range(2):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up"):
            name = f"blk.{layer}.{part}.weight"
            writer.add_tensor_info(name, [256, 256], np.dtype(np.float16), 0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "readable", "limit_bytes", "only_start"),
    [
        ("config.json", True, LARGEST_CONFIG_BYTES, False),
        ("Mistral.JSON", True, LARGEST_CONFIG_BYTES, False),
        ("model.safetensors.index.json", True, LARGEST_START_BYTES, False),
        ("model.safetensors", True, LARGEST_START_BYTES, True),
        ("Model-Q4_K_M.GGUF", True, LARGEST_START_BYTES, True),
        ("config.json.txt", False, LARGEST_START_BYTES, False),
        ("plan.png", False, LARGEST_START_BYTES, False),
        ("", False, LARGEST_START_BYTES, False),
    ],
)
def test_what_is_read_of_a_file_follows_from_its_name(
    name: str, readable: bool, limit_bytes: int, only_start: bool
) -> None:
    assert is_readable(name) is readable
    assert is_start_enough(name) is only_start
    if readable:
        assert largest_bytes(name) == limit_bytes


def test_a_gguf_file_is_read_from_its_start(tiny_gguf: bytes) -> None:
    """The same, whatever stands behind the header."""
    file = AttachedFile("some/where/../tiny.gguf", tiny_gguf + b"\0" * 1000)
    model = attachment_of([file]).model("")
    assert (model.name, model.source) == ("Tiny Llama", "some/where/../tiny.gguf")
    assert model.architecture.layers == 2
    assert sum(one.parameters for one in model.tensors) == (1000 + 2 * 5 * 256) * 256
    assert attachment_of([AttachedFile("tiny.gguf", tiny_gguf)]).model("").digest == model.digest


def test_a_gguf_file_without_a_name_has_that_of_its_file(tiny_gguf: bytes) -> None:
    nameless = tiny_gguf.replace(b"Tiny Llama", b"          ")
    model = attachment_of([AttachedFile("mine.gguf", nameless)]).model("")
    assert model.name == "mine.gguf"


def test_a_missing_key_is_named(tiny_gguf: bytes) -> None:
    other = tiny_gguf.replace(b"llama.block_count", b"llama.clock_count")
    with pytest.raises(CodedError) as caught:
        attachment_of([AttachedFile("mine.gguf", other)]).model("")
    assert (caught.value.code, caught.value.values["keys"]) == (
        "gguf_incomplete",
        "llama.block_count",
    )


def test_weights_and_their_configuration_make_one_model() -> None:
    table = {"model.layers.0.mlp.up_proj.weight": _tensor(), "lm_head.weight": _tensor()}
    both = attachment_of([CONFIG, AttachedFile("model.safetensors", _safetensors(table))])
    model = both.model("")
    assert both.reference == "file:model.safetensors"
    assert model.source == "model.safetensors"
    assert model.model_type == "llama"
    assert sum(one.weights_bytes for one in model.tensors) == 24


def test_weights_alone_have_no_shape() -> None:
    file = AttachedFile("w.safetensors", _safetensors({"lm_head.weight": _tensor()}))
    model = attachment_of([file]).model("")
    assert (model.name, model.model_type, model.doubts) == ("w.safetensors", "?", ())


def test_an_index_alone_says_bytes() -> None:
    content = json.dumps({"metadata": {"total_size": 1000}, "weight_map": {"a": "b"}}).encode()
    model = attachment_of([AttachedFile("a.safetensors.index.json", content)]).model("")
    assert model.doubts == (Doubt.PARAMETERS,)
    assert sum(one.weights_bytes for one in model.tensors) == 1000


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (AttachedFile("a-00001-of-00002.gguf", b"GGUF"), "file_in_parts"),
        (AttachedFile("model-00001-of-00004.safetensors", b""), "file_in_parts"),
        (AttachedFile("a.gguf", b""), "file_malformed"),
        (AttachedFile("a.gguf", b"GGUF" + b"\xff" * 100), "file_malformed"),
        (AttachedFile("a.gguf", b"GGUF" + b"\xff" * LARGEST_START_BYTES), "header_too_large"),
        (AttachedFile("a.safetensors", b"\xff" * 8), "file_malformed"),
        (AttachedFile("a.safetensors.index.json", b"{}"), "file_malformed"),
        (AttachedFile("a.safetensors.index.json", b"["), "file_not_json"),
        (AttachedFile("a.json", b"["), "file_not_json"),
    ],
)
def test_a_file_that_will_not_do_is_named_as_it_is_called(file: AttachedFile, code: str) -> None:
    with pytest.raises(CodedError) as caught:
        attachment_of([file]).model("")
    assert caught.value.code == code
    assert caught.value.values["path"] == file.name


@pytest.mark.parametrize("files", [None, [], "config.json", {"name": "config.json"}, [None, "a"]])
def test_a_message_without_files_has_none(files: object) -> None:
    assert files_of({"files": files}) == ()
    assert files_of({}) == ()


def test_only_so_many_files_are_looked_at() -> None:
    assert len(files_of({"files": [{}] * (MOST_FILES + 5)})) == MOST_FILES


def _tensor() -> dict[str, object]:
    return {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}


def _safetensors(table: dict[str, object]) -> bytes:
    header = json.dumps(table).encode()
    return struct.pack("<Q", len(header)) + header
