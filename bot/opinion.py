"""A second opinion on the speed of a set: what it says, and how it stands beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sizing.performance import Estimate, Performance
from sizing.records import Identifier, Positive, PositiveCount, Record, Text

if TYPE_CHECKING:
    from sizing.answer import SizingAnswer


class SecondOpinion(Record):
    """Speed of the first option at the asked load, from kernels that were measured one by one."""

    source: Text
    """Package that gives it."""

    package_version: Text
    """Release of that package."""

    engine: Identifier
    """Engine whose kernels were measured, id."""

    database_version: Text
    """Release of that engine."""

    system: Text
    """GPU they were measured on, as the package calls it."""

    checkpoint: Text
    """Configuration that stands for the model: the same shape, as the package calls it."""

    concurrent_requests: PositiveCount
    """Requests in flight that the figures hold for, all replicas."""

    input_tokens: PositiveCount
    """Prompt tokens of a request."""

    output_tokens: PositiveCount
    """Tokens of its answer."""

    ttft_ms: Positive
    """Time to the first token, ms."""

    itl_ms: Positive | None
    """Time between two tokens of a request, ms; None where an answer is one token."""

    output_tokens_per_s: Positive | None
    """Tokens written each second, all replicas; None where an answer is one token."""


class Opinions(Protocol):
    """Gives second opinions."""

    def covers(self, answer: SizingAnswer) -> bool:
        """Return whether there may be one on the first option."""
        ...

    def opinion(self, answer: SizingAnswer) -> SecondOpinion:
        """Return the one on the first option; raise CodedError saying why there is none."""
        ...


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of both."""

    name: str
    """Key of the word for it."""

    ours: Estimate | None
    theirs: float | None

    is_time: bool = True
    """Whether it is a time in ms; else a rate."""

    @property
    def is_outside(self) -> bool:
        """Return whether theirs lies outside our range."""
        if self.ours is None or self.theirs is None:
            return False
        return not self.ours.low <= self.theirs <= self.ours.high


@dataclass(frozen=True)
class OpinionView:
    """A second opinion beside our own figures."""

    opinion: SecondOpinion
    ours: Performance | None

    @property
    def rows(self) -> tuple[ComparedFigure, ...]:
        """Return the figures that both may have."""
        ours, theirs = self.ours, self.opinion
        return (
            ComparedFigure("ttft", ours.ttft_ms if ours else None, theirs.ttft_ms),
            ComparedFigure("itl", ours.itl_ms if ours else None, theirs.itl_ms),
            ComparedFigure("output_rate", self._rate, theirs.output_tokens_per_s, is_time=False),
        )

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the names of the figures that lie outside our ranges."""
        return tuple(row.name for row in self.rows if row.is_outside)

    @property
    def counts_others(self) -> bool:
        """Return whether it counts other requests in flight than we do."""
        return self.ours is not None and (
            self.ours.concurrent_requests != self.opinion.concurrent_requests
        )

    @property
    def _rate(self) -> Estimate | None:
        """Return our rate for the same requests: with no load asked, those of one request."""
        if self.ours is None:
            return None
        if self.ours.at_saturation:
            return self.ours.single_stream_tokens_per_s
        return self.ours.output_tokens_per_s
