"""Small checks that combine into the shape of a block: each yields the problems it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Name one thing that Slack would refuse."""

    pointer: str
    """JSON pointer to the value at fault, such as `/blocks/2/text/text`."""
    message: str
    """What is wrong with it and what the limit is."""


Check = Callable[[object, str], Iterator[Problem]]


def string(*, low: int = 0, high: int | None = None, pattern: str | None = None) -> Check:
    """Check a string: its length in characters and its pattern."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield Problem(pointer, "must be a string")
            return
        yield from length(len(value), pointer, low=low, high=high, unit="character")
        if pattern and not re.fullmatch(pattern, value):
            yield Problem(pointer, f"does not match {pattern}")

    return check


def length(
    count: int, pointer: str, *, low: int = 0, high: int | None = None, unit: str
) -> Iterator[Problem]:
    """Compare a count of units with its bounds, both inclusive."""
    if count < low:
        yield Problem(pointer, f"has {count} {unit}s, at least {low} needed")
    if high is not None and count > high:
        yield Problem(pointer, f"has {count} {unit}s, at most {high} allowed")


def integer(*, low: int | None = None, high: int | None = None) -> Check:
    """Check a whole number and its bounds, both inclusive."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield Problem(pointer, "must be a whole number")
        elif low is not None and value < low:
            yield Problem(pointer, f"is {value}, at least {low} needed")
        elif high is not None and value > high:
            yield Problem(pointer, f"is {value}, at most {high} allowed")

    return check


def number(*, above: float | None = None) -> Check:
    """Check a number and its exclusive lower bound."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Problem(pointer, "must be a number")
        elif above is not None and value <= above:
            yield Problem(pointer, f"is {value}, must be above {above}")

    return check


def boolean(value: object, pointer: str) -> Iterator[Problem]:
    """Check a JSON boolean."""
    if not isinstance(value, bool):
        yield Problem(pointer, "must be true or false")


def anything(value: object, pointer: str) -> Iterator[Problem]:
    """Accept any value except null: what is inside is not Slack's business."""
    if value is None:
        yield Problem(pointer, "must not be null")


def choice(*allowed: str) -> Check:
    """Check membership in a closed list of strings."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if value not in allowed:
            yield Problem(pointer, f"is {value!r}, must be one of {', '.join(allowed)}")

    return check


def listing(each: Check, *, low: int = 0, high: int | None = None, unit: str = "item") -> Check:
    """Check a list: its length, then each of its items."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield Problem(pointer, "must be a list")
            return
        yield from length(len(value), pointer, low=low, high=high, unit=unit)
        for index, item in enumerate(value):
            yield from each(item, f"{pointer}/{index}")

    return check


def shape(
    required: Mapping[str, Check], optional: Mapping[str, Check] | None = None, *rules: Check
) -> Check:
    """Check an object: the keys it must have, those it may have, and rules over the whole."""
    known = {**required, **(optional or {})}

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield Problem(pointer, "must be an object")
            return
        missing = [key for key in required if key not in value]
        yield from (Problem(pointer, f"lacks {key!r}") for key in missing)
        for key, item in value.items():
            yield from _property(known, key, item, f"{pointer}/{key}")
        for rule in rules:
            yield from rule(value, pointer)

    return check


def _property(
    known: Mapping[str, Check], key: str, item: object, pointer: str
) -> Iterator[Problem]:
    if key in known:
        yield from known[key](item, pointer)
    elif key != "type":
        yield Problem(pointer, "is not a property that Slack knows here")


def typed(shapes: Mapping[str, Check], allowed: Collection[str], place: str) -> Check:
    """Dispatch on the `type` of an object, refusing types that the place does not accept."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str):
            yield Problem(pointer, "must be an object with a type")
        elif kind not in shapes:
            yield Problem(pointer, f"has the unknown type {kind!r}")
        elif kind not in allowed:
            yield Problem(pointer, f"has type {kind!r}, which {place} does not accept")
        else:
            yield from shapes[kind](value, pointer)

    return check


def count_of(low: int, high: int, *keys: str) -> Check:
    """Check how many of some keys an object carries."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        given = sum(key in value for key in keys) if isinstance(value, dict) else 0
        if not low <= given <= high:
            needed = str(low) if low == high else f"{low} to {high}"
            yield Problem(pointer, f"has {given} of {', '.join(keys)}; {needed} needed")

    return check


def needs(key: str, other: str) -> Check:
    """Check that one key never stands without another."""

    def check(value: object, pointer: str) -> Iterator[Problem]:
        if isinstance(value, dict) and key in value and other not in value:
            yield Problem(pointer, f"has {key!r}, which needs {other!r}")

    return check
