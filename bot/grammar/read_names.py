"""Names: models, accelerators, number formats, engines and what to do with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot import numbers
from bot.grammar.atoms import NameParts, is_size, key_of, parts_of
from bot.grammar.draft import Draft, NamedModel
from bot.grammar.formats import (
    LOOKS_LIKE_PRECISION,
    PLAIN_WORDS,
    SplitName,
    split_precision,
    unknown_precision,
)
from bot.grammar.gpu_phrase import UNITS, is_counted
from bot.grammar.lexicon import Lexicon
from bot.grammar.models import LONGEST_SPAN
from bot.grammar.read_counts import nodes_before
from bot.grammar.vocabulary import OWNERS, STOP_WORDS
from bot.grammar.words import Words
from sizing.records import Attention
from sizing.request import Mode

ORGANISATION: Final = re.compile(r"^(?:hf:|ollama/)?(?:[\w.-]+/)*(?=[\w.-])|^hf:")
FULL_TRAINING: Final = re.compile(
    r"full[ -](?:fine[ -]?tun\w*|ft\b|sft\b|training"
    r"|param\w*(?![- ]offload)(?: fine[ -]?tun\w*| training)?)"
    r"|full(?= (?:fsdp|zero|deepspeed))"
    r"|(?:fine[ -]?tun\w+|ajuste fino|entrenamiento) complet[oa]"
)
FULL_ALONE: Final = re.compile(r"full(?= \S*=|$)")
"""The bare word, where no other follows that it could belong to: `llama-13b full ctx=4k`."""

TRAINING: Final = re.compile(
    r"(?:fine[ -]?tun\w+|ajuste fino|sft|pre-?train\w*|pre-?entren\w+|train(?:ing)?"
    r"|entrenar|entrenamiento|afinar)(?= |$)"
)
KV_NOUNS: Final = frozenset({"cache", "dtype", "precision", "caches"})
KV_FILLERS: Final = frozenset(
    {"a", "at", "en", "in", "de", "del", "of", "con", "with", "for", "para"}
)
KV: Final = frozenset({"kv", "kv-cache", "kvcache", "kv_cache"})
KV_GLUED: Final = re.compile(r"kv[-_]?(?:cache[-_]?)?(?P<after>\w+)|.+[-_]?kv(?:[-_]?cache)?")
KV_TAIL: Final = re.compile(r"[-_]?kv(?:[-_]?cache)?$")
AGREEING_ROLES: Final = frozenset({"chat", "instruct"})
NOT_ENGINES: Final = frozenset({"gguf", "hf", "pytorch"})
"""Names of engines that say a file format, a source or a library in a sentence."""


@dataclass(frozen=True)
class FoundModel:
    """A model that some words name."""

    model_id: str
    atoms: Sequence[str]
    """Parts of the name that tell models apart."""

    split: SplitName | None = None
    """The precision that the name ended in."""

    checkpoint: str | None = None
    """Repository of the published checkpoint that the name is."""


class NameRules:
    """Rules for names of the catalogue."""

    def __init__(self, lexicon: Lexicon, draft: Draft) -> None:
        self._lexicon = lexicon
        self._draft = draft
        self._parts: dict[str, NameParts] = {}
        self._heads: dict[str, SplitName | None] = {}

    def reference(self, words: Words, position: int) -> int:
        """Take a model outside the catalogue; a repository it knows stays a name."""
        reference = words.references.get(words.key(position))
        if reference is None:
            return 0
        name = reference.lower()
        if name.startswith("hf:") and "@" not in name and self._find([name]):
            words.replace(position, name)
            return 0
        self._draft.put("reference", reference, reference)
        return 1

    def engine(self, words: Words, position: int) -> int:
        """Take a serving engine."""
        if words.key(position) in NOT_ENGINES:
            return 0
        found = self._lexicon.engines.find_span(words.keys, position)
        if not found:
            return 0
        self._draft.engines.setdefault(found[0], words.phrase(position, found[1]))
        return found[1]

    def mode(self, words: Words, position: int) -> int:
        """Take what the GPUs shall do: inference, or a kind of training."""
        word = words.key(position)
        if word == "qlora":
            self._draft.modes.setdefault(Mode.QLORA, word)
            return 1
        if word == "lora":
            if words.key(position - 1) in OWNERS:
                self._draft.own_adapters = True
            else:
                self._draft.modes.setdefault(Mode.LORA, word)
            return 1
        text = " ".join(words.keys[position : position + 4])
        full = FULL_TRAINING.match(text)
        if not full and words.key(position - 1) not in STOP_WORDS:
            full = FULL_ALONE.match(text)
        if full:
            self._draft.modes.setdefault(Mode.FULL, full[0])
            return full[0].count(" ") + 1
        if training := TRAINING.match(text):
            self._draft.training = self._draft.training or training[0]
            return training[0].count(" ") + 1
        return 0

    def model(self, words: Words, position: int) -> int:
        """Take the longest name of a model, with the precision that its last word may carry."""
        first = words.key(position)
        if len(first) < 2 or first in STOP_WORDS or first in UNITS:
            return 0
        for length in range(min(LONGEST_SPAN, len(words) - position), 0, -1):
            if not self._may_end(words, position, length):
                continue
            span = words.keys[position : position + length]
            if found := self._find(span):
                return self._named(words, position, length, found=found)
        return 0

    def _may_end(self, words: Words, position: int, length: int) -> bool:
        """Refuse a name that would swallow what follows: `qwen 2 users`, `llama-13b rlhf=dpo`."""
        last = position + length - 1
        if length == 1:
            return True
        if "=" in words.key(last):
            return False
        word, before = words.key(last), words.key(last - 1)
        if is_counted(words.keys, last) or word in UNITS or word in {"a", "an", "o", "y"}:
            return False
        return not (word.isdigit() and before[-1:].isdigit())

    def _find(self, span: list[str]) -> FoundModel | None:
        if found := self._repository(span[0].removeprefix("hf:")):
            return found if len(span) == 1 else None
        plain = [self._plain(word) for word in span]
        if not all(plain) or not self._may_start(plain):
            return None
        parts = [self._cut(word) for word in plain]
        if model_id := self._lexicon.models.find(parts):
            return FoundModel(model_id, self._lexicon.models.telling(parts))
        heads = [self._head(word) for word in plain]
        splits = [head for head in heads if head]
        if not splits:
            return None
        bare = [head.head if head else word for head, word in zip(heads, plain, strict=True)]
        parts = [self._cut(word) for word in bare]
        if model_id := self._lexicon.models.find(parts):
            return FoundModel(model_id, self._lexicon.models.telling(parts), splits[-1])
        return None

    def _repository(self, name: str) -> FoundModel | None:
        """Return what a whole repository is: a model, or a checkpoint of one."""
        found = self._lexicon.models.by_repository.get(name)
        if found is None:
            return None
        split = SplitName(name, found.precision, found.precision) if found.precision else None
        named = parts_of(found.model_id).named
        return FoundModel(found.model_id, named, split, found.checkpoint)

    def _may_start(self, plain: list[str]) -> bool:
        first = self._cut(plain[0])
        if not first.atoms:
            return False
        following = self._cut(plain[1]).atoms[:1] if plain[1:] else ()
        starts = {key_of((*first.core, *following))[:2], key_of((*first.atoms, *following))[:2]}
        return is_size(first.atoms[0]) or bool(starts & self._lexicon.models.heads)

    def _plain(self, word: str) -> str:
        """Return a word without the organisation before it and the file type behind it."""
        if word.isalnum():
            return word
        return ORGANISATION.sub("", word).removesuffix(".gguf")

    def _cut(self, word: str) -> NameParts:
        if word not in self._parts:
            self._parts[word] = parts_of(word)
        return self._parts[word]

    def _head(self, word: str) -> SplitName | None:
        if word not in self._heads:
            self._heads[word] = split_precision(word, self._lexicon.precisions)
        return self._heads[word]

    def _named(self, words: Words, position: int, length: int, *, found: FoundModel) -> int:
        """Keep a model; the size right after its name must be its own."""
        model_id, split = found.model_id, found.split
        typed = words.phrase(position, length)
        after = position + length
        while words.key(after) in AGREEING_ROLES:
            after += 1
        size_word = words.key(after)
        size = numbers.parameters(size_word) if size_word[-1:] in "bt" else None
        says_size = any(is_size(atom) for word in typed.split() for atom in self._cut(word).atoms)
        atoms = {*found.atoms}
        if size and self._lexicon.models.agrees(model_id, size):
            atoms.add(size_word)
            after += 1
        elif size and not says_size:
            raise self._lexicon.models.unknown(f"{typed} {size_word}")
        precision = split.precision if split else None
        named = NamedModel(model_id, typed, precision, frozenset(atoms), found.checkpoint)
        self._draft.models.append(named)
        if split:
            self._draft.precisions.setdefault(split.precision, split.typed)
        return after - position

    def kv_precision(self, words: Words, position: int) -> int:
        """Take `kv fp8`, `fp8 kv cache`, `kv8`, and a length told of the KV cache."""
        word, following = words.key(position), words.key(position + 1)
        if following == "kv" and (found := self._kv_named(word)):
            self._draft.put("kv_precision", found, words.phrase(position, 2))
            return 2 + (words.key(position + 2) in KV_NOUNS)
        glued = KV_GLUED.fullmatch(word)
        if glued and (found := self._kv_named(word) or self._kv_named(glued["after"] or "")):
            self._draft.put("kv_precision", found, words.typed[position])
            return 1
        return self._after_kv(words, position) if word in KV else 0

    def _kv_named(self, word: str) -> str | None:
        """Return the KV precision of a word that is no bare number."""
        name = KV_TAIL.sub("", word)
        has_letters = any(map(str.isalpha, word))
        return self._lexicon.kv_precisions.find(name) if has_letters else None

    def _after_kv(self, words: Words, position: int) -> int:
        at = position + 1
        while words.key(at) in KV_NOUNS:
            at += 1
        bare = at - position
        while words.key(at) in KV_FILLERS:
            at += 1
        word = words.key(at)
        if found := self._kv_named(word):
            self._draft.put("kv_precision", found, words.phrase(position, at - position + 1))
            return at - position + 1
        tokens = numbers.quantity(word, numbers.TOKEN_SCALES)
        if tokens and tokens > 0 and not is_counted(words.keys, at):
            self._draft.put("context_tokens", round(tokens), words.typed[at])
            return at - position + 1
        return bare

    def gpu(self, words: Words, position: int) -> int:
        """Take accelerators; those of several servers are added up, those after `+` joined."""
        phrase = self._lexicon.gpu_reader.read(words.keys, position)
        if not phrase:
            return 0
        choice = self._draft.slices.taken(phrase.choice, words, position, phrase.length)
        if choice.count and (nodes := nodes_before(words, position, self._draft) or 1) > 1:
            choice = choice.model_copy(update={"count": choice.count * nodes})
        sets = self._draft.gpus
        joined = sets.joins(words, position)
        if joined:
            self._draft.forget(sets.end)
        sets.add(choice, end=position + phrase.length, joined=joined)
        return phrase.length

    def precision(self, words: Words, position: int) -> int:
        """Take a number format."""
        precisions = self._lexicon.precisions
        word = words.key(position).removesuffix(".gguf")
        beside = {words.key(position - 1), words.key(position + 1)}
        if word in PLAIN_WORDS and "precision" not in beside:
            return 0
        for length in range(min(4, len(words) - position), 0, -1):
            last = position + length - 1
            if length > 1 and (is_counted(words.keys, last) or words.key(last) in UNITS):
                continue
            name = "-".join((word, *words.keys[position + 1 : position + length]))
            if not name.isdigit() and (found := precisions.find(name)):
                self._draft.precisions.setdefault(found, name)
                return length
        if LOOKS_LIKE_PRECISION.fullmatch(word):
            raise unknown_precision(word, precisions)
        return 0

    def attention(self, words: Words, position: int) -> int:
        """Take the kind of attention of a model known by its size."""
        word = words.key(position)
        if word not in {"mha", "gqa", "mqa", "mla"}:
            return 0
        self._draft.put("attention", Attention(word), word)
        return 1
