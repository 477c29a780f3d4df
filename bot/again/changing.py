"""A past question with something changed: answered like any other, and held against the first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.again.figures import against
from bot.difference import difference_of
from bot.errors import CodedError
from bot.grammar.canonical import format_request
from bot.grammar.commands import Ask, AskSpec, Compare, CompareWith, WhatIf
from bot.refining import opened_with
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from bot.again.subjects import Subject, Subjects
    from bot.again.tools import Tools
    from bot.grammar.commands import Spoken
    from bot.reply import Asker, HistoryEntry, Reply
    from sizing.spec.request import SpecRequest


class Changing:
    """Answers what-ifs and comparisons with past questions."""

    def __init__(self, tools: Tools, subjects: Subjects) -> None:
        self._tools = tools
        self._subjects = subjects

    def what_if(self, wish: WhatIf, asker: Asker, named: str | None) -> Reply:
        """Answer a past question with something changed, the difference first."""
        subject = self._subjects.of(wish.number, asker, verb="what if")
        entry = self._subjects.entry(subject, asker)
        if isinstance(entry.request, SizingRequest):
            return self._about_model(wish, subject, entry, asker=asker, named=named)
        from sizing.spec.request import SpecRequest

        if isinstance(entry.request, SpecRequest):
            return self._about_server(wish, subject, entry, asker=asker, named=named)
        raise CodedError("is_about_power", word=entry.answer_id)

    def side_by_side(self, wish: CompareWith, asker: Asker, named: str | None) -> Reply:
        """Answer variants of a past question side by side."""
        subject = self._subjects.of(wish.number, asker, verb="compare", answer=wish.answer)
        entry = self._subjects.entry(subject, asker)
        _ = entry.sized
        requests = self._tools.grammar.variants(asked_anew(entry.asked), wish.words)
        line = f"compare {' | '.join(map(format_request, requests))}"
        command = Compare(requests=requests, **_spoken(wish))
        return self._tools.asking.side_by_side(command, line, asker, named)

    def _about_model(
        self,
        wish: WhatIf,
        subject: Subject,
        entry: HistoryEntry,
        *,
        asker: Asker,
        named: str | None,
    ) -> Reply:
        before = entry.sized
        request = self._tools.grammar.changed(asked_anew(entry.asked), wish.words)
        ask = Ask(request=request, **_spoken(wish))
        reply = self._tools.asking.about_model(ask, format_request(request), asker, named)
        assert reply.answer is not None  # noqa: S101 (what was asked is about one model)
        difference = difference_of(before, reply.answer)
        page = self._tools.renderer.difference(difference, reply.language, subject.name)
        told = against(subject, before, reply.answer)
        return replace(opened_with(reply, page), data=told)

    def _about_server(
        self,
        wish: WhatIf,
        subject: Subject,
        entry: HistoryEntry,
        *,
        asker: Asker,
        named: str | None,
    ) -> Reply:
        from bot.spec_difference import spec_difference_of
        from sizing.spec.answer import Spec

        past, before = entry.request, entry.answer
        assert isinstance(before, Spec)  # noqa: S101 (what is asked of a server is one)
        request = self._tools.grammar.changed_server(server_anew(past), wish.words)  # type: ignore[arg-type]
        command = AskSpec(request=request, **_spoken(wish))
        line = f"{entry.question} · {wish.words}"
        reply = self._tools.asking.about_server(command, line, asker, named)
        after = self._tools.history.entry(str(reply.answer_id), asker).answer
        assert isinstance(after, Spec)  # noqa: S101
        difference = spec_difference_of(before, after)
        page = self._tools.renderer.spec_difference(difference, reply.language, subject.name)
        told = dict(reply.data or {}) | against(subject, before, after)
        return replace(opened_with(reply, page), data=told)


def asked_anew(request: SizingRequest) -> SizingRequest:
    """Return a logged question as one of today: the day it was asked is not part of it."""
    return request.model_copy(update={"as_of": None})


def server_anew(request: SpecRequest) -> SpecRequest:
    """Return a logged question about a server as one of today."""
    workloads = tuple(
        one.model_copy(update={"request": asked_anew(one.request)}) for one in request.workloads
    )
    return request.model_copy(update={"workloads": workloads})


def _spoken(wish: Spoken) -> dict[str, Any]:
    return {"language": wish.language, "private": wish.private, "as_json": wish.as_json}
