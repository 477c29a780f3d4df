"""Kinds and families of models in a question about what fits."""

from __future__ import annotations

from bot.grammar.draft import Draft
from bot.grammar.goals import KIND_WORDS
from bot.grammar.lexicon import Lexicon
from bot.grammar.words import Words
from bot.names import misspelt


def take_kinds(draft: Draft, words: Words, lexicon: Lexicon) -> None:
    """Take the words that narrow the search: `vlm`, `moe`, `qwen`."""
    for key in words.keys:
        if kind := KIND_WORDS.get(key.removesuffix("s")) or KIND_WORDS.get(key):
            draft.kinds[kind] = None
    for left in draft.leftovers:
        if family := _family(left.key, lexicon):
            draft.families[family] = None
            if family != left.key:
                draft.correct(left.typed, family)
    draft.leftovers = [
        left
        for left in draft.leftovers
        if left.key not in KIND_WORDS
        and left.key.removesuffix("s") not in KIND_WORDS
        and not _family(left.key, lexicon)
    ]


def families_for_models(draft: Draft, lexicon: Lexicon) -> None:
    """Read `what qwen models fit 24gb` as the line of models, not as the model so called."""
    typed = [model.typed.lower() for model in draft.models]
    if typed and draft.gpus.resolved()[0] and all(name in lexicon.families for name in typed):
        draft.families |= dict.fromkeys(typed)
        draft.models.clear()


def _family(word: str, lexicon: Lexicon) -> str | None:
    """Return the line of models that a word names, a typo forgiven."""
    if word in lexicon.families:
        return word
    close = misspelt(word, lexicon.families) if word.isalpha() else ()
    return close[0] if len(close) == 1 else None
