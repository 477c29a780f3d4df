"""Published checkpoints: what they mix and what they store besides, counted by hand."""

from __future__ import annotations

import pytest

from sizing.answer import Memory
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.records import TensorGroup
from sizing.request import SizingRequest

INFERACT = "Inferact/Qwen3.8-27B-NVFP4"


def memory_of(catalogue: Catalogue, model_id: str, precision: str, **more: object) -> Memory:
    request = SizingRequest(model_id=model_id, precision=precision, **more)
    return size(request, catalogue).memory


def bits_of(memory: Memory) -> dict[TensorGroup, float]:
    return {part.group: part.bits_per_weight for part in memory.groups}


def test_matrices_that_a_checkpoint_leaves_out(catalogue: Catalogue) -> None:
    """Gated DeltaNet of Qwen3.8 27B, 5,120 wide, all matrices by rows of 5,120:

    query, key, value   2 x 16 x 128 + 48 x 128   10,240   16 bits
    gate                48 x 128                   6,144   16 bits
    step                2 x 48                        96   16 bits
    output              48 x 128                   6,144   NVFP4, 4.5 bits
    """
    memory = memory_of(catalogue, "qwen3.8-27b", "nvfp4", checkpoint=INFERACT)
    found = bits_of(memory)
    assert found[TensorGroup.RECURRENT] == pytest.approx((16_480 * 16 + 6_144 * 4.5) / 22_624)
    assert found[TensorGroup.FFN] == found[TensorGroup.ATTENTION] == 4.5
    assert found[TensorGroup.HEAD] == 16


def test_layers_that_a_checkpoint_leaves_out(catalogue: Catalogue) -> None:
    """Six of 23 Mamba layers of Nemotron 3 Nano stay in 16 bits: (17 x 4.5 + 6 x 16) / 23 = 7.5."""
    found = bits_of(memory_of(catalogue, "nemotron-3-nano-30b-a3b", "nvfp4"))
    assert found[TensorGroup.RECURRENT] == pytest.approx(7.5)
    assert found[TensorGroup.ATTENTION] == 16


@pytest.mark.parametrize("named", [None, "nvidia/Qwen3.8-27B-NVFP4", "Qwen/Qwen3.8-27B-FP8"])
def test_the_first_checkpoint_stands_for_a_precision(
    catalogue: Catalogue, named: str | None
) -> None:
    """NVIDIA's has the head in NVFP4 and attention in FP8; one in FP8 is no NVFP4 checkpoint."""
    found = bits_of(memory_of(catalogue, "qwen3.8-27b", "nvfp4", checkpoint=named))
    assert found[TensorGroup.HEAD] == 4.5
    assert found[TensorGroup.ATTENTION] == pytest.approx(8, abs=0.01)


@pytest.mark.parametrize(
    ("model_id", "precision", "checkpoint", "stored_bytes"),
    [
        ("qwen3.8-27b", "nvfp4", INFERACT, 26_381_249_312),
        ("qwen3.8-2.4t-a95b", "nvfp4", "Inferact/Qwen3.8-2.4T-A95B-NVFP4", 1_447_265_951_488),
        # google/gemma-4-31B-it-qat-w4a16-ct: the payload of its tensors, groups of 32.
        ("gemma-4-31b", "int4", None, 23_265_085_560),
        # NVIDIA states 19 GB: experts alone in NVFP4.
        ("gemma-4-26b-a4b", "nvfp4", None, 19e9),
    ],
)
def test_sizes_that_no_format_was_taken_from(
    catalogue: Catalogue,
    model_id: str,
    precision: str,
    checkpoint: str | None,
    stored_bytes: float,
) -> None:
    memory = memory_of(catalogue, model_id, precision, checkpoint=checkpoint)
    assert memory.checkpoint_bytes == pytest.approx(stored_bytes, rel=0.012)


