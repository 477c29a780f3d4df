"""Walk over the words once; at each place the first rule that fits takes its words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from bot.grammar.draft import Draft, Leftover
from bot.grammar.goals import take_goal
from bot.grammar.gpu_phrase import UNITS
from bot.grammar.gpu_sets import split_joined
from bot.grammar.lexicon import Lexicon
from bot.grammar.machines import split_pods
from bot.grammar.read_counts import DOLLARS, CountRules
from bot.grammar.read_host_cache import host_cache, settle_offload
from bot.grammar.read_names import NameRules
from bot.grammar.read_options import OptionRules
from bot.grammar.read_pictures import PictureRules
from bot.grammar.read_training import TrainingRules
from bot.grammar.tender import TENDERS
from bot.grammar.tuning_words import says_training
from bot.grammar.vocabulary import STOP_WORDS
from bot.grammar.words import Words
from sizing.request import SizingRequest

Rule = Callable[[Words, int], int]

LONE_MARKS: Final = frozenset({"+", "x", "/", "-", "&", "*", "=", "@", "#"})
"""Marks that stand for nothing when alone."""

TENDER_WORDS: Final = frozenset(word for phrase in TENDERS for word in phrase.split())
"""Words about a purchase as a procedure."""

QUIET: Final = STOP_WORDS | UNITS | LONE_MARKS | DOLLARS | TENDER_WORDS
"""Words that nobody needs to be told were ignored."""


def scan(words: Words, lexicon: Lexicon, base: SizingRequest | None = None) -> Draft:
    """Return all that the words say, of a question of their own or as changes to `base`.

    Raises SizingError for a name that the catalogue lacks and for a value out of its range.
    """
    draft = Draft(base=base)
    quiet = QUIET | lexicon.options.parts
    options = OptionRules(lexicon, draft)
    counts = CountRules(lexicon.options, draft)
    names = NameRules(lexicon, draft)
    pictures = PictureRules(draft)
    training = TrainingRules(lexicon, draft)
    rules: tuple[Rule, ...] = (
        names.reference, options.keyed, pictures.sized, training.setting,
        names.engine, counts.counted, options.in_sentence, partial(host_cache, draft=draft),
        names.mode, names.model, names.kv_precision, names.gpu, counts.devices, names.precision,
        counts.amount, names.attention, options.flag,
    )  # fmt: skip
    draft.goal = take_goal(words)
    split_pods(words)
    settle_offload(words)
    split_joined(words, lexicon.gpu_reader)
    options.prepare(words)
    draft.is_about_training = says_training(words) or draft.trains is not None
    position = 0
    while position < len(words):
        taken = next((used for rule in rules if (used := rule(words, position))), 0)
        if not taken:
            _leave(words, position, draft, quiet)
        position += taken or 1
    return draft


def _leave(words: Words, position: int, draft: Draft, quiet: frozenset[str]) -> None:
    key = words.keys[position]
    if key and key not in quiet:
        draft.leftovers.append(Leftover(words.typed[position], key, position))
