"""The shape of a model from the metadata and the tensor names of a GGUF file.

Keys and names are those of the `gguf` package; what is cached: ggml-org/llama.cpp
src/llama-kv-cache.cpp.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gguf import MODEL_ARCH, MODEL_ARCH_NAMES, MODEL_TENSOR, TENSOR_NAMES, Keys

from bot.errors import CodedError
from bot.sources.gguf_header import Value
from bot.sources.keys import LARGEST, MOST_LAYERS
from bot.sources.shape import Shape, attention_kind
from bot.sources.stored import layer_of

WINDOW_EVERY: Final = {
    MODEL_ARCH_NAMES[architecture]: layers
    for architecture, layers in {
        MODEL_ARCH.COHERE2: 4, MODEL_ARCH.EXAONE4: 4, MODEL_ARCH.GEMMA2: 2, MODEL_ARCH.GEMMA3: 6,
        MODEL_ARCH.GEMMA3N: 5, MODEL_ARCH.GPT_OSS: 2, MODEL_ARCH.LLAMA4: 4, MODEL_ARCH.OLMO2: 4,
    }.items()
}  # fmt: skip
"""Each n-th layer is full where the file gives a window without a pattern (`set_swa_pattern`)."""

CHUNKED: Final = {MODEL_ARCH_NAMES[MODEL_ARCH.LLAMA4]: 8192}
"""Architectures that attend in chunks of a length their files do not give."""

DELTA: Final = frozenset(
    MODEL_ARCH_NAMES[architecture]
    for architecture in (MODEL_ARCH.QWEN3NEXT, MODEL_ARCH.QWEN35, MODEL_ARCH.QWEN35MOE)
)
PLAIN_MAMBA: Final = frozenset(
    MODEL_ARCH_NAMES[architecture] for architecture in (MODEL_ARCH.MAMBA, MODEL_ARCH.JAMBA)
)
ENCODERS: Final = frozenset(
    MODEL_ARCH_NAMES[architecture]
    for architecture in (
        MODEL_ARCH.BERT, MODEL_ARCH.NOMIC_BERT, MODEL_ARCH.NOMIC_BERT_MOE, MODEL_ARCH.JINA_BERT_V2,
        MODEL_ARCH.MODERN_BERT, MODEL_ARCH.T5ENCODER, MODEL_ARCH.NEO_BERT, MODEL_ARCH.EUROBERT,
    )
)  # fmt: skip
TABLE: Final = f"{TENSOR_NAMES[MODEL_TENSOR.TOKEN_EMBD]}.weight"
HEAD: Final = f"{TENSOR_NAMES[MODEL_TENSOR.OUTPUT]}.weight"
STATE_MARKS: Final = ("ssm_", "shortconv", "linear_attn", "kda_")
EXPERT_MARKS: Final = ("ffn_up_exps", "ffn_gate_exps", "ffn_gate_up_exps", "ffn_up.0.")
ATTENTION_MARKS: Final = ("attn_q", "attn_qkv", "attn_k", "attn_kv")


@dataclass(frozen=True)
class Facts:
    """Metadata under the prefix of its architecture, and the tensors by layer."""

    values: Mapping[str, Value]
    shapes: Mapping[str, tuple[int, ...]]

    @property
    def name(self) -> str:
        """Return the architecture's name in llama.cpp."""
        name = self.values.get(Keys.General.ARCHITECTURE)
        if not isinstance(name, str) or not name:
            raise CodedError("gguf_incomplete", keys=Keys.General.ARCHITECTURE)
        return name[:80]

    def _own(self, key: str) -> str:
        """Return a key of `Keys` under this architecture's name."""
        return key.format(arch=self.name)

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return a number for each layer; one number stands for all. Empty without any."""
        value = self.values.get(self._own(key))
        listed = value if isinstance(value, tuple) else (value,) * (value is not None)
        whole = [int(one) for one in listed if isinstance(one, int) and 0 <= one <= LARGEST]
        if len(whole) < len(listed):
            raise CodedError("gguf_value", key=self._own(key), value=str(value)[:40])
        return tuple(whole)

    def number(self, key: str) -> int:
        """Return a number, the largest of a list; 0 without one."""
        return max(self.numbers(key), default=0)

    def needed(self, key: str) -> int:
        """Return a number; raise CodedError where it is missing."""
        value = self.number(key)
        if not value:
            raise CodedError("gguf_incomplete", keys=self._own(key))
        return value

    @property
    def layers(self) -> int:
        """Return the layers that compute: the last ones may predict further tokens."""
        count = self.needed(Keys.LLM.BLOCK_COUNT) - self.number(Keys.LLM.NEXTN_PREDICT_LAYERS)
        if not 0 < count <= MOST_LAYERS:
            raise CodedError("gguf_value", key=self._own(Keys.LLM.BLOCK_COUNT), value=str(count))
        return count

    def each_layer(self, key: str) -> tuple[int, ...]:
        """Return one number for each layer."""
        found = self.numbers(key)
        if len(found) >= self.layers:
            return found[: self.layers]
        return (found[0] if found else 0,) * self.layers

    @cached_property
    def parts(self) -> Mapping[int, frozenset[str]]:
        """Return the names of each layer's tensors, without prefix and suffix."""
        found: dict[int, set[str]] = {}
        for name in self.shapes:
            layer = layer_of(name)
            if layer is not None:
                found.setdefault(layer, set()).add(name.split(".", 2)[-1])
        return {layer: frozenset(names) for layer, names in found.items()}

    def has(self, layer: int, *marks: str) -> bool:
        """Return whether a layer has a tensor whose name starts with one of the marks."""
        return any(name.startswith(marks) for name in self.parts.get(layer, ()))


