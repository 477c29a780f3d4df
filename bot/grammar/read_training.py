"""Settings of a training run as people say them: `zero3`, `fsdp`, `8-bit Adam`."""

from __future__ import annotations

import re
from typing import Final

from bot.grammar.draft import Draft
from bot.grammar.words import Words
from sizing.request import Optimizer

SHARDING: Final = re.compile(
    r"(?:deepspeed )?zero[ -]?(?:stage[ -]?)?([0-3])(?= |$)|(?:fsdp2?)()(?= |$)"
)
CHECKPOINTING: Final = re.compile(
    r"(?:(sin|without|no) )?(?:gradient|activation)[ -]checkpointing(?= |$)"
)
ADAM: Final = re.compile(
    r"(?:paged )?(?:(8|16)[ -]?bits? adamw?|adamw?(?: (?:de|in))? ?[-_]?(8|16)[ -]?bits?)(?= |$)"
)
OPTIMIZERS: Final = {"8": Optimizer.ADAMW_8BIT, "16": Optimizer.ADAMW_16BIT}
LONGEST: Final = 5
"""Words of the longest setting."""


def training_setting(words: Words, position: int, *, draft: Draft) -> int:
    """Take one setting of a training run; return how many words it took."""
    text = " ".join(words.keys[position : position + LONGEST])
    if found := SHARDING.match(text):
        draft.put("zero_stage", int(found[1] or 3), found[0])
    elif found := CHECKPOINTING.match(text):
        draft.put("checkpointing", found[1] is None, found[0])
    elif found := ADAM.match(text):
        draft.put("optimizer", OPTIMIZERS[found[1] or found[2]], found[0])
    else:
        return 0
    return found[0].count(" ") + 1
