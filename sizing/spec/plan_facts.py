"""What a plan of cards and servers tells a purchase: the load, the GPUs, what models must reach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sizing.catalogue import Catalogue
from sizing.records import GpuRecord, PrecisionRecord, Segment
from sizing.request import Mode
from sizing.spec.answer import Spec, SpecWorkload
from sizing.spec.costs_bought import cost_values
from sizing.spec.facility_facts import facility_facts
from sizing.spec.facts import AcceptanceRun, ChecklistFacts
from sizing.spec.host_facts import host_facts
from sizing.spec.nim import NimStatus
from sizing.spec.software_bought import software_values
from sizing.spec.versions import as_numbers
from sizing.units import GB, GIB

LINKS = {"AMD": "Infinity Fabric", "NVIDIA": "NVLink"}
"""Names of the links between cards, by who makes them."""

DATACENTER = frozenset({Segment.CLOUD_ONLY, Segment.DATACENTER, Segment.RACK})
"""Markets whose GPUs run all levels of the maker's diagnostics."""

CABLED = frozenset({"service", "fabric"})
"""Ports of a server that carry data."""

_HAS_MEMORY = re.compile(r"\d\s?GB\b")
_DETAILS = re.compile(r" \(|, ")

Facts = dict[str, Any]


def facts_of(spec: Spec, catalogue: Catalogue) -> ChecklistFacts:
    """Return what the plan knows: load, GPUs and servers, and what stands around them."""
    gpu = catalogue.gpus[spec.servers.gpu]
    known = _load(spec, catalogue) | _growth(spec) | _gpu(gpu) | _servers(spec, gpu, catalogue)
    named = {name: value for name, value in known.items() if value is not None}
    facts = ChecklistFacts(**named, runs=tuple(_runs(spec, catalogue)))
    around = spec.around
    return (
        facts.with_values(host_facts(around.host, around.storage, around.platform))
        .with_values(facility_facts(around.facility))
        .with_values(software_values(spec.software, catalogue))
        .with_values(cost_values(spec.cost))
    )


def _load(spec: Spec, catalogue: Catalogue) -> Facts:
    asked = [workload.answer.understood for workload in spec.workloads]
    serving = [one for one in asked if one.mode is Mode.INFER]
    return {
        "models": tuple(_model_name(workload, catalogue) for workload in spec.workloads),
        "serves": bool(serving),
        "trains": len(serving) < len(asked),
        "context_tokens": _most(one.context_tokens for one in serving),
        "concurrent_requests": sum(one.concurrent_requests for one in serving) or None,
        "people": sum(workload.people or 0 for workload in spec.workloads) or None,
        "ttft_target_ms": _least(one.targets.ttft_ms for one in asked),
        "itl_target_ms": _least(one.targets.itl_ms for one in asked),
    }


def _growth(spec: Spec) -> Facts:
    """Return the growth that the plan was made for, as its assumption says."""
    grown = [note.values for note in spec.assumptions if note.code == "growth_compound"]
    if not grown:
        return {}
    return {
        "growth_percent": grown[0]["growth_percent"],
        "horizon_years": grown[0]["years"],
        "reserve_percent": (spec.servers.growth_factor - 1) * 100,
    }


def _gpu(gpu: GpuRecord) -> Facts:
    return {
        "gpu": _gpu_name(gpu),
        "gpu_memory_gb": gpu.memory_gb,
        "gpu_usable_gib": gpu.usable_bytes / GIB,
        "gpu_bandwidth_gb_per_s": gpu.bandwidth_gb_per_s,
        "gpu_has_link": gpu.link_gb_per_s is not None,
        "gpu_link": LINKS.get(gpu.vendor) if gpu.link_gb_per_s else None,
        "gpu_link_gb_per_s": gpu.link_gb_per_s,
        "gpu_is_passive": gpu.cooling.startswith("passive") if gpu.cooling else None,
        "gpu_is_nvidia": gpu.vendor == "NVIDIA",
        "gpu_is_datacenter": gpu.segment in DATACENTER,
        "gpu_power_w": gpu.board_power_w,
        "pcie_generation": gpu.pcie_generation,
        "pcie_lanes_per_gpu": gpu.pcie_lanes,
    }


