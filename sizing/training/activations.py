"""Activations of a training step on one GPU."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.overhead import NOTHING, BytesRange
from sizing.records import Stages
from sizing.training.layout import ALONE, Stage, TrainingLayout
from sizing.training.optimizers import times
from sizing.training.plan import TrainingPlan
from sizing.training.saved import ELEMENT_BYTES, gradients_per_token, saved_per_token
from sizing.training.scores import scores
from sizing.training.shape import largest_matrix
from sizing.training.towers import tower_activations
from sizing.units import ceil_div

LAYERS_ON_THEIR_WAY = 2
"""Inputs of layers that are on the GPU while the others wait in host memory."""


@dataclass(frozen=True)
class Activations:
    """What a step keeps in memory beside the states; parts by their source."""

    kept: BytesRange
    """Inputs of all layers with checkpointing, else all that the backward pass needs."""
    layer: BytesRange
    """The layer that is computed again; nothing without checkpointing."""
    logits: BytesRange
    """Scores of the whole vocabulary for every token."""
    unpacked_bytes: int
    """Weights that are brought to 16 bits for their products."""
    encoders: BytesRange
    """What image and audio encoders keep."""
    host_bytes: int = 0
    """Kept inputs that wait in host memory."""

    @property
    def total(self) -> BytesRange:
        """Return the peak: logits and the computed layer do not stand at the same time."""
        peak = self.logits.at_least(self.layer)
        both = self.logits.high_bytes + self.layer.high_bytes
        unpacked = BytesRange(self.unpacked_bytes, self.unpacked_bytes, self.unpacked_bytes)
        moving = BytesRange(peak.low_bytes, peak.typical_bytes, both)
        return self.kept + unpacked + self.encoders + moving


def activations(
    plan: TrainingPlan, layout: TrainingLayout = ALONE, stage: Stage = Stage.ONLY
) -> Activations:
    """Return the activations of one step on one GPU."""
    tokens = ceil_div(plan.tokens, layout.context)
    layers, batches = _held_layers(plan, layout, stage)
    layer = times(saved_per_token(plan), tokens / layout.tensor)
    kept, host_bytes = _kept(plan, layout, layer, layers * batches * tokens)
    return Activations(
        kept=kept,
        layer=_recomputed(plan, layer, tokens / layout.tensor),
        logits=scores(plan, layout) if stage.is_last else NOTHING,
        unpacked_bytes=_unpacked_bytes(plan, layout),
        encoders=tower_activations(plan) if stage.is_first else NOTHING,
        host_bytes=host_bytes,
    )


def _held_layers(plan: TrainingPlan, layout: TrainingLayout, stage: Stage) -> tuple[int, int]:
    """Return the layers of one GPU, and the batches that it has on their way."""
    layers = ceil_div(plan.subject.architecture.layers, layout.pipeline)
    at_once = plan.framework.stages is Stages.ONE_FORWARD_ONE_BACKWARD
    return layers, layout.pipeline if at_once and stage is Stage.FIRST else 1


def _kept(
    plan: TrainingPlan, layout: TrainingLayout, layer: BytesRange, kept_tokens: int
) -> tuple[BytesRange, int]:
    """Return what all layers keep on the GPU, and what of it waits in host memory."""
    if not plan.checkpointing:
        tokens = max(1, ceil_div(plan.tokens, layout.context))
        return times(layer, kept_tokens / tokens), 0
    shape = plan.subject.architecture
    cut = layout.tensor if plan.framework.splits_sequence else 1
    inputs = times(_residual_bytes(plan, layout), kept_tokens * shape.hidden_size / cut)
    if not plan.tuning.offload_activations:
        return inputs, 0
    return times(inputs, min(1, LAYERS_ON_THEIR_WAY / shape.layers)), inputs.typical_bytes


def _residual_bytes(plan: TrainingPlan, layout: TrainingLayout) -> BytesRange:
    """Return the bytes of one number between layers.

    Norms and embedding that are raised to 32 bits hand on 32 (`prepare_model_for_kbit_training`).
    """
    wide = 2 * ELEMENT_BYTES
    if plan.computes_in_32_bits:
        return BytesRange(wide, wide, wide)
    if plan.raises_base and layout.zero_stage < 3:
        return BytesRange(ELEMENT_BYTES, wide, wide)
    return BytesRange(ELEMENT_BYTES, ELEMENT_BYTES, ELEMENT_BYTES)


def _recomputed(plan: TrainingPlan, layer: BytesRange, tokens: float) -> BytesRange:
    """Return one layer computed again, and the gradients of its inner values beside it."""
    if not plan.checkpointing:
        return NOTHING
    gradients = round(gradients_per_token(plan) * tokens)
    return layer + BytesRange(0, gradients, 2 * gradients)


def _unpacked_bytes(plan: TrainingPlan, layout: TrainingLayout) -> int:
    """Return weights that are brought to 16 bits for their products.

    One matrix of a quantised base (`dequantize_4bit` of bitsandbytes). Of weights in 32 bits
    autocast keeps the copies until the backward pass: of all where nothing is computed again or
    they are trained, which it remembers (`torch.autocast`, cache), else those of one layer.
    """
    shape = plan.subject.architecture
    if plan.tuning.autocast and not plan.is_quantised:
        parameters = sum(one.parameters for one in plan.groups)
        kept = parameters if plan.is_full or not plan.checkpointing else parameters // shape.layers
        return ELEMENT_BYTES * ceil_div(kept, layout.tensor)
    if not plan.is_quantised:
        return 0
    largest = largest_matrix(shape)
    if plan.framework.quantises_head:
        largest = max(largest, shape.vocabulary_size * shape.hidden_size)
    return ELEMENT_BYTES * ceil_div(largest, layout.tensor)
