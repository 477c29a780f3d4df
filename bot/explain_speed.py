"""What the speed of a picture, a text or a window of sound was computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.throughput.basis import MEASURED_AS, measured_engine
from sizing.throughput.pictures import picture_work
from sizing.throughput.speech import speech_work
from sizing.throughput.texts import text_work

if TYPE_CHECKING:
    from sizing.answer import SizingAnswer
    from sizing.catalogue import Catalogue
    from sizing.records import ModelRecord
    from sizing.throughput.work import ItemWork

TERA = 1e12


@dataclass(frozen=True)
class WorkLine:
    """Work of one item, and how much was measured with its engine."""

    network: str
    """Kind of network, a key of the words for it."""

    tera_operations: float
    """Additions and multiplications, in 10^12."""

    kernels: int
    """Operators started for a batch."""

    item_bytes: int
    """Cache read for the item."""

    rows: int
    """Measured rows of that kind with that engine."""


def work_line(
    answer: SizingAnswer, model: ModelRecord | None, catalogue: Catalogue
) -> WorkLine | None:
    """Return the work behind a named speed; None where the speed is that of tokens, or unknown."""
    speed = answer.options[0].performance if answer.options else None
    kind = MEASURED_AS.get(model.kind) if model else None
    if speed is None or model is None or kind is None:
        return None
    work = _work(answer, model)
    if work is None:
        return None
    start = f"{kind}/{measured_engine(kind, answer.understood.engine)}/"
    rows = catalogue.throughput.rows
    return WorkLine(
        network=work.network,
        tera_operations=(work.quantised_operations + work.other_operations) / TERA,
        kernels=round(work.kernels),
        item_bytes=round(work.item_bytes),
        rows=sum(count for name, count in rows.items() if name.startswith(start)),
    )


def _work(answer: SizingAnswer, model: ModelRecord) -> ItemWork | None:
    asked, groups = answer.understood, answer.memory.groups
    if model.pipeline is not None:
        pixels = (asked.width_pixels or 0) * (asked.height_pixels or 0)
        return picture_work(model.pipeline, pixels, asked.steps) if asked.steps else None
    if not model.works_in_passes:
        return speech_work(groups, model.shape) if model.shape.cross_attention else None
    return text_work(groups, model.shape, asked.context_tokens or 1)