def _servers(spec: Spec, gpu: GpuRecord, catalogue: Catalogue) -> Facts:
    servers = spec.servers
    copies = [seat for workload in spec.workloads for seat in workload.seats]
    return {
        "gpus_per_server": servers.gpus_per_server,
        "total_servers": servers.servers + servers.spare_servers,
        "spare_servers": servers.spare_servers,
        "server_memory_gb": gpu.memory_gb * servers.gpus_per_server,
        "needed_memory_gb": _need_bytes(spec) / GB or None,
        "needs_gpu_link": any(len(seat.cards) > 1 for seat in copies),
        "precisions": tuple(_native(spec, gpu, catalogue)) or None,
        "mig_slices": tuple(_mig_slices(spec)) or None,
        "gpu_equivalents": tuple(_equivalents(spec, catalogue)) or None,
        "network_cables": _cables(spec),
        "containers": tuple(_containers(spec)) or None,
    }


def _equivalents(spec: Spec, catalogue: Catalogue) -> Iterator[str]:
    for one in spec.servers.equivalents:
        yield f"{one.gpus} × {_gpu_name(catalogue.gpus[one.gpu])}"


def _cables(spec: Spec) -> int:
    """Return a cable for each data and fabric port of all servers; management has copper ones."""
    ports = sum(port.ports for port in spec.around.host.ports if port.code in CABLED)
    return ports * (spec.servers.servers + spec.servers.spare_servers)


def _containers(spec: Spec) -> Iterator[str]:
    """Yield the NIM of each model that is listed on this GPU, in its newest release read about."""
    for support in spec.nim:
        if support.status is NimStatus.LISTED:
            newest = max(support.profiles, key=lambda profile: as_numbers(profile.version))
            yield f"{newest.name} {newest.version}"


def _mig_slices(spec: Spec) -> Iterator[str]:
    """Yield how many slices of each profile there are, the widest first."""
    counted = Counter(part.mig_profile for card in spec.mig for part in card.slices)
    yield from (f"{copies} × {profile}" for profile, copies in counted.items())


def _need_bytes(spec: Spec) -> int:
    """Return the memory that all copies take, high bound."""
    return sum(
        share.need_high_bytes * len(seat.cards)
        for workload in spec.workloads
        for seat in workload.seats
        if (share := workload.answer.options[0].per_gpu)
    )


def _native(spec: Spec, gpu: GpuRecord, catalogue: Catalogue) -> Iterator[str]:
    """Yield the precisions of the models that the GPU computes in."""
    used = dict.fromkeys(one.answer.understood.precision for one in spec.workloads)
    for precision in (catalogue.precisions[name] for name in used):
        if gpu.architecture in precision.native_on:
            yield _precision_name(precision)


def _runs(spec: Spec, catalogue: Catalogue) -> Iterator[AcceptanceRun]:
    """Yield the weak end of what was estimated for each model that answers requests."""
    for workload in spec.workloads:
        speed = workload.answer.options[0].performance
        if speed is None or workload.answer.understood.mode is not Mode.INFER:
            continue
        yield AcceptanceRun(
            model=_model_name(workload, catalogue),
            concurrent_requests=speed.concurrent_requests,
            input_tokens=speed.input_tokens,
            output_tokens=speed.output_tokens,
            least_output_tokens_per_s=speed.output_tokens_per_s and speed.output_tokens_per_s.low,
            most_ttft_ms=speed.ttft_ms and speed.ttft_ms.high,
            most_itl_ms=speed.itl_ms and speed.itl_ms.high,
            reference_precision=_reference(workload, catalogue),
        )


def _reference(workload: SpecWorkload, catalogue: Catalogue) -> str | None:
    """Return the published precision where the model runs in a lower one."""
    asked = workload.answer.understood
    model = catalogue.models.get(asked.model_id or "")
    published = catalogue.precisions[model.native_precision if model else "bf16"]
    is_lower = catalogue.precisions[asked.precision].nominal_bits < published.nominal_bits
    return _precision_name(published) if is_lower else None


def _model_name(workload: SpecWorkload, catalogue: Catalogue) -> str:
    asked = workload.answer.understood
    return f"{asked.model} · {_precision_name(catalogue.precisions[asked.precision])}"


def _precision_name(precision: PrecisionRecord) -> str:
    return _DETAILS.split(precision.name)[0]


def _gpu_name(gpu: GpuRecord) -> str:
    return gpu.name if _HAS_MEMORY.search(gpu.name) else f"{gpu.name} {gpu.memory_gb:g} GB"


def _most(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _least(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)
