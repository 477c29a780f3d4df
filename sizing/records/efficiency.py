"""Records of measured efficiency: how near engines come to what a GPU could do."""

from __future__ import annotations

from pydantic import Field

from sizing.records.base import Count, Positive, Record, SourcedRecord, Text


class Coefficient(Record):
    """One number of the speed model: a base, times a factor for each trait it depends on."""

    base: Positive
    """Value where no trait changes it; its unit is that of the coefficient."""

    effects: dict[Text, dict[Text, Positive]] = Field(default_factory=dict)
    """Factor by trait (GPU family, engine, number format, …) and by what was found there."""


class Spread(Record):
    """Between which multiples of an estimate nine of ten measured values lie."""

    low: Positive
    """Multiple below which one of ten lies."""

    high: Positive
    """Multiple above which one of ten lies."""


class FormRecord(Record):
    """One form of the speed model with its fitted numbers."""

    coefficients: dict[Text, Coefficient]
    """Numbers of the model by name."""

    power_w_per_tflops: dict[Text, Positive] = Field(default_factory=dict)
    """Power of the best supplied measured card of a family for each TFLOPS of 16-bit arithmetic."""

    spreads: dict[Text, dict[Text, Spread]] = Field(default_factory=dict)
    """Spread of measured values by figure, and by family of GPU; `all` where a family has few."""

    rows: dict[Text, Count] = Field(default_factory=dict)
    """Measured rows behind each combination of engine, GPU family and kind of layers."""


class EfficiencyRecord(SourcedRecord):
    """Everything that was fitted on measured speeds."""

    batched: FormRecord
    """Engines that work on many requests at once."""

    single: FormRecord
    """Engines that were measured with one request (llama.cpp and its kin)."""
