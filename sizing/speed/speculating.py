"""Speculative decoding in the roofline: drafting, verifying, and the tokens that a step gives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizing.drafter import Drafter
from sizing.memory import Load
from sizing.notes import Note, note
from sizing.parallelism import Layout
from sizing.performance import Speculated
from sizing.speculation import tokens_of_step
from sizing.speed.pace import Pace
from sizing.speed.searching import largest
from sizing.speed.serving import itl_s
from sizing.speed.traits import Arithmetic
from sizing.speed.work import StepWork
from sizing.units import power

VERIFYING = frozenset({"vllm", "sglang", "trtllm"})
"""Engines with speculative decoding of every kind that is asked here."""


@dataclass(frozen=True)
class Draft:
    """What one drafted token costs the fullest GPU of a replica."""

    dense_bytes: float
    expert_bytes: float
    linear_s: float
    """Seconds of matrix products for each token, at the peak rate."""
    layers: float


def refusal_of_draft(load: Load) -> Note | None:
    """Return why no speed is named with speculative decoding; None where it can be."""
    drafter = load.drafter
    if drafter is None:
        return None
    method, engine = drafter.method.value, load.engine.id
    if engine not in VERIFYING:
        return note("speed_speculation_engine", method=method, engine=engine)
    if not drafter.parameters:
        return note("speed_no_mtp" if drafter.is_layer_of_model else "speed_draft_unknown")
    if drafter.acceptance is None:
        return note("speed_acceptance_unknown", method=method)
    return None


def speculating(
    work: StepWork, pace: Pace, load: Load, layout: Layout, *, arithmetic: Arithmetic
) -> tuple[StepWork, Pace]:
    """Return work and pace of each token that is kept, where tokens are drafted and verified.

    A step verifies k + 1 tokens of each request: it computes and sends so many, touches the
    experts of all of them, and reads weights and cache once. k drafts come before it. What all
    that takes is shared out over the tokens that a step is expected to give.
    """
    drafter = load.drafter
    if drafter is None or drafter.acceptance is None:
        return work, pace
    drafted, verified = drafter.tokens, drafter.tokens + 1
    given = tokens_of_step(drafter.acceptance, drafted)
    draft = _draft(work, drafter, load, layout, arithmetic=arithmetic)
    layers = (work.layers + drafted * draft.layers) / given
    wire_s = work.wire_bytes / pace.link_bytes_per_s
    own_exchanges = drafted * draft.layers if work.exchanging_layers else 0.0
    return (
        replace(
            work,
            dense_bytes=(work.dense_bytes + drafted * draft.dense_bytes) / given,
            expert_bytes=(work.expert_bytes + drafted * draft.expert_bytes) / given,
            expert_share=1 - power(1 - work.expert_share, verified),
            cache_bytes=work.cache_bytes / given,
            state_bytes=work.state_bytes / given,
            linear_s=(verified * work.linear_s + drafted * draft.linear_s) / given,
            attention_s=verified * work.attention_s / given,
            layers=layers,
            expert_layers=work.expert_layers / given,
            latent_layers=work.latent_layers / given,
            index_layers=work.index_layers / given,
            state_layers=work.state_layers / given,
            exchanging_layers=(work.exchanging_layers + own_exchanges) / given,
        ),
        replace(
            pace,
            step_s=pace.step_s / given,
            # Prompts send what they did and are read by as many layers as before.
            request_s=(pace.request_s + (verified - given) * wire_s) / given,
            prompt_layer_s=pace.prompt_layer_s * work.layers / layers,
        ),
    )


def _draft(
    work: StepWork, drafter: Drafter, load: Load, layout: Layout, *, arithmetic: Arithmetic
) -> Draft:
    """Return what drafts one token: a layer of the model, or weights of its own."""
    if drafter.is_layer_of_model:
        layers = load.subject.architecture.layers
        return Draft(
            dense_bytes=work.dense_bytes / layers,
            expert_bytes=work.expert_bytes / layers,
            linear_s=work.linear_s / layers,
            layers=drafter.layers,
        )
    ranks = layout.tensor_parallel
    flops = 2.0 * drafter.parameters
    return Draft(
        dense_bytes=sum(each.weights_bytes for each in drafter.weights) / ranks,
        expert_bytes=0.0,
        linear_s=flops / ranks / arithmetic.peak_16_bit_flops,
        layers=drafter.layers,
    )


def speculated_of(
    drafter: Drafter,
    alone: tuple[StepWork, Pace],
    drafting: tuple[StepWork, Pace],
    *,
    batch: int,
    full: int,
) -> Speculated | None:
    """Return what drafting gives with `batch` requests in flight of a replica that holds `full`."""
    if drafter.acceptance is None:
        return None

    def speedup(requests: int) -> float:
        return itl_s(*alone, requests) / itl_s(*drafting, requests)

    paying = largest(full, lambda requests: speedup(requests) > 1)
    return Speculated(
        draft_tokens=drafter.tokens,
        acceptance=drafter.acceptance,
        step_tokens=tokens_of_step(drafter.acceptance, drafter.tokens),
        speedup=speedup(batch),
        most_paying_requests=None if paying == full else paying,
    )
