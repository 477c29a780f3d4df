"""How long a prompt is computed: arithmetic over the dense rate of the GPUs, as a range."""

from __future__ import annotations

from sizing.attention_layers import attention_layer_count
from sizing.parallelism import Layout
from sizing.records import ArchitectureRecord, GpuRecord, PrecisionRecord, PrecisionScheme
from sizing.subject import Subject

REACHED = (0.30, 0.75)
"""Parts of the dense rate that prompts reach: FP4 mixtures least, 16-bit dense models most.

Fitted on 4,263 runs of servers (ai-dynamo/aiconfigurator@095f58a silicon_sample, MLPerf v5.1).
"""

TERA = 10**12


def prefill_ms(
    subject: Subject, tokens: int, gpu: GpuRecord, layout: Layout, *, precision: PrecisionRecord
) -> tuple[float, float] | None:
    """Return the time to compute a prompt of `tokens`, least and most, ms.

    Two operations for each parameter a token passes; at most the scores of full attention too.
    None where the rate of the GPU is not known.
    """
    rate = dense_tflops(gpu, precision)
    if rate is None:
        return None
    low, high = REACHED
    rates = rate * TERA * layout.tensor_parallel * layout.pipeline_parallel
    passes = 2.0 * subject.active_parameters * tokens
    scores = _score_operations(subject.architecture, tokens)
    return (passes * 1000 / (rates * high), (passes + scores) * 1000 / (rates * low))


def dense_tflops(gpu: GpuRecord, precision: PrecisionRecord) -> float | None:
    """Return the matrix rate for weights of that precision: its own, else that of 16 bits."""
    wide = gpu.bf16_dense_tflops or gpu.fp16_dense_tflops
    is_whole = precision.scheme is PrecisionScheme.WEIGHTS_AND_ACTIVATIONS
    if not is_whole or gpu.architecture not in precision.native_on:
        return wide
    if "fp4" in precision.id:
        return gpu.fp4_dense_tflops or wide
    return (gpu.int8_dense_tops if precision.id == "int8" else gpu.fp8_dense_tflops) or wide


def _score_operations(architecture: ArchitectureRecord, tokens: int) -> float:
    """Return the operations of queries with keys and of scores with values, half of them masked."""
    width = architecture.heads * architecture.head_dim
    return 2.0 * attention_layer_count(architecture) * width * tokens**2
