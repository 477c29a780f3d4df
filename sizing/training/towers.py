"""Activations of image and audio encoders that are trained, or carry adapters."""

from __future__ import annotations

from sizing.overhead import NOTHING, BytesRange
from sizing.records import TensorGroup, TowerRecord
from sizing.training.plan import TrainingPlan
from sizing.training.saved import ELEMENT_BYTES
from sizing.tuning import Encoders


def tower_activations(plan: TrainingPlan) -> BytesRange:
    """Return what encoders keep for the backward pass, bytes; nothing where they are frozen.

    Without a picture told, images may be none of a sequence, half of it or all.
    """
    tower = plan.subject.architecture.towers.get(TensorGroup.VISION)
    if tower is None or plan.encoders is Encoders.FROZEN:
        return NOTHING
    patches = _patches(plan, tower)
    kept, layer = kept_per_patch(plan, tower), layer_per_patch(tower, plan.encoders)
    size = kept + layer * plan.encoder_checkpointing
    return BytesRange(
        patches.low_bytes * size, patches.typical_bytes * size, patches.high_bytes * size
    )


def kept_per_patch(plan: TrainingPlan, tower: TowerRecord) -> int:
    """Return what all layers keep of one patch: their inputs where layers are computed again."""
    if plan.encoder_checkpointing:
        return tower.layers * ELEMENT_BYTES * tower.hidden_size
    return tower.layers * layer_per_patch(tower, plan.encoders)


def layer_per_patch(tower: TowerRecord, encoders: Encoders) -> int:
    """Return what one layer keeps of one patch, bytes: as a layer of text with full heads.

    Frozen products keep no inputs (Korthikanti et al. 2022, equation 1).
    """
    inner = (4 if tower.gated_ffn else 2) * tower.ffn_size
    trained = 2 * tower.hidden_size + tower.ffn_size
    kept = 8 * tower.hidden_size + inner
    return ELEMENT_BYTES * (kept - (0 if encoders is Encoders.TRAINED else trained))


def _patches(plan: TrainingPlan, tower: TowerRecord) -> BytesRange:
    """Return the patches that one GPU reads at once."""
    if plan.picture_patches is not None:
        told = plan.picture_patches * plan.micro_batch
        return BytesRange(told, told, told)
    most = plan.tokens * tower.patches_per_token
    return BytesRange(0, most // 2, most)
