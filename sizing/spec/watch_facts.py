"""Facts about monitoring: exporters, and the figures that raise an alarm."""

from __future__ import annotations

from enum import StrEnum

from sizing.records import (
    Identifier,
    Name,
    Positive,
    PositiveCount,
    SourcedRecord,
    Text,
)
from sizing.spec.stack_facts import Platform


class Severity(StrEnum):
    """How soon somebody has to look."""

    WARNING = "warning"
    CRITICAL = "critical"


class AlarmRecord(SourcedRecord):
    """One figure that monitoring has to watch."""

    id: Identifier
    """Unique id."""

    platform: Platform
    """Family of drivers and libraries."""

    metric: Name
    """What the exporter calls it."""

    severity: Severity
    """How soon somebody has to look."""

    above_c: Positive | None = None
    """Temperature that raises it, degrees Celsius."""

    above_board_power_percent: Positive | None = None
    """Power that raises it, per cent of the board power."""

    lasts_seconds: PositiveCount | None = None
    """How long it has to last."""

    events: tuple[PositiveCount, ...] = ()
    """Numbers of errors that raise it; empty where any rise of the counter does."""

    memory_types: tuple[Name, ...] = ()
    """Kinds of memory it holds for, as they begin; empty for all."""

    exported_by_default: bool = True
    """Whether the exporter sends it without being told."""

    unconfirmed: tuple[Name, ...] = ()
    """Keys of this record that no first-hand source confirms."""


class MonitorRecord(SourcedRecord):
    """What reads the figures of the GPUs."""

    platform: Platform
    """Family of drivers and libraries."""

    exporter: Name
    """Program that offers them to Prometheus."""

    version: Text | None = None
    """Release read about."""

    port: PositiveCount
    """Port it listens on."""

    dashboard: Text | None = None
    """Ready-made dashboard of Grafana."""
