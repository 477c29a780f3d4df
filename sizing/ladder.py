"""Models of the catalogue as a ladder of sizes, to estimate what lies between its rungs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isqrt, log

from sizing.architecture import active_parameter_count, parameter_count
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.kv_cache import CacheGroup, CacheLayout, cache_layout
from sizing.records import ArchitectureRecord, Attention, ModelKind, ModelRecord, TensorGroup

LADDER_FAMILY = "llama"
"""Line of models from 1 to 405 billion parameters that sizes without a name are compared with."""

OUTLIERS = 10
"""One in so many mixtures of the catalogue may lie beyond a bound of the KV cache, each side."""


SENSES = frozenset({TensorGroup.VISION, TensorGroup.AUDIO})
"""Groups that read images and sound, which a bare size does not have."""


@dataclass(frozen=True)
class Rung:
    """A model to compare with."""

    model: ModelRecord
    parameters: int

    @property
    def architecture(self) -> ArchitectureRecord:
        """Return its shape."""
        return self.model.shape

    @cached_property
    def active_parameters(self) -> int:
        """Return the parameters a token passes."""
        return active_parameter_count(self.architecture)

    @cached_property
    def cache(self) -> CacheLayout:
        """Return what one request keeps."""
        return cache_layout(self.architecture)


@dataclass(frozen=True)
class Ladder:
    """Dense models of one line and one kind of attention, smallest first."""

    rungs: tuple[Rung, ...]

    def nearest(self, parameters: int) -> Rung:
        """Return the rung nearest in size, by ratio."""
        return min(self.rungs, key=lambda rung: abs(log(rung.parameters / parameters)))

    def cache_at(self, parameters: int) -> CacheLayout:
        """Return what a model of a size keeps, in the layers and heads of the nearest rung."""
        return with_elements(self.nearest(parameters).cache, self.elements_at(parameters))

    def elements_at(self, parameters: int) -> float:
        """Return the numbers of one token: a straight line between rungs on logarithmic scales.

        Beyond the ends they grow as depth does: parameters are layers x width^2, both grow
        together.
        """
        below = [rung for rung in self.rungs if rung.parameters <= parameters]
        above = [rung for rung in self.rungs if rung.parameters >= parameters]
        if below and above:
            return _interpolated(below[-1], above[0], parameters)
        base = self.nearest(parameters)
        growth = (parameters / base.parameters) ** (1 / 3)
        return float(base.cache.elements_per_token * growth)


@dataclass(frozen=True)
class Mixtures:
    """Mixtures of experts with grouped-query attention, compared with dense models."""

    rungs: tuple[Rung, ...]
    ratios: tuple[float, ...]
    """What each keeps of a token, as a multiple of what a dense model of the geometric mean of
    its total and active parameters keeps; ascending."""

    def nearest(self, parameters: int, active: int) -> Rung:
        """Return the mixture nearest in total and active parameters, by ratio."""

        def distance(rung: Rung) -> float:
            own = log(rung.parameters / parameters), log(rung.active_parameters / active)
            return sum(map(abs, own))

        return min(self.rungs, key=distance)

    @property
    def spread(self) -> tuple[float, float, float]:
        """Return low, median and high ratio, one in OUTLIERS beyond each bound."""
        aside = len(self.ratios) // OUTLIERS
        return self.ratios[aside], self.ratios[len(self.ratios) // 2], self.ratios[-1 - aside]


def ladder_of(attention: Attention, catalogue: Catalogue) -> Ladder:
    """Return the dense models whose shape a bare size may borrow.

    One line of models, so that a larger size never caches less: Llama where it has this
    attention, else all others.
    """
    dense = list(_plain(ModelKind.LLM, attention, catalogue))
    rungs = [model for model in dense if model.family == LADDER_FAMILY] or dense
    if not rungs:
        raise InvalidRequestError(reason="no_shape", word=attention.value)
    newest = sorted(rungs, key=lambda model: (model.release, model.id))
    by_size = {parameter_count(model.shape): model for model in newest}
    return Ladder(tuple(Rung(by_size[size], size) for size in sorted(by_size)))


def mixtures_of(ladder: Ladder, catalogue: Catalogue) -> Mixtures:
    """Return the mixtures of the catalogue, compared with a ladder of dense models."""
    rungs = tuple(
        Rung(model, parameter_count(model.shape))
        for model in _plain(ModelKind.MOE, Attention.GQA, catalogue)
    )
    ratios = (
        rung.cache.elements_per_token
        / ladder.elements_at(isqrt(rung.parameters * rung.active_parameters))
        for rung in rungs
    )
    return Mixtures(rungs, tuple(sorted(ratios)))


def with_elements(cache: CacheLayout, elements: float) -> CacheLayout:
    """Return a layout that keeps so many numbers of one token, in the same layers and heads."""
    shape = cache.groups[0]
    head_elements = max(1, elements / (shape.layers * shape.heads))
    return CacheLayout((CacheGroup(shape.layers, shape.heads, head_elements),))


def _plain(kind: ModelKind, attention: Attention, catalogue: Catalogue) -> Iterable[ModelRecord]:
    """Return the text models all of whose layers keep the whole context, as an unknown one may."""
    return (
        model
        for model in catalogue.models.values()
        if model.kind is kind
        and model.shape.attention is attention
        and model.shape.cache_is_known
        and not model.shape.attention_variants
        and not model.shape.recurrent
        and model.shape.is_causal
        and not SENSES & model.shape.given_parameters.keys()
    )


def _interpolated(low: Rung, high: Rung, parameters: int) -> float:
    low_elements, high_elements = low.cache.elements_per_token, high.cache.elements_per_token
    if low.parameters == high.parameters:
        return low_elements
    span = log(high.parameters / low.parameters)
    share = log(parameters / low.parameters) / span
    return float(low_elements * (high_elements / low_elements) ** share)
