"""Model types with one dense FFN in each layer."""

from __future__ import annotations

from typing import Final

from bot.sources.family import Family
from bot.sources.keys import Keys
from bot.sources.shape import (
    Shape,
    add_windows,
    attention_kind,
    biased_attention,
    flags,
    head_norms,
    head_norms_if,
    wide_norms,
    wide_norms_if,
    windows,
    windows_beyond,
    windows_everywhere,
)

GPT_SHAPE: Final = {
    "gated_ffn": False, "norm_bias": True, "qkv_bias": True, "attention_output_bias": True,
    "ffn_bias": True,
}  # fmt: skip
"""Of the GPT-2 generation: biases everywhere, an FFN of two matrices."""

LLAMA_DEFAULTS: Final = {
    "hidden_size": 4096, "intermediate_size": 11_008, "num_hidden_layers": 32,
    "num_attention_heads": 32,
}  # fmt: skip
"""Widths of `LlamaConfig`, which the text part of LLaVA leaves out."""

MISTRAL_DEFAULTS: Final = {
    "hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32_000,
}  # fmt: skip
"""Widths of `MistralConfig`, which text parts leave out (Pixtral, LLaVA-NeXT)."""

GEMMA3_DEFAULTS: Final = {
    "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262_208,
    "max_position_embeddings": 131_072,
}  # fmt: skip
"""Widths of `Gemma3TextConfig`, which `gemma-3-4b-it` leaves out."""

OLD_CONTEXT: Final = {"max_position_embeddings": 2048}

llama_biases = flags(ffn_bias="mlp_bias")
query_biases = flags(qkv_bias="attention_bias")


def _halved_ffn(_config: Keys, shape: Shape) -> None:
    """Halve the width: Qwen's first files count gate and up projection together."""
    shape["ffn_size"] //= 2
    shape["qkv_bias"] = True


def _falcon(config: Keys, shape: Shape) -> None:
    """Add Falcon's head sharing, norms and biases (`FalconDecoderLayer`)."""
    new, heads = config.flag("new_decoder_architecture"), shape["heads"]
    if not new:
        shape["kv_heads"] = 1 if config.flag("multi_query", default=True) else heads
    shape["attention"] = attention_kind(heads, shape["kv_heads"])
    norms = config.count_or(2 if new else 1, "num_ln_in_parallel_attn")
    shape["norms_per_layer"] = norms if config.flag("parallel_attn", default=True) else 2
    names = ("qkv_bias", "attention_output_bias", "ffn_bias")
    shape |= dict.fromkeys(names, config.flag("bias"))


def _mpt(config: Keys, shape: Shape) -> None:
    """Add MPT's nested attention settings (`MptConfig`)."""
    attention = config.part("attn_config") or Keys({})
    shape["kv_heads"] = attention.count_or(shape["heads"], "kv_n_heads")
    shape["attention"] = attention_kind(shape["heads"], shape["kv_heads"])
    shape["ffn_size"] = shape["hidden_size"] * config.count_or(4, "expansion_ratio")
    names = ("qkv_bias", "attention_output_bias", "ffn_bias", "norm_bias")
    shape |= dict.fromkeys(names, not config.flag("no_bias", default=True))


def _one_kv_head(config: Keys, shape: Shape) -> None:
    """Add the one key-value head of `multi_query` (`GPTBigCodeConfig`)."""
    if config.flag("multi_query", default=True):
        shape |= {"kv_heads": 1, "attention": "mqa"}


def _learned_positions(config: Keys, shape: Shape) -> None:
    """Add the table of positions (`wpe`)."""
    shape["position_entries"] = config.count("n_positions", "max_position_embeddings")


def _opt(config: Keys, shape: Shape) -> None:
    """Add OPT's table of positions, two rows longer than its context."""
    shape["position_entries"] = config.count("max_position_embeddings") + 2
    shape["final_norm"] = config.flag("do_layer_norm_before", default=True)


