"""Options: the keys people use, and how each value is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot import numbers
from bot.grammar.cost_options import COST_OPTIONS
from bot.grammar.quantities import (
    count,
    gbps,
    gibibytes,
    gigabytes,
    milliseconds,
    parameters,
    rate,
    run_tokens,
    seconds,
    tokens,
    watts,
)
from bot.grammar.shape_options import SHAPE_OPTIONS
from bot.grammar.tuning_options import (
    TUNING_COUNTS,
    TUNING_FRACTIONS,
    TUNING_HARMLESS,
    TUNING_TOKENS,
    TUNING_WORD_OPTIONS,
)
from bot.names import nearest, word_set

Reader = Callable[[str], float | None]


@dataclass(frozen=True)
class NumberOption:
    """An option whose value is a number."""

    field: str
    """Field of the request."""

    read: Reader
    """Reads the value into the field's unit."""

    least: float = 0
    """Smallest value that is believed."""

    whole: bool = True
    """Whether fractions make no sense."""

    largest: float = 10**13
    """Largest value that is believed."""

    keys: tuple[str, ...] = ()
    """Names, without accents, words joined by a hyphen; those with two letters or more also
    work in a sentence."""


MOST_ACCEPTED: Final = 0.999
"""Share of drafted tokens that is accepted, at most: one that is always right needs no model."""

