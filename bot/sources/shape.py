"""Parts of a decoder's shape, as the keys of `config.json` give them (transformers)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from bot.sources.keys import Keys

Shape = dict[str, Any]
"""Fields of an ArchitectureRecord while they are gathered."""

Part = Callable[[Keys, Shape], None]
"""Adds what one feature of an architecture says to the shape."""

LAYERS: Final = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "decoder_layers")
HIDDEN: Final = ("hidden_size", "n_embd", "d_model", "n_embed", "dim")
HEADS: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads")
KV_HEADS: Final = (
    "num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", "kv_n_heads",
    "num_query_groups", "num_attention_groups",
)  # fmt: skip
HEAD_DIM: Final = ("head_dim", "kv_channels", "attention_head_dim", "d_kv")
FFN: Final = (
    "intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "d_ff", "decoder_ffn_dim",
)  # fmt: skip
VOCABULARY: Final = ("vocab_size", "padded_vocab_size", "text_vocab_size")
CONTEXT: Final = (
    "max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "n_ctx",
    "max_sequence_length", "model_max_length", "max_target_positions",
)  # fmt: skip
"""Names that the lines of models give to the same numbers."""

EXPERTS: Final = (
    "num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_moe_experts",
)  # fmt: skip
EXPERTS_PER_TOKEN: Final = (
    "num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "moe_k",
    "top_k_experts", "num_selected_experts", "num_experts_per_topk",
)  # fmt: skip
EXPERT_FFN: Final = ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size")


def plain_decoder(config: Keys, shape: Shape) -> None:
    """Add the widths that every decoder has (`LlamaConfig` and its like)."""
    hidden, heads = config.count(*HIDDEN), config.count(*HEADS)
    kv_heads = config.count_or(0, *KV_HEADS) or heads
    shape |= {
        "layers": config.layers(*LAYERS),
        "hidden_size": hidden,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": config.count_or(0, *HEAD_DIM) or max(1, hidden // heads),
        "ffn_size": _ffn_width(config) or 4 * hidden,
        "vocabulary_size": config.count(*VOCABULARY),
        "attention": attention_kind(heads, kv_heads),
    }


def _ffn_width(config: Keys) -> int:
    """Return the width of the FFN; where it is listed by layer, the first."""
    listed = config.counts(*FFN)
    return listed[0] if listed else config.count_or(0, *FFN)


def attention_kind(heads: int, kv_heads: int) -> str:
    """Return how many heads share keys and values."""
    if kv_heads == heads:
        return "mha"
    return "mqa" if kv_heads == 1 else "gqa"


def flags(*, default: bool = False, **names: str) -> Part:
    """Return the part that takes fields from truth values: `field="key"`."""

    def add(config: Keys, shape: Shape) -> None:
        shape |= {field: config.flag(key, default=default) for field, key in names.items()}

    return add


def biased_attention(config: Keys, shape: Shape) -> None:
    """Add `attention_bias`, which Llama's line puts on all four projections."""
    if config.flag("attention_bias"):
        shape |= {"qkv_bias": True, "attention_output_bias": True}


def head_norms(_config: Keys, shape: Shape) -> None:
    """Add norms of one query head and one key head (`q_norm`, `k_norm` of Qwen3, Gemma 3)."""
    shape["qk_norm_size"] = 2 * shape["head_dim"]


def head_norms_if(key: str) -> Part:
    """Return the part that adds these norms where `key` says so."""

    def add(config: Keys, shape: Shape) -> None:
        if config.flag(key):
            head_norms(config, shape)

    return add


def wide_norms(_config: Keys, shape: Shape) -> None:
    """Add norms as wide as all query heads and all key heads (OLMo 2, MiniMax M2)."""
    shape["qk_norm_size"] = (shape["heads"] + shape["kv_heads"]) * shape["head_dim"]


def wide_norms_if(key: str) -> Part:
    """Return the part that adds these norms where `key` says so."""

    def add(config: Keys, shape: Shape) -> None:
        if config.flag(key):
            wide_norms(config, shape)

    return add


def windows(full_every: int | None = None, *, switch: str | None = None) -> Part:
    """Return the part that adds sliding windows.

    `layer_types` names them layer by layer; older files say only that each n-th layer is full
    (`sliding_window_pattern`, else `full_every`), or that all layers slide (None).
    """

    def add(config: Keys, shape: Shape) -> None:
        window = config.count_or(0, "sliding_window", "sliding_window_size")
        if not window or (switch and not config.flag(switch)):
            return
        count = _sliding_layers(config, shape["layers"], full_every)
        add_windows(shape, count, window)

    return add


