"""What people see: time between tokens, time to the first one, tokens each second."""

from __future__ import annotations

from sizing.speed.pace import Pace
from sizing.speed.step import lone_prompt_s, prompt_s, step_times
from sizing.speed.work import StepWork

FULL_QUEUE = 0.95
"""Share of time spent on prompts above which a queue has no steady length."""


def itl_s(work: StepWork, pace: Pace, batch: float) -> float:
    """Return the seconds between two tokens of one request while `batch` are in flight.

    Each answer is held up by the prompts of the others: batch - 1 of them while it is written.
    Those share steps with the answers, which are read for anyway (chunked prefill).
    """
    stalled = (batch - 1) / work.output_tokens * pace.mixed * prompt_s(work, pace)
    return step_times(work, pace, batch).total + stalled


def output_tokens_per_s(work: StepWork, pace: Pace, batch: float) -> float:
    """Return the tokens that one replica writes each second with `batch` requests in flight."""
    writing = work.output_tokens * step_times(work, pace, batch).total
    reading = batch * pace.mixed * prompt_s(work, pace)
    return batch * work.output_tokens / (writing + reading)


def prefill_tokens_per_s(work: StepWork, pace: Pace) -> float:
    """Return the tokens of prompts that one replica reads each second, doing nothing else."""
    return work.input_tokens / lone_prompt_s(work, pace)


def first_s(work: StepWork, pace: Pace) -> float:
    """Return the seconds to the first token of a request that is alone."""
    return pace.first_s + _joined(work, pace, pace.first_prefill)


def first_at_random_s(work: StepWork, pace: Pace, batch: float) -> float:
    """Return the same while `batch` requests are in flight that arrive at random.

    Queue of prompts: M/D/1 (Pollaczek-Khinchine), u/(2(1-u)) of a prompt, u their share of time.
    """
    alone, between = first_s(work, pace), itl_s(work, pace, batch)
    prompt = prompt_s(work, pace)
    arriving = batch / (alone + work.output_tokens * between)
    used = _least(arriving * prompt, FULL_QUEUE)
    waiting = pace.queue_prefill * prompt * used / (2 * (1 - used))
    return alone + waiting + pace.queue_step * between


def first_in_burst_s(work: StepWork, pace: Pace, batch: float) -> float:
    """Return the same where `batch` requests are kept in flight and begin together."""
    own = pace.first_s + _joined(work, pace, pace.burst_first)
    others = pace.burst_prefill * (batch - 1) * prompt_s(work, pace)
    return own + others + pace.burst_step * step_times(work, pace, batch).total


def _joined(work: StepWork, pace: Pace, cost: float) -> float:
    """Return the seconds of reading a lone prompt and of the step that it ends in."""
    reading = cost * lone_prompt_s(work, pace)
    return reading + pace.first_decode * step_times(work, pace, 1).total


def _least(first: float, second: float) -> float:
    return (first + second - abs(first - second)) / 2
