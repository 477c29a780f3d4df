"""What the GPUs shall do, from all that was said: inference, or a kind of training."""

from __future__ import annotations

from bot.grammar.canonical_tuning import KEYS
from bot.grammar.draft import Draft
from bot.grammar.words import Words
from sizing.request import Mode
from sizing.tuning import PARTIAL_TUNERS, Method


def modes_of(draft: Draft, words: Words) -> tuple[Mode, ...]:
    """Return the modes named; what names models of a kind as well tells a method of training."""
    modes = _named(draft)
    if modes[0] is not Mode.INFER and "dpo" in words.keys:
        draft.take_left("dpo")
        draft.fields.setdefault("method", Method.DPO)
    return modes


def _named(draft: Draft) -> tuple[Mode, ...]:
    """Return the modes named; settings of a training run tell that there is one."""
    if draft.modes:
        return tuple(draft.modes)
    if tuner := draft.fields.get("tuner"):
        return (Mode.FULL if tuner in PARTIAL_TUNERS else Mode.LORA,)
    training = draft.training or next((KEYS[one] for one in draft.fields if one in KEYS), None)
    if draft.trains:
        return (draft.trains,)
    if training is None:
        return (Mode.INFER,)
    if not draft.take_left("full"):
        draft.correct(training, "mode=full")
    return (Mode.FULL,)