def add_windows(shape: Shape, layers: int, window: int, **more: object) -> None:
    """Add `layers` layers that look back on `window` tokens."""
    if layers:
        variants = shape.setdefault("attention_variants", [])
        variants.append({"layers": layers, "window_tokens": window, **more})


def _sliding_layers(config: Keys, layers: int, full_every: int | None) -> int:
    listed = config.texts("layer_types")
    if listed:
        return listed.count("sliding_attention")
    pattern = config.raw("sliding_window_pattern", "_sliding_window_pattern")
    if isinstance(pattern, str) and pattern:
        return sum(pattern[index % len(pattern)] == "L" for index in range(layers))
    every = config.count_or(full_every or 0, "sliding_window_pattern", "_sliding_window_pattern")
    return layers - layers // every if every else layers


def windows_everywhere(config: Keys, shape: Shape) -> None:
    """Add one window for all layers, unless it holds the whole context anyway."""
    window = config.count_or(0, "sliding_window")
    if 0 < window < config.count_or(window + 1, *CONTEXT):
        listed = config.texts("layer_types")
        count = listed.count("sliding_attention") if listed else shape["layers"]
        add_windows(shape, count, window)


def windows_beyond(config: Keys, shape: Shape) -> None:
    """Add the windows of Qwen2's line: layers from `max_window_layers` on, where switched on."""
    window = config.count_or(0, "sliding_window")
    if window and config.flag("use_sliding_window"):
        listed = config.texts("layer_types")
        first = config.count_or(shape["layers"], "max_window_layers")
        count = listed.count("sliding_attention") if listed else max(0, shape["layers"] - first)
        add_windows(shape, count, window)


def experts(
    *,
    width: Sequence[str] = EXPERT_FFN,
    shared: Callable[[Keys, int], int] | None = None,
    **more: object,
) -> Part:
    """Return the part that adds a mixture of experts, where the file has one.

    `shared` gives the width of the shared experts from the file and an expert's width; `more`
    are further fields of the MoeRecord.
    """

    def add(config: Keys, shape: Shape) -> None:
        count = config.count_or(0, *EXPERTS)
        layers = expert_layers(config, shape["layers"])
        if count < 2 or not layers:
            return
        ffn = config.count_or(0, *width) or shape["ffn_size"]
        shape["moe"] = {
            "experts": count,
            "experts_per_token": config.count(*EXPERTS_PER_TOKEN),
            "expert_ffn_size": ffn,
            "layers": layers,
            "shared_ffn_size": shared(config, ffn) if shared else 0,
            **more,
        }
        if layers == shape["layers"] and not more.get("dense_beside_experts"):
            shape["ffn_size"] = 0

    return add


def shared_experts(config: Keys, ffn: int) -> int:
    """Return the width of all shared experts together (`n_shared_experts` x an expert's)."""
    return ffn * config.count_or(
        0, "n_shared_experts", "num_shared_experts", "moe_num_shared_experts"
    )


def shared_width(config: Keys, _ffn: int) -> int:
    """Return the width of the shared expert where the file names it."""
    return config.count_or(0, "shared_expert_intermediate_size", "shared_intermediate_size")


def expert_layers(config: Keys, layers: int) -> int:
    """Return the layers that carry experts, however the file names them."""
    return sum(carries_experts(config, index, layers) for index in range(layers))


def carries_experts(config: Keys, index: int, layers: int) -> bool:
    """Return whether layer `index` carries experts."""
    named = config.texts("mlp_layer_types")
    if named:
        return index < len(named) and named[index] in {"sparse", "moe"}
    each = config.counts("moe_layer_freq")
    if each:
        return index < len(each) and each[index] > 0
    if index < config.count_or(0, "first_k_dense_replace", "num_dense_layers"):
        return False
    if index in config.counts("mlp_only_layers"):
        return False
    return _is_on_beat(config, index, layers)


def _is_on_beat(config: Keys, index: int, layers: int) -> bool:
    """Return whether a layer is one of each n-th (Qwen, DeepSeek, ERNIE)."""
    step = config.count_or(1, "decoder_sparse_step", "interleave_moe_layer_step") or 1
    frequency = _frequency(config)
    interval = config.count_or(1, "moe_layer_interval") or 1
    first = config.count_or(0, "moe_layer_start_index")
    last = config.count_or(layers - 1, "moe_layer_end_index")
    if not first <= index <= last or (index + 1) % interval:
        return False
    return (index + 1) % step == 0 and index % frequency == 0


def _frequency(config: Keys) -> int:
    value = config.raw("moe_layer_freq")
    return 1 if isinstance(value, list) else config.count_or(1, "moe_layer_freq") or 1
