"""The answer: breakdowns whose parts sum to their totals, for people and programs alike."""

from __future__ import annotations

from sizing.notes import Note, NoteValue, note
from sizing.option import CardShare, HostCache, Option, PerGpu, Verdict
from sizing.performance import Estimate
from sizing.price import Basis, Cost
from sizing.records import Count, Identifier, Positive, PositiveCount, Record, TensorGroup
from sizing.tuning import AdapterTargets, Loss, Method, Optimizer, Tuner
from sizing.understood import Understood

__all__ = [
    "CardShare",
    "CatalogueStamp",
    "GroupWeights",
    "HostCache",
    "Memory",
    "Note",
    "NoteValue",
    "Option",
    "PerGpu",
    "SizingAnswer",
    "Training",
    "Understood",
    "Verdict",
    "note",
]


class GroupWeights(Record):
    """Weights of one tensor group."""

    group: TensorGroup
    """Which tensors."""

    parameters: PositiveCount
    """Parameters of the group."""

    bits_per_weight: float
    """Bits of a parameter, scales included."""

    weights_bytes: PositiveCount
    """Memory of the group, bytes."""


class Memory(Record):
    """Memory need on a single GPU large enough to hold all; each total is the sum of its parts."""

    groups: tuple[GroupWeights, ...]
    """Weights by tensor group; they sum to `weights_bytes`."""

    weights_bytes: PositiveCount
    """Weights that are loaded, bytes."""

    mtp_weights_bytes: Count
    """Weights of multi-token-prediction heads: stored, not loaded, not in any total, bytes."""

    checkpoint_bytes: PositiveCount | None = None
    """Weights as the checkpoint stores them, with prediction heads and a second copy of a table
    that serves both ends, bytes; in no total; null where nothing is downloaded in this format."""

    kv_bytes_per_token: int | None
    """KV cache of one token, all layers, no split, bytes; None where not yet supported."""

    kv_bytes_fixed_per_request: int | None
    """States and full windows of one request: what no longer grows with its length, bytes."""

    kv_cache_low_bytes: int | None = None
    """Least KV cache of the load where the shape leaves it open, bytes; not in any total."""

    kv_cache_high_bytes: int | None = None
    """Most KV cache of the load where the shape leaves it open, bytes; not in any total."""

    kv_cache_bytes: int | None
    """KV cache of the asked load, bytes."""

    adapter_bytes: int | None
    """LoRA adapters served beside the model, bytes; part of the totals."""

    activation_bytes: int | None
    """Peak of activations, bytes."""

    activation_low_bytes: int | None
    """Low bound of the activations, bytes."""

    activation_high_bytes: int | None
    """High bound of the activations, bytes."""

    runtime_bytes: int | None
    """Communication buffers, what the driver keeps, and the rest of the engine's own, bytes."""

    runtime_low_bytes: int | None
    """Low bound of the runtime overhead, bytes."""

    runtime_high_bytes: int | None
    """High bound of the runtime overhead, bytes."""

    reference_bytes: Count = 0
    """Frozen copy of the model that preferences are judged against, bytes."""

    gradient_bytes: Count = 0
    """Gradients of a training run, bytes."""

    optimizer_bytes: Count = 0
    """Optimizer states of a training run, bytes."""

    total_bytes: int | None
    """Typical need, bytes."""

    total_low_bytes: int | None
    """Low bound of the need, bytes."""

    total_high_bytes: int | None
    """High bound of the need, bytes."""

    rule_20_percent_bytes: PositiveCount
    """Rule of thumb: parameters x nominal bytes, plus 20 %, bytes."""

    rule_25_percent_bytes: PositiveCount
    """Rule of thumb: parameters x nominal bytes, plus 25 %, bytes."""


class TrainingRun(Record):
    """The arithmetic of a whole training run, and how long it takes."""

    run_tokens: PositiveCount
    """Tokens that it reads."""

    run_parameters: PositiveCount
    """Parameters that each token passes."""

    operations_per_parameter: PositiveCount
    """Operations for each parameter and token."""

    run_operations: Positive
    """Product of the three, floating point operations."""

    peak_percent: Estimate
    """Share of the dense 16-bit peak that such runs reach, per cent."""

    gpu: Identifier | None = None
    """Catalogue id of the GPUs of the first set that holds it; None where none does."""

    run_gpus: PositiveCount | None = None
    """GPUs of that set."""

    peak_tflops: Positive | None = None
    """Dense 16-bit peak of one such GPU, TFLOPS."""

    gpu_hours: Estimate | None = None
    """Hours of one such GPU that it takes."""

    @property
    def run_hours(self) -> Estimate | None:
        """Return the hours that all GPUs of the set take together."""
        if self.gpu_hours is None or self.run_gpus is None:
            return None
        hours, gpus = self.gpu_hours, self.run_gpus
        return Estimate(low=hours.low / gpus, typical=hours.typical / gpus, high=hours.high / gpus)


