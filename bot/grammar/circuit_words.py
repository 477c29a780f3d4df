"""Circuits in a line: `230V 32A`, `208V3ph60A`, `120V/20A o 208V/30A`, `trifásico 400 V 32 A`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.numbers import decimal
from sizing.errors import InvalidRequestError
from sizing.spec.circuits import THREE_PHASE_FROM_V, Circuit

_NUMBER: Final = r"(?<![\w.,])\d+(?:[.,]\d+)?"
_AFTER_PHASES: Final = r"(?:(?<=ph)|(?<=3f)|(?<=~)|(?<![\w.,]))\d+(?:[.,]\d+)?"
TOKEN: Final = re.compile(
    rf"""
    (?P<volts>{_NUMBER}(?:\s*/\s*\d{{3}})?)\s*-?(?:vac|volts?|voltios?|v)(?![a-z])
    |(?P<three>(?:3\s*-?\s*(?:ph(?:ases?)?|fases?|~)|3f(?![a-z])|three[-\s]phases?|trifasic[oa]s?
        |three-?phases?|tres\s+fases))
    |(?P<one>(?:1\s*-?\s*(?:ph(?:ase)?|fase|~)|single[-\s]phase|one[-\s]phase|monofasic[oa]s?
        |una\s+fase))
    |(?P<amps>{_AFTER_PHASES})(?:\s*-?(?:amperes?|amperios?|amps?)|a|\s+a(?!\s*\d[\d.,]*(?![\d.,]|\s*-?v)))
        (?![a-z\d-])
    """,
    re.VERBOSE,
)
"""Volts, phases and amps. Before `4 a100` stands no ampere, nor before `de 100 a 200`."""

ATTACHED: Final = re.compile(r"[\s/-]*\(?")
"""What may stand between a circuit and the phases that are said after it."""

VOLTS: Final = (90.0, 690.0)
AMPS: Final = (1.0, 800.0)


@dataclass(frozen=True)
class SaidCircuit:
    """A circuit and where it stands in the line."""

    circuit: Circuit
    start: int
    end: int


@dataclass
class _Pending:
    """What was said since the last circuit."""

    volts: float | None = None
    amps: float | None = None
    phases: int | None = None
    start: int = 0
    volts_first: bool | None = None


def circuits_in(text: str) -> tuple[list[SaidCircuit], float | None]:
    """Return the circuits of a cleaned, folded line, and the voltage that has no amps.

    Raises InvalidRequestError for volts and amps that no circuit has.
    """
    tokens = list(TOKEN.finditer(text))
    found: list[SaidCircuit] = []
    pending = _Pending()
    for place, token in enumerate(tokens):
        if _closes(token, tokens, place, text=text, found=found):
            continue
        _take(pending, token, found)
        if pending.volts is not None and pending.amps is not None:
            found.append(_circuit(pending, token.end()))
            pending = _Pending(volts_first=pending.volts_first)
    lone = pending.volts if not found else None
    return found, lone


def without(text: str, said: Sequence[SaidCircuit]) -> str:
    """Return the line without its circuits and what else is said of volts, phases and amps."""
    for each in sorted(said, key=lambda one: -one.start):
        text = text[: each.start] + " " + text[each.end :]
    return TOKEN.sub(" ", text)


def _closes(
    token: re.Match[str],
    tokens: Sequence[re.Match[str]],
    place: int,
    *,
    text: str,
    found: list[SaidCircuit],
) -> bool:
    """Give phases that follow a whole circuit at once to it: `230V 32A monofásico`."""
    if not found or not (token["three"] or token["one"]):
        return False
    last = found[-1]
    if last.end != tokens[place - 1].end() or _says_phases(tokens, place - 1, last):
        return False
    if not ATTACHED.fullmatch(text[last.end : token.start()]):
        return False
    phases = 3 if token["three"] else 1
    circuit = last.circuit.model_copy(update={"phases": phases})
    found[-1] = SaidCircuit(circuit, last.start, token.end())
    return True


def _says_phases(tokens: Sequence[re.Match[str]], place: int, last: SaidCircuit) -> bool:
    inside = (each for each in tokens[: place + 1] if each.start() >= last.start)
    return any(each["three"] or each["one"] for each in inside)


def _take(pending: _Pending, token: re.Match[str], found: Sequence[SaidCircuit]) -> None:
    if pending.volts is None and pending.amps is None and pending.phases is None:
        pending.start = token.start()
    if token["volts"]:
        low, _, high = token["volts"].partition("/")
        pending.volts = _number(high.strip() or low.strip(), token[0], VOLTS)
        pending.phases = pending.phases or (3 if high else None)
        pending.volts_first = pending.amps is None
    elif token["amps"]:
        pending.amps = _number(token["amps"], token[0], AMPS)
        # `230V 16A o 32A`: the voltage is said once.
        if pending.volts is None and found and pending.volts_first:
            pending.volts = found[-1].circuit.voltage_v
            pending.phases = pending.phases or found[-1].circuit.phases
    else:
        pending.phases = 3 if token["three"] else 1


def _circuit(pending: _Pending, end: int) -> SaidCircuit:
    volts, amps = pending.volts or 0.0, pending.amps or 0.0
    usual = 3 if volts >= THREE_PHASE_FROM_V else 1
    circuit = Circuit(voltage_v=volts, phases=pending.phases or usual, breaker_a=amps)
    return SaidCircuit(circuit, pending.start, end)


def _number(text: str, typed: str, bounds: tuple[float, float]) -> float:
    number = decimal(text)
    if number is None or not bounds[0] <= number <= bounds[1]:
        raise InvalidRequestError(reason="bad_value", word=typed.strip(), suggestions=("230V 32A",))
    return number


def sizes(said: Sequence[SaidCircuit]) -> Iterator[Circuit]:
    """Yield each circuit once, in order."""
    yield from dict.fromkeys(each.circuit for each in said)
