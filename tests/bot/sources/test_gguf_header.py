"""The bounded reader gives what the package's own reader gives, and refuses what is damaged."""

import struct
import time
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFValueType, Keys
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import CodedError
from bot.messages import load_messages
from bot.sources.gguf_file import read_gguf
from bot.sources.gguf_header import (
    LONGEST_LIST,
    LONGEST_TEXT_BYTES,
    MOST_KEYS,
    MOST_TENSORS,
    read_header,
)

F32, F16, Q4_K, Q6_K, Q8_0, MXFP4 = (
    GGMLQuantizationType.F32,
    GGMLQuantizationType.F16,
    GGMLQuantizationType.Q4_K,
    GGMLQuantizationType.Q6_K,
    GGMLQuantizationType.Q8_0,
    GGMLQuantizationType.MXFP4,
)

ATTENTION = {
    "attn_q.weight": (Q4_K, 256, 256), "attn_k.weight": (Q4_K, 64, 256),
    "attn_v.weight": (Q6_K, 64, 256), "attn_output.weight": (Q4_K, 256, 256),
    "attn_norm.weight": (F32, 256),
}  # fmt: skip
FFN = {
    "ffn_gate.weight": (Q4_K, 512, 256), "ffn_up.weight": (Q4_K, 512, 256),
    "ffn_down.weight": (Q6_K, 256, 512),
}  # fmt: skip
EXPERTS = {
    "ffn_gate_inp.weight": (F32, 4, 256), "ffn_gate_exps.weight": (MXFP4, 4, 128, 256),
    "ffn_up_exps.weight": (MXFP4, 4, 128, 256), "ffn_down_exps.weight": (MXFP4, 4, 256, 128),
}  # fmt: skip
LATENT = {
    "attn_q.weight": (Q8_0, 384, 256), "attn_kv_a_mqa.weight": (Q8_0, 96, 256),
    "attn_k_b.weight": (Q8_0, 4, 64, 64), "attn_v_b.weight": (Q8_0, 4, 64, 64),
    "attn_output.weight": (Q8_0, 256, 256),
}  # fmt: skip
DELTA = {
    "attn_qkv.weight": (Q4_K, 512, 256), "ssm_conv1d.weight": (F32, 512, 4),
    "ssm_dt.bias": (F32, 4), "ssm_out.weight": (Q4_K, 256, 256),
}  # fmt: skip

BASICS = {
    Keys.LLM.BLOCK_COUNT: 2, Keys.LLM.EMBEDDING_LENGTH: 256, Keys.LLM.CONTEXT_LENGTH: 8192,
    Keys.LLM.FEED_FORWARD_LENGTH: 512, Keys.Attention.HEAD_COUNT: 4,
    Keys.Attention.HEAD_COUNT_KV: 1, Keys.Attention.LAYERNORM_RMS_EPS: 1e-5,
}  # fmt: skip

MODELS = {
    gguf.MODEL_ARCH.LLAMA: ({}, ATTENTION | FFN),
    gguf.MODEL_ARCH.BERT: ({Keys.Attention.CAUSAL: False}, ATTENTION | FFN),
    gguf.MODEL_ARCH.GEMMA3N: (
        {
            Keys.Attention.SLIDING_WINDOW: 512, Keys.Attention.SHARED_KV_LAYERS: 1,
            Keys.Attention.SLIDING_WINDOW_PATTERN: [True, False],
            Keys.LLM.ACTIVATION_SPARSITY_SCALE: [1.5, -0.25],
        },
        ATTENTION | FFN,
    ),
    gguf.MODEL_ARCH.GPT_OSS: (
        {Keys.LLM.EXPERT_COUNT: 4, Keys.LLM.EXPERT_USED_COUNT: 2}, ATTENTION | EXPERTS,
    ),
    gguf.MODEL_ARCH.DEEPSEEK2: (
        {
            Keys.Attention.KV_LORA_RANK: 64, Keys.Attention.KEY_LENGTH_MLA: 96,
            Keys.Attention.VALUE_LENGTH_MLA: 64, Keys.Rope.DIMENSION_COUNT: 32,
        },
        LATENT | EXPERTS,
    ),
    gguf.MODEL_ARCH.QWEN3NEXT: (
        {
            Keys.SSM.CONV_KERNEL: 4, Keys.SSM.INNER_SIZE: 256, Keys.SSM.STATE_SIZE: 64,
            Keys.SSM.TIME_STEP_RANK: 4, Keys.SSM.GROUP_COUNT: 2, Keys.LLM.EXPERT_COUNT: 4,
        },
        DELTA | EXPERTS,
    ),
    gguf.MODEL_ARCH.NEMOTRON_H: (
        {Keys.Attention.HEAD_COUNT_KV: [0, 8], Keys.LLM.FEED_FORWARD_LENGTH: [512, 0]},
        ATTENTION | FFN,
    ),
}  # fmt: skip
"""Metadata and tensors of a layer, by architecture."""


