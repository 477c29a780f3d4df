"""Host memory: what each rule asks for, which of them decides, and which modules make it up."""

from __future__ import annotations

from itertools import product

from sizing.records import PositiveCount, Record
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.machines import CpuRecord
from sizing.units import GB

SYSTEM_GB = 10
"""Operating system and other processes, GB: 5 to 10 (NIM for LLMs 1.8.0, getting started)."""

SHARED_GB = 16
"""Shared memory of a container whose GPUs talk through it, GB (the same page)."""

ALONE_GB = 1
"""Shared memory of a container with one GPU, GB: TGI's own advice; Docker gives 0.064."""

BYTES_PER_PARAMETER = 2
"""Host memory of a NIM, bytes a parameter whatever the precision (the same page)."""

ONE_GPU_GB = 32
"""Least memory of a server for NIM, GB (first article)."""

SEVERAL_GB = 64
"""The same with several GPUs or containers, GB (first article)."""

LEAST_GB, COMFORTABLE_GB = 64, 128
"""Least memory for models of one's own, GB: "64 to 128" (second article).

The upper end where there are several GPUs or something is trained.
"""

TIMES_WEIGHTS = 2
"""Host memory as a multiple of the weights (second article)."""

BUILDS = frozenset({"trtllm"})
"""Engines that may compile a model on the server itself."""

MAY_BUILD = frozenset({"nim"})
"""Engines that do so where no compiled model is published for the GPUs."""


class RamPart(Record):
    """One addend of a rule."""

    code: str
    """What it is for."""

    size_gb: float
    """Memory, GB."""


class RamRule(Record):
    """What one rule asks for."""

    code: str
    """Which rule."""

    parts: tuple[RamPart, ...]
    """What it adds up."""

    ram_gb: float
    """Sum of the parts, GB."""

    binds: bool
    """Whether it holds for this load; else it is quoted beside it."""


class Dimms(Record):
    """Memory modules, the same number on every channel."""

    modules: PositiveCount
    """Modules of one server."""

    module_gb: PositiveCount
    """Size of each, GB."""

    per_channel: PositiveCount
    """Modules on a channel; with two of them memory runs slower."""

    ram_gb: PositiveCount
    """All of them, GB."""


class PractisedRatio(Record):
    """Host memory for each GB of GPU memory on published hosts."""

    hosts: PositiveCount
    """Hosts it was read from."""

    low: float
    """Least."""

    typical: float
    """Median."""

    high: float
    """Most."""


PRACTISED_GPUS = 8
"""GPUs of most published hosts."""

EIGHT_GPU_HOSTS = PractisedRatio(hosts=54, low=0.75, typical=1.5, high=5.3)
ALL_HOSTS = PractisedRatio(hosts=85, low=0.75, typical=1.82, high=21.3)
"""Hosts of MLPerf Inference 5.1 (mlcommons/inference_results_v5.1@965182b closed/*/systems)."""


def practised_ratio(load: ServerLoad) -> PractisedRatio | None:
    """Return what others buy for each GB of GPU memory; None where there is nothing to choose."""
    if load.gpu.unified_memory or load.gpu.coherent_host_gb:
        return None
    return EIGHT_GPU_HOSTS if load.gpus == PRACTISED_GPUS else ALL_HOSTS


def ram_rules(load: ServerLoad) -> tuple[RamRule, ...]:
    """Return every rule for the memory of one server, those that hold first.

    Where GPU and processor share it, weights stand there once: the rules are quoted alone.
    """
    trains, nim = load.trains, any(model.engine == "nim" for model in load.models)
    several = load.gpus > 1 or _processes(load) > 1
    apart = not load.gpu.unified_memory
    rules = (
        _rule("floor_32", {"floor": ONE_GPU_GB}, binds=apart),
        _rule("floor_64", {"floor": LEAST_GB}, binds=apart),
        _rule("floor_64_several", {"floor": SEVERAL_GB}, binds=apart and several),
        _rule("floor_128", {"floor": COMFORTABLE_GB}, binds=apart and (load.gpus > 1 or trains)),
        _rule("twice_weights", _twice_weights(load), binds=apart),
        _rule("load_peak", _load_peak(load)),
        _rule("nim_rule", _nim_rule(load), binds=apart and nim),
        _rule("engine_build", _engine_build(load), binds=apart and _builds(load, BUILDS)),
        _rule("gpu_memory", _gpu_memory(load), binds=apart and trains),
    )
    shown = [rule for rule in rules if rule.code != "engine_build" or _builds(load)]
    return tuple(sorted(shown, key=lambda rule: not rule.binds))


