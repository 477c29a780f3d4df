"""Model types some of whose layers keep a fixed state, and those whose layers differ one by one."""

from __future__ import annotations

from collections import Counter
from typing import Final

from bot.sources.family import Family
from bot.sources.keys import Keys
from bot.sources.mixtures import WHOLE_FFN, latent_attention
from bot.sources.shape import (
    HEADS,
    HIDDEN,
    LAYERS,
    VOCABULARY,
    Shape,
    biased_attention,
    experts,
    flags,
    head_norms,
    plain_decoder,
    shared_experts,
    shared_width,
)

STATEFUL: Final = frozenset({"linear_attention", "mamba", "conv", "linear", "mamba2"})
"""Names of layers with a state in `layer_types` and `layers_block_type`."""


def _stateful_layers(config: Keys, shape: Shape) -> int:
    """Return the layers with a state: listed, else all but each n-th."""
    listed = config.texts("layer_types", "layers_block_type")
    if listed:
        return sum(one in STATEFUL for one in listed)
    layers: int = shape["layers"]
    return layers - layers // config.count("full_attention_interval")


def add_states(shape: Shape, layers: int, kind: str, **values: object) -> None:
    """Add `layers` layers of one kind that keep a state."""
    if layers:
        shape.setdefault("recurrent", []).append({"kind": kind, "layers": layers, **values})


def _gated_delta_net(config: Keys, shape: Shape) -> None:
    """Add the Gated DeltaNet layers of Qwen3-Next and Qwen3.5."""
    add_states(
        shape,
        _stateful_layers(config, shape),
        "gated_delta_net",
        key_heads=config.count("linear_num_key_heads"),
        value_heads=config.count("linear_num_value_heads"),
        key_head_dim=config.count("linear_key_head_dim"),
        value_head_dim=config.count("linear_value_head_dim"),
        conv_kernel=config.count_or(4, "linear_conv_kernel_dim"),
    )
    shape["output_gate"] = config.flag("attn_output_gate", default=True)


def _mamba2(config: Keys, shape: Shape) -> None:
    """Add the Mamba-2 layers of Granite 4 and Bamba."""
    attention = config.counts("attn_layer_indices")
    layers = shape["layers"] - len(attention) if attention else _stateful_layers(config, shape)
    add_states(
        shape,
        layers,
        "mamba2",
        heads=config.count("mamba_n_heads"),
        head_dim=_mamba_head(config, shape),
        state_size=config.count("mamba_d_state"),
        groups=config.count_or(1, "mamba_n_groups"),
        conv_kernel=config.count_or(4, "mamba_d_conv"),
    )


def _mamba_head(config: Keys, shape: Shape) -> int:
    inner = config.count_or(2, "mamba_expand") * shape["hidden_size"]
    return config.count_or(0, "mamba_d_head") or inner // config.count("mamba_n_heads")


def _granite(config: Keys, shape: Shape) -> None:
    """Add Granite 4's FFN: experts beside a shared one, or the shared one alone."""
    _mamba2(config, shape)
    experts(width=WHOLE_FFN, shared=shared_width)(config, shape)
    if "moe" not in shape:
        shape["ffn_size"] = config.count("shared_intermediate_size")


def _jamba(config: Keys, shape: Shape) -> None:
    """Add Jamba's Mamba layers and experts, each placed by period and offset."""
    layers, hidden = shape["layers"], shape["hidden_size"]
    attention = _on_beat(config, layers, "attn_layer", (8, 4))
    add_states(
        shape,
        layers - attention,
        "mamba",
        inner_size=config.count_or(2, "mamba_expand") * hidden,
        state_size=config.count_or(16, "mamba_d_state"),
        time_step_rank=_rank(config, hidden),
        conv_kernel=config.count_or(4, "mamba_d_conv"),
    )
    if config.count_or(16, "num_experts") > 1:
        shape["moe"] = {
            "experts": config.count("num_experts"),
            "experts_per_token": config.count("num_experts_per_tok"),
            "expert_ffn_size": shape["ffn_size"],
            "layers": _on_beat(config, layers, "expert_layer", (2, 1)),
        }


