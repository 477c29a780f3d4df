"""Seconds of an item: a roofline over its operations and bytes, and the starting of operators.

A GPU works while the host starts the next operators, so that the longer of both decides; between
them a smooth maximum, which fitting needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sizing.records import (
    GpuRecord,
    PrecisionRecord,
    ThroughputFactors,
    ThroughputRecord,
    ThroughputTrait,
)
from sizing.speed.traits import SIXTEEN_BITS, Arithmetic, arithmetic_of, family_of
from sizing.throughput.work import ItemWork
from sizing.units import power

SHARPNESS = 4.0
"""Exponent of the smooth maximum: equal parts take 1.19 times one of them."""

UNQUANTISED = frozenset({"diffusers", "transformers", "infinity", "tei"})
"""Engines that only store weights in fewer bits: products are in 16 bits."""

Traits = Mapping[ThroughputTrait, str]


@dataclass(frozen=True)
class Rates:
    """What a GPU could do at best, in the numbers of a precision."""

    numbers: str
    peak_flops: float
    peak_16_bit_flops: float
    bytes_per_s: float
    power_w_per_tflops: float
    """Power of the card for each TFLOPS of 16-bit arithmetic; 1 where it is not known."""


@dataclass(frozen=True)
class Pace:
    """Fitted numbers of one case."""

    compute: float
    """Share of the peak rate that is reached."""
    memory: float
    """Share of the bandwidth that is reached."""
    launch_s: float
    """Seconds of starting one operator."""


@dataclass(frozen=True)
class Seconds:
    """Parts of the time of one item, were each alone, seconds."""

    compute: float
    memory: float
    launch: float

    @property
    def total(self) -> float:
        """Return the seconds of the item, its share of the batch."""
        busy = self.compute + self.memory
        summed = power(busy, SHARPNESS) + power(self.launch, SHARPNESS)
        return power(summed, 1 / SHARPNESS)


def rates_of(gpu: GpuRecord, precision: PrecisionRecord, engine: str) -> Rates | None:
    """Return what `gpu` could do at best; None where its rates are not known."""
    arithmetic = arithmetic_of(gpu, precision)
    if arithmetic is None:
        return None
    numbers = _numbers(arithmetic, precision, engine)
    is_fast = numbers == arithmetic.numbers
    peak = arithmetic.peak_flops if is_fast else arithmetic.peak_16_bit_flops
    return Rates(
        numbers=numbers,
        peak_flops=peak,
        peak_16_bit_flops=arithmetic.peak_16_bit_flops,
        bytes_per_s=gpu.bandwidth_gb_per_s * 1e9,
        power_w_per_tflops=_power(gpu, arithmetic),
    )


def _power(gpu: GpuRecord, arithmetic: Arithmetic) -> float:
    """Return the power for each TFLOPS: cards short of it clock down under matrix products."""
    if gpu.board_power_w is None:
        return 1.0
    return gpu.board_power_w / (arithmetic.peak_16_bit_flops / 1e12)


def _numbers(arithmetic: Arithmetic, precision: PrecisionRecord, engine: str) -> str:
    if precision.nominal_bits > SIXTEEN_BITS:
        return "32-bit"
    if arithmetic.numbers != "16-bit" and engine in UNQUANTISED:
        return "weights"
    return arithmetic.numbers


def seconds_of(work: ItemWork, rates: Rates, pace: Pace, batch: float) -> Seconds:
    """Return the parts of the time that one item of a batch takes."""
    computed = work.quantised_operations / rates.peak_flops
    computed += work.other_operations / rates.peak_16_bit_flops
    read_bytes = work.item_bytes + work.batch_bytes / batch
    return Seconds(
        compute=computed / pace.compute,
        memory=read_bytes / rates.bytes_per_s / pace.memory,
        launch=work.kernels * pace.launch_s / batch,
    )


def traits_of(kind: str, engine: str, work: ItemWork, *, gpu: GpuRecord, rates: Rates) -> Traits:
    """Return every trait by its name in data/throughput.toml."""
    return {
        "work": work.network,
        "engine": f"{kind}/{engine}",
        "family": family_of(gpu),
        "gpu": gpu.id,
        "numbers": rates.numbers,
    }


def pace_of(record: ThroughputRecord, traits: Traits, rates: Rates) -> Pace:
    """Return the fitted numbers of one case."""
    supplied = power(rates.power_w_per_tflops, record.power)
    return Pace(
        compute=_value(record.compute, traits) * supplied,
        memory=_value(record.memory, traits),
        launch_s=_value(record.launch, traits),
    )


def _value(factors: ThroughputFactors, traits: Traits) -> float:
    """Return a number: its base times the factor of each trait that is known."""
    value = factors.base
    for trait, known in factors.effects.items():
        value *= known.get(traits[trait], 1.0)
    return value
