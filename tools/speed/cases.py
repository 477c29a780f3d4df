"""From a measured row to the work and the traits that the speed model sees."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from sizing.catalogue import Catalogue
from sizing.defaults import load_of
from sizing.memory import Load
from sizing.parallelism import Layout
from sizing.placement import Placer
from sizing.records import GpuRecord, PrecisionRecord
from sizing.request import SizingRequest
from sizing.speed.traits import Arithmetic, arithmetic_of, traits_of
from sizing.speed.work import StepWork, work_of
from sizing.subject import subject_of
from sizing.weights import loaded_part, loaded_precision
from tools.speed.rows import CASES, Row

LEAST_PARAMETERS = 1_000_000_000
"""Active parameters below which batched engines measure their own overheads alone."""

EIGHT_BIT_CACHE = "fp8"
OLD_CARDS = frozenset({"ampere", "turing", "volta", "pascal"})
"""Architectures without 8-bit floats, whose cache stays in 16 bits unless told otherwise."""

BENCHMARK_FRACTION = 0.95
"""Share of the free memory that `trtllm-bench` fills with cache (its documentation, 1.0)."""


@dataclass(frozen=True)
class Case:
    """One row with all that the model needs to answer it."""

    row: Row
    work: StepWork
    traits: Mapping[str, str]
    gpu: GpuRecord
    batch: float
    """Requests in flight of one replica."""
    replicas: int

    @property
    def model(self) -> str:
        """Return what a fold leaves out: the repository."""
        return self.row.hf_id

    @property
    def is_single(self) -> bool:
        """Return whether it is of the form for one request at a time."""
        return self.row.engine == "llamacpp"


def cases_of(rows: list[Row], catalogue: Catalogue) -> list[Case]:
    """Return the rows that can be scored, each with its work; the others state a fault."""
    maker = _Maker(catalogue)
    made = (maker.case(row) for row in rows if not row.left_out)
    return [case for case in made if case is not None]


class _Maker:
    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.gpus = {**catalogue.gpus, **{gpu.id: gpu for gpu in _other_gpus(catalogue)}}
        self.models = {model.hf_id: model.id for model in catalogue.models.values()}
        self.load = cache(self._load)

    def case(self, row: Row) -> Case | None:
        """Return the case of a row; None where the model or the GPU cannot be told."""
        model, gpu = self.models.get(row.hf_id), self.gpus.get(row.gpu)
        engine = row.engine if row.engine in self.catalogue.engines else None
        if model is None or gpu is None or engine is None or row.precision == "UINT4":
            return None
        load, precision = self.load(model, row.precision, self._kv(row, gpu), engine)
        arithmetic = arithmetic_of(gpu, precision, by_integers=engine == "llamacpp")
        if arithmetic is None or _is_too_small(load, engine):
            return None
        return self._case(row, load, precision, gpu, arithmetic)

    def _case(
        self, row: Row, load: Load, precision: PrecisionRecord, gpu: GpuRecord, how: Arithmetic
    ) -> Case:
        layout = self._layout(row, load, precision, gpu)
        work = work_of(
            load,
            layout,
            how,
            input_tokens=max(row.input_tokens, 1),
            output_tokens=max(row.output_tokens, 1),
        )
        replicas = row.gpus // layout.gpus_per_replica
        asked = None if row.concurrency is None else row.concurrency / replicas
        held = self._held(row, layout, load, precision, gpu)
        batch = max(1.0, min(asked or held, held))
        return Case(row, work, traits_of(gpu, load, layout, how), gpu, batch, replicas)

    def _kv(self, row: Row, gpu: GpuRecord) -> str | None:
        """Return the cache's precision: 8 bits beside 8- and 4-bit weights, unless told."""
        if row.kv_precision:
            return row.kv_precision
        is_old = gpu.architecture in OLD_CARDS
        return EIGHT_BIT_CACHE if row.precision in ("fp8", "nvfp4") and not is_old else None

    def _load(
        self, model: str, precision: str, kv: str | None, engine: str
    ) -> tuple[Load, PrecisionRecord]:
        request = SizingRequest(
            model_id=model,
            precision=precision,
            kv_precision=kv if kv in self.catalogue.kv_precisions else None,
            engine=engine,
            context_tokens=4096,
            memory_fraction=BENCHMARK_FRACTION if engine == "trtllm" else None,
        )
        subject = subject_of(request, self.catalogue)
        found = loaded_precision(subject, request, self.catalogue)
        return load_of(request, loaded_part(subject, found, engine), found, self.catalogue), found

    def _layout(self, row: Row, load: Load, precision: PrecisionRecord, gpu: GpuRecord) -> Layout:
        """Return the split; where it is not told, the smallest that leaves a quarter for cache."""
        told = layout_of_row(row)
        if row.split_is_told:
            return told
        placer = Placer(load, precision, self.catalogue)
        degrees = [2**power for power in range(4) if 2**power <= row.gpus]
        roomy = (
            degree
            for degree in degrees
            if placer.place(gpu, Layout(degree)).kv_pool_bytes * 4 > gpu.usable_bytes
        )
        return Layout(next(roomy, degrees[-1]))

    def _held(
        self, row: Row, layout: Layout, load: Load, precision: PrecisionRecord, gpu: GpuRecord
    ) -> float:
        """Return the requests that memory and the engine's own limit let one replica hold."""
        placed = Placer(load, precision, self.catalogue).place(gpu, layout)
        held = placed.requests_held(row.input_tokens + row.output_tokens)
        step = load.engine.step_on(gpu)
        limit = step.requests if step and step.requests else held
        return max(1, min(held, limit)) * layout.data_parallel


def _is_too_small(load: Load, engine: str) -> bool:
    return engine != "llamacpp" and load.subject.active_parameters < LEAST_PARAMETERS


def layout_of_row(row: Row) -> Layout:
    """Return how one copy of the model is split."""
    return Layout(
        tensor_parallel=row.tensor_parallel,
        pipeline_parallel=row.pipeline_parallel,
        data_parallel=row.data_parallel,
        expert_parallel=row.data_parallel,
    )


def _other_gpus(catalogue: Catalogue) -> Iterator[GpuRecord]:
    """Yield cards that were measured and are not in the catalogue."""
    like = next(iter(catalogue.gpus.values()))
    with (CASES / "speed" / "other_gpus.csv").open(encoding="utf-8", newline="") as lines:
        for raw in csv.DictReader(lines):
            yield like.model_copy(update=_facts(raw))


def _facts(raw: dict[str, str]) -> dict[str, object]:
    rate, whole, power = raw["fp16_dense_tflops"], raw["int8_dense_tops"], raw["board_power_w"]
    memory_gb = float(raw["memory_gb"])
    return {
        "id": raw["id"],
        "architecture": raw["architecture"],
        "memory_type": raw["memory_type"],
        "memory_gb": memory_gb,
        "usable_mib": round(memory_gb * 900),
        "bandwidth_gb_per_s": float(raw["bandwidth_gb_per_s"]),
        "fp16_dense_tflops": float(rate),
        "bf16_dense_tflops": None,
        "fp8_dense_tflops": None,
        "fp4_dense_tflops": None,
        "int8_dense_tops": float(whole) if whole else None,
        "board_power_w": float(power) if power else None,
        "link_gb_per_s": None,
        "coherent_host_gb": None,
    }