class Training(Record):
    """A training run: its settings, and its memory on one GPU before any split."""

    trainable_parameters: PositiveCount
    """Parameters that are trained."""

    weights_bytes: PositiveCount
    """Weights of the model, trained or frozen, bytes."""

    gradient_bytes: Count
    """Gradients of the trained parameters, bytes."""

    optimizer_bytes: Count
    """Moments, and the 32-bit copy of weights kept in 16 bits, bytes."""

    reference_bytes: Count = 0
    """Frozen models beside: reference, reward model, teacher, value model, bytes."""

    adapter_bytes: Count
    """Adapters, bytes; 0 where the model itself is trained."""

    activation_bytes: PositiveCount
    """Peak of activations, or of the optimizer's step where that is larger, bytes."""

    kept_bytes: PositiveCount
    """Part of the activations that all layers keep for the backward pass, bytes."""

    layer_bytes: Count
    """Part of the activations in the layer that is computed again, bytes."""

    logits_bytes: Count
    """Part of the activations in the scores of the vocabulary, bytes."""

    unpacked_bytes: Count
    """Part of the activations in weights that are brought to 16 bits for a product, bytes."""

    encoder_bytes: Count = 0
    """Part of the activations in image and audio encoders that are trained, bytes."""

    rollout_bytes: Count = 0
    """KV cache of the answers that the run writes, when no activations are held, bytes."""

    host_bytes: Count = 0
    """What stands in host memory instead of the GPU's, bytes."""

    step_bytes: Count
    """Temporary copies of the optimizer's step, when no activations are held, bytes."""

    sequence_tokens: PositiveCount
    """Length of one training sequence."""

    micro_batch: PositiveCount
    """Sequences that one GPU computes at once."""

    framework: Identifier = "transformers"
    """Training software."""

    method: Method = Method.SFT
    """What the run learns from."""

    tuner: Tuner | None = None
    """Kind of adapter or of partial training; None where the whole model is trained."""

    targets: AdapterTargets | None = None
    """Linear layers that carry adapters; None where no linear layer does."""

    trained_layers: PositiveCount | None = None
    """Layers that a partial training trains at once, or adds; None for all."""

    loss: Loss = Loss.WHOLE
    """How the scores of the vocabulary are computed."""

    preference: bool
    """Whether each sequence is a pair of texts (DPO, reward models, embeddings)."""

    checkpointing: bool
    """Whether layers keep their inputs only and are computed again."""

    optimizer: Optimizer
    """Optimizer, and the width of its states."""

    adapter_rank: PositiveCount | None
    """Rank of the adapters, or of projected gradients; None where there are neither."""

    run: TrainingRun | None = None
    """How long all of it takes; None where its tokens were not told."""


class CatalogueStamp(Record):
    """Which catalogue an answer was computed from."""

    version: str
    """Package version."""

    date: str
    """Newest day on which a fact of it was checked, ISO 8601."""

    digest: str
    """First 16 hex digits of the SHA-256 of its files."""


class SizingAnswer(Record):
    """All that is known about the question."""

    understood: Understood
    """The question as it was answered."""

    memory: Memory
    """What the load needs."""

    options: tuple[Option, ...]
    """Sets of GPUs, best first; the asked ones before all others."""

    warnings: tuple[Note, ...]
    """What the asker should know before trusting the answer."""

    assumptions: tuple[Note, ...]
    """Defaults that were filled in, and estimates."""

    catalogue: CatalogueStamp
    """Which facts were used."""

    training: Training | None = None
    """The training run; None where the model only answers."""

    cost: Cost | None = None
    """What the first option costs to run; None where its speed is not known."""

    ordered_by: Basis = Basis.SIZE
    """What the sets of one place in the order are ordered by."""

    @property
    def supported(self) -> bool:
        """Return whether the engine can size this architecture; without it there are no options."""
        return self.memory.total_bytes is not None
