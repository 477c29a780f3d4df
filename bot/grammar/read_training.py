"""Settings of a training run as people say them: `zero3`, `fsdp`, `8-bit Adam`, `cpu offload`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bot.grammar.draft import Draft
from bot.grammar.lexicon import Lexicon
from bot.grammar.tuning_values import TuningValues
from bot.grammar.tuning_words import (
    AS_LORA,
    METHOD_PHRASES,
    TUNER_WORDS,
    TUNERS,
)
from bot.grammar.words import Words
from sizing.request import Mode
from sizing.tuning import Optimizer

Setting = tuple[re.Pattern[str], Callable[[re.Match[str]], None]]
"""What a setting looks like, and what keeps it."""

END: Final = r"(?= |$)"
SHARDING: Final = re.compile(
    rf"(?:deepspeed )?zero[ -]?(?:stage[ -]?)?([0-3]){END}|(?:fsdp2?)(){END}"
)
CHECKPOINTING: Final = re.compile(
    rf"(?:(sin|without|no) )?(?:gradient|activation)[ -]checkpointing{END}"
)
ADAM: Final = re.compile(
    r"(paged )?(?:(8|16)[ -]?bits? adamw?|adamw?(?: (?:de|in))? ?[-_]?(8|16)[ -]?bits?)" + END
)
ADAMS: Final = {
    ("", "8"): Optimizer.ADAMW_8BIT,
    ("", "16"): Optimizer.ADAMW_16BIT,
    ("paged ", "8"): Optimizer.PAGED_ADAMW_8BIT,
    ("paged ", "16"): Optimizer.PAGED_ADAMW,
}
OPTIMIZER: Final = re.compile(
    rf"(?:q-)?galore(?:[ -](?:8-?bit|layerwise))?{END}|adafactor{END}|lomo{END}|muon{END}"
)
OFFLOAD: Final = re.compile(
    rf"(?:cpu|optimi[zs]er|optimizador)[ -]offload(?:ing)?{END}|zero[ -]offload{END}"
    rf"|offload(?:ing)?(?: (?:to|a|al))? (?:the )?(?:cpu|host){END}"
)
OFFLOAD_ALL: Final = re.compile(
    rf"(?:params?|parameters?|parametros|weights?)[ -]offload(?:ing)?{END}|zero[ -]infinity{END}"
)
OFFLOAD_ACTIVATIONS: Final = re.compile(rf"activations?[ -]offload(?:ing)?{END}")
COMPILED: Final = re.compile(rf"torch[. ]compile{END}|compilado{END}")
LIGER: Final = re.compile(rf"liger(?:[ -]kernel)?{END}|cut cross[ -]entropy{END}")
PLAIN_ATTENTION: Final = re.compile(rf"(?:sin|without|no) flash[ -]attention(?:[ -]?[23])?{END}")
FLASH_ATTENTION: Final = re.compile(rf"flash[ -]attention(?:[ -]?[23])?{END}")
IN_BACKWARD: Final = re.compile(
    rf"optimizer in (?:the )?backward(?: pass)?{END}|optimizer[ -]in[ -]bwd{END}"
    rf"|fused backward{END}"
)
PACKED: Final = re.compile(rf"(?:sequence |sample )?packing{END}|empaquetad[oa]{END}")
LAST_LAYERS: Final = re.compile(
    r"(?:last|ultimas) (\d{1,3}) (?:layers|capas)" + END + r"|freeze tuning()" + END
)
LONGEST: Final = 5
"""Words of the longest setting."""

FRAMEWORK_WORDS: Final = 2
"""Words of the longest name of a framework."""


class TrainingRules:
    """Rules for settings of a training run that need no key."""

    def __init__(self, lexicon: Lexicon, draft: Draft) -> None:
        self._lexicon = lexicon
        self._draft = draft
        self._values = TuningValues(lexicon, draft)
        self._settings: tuple[Setting, ...] = (
            (SHARDING, lambda found: self._put("zero_stage", int(found[1] or 3), found)),
            (CHECKPOINTING, lambda found: self._put("checkpointing", found[1] is None, found)),
            (ADAM, self._adam),
            (OPTIMIZER, lambda found: self._values.optimizer(found[0].replace(" ", "-"))),
            (LIGER, self._keyed("loss", "liger")),
            (IN_BACKWARD, self._keyed("in-backward", "on")),
            (LAST_LAYERS, self._last_layers),
        )
        self._in_training: tuple[Setting, ...] = (
            (OFFLOAD_ALL, self._keyed("offload", "all")),
            (OFFLOAD_ACTIVATIONS, self._keyed("offload", "activations")),
            (OFFLOAD, self._keyed("offload", "optimizer")),
            (COMPILED, self._keyed("compile", "on")),
            (PLAIN_ATTENTION, self._keyed("attention-kernel", "off")),
            (FLASH_ATTENTION, self._keyed("attention-kernel", "on")),
            (PACKED, self._keyed("packing", "on")),
        )

    def setting(self, words: Words, position: int) -> int:
        """Take one setting of a training run; return how many words it took."""
        text = " ".join(words.keys[position : position + LONGEST])
        settings = self._settings
        if self._draft.is_about_training:
            settings += self._in_training
        for pattern, put in settings:
            if found := pattern.match(text):
                put(found)
                return found[0].count(" ") + 1
        return (
            self._method(text)
            or self._tuner(words.key(position))
            or self._framework(words, position)
        )

    def _put(self, field: str, value: object, found: re.Match[str]) -> None:
        self._draft.put(field, value, found[0])

    def _keyed(self, kind: str, value: str) -> Callable[[re.Match[str]], None]:
        """Return what puts the value of an option that was said without its key."""
        return lambda _: self._values.by_kind[kind](value)

    def _adam(self, found: re.Match[str]) -> None:
        self._put("optimizer", ADAMS[found[1] or "", found[2] or found[3]], found)

    def _last_layers(self, found: re.Match[str]) -> None:
        self._put("tuner", TUNERS["freeze"], found)
        if found[1]:
            self._put("trained_layers", int(found[1]), found)

    def _method(self, text: str) -> int:
        for phrase, method in METHOD_PHRASES.items():
            if text == phrase or text.startswith(f"{phrase} "):
                self._draft.put("method", method, phrase)
                return phrase.count(" ") + 1
        return 0

    def _tuner(self, word: str) -> int:
        if word == "qdora":
            self._draft.modes.setdefault(Mode.QLORA, word)
            word = "dora"
        if word not in TUNER_WORDS | AS_LORA:
            return 0
        self._values.tuner(word)
        return 1

    def _framework(self, words: Words, position: int) -> int:
        """Take the name of training software; Transformers names an engine as well."""
        for length in range(FRAMEWORK_WORDS, 0, -1):
            found = self._lexicon.frameworks.find(
                "-".join(words.keys[position : position + length])
            )
            if found and found != "transformers":
                self._draft.put("framework", found, words.phrase(position, length))
                return length
        return 0
