"""Model types whose layers differ: Gemma 3n and 4, and the pruned Nemotrons."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from bot.sources.family import Family
from bot.sources.keys import Keys
from bot.sources.shape import EXPERT_FFN, EXPERTS, EXPERTS_PER_TOKEN, Shape, attention_kind


@dataclass(frozen=True)
class _Layer:
    """How one attention layer of Gemma departs from the others."""

    slides: bool
    shares: bool
    """Whether it reads the cache of an earlier layer."""


def _layers(config: Keys, shape: Shape) -> Counter[_Layer]:
    listed = config.texts("layer_types")
    if len(listed) != shape["layers"]:
        listed = tuple(
            "full_attention" if (index + 1) % 5 == 0 else "sliding_attention"
            for index in range(shape["layers"])
        )
    first_shared = shape["layers"] - config.count_or(0, "num_kv_shared_layers")
    return Counter(
        _Layer(kind == "sliding_attention", index >= first_shared)
        for index, kind in enumerate(listed)
    )


def _gemma4(config: Keys, shape: Shape) -> None:
    """Add Gemma 4's layers: full ones may have wider heads and keys that serve as values."""
    window = config.count("sliding_window")
    wide = _wide_heads(config, shape)
    for layer, count in sorted(_layers(config, shape).items(), key=lambda one: one[0].slides):
        own: Shape = {"window_tokens": window} if layer.slides else dict(wide)
        shares = {"reads_earlier_cache": True} if layer.shares else {}
        shape.setdefault("attention_variants", []).append({"layers": count, **own, **shares})
    _gemma4_sizes(config, shape, int(wide.get("head_dim") or shape["head_dim"]))
    _gemma4_experts(config, shape)


def _wide_heads(config: Keys, shape: Shape) -> Shape:
    wide: Shape = {}
    head_dim = config.count_or(0, "global_head_dim")
    if head_dim and head_dim != shape["head_dim"]:
        wide["head_dim"] = head_dim
    if config.flag("attention_k_eq_v"):
        heads = config.count_or(0, "num_global_key_value_heads")
        wide |= {"value_is_key": True, **({"kv_heads": heads} if heads else {})}
    return wide


def _gemma4_sizes(config: Keys, shape: Shape, wide_head: int) -> None:
    """Add what the shape has no field for: table and gates by layer, doubled FFNs, head norms."""
    layers, hidden = shape["layers"], shape["hidden_size"]
    given = shape.setdefault("given_parameters", {})
    heads = sum(
        count * (shape["head_dim"] if layer.slides else wide_head) * (1 if layer.shares else 2)
        for layer, count in _layers(config, shape).items()
    )
    norms = 7 if config.flag("enable_moe_block") else 4
    given["norm"] = layers * norms * hidden + hidden + heads
    width = config.count_or(0, "hidden_size_per_layer_input")
    if width:
        given |= _per_layer_input(config, shape, width)
    shared = config.count_or(0, "num_kv_shared_layers")
    if config.flag("use_double_wide_mlp"):
        given["ffn"] = 3 * hidden * shape["ffn_size"] * (layers + shared)


def _per_layer_input(config: Keys, shape: Shape, width: int) -> Shape:
    """Return the sizes of the second embedding table, one slice of it for each layer."""
    layers, hidden = shape["layers"], shape["hidden_size"]
    entries = config.count_or(shape["vocabulary_size"], "vocab_size_per_layer_input")
    gates = layers * (2 * hidden * width + hidden)
    return {
        "embedding": shape["vocabulary_size"] * hidden + entries * layers * width,
        "other": gates + hidden * layers * width + width,
    }


def _gemma4_experts(config: Keys, shape: Shape) -> None:
    if not config.flag("enable_moe_block"):
        return
    count, layers = config.count(*EXPERTS), shape["layers"]
    shape["moe"] = {
        "experts": count,
        "experts_per_token": config.count(*EXPERTS_PER_TOKEN),
        "expert_ffn_size": config.count(*EXPERT_FFN),
        "layers": layers,
        "dense_beside_experts": True,
    }
    router = count * shape["hidden_size"] + shape["hidden_size"] + count
    shape["given_parameters"]["router"] = layers * router


