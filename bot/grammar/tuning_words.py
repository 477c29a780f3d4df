"""Words for the settings of a training run, as people and training scripts write them."""

from __future__ import annotations

import re
from typing import Final

from bot.grammar.words import Words
from sizing.request import Mode
from sizing.tuning import (
    AdapterTargets,
    Encoders,
    Loss,
    Method,
    Offload,
    Optimizer,
    Tuner,
)

SWITCHES: Final = {
    "on": True, "true": True, "yes": True, "si": True, "1": True,
    "off": False, "false": False, "no": False, "0": False, "none": False,
}  # fmt: skip
"""Words that switch something on or off."""

ZERO_STAGES: Final = {
    "0": 0, "none": 0, "off": 0, "no": 0, "ddp": 0, "zero0": 0,
    "1": 1, "zero1": 1, "stage1": 1,
    "2": 2, "zero2": 2, "stage2": 2, "shard-grad-op": 2,
    "3": 3, "zero3": 3, "stage3": 3, "on": 3, "fsdp": 3, "fsdp2": 3, "full-shard": 3,
}  # fmt: skip
"""What a training run splits over its GPUs."""

OPTIMIZERS: Final = {
    "adamw": Optimizer.ADAMW, "adam": Optimizer.ADAMW, "adamwtorch": Optimizer.ADAMW,
    "adamwtorchfused": Optimizer.ADAMW, "adamw32bit": Optimizer.ADAMW,
    "8bit": Optimizer.ADAMW_8BIT, "adam8bit": Optimizer.ADAMW_8BIT,
    "adamw8bit": Optimizer.ADAMW_8BIT, "adamwbnb8bit": Optimizer.ADAMW_8BIT,
    "adamwtorch8bit": Optimizer.ADAMW_8BIT,
    "adam4bit": Optimizer.ADAMW_4BIT, "adamw4bit": Optimizer.ADAMW_4BIT,
    "adamwtorch4bit": Optimizer.ADAMW_4BIT,
    "16bit": Optimizer.ADAMW_16BIT, "adamw16bit": Optimizer.ADAMW_16BIT,
    "bf16": Optimizer.ADAMW_16BIT, "adamwbf16": Optimizer.ADAMW_16BIT,
    "pagedadamw": Optimizer.PAGED_ADAMW, "pagedadam": Optimizer.PAGED_ADAMW,
    "pagedadamw32bit": Optimizer.PAGED_ADAMW, "pagedadam32bit": Optimizer.PAGED_ADAMW,
    "pagedadamw8bit": Optimizer.PAGED_ADAMW_8BIT, "pagedadam8bit": Optimizer.PAGED_ADAMW_8BIT,
    "adafactor": Optimizer.ADAFACTOR,
    "lion": Optimizer.LION, "lion32bit": Optimizer.LION, "lion8bit": Optimizer.LION_8BIT,
    "pagedlion8bit": Optimizer.LION_8BIT,
    "sgd": Optimizer.SGD, "sgdmomentum": Optimizer.SGD_MOMENTUM, "lomo": Optimizer.SGD,
    "muon": Optimizer.MUON, "distmuon": Optimizer.MUON,
    "galore": Optimizer.GALORE, "galoreadamw": Optimizer.GALORE,
    "galore8bit": Optimizer.GALORE_8BIT, "galoreadamw8bit": Optimizer.GALORE_8BIT,
    "qgalore": Optimizer.Q_GALORE,
    "apollo": Optimizer.APOLLO, "apolloadamw": Optimizer.APOLLO,
    "apollomini": Optimizer.APOLLO_MINI,
}  # fmt: skip
"""Optimizers, their joints left out."""

FUSED_STEPS: Final = frozenset({"lomo", "galoreadamwlayerwise", "galoreadamw8bitlayerwise"})
"""Optimizers whose step is taken layer by layer during the backward pass."""

METHODS: Final = {
    "sft": Method.SFT, "dpo": Method.DPO, "kto": Method.KTO, "orpo": Method.ORPO,
    "simpo": Method.SIMPO, "cpo": Method.CPO, "rm": Method.REWARD, "reward": Method.REWARD,
    "reward-model": Method.REWARD, "reward-modeling": Method.REWARD, "ppo": Method.PPO,
    "rlhf": Method.PPO, "grpo": Method.GRPO, "rloo": Method.GRPO, "gkd": Method.GKD,
    "distillation": Method.GKD, "destilacion": Method.GKD, "seq-cls": Method.CLASSIFICATION,
    "classification": Method.CLASSIFICATION, "clasificacion": Method.CLASSIFICATION,
    "embedding": Method.EMBEDDING, "reranker": Method.RERANKER,
    "generative-reranker": Method.RERANKER,
}  # fmt: skip
"""What a run learns from."""

METHOD_PHRASES: Final = {
    "reward model": Method.REWARD, "modelo de recompensa": Method.REWARD,
    "reward modeling": Method.REWARD, "ppo": Method.PPO, "grpo": Method.GRPO, "gkd": Method.GKD,
    "orpo": Method.ORPO, "simpo": Method.SIMPO, "kto": Method.KTO,
}  # fmt: skip
"""Methods that need no key."""

TUNERS: Final = {
    "lora": Tuner.LORA, "dora": Tuner.DORA, "adalora": Tuner.ADALORA, "vera": Tuner.VERA,
    "boft": Tuner.BOFT, "oft": Tuner.BOFT, "bone": Tuner.BONE, "miss": Tuner.BONE,
    "ia3": Tuner.IA3, "prefix": Tuner.PREFIX, "prefix-tuning": Tuner.PREFIX,
    "p-tuning": Tuner.PREFIX, "prompt": Tuner.PROMPT, "prompt-tuning": Tuner.PROMPT,
    "bottleneck": Tuner.BOTTLENECK, "houlsby": Tuner.BOTTLENECK, "adapter": Tuner.BOTTLENECK,
    "freeze": Tuner.FREEZE, "lisa": Tuner.LISA, "badam": Tuner.BADAM,
    "llamapro": Tuner.LLAMAPRO, "llama-pro": Tuner.LLAMAPRO,
}  # fmt: skip
"""Kinds of adapters and of partial training."""

