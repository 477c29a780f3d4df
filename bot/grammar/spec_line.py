"""A line that asks for a server: workloads with `+` between them, and words about the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bot.grammar.currencies import foreign_money
from bot.grammar.number_values import read_number
from bot.grammar.read_options import DASHED, KEYED
from bot.grammar.spec_money import with_rate
from bot.grammar.spec_options import (
    EXAMPLES,
    NAMED,
    NO,
    SPEC_NUMBERS,
    SPEC_WORDS,
    WORKLOAD,
    YES,
    YES_OR_NO,
    system_named,
)
from bot.grammar.spec_recalled import (
    Recall,
    over_question,
    over_server,
    reference_in,
    said_beside,
)
from bot.numbers import money
from bot.text import fold
from sizing.errors import InvalidRequestError
from sizing.request import Goal, SizingRequest
from sizing.spec.request import MOST_WORKLOADS, SpecRequest, Workload
from sizing.spec.wishes import (
    GrowthWishes,
    HostWishes,
    MoneyWishes,
    SiteWishes,
    SoftwareWishes,
    StorageWishes,
)

BETWEEN: Final = re.compile(r"\s\+\s|\s?;\s?|\s&\s")
"""What stands between workloads."""

SPOKEN: Final = frozenset({"growth", "crecimiento", "spare", "repuesto", "people", "personas"})
"""Keys whose value may stand behind them, without a sign."""


@dataclass
class Wishes:
    """What has been said so far, by part of the spec."""

    parts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def put(self, section: str, name: str, value: object, typed: str) -> None:
        """Keep a value; raise InvalidRequestError where another was stated before."""
        if self.parts.setdefault(section, {}).setdefault(name, value) != value:
            raise InvalidRequestError(reason="given_twice", word=typed)

    def of(self, section: str) -> dict[str, Any]:
        """Return what was said of one part."""
        return self.parts.get(section, {})


def spec_of(text: str, read: Callable[[str], SizingRequest], recall: Recall) -> SpecRequest:
    """Return the spec that a line asks for; raise SizingError where it cannot be understood.

    `read` reads the question about one model, `recall` returns what a past answer was asked.
    """
    wishes = Wishes()
    text = with_rate(text)
    pieces = [piece for piece in BETWEEN.split(f" {text} ") if piece.strip()]
    if not 0 < len(pieces) <= MOST_WORKLOADS:
        raise InvalidRequestError(reason="spec_count", most=MOST_WORKLOADS)
    pasts = _Pasts(recall)
    workloads = tuple(_workload(piece, wishes, read, pasts) for piece in pieces)
    if pasts.server is None:
        return server_request(workloads, wishes)
    if workloads != (Workload(request=SizingRequest()),):
        raise InvalidRequestError(reason="spec_of_spec", word=pasts.server[0])
    return over_server(pasts.server[1], server_request(workloads, wishes))


def server_request(workloads: tuple[Workload, ...], wishes: Wishes) -> SpecRequest:
    """Return the question about a server for models, with what was said around them."""
    return SpecRequest(
        workloads=workloads,
        growth=GrowthWishes(**wishes.of("growth")),
        host=HostWishes(**wishes.of("host")),
        storage=StorageWishes(**wishes.of("storage")),
        site=SiteWishes(**wishes.of("site")),
        software=SoftwareWishes(**wishes.of("software")),
        money=MoneyWishes(**wishes.of("money")),
        **wishes.of(""),
    )


@dataclass
class _Pasts:
    """Past answers that a line names."""

    recall: Recall

    server: tuple[str, SpecRequest] | None = None
    """A whole server among them, and its name."""

    def question(self, question: str, read: Callable[[str], SizingRequest]) -> SizingRequest | None:
        """Return what a past answer was asked, with what is said anew; None for other questions.

        Of a whole server, return what is said anew alone.
        """
        found = reference_in(question, read)
        if found is None:
            return None
        name, rest = found
        told = said_beside(rest, read)
        past = self.recall(name)
        if isinstance(past, SizingRequest):
            return over_question(past, told)
        self.server = (name, past)
        return told


def _workload(
    piece: str, wishes: Wishes, read: Callable[[str], SizingRequest], pasts: _Pasts
) -> Workload:
    reader = WishReader(wishes)
    question = " ".join(reader.left_over(piece.split()))
    request = pasts.question(question, read) or read(question)
    if request.goal is not Goal.SIZE:
        raise InvalidRequestError(reason="spec_goal", word=question)
    told = reader.used.of(WORKLOAD)
    if len(told) == 1:
        raise InvalidRequestError(reason="spec_people", word=question)
    return Workload(request=request, **told)


class WishReader:
    """Takes what one piece of a line says of the server, and of the use of its model."""

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self.used = Wishes()

    def left_over(self, words: list[str]) -> Iterator[str]:
        """Keep what words say of the server; yield those that belong to the question."""
        position = 0
        while position < len(words):
            taken = self._take(words, position)
            if not taken:
                yield words[position]
            position += taken or 1

    def _take(self, words: list[str], position: int) -> int:
        """Return how many words at `position` say something of the server."""
        word = fold(words[position])
        following = fold(words[position + 1]) if position + 1 < len(words) else ""
        if found := KEYED.fullmatch(word):
            key = found["key"].replace("_", "-").strip("-")
            return 1 if self._keep(key, found["value"], words[position], following) else 0
        dashed = DASHED.fullmatch(word)
        key = dashed["key"].replace("_", "-") if dashed else word
        typed = " ".join(words[position : position + 2])
        if (dashed or key in SPOKEN) and following and (dashed or following[0].isdigit()):
            after = fold(words[position + 2]) if position + 2 < len(words) else ""
            return 2 if self._keep(key, following, typed, after) else 0
        return 0

    def _keep(self, key: str, value: str, typed: str, after: str) -> bool:
        """Keep the value of an option, `after` behind it; return whether there is one."""
        if option := SPEC_NUMBERS.get(key):
            if option.number.read is money and foreign_money(value, after):
                raise InvalidRequestError(reason="currency", word=typed)
            number = read_number(option.number, value, typed=typed)
            if number is None:
                raise InvalidRequestError(reason="bad_value", word=typed)
            kept = self.used if option.section == WORKLOAD else self._wishes
            kept.put(option.section, option.number.field, number, typed)
            return True
        if key in SPEC_WORDS:
            section, name = SPEC_WORDS[key]
            self._wishes.put(section, name, _word(name, value, typed), typed)
            return True
        return False


def _word(name: str, value: str, typed: str) -> str | bool:
    """Return the value of an option that is a word; raise InvalidRequestError for an unknown one.

    Countries, currencies and platforms are looked up later, with the facts at hand.
    """
    read = _READERS.get(name, str.lower if name not in _CAPITALS else str.upper)
    known = read(value)
    if not value or known is None:
        raise InvalidRequestError(
            reason="bad_value", word=typed, suggestions=EXAMPLES.get(name, ())
        )
    return known


def _yes_or_no(value: str) -> bool | None:
    return value in YES if value in YES | NO else None


_CAPITALS: Final = frozenset({"country", "currency"})
"""Fields whose values are written in capitals."""

_READERS: Final[Mapping[str, Callable[[str], str | bool | None]]] = {
    **dict.fromkeys(YES_OR_NO, _yes_or_no),
    **{name: values.get for name, values in NAMED.items()},
    "operating_system": system_named,
}
"""What reads the values of some fields."""