def _gemma3n(config: Keys, shape: Shape) -> None:
    """Add Gemma 3n's shared caches, and AltUp, LAuReL and per-layer tables beside its matrices."""
    window = config.count("sliding_window")
    for layer, count in sorted(_layers(config, shape).items(), key=lambda one: one[0].shares):
        variant: Shape = {"layers": count}
        variant |= {"window_tokens": window} if layer.slides else {}
        variant |= {"reads_earlier_cache": True} if layer.shares else {}
        if len(variant) > 1:
            shape.setdefault("attention_variants", []).append(variant)
    layers, hidden, head = shape["layers"], shape["hidden_size"], shape["head_dim"]
    given = _per_layer_input(config, shape, config.count("hidden_size_per_layer_input"))
    shared = config.count_or(0, "num_kv_shared_layers")
    given["norm"] = layers * 4 * hidden + hidden + (2 * layers - shared) * head
    laurel = layers * (2 * hidden * config.count_or(64, "laurel_rank") + hidden)
    inputs = config.count_or(4, "altup_num_inputs")
    altup = layers * (2 * hidden + inputs**2 + inputs**3 + inputs * hidden)
    given["other"] += laurel + altup + 2 * (inputs - 1) * hidden**2
    shape["given_parameters"] = given


def _nemotron_nas(config: Keys, shape: Shape) -> None:
    """Add the blocks that the search kept: attention or none, an FFN of any width or none."""
    blocks = config.parts("block_configs")
    hidden, head = shape["hidden_size"], shape["head_dim"]
    kv_heads: Counter[int] = Counter()
    ffn = norms = linear = 0
    for block in blocks:
        attention, dense = block.part("attention") or Keys({}), block.part("ffn") or Keys({})
        linear += attention.flag("replace_with_linear") + dense.flag("replace_with_linear")
        group = attention.count_or(0, "n_heads_in_group")
        kv_heads[shape["heads"] // group if group else 0] += 1
        ffn += _ffn_width(dense, hidden)
        norms += (not attention.flag("no_op")) + (not dense.flag("no_op"))
    shape["layers"] = len(blocks)
    shape["ffn_only_layers"] = kv_heads.pop(0, 0)
    shape["kv_heads"] = kv_heads.most_common(1)[0][0] if kv_heads else shape["heads"]
    kv_heads.pop(shape["kv_heads"], None)
    shape["attention"] = attention_kind(shape["heads"], shape["kv_heads"])
    shape["attention_variants"] = [
        {"layers": count, "kv_heads": heads} for heads, count in kv_heads.items()
    ]
    shape["head_dim"] = head
    shape["ffn_size"] = 0
    given = {"ffn": 3 * hidden * ffn, "norm": (norms + 1) * hidden, "other": linear * hidden**2}
    shape["given_parameters"] = {group: size for group, size in given.items() if size}


def _ffn_width(ffn: Keys, hidden: int) -> int:
    """Return a block's FFN width, rounded to 256 (`_ffn_mult_to_intermediate_size`)."""
    factor = ffn.raw("ffn_mult")
    if not isinstance(factor, int | float) or ffn.flag("no_op"):
        return ffn.count_or(0, "intermediate_size")
    return -(-int(2 * factor * hidden / 3) // 256) * 256


def _mllama(config: Keys, shape: Shape) -> None:
    """Set apart the layers that attend to an image, and the rows for its tokens.

    They are loaded with the encoder and count with it (`MllamaCrossAttentionDecoderLayer`).
    """
    layers, hidden = len(config.counts("cross_attention_layers")), shape["hidden_size"]
    head, width = shape["head_dim"], (shape["heads"] + shape["kv_heads"]) * shape["head_dim"]
    ffn = 3 * hidden * shape["ffn_size"]
    layer = 2 * hidden * width + ffn + 2 * head + 2 * hidden + 2
    shape["layers"] -= layers
    shape["cross_attention"] = {"layers": layers, "for_each_image": True}
    shape["given_parameters"] = {"vision": layers * layer + MLLAMA_ROWS * hidden}


MLLAMA_ROWS: Final = 8
"""Rows of the embedding table beyond the vocabulary (`MllamaTextModel`)."""

GEMMA4: Final = Family(
    (_gemma4,),
    {"norms_per_layer": 4},
    tied=True,
    defaults={"global_head_dim": 512, "vocab_size_per_layer_input": 262_144},
)

UNEVEN: Final[dict[str, Family]] = {
    "gemma3n_text": Family((_gemma3n,), tied=True),
    "gemma4_text": GEMMA4,
    "mllama_text_model": Family((_mllama,)),
    "nemotron-nas": Family((_nemotron_nas,)),
}
"""Families by `model_type`."""