def deciding(rules: tuple[RamRule, ...]) -> RamRule:
    """Return the rule that asks for most of those that hold; of equals the first."""
    return max((rule for rule in rules if rule.binds), key=lambda rule: rule.ram_gb)


def dimms_for(ram_gb: float, cpu: CpuRecord, sockets: int) -> Dimms | None:
    """Return the least memory of at least `ram_gb` with all channels filled alike.

    One module a channel where that does as well; None where the sockets take less.
    """
    channels = (cpu.memory_channels or 0) * sockets
    choices = [
        Dimms(
            modules=channels * each,
            module_gb=size,
            per_channel=each,
            ram_gb=channels * each * size,
        )
        for each, size in product(range(1, cpu.dimms_per_channel + 1), cpu.dimm_gb)
        if channels * each * size >= ram_gb
    ]
    return min(choices, key=lambda one: (one.ram_gb, one.per_channel), default=None)


def shared_memory_gb(load: ServerLoad) -> int:
    """Return what the containers of one server need in /dev/shm, GB."""
    return sum(
        model.copies * (SHARED_GB if model.gpus_per_copy > 1 else ALONE_GB) for model in load.models
    )


def resident_bytes(model: ModelLoad, load: ServerLoad) -> int:
    """Return the weights of one copy that stand on one server, bytes.

    A copy over several servers keeps no more on one than its GPUs hold.
    """
    if not load.spans_servers:
        return model.weights_bytes
    return min(model.weights_bytes, load.gpu_memory_bytes)


def _rule(code: str, parts: dict[str, float], *, binds: bool = True) -> RamRule:
    kept = tuple(RamPart(code=part, size_gb=round(size, 1)) for part, size in parts.items() if size)
    total = round(sum(part.size_gb for part in kept), 1)
    return RamRule(code=code, parts=kept, ram_gb=total, binds=binds)


def _processes(load: ServerLoad) -> int:
    return sum(model.copies for model in load.models)


def _pinned(load: ServerLoad) -> dict[str, float]:
    """Return what stays in host memory while the server works."""
    return {
        "host_cache": sum(model.host_cache_bytes for model in load.models) / GB,
        "training_states": sum(model.training_host_bytes for model in load.models) / GB,
    }


def _twice_weights(load: ServerLoad) -> dict[str, float]:
    weights_bytes = sum(resident_bytes(model, load) for model in load.models)
    return {"twice_weights": TIMES_WEIGHTS * weights_bytes / GB, **_pinned(load)}


def _load_peak(load: ServerLoad) -> dict[str, float]:
    """Return what is in memory while the largest model is read and the others work."""
    largest_bytes = max(resident_bytes(model, load) for model in load.models)
    return {
        "system": SYSTEM_GB,
        "shared_memory": shared_memory_gb(load),
        "largest_weights": largest_bytes / GB,
        **_pinned(load),
    }


def _nim_rule(load: ServerLoad) -> dict[str, float]:
    """Return the published rule, for each container of the server."""
    parameters = sum(model.parameters * model.copies for model in load.models)
    return {
        "system": SYSTEM_GB,
        "containers": SHARED_GB * _processes(load),
        "parameters": BYTES_PER_PARAMETER * parameters / GB,
        **_pinned(load),
    }


def _engine_build(load: ServerLoad) -> dict[str, float]:
    """Return what compiling the widest model takes: about the memory of its GPUs (NIM)."""
    widths = [m.gpus_per_copy for m in load.models if m.engine in BUILDS | MAY_BUILD]
    return {
        "system": SYSTEM_GB,
        "gpus_of_a_copy": max(widths, default=0) * load.gpu.usable_bytes / GB,
    }


def _builds(load: ServerLoad, engines: frozenset[str] = BUILDS | MAY_BUILD) -> bool:
    return any(model.engine in engines for model in load.models)


def _gpu_memory(load: ServerLoad) -> dict[str, float]:
    """Return as much as all GPUs have (stas00/ml-engineering: for training)."""
    return {"gpu_memory": load.gpu_memory_bytes / GB}