def _rank(config: Keys, hidden: int) -> int:
    """Return the rank of the time step; `auto` is a sixteenth of the width, rounded up."""
    if isinstance(config.raw("mamba_dt_rank", "time_step_rank"), str):
        return -(-hidden // 16)
    return config.count_or(-(-hidden // 16), "mamba_dt_rank", "time_step_rank")


def _on_beat(config: Keys, layers: int, name: str, default: tuple[int, int]) -> int:
    period = config.count_or(default[0], f"{name}_period") or 1
    offset = config.count_or(default[1], f"{name}_offset")
    return sum(index % period == offset for index in range(layers))


NEMOTRON_MARKS: Final = {
    "M": "M", "-": "-", "*": "*", "E": "E", "mamba": "M", "linear_attention": "M", "mlp": "-",
    "attention": "*", "full_attention": "*", "moe": "E",
}  # fmt: skip


def _nemotron_h(config: Keys, shape: Shape) -> None:
    """Add Nemotron-H's pattern: each block is Mamba-2, attention, an FFN or experts alone."""
    pattern = config.raw("hybrid_override_pattern") or config.texts("layers_block_type")
    marks = Counter(map(NEMOTRON_MARKS.get, pattern if isinstance(pattern, str | tuple) else ()))
    shape["layers"] = marks.total() or config.layers(*LAYERS)
    keys = ("mamba_num_heads", "mamba_head_dim", "ssm_state_size")
    _add_mamba2(config, shape, marks["M"], keys)
    ffn_layers = marks["-"] + marks["E"]
    shape |= {"ffn_only_layers": ffn_layers, "ffn_layers": ffn_layers or None}
    if not marks["-"]:
        shape["ffn_size"] = 0
    if marks["E"]:
        shape["moe"] = _nemotron_experts(config, marks["E"])


def _nemotron_experts(config: Keys, layers: int) -> Shape:
    return {
        "experts": config.count("n_routed_experts"),
        "experts_per_token": config.count("num_experts_per_tok"),
        "expert_ffn_size": config.count("moe_intermediate_size"),
        "layers": layers,
        "shared_ffn_size": config.count_or(0, "moe_shared_expert_intermediate_size")
        * config.count_or(1, "n_shared_experts"),
        "router_bias": True,
        "expert_input_size": config.count_or(0, "moe_latent_size") or None,
    }


def _nemotron_base(config: Keys, shape: Shape) -> None:
    """Read the widths; the layers stand in the pattern alone."""
    plain_decoder(config.over({"num_hidden_layers": 1}), shape)


def _lfm2(config: Keys, shape: Shape) -> None:
    """Add LFM2's short convolutions and its FFN width, rounded as `Lfm2MLP` does."""
    listed = config.texts("layer_types")
    attention = len(config.counts("full_attn_idxs")) or listed.count("full_attention")
    add_states(
        shape,
        shape["layers"] - attention,
        "short_convolution",
        conv_kernel=config.count_or(3, "conv_L_cache"),
    )
    if config.has("block_ff_dim"):
        shape["ffn_size"] = config.count("block_ff_dim")
    if config.flag("block_auto_adjust_ff_dim"):
        multiple = config.count_or(256, "block_multiple_of") or 1
        shape["ffn_size"] = -(-(2 * shape["ffn_size"] // 3) // multiple) * multiple


def _lightning(config: Keys, shape: Shape) -> None:
    """Add MiniMax-Text-01's lightning attention: marked 0 in `attn_type_list`."""
    marks = config.counts("attn_type_list")
    layers = marks.count(0) if marks else _stateful_layers(config, shape)
    add_states(shape, layers, "lightning", heads=shape["heads"], head_dim=shape["head_dim"])


def _kimi_linear(config: Keys, shape: Shape) -> None:
    """Add Kimi Delta Attention where `linear_attn_config` lists it."""
    linear = config.part("linear_attn_config") or Keys({})
    layers = len(linear.counts("kda_layers")) or _stateful_layers(config, shape)
    add_states(
        shape,
        layers,
        "kimi_delta",
        heads=linear.count_or(0, "num_heads") or config.count("linear_num_heads"),
        head_dim=linear.count_or(0, "head_dim") or config.count("linear_head_dim"),
        conv_kernel=linear.count_or(4, "short_conv_kernel_size"),
    )


def _state_only(config: Keys, shape: Shape) -> None:
    """Read the widths of a model without attention and without FFN (Mamba)."""
    shape |= {
        "layers": config.layers(*LAYERS),
        "hidden_size": config.count(*HIDDEN),
        "heads": config.count_or(1, *HEADS),
        "kv_heads": 1,
        "head_dim": 1,
        "ffn_size": 0,
        "vocabulary_size": config.count(*VOCABULARY),
        "attention": "mha",
        "norms_per_layer": 1,
    }


def _mamba_alone(config: Keys, shape: Shape) -> None:
    """Add Mamba layers; a plain one has no norms inside (`MambaMixer`)."""
    hidden = shape["hidden_size"]
    inner = config.count_or(0, "intermediate_size") or config.count_or(2, "expand") * hidden
    add_states(
        shape,
        shape["layers"],
        "mamba",
        inner_size=inner,
        state_size=config.count("state_size"),
        time_step_rank=_rank(config, hidden),
        conv_kernel=config.count_or(4, "conv_kernel"),
    )


def _mamba2_alone(config: Keys, shape: Shape) -> None:
    _add_mamba2(config, shape, shape["layers"], ("num_heads", "head_dim", "state_size"))


def _add_mamba2(config: Keys, shape: Shape, layers: int, keys: tuple[str, str, str]) -> None:
    """Add Mamba-2 layers; `keys` give the heads, the width of each, and the size of its state."""
    heads, head_dim, state_size = map(config.count, keys)
    add_states(
        shape,
        layers,
        "mamba2",
        heads=heads,
        head_dim=head_dim,
        state_size=state_size,
        groups=config.count_or(1, "n_groups"),
        conv_kernel=config.count_or(4, "conv_kernel"),
    )


QWEN_HYBRID: Final = (flags(qkv_bias="attention_bias"), head_norms, _gated_delta_net)
QWEN_EXPERTS: Final = experts(shared=shared_width, shared_gate=True)
NEMOTRON_H: Final = Family(
    (_nemotron_h,), {"norms_per_layer": 1, "gated_ffn": False}, base=_nemotron_base
)
MINIMAX: Final = Family((experts(width=WHOLE_FFN), _lightning))

HYBRIDS: Final[dict[str, Family]] = {
    "bamba": Family((biased_attention, _mamba2)),
    "falcon_mamba": Family((_mamba_alone,), base=_state_only, tied=True),
    "granitemoehybrid": Family((biased_attention, _granite)),
    "jamba": Family((_jamba,)),
    "kimi_linear": Family(
        (latent_attention, _kimi_linear, experts(shared=shared_experts, router_bias=True)),
        # Its latent attention heads have a key of their own.
        defaults={"head_dim": 0},
    ),
    "lfm2": Family((head_norms, _lfm2), tied=True),
    "lfm2_moe": Family((head_norms, _lfm2, experts(router_bias=True)), tied=True),
    "mamba": Family((_mamba_alone,), base=_state_only, tied=True),
    "mamba2": Family((_mamba2_alone,), base=_state_only),
    "minimax": MINIMAX,
    "minimax_m1": MINIMAX,
    "minimax_text_01": MINIMAX,
    "nemotron_h": NEMOTRON_H,
    "qwen3_5_moe_text": Family((*QWEN_HYBRID, QWEN_EXPERTS)),
    "qwen3_5_text": Family(QWEN_HYBRID),
    "qwen3_next": Family((*QWEN_HYBRID, QWEN_EXPERTS)),
}
"""Families by `model_type`, as `modeling_<model_type>.py` of transformers builds them."""
