"""Weights of safetensors files: exact by bytes, with the shape where a config.json lies beside."""

import json
import math
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.cli import main
from bot.errors import CodedError
from bot.messages import load_messages
from bot.sources.stored import group_of
from bot.sources.weights_files import read_safetensors
from sizing.records import Doubt, TensorGroup

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 512,
    "max_position_embeddings": 4096, "torch_dtype": "bfloat16",
}  # fmt: skip
SIZES = {"BF16": 2, "F16": 2, "F32": 4, "F8_E4M3": 1, "I32": 4, "U8": 1}


def shapes(layers=2):
    """Return the tensors of the model that CONFIG describes."""
    found = {
        "model.embed_tokens.weight": [512, 64], "lm_head.weight": [512, 64],
        "model.norm.weight": [64],
    }  # fmt: skip
    for layer in range(layers):
        found |= {
            f"model.layers.{layer}.{part}.weight": shape
            for part, shape in {
                "self_attn.q_proj": [64, 64], "self_attn.k_proj": [32, 64],
                "self_attn.v_proj": [32, 64], "self_attn.o_proj": [64, 64],
                "mlp.gate_proj": [128, 64], "mlp.up_proj": [128, 64], "mlp.down_proj": [64, 128],
                "input_layernorm": [64], "post_attention_layernorm": [64],
            }.items()
        }  # fmt: skip
    return found


PARAMETERS = 2 * 512 * 64 + 64 + 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 128 * 64 + 2 * 64)
"""Table, head, last norm, and two layers."""


def write(path, tensors, dtype="BF16"):
    """Write a file without its data: only the header is read."""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors.items():
        kind, dims = shape if isinstance(shape, tuple) else (dtype, shape)
        size = math.prod(dims) * SIZES[kind]
        header[name] = {"dtype": kind, "shape": dims, "data_offsets": [at, at + size]}
        at += size
    content = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(content)) + content)
    return path


def bytes_of(model):
    return sum(each.weights_bytes for each in model.tensors)


def refused(path):
    with pytest.raises(CodedError) as caught:
        read_safetensors(path)
    assert all(load_messages(one).error(caught.value) for one in ("en", "es"))
    return caught.value.code


@pytest.fixture
def config(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))


