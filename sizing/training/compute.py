"""How long a training run takes: its arithmetic over what GPUs reach of their peak."""

from __future__ import annotations

from collections.abc import Mapping

from sizing.answer import Option, TrainingRun, Verdict
from sizing.performance import Estimate
from sizing.records import GpuRecord
from sizing.training.plan import TrainingPlan

OPERATIONS_FULL = 6
"""Operations for each parameter and token where all weights are trained.

Two forward, two for the gradients of the inputs, two for those of the weights (Kaplan et al.,
arXiv 2001.08361, section 2.1). Attention and recomputed layers are not in it.
"""

OPERATIONS_ADAPTERS = 4
"""The same where the weights are frozen: no gradients of them."""

PEAK_PERCENT = Estimate(low=30, typical=40, high=47)
"""Share of the dense 16-bit peak that published runs reach, without recomputed layers, per cent.

Llama 3 405B on 8,192 to 16,384 H100: 0.38 to 0.43 (arXiv 2407.21783, table 4); MT-NLG 0.302,
Gopher 0.325, PaLM 0.462 (arXiv 2204.02311, table 3); Megatron-Core on H100 up to 0.47 (its
README). All hours on the card of Llama 3.1 405B, 30.84 million of H100, come to 0.34 (its
MODEL_CARD.md). GPT-3 of 2020 stood at 0.213; small models and short runs reach less too.
"""

RUNS = frozenset({Verdict.FITS, Verdict.TIGHT})
"""Verdicts of sets that hold the run."""

SECONDS_PER_HOUR = 3600
TERA = 10**12


def run_of(
    plan: TrainingPlan, options: tuple[Option, ...], gpus: Mapping[str, GpuRecord]
) -> TrainingRun | None:
    """Return the length of a run whose tokens were told, on the first set that holds it."""
    tokens = plan.tuning.run_tokens
    if tokens is None:
        return None
    each = OPERATIONS_FULL if plan.is_full else OPERATIONS_ADAPTERS
    parameters = plan.subject.active_parameters or plan.subject.parameters
    operations = float(each * parameters * tokens)
    run = TrainingRun(
        run_tokens=tokens,
        run_parameters=parameters,
        operations_per_parameter=each,
        run_operations=operations,
        peak_percent=PEAK_PERCENT,
    )
    option = next((one for one in options if one.verdict in RUNS), None)
    gpu = gpus.get(option.gpu) if option else None
    peak_tflops = gpu and (gpu.bf16_dense_tflops or gpu.fp16_dense_tflops)
    if option is None or gpu is None or not peak_tflops:
        return run
    per_gpu = operations / (peak_tflops * TERA * SECONDS_PER_HOUR) * 100
    gpu_hours = Estimate(
        low=per_gpu / PEAK_PERCENT.high,
        typical=per_gpu / PEAK_PERCENT.typical,
        high=per_gpu / PEAK_PERCENT.low,
    )
    told = {"gpu": gpu.id, "run_gpus": option.gpus, "peak_tflops": peak_tflops}
    return run.model_copy(update={**told, "gpu_hours": gpu_hours})