NUMBER_OPTIONS: Final = (
    NumberOption(
        "context_tokens", tokens, largest=10**9,
        keys=(
            "ctx", "context", "contexto", "context-length", "context-window", "ctx-size", "ctx-len",
            "num-ctx", "n-ctx", "max-model-len", "max-seq-len", "max-seq-length", "len", "length",
            "longitud", "sequence-length", "seq-len", "ventana", "c", "max-total-tokens",
            "max-length", "model-max-length", "cutoff-len",
        ),
    ),
    NumberOption(
        "input_tokens", tokens, largest=10**9,
        keys=(
            "in", "input", "entrada", "prompt", "input-len", "input-tokens", "isl",
            "max-input-tokens", "max-input-length",
        ),
    ),
    NumberOption(
        "output_tokens", tokens, largest=10**9,
        keys=(
            "out", "output", "salida", "output-len", "output-tokens", "osl", "max-tokens",
            "max-new-tokens",
        ),
    ),
    NumberOption(
        "concurrent_requests", count, largest=10**9,
        keys=(
            "users", "usuarios", "batch", "lote", "concurrency", "concurrencia", "concurrent",
            "concurrentes", "requests", "peticiones", "sessions", "sesiones", "batch-size", "bs",
            "max-num-seqs", "max-concurrent-requests", "max-running-requests", "max-batch-size",
            "per-device-train-batch-size", "micro-batch-size", "micro-batch", "cameras", "camaras",
        ),
    ),
    NumberOption(
        "images", count, largest=10**5,
        keys=("images", "imagenes", "image-count", "num-images", "images-per-request"),
    ),
    NumberOption(
        "frames", count, largest=10**5, keys=("frames", "fotogramas", "cuadros", "num-frames")
    ),
    NumberOption("steps", count, largest=10**4, keys=("steps", "pasos", "num-inference-steps")),
    NumberOption(
        "seconds", seconds, largest=10**6,
        keys=("seconds", "segundos", "audio", "duration", "duracion"),
    ),
    NumberOption(
        "requests_per_s", count, whole=False, largest=10**9,
        keys=("rps", "qps", "req/s", "request-rate", "requests-per-second"),
    ),
    NumberOption(
        "memory_fraction", numbers.fraction, whole=False, largest=1,
        keys=(
            "util", "utilization", "utilizacion", "gpu-memory-utilization", "memory-fraction",
            "mem-fraction", "mem-fraction-static", "gmu", "fraction", "fraccion", "gpu-util",
            "kv-cache-free-gpu-mem-fraction",
        ),
    ),
    NumberOption(
        "tensor_parallel", count, largest=10**5,
        keys=("tp", "tensor-parallel", "tensor-parallel-size", "tp-size", "num-shard"),
    ),
    NumberOption(
        "pipeline_parallel", count, largest=10**5,
        keys=("pp", "pipeline-parallel", "pipeline-parallel-size", "pp-size"),
    ),
    NumberOption(
        "expert_parallel", count, largest=10**5,
        keys=("ep", "expert-parallel", "expert-parallel-size", "ep-size"),
    ),
    NumberOption(
        "data_parallel", count, largest=10**5,
        keys=("dp", "data-parallel", "data-parallel-size", "dp-size"),
    ),
    NumberOption("max_gpus", count, largest=10**5, keys=("gpus", "max-gpus", "gpus-max")),
    NumberOption(
        "batched_tokens", tokens, largest=10**9,
        keys=(
            "batched", "batched-tokens", "max-num-batched-tokens", "max-batch-prefill-tokens",
            "chunked-prefill-size",
        ),
    ),
    NumberOption("ttft_ms", milliseconds, whole=False, keys=("ttft", "ttft-ms")),
    NumberOption("itl_ms", milliseconds, whole=False, keys=("itl", "tpot", "itl-ms", "tpot-ms")),
    NumberOption("tokens_per_s", rate, whole=False, keys=("tps", "tok/s", "tokens/s", "t/s")),
    NumberOption(
        "budget_usd", numbers.money, whole=False, keys=("budget", "presupuesto", "budget-usd")
    ),
    NumberOption(
        "network_gbps", gbps, whole=False, largest=10**6,
        keys=("net", "network", "red", "ethernet", "network-gbps", "infiniband", "ib"),
    ),
    NumberOption(
        "power_limit_w", watts, whole=False, largest=10**9,
        keys=("power", "potencia", "power-limit", "watts", "vatios"),
    ),
    NumberOption(
        "host_ram_gb", gigabytes, whole=False, largest=10**6,
        keys=("ram", "host-ram", "ram-gb", "host-memory", "system-ram"),
    ),
    NumberOption(
        "kv_host_gib", gibibytes, whole=False, largest=10**6,
        keys=("kv-host", "kv-host-gib", "kv-offloading-size"),
    ),
    NumberOption(
        "adapters", count, largest=10**5,
        keys=("loras", "adapters", "adaptadores", "max-loras"),
    ),
    NumberOption(
        "adapter_rank", count, largest=10**5,
        keys=("rank", "rango", "lora-rank", "max-lora-rank", "lora-r", "r"),
    ),
    NumberOption(
        "active_parameters", parameters, largest=10**16,
        keys=("active", "activos", "activated", "active-parameters"),
    ),
    NumberOption(
        "draft_parameters", parameters, largest=10**16,
        keys=("draft", "draft-params", "draft-parameters", "borrador"),
    ),
    NumberOption(
        "draft_tokens", count, largest=64,
        keys=(
            "draft-tokens", "num-speculative-tokens", "speculative-num-steps", "draft-len",
            "draft-max", "tokens-borrador",
        ),
    ),
    NumberOption(
        "acceptance", numbers.fraction, whole=False, largest=MOST_ACCEPTED,
        keys=("accept", "acceptance", "acceptance-rate", "aceptacion"),
    ),
    NumberOption(
        "parameters", parameters, largest=10**16,
        keys=("params", "parameters", "parametros", "parameter-count"),
    ),
    *(
        NumberOption(field, read, least=least, whole=False, largest=most, keys=keys)
        for field, read, least, most, keys in COST_OPTIONS
    ),
    *(NumberOption(field, count, largest=most, keys=keys) for field, most, keys in SHAPE_OPTIONS),
    *(NumberOption(field, count, largest=10**5, keys=keys) for field, keys in TUNING_COUNTS),
    NumberOption("run_tokens", run_tokens, largest=10**16, keys=TUNING_TOKENS),
    *(NumberOption(field, numbers.fraction, largest=1, whole=False, keys=k)
      for field, k in TUNING_FRACTIONS),
)  # fmt: skip
"""Every option with a number."""