@pytest.mark.usefixtures("config")
class TestWithConfig:
    def test_bytes_are_those_of_the_file_and_the_cache_is_known(self, tmp_path):
        found = read_safetensors(write(tmp_path / "model.safetensors", shapes()))
        assert bytes_of(found) == 2 * PARAMETERS
        assert sum(each.parameters for each in found.tensors) == PARAMETERS
        assert found.architecture.cache_is_known

    def test_all_shards_are_added_up(self, tmp_path):
        tensors = list(shapes().items())
        for number, part in enumerate((tensors[:5], tensors[5:]), start=1):
            write(tmp_path / f"model-0000{number}-of-00002.safetensors", dict(part))
        found = read_safetensors(tmp_path / "model-00002-of-00002.safetensors")
        assert bytes_of(found) == 2 * PARAMETERS

    def test_packed_weights_count_as_the_shape_says(self, tmp_path):
        """4-bit matrices as I32: an eighth of the columns, with BF16 scales beside."""
        packed = {}
        for name, shape in shapes().items():
            if ".mlp." not in name:
                packed[name] = shape
                continue
            stem = name.removesuffix("weight")
            packed[stem + "weight_packed"] = ("I32", [shape[0], shape[1] // 8])
            packed[stem + "weight_scale"] = ("BF16", [shape[0], 1])
        found = read_safetensors(write(tmp_path / "model.safetensors", packed))
        ffn = next(each for each in found.tensors if each.group is TensorGroup.FFN)
        assert ffn.parameters == 2 * 3 * 128 * 64
        # Half a byte a weight, and 2 x (128 + 128 + 64) scales of two bytes.
        assert ffn.weights_bytes == 2 * 3 * 128 * 64 // 2 + 2 * 2 * (128 + 128 + 64)

    def test_layers_beyond_the_last_are_not_loaded(self, tmp_path):
        """Heads that predict several tokens lie behind the layers (DeepSeek V3: layer 61)."""
        found = read_safetensors(write(tmp_path / "model.safetensors", shapes(layers=3)))
        assert bytes_of(found) == 2 * PARAMETERS

    def test_an_index_alone_shares_its_bytes_out(self, tmp_path):
        path = tmp_path / "model.safetensors.index.json"
        places = dict.fromkeys(shapes(), "model-00001-of-00002.safetensors")
        path.write_text(json.dumps({"metadata": {"total_size": 300_000}, "weight_map": places}))
        found = read_safetensors(path)
        assert 300_000 - len(found.tensors) < bytes_of(found) <= 300_000
        assert found.architecture.cache_is_known

    def test_an_index_reads_the_files_where_all_are_there(self, tmp_path):
        path = tmp_path / "model.safetensors.index.json"
        places = dict.fromkeys(shapes(), "model-00001-of-00001.safetensors")
        path.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": places}))
        write(tmp_path / "model-00001-of-00001.safetensors", shapes())
        assert bytes_of(read_safetensors(path)) == 2 * PARAMETERS


class TestWithoutConfig:
    def test_the_weights_are_exact_and_the_cache_is_refused(self, tmp_path, monkeypatch, capsys):
        path = write(tmp_path / "model.safetensors", shapes())
        found = read_safetensors(path)
        assert bytes_of(found) == 2 * PARAMETERS
        assert not found.architecture.cache_is_known
        monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "log.db"))
        assert main(["--file", str(path), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["memory"]["weights_bytes"] == 2 * PARAMETERS
        assert answer["memory"]["kv_cache_bytes"] is None
        assert answer["memory"]["total_bytes"] is None
        assert answer["options"] == []
        assert "shape_not_given" in [note["code"] for note in answer["warnings"]]

    def test_the_answer_says_what_is_missing(self, tmp_path, monkeypatch, capsys):
        path = write(tmp_path / "model.safetensors", shapes())
        monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "log.db"))
        for language, words in (("en", "without the"), ("es", "sin el")):
            assert main(["--file", str(path), "gpu=h100", "--lang", language]) == 0
            page = capsys.readouterr().out
            assert "config.json" in page
            assert words in page

    def test_bytes_alone_are_taken_for_16_bits(self, tmp_path):
        path = tmp_path / "model.safetensors.index.json"
        places = {"model.layers.0.a": "x.safetensors"}
        path.write_text(json.dumps({"metadata": {"total_size": 1000}, "weight_map": places}))
        found = read_safetensors(path)
        assert (bytes_of(found), found.doubts) == (1000, (Doubt.PARAMETERS,))
        assert sum(each.parameters for each in found.tensors) == 500

    @pytest.mark.parametrize(
        ("dtype", "precision"),
        [("BF16", "bf16"), ("F16", "fp16"), ("F32", "fp32"), ("F8_E4M3", "fp8"), ("I32", "int4")],
    )
    def test_the_number_type_of_most_bytes_is_the_precision(self, tmp_path, dtype, precision):
        found = read_safetensors(write(tmp_path / "model.safetensors", shapes(), dtype))
        assert found.native_precision == precision


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("model.embed_tokens.weight", "embedding"), ("transformer.wte.weight", "embedding"),
        ("lm_head.weight", "head"), ("output.weight", "head"), ("token_embd.weight", "embedding"),
        ("model.layers.3.self_attn.q_proj.weight", "attention"),
        ("model.layers.3.self_attn.q_norm.weight", "norm"),
        ("model.layers.3.self_attn.q_proj.bias", "other"),
        ("model.layers.3.mlp.gate_proj.weight", "ffn"), ("transformer.h.0.mlp.c_fc.weight", "ffn"),
        ("model.layers.3.mlp.gate.weight", "router"), ("blk.3.ffn_gate_inp.weight", "router"),
        ("model.layers.3.mlp.gate.e_score_correction_bias", "router"),
        ("model.layers.3.mlp.experts.7.down_proj.weight", "experts"),
        ("model.layers.3.mlp.experts.7.down_proj.weight_scale_inv", "experts"),
        ("model.layers.3.mlp.shared_experts.up_proj.weight", "shared_experts"),
        ("blk.3.ffn_down_exps.weight", "experts"), ("blk.3.ffn_up_shexp.weight", "shared_experts"),
        ("model.layers.3.mamba.in_proj.weight", "recurrent"), ("blk.3.ssm_out.weight", "recurrent"),
        ("model.layers.3.linear_attn.in_proj_qkvz.weight", "recurrent"),
        ("backbone.layers.0.mixer.in_proj.weight", "recurrent"),
        ("backbone.layers.7.mixer.q_proj.weight", "attention"),
        ("backbone.layers.1.mixer.up_proj.weight", "ffn"),
        ("model.layers.0.conv.in_proj.weight", "recurrent"),
        ("blk.3.attn_output.weight", "attention"), ("blk.3.ffn_norm.weight", "norm"),
        ("vision_tower.encoder.layers.0.mlp.fc1.weight", "vision"),
        ("multi_modal_projector.linear_1.weight", "vision"),
        ("audio_tower.layers.0.fc1.weight", "audio"),
    ],
)  # fmt: skip
def test_names_tell_the_group(name, group):
    assert group_of(name) == TensorGroup(group)


