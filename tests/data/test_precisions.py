"""The number formats: bits derived from their layout, and where they run."""

from __future__ import annotations

import tomllib

import pytest

from sizing.catalogue import Catalogue, data_dir
from sizing.catalogue_rules import name_key
from sizing.engine import size
from sizing.records import ModelKind, PrecisionScheme, TensorGroup
from sizing.request import SizingRequest


@pytest.mark.parametrize(
    ("precision", "bits"),
    [
        ("fp16", 16),
        ("fp8-block", 8 + 32 / (128 * 128)),  # one float32 scale for a block
        ("gptq-int8", 8 + 16 / 128 + 8 / 128),  # scale and 8-bit zero point for a group of 128
        ("int4", 4 + 16 / 128),
        ("w4a16-g32", 4 + 16 / 32),
        ("awq", 4 + 16 / 128 + 4 / 128),  # scale and packed 4-bit zero point
        ("gptq-int4", 4 + 16 / 128 + 4 / 128),
        ("gptq-int4-g32", 4 + 16 / 32 + 4 / 32),
        ("bnb-nf4", 4 + 8 / 64 + 32 / (64 * 256)),  # scales quantised in turn, 256 at a time
        ("hqq-4bit", 4 + (16 + 16) / 64),
        ("mxfp4", 4 + 8 / 32),  # E8M0 exponent for 32 weights
        ("nvfp4", 4 + 8 / 16),  # E4M3 scale for 16 weights
        ("mxfp8", 8 + 8 / 32),
        ("q4-k-m", 4.8944),  # llama.cpp tools/quantize/README.md, Llama 3.1 8B
        ("q8-0", 8.5008),
        ("iq2-xxs", 2.3824),
    ],
)
def test_bits_of_a_weight(catalogue: Catalogue, precision: str, bits: float) -> None:
    assert catalogue.precisions[precision].weight_bits == pytest.approx(bits, rel=1e-12)


@pytest.mark.parametrize(
    ("precision", "block_bits"), [("q4-0", 4.5), ("q4-1", 5.0), ("q5-0", 5.5), ("q5-1", 6.0)]
)
def test_bits_of_old_gguf_files(catalogue: Catalogue, precision: str, block_bits: float) -> None:
    """Llama 3.1 8B: 128,256 x 4,096 output weights in Q6_K (6.5625), the other 7.505 x 10^9 in the
    type of the file. Q5_K_S is built alike and is published: 5.5704."""
    output, all_weights = 128_256 * 4096, 8_030_261_248

    def file_bits(bits: float) -> float:
        return (output * 6.5625 + (all_weights - output) * bits) / all_weights

    assert file_bits(5.5) == pytest.approx(catalogue.precisions["q5-k-s"].weight_bits, rel=3e-4)
    assert catalogue.precisions[precision].weight_bits == pytest.approx(
        file_bits(block_bits), rel=1e-4
    )


def test_a_weight_is_never_smaller_than_its_name_says(catalogue: Catalogue) -> None:
    for precision in catalogue.precisions.values():
        assert precision.nominal_bits <= precision.weight_bits, precision.id
        assert precision.weight_bits <= precision.nominal_bits + 1.4, precision.id


@pytest.mark.parametrize("precision", ["int8", "fp8", "bnb-int8"])
def test_scales_of_output_channels_are_float32(catalogue: Catalogue, precision: str) -> None:
    """vLLM, compressed_tensors_w8a8_int8.py: a float32 scale for each output channel."""
    assert catalogue.precisions[precision].channel_scale_bits == 32
    assert catalogue.precisions[precision].weight_bits == 8


def test_w8a16_has_a_16_bit_scale_for_each_output_channel(catalogue: Catalogue) -> None:
    """vllm-project/compressed-tensors, preset W8A16: strategy channel."""
    assert catalogue.precisions["w8a16"].weight_bits == 8
    assert catalogue.precisions["w8a16"].channel_scale_bits == 16


LINEARS = {
    TensorGroup.ATTENTION,
    TensorGroup.RECURRENT,
    TensorGroup.FFN,
    TensorGroup.EXPERTS,
    TensorGroup.SHARED_EXPERTS,
}


MORE_THAN_LINEARS = {
    "exllama": {TensorGroup.HEAD},
    "mlx": {TensorGroup.EMBEDDING, TensorGroup.HEAD},
}
"""What the formats of some engines quantise as well."""


def test_exl_files_keep_more_bits_in_the_head(catalogue: Catalogue) -> None:
    """Llama 3.1 8B at 4.65 bits: embedding in 16, head in 6, 6,979,321,856 matrices in 4.65."""
    request = SizingRequest(model_id="llama-3.1-8b", precision="exl-4.65bpw")
    table, norms = 128_256 * 4_096, 65 * 4_096
    bits = table * (16 + 6) + 6_979_321_856 * 4.65 + norms * 16
    assert size(request, catalogue).memory.weights_bytes == pytest.approx(bits / 8, rel=1e-6)