def write(path, architecture, values=None, tensors=None, *, words=20, order=gguf.GGUFEndian.LITTLE):
    """Write a whole file, weights too; tensors are a type and dimensions, the outermost first."""
    writer = gguf.GGUFWriter(path, architecture, endianess=order)
    for key, value in (values or {}).items():
        name = key.format(arch=architecture)
        kind = GGUFValueType.get_type(value)
        writer.add_key_value(name, value, kind)
    writer.add_token_list([f"word {number} ñ" for number in range(words)])
    writer.add_token_scores([-0.5] * words)
    for name, (kind, *shape) in (tensors or {}).items():
        if kind is F32 or kind is F16:
            weights = np.zeros(shape, np.float32 if kind is F32 else np.float16)
            writer.add_tensor(name, weights)
        else:
            packed = gguf.quants.quant_shape_to_byte_shape(shape, kind)
            writer.add_tensor(name, np.zeros(packed, np.uint8), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def of_layers(parts):
    table = {"token_embd.weight": (Q4_K, 20, 256), "output_norm.weight": (F32, 256)}
    layers = ((f"blk.{layer}.{name}", each) for layer in range(2) for name, each in parts.items())
    return table | dict(layers)


def plain(path):
    """Return what the package's own reader finds: values and tensors."""
    reader = gguf.GGUFReader(path)
    values = {
        name: tuple(content) if isinstance(content, list) else content
        for name, content in ((name, field.contents()) for name, field in reader.fields.items())
        if not name.startswith("GGUF.")
    }
    tensors = [
        (each.name, each.n_elements, each.n_bytes, tuple(each.shape.tolist()))
        for each in reader.tensors
    ]
    return values, tensors


def ours(path):
    header = read_header(path)
    tensors = [
        (each.name, each.parameters, each.size_bytes, header.shapes[each.name])
        for each in header.tensors
    ]
    return header.values, tensors


def without_texts(values):
    """Leave lists of texts out, as our reader does."""
    return {
        key: value
        for key, value in values.items()
        if not (isinstance(value, tuple) and any(isinstance(each, str) for each in value))
    }


@pytest.mark.parametrize("architecture", MODELS, ids=lambda each: each.name)
def test_a_file_is_what_the_package_finds(tmp_path, architecture):
    values, parts = MODELS[architecture]
    name = gguf.MODEL_ARCH_NAMES[architecture]
    path = write(tmp_path / "m.gguf", name, BASICS | values, of_layers(parts))
    theirs, tensors = plain(path)
    assert ours(path) == (without_texts(theirs), tensors)
    assert theirs["general.architecture"] == name
    assert len(tensors) == 2 + 2 * len(parts)
    assert read_gguf(path).architecture.layers == 2


def test_every_type_has_the_bytes_of_the_package(tmp_path):
    """Rows of 256 are whole blocks of every type."""
    kinds = {kind: (kind, 3, 256) for kind in gguf.GGML_QUANT_SIZES}
    tensors = {kind.name: shape for kind, shape in kinds.items() if kind not in (F32, F16)}
    path = write(tmp_path / "m.gguf", "llama", {}, tensors)
    found = {each.name: each.size_bytes for each in read_header(path).tensors}
    assert list(ours(path)[1]) == plain(path)[1]
    assert len(found) == len(gguf.GGML_QUANT_SIZES) - 2
    # 3 x 256 weights: 3 blocks of 144 bytes, 24 of 34, 3 of 66.
    assert (found["Q4_K"], found["Q8_0"], found["IQ2_XXS"]) == (432, 816, 198)


NUMBERS = {
    GGUFValueType.UINT8: 255, GGUFValueType.INT8: -128, GGUFValueType.UINT16: 2**16 - 1,
    GGUFValueType.INT16: -(2**15), GGUFValueType.UINT32: 2**32 - 1, GGUFValueType.INT32: -(2**31),
    GGUFValueType.UINT64: 2**64 - 1, GGUFValueType.INT64: -(2**63), GGUFValueType.FLOAT32: 0.5,
    GGUFValueType.FLOAT64: 1e300, GGUFValueType.BOOL: True, GGUFValueType.STRING: "ñandú",
}  # fmt: skip


@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.name)
def test_every_type_of_value_is_read(tmp_path, kind):
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_key_value("one", NUMBERS[kind], kind)
    writer.add_key_value("many", [NUMBERS[kind]] * 3, GGUFValueType.ARRAY, sub_type=kind)
    writer.add_uint32("last", 7)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    values = read_header(tmp_path / "m.gguf").values
    assert values["one"] == NUMBERS[kind]
    assert type(values["one"]) is type(NUMBERS[kind])
    is_text = kind is GGUFValueType.STRING
    assert values.get("many") == (None if is_text else (NUMBERS[kind],) * 3)
    assert values["last"] == 7


