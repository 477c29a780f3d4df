"""Image encoders beside a text model, counted from `vision_config`, projectors included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bot.sources.keys import Keys

LAYERS: Final = ("num_hidden_layers", "depth", "layers")
WIDTHS: Final = ("embed_dim", "hidden_size", "width")
FFNS: Final = ("intermediate_size", "mlp_dim")


@dataclass(frozen=True)
class _Encoder:
    """Widths of a vision transformer."""

    layers: int
    hidden: int
    ffn: int
    patch: int
    patches: int


def _encoder(vision: Keys) -> _Encoder:
    hidden, patch = vision.count(*WIDTHS), vision.count_or(14, "patch_size")
    ratio = vision.raw("mlp_ratio")
    ffn = round(ratio * hidden) if isinstance(ratio, int | float) else 4 * hidden
    side = vision.count_or(224, "image_size") // max(1, patch)
    return _Encoder(vision.layers(*LAYERS), hidden, vision.count_or(ffn, *FFNS), patch, side * side)


def _block(
    encoder: _Encoder, *, matrices: int = 2, bias: bool = True, norm_vectors: int = 4
) -> int:
    """Count attention (q, k, v, o), the FFN's matrices and two norms."""
    hidden, ffn = encoder.hidden, encoder.ffn
    weights = 4 * hidden * hidden + matrices * hidden * ffn
    biases = 4 * hidden + (matrices - 1) * ffn + hidden if bias else 0
    return weights + biases + norm_vectors * hidden


def _two_layers(inputs: int, outputs: int, *, bias: bool = True) -> int:
    """Count a projector of two matrices into the text model's width."""
    extra = 2 * outputs if bias else 0
    return inputs * outputs + outputs * outputs + extra


def _siglip(vision: Keys, _text_width: int) -> int:
    """Count SigLIP without its pooling head (`SiglipVisionTransformer`)."""
    each = _encoder(vision)
    patches = 3 * each.patch**2 * each.hidden + each.hidden + each.patches * each.hidden
    return patches + each.layers * _block(each) + 2 * each.hidden


def _gemma3(vision: Keys, text_width: int) -> int:
    """Count SigLIP, the soft-token norm and its projection (`Gemma3MultiModalProjector`)."""
    hidden = vision.count(*WIDTHS)
    return _siglip(vision, text_width) + hidden + hidden * text_width


def _clip(vision: Keys, _text_width: int) -> int:
    """Count CLIP (`CLIPVisionTransformer`)."""
    each = _encoder(vision)
    front = 3 * each.patch**2 * each.hidden + (each.patches + 2) * each.hidden
    return front + each.layers * _block(each) + 4 * each.hidden


def _llava(vision: Keys, text_width: int) -> int:
    """Count CLIP, SigLIP or Pixtral, and LLaVA's projector of two matrices."""
    kind = vision.text("model_type")
    towers = {"siglip_vision_model": _siglip, "pixtral": _pixtral}
    return towers.get(kind, _clip)(vision, text_width) + _two_layers(
        vision.count(*WIDTHS), text_width
    )


def _pixtral(vision: Keys, _text_width: int) -> int:
    """Count Pixtral: no biases, no table of positions (`PixtralVisionModel`)."""
    each = _encoder(vision)
    front = 3 * each.patch**2 * each.hidden + each.hidden
    return front + each.layers * _block(each, matrices=3, bias=False, norm_vectors=2)


def _mistral3(vision: Keys, text_width: int) -> int:
    """Count Pixtral, the merger of 2 x 2 patches and the projector (`Mistral3MultiModal…`)."""
    hidden = vision.count(*WIDTHS)
    merger = hidden + 4 * hidden * hidden
    return _pixtral(vision, text_width) + merger + _two_layers(hidden, text_width, bias=False)


def _merger(vision: Keys, norm: int, text_width: int) -> int:
    """Count the merger of patches: a norm and two matrices (`PatchMerger`)."""
    merged = vision.count(*WIDTHS) * vision.count_or(2, "spatial_merge_size") ** 2
    return norm + merged * merged + merged + merged * text_width + text_width


def _front(vision: Keys, each: _Encoder) -> int:
    frames = vision.count_or(2, "temporal_patch_size")
    return 3 * frames * each.patch**2 * each.hidden


def _qwen2_vl(vision: Keys, text_width: int) -> int:
    """Count `Qwen2VisionTransformerPretrainedModel`."""
    each = _encoder(vision)
    merger = _merger(vision, 2 * each.hidden, text_width)
    return _front(vision, each) + each.layers * _block(each) + merger


