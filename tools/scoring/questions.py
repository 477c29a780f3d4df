"""Real questions with published outcomes: how each figure of their answers stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tools.scoring.answers import Cards, Engine, Reply, read_lines
from tools.scoring.readers import READERS, Expected


class Outcome(StrEnum):
    """How one figure or case stands."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    NOT_COVERED = "not covered"


@dataclass(frozen=True)
class Figure:
    """One figure of a case: what was expected and what was answered."""

    key: str
    sub_case: str
    question: str
    expected: Expected
    answered: Any
    outcome: Outcome


@dataclass(frozen=True)
class Case:
    """One case with its figures and, where it is not covered, the reason."""

    id: str
    title: str
    questions: tuple[str, ...]
    figures: tuple[Figure, ...]
    refusals: tuple[str, ...]
    outcome: Outcome


def load_cases() -> list[dict[str, Any]]:
    """Return the cases as recorded, one JSON object a line."""
    return read_lines("questions.jsonl")


def score_case(case: Mapping[str, Any], engine: Engine) -> Case:
    """Return how the answers to one case compare with what really happened."""
    questions = tuple(case.get("bot_inputs") or [case["bot_input"]])
    answers = [engine.answer(question) for question in questions]
    figures = tuple(_figures(case, questions, engine))
    refusals = tuple(_refusal(each) for each in answers if _refusal(each))
    return Case(
        id=case["id"],
        title=case["title"],
        questions=questions,
        figures=figures,
        refusals=refusals,
        outcome=_outcome(case, answers, figures),
    )


def _refusal(each: Reply) -> str:
    if isinstance(each, str):
        return each
    if isinstance(each, Cards):
        return "facts of the cards alone"
    return "" if each.supported else "architecture not supported"


def _outcome(case: Mapping[str, Any], answers: list[Reply], figures: tuple[Figure, ...]) -> Outcome:
    outcomes = {figure.outcome for figure in figures}
    if Outcome.OUTSIDE in outcomes:
        return Outcome.OUTSIDE
    answered = any(not isinstance(each, str) for each in answers)
    known = Outcome.INSIDE in outcomes if case["check"] else not any(map(_refusal, answers))
    return Outcome.INSIDE if answered and known else Outcome.NOT_COVERED


def _figures(
    case: Mapping[str, Any], questions: tuple[str, ...], engine: Engine
) -> Iterator[Figure]:
    for key, expected in case["check"].items():
        asked = case.get("sub_cases", {}).get(key)
        if asked and set(asked) != {""}:
            for name, question in asked.items():
                yield _figure(key, name, question, expected[name], engine)
        else:
            question = asked[""] if asked else questions[0]
            yield _figure(key, "", question, expected, engine)


def _figure(key: str, sub_case: str, question: str, expected: Expected, engine: Engine) -> Figure:
    reader = READERS.get(key)
    answered = reader(question, expected, engine) if reader else None
    if answered is None:
        outcome = Outcome.NOT_COVERED
    else:
        outcome = Outcome.INSIDE if agrees(expected, answered) else Outcome.OUTSIDE
    return Figure(key, sub_case, question, expected, answered, outcome)


def agrees(expected: Expected, answered: Any) -> bool:
    """Return whether an answer agrees: equal within 1 %, inside a range, or one of the words."""
    if isinstance(expected, dict):
        return all(agrees(expected[key], answered[key]) for key in expected)
    if isinstance(expected, list):
        if isinstance(answered, list):
            return expected == answered
        if len(expected) == 2 and all(_is_number(bound) for bound in expected):
            low, high = expected
            return bool(low <= answered <= high)
        return any(agrees(each, answered) for each in expected)
    if isinstance(expected, bool) or isinstance(answered, bool):
        return expected is answered
    if _is_number(expected) and _is_number(answered):
        return bool(abs(answered - expected) <= 0.01 * abs(expected))
    return bool(expected == answered)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
