"""Options of training runs: the keys people and training scripts use."""

from __future__ import annotations

from typing import Final

from bot.names import word_set

TUNING_WORD_OPTIONS: Final = {
    "framework": ("framework", "trainer", "entrenador", "tuner-backend"),
    "method": (
        "method", "metodo", "rlhf", "rlhf-type", "preference", "preferencia", "task-type",
    ),
    "beside": (
        "teacher", "profesor", "teacher-model", "reward-model", "modelo-de-recompensa",
    ),
    "tuner": ("tuner", "tuner-type", "train-type", "peft-type", "adapter-type", "finetuning-type"),
    "targets": ("targets", "lora-target", "lora-targets", "target-modules", "objetivos"),
    "trained-modules": ("modules-to-save", "additional-target"),
    "train-embeddings": ("train-embeddings", "entrenar-embeddings"),
    "encoders": ("encoders", "codificadores"),
    "freeze-encoders": ("freeze-vit", "freeze-vision-tower"),
    "optimizer": ("optimizer", "optim", "optimizador"),
    "in-backward": ("in-backward", "optimizer-in-backward", "optimizer-in-bwd", "fused-backward"),
    "autocast": ("autocast", "amp"),
    "zero": ("zero", "zero-stage", "deepspeed", "fsdp"),
    "offload": ("offload", "cpu-offload", "descarga", "optimizer-cpu-offload"),
    "checkpointing": (
        "checkpointing", "gradient-checkpointing", "activation-checkpointing",
        "enable-activation-checkpointing",
    ),
    "encoder-checkpointing": ("encoder-checkpointing", "vit-gradient-checkpointing"),
    "attention-kernel": (
        "flash", "flash-attention", "flash-attn", "attn-impl", "attn-implementation",
        "attention-backend",
    ),
    "compile": ("compile", "compiled", "torch-compile", "compilado"),
    "loss": ("loss", "perdida", "liger", "use-liger-kernel", "liger-kernel"),
    "packing": ("packing", "empaquetado", "sample-packing", "padding-free"),
}  # fmt: skip
"""Keys of options whose value is a word, by the kind of word."""

TUNING_COUNTS: Final = (
    (
        "trained_layers",
        (
            "trained-layers", "capas-entrenadas", "freeze-trainable-layers",
            "lisa-activated-layers", "llamapro-num-new-blocks", "num-layer-trainable",
        ),
    ),
    ("shard_gpus", ("shard", "sharding-group", "hybrid-shard")),
    (
        "context_parallel",
        ("cp", "context-parallel", "context-parallel-size", "sequence-parallel-size", "ulysses"),
    ),
)  # fmt: skip
"""Fields of counts, and their keys."""

TUNING_TOKENS: Final = ("tokens", "train-tokens", "training-tokens", "tokens-de-entrenamiento")
"""Keys of the tokens of a whole run."""

TUNING_FRACTIONS: Final = (
    ("offload_fraction", ("offload-fraction", "optimizer-offload-fraction")),
    ("rollout_fraction", ("rollout", "rollouts", "vllm-gpu-memory-utilization", "vllm-mem")),
)
"""Fields of shares, and their keys."""

TUNING_HARMLESS: Final = word_set("""
    alpha lora-alpha dropout lora-dropout learning-rate lr epochs num-train-epochs max-steps
    warmup-ratio weight-decay gradient-accumulation-steps save-steps eval-steps logging-steps
    dataset output-dir num-generations beta galore-update-proj-gap use-rslora
    """)
"""Options of training scripts that do not move a size."""
