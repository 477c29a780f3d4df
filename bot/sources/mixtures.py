"""Model types with experts, and those that keep a latent in place of keys and values."""

from __future__ import annotations

from typing import Final

from bot.sources.family import Family
from bot.sources.keys import Keys
from bot.sources.shape import (
    HEADS,
    Shape,
    add_windows,
    attention_kind,
    biased_attention,
    experts,
    flags,
    head_norms,
    head_norms_if,
    shared_experts,
    shared_width,
    wide_norms,
    windows,
    windows_beyond,
    windows_everywhere,
)

query_biases = flags(qkv_bias="attention_bias")
WHOLE_FFN: Final = ("intermediate_size",)
"""The key of an expert's width where all layers have experts."""


def latent_attention(config: Keys, shape: Shape) -> None:
    """Add the ranks of multi-head latent attention (`DeepseekV3Config`)."""
    rope, nope = config.count("qk_rope_head_dim"), config.count("qk_nope_head_dim")
    shape["attention"] = "mla"
    shape["kv_heads"] = config.count(*HEADS)
    shape["head_dim"] = rope + nope
    shape["mla"] = {
        "kv_lora_rank": config.count("kv_lora_rank"),
        "q_lora_rank": config.count_or(0, "q_lora_rank"),
        "rope_head_dim": rope,
        "nope_head_dim": nope,
        "value_head_dim": config.count("v_head_dim"),
    }


def _indexer(config: Keys, shape: Shape) -> None:
    """Add the index of sparse attention; GLM shares one over several layers."""
    kinds = config.texts("indexer_types")
    shape["indexer"] = {
        "layers": kinds.count("full") or shape["layers"],
        "heads": config.count("index_n_heads"),
        "head_dim": config.count("index_head_dim"),
    }


def _deepseek_experts(config: Keys, shape: Shape) -> None:
    """Add DeepSeek's experts; `noaux_tc` balances them by a bias of the router."""
    experts(shared=shared_experts)(config, shape)
    if config.text("topk_method") == "noaux_tc" and "moe" in shape:
        shape["moe"]["router_bias"] = True


def _dbrx(config: Keys, shape: Shape) -> None:
    """Add DBRX's nested settings of attention and experts (`DbrxConfig`)."""
    attention, ffn = config.part("attn_config") or Keys({}), config.part("ffn_config") or Keys({})
    shape["kv_heads"] = attention.count("kv_n_heads")
    shape["attention"] = attention_kind(shape["heads"], shape["kv_heads"])
    shape["ffn_size"] = 0
    shape["moe"] = {
        "experts": ffn.count("moe_num_experts"),
        "experts_per_token": ffn.count("moe_top_k"),
        "expert_ffn_size": ffn.count("ffn_hidden_size"),
        "layers": shape["layers"],
    }


def _hunyuan(config: Keys, shape: Shape) -> None:
    """Add Hunyuan's experts, whose numbers may stand in lists of an entry for each layer."""
    if config.count_or(1, "num_experts") < 2:
        return
    width = _first(config, shape["ffn_size"], "moe_intermediate_size")
    shape["moe"] = {
        "experts": config.count("num_experts"),
        "experts_per_token": _first(config, 1, "moe_topk"),
        "expert_ffn_size": width,
        "layers": shape["layers"],
        "shared_ffn_size": width * _first(config, 1, "num_shared_expert"),
    }
    shape["ffn_size"] = 0


def _first(config: Keys, default: int, name: str) -> int:
    """Return a number that may stand alone or in a list."""
    listed = config.counts(name)
    return listed[0] if listed else config.count_or(default, name)


def _llama4(config: Keys, shape: Shape) -> None:
    """Add Llama 4's chunks and its experts, in every layer or every second one."""
    layers, listed = shape["layers"], config.texts("layer_types")
    positions = config.counts("no_rope_layers")[:layers]
    interval = config.count_or(4, "no_rope_layer_interval") or 4
    chunked = listed.count("chunked_attention") or sum(map(bool, positions))
    add_windows(
        shape,
        chunked or layers - layers // interval,
        config.count_or(8192, "attention_chunk_size"),
        is_chunked=True,
    )
    step = config.count_or(1, "interleave_moe_layer_step") or 1
    ffn, count = shape["ffn_size"], len(config.counts("moe_layers")) or layers // step
    shape["ffn_size"] = 0 if count == layers else config.count("intermediate_size_mlp")
    shape["moe"] = {
        "experts": config.count("num_local_experts"),
        "experts_per_token": config.count("num_experts_per_tok"),
        "expert_ffn_size": ffn,
        "layers": count,
        "shared_ffn_size": ffn,
    }


