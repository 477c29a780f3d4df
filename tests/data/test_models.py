"""Every model of the catalogue: its count against the published one, its names, its formats."""

from __future__ import annotations

import tomllib

import pytest

from sizing.architecture import (
    active_parameter_count,
    parameter_count,
)
from sizing.attention_layers import attention_layer_count
from sizing.catalogue import Catalogue, data_dir
from sizing.catalogue_rules import name_key
from sizing.engine import size
from sizing.kv_cache import cache_layout
from sizing.records import Attention, ModelKind, ModelRecord
from sizing.request import SizingRequest

IDS = sorted(
    entry["id"]
    for file in (data_dir() / "models").glob("*.toml")
    for entry in tomllib.loads(file.read_text())["model"]
)

COUNTED_MINUS_PUBLISHED = {
    # Published total recalled from the Hub and not reproduced by the published shape.
    "deepseek-llm-67b": 122_880,
    "granite-3.1-1b-a400m": -4_096,  # four vocabulary entries more than its config.json has
    "jamba-1.5-large": 34_272,  # 63 x 544: without the norms of the Mamba mixers
    "llava-1.5-13b": 655_360,  # 2 x 64 x 5,120: without the 64 padded vocabulary entries
    "moonlight-16b-a3b": -1_728,  # 27 x 64: a buffer of each layer
    "qwen2-57b-a14b": -485_888,
    # Published total is a file size / 2: vectors in FP32 count twice, headers count too.
    "gemma-4-26b-a4b": -2_334,
    "glm-5": -19_200,  # 75 x 256 balancing biases
    "glm-5.1": -19_200,
    "nemotron-3-nano-30b-a3b": -4_416,
    "qwen3.5-122b-a10b": -2_304,  # 36 x 64: A_log
    "qwen3.8-27b": -75_436,
    "qwen3.8-2.4t-a95b": -11_627_115,
    # Sizes of the vision and audio towers are known approximately.
    "gemma-4-31b": -6_193_596,
    "gemma-4-e2b": -21_609_635,
    "gemma-4-e4b": -59_144_042,
    # The preset holds keys and values of 15 layers; the configuration has 20 with their own.
    "gemma-3n-e2b": 10_486_592,
    "gemma-3n-e4b": -448,
}
"""Known differences of exact published totals, each with its reason."""


@pytest.fixture(params=IDS)
def model(request: pytest.FixtureRequest, catalogue: Catalogue) -> ModelRecord:
    return catalogue.models[request.param]


def stored_parameters(model: ModelRecord) -> int:
    """Return what the published statement counts."""
    mtp = model.mtp_parameters if model.published_includes_mtp else 0
    return parameter_count(model.architecture) + mtp


def test_count_equals_the_published_one(model: ModelRecord) -> None:
    published = model.published_parameters
    if published is None:
        assert model.id not in COUNTED_MINUS_PUBLISHED
    elif model.published_is_rounded:
        assert stored_parameters(model) == pytest.approx(published, rel=0.02)
    else:
        difference = stored_parameters(model) - published
        assert difference == COUNTED_MINUS_PUBLISHED.get(model.id, 0)
        assert abs(difference) < 0.01 * published


def test_active_parameters_are_a_part(model: ModelRecord) -> None:
    total = parameter_count(model.architecture)
    active = active_parameter_count(model.architecture)
    assert 0 < active <= total
    assert (active < total) == (model.architecture.moe is not None)


def test_kind_follows_the_shape(model: ModelRecord) -> None:
    shape = model.architecture
    if model.kind is ModelKind.LLM:
        assert shape.moe is None
        assert not shape.recurrent
    if model.kind is ModelKind.MOE:
        assert shape.moe is not None
    assert (model.kind is ModelKind.HYBRID) == bool(shape.recurrent)


def test_attention_follows_the_heads(model: ModelRecord) -> None:
    shape = model.architecture
    match shape.attention:
        case Attention.MHA:
            assert shape.kv_heads == shape.heads
        case Attention.GQA:
            assert 1 < shape.kv_heads < shape.heads
        case Attention.MQA:
            assert shape.kv_heads == 1
        case Attention.MLA:
            assert shape.mla is not None
    assert shape.heads % shape.kv_heads == 0


