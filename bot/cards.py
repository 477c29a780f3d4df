"""What a card's facts page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sizing.catalogue import Catalogue
    from sizing.records import GpuRecord

COMMON_PRECISIONS = ("bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4")
"""Formats people ask about, widest first."""

MOST_CARDS = 4
"""Cards of one facts page; more are a list."""


@dataclass(frozen=True)
class CardView:
    """One accelerator and the formats it runs."""

    gpu: GpuRecord
    """Its record."""

    native: tuple[str, ...]
    """Common formats it computes in, ids."""

    storage_only: tuple[str, ...]
    """Common formats it can only store, ids."""


def card_view(gpu: GpuRecord, catalogue: Catalogue) -> CardView:
    """Return the facts of one accelerator."""
    records = [catalogue.precisions[name] for name in COMMON_PRECISIONS]
    return CardView(
        gpu=gpu,
        native=tuple(each.id for each in records if gpu.architecture in each.native_on),
        storage_only=tuple(each.id for each in records if gpu.architecture in each.storage_only_on),
    )
