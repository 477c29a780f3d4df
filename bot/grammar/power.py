"""Questions about electricity: behind the verb `power`, or in a line that names no model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bot.grammar import power_words as said
from bot.grammar.circuit_words import SaidCircuit, circuits_in, sizes, without
from bot.grammar.errors import IncompleteRequestError
from bot.grammar.power_keys import KEYED, KEYS, is_beyond, unreadable
from bot.numbers import decimal, small_number
from bot.text import fold
from sizing.errors import InvalidRequestError, SizingError
from sizing.records import GpuRecord
from sizing.request import GpuChoice
from sizing.spec.electricity import Electricity, load_electricity
from sizing.spec.power_question import PowerQuestion, Topic

Named = tuple[tuple[GpuChoice, ...], tuple[str, ...]]
ReadGpus = Callable[[str], Named]

MOST_TOLD: Final = 8
"""Ignored words that are told."""

MOST_OF_A_CARD_W: Final = 2_000
"""Watts below which those beside a number of cards are one card's."""

LIKE_ITS_OWN: Final = 1.6
"""Watts beside a card that are at most so many times its board power are that of the card."""


def starts_with_watts(line: str) -> bool:
    """Return whether watts stand first, which the verb may be the key of."""
    return said.LOOSE_WATTS.match(fold(line)) is not None


def is_electric(text: str, error: SizingError) -> bool:
    """Return whether a cleaned line that asked for no size speaks of electricity.

    A line whose model was not found has to name a circuit, supplies or heat; one that names no
    model at all may say less.
    """
    folded = fold(text)
    circuits, lone_v = _circuits(folded)
    if circuits or lone_v or _first(said.SUPPLIES, folded) or said.HEAT.search(folded):
        return True
    if not isinstance(error, IncompleteRequestError):
        return False
    has_gpu = bool(error.partial.gpus)
    loose = said.LOOSE_WATTS.search(folded)
    restarts = has_gpu and said.RESTARTS.search(folded)
    return bool(said.ELECTRIC.search(folded) or restarts or (has_gpu and loose))


def power_question(
    text: str, read_gpus: ReadGpus, records: Mapping[str, GpuRecord]
) -> PowerQuestion:
    """Return what a cleaned line asks about power; `read_gpus` finds the accelerators in the rest.

    Raises InvalidRequestError for values that cannot be, UnknownCountryError.
    """
    return _Reader(fold(text), load_electricity()).read(read_gpus, records)


def _circuits(text: str) -> tuple[list[SaidCircuit], float | None]:
    try:
        return circuits_in(text)
    except InvalidRequestError:
        return [], None


def _first(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for each in patterns if (found := each.search(text))), None)