@pytest.mark.parametrize(
    ("model_id", "precision", "copied"),
    [
        # Llama 3.2 3B is tied, 128,256 x 3,072: tools store the table twice, in 16 bits.
        ("llama-3.2-3b", "int8", 128_256 * 3_072 * 2),
        ("llama-3.2-3b", "bf16", 0),
        ("llama-3.2-3b", "q8-0", 0),
        ("llama-3.1-8b", "int8", 0),
        # Qwen3 0.6B is published with both copies, 151,936 x 1,024.
        ("qwen3-0.6b", "bf16", 151_936 * 1_024 * 2),
        ("qwen3-0.6b", "awq", 0),
    ],
)
def test_a_tied_table_that_is_stored_twice(
    catalogue: Catalogue, model_id: str, precision: str, copied: int
) -> None:
    memory = memory_of(catalogue, model_id, precision)
    assert memory.checkpoint_bytes == memory.weights_bytes + memory.mtp_weights_bytes + copied


def test_prediction_heads_are_stored_and_not_loaded(catalogue: Catalogue) -> None:
    """DeepSeek V3's head, 13,463,426,304 parameters in FP8 of 8 + 32 / 128^2 bits."""
    memory = memory_of(catalogue, "deepseek-v3", "fp8-block")
    assert memory.checkpoint_bytes is not None
    heads = memory.checkpoint_bytes - memory.weights_bytes
    assert heads == memory.mtp_weights_bytes
    assert heads * 8 / 13_463_426_304 == pytest.approx(8 + 32 / 128**2)


def test_a_pipeline_names_no_stored_bytes(catalogue: Catalogue) -> None:
    assert size(SizingRequest(model_id="flux.1-dev"), catalogue).memory.checkpoint_bytes is None


def test_a_gguf_file_has_the_head_that_its_checkpoint_stores(catalogue: Catalogue) -> None:
    table = 151_936 * 1_024 * 2
    file = memory_of(catalogue, "qwen3-0.6b", "bf16", engine="llamacpp")
    loaded = memory_of(catalogue, "qwen3-0.6b", "bf16", engine="vllm")
    heads = [part.weights_bytes for part in file.groups if part.group is TensorGroup.HEAD]
    assert heads == [table]
    assert TensorGroup.HEAD not in bits_of(loaded)


def test_a_gguf_file_keeps_the_experts_published_in_mxfp4(catalogue: Catalogue) -> None:
    """gpt-oss converted to "F16": experts stay as they are published, the rest is 16 bits."""
    found = bits_of(memory_of(catalogue, "gpt-oss-20b", "fp16", engine="llamacpp"))
    assert (found[TensorGroup.EXPERTS], found[TensorGroup.ATTENTION]) == (4.25, 16)
    unpacked = bits_of(memory_of(catalogue, "gpt-oss-20b", "fp16", engine="vllm"))
    assert unpacked[TensorGroup.EXPERTS] == 16


def test_a_gguf_file_has_no_image_encoder(catalogue: Catalogue) -> None:
    """The encoder is a file of its own, in any type."""
    file = bits_of(memory_of(catalogue, "gemma-3-27b", "bf16", engine="llamacpp"))
    assert TensorGroup.VISION not in file
    assert TensorGroup.VISION in bits_of(memory_of(catalogue, "gemma-3-27b", "bf16", engine="vllm"))


def test_q2_k_as_files_of_2023_have_it(catalogue: Catalogue) -> None:
    """Llama 2 7B: 32 layers, 4,096 wide, FFN of 11,008, 32,000 words; bits of all tensors.

    query, key            32 x 2 x 4,096^2       x 2.625     2,818,572,288
    value, output         32 x 2 x 4,096^2       x 3.4375    3,690,987,520
    gate, up, down        32 x 3 x 4,096 x 11,008 x 3.4375  14,879,293,440
    embedding             32,000 x 4,096         x 2.625       344,064,000
    head                  32,000 x 4,096         x 6.5625      860,160,000
    norms                 65 x 4,096             x 32            8,519,680
                                                            22,601,596,928
    TheBloke/Llama-2-7B-GGUF states 2.83 GB; the Q2_K of today has 2.53 GB.
    """
    assert memory_of(catalogue, "llama-2-7b", "q2-k-2023").weights_bytes * 8 == 22_601_596_928
    assert memory_of(catalogue, "llama-2-7b", "q2-k").weights_bytes < 2.6e9
