"""What the explanation shows: the formulas with the numbers of one answer put in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.views import AnswerView

if TYPE_CHECKING:
    from sizing.catalogue import Catalogue
    from sizing.records import ModelRecord


@dataclass(frozen=True)
class KvFormula:
    """Factors of the KV cache of one token."""

    layers: int
    kv_heads: int
    head_dim: int
    element_bits: float


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
    def model(self) -> ModelRecord | None:
        """Return the model's record; None for a bare size."""
        return self.catalogue.models.get(self.understood.model_id or "")

    @property
    def kv_formula(self) -> KvFormula | None:
        """Return the factors of the KV cache, if their product is the answer's figure."""
        precision = self.catalogue.kv_precisions.get(self.understood.kv_precision)
        if self.model is None or precision is None:
            return None
        shape = self.model.architecture
        formula = KvFormula(shape.layers, shape.kv_heads, shape.head_dim, precision.element_bits)
        product = 2 * shape.layers * shape.kv_heads * shape.head_dim * precision.element_bits / 8
        return formula if product == self.memory.kv_bytes_per_token else None

    @property
    def cached_tokens(self) -> int | None:
        """Return the tokens one request reserves, whole blocks of the engine."""
        if not self.memory.kv_bytes_per_token or self.memory.kv_cache_bytes is None:
            return None
        request_bytes = self.memory.kv_bytes_per_token * self.understood.concurrent_requests
        return self.memory.kv_cache_bytes // request_bytes

    @property
    def vocabulary(self) -> int | None:
        """Return the entries of the embedding table, which the activations follow."""
        return self.model.architecture.vocabulary_size if self.model else None

    @property
    def nominal_bits(self) -> float | None:
        """Return the bits of a weight that the rules of thumb multiply by."""
        precision = self.catalogue.precisions.get(self.understood.precision)
        return precision.nominal_bits if precision else None

    @property
    def usable_is_measured(self) -> bool:
        """Return whether the usable memory of the first option was read from a machine."""
        gpu = self.catalogue.gpus.get(self.first.gpu) if self.first else None
        return gpu is not None and gpu.usable_is_measured

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return where each input of the computation comes from."""
        catalogue, asked = self.catalogue, self.understood
        records = (
            ("model", self.model),
            ("gpu", catalogue.gpus.get(self.first.gpu) if self.first else None),
            ("precision", catalogue.precisions.get(asked.precision)),
            ("kv_precision", catalogue.kv_precisions.get(asked.kv_precision)),
            ("engine", catalogue.engines.get(asked.engine)),
        )
        return tuple(
            Source(kind, record.name, record.sources, record.checked.isoformat())
            for kind, record in records
            if record is not None
        )