class _Reader:
    """Takes from a line what it knows, longest things first, and leaves the names."""

    def __init__(self, text: str, electricity: Electricity) -> None:
        self._text = said.COUNT_WORDS.sub(_in_digits, text)
        self._facts = electricity
        self._told: dict[str, Any] = {}

    def read(self, read_gpus: ReadGpus, records: Mapping[str, GpuRecord]) -> PowerQuestion:
        topics = tuple(self._topics())
        self._keyed()
        self._take_circuits()
        self._feeds_and_height()
        self._watts()
        self._counts()
        self._country()
        self._system()
        loose = self._loose_watts()
        choices, ignored = self._gpus(read_gpus)
        self._named(choices, topics)
        for watts in loose:
            self._settle(watts, records)
        return PowerQuestion(**self._told, topics=topics, ignored=ignored)

    def _topics(self) -> Iterable[Topic]:
        if said.COUNT_CARDS.search(self._text):
            yield Topic.COUNT_CARDS
        if re.search(said.SUPPLY, self._text) or said.PEAKS.search(self._text):
            yield Topic.SUPPLIES
        # A load that trips a breaker is a matter of the circuit.
        if said.RESTARTS.search(self._text) and not _circuits(self._text)[0]:
            yield Topic.RESTARTS
        if said.HEAT.search(self._text):
            yield Topic.COOLING

    def _put(self, field: str, value: object) -> None:
        self._told.setdefault(field, value)

    def _cut(self, found: re.Match[str]) -> None:
        self._text = f"{self._text[: found.start()]} , {self._text[found.end() :]}"

    def _keyed(self) -> None:
        """Take the options with a key that are about power alone."""
        for found in reversed(list(KEYED.finditer(self._text))):
            field = KEYS.get(found["key"])
            if field is None:
                continue
            self._keep(field, found["value"], found[0])
            self._cut(found)

    def _keep(self, field: str, value: str, typed: str) -> None:
        watts = said.LOOSE_WATTS.fullmatch(value) or said.LOOSE_WATTS.fullmatch(f"{value}w")
        number = decimal(value.removesuffix("m") if field == "altitude_m" else value)
        if field == "country":
            self._put("country", self._facts.country(value).id)
        elif field in ("supply", "cpu_w", "server_w"):
            if not watts or not self._supply_or_watts(field, watts):
                raise unreadable(typed, field)
        elif number is None or number < 1 or not number.is_integer() or is_beyond(field, number):
            raise unreadable(typed, field)
        else:
            self._put(field, int(number))

    def _supply_or_watts(self, field: str, found: re.Match[str]) -> bool:
        watts = _watts(found)
        if watts is None:
            return False
        if field == "supply":
            self._put("supply_w", watts)
            if found["count"]:
                self._put("supplies", int(found["count"]))
        else:
            self._put(field, watts * int(found["count"] or 1))
        return True

    def _take_circuits(self) -> None:
        found, lone_v = circuits_in(self._text)
        if found:
            before = self._text[: found[0].start]
            self._text = without(self._text, found)
            self._put("circuits", tuple(sizes(found)))
            if counted := re.search(r"(?<![\w.,])(\d{1,2})\s*x\s*$", before):
                self._put("circuit_count", max(1, int(counted[1])))
                self._text = f"{before[: counted.start()]} {self._text[len(before) :]}"
        elif lone_v:
            self._text = without(self._text, found)
            self._put("voltage_v", lone_v)

    def _feeds_and_height(self) -> None:
        if found := said.FEEDS.search(self._text):
            self._put("feeds", 2)
            self._cut(found)
        if found := said.ALTITUDE.search(self._text):
            self._put("altitude_m", int(re.sub(r"[.,]", "", found["metres"])))
            self._cut(found)

    def _watts(self) -> None:
        """Take watts that say what they belong to."""
        self._text = said.PROCESSOR.sub("cpu", self._text)
        if found := _first(said.SUPPLIES, self._text):
            self._counted(found, "supplies", "supply_w")
        if found := _first(said.CPU_WATTS, self._text):
            self._counted(found, None, "cpu_w")
        if found := _first(said.SERVER_WATTS, self._text):
            self._counted(found, "servers", "server_w")
        if found := _first(said.LIMITS, self._text):
            self._limit(found)

    def _limit(self, found: re.Match[str]) -> None:
        """Take what a rack or an uninterruptible supply may give."""
        number = decimal(found["watts"].rstrip(".,"))
        if number:
            self._put("limit_w", number * 1000 if found["kilo"] else number)
            self._cut(found)

    def _counted(self, found: re.Match[str], count_field: str | None, field: str) -> None:
        watts = _watts(found)
        if watts is None:
            return
        count = found["count"] or found.groupdict().get("before")
        if count and count_field:
            self._put(count_field, max(1, int(count)))
        elif count:
            watts *= int(count)
        self._put(field, watts)
        self._cut(found)

    def _counts(self) -> None:
        for pattern, field in (
            (said.GPU_COUNT, "gpus"), (said.SERVERS, "servers"), (said.CIRCUITS, "circuit_count")
        ):  # fmt: skip
            if (found := pattern.search(self._text)) and int(found["count"]):
                self._put(field, int(found["count"]))
                self._cut(found)

    def _country(self) -> None:
        for country in self._facts.countries:
            for name in country.aliases:
                spelled = name.replace("-", r"[\s-]")
                if found := re.search(rf"(?<!\w){spelled}(?!\w)", self._text):
                    self._put("country", country.id)
                    self._cut(found)
                    return

    def _system(self) -> None:
        names = [(name, one.id) for one in self._facts.systems for name in (one.id, *one.aliases)]
        for name, system in sorted(names, key=lambda each: -len(each[0])):
            spelled = re.escape(name).replace(r"\-", r"[\s-]?")
            if found := re.search(
                rf"(?<!\w)(?:(\d{{1,3}})\s*x?\s+|(\d{{1,3}})x)?{spelled}(?!\w)", self._text
            ):
                self._put("system", system)
                if count := found[1] or found[2]:
                    self._put("servers", max(1, int(count)))
                self._cut(found)
                return

    def _loose_watts(self) -> list[re.Match[str]]:
        found = list(said.LOOSE_WATTS.finditer(self._text))
        for each in reversed(found):
            self._cut(each)
        return found

    def _gpus(self, read_gpus: ReadGpus) -> Named:
        rest = " ".join(self._text.replace(",", " ").split())
        choices, ignored = read_gpus(rest) if rest else ((), ())
        return choices, tuple(word for word in ignored if fold(word) not in said.QUIET)[:MOST_TOLD]

    def _named(self, choices: tuple[GpuChoice, ...], topics: tuple[Topic, ...]) -> None:
        named = next((each for each in choices if each.gpu), None)
        if named is None or "system" in self._told:
            return
        self._put("gpu", named.gpu)
        asks_count = Topic.COUNT_CARDS in topics and "supply_w" in self._told
        if named.count and not (asks_count and named.count == 1):
            self._told["gpus"] = named.count

    def _settle(self, loose: re.Match[str], records: Mapping[str, GpuRecord]) -> None:
        """Give watts that stand alone to a card, to supplies or to a server."""
        watts = _watts(loose)
        if watts is None:
            return
        gpu = records.get(self._told.get("gpu", ""))
        if gpu and gpu.board_power_w and watts > LIKE_ITS_OWN * gpu.board_power_w:
            self._put("supply_w", watts)
            self._put("supplies", int(loose["count"] or 1))
        elif gpu or loose["count"] or ("gpus" in self._told and watts < MOST_OF_A_CARD_W):
            self._put("gpu_w", watts)
            if loose["count"]:
                self._put("gpus", max(1, int(loose["count"])))
        else:
            self._put("server_w", watts)


def _in_digits(found: re.Match[str]) -> str:
    number = small_number(found[1])
    return f"{number}x " if found["digit"] is not None else f"{number} "


def _watts(found: re.Match[str]) -> float | None:
    number = decimal(found["watts"].rstrip(".,"))
    if not number:
        return None
    return number * 1000 if found["kilo"] else number