AS_LORA: Final = frozenset(
    {"rslora", "lora+", "loraplus", "lora-plus", "pissa", "olora", "loftq", "corda", "lora-ga"}
)
"""Ways to start or scale LoRA that keep its shape (Kalajdzievski 2023, Hayou et al. 2024, Meng et
al. 2024, Büyükakyüz 2024): read as LoRA."""

TUNER_WORDS: Final = frozenset({"dora", "adalora", "boft", "ia3", "badam", "llamapro", "llama-pro"})
"""Kinds that need no key: their names mean nothing else."""

TUNER_MODES: Final = {"full": Mode.FULL, "qlora": Mode.QLORA}
"""Kinds that are modes of their own (`--tuner_type full`)."""

TARGETS: Final = {
    "all": AdapterTargets.ALL_LINEAR, "all-linear": AdapterTargets.ALL_LINEAR,
    "linear": AdapterTargets.ALL_LINEAR, "attention": AdapterTargets.ATTENTION,
    "attn": AdapterTargets.ATTENTION, "atencion": AdapterTargets.ATTENTION,
    "qkvo": AdapterTargets.ATTENTION, "qv": AdapterTargets.QUERY_VALUE,
    "query-value": AdapterTargets.QUERY_VALUE,
}  # fmt: skip
"""Layers that carry adapters."""

FFN_MODULES: Final = ("gate", "up", "down", "mlp", "fc1", "fc2", "w1", "w2", "w3", "4h")
"""Parts of names of feed-forward modules."""

MODULE: Final = re.compile(r"[\w.]*_(?:proj|attn|fc|tokens|head)|w[123]|fc[12]|wte")
"""A module further on in a list of them."""

QUERY_VALUE_MODULES: Final = frozenset({"q", "v", "query", "value"})
"""Modules of the smallest set of targets, their endings left out."""

OFFLOADS: Final = {
    "optimizer": Offload.OPTIMIZER, "optimizador": Offload.OPTIMIZER, "cpu": Offload.OPTIMIZER,
    "optim": Offload.OPTIMIZER, "all": Offload.ALL, "todo": Offload.ALL, "params": Offload.ALL,
    "parameters": Offload.ALL, "parametros": Offload.ALL, "weights": Offload.ALL,
    "pesos": Offload.ALL, "beside": Offload.BESIDE, "teacher": Offload.BESIDE,
    "reference": Offload.BESIDE, "referencia": Offload.BESIDE, "profesor": Offload.BESIDE,
}  # fmt: skip
"""What stands in host memory."""

OFFLOADED_ACTIVATIONS: Final = frozenset({"activations", "activaciones"})
"""The offload that is a setting of its own, since it may stand beside the others."""

LOSSES: Final = {
    "whole": Loss.WHOLE, "full": Loss.WHOLE, "entera": Loss.WHOLE, "chunked": Loss.CHUNKED,
    "por-trozos": Loss.CHUNKED, "fused": Loss.FUSED, "liger": Loss.FUSED, "fusionada": Loss.FUSED,
    "cce": Loss.FUSED,
}  # fmt: skip
"""How the scores of the vocabulary are computed."""

ENCODERS: Final = {
    "frozen": Encoders.FROZEN, "congelados": Encoders.FROZEN, "off": Encoders.FROZEN,
    "adapters": Encoders.ADAPTERS, "adaptadores": Encoders.ADAPTERS, "lora": Encoders.ADAPTERS,
    "trained": Encoders.TRAINED, "entrenados": Encoders.TRAINED, "full": Encoders.TRAINED,
    "on": Encoders.TRAINED,
}  # fmt: skip
"""What happens to image and audio encoders."""

ATTENTIONS: Final = {
    "eager": False, "plain": False, "math": False, "unfused": False,
    "flash": True, "sdpa": True, "flash-attn": True, "flash-attention": True,
    "flash-attention-2": True, "flash-attention-3": True, "fa2": True, "fa3": True,
}  # fmt: skip
"""Whether attention keeps no score matrix, by the name of its implementation."""

TRAINED: Final = re.compile(
    r"q?lora|q?dora|adalora|full|sft|dpo|kto|ppo|grpo|orpo|gkd|fsdp2?|zero[0-3]?|deepspeed"
    r"|fine-?tun\w*|tuning|(?:pre-?)?(?:train|entren)\w*|ajuste|afinar|unsloth|torchtune|litgpt|axolotl|megatron"
    r"|-{0,2}(?:mode|modo|tuner|tuner[-_]type|rlhf[-_]type|zero|optim\w*)(?:=.*)?"
    r"|-{0,2}(?:loss|perdida|packing|empaquetado|encoders|codificadores)=.*"
    r"|-{0,2}(?:offload|descarga)=(?:opti\w*|acti\w*|beside|teacher|profesor|refer\w*)"
)
"""Words of a question about training."""

IN_TRAINING_ONLY: Final = frozenset({"offload", "attention-kernel", "compile", "loss", "packing"})
"""Kinds of options that engines have as well: a training run's in a question about one."""


def says_training(words: Words) -> bool:
    """Return whether some word tells that the question is about training."""
    return any(TRAINED.fullmatch(key) for key in words.keys)