def _qwen2_5_vl(vision: Keys, text_width: int) -> int:
    """Count `Qwen2_5_VisionTransformerPretrainedModel`: gated FFNs and norms without bias."""
    each = _encoder(vision)
    merger = _merger(vision, each.hidden, text_width)
    return _front(vision, each) + each.layers * _block(each, matrices=3, norm_vectors=2) + merger


def _qwen3_vl(vision: Keys, text_width: int) -> int:
    """Count `Qwen3VLVisionModel`: positions, and a merger for each layer that feeds the text."""
    each = _encoder(vision)
    positions = vision.count_or(2304, "num_position_embeddings") * each.hidden
    merged = each.hidden * vision.count_or(2, "spatial_merge_size") ** 2
    deep = len(vision.counts("deepstack_visual_indexes"))
    return (
        _front(vision, each) + each.hidden + positions + each.layers * _block(each)
        + _merger(vision, 2 * each.hidden, text_width)
        + deep * _merger(vision, 2 * merged, text_width)
    )  # fmt: skip


def _llama4(vision: Keys, text_width: int) -> int:
    """Count `Llama4VisionModel` and `Llama4MultiModalProjector`."""
    each = _encoder(vision)
    front = 3 * each.patch**2 * each.hidden + (each.patches + 2) * each.hidden
    inner, outer = vision.count("projector_input_dim"), vision.count("projector_output_dim")
    shuffled = round(each.hidden / (_share(vision, "pixel_shuffle_ratio") ** 2))
    adapter = shuffled * inner + inner * outer
    return front + each.layers * _block(each) + 4 * each.hidden + adapter + outer * text_width


def _share(vision: Keys, name: str) -> float:
    value = vision.raw(name)
    return value if isinstance(value, int | float) and value > 0 else 0.5


def _intern_vit(vision: Keys, text_width: int) -> int:
    """Count InternViT with its layer scales, and the projector `mlp1`."""
    each = _encoder(vision)
    front = 3 * each.patch**2 * each.hidden + each.hidden + (each.patches + 2) * each.hidden
    block = _block(each) + 2 * each.hidden
    if not vision.flag("qkv_bias", default=True):
        block -= 3 * each.hidden
    merged = 4 * each.hidden
    return front + each.layers * block + 2 * merged + _two_layers(merged, text_width)


def _mllama(vision: Keys, text_width: int) -> int:
    """Count `MllamaVisionModel`: local and global layers, a table of positions for each tile."""
    each = _encoder(vision)
    hidden, tiles = each.hidden, vision.count_or(4, "max_num_tiles")
    kinds = len(vision.entries("supported_aspect_ratios")) + 1
    positions = (each.patches + 1) * hidden
    tables = positions + kinds * tiles * positions + 2 * kinds * tiles * hidden + 3
    layers, gates = vision.count_or(8, "num_global_layers"), 2
    block = _block(each, bias=False) + each.ffn + hidden
    blocks = (each.layers + layers) * block + layers * gates
    front = 3 * each.patch**2 * hidden + hidden + 4 * hidden
    output = vision.count("vision_output_dim")
    return front + tables + blocks + output * text_width + text_width


def image_tokens(vision: Keys) -> int:
    """Return the entries of an image that a text model attends to: all tiles (Llama 3.2)."""
    return vision.count_or(1, "max_num_tiles") * (_encoder(vision).patches + 1)


def _plain(vision: Keys, text_width: int) -> int:
    """Count an encoder of unknown make: a plain vision transformer and a projector."""
    each = _encoder(vision)
    front = 3 * each.patch**2 * each.hidden + (each.patches + 1) * each.hidden
    return front + each.layers * _block(each) + _two_layers(each.hidden, text_width)


TOWERS: Final[dict[str, Callable[[Keys, int], int]]] = {
    "gemma3": _gemma3,
    "internvl": _intern_vit,
    "internvl_chat": _intern_vit,
    "llama4": _llama4,
    "llava": _llava,
    "mistral3": _mistral3,
    "mllama": _mllama,
    "qwen2_5_vl": _qwen2_5_vl,
    "qwen2_vl": _qwen2_vl,
    "qwen3_5": _qwen3_vl,
    "qwen3_5_moe": _qwen3_vl,
    "qwen3_vl": _qwen3_vl,
    "qwen3_vl_moe": _qwen3_vl,
}
"""Encoders by the `model_type` of the whole."""


def tower_parameters(model_type: str, vision: Keys, text_width: int) -> int:
    """Return the parameters of an image encoder and its projector."""
    return TOWERS.get(model_type, _plain)(vision, text_width)


def is_counted_exactly(model_type: str) -> bool:
    """Return whether the encoder of such a model is known part by part."""
    return model_type in TOWERS
