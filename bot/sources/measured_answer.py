"""What the process that is asked about measured kernels may answer."""

from __future__ import annotations

from pydantic import ConfigDict

from sizing.records import Positive, Record, Text


class Figures(Record):
    """What the process found, for one copy of the model."""

    model_config = ConfigDict(allow_inf_nan=False)

    ttft_ms: Positive
    itl_ms: float
    output_tokens_per_s: float
    concurrent_requests: Positive
    database_version: Text


class Answered(Record):
    """What the process answers: figures, or in English why there are none."""

    release: str | None
    """Release of the package; None where it is not installed."""
    figures: Figures | None = None
    missing: str | None = None
    failed: str | None = None
