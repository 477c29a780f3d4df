"""Processor cores: what each rule asks for, and the processor that has them."""

from __future__ import annotations

from sizing.performance import Estimate
from sizing.records import PositiveCount, Record
from sizing.spec.load import ServerLoad
from sizing.spec.machines import CpuModel

LEAST_CORES = 8
"""Least cores of a server (first article; NIM for LLMs 1.8.0, getting started)."""

LOADER_WORKERS = 2
"""Processes that prepare the input of one GPU (stas00/ml-engineering: 28 cores for 8 GPUs)."""

TRAINING_WORKERS = 4
"""The same where data sets are read and shuffled: a choice of ours, between 2 and 8."""

SYSTEM_CORES = 4
"""Cores for the operating system beside the loaders (the same source)."""

SERVER_PROCESSES = 2
"""Processes of an engine beside those of its GPUs: server and scheduler (vLLM, architecture)."""

TDP_SHARES = (0.32, 0.75, 1.02)
"""Draw of a processor at 10, 50 and 100 % of its load over its design power.

Teads' measurements as Boavizta gives them (Boavizta/boaviztapi@15878f0, components/cpu.md).
"""

PRACTISED_GPUS, PRACTISED_CORES = 8, (64, 128, 384)
"""Cores of hosts of 8 GPUs: least, median, most of 52.

mlcommons/inference_results_v5.1@965182b closed/*/systems.
"""


class CoreRule(Record):
    """What one rule asks for."""

    code: str
    """Which rule."""

    cores: PositiveCount
    """Physical cores."""


def core_rules(load: ServerLoad) -> tuple[CoreRule, ...]:
    """Return every rule for the cores of one server."""
    workers = TRAINING_WORKERS if load.trains else LOADER_WORKERS
    code = "training_loaders" if load.trains else "loaders"
    processes = sum(
        model.copies * (SERVER_PROCESSES + model.gpus_per_copy) for model in load.models
    )
    return (
        CoreRule(code="floor_8", cores=LEAST_CORES),
        CoreRule(code=code, cores=load.gpus * (workers + 1) + SYSTEM_CORES),
        CoreRule(code="engine_processes", cores=processes + SYSTEM_CORES),
    )


def deciding(rules: tuple[CoreRule, ...]) -> CoreRule:
    """Return the rule that asks for most; of equals the first."""
    return max(rules, key=lambda rule: rule.cores)


def practised(gpus: int) -> tuple[int, int, int] | None:
    """Return the cores that others buy for that many GPUs; None where few such are published."""
    return PRACTISED_CORES if gpus == PRACTISED_GPUS else None


def cpu_w(model: CpuModel, sockets: int) -> Estimate | None:
    """Return the draw of the processors of one server: at 10, 50 and 100 % of their load, W."""
    if model.tdp_w is None:
        return None
    low, typical, high = (round(share * model.tdp_w * sockets, 1) for share in TDP_SHARES)
    return Estimate(low=low, typical=typical, high=high)
