"""Activations of a training step on one GPU."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.overhead import NOTHING, BytesRange
from sizing.records import ArchitectureRecord
from sizing.training.plan import TrainingPlan
from sizing.training.shape import (
    adapter_inputs,
    ffn_width,
    largest_matrix,
    mixing_width,
)

ELEMENT_BYTES = 2
"""Activations are kept in 16 bits."""

LOGIT_BYTES = BytesRange(8, 12, 18)
"""Bytes of one score of the vocabulary at the peak of the loss.

Scores in 16 bits (2), raised to 32 (4), log-probabilities (4) and the gradient in 16 (2): 12
(`ForCausalLMLoss` of transformers). 8 where the loss stays in 16 bits, 18 where a shifted copy
and a gradient in 32 bits stand beside them. Measured: 10 in ms-swift examples/train/liger/sft.sh
(54 against 42 GB at 8,192 tokens), 8 to 17 between the lengths in QwenLM/Qwen README.md.
"""

RECOMPUTED = (0.5, 1.5, 2.5)
"""One layer computed again, and the gradients of its activations beside it: low, typical, high."""

QUANTISED_KEPT = 1.6
"""Times more that a quantised base keeps without checkpointing: its matrix products keep their
inputs once more. Measured: litgpt config_hub/finetune/README.md, LoRA beside QLoRA of six models.
"""


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
    """Matrix of a quantised base that is brought to 16 bits for its product."""

    @property
    def total(self) -> BytesRange:
        """Return the peak: logits and the computed layer do not stand at the same time."""
        peak = self.logits.at_least(self.layer)
        both = self.logits.high_bytes + self.layer.high_bytes
        unpacked = BytesRange(self.unpacked_bytes, self.unpacked_bytes, self.unpacked_bytes)
        return self.kept + unpacked + BytesRange(peak.low_bytes, peak.typical_bytes, both)


def activations(plan: TrainingPlan) -> Activations:
    """Return the activations of one step on one GPU."""
    architecture = plan.subject.architecture
    layer = layer_bytes_per_token(architecture) * plan.tokens
    if not plan.checkpointing:
        return Activations(
            kept=_all_kept(plan, layer),
            layer=NOTHING,
            logits=_logits(plan),
            unpacked_bytes=_unpacked_bytes(plan),
        )
    inputs = architecture.layers * architecture.hidden_size * ELEMENT_BYTES * plan.tokens
    low, typical, high = (round(layer * share) for share in RECOMPUTED)
    return Activations(
        kept=BytesRange(inputs, inputs, inputs),
        layer=BytesRange(low, typical, high),
        logits=_logits(plan),
        unpacked_bytes=_unpacked_bytes(plan),
    )


def _unpacked_bytes(plan: TrainingPlan) -> int:
    """Return the buffer of one dequantised matrix (`dequantize_4bit` of bitsandbytes)."""
    if not plan.is_quantised:
        return 0
    return ELEMENT_BYTES * largest_matrix(plan.subject.architecture)


def _all_kept(plan: TrainingPlan, layer: int) -> BytesRange:
    """Return what all layers keep where nothing is computed again.

    The dropout of adapters keeps a copy of each target's input (`lora_dropout` of PEFT).
    """
    whole = plan.subject.architecture.layers * layer
    if plan.is_full:
        return BytesRange(whole * 4 // 5, whole, whole * 3 // 2)
    inputs = adapter_inputs(plan.subject.architecture, plan.targets)
    copies = ELEMENT_BYTES * inputs * plan.tokens
    base = QUANTISED_KEPT if plan.is_quantised else 1
    return BytesRange(
        whole * 4 // 5, round(whole * base) + copies, round(whole * base * 5 / 4) + 2 * copies
    )


def layer_bytes_per_token(architecture: ArchitectureRecord) -> int:
    """Return what one layer keeps of one token for the backward pass, bytes.

    Inputs of both norms, of the attention and of the feed-forward part; queries, keys, values and
    the attention's output; the feed-forward part's inner values: four of its width where it is
    gated (gate, up, activation, product), two where not. Korthikanti et al. 2022, "Reducing
    Activation Recomputation in Large Transformer Models", equation 1: 34 s b h with the two
    dropout masks (2 s b h) that today's models do not have, and without the 5 a s^2 b of the
    score matrix, which flash attention does not keep.
    """
    inner = (4 if architecture.gated_ffn else 2) * ffn_width(architecture)
    return ELEMENT_BYTES * (4 * architecture.hidden_size + mixing_width(architecture) + inner)


def _logits(plan: TrainingPlan) -> BytesRange:
    entries = plan.tokens * plan.subject.architecture.vocabulary_size
    low, typical = LOGIT_BYTES.low_bytes, LOGIT_BYTES.typical_bytes
    if plan.chunked_loss:
        return NOTHING
    return BytesRange(low * entries, typical * entries, LOGIT_BYTES.high_bytes * entries)
