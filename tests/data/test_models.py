"""Every model of the catalogue: its count against the published one, its names, its formats."""

from __future__ import annotations

import tomllib

import pytest

from sizing.architecture import (
    active_parameter_count,
    parameter_count,
    tensor_groups,
)
from sizing.attention_layers import attention_layer_count
from sizing.catalogue import Catalogue, data_dir
from sizing.catalogue_rules import name_key
from sizing.engine import size
from sizing.kv_cache import cache_layout
from sizing.records import (
    TEXT_KINDS,
    Attention,
    ModelKind,
    ModelRecord,
    TensorGroup,
)
from sizing.request import SizingRequest
from sizing.subject import model_parameters

ENTRIES = sorted(
    (
        entry
        for file in (data_dir() / "models").glob("*.toml")
        for entry in tomllib.loads(file.read_text())["model"]
    ),
    key=lambda entry: entry["id"],
)
IDS = [entry["id"] for entry in ENTRIES]
SHAPED_IDS = [entry["id"] for entry in ENTRIES if "architecture" in entry]

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


@pytest.fixture(params=SHAPED_IDS)
def shaped(request: pytest.FixtureRequest, catalogue: Catalogue) -> ModelRecord:
    """Return a model that is a transformer."""
    return catalogue.models[request.param]


def stored_parameters(model: ModelRecord) -> int:
    """Return what the published statement counts."""
    mtp = model.mtp_parameters if model.published_includes_mtp else 0
    return model_parameters(model) + mtp


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


def test_active_parameters_are_a_part(shaped: ModelRecord) -> None:
    shape = shaped.shape
    total, active = parameter_count(shape), active_parameter_count(shape)
    assert 0 < active <= total
    assert (active < total) == (shape.moe is not None)


def test_kind_follows_the_shape(shaped: ModelRecord) -> None:
    shape = shaped.shape
    if shaped.kind is ModelKind.LLM:
        assert shape.moe is None
        assert not shape.recurrent
    if shaped.kind is ModelKind.MOE:
        assert shape.moe is not None
    assert (shaped.kind is ModelKind.HYBRID) == bool(shape.recurrent)
    assert shape.is_causal or shaped.works_in_passes


def test_pipelines_are_no_language_models(model: ModelRecord) -> None:
    """What writes text is a transformer; what works in passes has no cache to size."""
    assert model.architecture is not None or model.kind not in TEXT_KINDS
    assert (model.kind in TEXT_KINDS) <= (not model.works_in_passes)


def test_pictures_and_clips_have_a_usual_size(model: ModelRecord) -> None:
    pipeline = model.pipeline
    has_picture = model.kind in {ModelKind.VISION, ModelKind.IMAGE, ModelKind.VIDEO}
    assert has_picture == (pipeline is not None and pipeline.width_pixels is not None)
    if pipeline is not None:
        assert (model.kind is ModelKind.VIDEO) == (pipeline.frames is not None)
        assert (pipeline.width_pixels is None) == (pipeline.height_pixels is None)
        assert {each.group for each in pipeline.passes} <= {
            each.group for each in pipeline.components
        }


def test_attention_follows_the_heads(shaped: ModelRecord) -> None:
    shape = shaped.shape
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


def test_layer_kinds_do_not_exceed_the_layers(shaped: ModelRecord) -> None:
    shape = shaped.shape
    variants = sum(variant.layers for variant in shape.attention_variants)
    assert variants <= attention_layer_count(shape)
    assert shape.moe is None or shape.moe.layers <= shape.layers


def test_windows_are_shorter_than_the_context(shaped: ModelRecord) -> None:
    for variant in shaped.shape.attention_variants:
        assert shaped.max_context_tokens is not None
        assert variant.window_tokens is None or variant.window_tokens < shaped.max_context_tokens


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
        ("bert", "bert-base"),
        ("resnet", "resnet-50"),
        ("whisper", "whisper-large-v3"),
        ("sdxl", "sdxl-base-1.0"),
        ("yolo", "yolov8m"),
        ("flux", "flux.1-dev"),
        ("riva-asr", "parakeet-ctc-1.1b"),
        ("riva-tts", "fastpitch"),
        ("bge", "bge-m3"),
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
    assert cache_layout(catalogue.models[model_id].shape).elements_per_token == elements


