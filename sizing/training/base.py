"""The base model of a training run: its precision, and its weights as they are held."""

from __future__ import annotations

from math import ceil

from sizing.answer import GroupWeights
from sizing.catalogue import Catalogue
from sizing.records import FrameworkRecord, PrecisionRecord, TensorGroup
from sizing.request import Mode, SizingRequest
from sizing.subject import Subject
from sizing.training.methods import WITHOUT_HEAD
from sizing.training.plan import SIXTEEN_BITS
from sizing.tuning import Method
from sizing.weights import group_weights, loaded_precision

TRAINING_PRECISION = "bf16"
"""Precision of weights that are trained or carry adapters."""

QLORA_PRECISION = "bnb-nf4"
"""Precision of the frozen base of QLoRA (Dettmers et al. 2023)."""

NOT_RAISED = frozenset({"gptq-int4", "gptq-int4-g32", "hqq-4bit", "int4", "int8", "fp8"})
"""Formats whose 16-bit rest PEFT leaves as it is: GPTQ, HQQ and those of torchao
(`prepare_model_for_kbit_training`)."""

THIRTY_TWO_BITS = 32.0


def base_precision(
    request: SizingRequest, subject: Subject, catalogue: Catalogue
) -> PrecisionRecord:
    """Return the precision of the base weights.

    What is trained stands in 16 or 32 bits; QLoRA quantises the frozen base, by NF4 unless
    another format was asked.
    """
    asked = catalogue.precisions[request.precision] if request.precision else None
    if request.mode is Mode.QLORA:
        suits = asked is not None and is_quantised(asked)
        return asked if asked and suits else catalogue.precisions[QLORA_PRECISION]
    if asked is None and request.tuning.autocast:
        return catalogue.precisions["fp32"]
    if asked and not (request.mode is Mode.FULL and is_quantised(asked)):
        return asked
    native = loaded_precision(subject, request.model_copy(update={"precision": None}), catalogue)
    return catalogue.precisions[TRAINING_PRECISION] if is_quantised(native) else native


def is_quantised(precision: PrecisionRecord) -> bool:
    """Return whether a format takes fewer than 16 bits."""
    return precision.nominal_bits < SIXTEEN_BITS


def base_groups(
    subject: Subject,
    precision: PrecisionRecord,
    catalogue: Catalogue,
    *,
    framework: FrameworkRecord,
) -> tuple[GroupWeights, ...]:
    """Return the base weights as they are held during the run.

    Beside quantised tensors, those left in 16 bits are raised to 32 where the software does so
    (`prepare_model_for_kbit_training` of PEFT).
    """
    groups = with_head(group_weights(subject, precision, catalogue), precision, framework)
    raises = framework.raises_base and precision.id not in NOT_RAISED
    return tuple(map(_raised, groups)) if raises and is_quantised(precision) else groups


def with_head(
    groups: tuple[GroupWeights, ...], precision: PrecisionRecord, framework: FrameworkRecord
) -> tuple[GroupWeights, ...]:
    """Return the groups with the head as the software holds it: of its own, in few bits."""
    held = {one.group: one for one in groups}
    if framework.unties_head and TensorGroup.HEAD not in held:
        table = held[TensorGroup.EMBEDDING]
        held[TensorGroup.HEAD] = table.model_copy(update={"group": TensorGroup.HEAD})
    if framework.quantises_head and TensorGroup.HEAD in held and is_quantised(precision):
        head = held[TensorGroup.HEAD]
        bits = min(one.bits_per_weight for one in groups)
        size = {"bits_per_weight": bits, "weights_bytes": ceil(head.parameters * bits / 8)}
        held[TensorGroup.HEAD] = head.model_copy(update=size)
    return tuple(held.values())


def _raised(weights: GroupWeights) -> GroupWeights:
    if weights.bits_per_weight != SIXTEEN_BITS:
        return weights
    return weights.model_copy(
        update={"bits_per_weight": THIRTY_TWO_BITS, "weights_bytes": 2 * weights.weights_bytes}
    )


def loaded_groups(groups: tuple[GroupWeights, ...], method: Method) -> tuple[GroupWeights, ...]:
    """Return the groups that the method loads: no head where it scores no vocabulary."""
    dropped = {TensorGroup.HEAD} if method in WITHOUT_HEAD else set()
    return tuple(one for one in groups if one.group not in dropped)
