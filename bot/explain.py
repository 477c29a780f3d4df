"""What the explanation shows: the formulas with the numbers of one answer put in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.explain_speed import WorkLine, work_line
from bot.views import AnswerView
from sizing.kv_cache import CacheGroup, cache_layout
from sizing.units import ceil_div

if TYPE_CHECKING:
    from sizing.catalogue import Catalogue
    from sizing.records import (
        ArchitectureRecord,
        EngineRecord,
        ModelRecord,
        SourcedRecord,
        StepRecord,
    )


@dataclass(frozen=True)
class CacheLine:
    """Layers that keep equal entries: the factors of their KV cache for one token."""

    layers: int
    heads: int
    head_elements: float
    element_bits: float
    window_tokens: int | None
    is_source: bool
    bytes_per_token: int


@dataclass(frozen=True)
class Source:
    """Where the facts of one record were read, and when they were checked."""

    kind: str
    """Key of the word for it: model, gpu, precision or engine."""

    name: str
    """Name of the record."""

    sources: tuple[str, ...]
    """Where each fact can be read again."""

    checked: str
    """Day of the last comparison, ISO 8601."""


@dataclass(frozen=True)
class ExplainView(AnswerView):
    """An answer with the factors behind its numbers; None where the catalogue has moved on."""

    catalogue: Catalogue

    @property
    def has_bars(self) -> bool:
        """Return whether the memory of some set is known."""
        return any(one.per_gpu for one in self.answer.options)

    @property
    def model(self) -> ModelRecord | None:
        """Return the model's record; None for a bare size."""
        return self.catalogue.models.get(self.understood.model_id or "")

    @property
    def shape(self) -> ArchitectureRecord | None:
        """Return the shape of the transformer; None for a bare size and for a pipeline."""
        return self.model.architecture if self.model else None

    @property
    def work(self) -> WorkLine | None:
        """Return the work behind the speed of a picture, a text or a window of sound."""
        return work_line(self.answer, self.model, self.catalogue)

    @property
    def cache_lines(self) -> tuple[CacheLine, ...]:
        """Return the factors of the KV cache, if they give the answer's figure."""
        precision = self.catalogue.kv_precisions.get(self.understood.kv_precision or "")
        engine = self.engine
        if self.shape is None or precision is None or engine is None:
            return ()
        cache = cache_layout(self.shape).with_images(self.understood.source_tokens)
        groups = (cache if engine.honours_windows else cache.in_full()).groups
        lines = tuple(_cache_line(group, precision.element_bits) for group in groups)
        growing = sum(line.bytes_per_token for line in lines if line.window_tokens is None)
        return lines if growing == self.memory.kv_bytes_per_token else ()

    @property
    def state_bytes(self) -> int:
        """Return the fixed states of one request, bytes; 0 where it has none."""
        return cache_layout(self.shape).state_bytes if self.shape else 0

    @property
    def request_bytes(self) -> int | None:
        """Return the KV cache of one request of the asked context, bytes."""
        if self.memory.kv_cache_bytes is None:
            return None
        return self.memory.kv_cache_bytes // self.understood.concurrent_requests

    @property
    def vocabulary(self) -> int | None:
        """Return the entries of the embedding table, which the activations follow."""
        return self.shape.vocabulary_size if self.shape else None

    @property
    def layers(self) -> int | None:
        """Return the layers of the model."""
        return self.shape.layers if self.shape else None

    @property
    def hidden_size(self) -> int | None:
        """Return the width of the residual stream."""
        return self.shape.hidden_size if self.shape else None

    @property
    def nominal_bits(self) -> float | None:
        """Return the bits of a weight that the rules of thumb multiply by."""
        precision = self.catalogue.precisions.get(self.understood.precision)
        return precision.nominal_bits if precision else None

    @property
    def host_leaves_less(self) -> bool:
        """Return whether the system leaves the first option less than the engine's share."""
        gpu = self.first.per_gpu if self.first else None
        share = int(gpu.usable_bytes * self.understood.memory_fraction) if gpu else 0
        return gpu is not None and gpu.budget_bytes < share

    @property
    def usable_is_measured(self) -> bool:
        """Return whether the usable memory of the first option was read from a machine."""
        gpu = self.catalogue.gpus.get(self.first.gpu) if self.first else None
        return gpu is not None and gpu.usable_is_measured

    @property
    def engine(self) -> EngineRecord | None:
        """Return the record of the serving engine."""
        return self.catalogue.engines.get(self.understood.engine)

    @property
    def captures_graphs(self) -> bool:
        """Return whether the engine has CUDA graphs that an option switches off."""
        launch = self.engine.launch if self.engine else None
        return launch is not None and launch.eager_flag is not None

    @property
    def step(self) -> StepRecord | None:
        """Return what the engine takes on at once by default on the first option."""
        gpu = self.catalogue.gpus.get(self.first.gpu) if self.first else None
        return self.engine.step_on(gpu) if self.engine and gpu else None

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return where each input of the computation comes from."""
        catalogue, asked = self.catalogue, self.understood
        records = (
            ("model", self.model),
            ("gpu", catalogue.gpus.get(self.first.gpu) if self.first else None),
            ("precision", catalogue.precisions.get(asked.precision)),
            ("kv_precision", catalogue.kv_precisions.get(asked.kv_precision or "")),
            ("engine", catalogue.engines.get(asked.engine)),
        )
        named = [(kind, record.name, record) for kind, record in records if record is not None]
        return tuple(
            Source(kind, name, record.sources, record.checked.isoformat())
            for kind, name, record in (*named, *self._price_records())
        )

    def _price_records(self) -> Iterator[tuple[str, str, SourcedRecord]]:
        """Yield what the prices of the first option were read from."""
        price, book = self.first.price if self.first else None, self.catalogue.prices
        rental, purchase = (price.rental, price.purchase) if price else (None, None)
        for prices in book.lists:
            place = (prices.provider, prices.region, prices.dated)
            if rental and place == (rental.provider, rental.region, rental.dated):
                yield "rental", f"{prices.provider} {prices.region}", prices
        bought = book.purchases.get(self.first.gpu) if self.first and purchase else None
        if bought:
            yield "purchase", self.catalogue.gpus[bought.gpu].name, bought
        if self.answer.cost and book.facility:
            yield "site", "PUE", book.facility


def _cache_line(group: CacheGroup, element_bits: float) -> CacheLine:
    return CacheLine(
        layers=group.layers,
        heads=group.heads,
        head_elements=group.head_elements,
        element_bits=element_bits,
        window_tokens=group.window_tokens,
        is_source=group.is_source,
        bytes_per_token=ceil_div(round(group.elements_per_token * element_bits), 8),
    )
