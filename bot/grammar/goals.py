"""What a question wants to know: a verdict, the longest context, the most users, or what fits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot import numbers
from bot.grammar.vocabulary import FILLERS, STOP_WORDS
from bot.grammar.words import Words
from bot.names import misspelt, word_set
from sizing.records import ModelKind
from sizing.request import Goal

_GAP: Final = r"(?: \S+){0,3}?"
_MOST: Final = r"max(?:im(?:um|o|a|os|as))?"
_LENGTH: Final = (
    r"(?:ctx|context|contexto|ventana|window|len|length|longitud|model len|seq len)"
    r"(?: (?:length|window|len|size|de contexto))?"
)
_PEOPLE: Final = (
    r"(?:(?:concurrent|simultaneous|parallel) )?(?:users?|usuarios?|requests?|peticiones|sessions?"
    r"|sesiones|solicitudes|clients?|clientes|personas|people|concurrency|concurrencia"
    r"|batch(?: size)?|lote|streams)(?: (?:concurrentes|simultane[oa]s))?"
)
_RUN: Final = r"(?:runs?|fits?|serves?|hosts?|holds?|loads?|deploy|use)"
_CORRER: Final = (
    r"(?:se )?(?:pued\w+|podemos|podria)"
    r" (?:correr|ejecutar|usar|cargar|meter|poner|servir|desplegar|alojar)"
)
_CABE: Final = r"(?:cabe|caben|entra|entran|corre|corren|funciona|funcionan|aguanta|soporta|sirve)"

PHRASES: Final = tuple(
    (goal, re.compile(rf"(?<!\S){phrase}(?!\S)"))
    for goal, phrase in (
        (Goal.MAX_CONTEXT, rf"(?:{_MOST}|longest)(?: de| possible)? {_LENGTH}"),
        (Goal.MAX_CONTEXT, rf"{_LENGTH}(?: mas)? (?:{_MOST}|larg[oa])"),
        (Goal.MAX_CONTEXT, rf"(?:how (?:long|much|large|big)(?: an?)?|cuant[oa]) {_LENGTH}"),
        (Goal.MAX_REQUESTS, rf"{_MOST}(?: number of| numero de| de)? {_PEOPLE}"),
        (Goal.MAX_REQUESTS, rf"{_PEOPLE} {_MOST}"),
        (Goal.MAX_REQUESTS, rf"(?:how many|cuant[oa]s) {_PEOPLE}"),
        (Goal.WHAT_FITS, rf"(?:what|which){_GAP} (?:{_RUN}|can{_GAP} {_RUN})"),
        (Goal.WHAT_FITS, rf"^(?:models?|llms?)(?: that| which)?(?: can)? {_RUN}"),
        (Goal.WHAT_FITS, r"^fits?|^cabe|^caben"),
        (Goal.WHAT_FITS, rf"(?:que|cuales){_GAP} (?:{_CABE}|{_CORRER})"),
        (Goal.WHAT_FITS, rf"^modelos? que (?:{_CABE}|{_CORRER})"),
        (Goal.WHAT_FITS, r"(?:best|largest|biggest|mejor|mayor) (?:models?|llms?|modelos?)"),
        (Goal.WHAT_FITS, r"(?:modelos?|llms?) mas grandes?"),
    )
)  # fmt: skip
"""What people say when they ask for something else than a verdict, most telling first."""

SPOKEN: Final = word_set("""
    batch biggest caben cabe carga cargar clientes clients concurrency concurrencia concurrent
    contexto context correr corren cuales cuantas cuantos deploy desplegar ejecutar entran entra
    fits funciona funcionan largest length longest longitud many maximo maximum mejor model models
    modelo modelos people personas peticiones puede puedo requests runs serve servir sessions
    sesiones simultaneous soporta usuarios users ventana what which window
    """)
"""Words of those phrases in which a typo is forgiven."""

CONSUMED: Final = SPOKEN | word_set("""
    max maxima maximos maximas ctx len seq size largo larga how much long large big cuanto cuanta
    user usuario request session client solicitudes lote streams parallel concurrentes simultaneas
    simultaneos number numero possible meter poner usar alojar aguanta corre best mayor llm llms
    """)
"""Words of those phrases that have no other meaning inside them."""

KINDS: Final = {
    ModelKind.VLM: "vlm vlms vision visual visuales multimodal multimodales multimodals",
    ModelKind.MOE: "moe moes mixture mezcla expertos experts sparse",
    ModelKind.LLM: "dense denso densos densa densas",
    ModelKind.HYBRID: "hybrid hybrids hibrido hibridos mamba",
}
"""Kinds of models as people call them."""

KIND_WORDS: Final = {
    word: kind for kind, words in KINDS.items() for word in (kind.value, *words.split())
}
"""Kind by each word for it, and by its own name."""

GOALS: Final = {
    Goal.MAX_CONTEXT: ("ctx", "context", "contexto", "len", "length"),
    Goal.MAX_REQUESTS: ("users", "usuarios", "requests", "peticiones", "batch", "concurrency"),
}
"""Values of `max=`."""

GOAL_WORDS: Final = {word: goal for goal, words in GOALS.items() for word in words}
"""Goal by each value of `max=`."""


@dataclass(frozen=True)
class SpokenGoal:
    """A goal and the words that say it."""

    goal: Goal
    start: int
    """Position of the first word."""

    length: int
    """Number of words."""


def spoken_goal(words: Words) -> SpokenGoal | None:
    """Return what a sentence asks for beside a verdict; None where it is nothing."""
    keys = [_meant(word) for word in words.keys]
    text = " ".join(keys)
    for goal, phrase in PHRASES:
        for found in phrase.finditer(text):
            start = text.count(" ", 0, found.start())
            length = found[0].count(" ") + 1
            if goal is Goal.WHAT_FITS or not _is_given(words, start + length, goal):
                return SpokenGoal(goal, start, length)
    return None


def take_goal(words: Words) -> Goal:
    """Return the goal of a question, and take up the words that say nothing else."""
    found = spoken_goal(words)
    if not found:
        return Goal.SIZE
    for position in range(found.start, found.start + found.length):
        if _meant(words.key(position)) in CONSUMED:
            words.replace(position, "")
    return found.goal


def _meant(word: str) -> str:
    """Return a word with a likely typo in it mended."""
    if word in STOP_WORDS or word in CONSUMED or not word.isalpha():
        return word
    close = misspelt(word, sorted(SPOKEN))
    return close[0] if len(close) == 1 else word


def _is_given(words: Words, position: int, goal: Goal) -> bool:
    """Return whether a number follows: `max context 32k` says it instead of asking for it."""
    while words.key(position) in FILLERS:
        position += 1
    scales = numbers.TOKEN_SCALES if goal is Goal.MAX_CONTEXT else numbers.COUNT_SCALES
    return numbers.quantity(words.key(position), scales) is not None
