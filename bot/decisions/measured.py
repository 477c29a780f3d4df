"""What was measured of an answer, as somebody told it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

LONGEST_NOTE = 500
"""Characters of the words beside the figures."""


class Figures(BaseModel):
    """Figures that were measured; None where one was not."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    memory_bytes: int | None = Field(default=None, gt=0)
    """Memory in use on one GPU, the fullest, bytes."""

    output_tokens_per_s: float | None = Field(default=None, gt=0)
    """Tokens written each second, all requests together."""

    user_tokens_per_s: float | None = Field(default=None, gt=0)
    """Tokens that each request got each second."""

    ttft_ms: float | None = Field(default=None, gt=0)
    """Time to the first token, ms."""

    itl_ms: float | None = Field(default=None, gt=0)
    """Time between two tokens, ms."""

    requests: int | None = Field(default=None, gt=0)
    """Requests that were held at once."""

    power_w: float | None = Field(default=None, gt=0)
    """Draw of all GPUs, W."""

    seconds_per_image: float | None = Field(default=None, gt=0)
    """Time for each picture, s."""

    @property
    def told(self) -> dict[str, float]:
        """Return those that were measured, by name."""
        return {name: value for name, value in self if value is not None}


class NewActual(BaseModel):
    """A measurement, before the log has numbered it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    answer_id: str
    """Answer it is about: `A-12`."""

    decision_id: int | None = None
    """Number of the decision it was told about; None for an answer alone."""

    user_id: str
    """Who told it: Slack user id, or the account name in the terminal."""

    user_name: str | None = None
    """Name people read."""

    figures: Figures
    """What was measured."""

    note: str | None = None
    """Words beside the figures."""

    package_version: str
    """Program that wrote it."""


class Actual(NewActual):
    """A measurement as the log keeps it."""

    number: int
    """Number in the log, from 1."""

    at: str
    """Moment, ISO 8601, UTC."""