def test_gpu_formats_leave_embeddings_and_head_alone(catalogue: Catalogue) -> None:
    for precision in catalogue.precisions.values():
        if precision.scheme in {
            PrecisionScheme.WEIGHTS_AND_ACTIVATIONS,
            PrecisionScheme.WEIGHTS_ONLY,
        }:
            more = MORE_THAN_LINEARS.get(precision.engines[0], set())
            assert set(precision.quantised_groups) == LINEARS | more, precision.id


TENSORS_OF_TEXT = set(TensorGroup) - {
    TensorGroup.DENOISER,
    TensorGroup.TEXT_ENCODER,
    TensorGroup.AUTOENCODER,
    TensorGroup.BACKBONE,
    TensorGroup.VOCODER,
    TensorGroup.DRAFT,
}
"""Groups of a model itself; components of pipelines, and what drafts, have formats of their own."""


def test_gguf_files_quantise_all_but_the_encoders(catalogue: Catalogue) -> None:
    """An image or audio encoder is a file of its own, in 16 bits."""
    for precision in catalogue.precisions.values():
        if precision.scheme is PrecisionScheme.GGUF:
            left = TENSORS_OF_TEXT - set(precision.quantised_groups)
            assert left == {TensorGroup.VISION, TensorGroup.AUDIO}, precision.id
            assert precision.engines[0] == "llamacpp", precision.id


GGUF = sorted(
    record["id"]
    for record in tomllib.loads((data_dir() / "precisions.toml").read_text())["precision"]
    if record["scheme"] == "gguf"
)


@pytest.mark.parametrize("precision", GGUF)
def test_rules_of_tensors_give_the_printed_average(catalogue: Catalogue, precision: str) -> None:
    """The table of tools/quantize/README.md, Llama 3.1 8B; gpt-oss 20B for experts in MXFP4."""
    record = catalogue.precisions[precision]
    model = "gpt-oss-20b" if precision == "mxfp4-moe" else "llama-3.1-8b"
    memory = size(SizingRequest(model_id=model, precision=precision), catalogue).memory
    parameters = sum(group.parameters for group in memory.groups)
    bits = memory.weights_bytes * 8 / parameters
    assert bits == pytest.approx(record.weight_bits, rel=0.0011)


@pytest.mark.parametrize(
    ("precision", "file_gb", "within"),
    [
        ("q8-0", 74.98, 0.001),
        ("q6-k", 57.89, 0.001),
        ("q5-k-m", 49.95, 0.001),
        ("q5-k-s", 48.66, 0.001),
        ("q4-k-m", 42.52, 0.001),
        ("q3-k-m", 34.27, 0.001),
        ("iq3-m", 31.94, 0.001),
        # Made with an importance matrix, which moves an eighth of the layers.
        ("q4-0", 40.12, 0.005),
        ("iq4-xs", 37.90, 0.01),
    ],
)
def test_files_of_llama_70b(
    catalogue: Catalogue, precision: str, file_gb: float, within: float
) -> None:
    """Files of Llama 3.1 70B on the Hub; none of them entered the rules."""
    request = SizingRequest(model_id="llama-3.1-70b", precision=precision)
    found = size(request, catalogue).memory.weights_bytes
    assert found == pytest.approx(file_gb * 1e9, rel=within)


@pytest.mark.parametrize(
    ("model_id", "precision", "file_bytes", "within"),
    [
        # llama.cpp prints 11.27 and 59.02 GiB (discussion 15396).
        ("gpt-oss-20b", "mxfp4-moe", 11.27 * 2**30, 0.001),
        ("gpt-oss-120b", "mxfp4-moe", 59.02 * 2**30, 0.001),
        # Qwen publishes 47.42 GB; Qwen3 8B and 14B hold 4.908 and 4.874 bits a weight.
        ("qwen2.5-72b", "q4-k-m", 47.42e9, 0.001),
        ("qwen3-8b", "q4-k-m", 8_190_735_360 * 4.908 / 8, 0.001),
        ("qwen3-14b", "q4-k-m", 14_768_307_200 * 4.874 / 8, 0.001),
    ],
)
def test_files_of_other_shapes(
    catalogue: Catalogue, model_id: str, precision: str, file_bytes: float, within: float
) -> None:
    request = SizingRequest(model_id=model_id, precision=precision)
    found = size(request, catalogue).memory.weights_bytes
    assert found == pytest.approx(file_bytes, rel=within)


