"""Read a Hugging Face `config.json` into a model that can be sized."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from bot.errors import CodedError
from bot.sources.dense import DENSE
from bot.sources.encoders import ENCODERS
from bot.sources.family import Family, shape_of
from bot.sources.hybrids import HYBRIDS
from bot.sources.json_table import parse_json
from bot.sources.keys import MOST_LAYERS, Keys
from bot.sources.mixtures import MIXTURES
from bot.sources.processors import rules_for
from bot.sources.quantisation import format_of
from bot.sources.shape import CONTEXT, HEADS, HIDDEN, LAYERS, VOCABULARY, Shape, experts
from bot.sources.towers import image_tokens, is_counted_exactly, tower_parameters
from bot.sources.uneven import UNEVEN
from sizing.architecture import parameter_count
from sizing.records import ArchitectureRecord, Doubt, GivenModel, ModelKind, TensorGroup

FAMILIES: Final[Mapping[str, Family]] = {**DENSE, **MIXTURES, **HYBRIDS, **UNEVEN, **ENCODERS}
"""Every model type that is counted part by part."""

ALIASES: Final = {
    "gemma3": "gemma3_text",
    "gemma3n": "gemma3n_text",
    "gemma4": "gemma4_text",
    "glm4v": "glm4",
    "glm4v_moe": "glm4_moe",
    "glm4v_moe_text": "glm4_moe",
    "glm4v_text": "glm4",
    "internlm2_ve": "internlm2",
    "kimi_k25": "kimi_k2",
    "llama4": "llama4_text",
    "llava": "llama",
    "mistral3": "mistral",
    "pixtral": "mistral",
    "qwen2_5_vl": "qwen2",
    "qwen2_5_vl_text": "qwen2",
    "qwen2_vl": "qwen2",
    "qwen2_vl_text": "qwen2",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen3_vl": "qwen3",
    "qwen3_vl_moe": "qwen3_moe",
    "qwen3_vl_moe_text": "qwen3_moe",
    "qwen3_vl_text": "qwen3",
}
"""Model types whose text part is another's."""

UNKNOWN: Final = Family((experts(),))
"""A decoder of unknown make: Llama's layout, with experts where the file names them."""

TEXT_PARTS: Final = ("text_config", "llm_config", "language_config", "thinker_config")


def read_config(content: bytes, source: str, name: str | None = None) -> GivenModel:
    """Return the model that a `config.json` describes; raise CodedError saying what is missing."""
    whole = Keys(parse_json(content, source))
    text = _text_part(whole)
    model_type, family = _family_of(text, whole)
    text = text.over({**family.defaults, **(family.nested if text is not whole else {})})
    shape = _shape(text, family, model_type)
    doubts = [] if family is not UNKNOWN else [Doubt.MODEL_TYPE]
    vision = whole.part("vision_config")
    if vision is not None:
        doubts += _add_tower(shape, vision, whole.text("model_type"))
    stored = format_of(whole if whole.has("quantization_config", "torch_dtype", "dtype") else text)
    doubts += [] if stored.is_understood else [Doubt.QUANTISATION]
    architecture = _architecture(shape)
    image, sound = rules_for(whole)
    return GivenModel(
        name=name or _name(model_type, architecture),
        kind=_kind(architecture),
        source=source,
        model_type=model_type,
        digest=hashlib.sha256(content).hexdigest()[:16],
        architecture=architecture,
        max_context_tokens=_longest(text),
        native_precision=stored.precision,
        native_groups=_present(stored.groups, architecture),
        mtp_parameters=_mtp_parameters(text, family, shape, architecture),
        image=image,
        sound=sound,
        doubts=tuple(doubts),
    )


def _present(
    groups: Mapping[TensorGroup, str], architecture: ArchitectureRecord
) -> dict[TensorGroup, str]:
    """Return the formats of groups, those of layers with a state only where there are such."""
    absent = () if architecture.recurrent else (TensorGroup.RECURRENT,)
    return {group: name for group, name in groups.items() if group not in absent}


def _longest(config: Keys) -> int | None:
    """Return the longest context; Command R tells it beside a shorter table of positions."""
    told = config.count_or(0, *CONTEXT)
    return max(told, config.count_or(0, "model_max_length")) or None