class TestHostileFiles:
    @pytest.mark.parametrize(
        "content",
        [
            b"", b"12345", struct.pack("<Q", 2**63), struct.pack("<Q", 10**9) + b"{}",
            struct.pack("<Q", 50) + b"{}", struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 0),
        ],
    )  # fmt: skip
    def test_lengths_that_cannot_be_are_refused(self, tmp_path, content):
        path = tmp_path / "model.safetensors"
        path.write_bytes(content)
        assert refused(path) == "file_malformed"

    @pytest.mark.parametrize(
        "entry",
        [
            {"dtype": "BF16", "shape": [-1], "data_offsets": [0, 2]},
            {"dtype": "BF16", "shape": [1], "data_offsets": [4, 2]},
            {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2**60]},
            {"dtype": "BF16", "shape": [math.nan], "data_offsets": [0, 2]},
            {"dtype": "BF16", "shape": [1.5], "data_offsets": [0, 2]},
            {"dtype": "BF16", "shape": [True], "data_offsets": [0, 2]},
            {"dtype": "BF16", "shape": [1], "data_offsets": [0]},
            {"dtype": 4, "shape": [1], "data_offsets": [0, 2]}, {"shape": [1]}, [], 5, None,
        ],
    )  # fmt: skip
    def test_tensors_that_cannot_be_are_refused(self, tmp_path, entry):
        content = json.dumps({"model.a": entry}).encode()
        path = tmp_path / "model.safetensors"
        path.write_bytes(struct.pack("<Q", len(content)) + content)
        assert refused(path) == "file_malformed"

    @pytest.mark.parametrize("content", [b"[" * 50_000, b"{}}", b"\xff" * 20])
    def test_a_header_that_is_no_table_is_refused(self, tmp_path, content):
        path = tmp_path / "model.safetensors"
        path.write_bytes(struct.pack("<Q", len(content)) + content)
        assert refused(path) == "file_not_json"

    @pytest.mark.parametrize(
        "index",
        [
            {}, {"weight_map": {}}, {"weight_map": [], "metadata": {"total_size": 5}},
            {"weight_map": {"a": "b"}, "metadata": {"total_size": -5}},
            {"weight_map": {"a": "b"}, "metadata": {"total_size": math.nan}},
            {"weight_map": {"a": "b"}, "metadata": {"total_size": "5"}},
            {"weight_map": {"a": "../../etc/passwd"}, "metadata": {}},
        ],
    )  # fmt: skip
    def test_an_index_that_cannot_be_is_refused(self, tmp_path, index):
        path = tmp_path / "model.safetensors.index.json"
        path.write_text(json.dumps(index))
        assert refused(path) == "file_malformed"

    def test_a_missing_part_is_named(self, tmp_path):
        path = write(tmp_path / "model-00001-of-00002.safetensors", shapes())
        assert refused(path) == "file_part_missing"

    @given(at=st.integers(0, 3000), byte=st.integers(0, 255))
    @settings(
        max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_any_damage_gives_a_model_or_a_sentence(self, tmp_path, at, byte):
        content = bytearray(write(tmp_path / "whole.safetensors", shapes()).read_bytes())
        content[at % len(content)] = byte
        path = tmp_path / "model.safetensors"
        path.write_bytes(content)
        assert outcome(path)


def outcome(path):
    """Return the name of a model, or the sentence that refuses it."""
    try:
        return read_safetensors(path).name
    except CodedError as error:
        return load_messages("en").error(error)
