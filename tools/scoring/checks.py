"""Which figures of the real questions enter the score."""

from __future__ import annotations

from tools.scoring.questions import Case, Figure, Outcome

OF_MEMORY = frozenset(
    {
        "weights_gib",
        "weights_gib_per_gpu",
        "kv_bytes_per_token",
        "kv_bytes_per_token_per_gpu",
        "kv_gib",
        "kv_gib_8192",
        "kv_gib_32768",
        "kv_gib_131072",
        "kv_gib_80x10k",
        "kv_gib_per_replica",
        "kv_tokens",
        "total_gib",
        "vram_gb",
        "lora_gib",
        "full_ft_gb",
        "min_fraction",
        "usable_gib",
        "usable_gb",
        "mig_gib",
        "effective_pool_gb",
        "formula",
        "image_tokens_formula",
    }
)
OF_FIT = frozenset({"fits", "verdict", "gpus", "recommend_gpus", "pool_mig", "conflict", "warn"})
OF_SPLITS = frozenset({"tp_valid", "tp_invalid", "tp_warn", "recommend"})
OF_PRECISIONS = frozenset(
    {
        "bf16",
        "awq",
        "fp8_native",
        "kv_fp8",
        "kv_fp8_on_A100",
        "fp8_weight_only",
        "nvfp4_weight_only",
        "nvfp4_compute",
        "vllm_supported",
    }
)
OF_READING = frozenset({"parse"})

GROUPS = {
    "memory": OF_MEMORY,
    "fit and number of GPUs": OF_FIT,
    "splits": OF_SPLITS,
    "precisions": OF_PRECISIONS,
    "reading of names": OF_READING,
}
"""Keys of a check that count; power, money and speed are other scores."""

COUNTED = frozenset().union(*GROUPS.values())


def counted_figures(cases: list[Case]) -> list[tuple[Case, Figure]]:
    """Return the figures that enter the score, with their cases."""
    return [(case, figure) for case in cases for figure in case.figures if figure.key in COUNTED]


def inside(figures: list[tuple[Case, Figure]]) -> float:
    """Return the share that is answered inside its bounds; what is not covered is outside."""
    right = [figure for _, figure in figures if figure.outcome is Outcome.INSIDE]
    return len(right) / len(figures)