WORD_OPTIONS: Final = {
    "precision": ("precision", "quant", "quantization", "quantize", "cuantizacion", "dtype", "q"),
    "kv": (
        "kv", "kv-cache", "kv-cache-dtype", "kv-dtype", "kv-precision", "cache-type-k",
        "cache-type-v", "ctk", "ctv",
    ),
    "cache": ("cache-implementation",),
    "engine": ("engine", "motor", "backend"),
    "mode": ("mode", "modo"),
    "language": ("lang", "idioma", "language"),
    "model": ("model", "modelo", "hf", "m"),
    "gpu": ("gpu", "tarjeta", "card", "accelerator", "acelerador"),
    "memory": ("memory", "memoria", "vram", "gpu-memory"),
    "attention": ("attention", "atencion", "attn"),
    "purchase": ("purchase", "compra"),
    "picture": ("resolution", "resolucion", "res", "image-size", "img-size", "imgsz"),
    "goal": ("max",),
    "kind": ("kind", "kinds", "tipo", "tipos"),
    "family": ("family", "families", "familia", "familias"),
    "pool": ("max-batch-total-tokens",),
    "spec": ("spec", "speculative", "speculative-algorithm", "especulativa"),
    **TUNING_WORD_OPTIONS,
}  # fmt: skip
"""Keys of options whose value is a word, by the kind of word."""

FLAGS: Final = {
    "private": "private", "privado": "private", "json": "json", "eager": "eager",
    "api": "api",
    "enforce-eager": "eager", "disable-cuda-graph": "eager", "enable-lora": "enable-lora",
    "no-kv-offload": "kv-host", "nkvo": "kv-host", "enable-hierarchical-cache": "kv-host",
    "enable-prefix-caching": "prefix-caching", "prefix-caching": "prefix-caching",
    "enable-automatic-prefix-caching": "prefix-caching", "cache-prefijos": "prefix-caching",
    "disaggregated": "disaggregated", "disagg": "disaggregated",
    "desagregado": "disaggregated", "pd-disaggregation": "disaggregated",
    "buy": "buy", "comprar": "buy", "compra": "buy",
    "rent": "rent", "alquilar": "rent", "alquiler": "rent",
}  # fmt: skip
"""Words that need no value."""

HARMLESS: Final = (
    word_set("""
    port host seed block-size swap-space temperature top-p top-k api-key served-model-name
    trust-remote-code download-dir max-log-len uvicorn-log-level disable-log-requests
    kv-offloading-backend hicache-ratio hicache-size hicache-write-policy hicache-io-backend
    hicache-mem-layout host-cache-size enable-chunked-prefill
    n-gpu-layers ngl threads t revision tokenizer
    chat-template log-level shm-size name timeout workers
    """)
    | TUNING_HARMLESS
)
"""Options of engines and training scripts that do not move a size."""


@dataclass(frozen=True)
class OptionTable:
    """All options by key."""

    numbers: Mapping[str, NumberOption]
    """Number options by key."""

    words: Mapping[str, str]
    """Kind of word by key."""

    parts: frozenset[str]
    """Words that keys are made of."""

    def knows(self, key: str) -> bool:
        """Return whether a key takes a value."""
        return key in self.numbers or key in self.words

    def near(self, key: str) -> str | None:
        """Return the key that another is a likely typo of."""
        from rapidfuzz.distance import OSA

        known = [*self.numbers, *self.words]
        for name in nearest(key, known, at_least=65):
            if len(name) > 2 and OSA.distance(key, name) <= 2:
                return name
        return None


def build_option_table() -> OptionTable:
    """Index all options by each of their keys."""
    keys = [key for option in NUMBER_OPTIONS for key in option.keys]
    keys += [key for names in WORD_OPTIONS.values() for key in names]
    return OptionTable(
        numbers={key: option for option in NUMBER_OPTIONS for key in option.keys},
        words={key: kind for kind, keys in WORD_OPTIONS.items() for key in keys},
        parts=frozenset(part for key in keys for part in key.split("-")),
    )