def test_layer_kinds_do_not_exceed_the_layers(model: ModelRecord) -> None:
    shape = model.architecture
    variants = sum(variant.layers for variant in shape.attention_variants)
    assert variants <= attention_layer_count(shape)
    assert shape.moe is None or shape.moe.layers <= shape.layers


def test_windows_are_shorter_than_the_context(model: ModelRecord) -> None:
    for variant in model.architecture.attention_variants:
        assert variant.window_tokens is None or variant.window_tokens < model.max_context_tokens


def test_names_are_written_as_the_parser_reads_them(model: ModelRecord) -> None:
    for name in (model.id, *model.aliases):
        assert name == name.lower()
        assert not set(" _:/") & set(name)
    assert list(model.aliases) == sorted(set(model.aliases))


def test_the_repository_name_is_understood(model: ModelRecord) -> None:
    """What people paste from the Hub finds the model, except where two generations share it."""
    shared = {"llama-1-7b", "llama-1-13b"}
    repository = name_key(model.hf_id.split("/")[1])
    known = {name_key(name) for name in (model.id, *model.aliases)}
    assert (repository in known) == (model.id not in shared)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llama-7b", "llama-2-7b"),
        ("llama-13b", "llama-2-13b"),
        ("llama-8b", "llama-3.1-8b"),
        ("llama-33b", "llama-1-33b"),
        ("llama-70b", "llama-3.3-70b"),
        ("llama3.1-8b", "llama-3.1-8b"),
        ("405b", "llama-3.1-405b"),
        ("8x7b", "mixtral-8x7b"),
        ("8x22b", "mixtral-8x22b"),
        ("mixtral", "mixtral-8x7b"),
        ("mistral-7b", "mistral-7b-v0.3"),
        ("zephyr-7b", "mistral-7b-v0.1"),
        ("mistral-small", "mistral-small-3.2-24b"),
        ("ministral", "ministral-3-8b"),
        ("qwq", "qwq-32b"),
        ("qwen3-30b-a3b", "qwen3-30b-a3b"),
        ("deepseek-r1", "deepseek-r1"),
        ("deepseek-r1-671b", "deepseek-r1"),
        ("deepseek-r1-70b", "deepseek-r1-distill-llama-70b"),
        ("deepseek-r1-32b", "deepseek-r1-distill-qwen-32b"),
        ("deepseek", "deepseek-v3"),
        ("gpt-oss", "gpt-oss-20b"),
        ("phi-4", "phi-4"),
        ("phi-4-mini", "phi-4-mini"),
        ("falcon-7b", "falcon-7b"),
        ("falcon3-7b", "falcon3-7b"),
        ("command-r", "command-r"),
        ("command-r-08-2024", "command-r-08-2024"),
        ("command-r+", "command-r-plus"),
        ("dbrx", "dbrx"),
        ("hy3", "hy3-295b-a21b"),
        ("nemotron-ultra", "nemotron-ultra-253b"),
        ("qwen3.8-max", "qwen3.8-2.4t-a95b"),
        ("kimi-k2", "kimi-k2"),
    ],
)
def test_names_people_type(catalogue: Catalogue, name: str, expected: str) -> None:
    owners = [model.id for model in catalogue.models.values() if name in (model.id, *model.aliases)]
    assert owners == [expected]


@pytest.mark.parametrize(
    ("model_id", "other"),
    [
        ("llama-2-13b", "llama-1-13b"),
        ("llama-3.3-70b", "llama-2-70b"),
        ("mistral-small-3.2-24b", "mistral-small-22b"),
        ("mistral-large-2-123b", "mistral-large-3-675b"),
        ("ministral-8b", "ministral-3-8b"),
        ("command-r", "command-r-08-2024"),
        ("qwen2.5-32b", "qwen3-32b"),
        ("deepseek-v3", "deepseek-r1"),
    ],
)
def test_ambiguous_names_have_alternatives(catalogue: Catalogue, model_id: str, other: str) -> None:
    assert other in catalogue.models[model_id].alternatives


