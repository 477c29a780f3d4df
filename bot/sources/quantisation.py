"""Read the number format of published weights from `quantization_config`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.sources.keys import Keys
from sizing.records import TensorGroup

DTYPES: Final = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "half": "fp16"}
"""Catalogue precision of a PyTorch type."""

LINEAR: Final = (
    TensorGroup.ATTENTION,
    TensorGroup.RECURRENT,
    TensorGroup.FFN,
    TensorGroup.EXPERTS,
    TensorGroup.SHARED_EXPERTS,
)
"""Groups that formats for GPUs quantise."""


@dataclass(frozen=True)
class Format:
    """How a checkpoint stores its weights."""

    precision: str
    """Catalogue id."""

    groups: dict[TensorGroup, str]
    """Format of each quantised group; empty where the format's own list holds."""

    is_understood: bool = True


def format_of(config: Keys) -> Format:
    """Return the format of a checkpoint: its quantisation, else its 16- or 32-bit type."""
    settings = config.part("quantization_config", "compression_config")
    dtype = config.text("torch_dtype", "dtype").removeprefix("torch.")
    plain = DTYPES.get(dtype, "bf16")
    if settings is None:
        return Format(plain, {})
    reader = READERS.get(settings.text("quant_method").lower().replace("_", "-"))
    precision = reader(settings) if reader else None
    if precision is None:
        return Format(plain, {}, is_understood=False)
    return Format(precision, _quantised_groups(precision, settings))


def _fp8(settings: Keys) -> str:
    return "fp8-block" if settings.counts("weight_block_size") else "fp8"


def _gptq(settings: Keys) -> str | None:
    if settings.count_or(4, "bits") == 8:
        return "gptq-int8" if _group_size(settings) else "w8a16"
    if settings.count_or(4, "bits") != 4:
        return None
    return "gptq-int4-g32" if _group_size(settings) == 32 else "gptq-int4"


def _awq(settings: Keys) -> str | None:
    return "awq" if settings.count_or(4, "bits", "w_bit") == 4 else None


def _bitsandbytes(settings: Keys) -> str | None:
    if settings.flag("load_in_4bit") or settings.flag("_load_in_4bit"):
        return "bnb-nf4"
    is_8_bit = settings.flag("load_in_8bit") or settings.flag("_load_in_8bit")
    return "bnb-int8" if is_8_bit else None


def _group_size(settings: Keys) -> int:
    """Return the weights of one scale; -1 means a scale for each output channel."""
    value = settings.raw("group_size", "q_group_size")
    return value if isinstance(value, int) and value > 0 else 0


def _compressed_tensors(settings: Keys) -> str | None:
    """Return the format of the first group of layers (`config_groups`)."""
    groups = settings.part("config_groups") or Keys({})
    first = groups.part("group_0", "group_1", "0") or Keys({})
    weights = first.part("weights")
    if weights is None:
        return None
    activations = first.part("input_activations")
    if weights.text("type") == "float":
        return _float_format(weights, settings.text("format"))
    return _integer_format(weights, activations)


def _float_format(weights: Keys, layout: str) -> str | None:
    if weights.count_or(8, "num_bits") == 8:
        return "fp8-block" if weights.text("strategy") == "block" else "fp8"
    return "mxfp4" if "mx" in layout or _group_size(weights) == 32 else "nvfp4"


def _integer_format(weights: Keys, activations: Keys | None) -> str | None:
    match weights.count_or(8, "num_bits"), activations is not None:
        case 8, True:
            return "int8"
        case 8, False:
            return "w8a16"
        case 4, True:
            return "w4a8"
        case 4, False:
            return "w4a16-g32" if _group_size(weights) == 32 else "int4"
    return None


def _modelopt(settings: Keys) -> str | None:
    algorithm = (settings.part("quantization") or settings).text("quant_algo").upper()
    names = {"FP8": "fp8", "NVFP4": "nvfp4", "W4A16_AWQ": "awq", "FP8_PB_WO": "fp8-block"}
    return names.get(algorithm)


READERS: Final[dict[str, Callable[[Keys], str | None]]] = {
    "awq": _awq,
    "bitsandbytes": _bitsandbytes,
    "compressed-tensors": _compressed_tensors,
    "fbgemm-fp8": _fp8,
    "fp8": _fp8,
    "gptq": _gptq,
    "hqq": lambda _: "hqq-4bit",
    "modelopt": _modelopt,
    "modelopt-fp4": lambda _: "nvfp4",
    "mxfp4": lambda _: "mxfp4",
    "mxfp8": lambda _: "mxfp8",
}
"""Readers by `quant_method`."""

MARKS: Final = {
    TensorGroup.ATTENTION: ("attn", "attention"),
    TensorGroup.RECURRENT: ("linear_attn", "mamba", "mixer"),
    TensorGroup.SHARED_EXPERTS: ("shared_expert",),
    TensorGroup.FFN: (
        "mlp.(gate|up", "mlp\\.(gate|up", "mlp.up_proj", "mlp.down_proj", "mlp.gate_proj",
    ),
    TensorGroup.EXPERTS: (".experts", "block_sparse_moe"),
}  # fmt: skip
"""Parts of module names by the group they belong to."""


def _quantised_groups(precision: str, settings: Keys) -> dict[TensorGroup, str]:
    """Return the quantised groups where modules are left out, or MXFP4 names experts alone."""
    skipped = settings.texts("ignore", "modules_to_not_convert", "exclude_modules")
    if settings.text("quant_method").lower() == "mxfp4":
        return {TensorGroup.EXPERTS: precision}
    whole = [name.lower() for name in skipped if not _names_a_layer(name)]
    left = [group for group in LINEAR if not _is_skipped(group, whole)]
    return {} if len(left) == len(LINEAR) else dict.fromkeys(left, precision)


def _names_a_layer(pattern: str) -> bool:
    """Return whether a pattern names one layer by its number, which changes little."""
    return any(part.isdigit() for part in pattern.replace("\\", "").split("."))


def _is_skipped(group: TensorGroup, patterns: Sequence[str]) -> bool:
    if group is TensorGroup.ATTENTION:
        patterns = [each for each in patterns if "linear_attn" not in each]
    return any(mark in pattern for pattern in patterns for mark in MARKS[group])