scalars = st.one_of(
    st.integers(0, 2**31 - 1), st.booleans(), st.text(max_size=9), st.floats(width=32)
)
lists = st.one_of(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=9),
    st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=9),
    st.lists(st.text(max_size=5), min_size=1, max_size=9),
)


@given(st.dictionaries(st.from_regex(r"[a-z_.]{1,9}", fullmatch=True), scalars | lists, max_size=9))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_metadata_is_what_the_package_finds(tmp_path, values):
    path = write(tmp_path / "m.gguf", "llama", values, {"a": (F16, 2, 3)}, words=1)
    theirs, tensors = plain(path)
    found, ours_too = ours(path)
    assert ours_too == tensors
    # repr: a float that is no number equals nothing.
    assert repr(found) == repr(without_texts(theirs))


def test_long_lists_and_texts_are_stepped_over(tmp_path):
    values = {
        "short": [1] * LONGEST_LIST, "long": [1] * (LONGEST_LIST + 1),
        "text": "x" * LONGEST_TEXT_BYTES, "file": "x" * (LONGEST_TEXT_BYTES + 1), "last": 5,
    }  # fmt: skip
    found = read_header(write(tmp_path / "m.gguf", "llama", values)).values
    assert "long" not in found
    assert found["short"] == (1,) * LONGEST_LIST
    assert (len(found["text"]), found["file"], found["last"]) == (LONGEST_TEXT_BYTES, "", 5)


def test_a_vocabulary_of_a_quarter_million_words_costs_no_more_than_its_length(tmp_path):
    """The package's own reader makes several arrays for every word: over a minute."""
    path = write(tmp_path / "m.gguf", "llama", BASICS, of_layers(ATTENTION), words=256_000)
    began = time.perf_counter()
    assert len(read_header(path).tensors) == 12
    assert time.perf_counter() - began < 5


def test_the_header_alone_is_enough(tmp_path):
    """What was cut off behind the header is not missed: weights are not read."""
    parts = {"ffn_up.weight": (Q4_K, 512, 256), "ffn_norm.weight": (F32, 256)}
    path = write(tmp_path / "m.gguf", "llama", BASICS, of_layers(parts), words=2)
    whole, content = read_header(path), path.read_bytes()
    # The last tensor's name, number of dimensions, one dimension, type and offset.
    last = b"blk.1.ffn_norm.weight"
    end = content.index(last) + len(last) + 4 + 8 + 4 + 8
    assert end < len(content) / 10
    path.write_bytes(content[:end])
    assert read_header(path) == whole
    for cut in range(end):
        path.write_bytes(content[:cut])
        with pytest.raises(CodedError):
            read_header(path)


def test_a_part_without_tensors_is_read_to_its_end(tmp_path):
    """llama.cpp's splitter leaves the metadata a file of its own (`--no-tensor-first-split`)."""
    path = tmp_path / "m.gguf"
    path.write_bytes(pairs(key(8) + struct.pack("<Q", 0)))
    assert read_header(path).values == {"a": ""}
    path.write_bytes(pairs(key(9) + struct.pack("<IQQ", 8, 1, 0)))
    assert read_header(path).values == {}
    # Its only word claims a byte that the file lacks.
    path.write_bytes(pairs(key(9) + struct.pack("<IQQ", 8, 1, 1)))
    assert refused(path) == "file_malformed"


