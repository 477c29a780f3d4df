"""The table of scores of the vocabulary, and its copies in the loss."""

from __future__ import annotations

from sizing.overhead import NOTHING, BytesRange
from sizing.training.layout import TrainingLayout
from sizing.training.methods import DISTILLED_COPIES, WITHOUT_HEAD
from sizing.training.optimizers import times
from sizing.training.plan import TrainingPlan
from sizing.tuning import Loss, Method
from sizing.units import ceil_div

CHUNKED = BytesRange(0, 2, 8)
"""Bytes of one score where the loss takes the table in pieces: all of it in 16 bits (2), its
gradient (2) and a piece of eight in 32 (`CEWithChunkedOutputLoss` of torchtune); least where the
head is in the loop too and tokens without a label are left out (`LinearCrossEntropyLoss`)."""

FUSED = BytesRange(4, 6, 12)
"""Bytes of one entry of the last layer's output where the loss is computed together with the head:
its gradient (2) and a piece of the table as large as the output, in 16 bits (2) or in 32
(`fused_linear_cross_entropy` of Liger-Kernel: as many pieces as the vocabulary is wider than the
model)."""


def scores(plan: TrainingPlan, layout: TrainingLayout) -> BytesRange:
    """Return the scores of one step on a GPU that computes them, bytes."""
    if plan.method in WITHOUT_HEAD:
        return NOTHING
    tokens = ceil_div(plan.tokens, layout.context)
    if plan.loss is Loss.FUSED:
        return times(FUSED, tokens * plan.subject.architecture.hidden_size)
    entries = tokens * ceil_div(plan.subject.architecture.vocabulary_size, layout.tensor)
    copies = DISTILLED_COPIES if plan.method is Method.GKD else 1
    return times(_bytes_of_a_score(plan), entries * copies)


def _bytes_of_a_score(plan: TrainingPlan) -> BytesRange:
    if plan.loss is Loss.CHUNKED:
        return CHUNKED
    known = plan.framework.scores
    return BytesRange(
        round(known.low_bytes_per_entry),
        round(known.typical_bytes_per_entry),
        round(known.high_bytes_per_entry),
    )
