"""Plain sentences for what re-checks found and for what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from bot.decisions.states import Action
from bot.found import measured_of, rechecked_of
from bot.labels import memory_alone_gb
from bot.measured_forms import FORMS, signed_percent

if TYPE_CHECKING:
    from bot.decisions.records import Event
    from bot.found import CheaperSet, MeasuredFigure, Rechecked
    from bot.messages import Messages

CHANGED: Final = {
    "need_bytes": "gb",
    "per_gpu_bytes": "gb",
    "set": "set",
    "servers": "count",
    "requests": "count",
    "output_tokens_per_s": "about",
    "ttft_ms": "about_ms",
    "itl_ms": "about_ms",
    "usd_per_month": "usd",
    "purchase_usd": "usd",
    "total_usd": "usd",
    "total_w": "watts",
}
"""How figures that changed are written; those that others tell already are left out."""

_CARDS: Final = re.compile(r"(\d{1,6})x([^+:]{1,60})(?::([^+:]{1,20}))?", re.ASCII)


def why_words(event: Event, messages: Messages) -> str:
    """Return what is said of an event in a list: what it led to or found, and the reason given."""
    said = found_words(event, messages)
    if event.action is Action.SUPERSEDE and event.details.superseded_by is not None:
        said = messages.label("found", "replaced", other=f"D-{event.details.superseded_by}")
    return ": ".join(part for part in (said, event.reason) if part)


def found_words(event: Event, messages: Messages, *, whole: bool = False) -> str:
    """Return what an event found or measured; `whole` with each figure. Empty for other events."""
    if event.action is Action.RECHECK and (checked := rechecked_of(event)):
        return "; ".join(_rechecked(checked, messages, whole=whole))
    if event.action is Action.ACTUAL and (told := measured_of(event)):
        return measured_words(told.figures, messages)
    return ""


def measured_words(figures: Iterable[MeasuredFigure], messages: Messages) -> str:
    """Return measured figures, each beside its estimate and how far off that was."""
    return "; ".join(_measured(one, messages) for one in figures if _is_known(one, messages))


def set_words(name: str, messages: Messages) -> str:
    """Return a set as people read it, `8 × Arc Pro B50 16 GB`, from its name for programs."""
    parts = [_CARDS.fullmatch(part) for part in name.split("+")]
    named = [part for part in parts if part]
    if len(named) < len(parts):
        return name
    return " + ".join(_cards(part, messages) for part in named)


def _cards(part: re.Match[str], messages: Messages) -> str:
    gpus, gpu, mig_profile = int(part[1]), part[2], part[3]
    if mig_profile:
        return messages.label("sets", "slice", gpus=gpus, gpu=gpu, mig_profile=mig_profile)
    if memory_gb := memory_alone_gb(gpu):
        return messages.label("sets", "any", gpus=gpus, memory_gb=memory_gb)
    return messages.label("sets", "plain", gpus=gpus, gpu=gpu)


def _rechecked(checked: Rechecked, messages: Messages, *, whole: bool) -> Iterator[str]:
    if checked.no_longer_fits:
        yield messages.label("rechecks", "no_longer_fits")
    if whole:
        yield from _changes(checked, messages)
    causes = [one for one in checked.causes if messages.find("recheck_causes", one)]
    for cause in causes or (("same",) if checked.before else ()):
        yield messages.label("rechecks", cause)
    if not checked.before:
        yield messages.label("found", "anew")
    if checked.cheaper:
        yield _cheaper(checked.cheaper, messages)


def _cheaper(found: CheaperSet, messages: Messages) -> str:
    return messages.label(
        "found",
        "cheaper_a_month" if found.price == "usd_per_month" else "cheaper",
        set=set_words(found.set, messages),
        usd=found.usd,
        decided_usd=found.decided_usd,
        saved=found.saved_percent,
    )


def _changes(checked: Rechecked, messages: Messages) -> Iterator[str]:
    for name, form in CHANGED.items():
        if (change := checked.changes.get(name)) is None:
            continue
        before, after = (_shown(end, form, messages) for end in (change.before, change.after))
        if before != after:
            what = messages.label("found_figures", name)
            yield messages.label("found", "changed", what=what, before=before, after=after)


def _shown(value: object, form: str, messages: Messages) -> str:
    if form == "set":
        return set_words(value, messages) if isinstance(value, str) else "–"
    if isinstance(value, bool | str) or value is None:
        return "–"
    return str(messages.filters(str)[form](value))


def _is_known(one: MeasuredFigure, messages: Messages) -> bool:
    return messages.find("measured_figures", one.figure) is not None


def _measured(one: MeasuredFigure, messages: Messages) -> str:
    form = FORMS.get(one.figure, "number")
    what = messages.label("measured_figures", one.figure)
    measured = _shown(one.measured, form, messages)
    if one.estimated is None:
        return messages.label("found", "measured", what=what, measured=measured)
    return messages.label(
        "found",
        "beside",
        what=what,
        measured=measured,
        estimated=_shown(one.estimated, form, messages),
        error=signed_percent(one.error_percent, messages.numbers),
    )