@pytest.mark.parametrize(
    ("model_id", "elements"),
    [
        # Published figures in bytes of 16 bits, so half as many elements.
        ("llama-3-8b", 131_072 // 2),
        ("llama-3.1-405b", 516_096 // 2),
        ("llama-3.2-3b", 114_688 // 2),
        ("qwen2.5-72b", 327_680 // 2),
        ("gpt-2-xl", 307_200 // 2),
        # Allocations of llama.cpp for 2,048 tokens, bytes.
        ("mixtral-8x7b", 268_435_456 // 2_048 // 2),
        ("qwen1.5-32b", 536_870_912 // 2_048 // 2),
        ("yi-1.5-34b", 503_316_480 // 2_048 // 2),
        ("command-r", 2_684_354_560 // 2_048 // 2),
        # Query heads would make it eight times as much.
        ("tinyllama-1.1b", 2 * 22 * 4 * 64),
    ],
)
def test_kv_cache_against_published_figures(
    catalogue: Catalogue, model_id: str, elements: int
) -> None:
    assert cache_layout(catalogue.models[model_id].architecture).elements_per_token == elements


@pytest.mark.parametrize(
    ("model_id", "per_token", "bounded", "state_bytes"),
    [
        # Latent and rotary key of 61 layers: 61 x (512 + 64), 70,272 bytes (DeepSeek-V3, ISCA).
        ("deepseek-v3", 35_136, 0, 0),
        # The index key of 128 in every layer comes on top; GLM-5.2 has it in 21 of 78 layers.
        ("deepseek-v3.2", 35_136 + 61 * 128, 0, 0),
        ("glm-5.2", 78 * 576 + 21 * 128, 0, 0),
        # 21 layers keep (512 + 128) / 4, 20 keep 512 / 128, all 43 the last 128 x 512.
        ("deepseek-v4-flash", 21 * 160 + 20 * 4, 43 * 128 * 512, 0),
        # 10 of 62 layers keep all, 52 the last 1,024: 2 x 16 x 128 numbers each.
        ("gemma-3-27b", 10 * 4_096, 52 * 4_096 * 1_024, 0),
        # Global layers have 4 heads of 512, local ones 16 of 256.
        ("gemma-4-31b", 10 * 2 * 4 * 512, 50 * 2 * 16 * 256 * 1_024, 0),
        # The last 20 of 35 layers read earlier caches: 3 global and 12 local ones are left.
        ("gemma-4-e2b", 3 * 2 * 512, 12 * 2 * 256 * 512, 0),
        ("gpt-oss-120b", 18 * 1_024, 18 * 1_024 * 128, 0),
        ("llama-4-scout", 12 * 2_048, 36 * 2_048 * 8_192, 0),
        # Keys of 192, values of 128; 4 heads in global layers, 8 in local ones.
        ("mimo-v2-flash", 9 * 4 * 320, 39 * 8 * 320 * 128, 0),
        ("mistral-7b-v0.1", 0, 32 * 2_048 * 4_096, 0),
        # 36 layers keep 32 x 128 x 128 in FP32 and 3 x 8,192 in 16 bits.
        ("qwen3-next-80b-a3b", 12 * 1_024, 0, 36 * (32 * 128 * 128 * 4 + 3 * 8_192 * 2)),
        # 36 layers keep 128 x 64 x 128 in FP32 and 3 x (8,192 + 2 x 128) in 16 bits.
        ("granite-4.0-h-small", 4 * 2_048, 0, 36 * (128 * 64 * 128 * 4 + 3 * 8_448 * 2)),
        # 28 Mamba layers keep 8,192 x 16 in FP32 and 3 x 8,192 in 16 bits.
        ("jamba-1.5-mini", 4 * 2_048, 0, 28 * (8_192 * 16 * 4 + 3 * 8_192 * 2)),
        ("minimax-text-01", 10 * 2_048, 0, 70 * 64 * 128 * 128 * 4),
        # 20 layers keep 32 x 128 x 128 in FP32 and 3 x 3 x 4,096 in 16 bits; 7 keep latents.
        ("kimi-linear-48b-a3b", 7 * 576, 0, 20 * (32 * 128 * 128 * 4 + 9 * 4_096 * 2)),
        # 49 of 80 layers attend.
        ("nemotron-super-49b", 49 * 2_048, 0, 0),
        # 64 of 162.
        ("nemotron-ultra-253b", 64 * 2_048, 0, 0),
        # 23 of 92 layers attend: 4 heads of 256; 69 keep 128 x 128 x 128 in FP32.
        (
            "qwen3.8-2.4t-a95b",
            23 * 2_048,
            0,
            69 * (128 * 128 * 128 * 4 + 3 * (2 * 2_048 + 16_384) * 2),
        ),
    ],
)
def test_cache_of_every_kind_of_attention(
    catalogue: Catalogue, model_id: str, per_token: int, bounded: int, state_bytes: int
) -> None:
    layout = cache_layout(catalogue.models[model_id].architecture)
    assert layout.elements_per_token == per_token
    assert layout.bounded_elements == bounded
    assert layout.state_bytes == state_bytes


def test_an_image_adds_cross_attention(catalogue: Catalogue) -> None:
    """Llama 3.2 11B Vision: 8 layers x 2 x 8 x 128 numbers x 6,404 image tokens."""
    layout = cache_layout(catalogue.models["llama-3.2-11b-vision"].architecture)
    assert layout.elements_per_token == 32 * 2_048
    assert layout.image_group is not None
    kept = layout.image_group.kept_tokens(1)
    assert layout.image_group.elements_per_token * kept == 8 * 2_048 * 6_404


@pytest.mark.parametrize(
    ("model_id", "precision", "experts"),
    [
        ("deepseek-v3", "fp8-block", None),
        ("gpt-oss-120b", "mxfp4", "mxfp4"),
        ("kimi-k2", "fp8-block", None),
        ("kimi-k2-thinking", "w4a16-g32", "w4a16-g32"),
        ("deepseek-v4-pro", "mxfp4", "mxfp4"),
        ("ministral-3-8b", "fp8", None),
        ("llama-2-13b", "fp16", None),
        ("llama-3.1-8b", "bf16", None),
    ],
)
def test_published_formats(
    catalogue: Catalogue, model_id: str, precision: str, experts: str | None
) -> None:
    model = catalogue.models[model_id]
    assert model.native_precision == precision
    assert model.native_groups.get("experts") == experts


def test_stored_mtp_heads(catalogue: Catalogue) -> None:
    """DeepSeek V3's head: one expert layer, two copies of embedding and head, a projection.

    attention and norms   187,107,328 + 2 x 7,168                     =     187,121,664
    experts               (256 + 1) x 3 x 7,168 x 2,048               =  11,318,329,344
    router                256 x (7,168 + 1)                           =       1,835,264
    eh_proj, 3 norms      2 x 7,168 x 7,168 + 3 x 7,168               =     102,781,952
    embedding, head       2 x 129,280 x 7,168                         =   1,853,358,080
    """
    assert catalogue.models["deepseek-v3"].mtp_parameters == 13_463_426_304


@pytest.mark.parametrize(
    ("model_id", "precision", "size_bytes"),
    [
        # nvidia/Gemma-4-31B-IT-NVFP4: the FFN alone in NVFP4.
        ("gemma-4-31b", "nvfp4", 32.7e9),
        # nvidia/GLM-5.2-NVFP4: routed experts in NVFP4, the MTP head in 16 bits.
        ("glm-5.2", "nvfp4", 465e9),
        # Qwen/Qwen3.8-2.4T-A95B-FP8: experts alone in FP8.
        ("qwen3.8-2.4t-a95b", "fp8", 2_496_154_358_768),
    ],
)
def test_published_checkpoints_keep_what_they_keep(
    catalogue: Catalogue, model_id: str, precision: str, size_bytes: float
) -> None:
    found = size(SizingRequest(model_id=model_id, precision=precision), catalogue)
    stored = found.memory.weights_bytes + found.memory.mtp_weights_bytes
    assert stored == pytest.approx(size_bytes, rel=0.005)
    assert "published_checkpoint" in {note.code for note in found.assumptions}