@pytest.mark.parametrize(
    ("precision", "type_bits"),
    [  # gguf, GGML_QUANT_SIZES: bytes x 8 / numbers of a block of the smallest type in the file
        ("q8-0", 34 * 8 / 32),
        ("q6-k", 210 * 8 / 256),
        ("q5-1", 24 * 8 / 32),
        ("q5-0", 22 * 8 / 32),
        ("q5-k-m", 176 * 8 / 256),
        ("q5-k-s", 176 * 8 / 256),
        ("q4-1", 20 * 8 / 32),
        ("q4-0", 18 * 8 / 32),
        ("q4-k-m", 144 * 8 / 256),
        ("q4-k-s", 144 * 8 / 256),
        ("iq4-nl", 18 * 8 / 32),
        ("iq4-xs", 136 * 8 / 256),
        ("q3-k-s", 110 * 8 / 256),
        ("iq3-s", 110 * 8 / 256),
        ("iq3-xxs", 98 * 8 / 256),
        ("q2-k-s", 84 * 8 / 256),
        ("iq2-xs", 74 * 8 / 256),
        ("iq2-xxs", 66 * 8 / 256),
        ("iq1-m", 56 * 8 / 256),
        ("iq1-s", 50 * 8 / 256),
    ],
)
def test_no_gguf_file_is_smaller_than_its_smallest_type(
    catalogue: Catalogue, precision: str, type_bits: float
) -> None:
    request = SizingRequest(model_id="llama-3.1-405b", precision=precision)
    memory = size(request, catalogue).memory
    assert memory.weights_bytes * 8 >= type_bits * sum(part.parameters for part in memory.groups)


def test_only_gguf_formats_have_a_recipe(catalogue: Catalogue) -> None:
    for precision in catalogue.precisions.values():
        assert (precision.gguf is not None) is (precision.scheme is PrecisionScheme.GGUF)


NATIVE, STORED, REFUSED = "native", "stored", "refused"


@pytest.mark.parametrize(
    ("precision", "gpu", "how"),
    [
        ("fp8", "l40s", NATIVE),
        ("fp8", "h100-sxm", NATIVE),
        ("fp8", "mi300x", NATIVE),
        ("fp8", "a100-sxm-80", STORED),
        ("fp8", "t4", STORED),
        ("fp8", "v100-sxm2-32", REFUSED),
        ("fp8", "p40", REFUSED),
        ("bf16", "t4", REFUSED),
        ("bf16", "v100-sxm2-32", REFUSED),
        ("bf16", "a10", NATIVE),
        ("fp16", "v100-sxm2-32", NATIVE),
        ("int8", "t4", NATIVE),
        ("int8", "h100-sxm", NATIVE),
        ("int8", "b200-sxm", REFUSED),
        ("int8", "rtx-5090", REFUSED),
        ("awq", "t4", NATIVE),
        ("awq", "v100-sxm2-32", REFUSED),
        ("gptq-int4", "v100-sxm2-32", NATIVE),
        ("nvfp4", "b200-sxm", NATIVE),
        ("nvfp4", "rtx-5090", NATIVE),
        ("nvfp4", "h100-sxm", STORED),
        ("nvfp4", "mi300x", REFUSED),
        ("mxfp4", "mi355x", NATIVE),
        ("mxfp4", "h100-sxm", STORED),
        ("mxfp4", "t4", REFUSED),
        ("q4-k-m", "m3-ultra", NATIVE),
        ("q4-k-m", "p40", NATIVE),
        ("q4-k-m", "gaudi2", REFUSED),
        ("awq", "mi300x", NATIVE),
        ("gptq-int4", "rx-7900-xtx", NATIVE),
        ("int4", "mi355x", NATIVE),
        ("w8a16", "mi210", NATIVE),
        ("int8", "mi300x", NATIVE),
        ("bnb-nf4", "rx-9070-xt", NATIVE),
        ("fp8", "mi210", REFUSED),
        ("mxfp4", "rx-7900-xtx", STORED),
        ("awq", "gaudi2", NATIVE),
        ("w4a16-g32", "gaudi3", NATIVE),
        # Gaudi has kernels for 4 bits only and turns INT8 and MXFP4 into BF16 while loading
        ("w8a16", "gaudi3", REFUSED),
        ("int8", "gaudi2", REFUSED),
        ("mxfp4", "gaudi2", REFUSED),
        ("gptq-int4", "arc-pro-b60", NATIVE),
        ("w8a16", "arc-pro-b60", REFUSED),
        ("fp8", "arc-pro-b60", STORED),
        ("awq", "tpu-v6e", NATIVE),
        ("gptq-int4", "tpu-v6e", REFUSED),
        ("fp8", "tpu-v7", STORED),
    ],
)
def test_where_a_format_runs(catalogue: Catalogue, precision: str, gpu: str, how: str) -> None:
    """vLLM's chart of supported hardware, its pages on FP8, INT8 and FP4, and the formats that its
    AMD, Intel, Gaudi and TPU back ends take; llama.cpp's GPUs."""
    record, architecture = catalogue.precisions[precision], catalogue.gpus[gpu].architecture
    found = REFUSED
    if architecture in record.native_on:
        found = NATIVE
    elif architecture in record.storage_only_on:
        found = STORED
    assert found == how


