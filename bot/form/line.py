"""From fields to the line of words that they say, and from a question to fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.form.fields import OPEN, REFINED, SERVER, WORKLOAD, Field, Values, shown
from bot.grammar.canonical import format_request
from bot.text import fold
from sizing.request import Mode, SizingRequest, Targets

VERB: Final = "spec"
NEW: Final = frozenset({"new", "nuevo", "nueva"})
"""First words that open the form."""

MS_PER_S: Final = 1000


@dataclass(frozen=True)
class Word:
    """One word of the line, and the field it is from."""

    field: str
    text: str


def asks_for_form(text: str) -> str | None:
    """Return what the form shall start with; None where a line asks for something else."""
    first, _, rest = text.strip().partition(" ")
    if not first:
        return ""
    return rest.strip() if fold(first) in NEW else None


def words_of(values: Values, extra: str = "") -> tuple[Word, ...]:
    """Return the words that the fields say, `extra` behind those about the first model."""
    return tuple(_words(values, extra))


def line_of(words: tuple[Word, ...]) -> str:
    """Return the line that asks for a server."""
    return " ".join([VERB, *(word.text for word in words)])


def refined_words(values: Values, extra: str = "") -> tuple[Word, ...]:
    """Return the words of a question about one model, `extra` behind those of the fields."""
    behind = (Word("model", extra),) if extra else ()
    return (*_said(REFINED, values), *behind)


def refined_line(words: tuple[Word, ...]) -> str:
    """Return the line that asks about one model."""
    return " ".join(word.text for word in words)


def _words(values: Values, extra: str) -> Iterator[Word]:
    yield from _said(WORKLOAD, values)
    if extra:
        yield Word("model", extra)
    yield from _said(SERVER, values)
    others = values.get("others") or ()
    for other in (others,) if isinstance(others, str) else others:
        yield Word("others", f"+ {other}")


def _said(fields: tuple[Field, ...], values: Values) -> Iterator[Word]:
    for field in shown(fields, values):
        value = values.get(field.name)
        if field.name == "use" and value and value != Mode.INFER:
            yield Word(field.name, f"mode={value}")
        if not field.word or not isinstance(value, str) or not value or value in OPEN:
            continue
        count = values.get("count") if field.name == "gpu" else None
        yield Word(field.name, field.word.format(f"{count}x{value}" if count else value))


def field_at_fault(words: tuple[Word, ...], typed: str) -> str:
    """Return the field that said what could not be understood; the model where that is open."""
    wanted = fold(typed).strip()
    found = (word.field for word in words if wanted and wanted in fold(word.text))
    return next(found, "model")


def values_of(request: SizingRequest) -> tuple[dict[str, str], str]:
    """Return the fields that a question fills, and the words that no field has room for."""
    gpu = request.gpus[0] if len(request.gpus) == 1 and request.gpus[0].gpu else None
    plain = gpu if gpu is not None and gpu.mig_profile is None else None
    told = {
        "model": _model(request),
        "precision": request.precision,
        "use": request.mode.value,
        "load": "rate" if request.requests_per_s and not request.concurrent_requests else "users",
        "users": _number(request.concurrent_requests),
        "rps": _number(request.requests_per_s),
        "input": _number(request.input_tokens),
        "output": _number(request.output_tokens),
        "ttft": _number(request.targets.ttft_ms and request.targets.ttft_ms / MS_PER_S),
        "gpu": plain.gpu if plain else None,
        "count": _number(plain.count) if plain else None,
        "means": request.spending.means.value if request.spending.means else None,
        "budget": _number(request.budget_usd),
    }
    known = {name: value for name, value in told.items() if value}
    if known.get("precision") not in _options("precision"):
        known.pop("precision", None)
    return known, _extra(request, known, has_gpu=plain is not None)


def _options(name: str) -> tuple[str, ...]:
    return next(field.options for field in WORKLOAD if field.name == name)


def _model(request: SizingRequest) -> str | None:
    if name := request.reference or request.checkpoint or request.model_id:
        return name
    size = ("parameters", "experts", "active_parameters")
    told = {name: getattr(request, name) for name in size}
    return format_request(SizingRequest(**told)) or None


def _extra(request: SizingRequest, known: dict[str, str], *, has_gpu: bool) -> str:
    """Return the words of the question that stand in no field."""
    rest = request.model_copy(
        update={
            "model_id": None,
            "reference": None,
            "given": None,
            "checkpoint": None,
            "parameters": None,
            "experts": None,
            "active_parameters": None,
            "precision": None if "precision" in known else request.precision,
            "mode": Mode.INFER,
            "concurrent_requests": None,
            "requests_per_s": None,
            "context_tokens": None if request.input_tokens else request.context_tokens,
            "input_tokens": None,
            "output_tokens": None,
            "targets": request.targets.model_copy(update={"ttft_ms": None})
            if request.targets != Targets()
            else request.targets,
            "gpus": () if has_gpu else request.gpus,
            "spending": request.spending.model_copy(update={"means": None}),
            "budget_usd": None,
        }
    )
    return format_request(rest).strip()


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.10g}"
