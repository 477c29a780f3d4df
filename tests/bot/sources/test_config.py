"""Published configurations lead to the shapes of the catalogue, and bad ones to a sentence."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import CodedError
from bot.messages import load_messages
from bot.sources.config import FAMILIES, read_config
from sizing.architecture import parameter_count, tensor_groups
from sizing.catalogue import load_catalogue
from sizing.kv_cache import cache_layout
from sizing.records import Doubt, ModelKind, TensorGroup

PUBLISHED = {
    line["model"]: line["config"]
    for line in map(
        json.loads,
        (Path(__file__).parent / "published.jsonl").read_text(encoding="utf-8").splitlines(),
    )
}
"""Keys and numbers of `config.json` as the publishers give them, by catalogue model."""

WITHOUT_DTYPE = {"bloom-560m", "gpt-2", "gpt-2-xl", "gpt-j-6b", "mistral-small-4-119b"}
"""Files that do not name the type of their weights, or leave it to another file."""

PLAIN = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128_256, "max_position_embeddings": 131_072, "torch_dtype": "bfloat16",
}  # fmt: skip
"""Llama 3.1 8B, the configuration that the cases below change."""


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue()


def read(config):
    content = config if isinstance(config, bytes) else json.dumps(config).encode()
    return read_config(content, "config.json")


def outcome(config):
    """Return the parameters of a model, or the sentence that refuses it."""
    try:
        return parameter_count(read(config).architecture)
    except CodedError as error:
        return load_messages("en").error(error)


def refused(config):
    """Return the code and the values of the refusal, and check that it has sentences."""
    with pytest.raises(CodedError) as caught:
        read(config)
    assert all(load_messages(one).error(caught.value) for one in ("en", "es"))
    return caught.value.code, caught.value.values


def _cache(architecture):
    layout = cache_layout(architecture)
    layers = sorted(
        (each.layers, each.heads, each.head_elements, each.window_tokens or 0)
        for each in layout.groups
    )
    return layers, layout.state_bytes


@pytest.mark.parametrize("model_id", PUBLISHED)
def test_a_published_file_gives_the_parameters_and_the_cache_of_the_catalogue(catalogue, model_id):
    """Encoders that the file has no shape for are left out on both sides."""
    model, found = catalogue.models[model_id], read(PUBLISHED[model_id])
    counted = found.architecture.given_parameters
    towers = {TensorGroup.VISION, TensorGroup.AUDIO} - counted.keys()
    expected = sum(
        size.parameters for size in tensor_groups(model.architecture) if size.group not in towers
    )
    assert parameter_count(found.architecture) == expected
    assert _cache(found.architecture) == _cache(model.architecture)
    assert found.doubts == ()


@pytest.mark.parametrize("model_id", sorted(PUBLISHED.keys() - WITHOUT_DTYPE - {"starcoder"}))
def test_the_published_precision_is_read(catalogue, model_id):
    model, found = catalogue.models[model_id], read(PUBLISHED[model_id])
    assert (found.native_precision, found.native_groups) == (
        model.native_precision,
        model.native_groups,
    )


@pytest.mark.parametrize(
    "model_id", ["deepseek-v3", "deepseek-v3.2", "glm-4.5", "glm-4.5-air", "glm-5", "qwen3.5-27b"]
)
def test_heads_that_predict_several_tokens_are_counted_apart(catalogue, model_id):
    published = catalogue.models[model_id].mtp_parameters
    assert read(PUBLISHED[model_id]).mtp_parameters == published > 0


def test_many_lines_of_models_are_covered():
    kinds = {read(config).model_type for config in PUBLISHED.values()}
    assert len(kinds) >= 60
    assert len(FAMILIES) >= 90


class TestEncoders:
    """Counts of the published checkpoints (Hugging Face Hub, 2026-11-30)."""

    def test_bert_base(self):
        """30,522 + 512 + 2 rows x 768, 12 layers of 7,087,872, two norms, a pooler: 109,482,240."""
        found = read({
            "model_type": "bert", "hidden_size": 768, "intermediate_size": 3072,
            "num_attention_heads": 12, "num_hidden_layers": 12, "vocab_size": 30_522,
            "max_position_embeddings": 512, "type_vocab_size": 2,
        })  # fmt: skip
        assert parameter_count(found.architecture) == 109_482_240
        assert cache_layout(found.architecture).groups == ()

    def test_modernbert_base(self):
        """38,682,624 + 22 x (4 x 768^2 + 3 x 768 x 1,152) + 45 norms x 768: 149,014,272."""
        found = read({
            "model_type": "modernbert", "hidden_size": 768, "intermediate_size": 1152,
            "num_attention_heads": 12, "num_hidden_layers": 22, "vocab_size": 50_368,
            "max_position_embeddings": 8192, "local_attention": 128,
        })  # fmt: skip
        assert parameter_count(found.architecture) == 149_014_272

    def test_t5_base(self):
        """T5 of 220 million: google-t5/t5-base has 222,903,552."""
        found = read({
            "model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 12,
            "num_decoder_layers": 12, "num_heads": 12, "vocab_size": 32_128,
            "feed_forward_proj": "relu",
        })  # fmt: skip
        assert parameter_count(found.architecture) == 222_903_552

    def test_whisper_large_v3(self):
        """openai/whisper-large-v3 has 1,543,490,560 with the fixed positions of its encoder."""
        found = read({
            "model_type": "whisper", "d_model": 1280, "decoder_layers": 32, "encoder_layers": 32,
            "decoder_attention_heads": 20, "encoder_attention_heads": 20, "decoder_ffn_dim": 5120,
            "encoder_ffn_dim": 5120, "num_mel_bins": 128, "vocab_size": 51_866,
            "max_source_positions": 1500, "max_target_positions": 448, "torch_dtype": "float16",
        })  # fmt: skip
        assert parameter_count(found.architecture) == 1_543_490_560
        [own, cross] = cache_layout(found.architecture).groups
        assert (own.window_tokens, cross.window_tokens) == (None, 1500)


class TestFormats:
    """`quantization_config` of published checkpoints."""

    @pytest.mark.parametrize(
        ("settings", "precision"),
        [
            ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-block"),
            ({"quant_method": "fp8", "activation_scheme": "static"}, "fp8"),
            ({"quant_method": "fbgemm_fp8"}, "fp8"),
            ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, "awq"),
            ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq-int4"),
            ({"quant_method": "gptq", "bits": 4, "group_size": 32}, "gptq-int4-g32"),
            ({"quant_method": "gptq", "bits": 8, "group_size": -1}, "w8a16"),
            ({"quant_method": "gptq", "bits": 8, "group_size": 128}, "gptq-int8"),
            ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bnb-nf4"),
            ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bnb-int8"),
            ({"quant_method": "mxfp4"}, "mxfp4"),
            ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
            ({"quant_method": "modelopt", "quantization": {"quant_algo": "FP8"}}, "fp8"),
            ({"quant_method": "hqq"}, "hqq-4bit"),
        ],
    )
    def test_methods(self, catalogue, settings, precision):
        found = read(PLAIN | {"quantization_config": settings})
        assert (found.native_precision, found.doubts) == (precision, ())
        assert precision in catalogue.precisions

    @pytest.mark.parametrize(
        ("weights", "activations", "precision"),
        [
            ({"num_bits": 8, "type": "float", "strategy": "channel"}, {"num_bits": 8}, "fp8"),
            ({"num_bits": 8, "type": "float", "strategy": "block"}, {"num_bits": 8}, "fp8-block"),
            ({"num_bits": 8, "type": "int", "strategy": "channel"}, {"num_bits": 8}, "int8"),
            ({"num_bits": 8, "type": "int", "strategy": "channel"}, None, "w8a16"),
            ({"num_bits": 4, "type": "int", "group_size": 128}, None, "int4"),
            ({"num_bits": 4, "type": "int", "group_size": 32}, None, "w4a16-g32"),
            ({"num_bits": 4, "type": "int", "group_size": 128}, {"num_bits": 8}, "w4a8"),
            ({"num_bits": 4, "type": "float", "group_size": 16}, {"num_bits": 4}, "nvfp4"),
            ({"num_bits": 4, "type": "float", "group_size": 32}, None, "mxfp4"),
        ],
    )
    def test_compressed_tensors(self, catalogue, weights, activations, precision):
        group = {"targets": ["Linear"], "weights": weights, "input_activations": activations}
        quantised = {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}
        found = read(PLAIN | {"quantization_config": quantised | {"ignore": ["lm_head"]}})
        assert (found.native_precision, found.native_groups) == (precision, {})
        assert precision in catalogue.precisions

    def test_modules_left_out_stay_in_16_bits(self):
        quantised = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["*attn*"]}
        found = read(PLAIN | {"quantization_config": quantised})
        assert found.native_groups == {
            TensorGroup.FFN: "nvfp4",
            TensorGroup.EXPERTS: "nvfp4",
            TensorGroup.SHARED_EXPERTS: "nvfp4",
        }

    def test_a_single_layer_left_out_changes_little(self):
        quantised = {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.0.self_attn"]}
        assert read(PLAIN | {"quantization_config": quantised}).native_groups == {}

    def test_an_unknown_method_is_told(self):
        found = read(PLAIN | {"quantization_config": {"quant_method": "aqlm", "bits": 2}})
        assert (found.native_precision, found.doubts) == ("bf16", (Doubt.QUANTISATION,))


class TestUnknownTypes:
    def test_the_keys_of_a_decoder_give_an_estimate(self):
        found = read(PLAIN | {"model_type": "brandnew"})
        assert found.doubts == (Doubt.MODEL_TYPE,)
        assert parameter_count(found.architecture) == 8_030_261_248

    def test_experts_named_as_usual_are_seen(self):
        moe = {"num_experts": 64, "num_experts_per_tok": 8, "moe_intermediate_size": 1024}
        found = read(PLAIN | moe | {"model_type": "brandnew_moe"})
        assert (found.kind, found.architecture.moe.experts) == (ModelKind.MOE, 64)

    def test_missing_keys_are_named(self):
        code, values = refused({"model_type": "timm", "num_classes": 1000, "hidden_size": 64})
        assert code == "config_unknown_type"
        assert values["keys"] == "num_hidden_layers, num_attention_heads, vocab_size"

    def test_a_known_type_that_lacks_a_key_is_refused(self):
        config = {key: value for key, value in PLAIN.items() if key != "hidden_size"}
        assert refused(config) == ("config_incomplete", {"keys": "hidden_size"})

    def test_an_encoder_without_a_shape_is_told(self):
        found = read(PLAIN | {"vision_config": {"architecture": "mobilenetv5_300m_enc"}})
        assert found.doubts == (Doubt.ENCODER,)
        assert TensorGroup.VISION not in found.architecture.given_parameters


class TestHostileFiles:
    @pytest.mark.parametrize(
        "content",
        [
            b"", b"[]", b"42", b"null", b"{", b"\xff\xfe\x00", b"[" * 100_000,
            b'{"a":' * 500 + b"1" + b"}" * 500,
        ],
    )  # fmt: skip
    def test_what_is_no_table_is_refused(self, content):
        assert refused(content)[0] == "file_not_json"

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("hidden_size", -1), ("hidden_size", 0), ("hidden_size", "4096"),
            ("hidden_size", 1e30), ("hidden_size", 10**400),
            ("hidden_size", math.nan), ("hidden_size", math.inf),
            ("hidden_size", [4096]), ("hidden_size", True), ("num_hidden_layers", 10**8),
            ("num_attention_heads", 0.5), ("vocab_size", {"a": 1}), ("num_key_value_heads", -8),
        ],
    )  # fmt: skip
    def test_numbers_out_of_bounds_are_refused(self, key, value):
        code, _ = refused(PLAIN | {key: value})
        assert code in {"config_value", "config_incomplete"}

    @pytest.mark.parametrize(
        "config",
        [
            PUBLISHED["gpt-oss-20b"] | {"num_hidden_layers": 11},
            PUBLISHED["nemotron-h-8b"] | {"hybrid_override_pattern": "M*-E" * 2501},
            PUBLISHED["gemma-4-e2b"]["text_config"] | {"num_kv_shared_layers": 99},
        ],
    )
    def test_more_layers_of_a_kind_than_there_are_is_refused_or_bounded(self, config):
        assert outcome(config)

    def test_a_list_of_layers_longer_than_the_model_is_refused(self):
        """gpt-oss-20b lists 12 windows among 24 layers: a model of 11 cannot have them."""
        code, values = refused(PUBLISHED["gpt-oss-20b"] | {"num_hidden_layers": 11})
        assert (code, values["key"]) == ("config_value", "layer_types")

    @given(
        changed=st.dictionaries(
            st.sampled_from(sorted({key for config in PUBLISHED.values() for key in config})),
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
            | st.lists(st.integers() | st.text(max_size=3), max_size=4)
            | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
            max_size=3,
        ),
        model_id=st.sampled_from(sorted(PUBLISHED)),
    )  # fmt: skip
    @settings(max_examples=400, deadline=None)
    def test_any_change_gives_a_model_or_a_sentence(self, changed, model_id):
        assert outcome(PUBLISHED[model_id] | changed)
