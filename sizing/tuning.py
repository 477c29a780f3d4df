"""How a model is trained, as far as the asker told it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import Identifier, PositiveCount, Record


class Method(StrEnum):
    """What a training run learns from."""

    SFT = "sft"
    DPO = "dpo"
    KTO = "kto"
    ORPO = "orpo"
    SIMPO = "simpo"
    CPO = "cpo"
    REWARD = "rm"
    CLASSIFICATION = "seq-cls"
    EMBEDDING = "embedding"
    RERANKER = "reranker"
    PPO = "ppo"
    GRPO = "grpo"
    GKD = "gkd"


class Tuner(StrEnum):
    """Which parameters a run trains: those of an adapter, or a part of the model."""

    LORA = "lora"
    DORA = "dora"
    ADALORA = "adalora"
    VERA = "vera"
    BOFT = "boft"
    BONE = "bone"
    IA3 = "ia3"
    PREFIX = "prefix"
    PROMPT = "prompt"
    BOTTLENECK = "bottleneck"
    FREEZE = "freeze"
    LISA = "lisa"
    BADAM = "badam"
    LLAMAPRO = "llamapro"


PARTIAL_TUNERS = frozenset({Tuner.FREEZE, Tuner.LISA, Tuner.BADAM, Tuner.LLAMAPRO})
"""Tuners that train whole layers of the model; the others are adapters."""


class AdapterTargets(StrEnum):
    """Linear layers that carry adapters."""

    ALL_LINEAR = "all-linear"
    ATTENTION = "attention"
    QUERY_VALUE = "query-value"


class Optimizer(StrEnum):
    """Optimizer of a training run, and the width of its states."""

    ADAMW = "adamw"
    ADAMW_16BIT = "adamw-16bit"
    ADAMW_8BIT = "adamw-8bit"
    ADAMW_4BIT = "adamw-4bit"
    PAGED_ADAMW = "paged-adamw"
    PAGED_ADAMW_8BIT = "paged-adamw-8bit"
    ADAFACTOR = "adafactor"
    LION = "lion"
    LION_8BIT = "lion-8bit"
    SGD = "sgd"
    SGD_MOMENTUM = "sgd-momentum"
    MUON = "muon"
    GALORE = "galore"
    GALORE_8BIT = "galore-8bit"
    Q_GALORE = "q-galore"
    APOLLO = "apollo"
    APOLLO_MINI = "apollo-mini"


class Offload(StrEnum):
    """What stands in the memory of the host between its uses."""

    OPTIMIZER = "optimizer"
    ALL = "all"
    BESIDE = "beside"


class Loss(StrEnum):
    """How the scores of the vocabulary are turned into a loss."""

    WHOLE = "whole"
    CHUNKED = "chunked"
    FUSED = "fused"


class Encoders(StrEnum):
    """What happens to image and audio encoders."""

    FROZEN = "frozen"
    ADAPTERS = "adapters"
    TRAINED = "trained"


class Tuning(Record):
    """Settings of a training run; None means that the asker left it to the defaults."""

    framework: Identifier | None = None
    """Training software; None for Transformers."""

    method: Method | None = None
    """What the run learns from; None for what suits the model: next tokens, pairs, labels."""

    beside: Identifier | None = None
    """Catalogue id of the teacher or the reward model; None for one like the model itself."""

    tuner: Tuner | None = None
    """Kind of adapter, or of partial training; None for LoRA, or all of the model."""

    targets: AdapterTargets | None = None
    """Linear layers that carry adapters; None for all."""

    trained_layers: PositiveCount | None = None
    """Layers that a partial training trains at once, or adds."""

    embeddings: bool = False
    """Whether embedding and head are trained beside the adapters."""

    encoders: Encoders | None = None
    """What happens to image and audio encoders; None for frozen."""

    optimizer: Optimizer | None = None
    """Optimizer; None for AdamW in mixed precision."""

    step_in_backward: bool = False
    """Whether each layer is updated during the backward pass, so that no gradients are kept."""

    autocast: bool = False
    """Whether weights stand in 32 bits and are brought to 16 for each product."""

    zero_stage: Annotated[int, Field(ge=0, le=3)] | None = None
    """What the GPUs share out: 1 optimizer, 2 gradients too, 3 weights too."""

    shard_gpus: PositiveCount | None = None
    """GPUs that share the states out, each such set a whole copy (HSDP); None for all."""

    context_parallel: PositiveCount | None = None
    """GPUs that share the tokens of a sequence out (ring attention, Ulysses)."""

    offload: Offload | None = None
    """What stands in host memory; None for nothing."""

    offload_fraction: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the optimizer's states in host memory; None for all where they are offloaded."""

    offload_activations: bool = False
    """Whether the kept inputs of layers wait in host memory."""

    checkpointing: bool | None = None
    """Whether layers keep their inputs only; None for the default, on."""

    encoder_checkpointing: bool | None = None
    """The same of image and audio encoders that are trained; None for the same as the layers."""

    flash_attention: bool | None = None
    """Whether attention keeps no score matrix; None for the default, on."""

    compiled: bool = False
    """Whether the layers are compiled (`torch.compile`), which keeps less of each."""

    loss: Loss | None = None
    """How the scores of the vocabulary are computed; None for the framework's way."""

    run_tokens: PositiveCount | None = None
    """Tokens that the whole run reads; None where its length is not asked."""

    packed: bool = False
    """Whether short samples are joined until a sequence is full."""

    rollout_fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of each GPU's memory for a vLLM engine that writes the answers beside the run."""
