"""Names people read for the ids of the catalogue; an id that left the catalogue shows as itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sizing.catalogue import Catalogue

_HAS_MEMORY = re.compile(r"\d\s?GB\b")
_PART = re.compile(r"\((one of [^()]+)\)")
_DETAILS = re.compile(r" \(|, ")
_MEMORY_ALONE = re.compile(r"any-([\d.]+)gb")


@dataclass(frozen=True)
class Labels:
    """Looks up display names; without a catalogue every id names itself."""

    catalogue: Catalogue | None = None
    """Where the names come from."""

    parts: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What a part of a card is called in this language, by `one_of_four_gpus`."""

    def gpu(self, gpu_id: str) -> str:
        """Return an accelerator with its memory: `L4 24 GB`."""
        if memory_gb := memory_alone_gb(gpu_id):
            return f"GPU {memory_gb:g} GB"
        record = self.catalogue.gpus.get(gpu_id) if self.catalogue else None
        if record is None:
            return gpu_id
        name = self.gpu_name(gpu_id)
        return name if _HAS_MEMORY.search(name) else f"{name} {record.memory_gb:g} GB"

    def gpu_name(self, gpu_id: str) -> str:
        """Return an accelerator as its record names it, which part of a card in words."""
        record = self.catalogue.gpus.get(gpu_id) if self.catalogue else None
        return _PART.sub(self._part, record.name) if record else gpu_id

    def _part(self, found: re.Match[str]) -> str:
        """Return which part of a card it is, in this language where that has a word for it."""
        return f"({self.parts.get(found[1].lower().replace(' ', '_'), found[1])})"

    def model(self, model_id: str) -> str:
        """Return the name of a model."""
        record = self.catalogue.models.get(model_id) if self.catalogue else None
        return record.name if record else model_id

    def precision(self, precision_id: str) -> str:
        """Return the name of a number format for weights, its details left out: `INT8`."""
        record = self.catalogue.precisions.get(precision_id) if self.catalogue else None
        return _DETAILS.split(record.name)[0] if record else precision_id

    def kv_precision(self, precision_id: str) -> str:
        """Return the name of a number format for the KV cache."""
        record = self.catalogue.kv_precisions.get(precision_id) if self.catalogue else None
        return record.name if record else precision_id

    def framework(self, framework_id: str) -> str:
        """Return the name of training software."""
        record = self.catalogue.frameworks.get(framework_id) if self.catalogue else None
        return record.name if record else framework_id

    def engine(self, engine_id: str) -> str:
        """Return the name of a serving engine."""
        record = self.catalogue.engines.get(engine_id) if self.catalogue else None
        return record.name if record else engine_id


def memory_alone_gb(gpu_id: str) -> float | None:
    """Return the GB of a choice that names no product, `any-24gb`; None for a product."""
    match = _MEMORY_ALONE.fullmatch(gpu_id)
    return float(match[1]) if match else None


def architecture_name(architecture: str) -> str:
    """Return a GPU generation as its vendor writes it: `Ampere`, `CDNA3`, `Blackwell (RTX)`."""
    name, _, line = architecture.partition("-")
    written = name.upper() if any(map(str.isdigit, name)) else name.title()
    return f"{written} ({line.upper()})" if line else written