@pytest.mark.parametrize(
    ("model_id", "per_token", "bounded", "state_bytes"),
    [
        # Whisper: 32 layers of 20 heads; 1,500 positions of an encoder for every request.
        ("whisper-large-v3", 32 * 2_560, 32 * 2_560 * 1_500, 0),
        # The turbo model has 4 decoder layers.
        ("whisper-large-v3-turbo", 4 * 2_560, 4 * 2_560 * 1_500, 0),
        # An encoder keeps nothing.
        ("bge-m3", 0, 0, 0),
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
    layout = cache_layout(catalogue.models[model_id].shape)
    assert layout.elements_per_token == per_token
    assert layout.bounded_elements == bounded
    assert layout.state_bytes == state_bytes


def test_an_image_adds_cross_attention(catalogue: Catalogue) -> None:
    """Llama 3.2 11B Vision: 8 layers x 2 x 8 x 128 numbers x 6,404 image tokens."""
    layout = cache_layout(catalogue.models["llama-3.2-11b-vision"].shape)
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


def groups_of(catalogue: Catalogue, model_id: str) -> dict[TensorGroup, int]:
    shape = catalogue.models[model_id].shape
    return {size.group: size.parameters for size in tensor_groups(shape)}


def test_bert_by_hand(catalogue: Catalogue) -> None:
    """BERT base: 12 layers of 768 with 12 heads and an FFN of 3,072.

    embedding   (30,522 words + 512 positions + 2 segments) x 768     =  23,835,648
    attention   12 x 4 x 768^2                                        =  28,311,552
    ffn         12 x 2 x 768 x 3,072                                  =  56,623,104
    norm        (2 x 12 + 1 behind the embedding) x 2 x 768           =      38,400
    other       12 x (4 x 768 + 3,072 + 768) biases                   =      82,944
                768 x 769 of the pooler                               =     590,592
    """
    assert groups_of(catalogue, "bert-base") == {
        TensorGroup.EMBEDDING: 23_835_648,
        TensorGroup.ATTENTION: 28_311_552,
        TensorGroup.FFN: 56_623_104,
        TensorGroup.NORM: 38_400,
        TensorGroup.OTHER: 82_944 + 590_592,
    }


def test_a_reranker_by_hand(catalogue: Catalogue) -> None:
    """BGE reranker v2 M3: XLM-RoBERTa large with 8,194 positions, a dense layer and one output.

    The dense layer has 1,024 x 1,025 parameters, the output 1,025.
    """
    ranked = parameter_count(catalogue.models["bge-reranker-v2-m3"].shape)
    embedded = parameter_count(catalogue.models["bge-m3"].shape)
    assert ranked - embedded == 1_025


def test_modernbert_by_hand(catalogue: Catalogue) -> None:
    """ModernBERT base: 22 layers of 768, gated FFN of 1,152, no biases.

    embedding   50,368 x 768                                          =  38,682,624
    attention   22 x 4 x 768^2                                        =  51,904,512
    ffn         22 x 3 x 768 x 1,152                                  =  58,392,576
    norm        (2 x 22 - 1 + 1 + 1) x 768: none before the first     =      34,560
    """
    assert groups_of(catalogue, "modernbert-base") == {
        TensorGroup.EMBEDDING: 38_682_624,
        TensorGroup.ATTENTION: 51_904_512,
        TensorGroup.FFN: 58_392_576,
        TensorGroup.NORM: 34_560,
    }


def test_whisper_by_hand(catalogue: Catalogue) -> None:
    """Whisper large v3: encoder and decoder of 32 layers, 1,280 wide; keys have no bias.

    embedding   (51,866 words + 448 positions) x 1,280                =  66,961,920
    attention   32 x 2 (self, cross) x 4 x 1,280^2                    = 419,430,400
    ffn         32 x 2 x 1,280 x 5,120                                = 419,430,400
    norm        (3 x 32 + 1) x 2 x 1,280                              =     248,320
    other       32 x (2 x 3 x 1,280 + 5,120 + 1,280) biases           =     450,560
    audio       convolutions 128 x 3 x 1,280 + 1,280                  =     492,800
                and 3 x 1,280^2 + 1,280                               =   4,916,480
                1,500 positions x 1,280                               =   1,920,000
                32 x (12 x 1,280^2 + 3 x 1,280 + 6,400 + 4 x 1,280)   = 629,637,120
                a last norm 2 x 1,280                                 =       2,560
    """
    assert groups_of(catalogue, "whisper-large-v3") == {
        TensorGroup.EMBEDDING: 66_961_920,
        TensorGroup.ATTENTION: 419_430_400,
        TensorGroup.FFN: 419_430_400,
        TensorGroup.NORM: 248_320,
        TensorGroup.OTHER: 450_560,
        TensorGroup.AUDIO: 492_800 + 4_916_480 + 1_920_000 + 629_637_120 + 2_560,
    }


@pytest.mark.parametrize(
    ("model_id", "parameters"),
    [
        # UNet, two text encoders and the autoencoder.
        ("sdxl-base-1.0", 2_567_463_684 + 123_060_480 + 694_659_840 + 83_653_863),
        ("flux.1-dev", 11_901_408_320 + 123_060_480 + 4_762_310_656 + 83_819_683),
        # Two experts of 14 billion are both stored.
        ("wan2.2-t2v-a14b", 2 * 14_288_491_584 + 5_680_910_336 + 126_892_531),
        ("resnet-50", 25_557_032),
    ],
)
def test_pipelines_are_the_sum_of_their_components(
    catalogue: Catalogue, model_id: str, parameters: int
) -> None:
    assert model_parameters(catalogue.models[model_id]) == parameters


def test_most_counts_are_within_half_a_percent(catalogue: Catalogue) -> None:
    """At least 98 of 100 published totals within 0.5 %, none off by more than 2 %."""
    errors = [
        abs(stored_parameters(model) / model.published_parameters - 1)
        for model in catalogue.models.values()
        if model.published_parameters is not None
    ]
    assert max(errors) < 0.02
    assert sum(error <= 0.005 for error in errors) >= 0.98 * len(errors)
