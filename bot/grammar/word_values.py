"""Values that are words: `precision=int8`, `engine=vllm`, `gpu=4xH100`, `lang=es`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final

from bot import numbers
from bot.grammar.draft import Draft
from bot.grammar.formats import specific, unknown_engine, unknown_precision
from bot.grammar.goals import GOAL_WORDS, KIND_WORDS, KINDS
from bot.grammar.gpu_phrase import MEMORY
from bot.grammar.lexicon import Lexicon
from bot.grammar.options import FLAGS
from bot.grammar.read_pictures import put_picture
from bot.grammar.tuning_values import SWITCHED, TuningValues
from bot.grammar.tuning_words import IN_TRAINING_ONLY, MODULE, SWITCHES
from bot.grammar.words import Words
from bot.names import nearest
from sizing.errors import InvalidRequestError
from sizing.records import Attention
from sizing.request import GpuChoice, Mode
from sizing.speculation import SpecMethod
from sizing.spending import Means

MODES: Final = {
    "infer": Mode.INFER, "inference": Mode.INFER, "inferencia": Mode.INFER, "serve": Mode.INFER,
    "lora": Mode.LORA, "qlora": Mode.QLORA, "full": Mode.FULL, "full-ft": Mode.FULL,
    "finetune": Mode.FULL, "completo": Mode.FULL, "train": Mode.FULL,
}  # fmt: skip
"""What the GPUs shall do, as people say it."""

SPEC_METHODS: Final = {
    "eagle3": SpecMethod.EAGLE3, "eagle-3": SpecMethod.EAGLE3, "eagle": SpecMethod.EAGLE3,
    "mtp": SpecMethod.MTP, "nextn": SpecMethod.MTP, "draft": SpecMethod.DRAFT,
    "draft-model": SpecMethod.DRAFT, "borrador": SpecMethod.DRAFT,
}  # fmt: skip
"""What drafts tokens, as people and engines say it."""

LANGUAGES: Final = {
    "en": "en", "english": "en", "ingles": "en",
    "es": "es", "espanol": "es", "spanish": "es", "castellano": "es",
}  # fmt: skip
"""Languages of answers, as people say them."""

AS_PUBLISHED: Final = frozenset(
    {"auto", "native", "nativa", "nativo", "none", "original", "default"}
)
"""Precisions that mean the published one."""

IN_HOST: Final = frozenset(
    {"host", "cpu", "ram", "offload", "offloaded", "host-memory", "cpu-memory"}
)
"""Where KV cache lies in the memory of the host."""

OFFLOADED: Final = frozenset({"kv", "kv-cache", "kvcache", "cache"})
"""What is kept in host memory where it is asked for."""

MODULE_LISTS: Final = frozenset({"targets", "trained-modules"})
"""Kinds of options whose value may be a list of modules."""

ANY: Final = frozenset({"any", "all", "cualquiera", "todas", "todos", ""})
"""Accelerators that mean no wish."""


class WordValues:
    """Reads values that are words, by the kind of option."""

    def __init__(self, lexicon: Lexicon, draft: Draft) -> None:
        self._lexicon = lexicon
        self._draft = draft
        self._by_kind: dict[str, Callable[[str], None]] = {
            "precision": self._precision, "kv": self._kv_precision, "engine": self._engine,
            "mode": self._mode, "language": self._language, "attention": self._attention,
            "goal": self._goal, "kind": self._kind, "family": self._family,
            "memory": self._memory, "pool": self._pool, "purchase": self._means,
            "picture": self._picture, "cache": self._cache, "spec": self._spec,
            **TuningValues(lexicon, draft).by_kind,
        }  # fmt: skip

    def take(self, kind: str, value: str, words: Words, position: int) -> int:
        """Keep the value of one kind of option; return how many words from `position` it took."""
        if kind == "model":
            self._draft.expected_model = position
            words.replace(position, value)
            return 0
        if kind == "gpu":
            words.replace(position, value)
            return self._gpu(words, position)
        if kind == "offload" and value in OFFLOADED:
            self._draft.fields["kv_in_host"] = True
            return 1
        if kind in IN_TRAINING_ONLY and not self._draft.is_about_training:
            return self._not_of_engines(kind, value, words.typed[position])
        if kind in SWITCHED and words.key(position) == value and value not in SWITCHES:
            self._by_kind[kind]("on")
            return 0
        if kind in MODULE_LISTS:
            more = list(takewhile(MODULE.fullmatch, words.keys[position + 1 :]))
            self._by_kind[kind](",".join((value, *more)))
            return 1 + len(more)
        self._by_kind[kind](value)
        return 1

    def _not_of_engines(self, kind: str, value: str, typed: str) -> int:
        """Leave a setting out that says something else of an engine than of a training run."""
        if kind == "offload" and "=" in typed:
            raise InvalidRequestError(reason="bad_value", word=value, suggestions=("offload=kv",))
        self._draft.ignore(typed.lstrip("-"))
        return int("=" in typed or value in SWITCHES)

    def names_something(self, word: str) -> bool:
        """Return whether a word is a precision, an engine or an accelerator."""
        lexicon = self._lexicon
        return bool(
            lexicon.precisions.find(word) or lexicon.engines.find(word) or lexicon.gpus.lookup(word)
        )

    def _precision(self, value: str) -> None:
        precisions = self._lexicon.precisions
        found = precisions.find(value) or specific(value.split("-"), precisions)
        if found:
            self._draft.precisions.setdefault(found, value)
        elif value not in AS_PUBLISHED:
            raise unknown_precision(value, precisions)
        else:
            self._draft.cleared |= {"precision", "checkpoint"}

    def _kv_precision(self, value: str) -> None:
        """Read a number format, or the place of the cache."""
        if value in IN_HOST:
            self._draft.fields["kv_in_host"] = True
            return
        found = self._lexicon.kv_precisions.find(value)
        if not found:
            raise unknown_precision(value, self._lexicon.kv_precisions)
        self._draft.put("kv_precision", found, value)

    def _cache(self, value: str) -> None:
        """Read a kind of cache of Transformers: of its kinds one alone leaves the GPU."""
        if value.startswith("offloaded"):
            self._draft.fields["kv_in_host"] = True
        else:
            self._draft.ignore(f"cache-implementation={value}")

    def _engine(self, value: str) -> None:
        found = self._lexicon.engines.find(value)
        if not found:
            raise unknown_engine(value, self._lexicon.engines)
        self._draft.engines.setdefault(found, value)

    def _mode(self, value: str) -> None:
        if value not in MODES:
            raise InvalidRequestError(
                reason="bad_value", word=value, suggestions=tuple(mode.value for mode in Mode)
            )
        self._draft.modes.setdefault(MODES[value], value)

    def _language(self, value: str) -> None:
        language = LANGUAGES.get(value[:2] if value[2:3] == "-" else value)
        if not language:
            raise InvalidRequestError(reason="bad_value", word=value, suggestions=("en", "es"))
        self._draft.language = language

    def _attention(self, value: str) -> None:
        if value not in set(Attention):
            raise InvalidRequestError(
                reason="bad_value", word=value, suggestions=tuple(kind.value for kind in Attention)
            )
        self._draft.put("attention", Attention(value), value)

    def _means(self, value: str) -> None:
        found = FLAGS.get(value)
        if found not in set(Means):
            raise InvalidRequestError(reason="bad_value", word=value, suggestions=tuple(Means))
        self._draft.means[Means(found)] = None

    def _spec(self, value: str) -> None:
        method = SPEC_METHODS.get(value)
        if method is None:
            named = tuple(f"spec={each.value}" for each in SpecMethod)
            raise InvalidRequestError(reason="bad_value", word=f"spec={value}", suggestions=named)
        self._draft.put("spec", method, value)

    def _goal(self, value: str) -> None:
        if value not in GOAL_WORDS:
            raise InvalidRequestError(
                reason="bad_value", word=f"max={value}", suggestions=("max=ctx", "max=users")
            )
        self._draft.goal = GOAL_WORDS[value]

    def _kind(self, value: str) -> None:
        for name in value.split("/"):
            if name not in KIND_WORDS:
                kinds = tuple(kind.value for kind in KINDS)
                raise InvalidRequestError(reason="bad_value", word=name, suggestions=kinds)
            self._draft.kinds[KIND_WORDS[name]] = None

    def _family(self, value: str) -> None:
        for name in value.split("/"):
            known = self._lexicon.families
            if name not in known:
                near = nearest(name, known)
                raise InvalidRequestError(reason="bad_value", word=name, suggestions=near)
            self._draft.families[name] = None

    def _memory(self, value: str) -> None:
        size = numbers.quantity(value, numbers.GB_SCALES)
        if not size or size <= 0 or not (MEMORY.fullmatch(value) or value.isdigit()):
            raise InvalidRequestError(reason="bad_value", word=value)
        self._draft.gpus.add(GpuChoice(memory_gb=size))

    def _picture(self, value: str) -> None:
        put_picture(self._draft, value, value)

    def _pool(self, value: str) -> None:
        """Read the engine's cap on cached tokens as one request of that length."""
        tokens = numbers.quantity(value, numbers.TOKEN_SCALES)
        if not tokens or tokens <= 0:
            raise InvalidRequestError(reason="bad_value", word=value)
        self._draft.put("context_tokens", round(tokens), value)
        self._draft.correct(f"max-batch-total-tokens {value}", f"ctx={round(tokens)}")

    def _gpu(self, words: Words, position: int) -> int:
        value = words.key(position)
        if value in ANY:
            self._draft.cleared.add("gpus")
            return 1
        if value.isdigit() and not self._lexicon.gpus.lookup(value):
            self._draft.loose_count = int(value)
            return 1
        taken = 0
        sets = self._draft.gpus
        joined = sets.joins(words, position)
        for name in value.split("/"):
            words.replace(position, name)
            phrase = self._lexicon.gpu_reader.read(words.keys, position, forced=True)
            if not phrase:
                raise self._lexicon.gpus.unknown(name)
            taken, end = phrase.length, position + phrase.length
            choice = self._draft.slices.taken(phrase.choice, words, position, taken)
            sets.add(choice, end=end, joined=joined)
            joined = False
        return taken
