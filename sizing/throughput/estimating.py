"""From the work of an item to the speed of a set, each figure with its range."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.performance import BoundBy, Confidence, Estimate
from sizing.records import GpuRecord, PrecisionRecord, Spread, ThroughputRecord
from sizing.throughput.basis import confidence_in, is_seen, measured_engine
from sizing.throughput.pace import Seconds, pace_of, rates_of, seconds_of, traits_of
from sizing.throughput.work import ItemWork

UNLIKELY = Spread(low=0.5, high=2.0)
"""Range at least as wide where little was measured."""


@dataclass(frozen=True)
class ItemSpeed:
    """Speed of one GPU at work on a batch of equal items."""

    seconds: Seconds
    """Parts of the time of one item."""
    batch: int
    """Items worked on at once."""
    spread: Spread
    """Multiples of a speed between which eight of ten measured ones lie."""
    confidence: Confidence

    def rate(self, items: float) -> Estimate:
        """Return `items` for each item's time, with the range of a rate."""
        value = items / self.seconds.total
        return Estimate(low=value * self.spread.low, typical=value, high=value * self.spread.high)

    def time(self, items: float) -> Estimate:
        """Return the time of so many items, with the range of a time, seconds."""
        value = items * self.seconds.total
        return Estimate(low=value / self.spread.high, typical=value, high=value / self.spread.low)

    @property
    def latency_ms(self) -> Estimate:
        """Return the time until the batch is done, ms."""
        return self.time(1e3 * self.batch)

    @property
    def bound_by(self) -> BoundBy:
        """Return what takes most of the time."""
        parts = {
            BoundBy.COMPUTE: self.seconds.compute,
            BoundBy.CACHE: self.seconds.memory,
            BoundBy.OVERHEAD: self.seconds.launch,
        }
        return max(parts, key=parts.__getitem__)


@dataclass(frozen=True)
class Setting:
    """What an item is worked on with."""

    kind: str
    """Kind of rows that stand for the model."""
    model_id: str
    """Catalogue id; empty where there is none."""
    engine: str
    """Engine, id."""
    gpu: GpuRecord
    precision: PrecisionRecord


def item_speed(
    work: ItemWork, setting: Setting, batch: int, record: ThroughputRecord
) -> ItemSpeed | None:
    """Return the speed of one GPU; None where its arithmetic rate is not published."""
    engine = measured_engine(setting.kind, setting.engine)
    rates = rates_of(setting.gpu, setting.precision, engine)
    if rates is None:
        return None
    traits = traits_of(setting.kind, engine, work, gpu=setting.gpu, rates=rates)
    confidence = confidence_in(record, traits, setting.model_id)
    return ItemSpeed(
        seconds=seconds_of(work, rates, pace_of(record, traits, rates), batch),
        batch=batch,
        spread=_spread(
            record, setting, confidence, is_seen=is_seen(record, traits, setting.model_id)
        ),
        confidence=confidence,
    )


def _spread(
    record: ThroughputRecord, setting: Setting, confidence: Confidence, *, is_seen: bool
) -> Spread:
    """Return the spread on GPUs unseen, as wide as that of models unseen where the model is one."""
    found = [record.spreads.get(f"{setting.kind}/gpu", UNLIKELY)]
    if not is_seen:
        found.append(record.spreads.get(f"{setting.kind}/model", UNLIKELY))
    if confidence is Confidence.LOW:
        found.append(UNLIKELY)
    return Spread(low=min(each.low for each in found), high=max(each.high for each in found))