def test_a_refused_format_names_one_that_runs(catalogue: Catalogue) -> None:
    """Wherever a format is refused although an engine of it runs there, another one is proposed."""
    for precision in catalogue.precisions.values():
        served = {a for name in precision.engines for a in catalogue.engines[name].runs_on}
        runs = {*precision.native_on, *precision.storage_only_on}
        others = [catalogue.precisions[name] for name in precision.instead]
        for architecture in served - runs:
            assert any(
                architecture in (*other.native_on, *other.storage_only_on) for other in others
            ), (precision.id, architecture)


def test_a_format_can_run_on_an_engine_it_names(catalogue: Catalogue) -> None:
    for precision in catalogue.precisions.values():
        runs = {*precision.native_on, *precision.storage_only_on}
        for name in precision.engines:
            assert runs & set(catalogue.engines[name].runs_on), (precision.id, name)


@pytest.mark.parametrize(
    ("typed", "precision"),
    [
        ("INT-8", "int8"),
        ("w8a8", "int8"),
        ("8bit", "int8"),
        ("float16", "fp16"),
        ("bfloat16", "bf16"),
        ("e4m3", "fp8"),
        ("FP8-dynamic", "fp8"),
        ("Q4_K_M", "q4-k-m"),
        ("q5_k_s", "q5-k-s"),
        ("IQ2_M", "iq2-m"),
        ("gguf", "q4-k-m"),
        ("gptq", "gptq-int4"),
        ("nf4", "bnb-nf4"),
        ("w4a16", "int4"),
        ("4bit", "int4"),
        ("q4", "awq"),
        ("fp4", "nvfp4"),
        ("fp3", None),
    ],
)
def test_words_for_formats(catalogue: Catalogue, typed: str, precision: str | None) -> None:
    keys = {
        name_key(name): record.id
        for record in catalogue.precisions.values()
        for name in (record.id, *record.aliases)
    }
    assert keys.get(name_key(typed)) == precision


@pytest.mark.parametrize(
    ("precision", "bits"),
    [
        ("fp32", 32),
        ("fp16", 16),
        ("fp8", 8),
        ("int8", 8 + (16 + 16) / 128),  # scale and zero point for each head of 128
        ("int4", 4 + (16 + 16) / 128),
        ("nvfp4", 4 + 8 / 16),
        ("q8-0", 34 * 8 / 32),  # 32 numbers in 34 bytes
        ("q5-1", 24 * 8 / 32),
        ("q5-0", 22 * 8 / 32),
        ("q4-1", 20 * 8 / 32),
        ("q4-0", 18 * 8 / 32),
    ],
)
def test_bits_of_a_cached_number(catalogue: Catalogue, precision: str, bits: float) -> None:
    assert catalogue.kv_precisions[precision].element_bits == bits


@pytest.mark.parametrize(
    ("precision", "gpu", "runs"),
    [
        ("fp8", "a100-sxm-80", True),
        ("fp8", "a10", True),
        ("fp8", "t4", False),
        ("fp8", "mi300x", True),
        ("nvfp4", "h100-sxm", False),
        ("nvfp4", "b200-sxm", True),
        ("q8-0", "p40", True),
    ],
)
def test_where_a_cache_format_runs(
    catalogue: Catalogue, precision: str, gpu: str, *, runs: bool
) -> None:
    record = catalogue.kv_precisions[precision]
    assert (catalogue.gpus[gpu].architecture in record.runs_on) is runs


def _engines_of_text(catalogue: Catalogue) -> set[str]:
    """Return the engines that cache keys and values."""
    return {one.id for one in catalogue.engines.values() if ModelKind.LLM in one.kinds}


def test_the_16_bit_cache_runs_everywhere(catalogue: Catalogue) -> None:
    everywhere = catalogue.kv_precisions["fp16"]
    assert {gpu.architecture for gpu in catalogue.gpus.values()} <= set(everywhere.runs_on)
    of_speech = {"pytorch"}  # Whisper keeps one as well
    assert _engines_of_text(catalogue) | of_speech == set(everywhere.engines)


def test_a_32_bit_cache_is_kept_where_32_bit_weights_run(catalogue: Catalogue) -> None:
    cache, weights = catalogue.kv_precisions["fp32"], catalogue.precisions["fp32"]
    assert set(weights.native_on) <= set(cache.runs_on)
    assert set(weights.engines) & _engines_of_text(catalogue) == set(cache.engines)
