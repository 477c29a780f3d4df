"""Traits that efficiency depends on: of the GPU, the engine, the numbers, the model."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.memory import Load
from sizing.parallelism import Layout
from sizing.records import GpuRecord, PrecisionRecord, PrecisionScheme

FEW_EXPERTS = 16
"""Most experts of a layer whose matrices are as large as those of dense models (Mixtral)."""

SIXTEEN_BITS = 16

BRIDGED_GPUS = 2
"""Cards that a bridge joins."""

SAME_KERNELS = {"nim": "trtllm"}
"""Engines that were measured under the name of what they run."""


WIDTHS = {
    "16-bit": "16", "fp8": "8", "int8": "8", "fp4": "4", "mxfp4": "4", "mxfp4-stored": "4 stored",
    "weights": "4 stored", "integer": "integer",
}  # fmt: skip
"""Bits that are multiplied, or stored where they are only that: what formats share."""


@dataclass(frozen=True)
class Arithmetic:
    """In which numbers a GPU multiplies the weights, and how fast at best."""

    numbers: str
    """Kind of numbers: `16-bit`, `fp8`, `weights` for formats that are only stored."""
    peak_flops: float
    """Operations per second, without sparsity."""
    peak_16_bit_flops: float
    """The same in 16 bits, for what no format quantises."""


def arithmetic_of(
    gpu: GpuRecord, precision: PrecisionRecord, *, by_integers: bool = False
) -> Arithmetic | None:
    """Return how `gpu` multiplies weights in `precision`; None where its rates are not known.

    Formats that a GPU only stores, and weight-only ones, run at its 16-bit rate. llama.cpp
    (`by_integers`) multiplies quantised weights as 8-bit integers (ggml-cuda `mmq.cuh`), and
    16-bit ones with 16-bit sums, at half the integer rate also on cards whose 32-bit sums run at
    a quarter.
    """
    sixteen = _sixteen_bit_flops(gpu)
    if sixteen is None:
        return None
    numbers = _numbers(gpu, precision)
    if by_integers or precision.scheme is PrecisionScheme.GGUF:
        whole = max(sixteen, (gpu.int8_dense_tops or 0) * 1e12 / 2)
        return Arithmetic(numbers, whole, whole)
    rates = {
        "fp8": gpu.fp8_dense_tflops,
        "fp4": gpu.fp4_dense_tflops,
        "mxfp4": gpu.fp8_dense_tflops,
        "int8": gpu.int8_dense_tops,
    }
    peak = rates.get(numbers)
    return Arithmetic(numbers, sixteen if peak is None else peak * 1e12, sixteen)


def _sixteen_bit_flops(gpu: GpuRecord) -> float | None:
    rate = gpu.bf16_dense_tflops or gpu.fp16_dense_tflops
    return None if rate is None else rate * 1e12


def _numbers(gpu: GpuRecord, precision: PrecisionRecord) -> str:
    """Return the kind of numbers that are multiplied."""
    if precision.scheme is PrecisionScheme.FLOAT:
        return "16-bit"
    if precision.scheme is PrecisionScheme.GGUF:
        return "integer"
    is_native = gpu.architecture in precision.native_on
    if precision.scheme is PrecisionScheme.WEIGHTS_ONLY or not is_native:
        return "mxfp4-stored" if precision.id == "mxfp4" else "weights"
    if precision.id == "mxfp4":
        return "mxfp4"
    if precision.nominal_bits == SIXTEEN_BITS // 2:
        return "int8" if precision.id.startswith("int8") else "fp8"
    return "fp4" if precision.id == "nvfp4" else "fp8"


def family_of(gpu: GpuRecord) -> str:
    """Return the generation with its kind of memory: A100 and A10 share an architecture only."""
    for kind in ("hbm", "lpddr"):
        if gpu.memory_type.lower().startswith(kind):
            return f"{gpu.architecture}-{kind}"
    return f"{gpu.architecture}-gddr"


def experts_of(load: Load) -> str:
    """Return whether layers are dense, or have few large or many small experts."""
    moe = load.subject.architecture.moe
    if moe is None:
        return "dense"
    return "few" if moe.experts <= FEW_EXPERTS else "many"


def link_of(gpu: GpuRecord, layout: Layout) -> str:
    """Return what joins the GPUs of one replica."""
    if layout.gpus_per_replica == 1:
        return "none"
    return "fast" if gpu.link_gb_per_s and not _is_bridged(gpu) else "pcie"


def _is_bridged(gpu: GpuRecord) -> bool:
    """Return whether its link is a bridge that joins two cards and is often left out."""
    return (gpu.link_max_gpus or 0) <= BRIDGED_GPUS


def traits_of(gpu: GpuRecord, load: Load, layout: Layout, arithmetic: Arithmetic) -> dict[str, str]:
    """Return every trait by its name in data/efficiency.toml."""
    link = link_of(gpu, layout)
    engine = SAME_KERNELS.get(load.engine.id, load.engine.id)
    return {
        "family": family_of(gpu),
        "gpu": gpu.id,
        "engine": engine,
        "numbers": arithmetic.numbers,
        "engine+numbers": f"{engine}/{arithmetic.numbers}",
        "family+numbers": f"{family_of(gpu)}/{arithmetic.numbers}",
        "width": WIDTHS[arithmetic.numbers],
        "experts": experts_of(load),
        "link": link,
        "pcie_ranks": str(layout.tensor_parallel) if link == "pcie" else "none",
        "host": "coherent" if gpu.coherent_host_gb else "bus",
    }
