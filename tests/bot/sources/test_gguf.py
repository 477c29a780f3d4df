"""GGUF files as llama.cpp's own writer makes them, weights left out: only the header is read."""

import subprocess
import sys

import gguf
import numpy as np
import pytest

from bot.cli import main
from bot.errors import CodedError
from bot.messages import load_messages
from bot.sources.gguf_file import FILE_TYPES, NEAREST, read_gguf
from sizing.catalogue import load_catalogue
from sizing.gguf_files import BLOCK_OF_256, TYPE_BITS
from sizing.kv_cache import cache_layout
from sizing.records import Doubt, ModelKind, TensorGroup

Q4_K, Q6_K, F32 = (
    gguf.GGMLQuantizationType.Q4_K,
    gguf.GGMLQuantizationType.Q6_K,
    gguf.GGMLQuantizationType.F32,
)
ATTENTION = ("attn_q", "attn_k", "attn_v", "attn_output")


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue()


def write(path, architecture, values, tensors, *, vocabulary=1000):
    """Write a file without its data; `tensors` gives rows, columns and type by name."""
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in values.items():
        name = key if "." in key and key.startswith(("general", "split")) else None
        name = name or f"{architecture}.{key}"
        if isinstance(value, list):
            writer.add_array(name, value)
        elif isinstance(value, str):
            writer.add_string(name, value)
        else:
            writer.add_uint32(name, value)
    writer.add_token_list([f"token {number}" for number in range(vocabulary)])
    for name, (rows, columns, kind) in tensors.items():
        weights, size = gguf.GGML_QUANT_SIZES[kind]
        shape = [rows, columns] if rows else [columns]
        is_packed = kind is not F32
        shape[-1] = shape[-1] // weights * size if is_packed else shape[-1]
        dtype = np.dtype(np.uint8 if is_packed else np.float32)
        writer.add_tensor_info(name, shape, dtype, 0, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    return path


def blocks(count, *parts, rows=256, columns=256):
    return {
        f"blk.{layer}.{part}.weight": (rows, columns, Q4_K)
        for layer in range(count)
        for part in parts
    }


def ends(rows=1024, columns=256, *, tied=False):
    table = {"token_embd.weight": (rows, columns, Q4_K), "output_norm.weight": (0, columns, F32)}
    return table if tied else table | {"output.weight": (rows, columns, Q6_K)}


def _cache(architecture):
    layout = cache_layout(architecture)
    groups = sorted(
        (each.layers, each.heads, each.head_elements, each.window_tokens or 0)
        for each in layout.groups
    )
    return groups, layout.state_bytes


def refused(path):
    with pytest.raises(CodedError) as caught:
        read_gguf(path)
    assert all(load_messages(one).error(caught.value) for one in ("en", "es"))
    return caught.value.code


def test_the_bits_of_our_estimates_are_those_of_the_package():
    """The catalogue's formats are sized without a file, and without the package."""
    sizes = {kind.name: size for kind, size in gguf.GGML_QUANT_SIZES.items()}
    for name, bits in TYPE_BITS.items():
        weights, size_bytes = sizes[name]
        assert bits == 8 * size_bytes / weights, name
    assert {name for name in TYPE_BITS if sizes[name][0] == 256} == BLOCK_OF_256


def test_every_format_is_one_of_the_catalogue(catalogue):
    assert {*FILE_TYPES.values(), *(name for _, name in NEAREST)} <= catalogue.precisions.keys()


def test_llama_has_its_weights_to_the_byte(tmp_path, catalogue):
    """Llama 3.1 8B, all in Q4_K (144 bytes for 256 weights), the head in Q6_K (210 bytes)."""
    tensors = {"token_embd.weight": (128_256, 4096, Q4_K), "output.weight": (128_256, 4096, Q6_K)}
    tensors["output_norm.weight"] = (0, 4096, F32)
    for layer in range(32):
        for part, rows, columns in (
            ("attn_q", 4096, 4096), ("attn_k", 1024, 4096), ("attn_v", 1024, 4096),
            ("attn_output", 4096, 4096), ("ffn_gate", 14_336, 4096), ("ffn_up", 14_336, 4096),
            ("ffn_down", 4096, 14_336),
        ):  # fmt: skip
            tensors[f"blk.{layer}.{part}.weight"] = (rows, columns, Q4_K)
        tensors[f"blk.{layer}.attn_norm.weight"] = (0, 4096, F32)
        tensors[f"blk.{layer}.ffn_norm.weight"] = (0, 4096, F32)
    values = {
        "general.file_type": 15, "general.name": "Llama 3.1 8B", "block_count": 32,
        "context_length": 131_072, "embedding_length": 4096, "feed_forward_length": 14_336,
        "attention.head_count": 32, "attention.head_count_kv": 8,
    }  # fmt: skip
    found = read_gguf(write(tmp_path / "m.gguf", "llama", values, tensors))
    sizes = {each.group: each for each in found.tensors}
    assert sum(each.parameters for each in found.tensors) == 8_030_261_248
    # 128,256 x 4,096 / 256 x 210, and 65 norms x 4,096 x 4.
    assert sizes[TensorGroup.HEAD].weights_bytes == 430_940_160
    assert sizes[TensorGroup.NORM].weights_bytes == 1_064_960
    assert (found.name, found.native_precision, found.engine) == (
        "Llama 3.1 8B", "q4-k-m", "llamacpp",
    )  # fmt: skip
    assert found.doubts == ()
    assert _cache(found.architecture) == _cache(catalogue.models["llama-3.1-8b"].architecture)


CACHES = {
    "gemma-3-1b": ("gemma3", ATTENTION, {
        "block_count": 26, "embedding_length": 1152, "attention.head_count": 4,
        "attention.head_count_kv": 1, "attention.key_length": 256, "attention.value_length": 256,
        "attention.sliding_window": 512,
    }),
    "gemma-2-27b": ("gemma2", ATTENTION, {
        "block_count": 46, "embedding_length": 4608, "attention.head_count": 32,
        "attention.head_count_kv": 16, "attention.key_length": 128, "attention.value_length": 128,
        "attention.sliding_window": 4096,
    }),
    "gpt-oss-20b": ("gpt-oss", ATTENTION, {
        "block_count": 24, "embedding_length": 2880, "attention.head_count": 64,
        "attention.head_count_kv": 8, "attention.key_length": 64, "attention.value_length": 64,
        "attention.sliding_window": 128,
    }),
    "command-r7b": ("cohere2", ATTENTION, {
        "block_count": 32, "embedding_length": 4096, "attention.head_count": 32,
        "attention.head_count_kv": 8, "attention.key_length": 128, "attention.value_length": 128,
        "attention.sliding_window": 4096,
    }),
    "gemma-4-31b": ("gemma4", ATTENTION, {
        "block_count": 60, "embedding_length": 5376, "attention.head_count": 32,
        "attention.head_count_kv": ([16] * 5 + [4]) * 10, "attention.key_length": 512,
        "attention.value_length": 512, "attention.key_length_swa": 256,
        "attention.value_length_swa": 256, "attention.sliding_window": 1024,
        "attention.sliding_window_pattern": ([True] * 5 + [False]) * 10,
    }),
    "gemma-3n-e2b": ("gemma3n", ATTENTION, {
        "block_count": 30, "embedding_length": 2048, "attention.head_count": 8,
        "attention.head_count_kv": 2, "attention.key_length": 256, "attention.value_length": 256,
        "attention.sliding_window": 512, "attention.shared_kv_layers": 10,
        "attention.sliding_window_pattern": ([True] * 4 + [False]) * 6,
    }),
    "deepseek-v3": ("deepseek2", ("attn_q_a", "attn_kv_a_mqa", "attn_output"), {
        "block_count": 62, "nextn_predict_layers": 1, "embedding_length": 7168,
        "attention.head_count": 128, "attention.head_count_kv": 1, "attention.key_length": 576,
        "attention.value_length": 512, "attention.key_length_mla": 192,
        "attention.value_length_mla": 128, "attention.kv_lora_rank": 512,
        "attention.q_lora_rank": 1536, "rope.dimension_count": 64,
    }),
}  # fmt: skip
"""Metadata of llama.cpp's converter for models of the catalogue."""


@pytest.mark.parametrize("model_id", CACHES)
def test_windows_latents_and_shared_caches_are_those_of_the_catalogue(
    tmp_path, catalogue, model_id
):
    architecture, parts, values = CACHES[model_id]
    tensors = blocks(values["block_count"], *parts) | ends()
    found = read_gguf(write(tmp_path / "m.gguf", architecture, values, tensors))
    assert _cache(found.architecture) == _cache(catalogue.models[model_id].architecture)


def test_a_file_from_before_latent_keys_keeps_whole_keys_and_values(tmp_path):
    """Without `key_length_mla` llama.cpp caches 128 heads x (192 + 128) numbers."""
    _, parts, values = CACHES["deepseek-v3"]
    old = {key: value for key, value in values.items() if not key.endswith("_mla")}
    old |= {
        "attention.head_count_kv": 128, "attention.key_length": 192,
        "attention.value_length": 128,
    }  # fmt: skip
    found = read_gguf(write(tmp_path / "m.gguf", "deepseek2", old, blocks(62, *parts) | ends()))
    assert cache_layout(found.architecture).elements_per_token == 61 * 128 * (192 + 128)


def test_hybrids_keep_their_states(tmp_path, catalogue):
    """Qwen3-Next: each fourth layer attends; Nemotron-H: blocks of one kind each."""
    qwen = {
        "block_count": 48, "embedding_length": 2048, "attention.head_count": 16,
        "attention.head_count_kv": 2, "attention.key_length": 256, "attention.value_length": 256,
        "ssm.conv_kernel": 4, "ssm.inner_size": 4096, "ssm.state_size": 128,
        "ssm.time_step_rank": 32, "ssm.group_count": 16, "expert_count": 512,
        "expert_used_count": 10, "expert_feed_forward_length": 512,
        "expert_shared_feed_forward_length": 512,
    }  # fmt: skip
    tensors = ends() | blocks(48, "ffn_up_exps")
    for layer in range(48):
        parts = ATTENTION if (layer + 1) % 4 == 0 else ("attn_qkv", "ssm_out", "ssm_conv1d")
        tensors |= {f"blk.{layer}.{part}.weight": (256, 256, Q4_K) for part in parts}
    found = read_gguf(write(tmp_path / "q.gguf", "qwen3next", qwen, tensors))
    model = catalogue.models["qwen3-next-80b-a3b"]
    assert _cache(found.architecture) == _cache(model.architecture)
    assert found.architecture.moe.layers == 48
    assert found.kind is ModelKind.HYBRID

    pattern = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"
    parts = {"M": ("ssm_in", "ssm_out"), "*": ATTENTION, "-": ("ffn_up", "ffn_down")}
    tensors = ends() | {
        f"blk.{layer}.{part}.weight": (256, 256, Q4_K)
        for layer, mark in enumerate(pattern)
        for part in parts[mark]
    }
    nemotron = {
        "block_count": 52, "embedding_length": 4096, "attention.head_count": 32,
        "attention.head_count_kv": [8 if mark == "*" else 0 for mark in pattern],
        "attention.key_length": 128, "attention.value_length": 128, "ssm.conv_kernel": 4,
        "ssm.inner_size": 8192, "ssm.state_size": 128, "ssm.time_step_rank": 128,
        "ssm.group_count": 8, "feed_forward_length": [21_504 * (mark == "-") for mark in pattern],
    }  # fmt: skip
    found = read_gguf(write(tmp_path / "n.gguf", "nemotron_h", nemotron, tensors))
    assert _cache(found.architecture) == _cache(catalogue.models["nemotron-h-8b"].architecture)


SMALL = {
    "block_count": 2, "embedding_length": 256, "attention.head_count": 4,
    "feed_forward_length": 512, "general.file_type": 15,
}  # fmt: skip


class TestParts:
    def write_parts(self, folder, numbers=(1, 2, 3)):
        tensors = blocks(2, *ATTENTION), blocks(2, "ffn_up", "ffn_down"), ends()
        for number in numbers:
            name = f"m-{number:05}-of-00003.gguf"
            write(folder / name, "llama", SMALL, tensors[number - 1])
        return folder / "m-00002-of-00003.gguf"

    def test_all_parts_are_added_up(self, tmp_path):
        """14 matrices of 256 x 256, table and head of 1,024 x 256, a norm of 256."""
        found = read_gguf(self.write_parts(tmp_path))
        parameters = sum(each.parameters for each in found.tensors)
        assert parameters == 12 * 256 * 256 + 2 * 1024 * 256 + 256

    def test_a_missing_part_is_named(self, tmp_path):
        path = self.write_parts(tmp_path, numbers=(1, 2))
        with pytest.raises(CodedError) as caught:
            read_gguf(path)
        assert (caught.value.code, caught.value.values) == (
            "file_part_missing", {"path": "m-00003-of-00003.gguf"},
        )  # fmt: skip

    def test_layers_that_predict_ahead_are_set_apart(self, tmp_path):
        values = SMALL | {"block_count": 3, "nextn_predict_layers": 1}
        tensors = blocks(3, *ATTENTION) | ends()
        found = read_gguf(write(tmp_path / "m.gguf", "glm4moe", values, tensors))
        assert found.architecture.layers == 2
        assert found.mtp_parameters == 4 * 256 * 256

    def test_a_model_without_tensors_is_refused(self, tmp_path):
        assert refused(write(tmp_path / "m.gguf", "llama", SMALL, {})) == "file_malformed"

    def test_an_unknown_file_type_is_told(self, tmp_path):
        values = SMALL | {"general.file_type": 36}
        found = read_gguf(
            write(tmp_path / "m.gguf", "llama", values, blocks(2, *ATTENTION) | ends())
        )
        assert found.doubts == (Doubt.QUANTISATION,)

    def test_a_missing_key_is_named(self, tmp_path):
        values = {"block_count": 2}
        path = write(tmp_path / "m.gguf", "llama", values, blocks(2, *ATTENTION) | ends())
        assert refused(path) == "gguf_incomplete"

    def test_a_value_that_cannot_be_is_named_as_the_file_has_it(self, tmp_path):
        values = SMALL | {"block_count": "two"}
        path = write(tmp_path / "m.gguf", "llama", values, blocks(2, *ATTENTION) | ends())
        with pytest.raises(CodedError) as caught:
            read_gguf(path)
        sentence = load_messages("en").error(caught.value)
        assert sentence == "The file says “two” for “llama.block_count”: that cannot be."


def test_the_terminal_answers_in_the_bytes_of_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "log.db"))
    path = write(tmp_path / "m.gguf", "llama", SMALL, blocks(2, *ATTENTION) | ends())
    assert main(["--file", str(path), "users=2", "--lang", "es"]) == 0
    page = capsys.readouterr().out
    assert "llama.cpp" in page
    assert "m.gguf" in page


def test_a_process_that_has_opened_its_log_still_reads_files(tmp_path):
    """The log is opened without NumPy, which the package needs a moment later."""
    path = write(tmp_path / "m.gguf", "llama", SMALL, blocks(2, *ATTENTION) | ends())
    code = "import sys; from bot.cli import main; sys.exit(main(sys.argv[1:]))"
    found = subprocess.run(
        [sys.executable, "-c", code, "--file", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"GPUSIZE_DB": str(tmp_path / "log.db"), "PYTHONIOENCODING": "utf-8"},
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert "m.gguf" in found.stdout


def test_the_start_command_names_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "log.db"))
    path = write(tmp_path / "my m.gguf", "llama", SMALL, blocks(2, *ATTENTION) | ends())
    assert main(["start", "--file", str(path), "gpu=l4"]) == 0
    assert "'/models/my m.gguf'" in capsys.readouterr().out
