"""One placement as the speed model sees it: its work, its pace, and how many requests it holds."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.catalogue import Catalogue
from sizing.memory import Load
from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.placement import Placement
from sizing.records import FigureName, FormRecord, PrecisionRecord, Spread
from sizing.speed.basis import BATCHING, is_measured, refusal_of
from sizing.speed.pace import Pace, pace_of
from sizing.speed.speculating import refusal_of_draft, speculating
from sizing.speed.traits import arithmetic_of, family_of, traits_of
from sizing.speed.work import StepWork, work_of
from sizing.units import ceil_div

MOST_REQUESTS = 4096
"""Requests that no engine takes at once by default."""

UNLIKELY = Spread(low=0.5, high=2.0)
"""Range where no spread was measured."""


@dataclass(frozen=True)
class Case:
    """Speed of one placement: each copy of the model serves its share of the requests."""

    form: FormRecord
    work: StepWork
    pace: Pace
    family: str
    layers: str
    """Kind of layers of its model."""
    is_measured: bool
    """Whether its GPU was measured."""
    batch: int
    """Requests in flight of one replica."""
    held: int
    """Most requests of one replica by its memory."""
    limit: int
    """Most by the engine's own limit."""
    replicas: int
    batches: bool
    alone: tuple[StepWork, Pace] | None = None
    """Work and pace without speculative decoding, where that was asked for."""

    @property
    def full(self) -> int:
        """Return the most requests that one replica has in flight."""
        return min(self.held, self.limit)

    def spread(self, kind: FigureName) -> Spread:
        """Return the range of a kind of figure, as factors of its estimate."""
        form = self.form
        spreads = form.spreads if self.is_measured else form.spreads_elsewhere
        layers = form.layers if self.is_measured else form.layers_elsewhere
        by_family = spreads.get(kind, {})
        spread = by_family.get(self.family) or by_family.get("all") or UNLIKELY
        return spread.widened(layers.get(self.layers, 1.0))

    def estimate(self, kind: FigureName, value: float, *, inverse: bool = False) -> Estimate:
        """Return a figure with the spread of its kind; rates of a time spread the other way."""
        spread = self.spread(kind)
        low, high = (1 / spread.high, 1 / spread.low) if inverse else (spread.low, spread.high)
        return Estimate(low=value * low, typical=value, high=value * high)


def case_of(
    placement: Placement, load: Load, precision: PrecisionRecord, catalogue: Catalogue
) -> Case | Note | None:
    """Return the case; a note where no number is given, None where nothing runs or is kept."""
    if placement.unsupported or load.subject.cache is None:
        return None
    refusal = refusal_of(placement, load, precision) or refusal_of_draft(load)
    if refusal is not None:
        return refusal
    gpu, layout = placement.gpu, placement.layout
    batches = load.engine.id in BATCHING
    arithmetic = arithmetic_of(gpu, precision, by_integers=not batches)
    held, limit = _most(placement, load)
    if held < 1 or arithmetic is None:
        return None if arithmetic else note("speed_rates_unknown", gpu=gpu.id)
    form = catalogue.efficiency.batched if batches else catalogue.efficiency.single
    traits = traits_of(gpu, load, layout, arithmetic)
    asked = ceil_div(load.concurrent_requests, layout.replicas) if batches else 1
    work = work_of(
        load,
        layout,
        arithmetic,
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
    )
    alone = (work, pace_of(form, gpu, traits))
    work, pace = speculating(*alone, load, layout, arithmetic=arithmetic)
    return Case(
        form=form,
        work=work,
        pace=pace,
        family=family_of(gpu),
        layers=traits["experts"],
        is_measured=is_measured(form, gpu),
        batch=min(asked, held, limit),
        held=held,
        limit=limit,
        replicas=layout.replicas,
        batches=batches,
        alone=alone if load.drafter else None,
    )


def _most(placement: Placement, load: Load) -> tuple[int, int]:
    """Return the most requests of one replica by its memory, and by the engine's limit."""
    copies = placement.layout.data_parallel
    step = load.engine.step_on(placement.gpu)
    limit = step.requests if step and step.requests else MOST_REQUESTS
    return placement.requests_held(load.request_tokens) * copies, limit * copies
