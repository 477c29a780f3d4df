"""Model types with an encoder: BERT's line, T5 and Whisper."""

from __future__ import annotations

from typing import Final

from bot.sources.family import Family
from bot.sources.keys import Keys
from bot.sources.shape import HIDDEN, VOCABULARY, Shape

BERT_SHAPE: Final = {
    "gated_ffn": False, "norm_bias": True, "qkv_bias": True, "attention_output_bias": True,
    "ffn_bias": True, "embedding_norm": True, "final_norm": False, "is_causal": False,
}  # fmt: skip


def _bert(config: Keys, shape: Shape) -> None:
    """Add tables of positions and segments, and the pooler (`BertModel`)."""
    hidden = shape["hidden_size"]
    shape["position_entries"] = config.count("max_position_embeddings") + config.count_or(
        2, "type_vocab_size"
    )
    shape["given_parameters"] = {"head": hidden * hidden + hidden}


def _modern_bert(config: Keys, shape: Shape) -> None:
    """Count the norms: the first layer has one less (`ModernBertEncoderLayer`)."""
    vectors = 2 if config.flag("norm_bias") else 1
    norms = (2 * shape["layers"] + 1) * vectors * shape["hidden_size"]
    shape["given_parameters"] = {"norm": norms}


def _t5_base(config: Keys, shape: Shape) -> None:
    """Read the decoder's widths (`T5Config`)."""
    heads = config.count("num_heads")
    shape |= {
        "layers": config.layers("num_decoder_layers", "num_layers"),
        "hidden_size": config.count("d_model"),
        "heads": heads,
        "kv_heads": heads,
        "head_dim": config.count("d_kv"),
        "ffn_size": config.count("d_ff"),
        "vocabulary_size": config.count(*VOCABULARY),
        "attention": "mha",
        "gated_ffn": "gated" in config.text("feed_forward_proj"),
    }


def _t5(config: Keys, shape: Shape) -> None:
    """Add cross-attention to the prompt, and the encoder beside the decoder (`T5Stack`)."""
    encoder, decoder, hidden = config.layers("num_layers"), shape["layers"], shape["hidden_size"]
    attention = 4 * hidden * shape["heads"] * shape["head_dim"]
    ffn = (3 if shape["gated_ffn"] else 2) * hidden * shape["ffn_size"]
    buckets = config.count_or(32, "relative_attention_num_buckets")
    shape["cross_attention"] = {"layers": decoder}
    shape["given_parameters"] = {
        "attention": (encoder + 2 * decoder) * attention,
        "ffn": (encoder + decoder) * ffn,
        "norm": (2 * encoder + 3 * decoder + 2) * hidden,
        "other": 2 * buckets * shape["heads"],
    }


def _whisper_base(config: Keys, shape: Shape) -> None:
    """Read the decoder's widths (`WhisperConfig`)."""
    hidden, heads = config.count(*HIDDEN), config.count("decoder_attention_heads")
    shape |= {
        "layers": config.layers("decoder_layers"),
        "hidden_size": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_dim": max(1, hidden // heads),
        "ffn_size": config.count("decoder_ffn_dim"),
        "vocabulary_size": config.count(*VOCABULARY),
        "attention": "mha",
    }


def _whisper(config: Keys, shape: Shape) -> None:
    """Add cross-attention to 30 s of sound, and the encoder (`WhisperEncoder`).

    Keys lack a bias.
    """
    hidden, layers, ffn = shape["hidden_size"], shape["layers"], shape["ffn_size"]
    source = config.count_or(1500, "max_source_positions")
    encoder, width = config.layers("encoder_layers"), config.count("encoder_ffn_dim")
    mel = config.count_or(80, "num_mel_bins")
    attention = 4 * hidden * hidden + 3 * hidden
    block = attention + 2 * hidden * width + width + hidden + 4 * hidden
    front = 3 * mel * hidden + hidden + 3 * hidden * hidden + hidden + source * hidden
    shape["position_entries"] = config.count_or(448, "max_target_positions")
    shape["cross_attention"] = {"layers": layers, "source_tokens": source}
    shape["given_parameters"] = {
        "audio": front + encoder * block + 2 * hidden,
        "norm": (3 * layers + 1) * 2 * hidden,
        "other": layers * (6 * hidden + ffn + hidden),
    }


ENCODERS: Final[dict[str, Family]] = {
    "bert": Family((_bert,), BERT_SHAPE, tied=True),
    "camembert": Family((_bert,), BERT_SHAPE, tied=True),
    "modernbert": Family(
        (_modern_bert,),
        {"embedding_norm": True, "final_norm": True, "is_causal": False},
        tied=True,
    ),
    "roberta": Family((_bert,), BERT_SHAPE, tied=True),
    "t5": Family((_t5,), base=_t5_base, tied=True),
    "mt5": Family((_t5,), base=_t5_base, defaults={"feed_forward_proj": "gated-gelu"}),
    "whisper": Family((_whisper,), {"gated_ffn": False}, base=_whisper_base, tied=True),
    "xlm-roberta": Family((_bert,), BERT_SHAPE, tied=True),
}
"""Families by `model_type`."""