def test_bytes_that_are_no_text_are_replaced(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(pairs(key(8) + struct.pack("<Q2s", 2, b"a\xff")))
    assert read_header(path).values == {"a": "a\ufffd"}


MAGIC = b"GGUF"


def start(tensors, keys, version=3):
    """Return how a file begins that claims so many of both."""
    return MAGIC + struct.pack("<IQQ", version, tensors, keys)


def key(kind, name=b"a"):
    """Return a key and the type of its value, as a file has them."""
    return struct.pack(f"<Q{len(name)}sI", len(name), name, kind)


def tensor(kind, *dimensions, name=b"a"):
    """Return what a header says of a tensor."""
    count = len(dimensions)
    named = struct.pack(f"<Q{len(name)}sI", len(name), name, count)
    return named + struct.pack(f"<{count}QIQ", *dimensions, kind, 0)


def pairs(*written):
    """Return a file of keys with their values."""
    return start(0, len(written)) + b"".join(written)


def tensors(*written):
    """Return a file of tensors."""
    return start(len(written), 0) + b"".join(written)


def names(count):
    return [b"%d" % number for number in range(count)]


def refused(path):
    with pytest.raises(CodedError) as caught:
        read_header(path)
    assert all(load_messages(one).error(caught.value) for one in ("en", "es"))
    return caught.value.code


HOSTILE = {
    "empty": b"",
    "magic alone": MAGIC,
    "other magic": b"GGML" + bytes(100),
    "version 1": start(0, 0, version=1),
    "version 4": start(0, 0, version=4),
    "big-endian": MAGIC + struct.pack(">IQQ", 3, 0, 0),
    "tensors without end": start(2**63, 0),
    "keys without end": start(0, 2**63),
    "too many tensors": tensors(*(tensor(0, 1, name=name) for name in names(MOST_TENSORS + 1))),
    "too many keys": pairs(*(key(0, name) + b"1" for name in names(MOST_KEYS + 1))),
    "long key": start(0, 1) + struct.pack("<Q", 2**60),
    "long text": pairs(key(8) + struct.pack("<Q", 2**60)),
    "text past all counting": pairs(key(8) + b"\xff" * 8),
    "long list of texts": pairs(key(9) + struct.pack("<IQ", 8, 2**60)),
    "long list of numbers": pairs(key(9) + struct.pack("<IQ", 4, 2**60)),
    "list past all counting": pairs(key(9) + struct.pack("<IQ", 10, 2**64 - 1)),
    "list of lists": pairs(key(9) + struct.pack("<IQIQI", 9, 1, 4, 1, 1)),
    "unknown type of value": pairs(key(99) + bytes(8)),
    "key twice": pairs(key(0) + b"1", key(0) + b"1"),
    "key that is no text": pairs(key(0, b"\xff") + b"1"),
    "tensor twice": tensors(tensor(0, 1), tensor(0, 1)),
    "no dimensions": tensors(tensor(0)),
    "five dimensions": tensors(tensor(0, 1, 1, 1, 1, 1)),
    "dimension of nothing": tensors(tensor(0, 32, 0)),
    "dimensions past all counting": tensors(tensor(0, 2**63, 2**63, 4)),
    "dimensions without end": start(1, 0) + struct.pack("<Q1sI", 1, b"a", 2**32 - 1),
    "unknown type of tensor": tensors(tensor(999, 32)),
    "type that is no more": tensors(tensor(4, 32)),
    "row of part of a block": tensors(tensor(12, 255)),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused_at_once(tmp_path, what):
    path = tmp_path / "m.gguf"
    path.write_bytes(HOSTILE[what])
    began = time.perf_counter()
    assert refused(path) == "file_malformed"
    assert time.perf_counter() - began < 2


def test_as_many_keys_as_are_read(tmp_path):
    """One more is among the hostile files."""
    path = tmp_path / "m.gguf"
    path.write_bytes(pairs(*(key(0, name) + b"1" for name in names(MOST_KEYS))))
    assert len(read_header(path).values) == MOST_KEYS


def test_a_file_of_zeros_without_end_is_given_up(tmp_path):
    """A list of empty texts over 64 GB, all of them in a hole of the disk."""
    path = tmp_path / "m.gguf"
    path.write_bytes(HOSTILE["long list of texts"])
    with path.open("r+b") as file:
        file.truncate(2**36)
    began = time.perf_counter()
    assert refused(path) == "file_malformed"
    assert time.perf_counter() - began < 20


def test_the_other_byte_order_is_refused(tmp_path):
    path = write(tmp_path / "m.gguf", "llama", BASICS, order=gguf.GGUFEndian.BIG)
    assert refused(path) == "file_malformed"


def test_what_is_no_file_is_refused(tmp_path):
    assert refused(tmp_path / "none.gguf") == "file_unreadable"
    assert refused(tmp_path) == "file_unreadable"


@given(at=st.integers(0, 400), byte=st.integers(0, 255), end=st.integers(0, 2000))
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_damage_gives_a_model_or_a_sentence(tmp_path, at, byte, end):
    whole = tmp_path / "whole.gguf"
    if not whole.exists():
        write(whole, "llama", BASICS, of_layers(ATTENTION | FFN), words=3)
    content = bytearray(whole.read_bytes())
    content[at % len(content)] = byte
    damaged = Path(tmp_path / "m.gguf")
    damaged.write_bytes(content if end > 1000 else content[:end])
    assert outcome(damaged)


def outcome(path):
    """Return the name of a model, or the sentence that refuses it."""
    try:
        return read_gguf(path).name
    except CodedError as error:
        return load_messages("en").error(error)
