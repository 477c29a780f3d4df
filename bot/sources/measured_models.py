"""Models, GPUs, engines and number formats of measured kernels, as aiconfigurator-core calls them.

Read in release 0.12.0: `systems/*.yaml` and `systems/query_versions.yaml` (GPUs and engines),
`model_configs/` (models), `sdk/common.py` (number formats); checked 2026-11-30. A configuration
stands for every model of the catalogue that has its shape.
"""

from __future__ import annotations

from typing import Final, NamedTuple

PACKAGE: Final = "aiconfigurator-core"
RELEASE: Final = "0.12.0"
"""Release that is asked: others have other names for cases, and other numbers."""

SYSTEMS: Final = {
    "a100-sxm-80": "a100_sxm", "b200-sxm": "b200_sxm", "b300-sxm": "b300_sxm", "gb200": "gb200",
    "gb300": "gb300", "h100-sxm": "h100_sxm", "h200-sxm": "h200_sxm", "l40s": "l40s",
    "rtx-pro-6000-server": "rtx_pro_6000_server",
}  # fmt: skip
"""GPUs whose kernels were measured, by catalogue id."""

ENGINES: Final = frozenset({"sglang", "trtllm", "vllm"})
"""Engines they were measured with."""

SIXTEEN_BITS: Final = frozenset({"bf16", "fp16"})
"""Formats that are one to it."""

FORMATS: Final = {"fp8": "fp8", "fp8-block": "fp8_block", "nvfp4": "nvfp4"}
"""Formats that a 16-bit configuration can be asked in."""

CACHES: Final = {"fp16": "bfloat16", "fp8": "fp8"}
"""Formats of the KV cache."""


class Checkpoint(NamedTuple):
    """A configuration that the package brings."""

    name: str
    """Its name there, and on the Hugging Face Hub."""

    precision: str
    """Format that it describes, catalogue id."""

    models: tuple[str, ...]
    """Models of that shape, catalogue ids."""


_LLAMA_8B = (
    "deepseek-r1-distill-llama-8b", "llama-3-8b", "llama-3.1-8b", "llama-3.1-nemotron-nano-8b",
)  # fmt: skip
_LLAMA_70B = (
    "deepseek-r1-distill-llama-70b", "llama-3-70b", "llama-3.1-70b", "llama-3.1-nemotron-70b",
    "llama-3.3-70b",
)  # fmt: skip
_QWEN3_30B = ("qwen3-30b-a3b", "qwen3-coder-30b-a3b")
_QWEN35_27B = ("qwen3.5-27b", "qwen3.6-27b", "qwen3.8-27b")
_QWEN35_35B = ("qwen3.5-35b-a3b", "qwen3.6-35b-a3b")
_DEEPSEEK = ("deepseek-r1", "deepseek-v3", "deepseek-v3.1")
_MINIMAX = ("minimax-m2", "minimax-m2.1", "minimax-m2.5", "minimax-m2.7")
_KIMI = ("kimi-k2.5", "kimi-k2.6", "kimi-k2.7-code")