def architecture_of(facts: Facts) -> Shape:
    """Return the fields of the ArchitectureRecord."""
    heads = max(1, facts.number(Keys.Attention.HEAD_COUNT))
    hidden = facts.needed(Keys.LLM.EMBEDDING_LENGTH)
    shape: Shape = {
        "layers": facts.layers,
        "hidden_size": hidden,
        "heads": heads,
        "head_dim": facts.number(Keys.Attention.KEY_LENGTH) or max(1, hidden // heads),
        "ffn_size": facts.number(Keys.LLM.FEED_FORWARD_LENGTH),
        "vocabulary_size": _vocabulary(facts),
        "tied_embeddings": HEAD not in facts.shapes,
        "is_causal": facts.name not in ENCODERS,
    }
    value_head_dim = facts.number(Keys.Attention.VALUE_LENGTH)
    if value_head_dim not in {0, shape["head_dim"]}:
        shape["value_head_dim"] = value_head_dim
    _add_attention(facts, shape)
    _add_states(facts, shape)
    _add_experts(facts, shape)
    return shape


def _vocabulary(facts: Facts) -> int:
    table = facts.shapes.get(TABLE)
    return table[-1] if table else facts.needed(Keys.LLM.VOCAB_SIZE)


def _is_stateful(facts: Facts, layer: int) -> bool:
    return facts.has(layer, *STATE_MARKS)


def _attends(facts: Facts, layer: int) -> bool:
    return not _is_stateful(facts, layer) and facts.has(layer, *ATTENTION_MARKS)


def _add_attention(facts: Facts, shape: Shape) -> None:
    """Add the layers that attend, grouped by heads, windows and shared caches."""
    layers = range(facts.layers)
    kv_heads = facts.each_layer(Keys.Attention.HEAD_COUNT_KV)
    attending = [layer for layer in layers if _attends(facts, layer)]
    stateful = sum(_is_stateful(facts, layer) for layer in layers)
    shape["ffn_only_layers"] = facts.layers - len(attending) - stateful
    counts = Counter(kv_heads[layer] or shape["heads"] for layer in attending)
    shape["kv_heads"] = counts.most_common(1)[0][0] if counts else 1
    shape["attention"] = attention_kind(shape["heads"], shape["kv_heads"])
    if facts.number(Keys.Attention.KV_LORA_RANK) and facts.number(Keys.Attention.KEY_LENGTH_MLA):
        _add_latent(facts, shape)
        return
    kinds = Counter(
        _Kind(kv_heads[layer] or shape["heads"], _slides(facts, layer), _shares(facts, layer))
        for layer in attending
    )
    variants = [_variant(facts, shape, kind, count) for kind, count in kinds.items()]
    shape["attention_variants"] = [variant for variant in variants if len(variant) > 1]


@dataclass(frozen=True)
class _Kind:
    """What tells one attention layer from another."""

    kv_heads: int
    slides: bool
    shares: bool


def _slides(facts: Facts, layer: int) -> bool:
    """Return whether a layer looks back on a window (`llama_hparams::is_swa`)."""
    if facts.name not in CHUNKED and not facts.number(Keys.Attention.SLIDING_WINDOW):
        return False
    pattern = facts.numbers(Keys.Attention.SLIDING_WINDOW_PATTERN)
    if len(pattern) >= facts.layers:
        return bool(pattern[layer])
    every = pattern[0] if pattern and pattern[0] > 1 else WINDOW_EVERY.get(facts.name, 0)
    return bool(every) and (layer + 1) % every != 0


def _shares(facts: Facts, layer: int) -> bool:
    shared = facts.number(Keys.Attention.SHARED_KV_LAYERS)
    return layer >= facts.layers - shared


def _variant(facts: Facts, shape: Shape, kind: _Kind, count: int) -> Shape:
    variant: Shape = {"layers": count}
    if kind.kv_heads != shape["kv_heads"]:
        variant["kv_heads"] = kind.kv_heads
    if kind.slides:
        chunk = CHUNKED.get(facts.name)
        variant["window_tokens"] = chunk or facts.number(Keys.Attention.SLIDING_WINDOW)
        head_dim = facts.number(Keys.Attention.KEY_LENGTH_SWA)
        if head_dim not in {0, shape["head_dim"]}:
            variant["head_dim"] = head_dim
        if chunk:
            variant["is_chunked"] = True
    if kind.shares:
        variant["reads_earlier_cache"] = True
    return variant


def _add_latent(facts: Facts, shape: Shape) -> None:
    """Add latent attention; files without its keys keep whole keys and values instead."""
    rope, head = (
        facts.needed(Keys.Rope.DIMENSION_COUNT),
        facts.needed(Keys.Attention.KEY_LENGTH_MLA),
    )
    shape |= {"attention": "mla", "kv_heads": shape["heads"], "head_dim": head}
    shape.pop("value_head_dim", None)
    shape["mla"] = {
        "kv_lora_rank": facts.needed(Keys.Attention.KV_LORA_RANK),
        "q_lora_rank": facts.number(Keys.Attention.Q_LORA_RANK),
        "rope_head_dim": rope,
        "nope_head_dim": max(1, head - rope),
        "value_head_dim": facts.needed(Keys.Attention.VALUE_LENGTH_MLA),
    }
    index = facts.number(Keys.Attention.Indexer.KEY_LENGTH)
    if index:
        heads = facts.needed(Keys.Attention.Indexer.HEAD_COUNT)
        shape["indexer"] = {"layers": facts.layers, "heads": heads, "head_dim": index}


def _add_states(facts: Facts, shape: Shape) -> None:
    """Add the layers that keep a state, of the kind that the architecture has."""
    layers = sum(_is_stateful(facts, layer) for layer in range(facts.layers))
    if layers:
        shape["recurrent"] = [{"layers": layers, **_state(facts, shape)}]


def _state(facts: Facts, shape: Shape) -> Shape:
    kernel = {"conv_kernel": facts.number(Keys.SSM.CONV_KERNEL) or 4}
    if facts.number(Keys.ShortConv.L_CACHE):
        return {"kind": "short_convolution", "conv_kernel": facts.number(Keys.ShortConv.L_CACHE)}
    if facts.number(Keys.KDA.HEAD_DIM):
        head = facts.number(Keys.KDA.HEAD_DIM)
        return {"kind": "kimi_delta", "heads": shape["heads"], "head_dim": head, **kernel}
    inner, state = facts.needed(Keys.SSM.INNER_SIZE), facts.needed(Keys.SSM.STATE_SIZE)
    rank = facts.needed(Keys.SSM.TIME_STEP_RANK)
    if facts.name in DELTA:
        return {
            "kind": "gated_delta_net", "key_heads": facts.needed(Keys.SSM.GROUP_COUNT),
            "value_heads": rank, "key_head_dim": state, "value_head_dim": max(1, inner // rank),
            **kernel,
        }  # fmt: skip
    if facts.name in PLAIN_MAMBA:
        return {
            "kind": "mamba", "inner_size": inner, "state_size": state, "time_step_rank": rank,
            **kernel,
        }  # fmt: skip
    return {
        "kind": "mamba2", "heads": rank, "head_dim": max(1, inner // rank), "state_size": state,
        "groups": facts.number(Keys.SSM.GROUP_COUNT) or 1, **kernel,
    }  # fmt: skip


def _add_experts(facts: Facts, shape: Shape) -> None:
    """Add the experts, in the layers that have their tensors."""
    layers = sum(facts.has(layer, *EXPERT_MARKS) for layer in range(facts.layers))
    if facts.number(Keys.LLM.EXPERT_COUNT) and layers:
        width = facts.number(Keys.LLM.EXPERT_FEED_FORWARD_LENGTH) or facts.needed(
            Keys.LLM.FEED_FORWARD_LENGTH
        )
        shared = facts.number(Keys.LLM.EXPERT_SHARED_FEED_FORWARD_LENGTH)
        shape["moe"] = {
            "experts": facts.number(Keys.LLM.EXPERT_COUNT),
            "experts_per_token": max(1, facts.number(Keys.LLM.EXPERT_USED_COUNT)),
            "expert_ffn_size": width,
            "layers": layers,
            "shared_ffn_size": shared or width * facts.number(Keys.LLM.EXPERT_SHARED_COUNT),
        }
