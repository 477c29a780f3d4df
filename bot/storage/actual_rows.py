"""What every store writes alike of measurements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from bot.decisions.measured import Actual, Figures, NewActual
from bot.decisions.records import Tenant
from bot.storage.values import moment

ACTUAL_COLUMNS: Final = (
    "tenant", "at", "answer_id", "decision_id", "user_id", "user_name", "measured_json", "note",
    "package_version",
)  # fmt: skip
"""Columns of a measurement beside its number."""


def actual_row(tenant: Tenant, actual: NewActual, at: datetime) -> dict[str, Any]:
    """Return what is kept of a measurement, by column."""
    return {
        "tenant": tenant.key,
        "at": moment(at),
        "answer_id": actual.answer_id,
        "decision_id": actual.decision_id,
        "user_id": actual.user_id,
        "user_name": actual.user_name,
        "measured_json": actual.figures.model_dump_json(exclude_none=True),
        "note": actual.note,
        "package_version": actual.package_version,
    }


def read_actual(row: Mapping[str, Any]) -> Actual:
    """Return the measurement of a row."""
    told = {name: row[name] for name in ACTUAL_COLUMNS if name not in {"tenant", "measured_json"}}
    figures = Figures.model_validate_json(row["measured_json"])
    return Actual(**told, figures=figures, number=row["id"])
