"""Words that change a server: what they say takes the place of what was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.grammar.over import LOADS
from bot.grammar.spec_line import BETWEEN, Wishes, WishReader
from bot.grammar.spec_money import with_rate
from bot.grammar.spec_options import WORKLOAD
from sizing.errors import InvalidRequestError
from sizing.request import SizingRequest
from sizing.spec.request import SpecRequest, Workload

Change = Callable[[SizingRequest, str], SizingRequest]
"""Returns a question with what a text says in its place."""


def changed_server(base: SpecRequest, text: str, change: Change) -> SpecRequest:
    """Return the server `base` as words change it; what they leave open stays as it was asked.

    What is said about a model that the plan has changes that one; what names none changes all of
    them. Raises SizingError where the words are not understood, or say nothing.
    """
    if not text.strip():
        raise InvalidRequestError(reason="nothing_said")
    wishes, workloads = Wishes(), base.workloads
    pieces = [piece for piece in BETWEEN.split(f" {with_rate(text)} ") if piece.strip()]
    for piece in pieces:
        reader = WishReader(wishes)
        question = " ".join(reader.left_over(piece.split()))
        workloads = _changed(workloads, question, reader.used.of(WORKLOAD), change)
    if not wishes.parts and workloads == base.workloads:
        raise InvalidRequestError(reason="nothing_changed", word=text)
    update: dict[str, Any] = {"workloads": workloads, **wishes.of("")}
    for section, told in wishes.parts.items():
        if section:
            update[section] = getattr(base, section).model_copy(update=told)
    return base.model_copy(update=update)


def _changed(
    workloads: tuple[Workload, ...], question: str, used: dict[str, Any], change: Change
) -> tuple[Workload, ...]:
    """Return the workloads as one piece of a line changes them."""
    if not question.strip() and not used:
        return workloads
    if not question.strip():
        asked = tuple(one.request for one in workloads)
    else:
        asked = tuple(change(one.request, question) for one in workloads)
    places = _places(workloads, asked)
    return tuple(
        _workload(one, asked[place], used) if place in places else one
        for place, one in enumerate(workloads)
    )


def _places(workloads: tuple[Workload, ...], asked: tuple[SizingRequest, ...]) -> frozenset[int]:
    """Return which workloads a change is about: the named one, else all.

    Raises InvalidRequestError for a model that a plan of several does not have.
    """
    names = [(one.request.model_id, one.request.reference) for one in workloads]
    after = [(one.model_id, one.reference) for one in asked]
    if len(workloads) == 1 or after == names:
        return frozenset(range(len(workloads)))
    found = frozenset(place for place, name in enumerate(names) if name == after[place])
    if not found:
        known = tuple(filter(None, (name for pair in names for name in pair)))
        raise InvalidRequestError(reason="which_workload", suggestions=known)
    return found


def _workload(one: Workload, request: SizingRequest, used: dict[str, Any]) -> Workload:
    """Return a workload with another question: a load told anew takes the place of its people."""
    is_load_new = any(getattr(one.request, name) != getattr(request, name) for name in LOADS)
    people = {"people": None, "requests_per_person_per_hour": None} if is_load_new else {}
    update = {"request": request, **people, **used}
    if used:
        update["request"] = request.model_copy(update=dict.fromkeys(LOADS))
    told = one.model_copy(update=update)
    try:
        return Workload.model_validate(told.model_dump())
    except ValueError as error:
        raise InvalidRequestError(reason="spec_people", word=" ".join(used)) from error
