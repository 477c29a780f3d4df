"""Records of measured efficiency: how near engines come to what a GPU could do."""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from sizing.records.base import Count, Positive, Record, SourcedRecord, Text

CoefficientName = Literal[
    "bandwidth", "power_read", "fetching", "routing", "compute", "power", "grain", "prefill",
    "mixed", "prompt_layer_s", "attention", "layer_s", "layer_grain", "expert_layer",
    "latent_layer", "index_layer", "state_layer", "step_s", "request_s", "exchange_s",
    "link_bytes_per_s", "stages", "first_s", "first_prefill", "first_decode", "queue_prefill",
    "queue_step", "burst_prefill", "burst_step", "burst_first",
]  # fmt: skip
"""Fitted numbers of the speed model; `sizing.speed.pace.Pace` says what each is."""

TraitName = Literal[
    "family", "gpu", "engine", "numbers", "engine+numbers", "family+numbers", "experts", "link",
    "pcie_ranks", "host", "width",
]  # fmt: skip
"""What a fitted number may depend on."""

FigureName = Literal[
    "itl", "throughput", "saturation", "ttft_alone", "ttft_random", "ttft_burst", "single",
    "prefill",
]  # fmt: skip
"""Kinds of measured figures."""


class Coefficient(Record):
    """One number of the speed model: a base, times a factor for each trait it depends on."""

    base: Positive
    """Value where no trait changes it; its unit is that of the coefficient."""

    effects: dict[TraitName, dict[Text, Positive]] = Field(default_factory=dict)
    """Factor by trait (GPU family, engine, number format, …) and by what was found there."""


class Spread(Record):
    """Multiples of an estimate between which about eight of ten measured values lie."""

    low: Positive
    """Multiple below which few lie."""

    high: Positive
    """Multiple above which few lie."""

    def widened(self, times: float) -> Spread:
        """Return one so many times as wide, in logarithms."""
        return Spread(low=self.low**times, high=self.high**times)


class Promise(Record):
    """How cautiously users are promised inside a limit."""

    time: Positive = 1.0
    """Multiple of an estimated time that has to be inside the limit."""

    share: Positive = 1.0
    """Share of the requests inside it then that is promised."""


class FormRecord(Record):
    """One form of the speed model with its fitted numbers."""

    coefficients: dict[CoefficientName, Coefficient]
    """Numbers of the model by name."""

    power_w_per_tflops: dict[Text, Positive] = Field(default_factory=dict)
    """Power of the best supplied measured card of a family for each TFLOPS of 16-bit arithmetic."""

    spreads: dict[FigureName, dict[Text, Spread]] = Field(default_factory=dict)
    """Spread of measured values by figure, and by family of GPU; `all` where none was measured.

    Of models that the fit had not seen: for GPUs that were measured.
    """

    spreads_elsewhere: dict[FigureName, dict[Text, Spread]] = Field(default_factory=dict)
    """The same of GPUs that the fit had not seen."""

    layers: dict[Text, Positive] = Field(default_factory=dict)
    """How many times as wide `spreads` are, in logarithms, by kind of layers (trait `experts`)."""

    layers_elsewhere: dict[Text, Positive] = Field(default_factory=dict)
    """The same of `spreads_elsewhere`."""

    promise: Promise = Promise()
    """What held back enough on models and GPUs that the fit had not seen."""

    rows: dict[Text, Count] = Field(default_factory=dict)
    """Measured rows behind each combination of engine, GPU family and kind of layers."""

    @model_validator(mode="after")
    def _holds_every_number(self) -> Self:
        missing = sorted(set(get_args(CoefficientName)) - self.coefficients.keys())
        if missing:
            raise ValueError(f"{missing[0]} is missing")
        return self


class EfficiencyRecord(SourcedRecord):
    """Everything that was fitted on measured speeds."""

    batched: FormRecord
    """Engines that work on many requests at once."""

    single: FormRecord
    """Engines that were measured with one request (llama.cpp and its kin)."""
