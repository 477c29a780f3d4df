"""What one layer keeps of one token for the backward pass, by the operations that keep it.

Counted as autograd of PyTorch saves them, for a layer of two norms, attention without a score
matrix and a feed-forward part (`LlamaDecoderLayer` of transformers).
"""

from __future__ import annotations

from sizing.overhead import BytesRange
from sizing.records import ArchitectureRecord
from sizing.training.adapters import adapter_inputs, adapter_outputs
from sizing.training.plan import TrainingPlan
from sizing.training.shape import ffn_width, mixing_width, routed_width
from sizing.tuning import Tuner

ELEMENT_BYTES = 2
"""Activations are kept in 16 bits."""

SCORE_MATRIX_BYTES = 6
"""Bytes of one score of attention that is computed plainly: the softmax in 32 bits and its copy in
16 (`eager_attention_forward` of transformers)."""

MASK_BYTES = 1
"""Bytes of one entry of a dropout's mask."""


def layer_bytes_per_token(architecture: ArchitectureRecord) -> int:
    """Return what one layer keeps of one token where all its weights are trained, bytes.

    Inputs of both norms, of the attention and of the feed-forward part; queries, keys, values and
    the attention's output; the feed-forward part's inner values: four of its width where it is
    gated (gate, up, activation, product), two where not. Korthikanti et al. 2022, "Reducing
    Activation Recomputation in Large Transformer Models", equation 1: 34 s b h with the two
    dropout masks (2 s b h) that today's models do not have, and without the 5 a s^2 b of the
    score matrix, which flash attention does not keep.
    """
    inner = (4 if architecture.gated_ffn else 2) * ffn_width(architecture)
    return ELEMENT_BYTES * (4 * architecture.hidden_size + mixing_width(architecture) + inner)


def frozen_inputs_per_token(architecture: ArchitectureRecord) -> int:
    """Return what of that only the gradients of weights need, bytes: inputs of products.

    A frozen product keeps its weight alone. The attention's output is kept by the attention too.
    """
    return ELEMENT_BYTES * (2 * architecture.hidden_size + ffn_width(architecture))


def saved_per_token(plan: TrainingPlan) -> BytesRange:
    """Return what one layer keeps of one token, bytes: least, usually, at most."""
    architecture = plan.subject.architecture
    width = 2 if plan.computes_in_32_bits else 1
    layer = layer_bytes_per_token(architecture) + ELEMENT_BYTES * routed_width(architecture)
    if plan.tuning.compiled:
        size = (_compiled(architecture) + _adapters(plan)) * width
        return _with_scores(plan, BytesRange(size, size, round(size * 1.25)))
    if not plan.is_full:
        layer += _inputs_of_frozen(plan)
    norms = ELEMENT_BYTES * 2 * architecture.hidden_size * plan.framework.raises_norms
    masks = _masks(plan)
    plain = (layer + norms + _adapters(plan)) * width
    usual = plain + masks * plan.framework.adapter_dropout
    most = plain + masks + norms + _spread(plan)
    return _with_scores(plan, BytesRange(min(usual, _compiled(architecture) * width), usual, most))


def _inputs_of_frozen(plan: TrainingPlan) -> int:
    """Return what frozen products keep more, or less, than trained ones.

    Where the software lets them keep inputs outside the graph's own memory, those of the step
    before are still held while layers of this one fill theirs: inputs and the attention's output.
    """
    architecture = plan.subject.architecture
    inputs = frozen_inputs_per_token(architecture)
    if not (plan.is_quantised and plan.framework.keeps_quantised_inputs):
        return -inputs
    heads = ELEMENT_BYTES * architecture.heads * architecture.head_dim
    return 0 if plan.checkpointing else inputs + heads


def gradients_per_token(plan: TrainingPlan) -> int:
    """Return the gradients of inner values that stand at once in a layer's backward pass, bytes.

    Those of the product, the gate and the up projection; of two without a gate.
    """
    architecture = plan.subject.architecture
    inner = (3 if architecture.gated_ffn else 2) * ffn_width(architecture)
    return ELEMENT_BYTES * inner * (2 if plan.computes_in_32_bits else 1)


def _compiled(architecture: ArchitectureRecord) -> int:
    """Return what a compiled layer keeps: inputs of the norms, of the attention, gate and up.

    The rest is cheap to compute again (min-cut partitioner of `torch.compile`).
    """
    inner = (2 if architecture.gated_ffn else 1) * ffn_width(architecture)
    return ELEMENT_BYTES * (2 * architecture.hidden_size + mixing_width(architecture) + inner)


def _adapters(plan: TrainingPlan) -> int:
    """Return the inputs that adapters keep; compiled, these are computed again."""
    if plan.is_full:
        return 0
    architecture = plan.subject.architecture
    layers = architecture.layers
    dora = plan.tuner is Tuner.DORA
    scaled = 2 * adapter_outputs(architecture, plan.targets) // layers if dora else 0
    if plan.tuning.compiled:
        return ELEMENT_BYTES * scaled
    copies = adapter_inputs(architecture, plan.targets) // layers
    if not plan.framework.copies_inputs:
        distinct = frozen_inputs_per_token(architecture) // ELEMENT_BYTES
        copies = min(copies, distinct)
    return ELEMENT_BYTES * (copies + scaled)


def _masks(plan: TrainingPlan) -> int:
    """Return the masks of adapters with dropout."""
    if plan.is_full:
        return 0
    architecture = plan.subject.architecture
    return MASK_BYTES * (adapter_inputs(architecture, plan.targets) // architecture.layers)


def _spread(plan: TrainingPlan) -> int:
    """Return what older software keeps beside, bytes: keys and values copied to every query head
    (`repeat_kv` of transformers), and inputs of 4-bit products (bitsandbytes before 0.43.2)."""
    shape = plan.subject.architecture
    copies = 2 * (shape.heads - shape.kv_heads) * shape.head_dim
    inputs = 2 * frozen_inputs_per_token(shape) if plan.is_quantised else 0
    return ELEMENT_BYTES * copies + inputs


def _with_scores(plan: TrainingPlan, size: BytesRange) -> BytesRange:
    if plan.tuning.flash_attention is not False:
        return size
    heads = plan.subject.architecture.heads
    scores = SCORE_MATRIX_BYTES * heads * plan.sequence_tokens
    return size + BytesRange(scores, scores, scores)
