"""Records of the measured speed of models that work on whole inputs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sizing.records.base import Count, Positive, Record, SourcedRecord, Text
from sizing.records.efficiency import Spread

ThroughputTrait = Literal["work", "engine", "family", "gpu", "numbers"]
"""What a fitted number may depend on: kind of network, kind with engine, GPU, number format."""


class ThroughputFactors(Record):
    """One number of the model of whole inputs: a base, times a factor for each trait."""

    base: Positive
    """Value where no trait changes it; its unit is that of the number."""

    effects: dict[ThroughputTrait, dict[Text, Positive]] = Field(default_factory=dict)
    """Factor by trait and by what was found there."""


class ThroughputRecord(SourcedRecord):
    """Everything that was fitted on measured speeds of pictures, sound and texts."""

    compute: ThroughputFactors
    """Share of the peak rate of arithmetic that is reached, by a card of 1 W for each TFLOPS."""

    memory: ThroughputFactors
    """Share of the memory bandwidth that is reached."""

    power: Positive
    """How much more of its rate a card reaches with more power for each TFLOPS (exponent)."""

    launch: ThroughputFactors
    """Seconds that starting one operator takes."""

    spreads: dict[Text, Spread]
    """Spread of measured speeds around the estimate by `kind/gpu` and `kind/model`: on a GPU, or
    of a model, that the fit had not seen."""

    rows: dict[Text, Count]
    """Measured rows behind each `kind/engine/GPU family/model`."""
