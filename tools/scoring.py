"""Score answers against the published outcomes of real cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.command import Ask, Grammar, IncompleteRequestError
from sizing.answer import Note, Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import SizingError
from sizing.request import GpuChoice, SizingRequest
from sizing.units import GIB

CASES = Path(__file__).parent.parent / "tests" / "accuracy" / "cases"

Expected = Any
"""A number (1 %), a range of two numbers, a truth value, a word, a list of accepted ones."""


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


def load_cases(path: Path = CASES / "questions.jsonl") -> list[dict[str, Any]]:
    """Return the cases as recorded, one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Cards:
    """Facts of the accelerators named in a question without a model."""

    gpus: tuple[str, ...]


Reply = SizingAnswer | Cards | str
"""An answer, facts of cards, or the code of the sentence given instead."""


class Engine:
    """Answers questions the way the product does, without words and without a log."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._grammar = Grammar(catalogue)

    def read(self, question: str) -> SizingRequest | None:
        """Return the question as understood; None where it is none about a model."""
        try:
            command = self._grammar.parse(question)
        except SizingError:
            return None
        return command.request if isinstance(command, Ask) else None

    def size(self, request: SizingRequest) -> SizingAnswer:
        """Return the answer to a request."""
        return size(request, self.catalogue)

    def answer(self, question: str) -> Reply:
        """Return what the product answers to a line of text."""
        try:
            command = self._grammar.parse(question)
            if not isinstance(command, Ask):
                return type(command).__name__.lower()
            return self.size(command.request)
        except IncompleteRequestError as error:
            named = tuple(choice.gpu for choice in error.partial.gpus if choice.gpu)
            return Cards(named) if named else "invalid_request: no_model"
        except SizingError as error:
            reason = error.values.get("reason") or error.values.get("what")
            return f"{error.code}: {reason}" if reason else error.code


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


# One reader for each key of a check: question, expected value, engine -> answer or None.

Reader = Callable[[str, Expected, Engine], Any]


def _of_answer(read: Callable[[SizingAnswer], Any]) -> Reader:
    def reader(question: str, _: Expected, engine: Engine) -> Any:
        found = engine.answer(question)
        return read(found) if isinstance(found, SizingAnswer) else None

    return reader


def _of_option(read: Callable[[Option], Any]) -> Reader:
    return _of_answer(lambda found: read(found.options[0]) if found.options else None)


def _gib(size_bytes: int | None) -> float | None:
    return None if size_bytes is None else size_bytes / GIB


def _verdict(question: str, expected: Expected, engine: Engine) -> Any:
    """Return the verdict in the words of the expectation: true, false or "tight"."""
    verdict = _of_option(lambda option: option.verdict)(question, expected, engine)
    if verdict is None:
        return None
    accepted = expected if isinstance(expected, list) else [expected]
    if verdict is Verdict.TIGHT and ("tight" in accepted or True not in accepted):
        return "tight"
    if "does_not_fit" in accepted:
        return verdict.value
    return verdict in (Verdict.FITS, Verdict.TIGHT)


def _runs(question: str, _: Expected, engine: Engine) -> Any:
    """Return whether the format runs there at all, whatever it stores or computes."""
    return _of_option(lambda option: option.verdict is not Verdict.UNSUPPORTED)(
        question, None, engine
    )


def _stores_only(question: str, _: Expected, engine: Engine) -> Any:
    return _of_option(
        lambda option: option.verdict is not Verdict.UNSUPPORTED and _has(option, "storage_only")
    )(question, None, engine)


def _computes(question: str, _: Expected, engine: Engine) -> Any:
    return _of_option(
        lambda option: (
            option.verdict is not Verdict.UNSUPPORTED and not _has(option, "storage_only")
        )
    )(question, None, engine)


def _has(option: Option, code: str) -> bool:
    return any(reason.code == code for reason in option.reasons)


def _degrees(good: Callable[[Option], bool]) -> Reader:
    """Return a reader that tries every listed tensor-parallel size and keeps the good ones."""

    def reader(question: str, expected: Expected, engine: Engine) -> Any:
        request = engine.read(question)
        if request is None:
            return None
        requests = ((degree, _split_over(request, degree)) for degree in expected)
        return [degree for degree, asked in requests if good(engine.size(asked).options[0])]

    return lambda question, expected, engine: _same_list(
        expected, reader(question, expected, engine)
    )


def _same_list(expected: list[int], answered: list[int] | None) -> Any:
    """Return the expectation itself where the lists are equal: two sizes are no range."""
    return expected if answered == expected else answered


def _split_over(request: SizingRequest, degree: int) -> SizingRequest:
    named = request.gpus or (GpuChoice(gpu="h100-sxm"),)
    gpus = tuple(choice.model_copy(update={"count": degree}) for choice in named)
    return request.model_copy(update={"tensor_parallel": degree, "gpus": gpus})


def _warned(question: str, expected: Expected, engine: Engine) -> Any:
    def read(found: SizingAnswer) -> Any:
        codes = {warning.code for warning in found.warnings}
        return expected if set(expected) <= codes else sorted(codes)

    return _of_answer(read)(question, expected, engine)


def _marked(code: str) -> Reader:
    return _of_answer(
        lambda found: next((option.gpus for option in found.options if _has(option, code)), None)
    )


def _parsed(question: str, expected: Expected, engine: Engine) -> Any:
    def read(found: SizingAnswer) -> Any:
        total = found.understood.parameters / 1e9
        active = found.understood.active_parameters / 1e9
        wanted = expected if isinstance(expected, dict) else {"total": expected}
        got = {"total": total, "active": active}
        close = all(abs(got[key] - value) <= 0.10 * value for key, value in wanted.items())
        return expected if close else got

    return _of_answer(read)(question, expected, engine)


def _split(question: str, expected: Expected, engine: Engine) -> Any:
    return _of_option(lambda option: f"TP={option.tensor_parallel} PP={option.pipeline_parallel}")(
        question, expected, engine
    )


def _noted(notes: Iterable[Note], code: str, value: str, words: str = "") -> Any:
    """Return a value of the note with that code, put into `words` where there are some."""
    found = next((note.values[value] for note in notes if note.code == code), None)
    return words.format(found) if words and found is not None else found


def _per_gpu(read: Callable[[Option], Any]) -> Reader:
    return _of_option(lambda option: read(option) if option.per_gpu else None)


READERS: dict[str, Reader] = {
    "weights_gib": _of_answer(lambda found: _gib(found.memory.weights_bytes)),
    "weights_gib_per_gpu": _per_gpu(lambda option: _gib(option.per_gpu.weights_bytes)),
    "kv_bytes_per_token": _of_answer(lambda found: found.memory.kv_bytes_per_token),
    "kv_bytes_per_token_per_gpu": _per_gpu(
        lambda option: option.per_gpu.kv_pool_bytes / option.kv_pool_tokens
    ),
    **dict.fromkeys(
        ("kv_gib", "kv_gib_8192", "kv_gib_32768", "kv_gib_131072", "kv_gib_80x10k"),
        _of_answer(lambda found: _gib(found.memory.kv_cache_bytes)),
    ),
    "kv_gib_per_replica": _per_gpu(
        lambda option: _gib(option.per_gpu.kv_pool_bytes * option.gpus // option.replicas)
    ),
    "kv_tokens": _of_option(lambda option: option.kv_pool_tokens),
    "total_gib": _of_answer(lambda found: _gib(found.memory.total_bytes)),
    "fits": _verdict,
    "verdict": _verdict,
    "gpus": _marked("smallest"),
    "recommend_gpus": _marked("recommended"),
    "recommend": _split,
    "tp_valid": _degrees(lambda option: option.verdict is not Verdict.UNSUPPORTED),
    "tp_invalid": _degrees(lambda option: option.verdict is Verdict.UNSUPPORTED),
    "tp_warn": _degrees(lambda option: bool(option.reasons)),
    "warn": _warned,
    "parse": _parsed,
    "usable_gib": _per_gpu(lambda option: _gib(option.per_gpu.usable_bytes)),
    "image_tokens_formula": _of_answer(
        lambda found: _noted(found.assumptions, "image_tokens", "pixels", "pixels/{}")
    ),
    "effective_pool_gb": _of_answer(
        lambda found: _noted(found.warnings, "mixed_gpus", "effective_gb")
    ),
    "lora_gib": _of_answer(lambda found: _gib(found.memory.adapter_bytes)),
    "min_fraction": _of_option(lambda option: option.minimum_memory_fraction),
    **dict.fromkeys(("bf16", "awq", "kv_fp8", "kv_fp8_on_A100", "vllm_supported"), _runs),
    **dict.fromkeys(("fp8_weight_only", "nvfp4_weight_only"), _stores_only),
    **dict.fromkeys(("fp8_native", "nvfp4_compute"), _computes),
}
"""Keys that a field answers; the others wait for what they ask about."""