def _gpt_neo(config: Keys, shape: Shape) -> None:
    """Add GPT-Neo's positions and its local layers, every second one."""
    _learned_positions(config, shape)
    add_windows(shape, shape["layers"] // 2, config.count_or(256, "window_size"))


def _chatglm(config: Keys, shape: Shape) -> None:
    """Add ChatGLM's groups of queries and its biases (`configuration_chatglm`)."""
    if not config.flag("multi_query_attention", default=True):
        shape |= {"kv_heads": shape["heads"], "attention": "mha"}
    shape["qkv_bias"] = config.flag("add_qkv_bias") or config.flag("add_bias_linear")


def _stablelm(config: Keys, shape: Shape) -> None:
    """Add the one norm of layers whose attention and FFN run side by side."""
    if config.flag("use_parallel_residual"):
        shape["norms_per_layer"] = 1


def _xielu(_config: Keys, shape: Shape) -> None:
    """Add the two learned numbers of Apertus' activation in each layer (`xIELU`)."""
    shape["given_parameters"] = {"other": 2 * shape["layers"]}


DENSE: Final[dict[str, Family]] = {
    "apertus": Family((biased_attention, head_norms, _xielu), {"gated_ffn": False}),
    "arcee": Family((biased_attention, llama_biases), {"gated_ffn": False}),
    "baichuan": Family(),
    "bloom": Family(
        shape={**GPT_SHAPE, "embedding_norm": True}, tied=True, defaults={"seq_length": 2048}
    ),
    "chatglm": Family((_chatglm,)),
    "codegen": Family(
        shape={
            "gated_ffn": False, "norm_bias": True, "norms_per_layer": 1, "ffn_bias": True,
            "head_bias": True,
        },
    ),
    "cohere": Family(
        (biased_attention, wide_norms_if("use_qk_norm")), {"norms_per_layer": 1}, tied=True
    ),
    "cohere2": Family((biased_attention, windows(4)), {"norms_per_layer": 1}, tied=True),
    "ernie4_5": Family(
        (flags(qkv_bias="use_bias", attention_output_bias="use_bias", ffn_bias="use_bias"),),
        tied=True,
    ),
    "exaone": Family(tied=True),
    "exaone4": Family((head_norms, windows(4))),
    "falcon": Family(
        (_falcon,), {"gated_ffn": False, "norm_bias": True}, tied=True, defaults=OLD_CONTEXT
    ),
    "gemma": Family((biased_attention,), tied=True, defaults={"head_dim": 256}),
    "gemma2": Family((biased_attention, windows(2)), {"norms_per_layer": 4}, tied=True),
    "gemma3_text": Family(
        (biased_attention, head_norms, windows(6)),
        {"norms_per_layer": 4},
        tied=True,
        nested=GEMMA3_DEFAULTS,
    ),
    "glm": Family((flags(qkv_bias="attention_bias", default=True),)),
    "glm4": Family((flags(qkv_bias="attention_bias", default=True),), {"norms_per_layer": 4}),
    "gpt2": Family((_learned_positions,), GPT_SHAPE, tied=True),
    "gpt_bigcode": Family((_learned_positions, _one_kv_head), GPT_SHAPE, tied=True),
    "gpt_neo": Family((_gpt_neo,), {**GPT_SHAPE, "qkv_bias": False}, tied=True),
    "gpt_neox": Family(
        (flags(qkv_bias="attention_bias", attention_output_bias="attention_bias", default=True),),
        {"gated_ffn": False, "norm_bias": True, "ffn_bias": True},
    ),
    "gptj": Family(
        shape={
            "gated_ffn": False, "norm_bias": True, "norms_per_layer": 1, "ffn_bias": True,
            "head_bias": True,
        },
    ),
    "granite": Family((biased_attention, llama_biases)),
    "helium": Family((biased_attention, llama_biases)),
    "hunyuan_v1_dense": Family((biased_attention, head_norms_if("use_qk_norm"))),
    "internlm": Family((flags(qkv_bias="bias", attention_output_bias="bias", default=True),)),
    "internlm2": Family((flags(qkv_bias="bias", attention_output_bias="bias"),)),
    "internlm3": Family(
        (flags(qkv_bias="qkv_bias", attention_output_bias="bias", ffn_bias="bias"),)
    ),
    "llama": Family((biased_attention, llama_biases), nested=LLAMA_DEFAULTS),
    "mimo": Family((windows_beyond,), {"qkv_bias": True}),
    "ministral": Family((windows_everywhere,)),
    "ministral3": Family((windows_everywhere,)),
    "mistral": Family((windows_everywhere,), nested=MISTRAL_DEFAULTS),
    "mpt": Family((_mpt,), {"gated_ffn": False}, tied=True),
    "nemotron": Family((biased_attention, llama_biases), {"gated_ffn": False, "norm_bias": True}),
    "olmo": Family((biased_attention,), {"norms_per_layer": 0, "final_norm": False}),
    "olmo2": Family((biased_attention, wide_norms)),
    "olmo3": Family((biased_attention, wide_norms, windows(4))),
    "opt": Family((_opt,), GPT_SHAPE, tied=True),
    "orion": Family(shape={"norm_bias": True}),
    "phi": Family(shape={**GPT_SHAPE, "norms_per_layer": 1, "head_bias": True}),
    "phi3": Family((windows_everywhere,)),
    "qwen": Family((_halved_ffn,)),
    "qwen2": Family((windows_beyond,), {"qkv_bias": True}),
    "qwen3": Family((query_biases, head_norms, windows_beyond), defaults={"head_dim": 128}),
    "seed_oss": Family(
        (flags(qkv_bias="attention_bias", default=True),
         flags(attention_output_bias="attention_out_bias", ffn_bias="mlp_bias")),
    ),
    "smollm3": Family((biased_attention, llama_biases, windows_beyond), tied=True),
    "stablelm": Family((flags(qkv_bias="use_qkv_bias"), _stablelm), {"norm_bias": True}),
    "starcoder2": Family(
        (
            flags(
                qkv_bias="use_bias", attention_output_bias="use_bias", ffn_bias="use_bias",
                default=True,
            ),
            windows_everywhere,
        ),
        {"gated_ffn": False, "norm_bias": True},
        tied=True,
    ),
}  # fmt: skip
"""Families by `model_type`, as `modeling_<model_type>.py` of transformers builds them."""