def _two_kinds_of_windows(config: Keys, shape: Shape) -> None:
    """Add MiMo's sliding layers, which have key-value heads of their own."""
    count = sum(config.counts("hybrid_layer_pattern"))
    heads = config.count_or(shape["kv_heads"], "swa_num_key_value_heads")
    shape["value_head_dim"] = config.count_or(shape["head_dim"], "v_head_dim")
    more = {} if heads == shape["kv_heads"] else {"kv_heads": heads}
    add_windows(shape, count, config.count("sliding_window"), **more)


MIXTURES: Final[dict[str, Family]] = {
    "afmoe": Family(
        (head_norms, experts(shared=shared_experts, router_bias=True), windows(4)),
        {"norms_per_layer": 4, "output_gate": True},
    ),
    "axk1": Family((latent_attention, _deepseek_experts)),
    "dbrx": Family((_dbrx,)),
    "deepseek": Family((biased_attention, experts(shared=shared_experts))),
    "deepseek_v2": Family((latent_attention, _deepseek_experts)),
    "deepseek_v3": Family((latent_attention, _deepseek_experts), copies_ends=True),
    "deepseek_v32": Family((latent_attention, _deepseek_experts, _indexer), copies_ends=True),
    "dots1": Family(
        (biased_attention, head_norms, experts(shared=shared_experts, router_bias=True)),
    ),
    "ernie4_5_moe": Family((experts(shared=shared_experts, router_bias=True),), tied=True),
    "exaone_moe": Family(
        (head_norms, experts(shared=shared_experts, router_bias=True), windows(4))
    ),
    "flex_olmo": Family((wide_norms, experts(width=WHOLE_FFN))),
    "glm4_moe": Family(
        (
            query_biases,
            head_norms_if("use_qk_norm"),
            experts(shared=shared_experts, router_bias=True),
        ),
        copies_ends=True,
    ),
    "glm4_moe_lite": Family(
        (latent_attention, experts(shared=shared_experts, router_bias=True)), copies_ends=True
    ),
    "glm_moe_dsa": Family(
        (latent_attention, experts(shared=shared_experts, router_bias=True), _indexer),
    ),
    "gpt_oss": Family(
        (
            flags(qkv_bias="attention_bias", attention_output_bias="attention_bias", default=True),
            experts(width=WHOLE_FFN, expert_bias=True, router_bias=True),
            windows(2),
        ),
        {"attention_sinks": True},
    ),
    "granitemoe": Family((biased_attention, experts(width=WHOLE_FFN))),
    "granitemoeshared": Family((biased_attention, experts(width=WHOLE_FFN, shared=shared_width))),
    "hunyuan": Family((biased_attention, head_norms_if("use_qk_norm"), _hunyuan)),
    "hunyuan_v1_moe": Family((biased_attention, head_norms_if("use_qk_norm"), _hunyuan)),
    "kimi_k2": Family((latent_attention, _deepseek_experts), copies_ends=True),
    "llama4_text": Family((biased_attention, _llama4)),
    "mimo_v2_flash": Family((experts(router_bias=True), _two_kinds_of_windows)),
    "minicpm3": Family((latent_attention,)),
    "minimax_m2": Family((wide_norms, experts(width=WHOLE_FFN, router_bias=True))),
    "mistral4": Family((latent_attention, experts(shared=shared_experts))),
    "mixtral": Family((experts(width=WHOLE_FFN), windows_everywhere)),
    "olmoe": Family((biased_attention, wide_norms, experts(width=WHOLE_FFN))),
    "phimoe": Family(
        (biased_attention, flags(head_bias="lm_head_bias"), experts(width=WHOLE_FFN)),
        {"norm_bias": True},
    ),
    "qwen2_moe": Family(
        (
            flags(qkv_bias="qkv_bias", default=True),
            experts(shared=shared_width, shared_gate=True),
            windows_beyond,
        ),
    ),
    "qwen3_moe": Family(
        (query_biases, head_norms, experts(), windows_beyond), defaults={"head_dim": 128}
    ),
}
"""Families by `model_type`, as `modeling_<model_type>.py` of transformers builds them."""