def _text_part(whole: Keys) -> Keys:
    """Return the settings of the text model inside those of a multi-modal one."""
    text = whole
    while (part := text.part(*TEXT_PARTS)) is not None:
        text = part
    return text


def _family_of(text: Keys, whole: Keys) -> tuple[str, Family]:
    """Return the type of the text model and its family; UNKNOWN for one never seen."""
    named = text.text("model_type") or whole.text("model_type")
    known = ALIASES.get(named, named)
    if known in FAMILIES:
        return named, FAMILIES[known]
    outer = ALIASES.get(whole.text("model_type"), whole.text("model_type"))
    if not named and outer in FAMILIES:
        return outer, FAMILIES[outer]
    return named or "?", UNKNOWN


def _shape(text: Keys, family: Family, model_type: str) -> Shape:
    if family is UNKNOWN:
        _require(text, model_type)
    return shape_of(text, family)


def _require(config: Keys, model_type: str) -> None:
    """Refuse a file of unknown make that lacks the keys of a decoder, naming them."""
    needed = (LAYERS, HIDDEN, HEADS, VOCABULARY)
    missing = [names[0] for names in needed if not config.has(*names)]
    if missing:
        raise CodedError("config_unknown_type", model_type=model_type, keys=", ".join(missing))


def _add_tower(shape: Shape, vision: Keys, model_type: str) -> list[Doubt]:
    """Add the image encoder; one without a shape of its own in the file is left out."""
    try:
        size = tower_parameters(model_type, vision, shape["hidden_size"])
    except CodedError:
        return [Doubt.ENCODER]
    given = shape.setdefault("given_parameters", {})
    given["vision"] = given.get("vision", 0) + size
    if "cross_attention" in shape:
        shape["cross_attention"]["source_tokens"] = image_tokens(vision)
    return [] if is_counted_exactly(model_type) else [Doubt.ENCODER]


def _architecture(shape: Shape) -> ArchitectureRecord:
    try:
        architecture = ArchitectureRecord.model_validate(shape)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise CodedError("config_value", key=key, value=str(first["input"])[:40]) from error
    _check_layers(architecture)
    return architecture


def _check_layers(architecture: ArchitectureRecord) -> None:
    """Refuse a file that lists more layers of some kind than it has, or more than are read."""
    listed = sum(each.layers for each in architecture.attention_variants)
    listed += sum(each.layers for each in architecture.recurrent) + architecture.ffn_only_layers
    if listed > architecture.layers or architecture.layers > MOST_LAYERS:
        raise CodedError("config_value", key="layer_types", value=str(listed))


def _kind(architecture: ArchitectureRecord) -> ModelKind:
    if architecture.recurrent:
        return ModelKind.HYBRID
    if architecture.moe is not None:
        return ModelKind.MOE
    is_vlm = TensorGroup.VISION in architecture.given_parameters
    return ModelKind.VLM if is_vlm else ModelKind.LLM


def _name(model_type: str, architecture: ArchitectureRecord) -> str:
    return f"{model_type} {parameter_count(architecture) / 10**9:.3g}B"


def _mtp_parameters(
    text: Keys, family: Family, shape: Shape, architecture: ArchitectureRecord
) -> int:
    """Count the multi-token-prediction heads: a layer each, a projection of two states, norms.

    DeepSeek's line stores embedding and output head once more beside them.
    """
    heads = text.count_or(0, "num_nextn_predict_layers", "mtp_num_hidden_layers")
    if not heads or text.flag("mtp_use_dedicated_embeddings"):
        return 0
    longer = dict(shape) | {"layers": shape["layers"] + 1}
    for part in {"moe", "indexer"} & shape.keys():
        longer[part] = {**shape[part], "layers": shape[part]["layers"] + 1}
    layer = parameter_count(_architecture(longer)) - parameter_count(architecture)
    hidden = architecture.hidden_size
    ends = 2 * architecture.vocabulary_size * hidden if family.copies_ends else 0
    return heads * (layer + 2 * hidden * hidden + 3 * hidden + ends)
