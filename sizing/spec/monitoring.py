"""What watches the GPUs, with the bounds for this card."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.records import GpuRecord, Segment
from sizing.spec.drivers import CardStack
from sizing.spec.software_facts import SoftwareCatalogue
from sizing.spec.software_plan import Alarm, Monitoring
from sizing.spec.watch_facts import AlarmRecord


def monitoring_of(known: CardStack, facts: SoftwareCatalogue) -> Monitoring | None:
    """Return exporter and alarms; None where no exporter is known for the platform.

    The exporter of NVIDIA reads cards alone, not the GPU of a Jetson.
    """
    platform = known.stack.platform
    record = next((each for each in facts.monitor if each.platform is platform), None)
    if record is None or known.gpu.segment is Segment.EDGE:
        return None
    return Monitoring(
        exporter=record.exporter,
        version=record.version,
        port=record.port,
        dashboard=record.dashboard,
        alarms=tuple(_alarms(known, facts)),
    )


def _alarms(known: CardStack, facts: SoftwareCatalogue) -> Iterator[Alarm]:
    for record in facts.alarm:
        if record.platform is known.stack.platform and _holds(record, known.gpu):
            yield _alarm(record, known.gpu)


def _holds(record: AlarmRecord, gpu: GpuRecord) -> bool:
    """Return whether an alarm is meant for the card's memory, and its bound is known."""
    kinds = record.memory_types
    unpowered = record.above_board_power_percent is not None and gpu.board_power_w is None
    return not unpowered and (not kinds or any(gpu.memory_type.startswith(each) for each in kinds))


def _alarm(record: AlarmRecord, gpu: GpuRecord) -> Alarm:
    share = record.above_board_power_percent
    return Alarm(
        code=record.id,
        metric=record.metric,
        severity=record.severity,
        above_c=record.above_c,
        above_w=gpu.board_power_w * share / 100 if share and gpu.board_power_w else None,
        lasts_seconds=record.lasts_seconds,
        events=record.events,
        exported_by_default=record.exported_by_default,
        is_confirmed=not record.unconfirmed,
    )