CHECKPOINTS: Final = (
    Checkpoint("MiniMaxAI/MiniMax-M2.7", "fp8-block", _MINIMAX),
    Checkpoint("MiniMaxAI/MiniMax-M3", "bf16", ("minimax-m3",)),
    Checkpoint("Qwen/Qwen3-0.6B", "bf16", ("qwen3-0.6b",)),
    Checkpoint("Qwen/Qwen3-1.7B", "bf16", ("qwen3-1.7b",)),
    Checkpoint("Qwen/Qwen3-235B-A22B", "bf16", ("qwen3-235b-a22b",)),
    Checkpoint("Qwen/Qwen3-235B-A22B-FP8", "fp8-block", ("qwen3-235b-a22b",)),
    Checkpoint("Qwen/Qwen3-30B-A3B", "bf16", _QWEN3_30B),
    Checkpoint("Qwen/Qwen3-30B-A3B-FP8", "fp8-block", _QWEN3_30B),
    Checkpoint("Qwen/Qwen3-32B", "bf16", ("qwen3-32b",)),
    Checkpoint("Qwen/Qwen3-32B-FP8", "fp8-block", ("qwen3-32b",)),
    Checkpoint("Qwen/Qwen3-8B", "bf16", ("deepseek-r1-0528-qwen3-8b", "qwen3-8b")),
    Checkpoint("Qwen/Qwen3-Coder-480B-A35B-Instruct", "bf16", ("qwen3-coder-480b-a35b",)),
    Checkpoint("Qwen/Qwen3-VL-235B-A22B-Instruct", "bf16", ("qwen3-vl-235b-a22b",)),
    Checkpoint("Qwen/Qwen3-VL-2B-Instruct", "bf16", ("qwen3-vl-2b",)),
    Checkpoint("Qwen/Qwen3-VL-30B-A3B-Instruct", "bf16", ("qwen3-vl-30b-a3b",)),
    Checkpoint("Qwen/Qwen3-VL-32B-Instruct", "bf16", ("qwen3-vl-32b",)),
    Checkpoint("Qwen/Qwen3-VL-4B-Instruct", "bf16", ("qwen3-vl-4b",)),
    Checkpoint("Qwen/Qwen3-VL-8B-Instruct", "bf16", ("qwen3-vl-8b",)),
    Checkpoint("Qwen/Qwen3.5-122B-A10B", "bf16", ("qwen3.5-122b-a10b",)),
    Checkpoint("Qwen/Qwen3.5-27B", "bf16", _QWEN35_27B),
    Checkpoint("Qwen/Qwen3.5-35B-A3B", "bf16", _QWEN35_35B),
    Checkpoint("Qwen/Qwen3.5-397B-A17B", "bf16", ("qwen3.5-397b-a17b",)),
    Checkpoint("XiaomiMiMo/MiMo-7B-Base", "bf16", ("mimo-7b",)),
    Checkpoint("XiaomiMiMo/MiMo-V2-Flash", "fp8-block", ("mimo-v2-flash",)),
    Checkpoint("deepseek-ai/DeepSeek-V3", "fp8-block", _DEEPSEEK),
    Checkpoint("deepseek-ai/DeepSeek-V3.2", "fp8-block", ("deepseek-v3.2",)),
    Checkpoint("deepseek-ai/DeepSeek-V4-Flash", "mxfp4", ("deepseek-v4-flash",)),
    Checkpoint("deepseek-ai/DeepSeek-V4-Pro", "mxfp4", ("deepseek-v4-pro",)),
    Checkpoint("google/gemma-4-26B-A4B", "bf16", ("gemma-4-26b-a4b",)),
    Checkpoint("meta-llama/Llama-4-Maverick-17B-128E-Instruct", "bf16", ("llama-4-maverick",)),
    Checkpoint("meta-llama/Llama-4-Scout-17B-16E-Instruct", "bf16", ("llama-4-scout",)),
    Checkpoint("meta-llama/Meta-Llama-3.1-405B", "bf16", ("llama-3.1-405b",)),
    Checkpoint("meta-llama/Meta-Llama-3.1-70B", "bf16", _LLAMA_70B),
    Checkpoint("meta-llama/Meta-Llama-3.1-8B", "bf16", _LLAMA_8B),
    Checkpoint("mistralai/Mixtral-8x22B-v0.1", "bf16", ("mixtral-8x22b",)),
    Checkpoint("mistralai/Mixtral-8x7B-v0.1", "bf16", ("mixtral-8x7b",)),
    Checkpoint("moonshotai/Kimi-K2-Instruct", "fp8-block", ("kimi-k2",)),
    Checkpoint("moonshotai/Kimi-K2.5", "w4a16-g32", _KIMI),
    Checkpoint("moonshotai/Kimi-K3", "mxfp4", ("kimi-k3",)),
    Checkpoint("nvidia/DeepSeek-V3.1-NVFP4", "nvfp4", _DEEPSEEK),
    Checkpoint("nvidia/DeepSeek-V3.2-NVFP4", "nvfp4", ("deepseek-v3.2",)),
    Checkpoint("nvidia/DeepSeek-V4-Flash-NVFP4", "nvfp4", ("deepseek-v4-flash",)),
    Checkpoint("nvidia/DeepSeek-V4-Pro-NVFP4", "nvfp4", ("deepseek-v4-pro",)),
    Checkpoint("nvidia/GLM-5.1-NVFP4", "nvfp4", ("glm-5", "glm-5.1")),
    Checkpoint("nvidia/GLM-5.2-NVFP4", "nvfp4", ("glm-5.2", "glm-5.3")),
    Checkpoint("nvidia/Gemma-4-26B-A4B-NVFP4", "nvfp4", ("gemma-4-26b-a4b",)),
    Checkpoint("nvidia/Gemma-4-31B-IT-NVFP4", "nvfp4", ("gemma-4-31b",)),
    Checkpoint("nvidia/Kimi-K2.5-NVFP4", "nvfp4", _KIMI),
    Checkpoint("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "bf16", ("nemotron-super-49b",)),
    Checkpoint("nvidia/MiniMax-M2.7-NVFP4", "nvfp4", _MINIMAX),
    Checkpoint("nvidia/MiniMax-M3-NVFP4", "nvfp4", ("minimax-m3",)),
    Checkpoint("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "bf16", ("nemotron-3-nano-30b-a3b",)),
    Checkpoint(
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", "nvfp4", ("nemotron-3-nano-30b-a3b",)
    ),
    Checkpoint(
        "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8", "fp8", ("nemotron-3-super-120b-a12b",)
    ),
    Checkpoint(
        "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4", "nvfp4", ("nemotron-3-super-120b-a12b",)
    ),
    Checkpoint(
        "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", "bf16", ("nemotron-3-ultra-550b-a55b",)
    ),
    Checkpoint(
        "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8", "fp8", ("nemotron-3-ultra-550b-a55b",)
    ),
    Checkpoint(
        "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4", "nvfp4", ("nemotron-3-ultra-550b-a55b",)
    ),
    Checkpoint("nvidia/Nemotron-H-56B-Base-8K", "bf16", ("nemotron-h-56b",)),
    Checkpoint("nvidia/Qwen3-235B-A22B-NVFP4", "nvfp4", ("qwen3-235b-a22b",)),
    Checkpoint("nvidia/Qwen3.5-122B-A10B-NVFP4", "nvfp4", ("qwen3.5-122b-a10b",)),
    Checkpoint("nvidia/Qwen3.5-397B-A17B-NVFP4", "nvfp4", ("qwen3.5-397b-a17b",)),
    Checkpoint("openai/gpt-oss-120b", "mxfp4", ("gpt-oss-120b",)),
    Checkpoint("openai/gpt-oss-20b", "mxfp4", ("gpt-oss-20b",)),
    Checkpoint("sgl-project/DeepSeek-V4-Flash-FP8", "fp8-block", ("deepseek-v4-flash",)),
    Checkpoint("sgl-project/DeepSeek-V4-Pro-FP8", "fp8-block", ("deepseek-v4-pro",)),
    Checkpoint("zai-org/GLM-5.1", "bf16", ("glm-5", "glm-5.1")),
    Checkpoint("zai-org/GLM-5.1-FP8", "fp8-block", ("glm-5", "glm-5.1")),
    Checkpoint("zai-org/GLM-5.2", "bf16", ("glm-5.2", "glm-5.3")),
    Checkpoint("zai-org/GLM-5.2-FP8", "fp8-block", ("glm-5.2", "glm-5.3")),
)
"""Configurations that the package brings, each for the models of its shape."""
