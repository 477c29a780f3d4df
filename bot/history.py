"""What was asked and answered: written to the log, read back from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from bot.errors import CodedError
from bot.reply import Answered, Asked, Asker, HistoryEntry, Listing, Transport
from bot.storage import Log, LoggedAnswer, NewAnswer
from sizing import __version__
from sizing.answer import SizingAnswer
from sizing.request import Goal, SizingRequest

OF_A_SPEC = '{"workloads"'
"""Start of the request of a server; that of a question about models begins with its goal."""

OF_POWER = '{"gpu"'
"""Start of a question about electricity."""

LISTED = 20
"""Answers of one list."""

MOST_PAGES = 10
"""Pages of LISTED answers that are searched for those this version can read."""


@dataclass(frozen=True)
class Past:
    """What this version can still read of a logged answer."""

    request: Asked | None
    """The question as understood; None where it cannot be read any more."""

    answer: Answered | None
    """The answer; None where it cannot be read any more."""

    version: str
    """Package version that answered."""

    catalogue_digest: str | None
    """Digest of the catalogue it answered from."""


class History:
    """The log as the use cases see it: who may read what, and values instead of rows."""

    def __init__(self, log: Log, catalogue_digest: str) -> None:
        self._log = log
        self._catalogue_digest = catalogue_digest

    def record_answer(
        self,
        request: Asked,
        answer: Answered,
        *,
        text: str,
        asker: Asker,
        language: str,
        private: bool,
    ) -> str:
        """Keep an answer and return its id; once this returns, no crash loses it."""
        row = self._row(
            text,
            asker,
            language,
            request_json=request.model_dump_json(),
            answer_json=answer.model_dump_json(),
            is_private=private,
        )
        return self._log.record_answer(row)

    def record_refusal(self, code: str, *, text: str, asker: Asker, language: str) -> None:
        """Keep a question that was not answered, with the code of the reason."""
        row = self._row(text, asker, language, error_code=code, is_private=True)
        self._log.record_answer(row)

    def entry(self, reference: str, asker: Asker) -> HistoryEntry:
        """Return one answer; raise CodedError where there is none to see, or it is unreadable."""
        row = self._log.get_answer(
            reference,
            team_id=asker.team_id,
            enterprise_id=asker.enterprise_id,
            viewer=_viewer(asker),
            channel=asker.channel_id,
        )
        if row is None or row.answer_json is None:
            raise CodedError("unknown_answer", word=reference)
        entry = _entry(row)
        if entry is None:
            raise CodedError("unreadable_answer", word=row.id, version=row.package_version)
        return entry

    def entry_of(self, answer_id: str, *, team_id: str | None) -> HistoryEntry:
        """Return an answer that something else shows; who may see that is for the caller to ask."""
        row = self._log.get_answer(answer_id, team_id=team_id)
        entry = _entry(row) if row is not None and row.answer_json is not None else None
        if entry is None:
            raise CodedError("unknown_answer", word=answer_id)
        return entry

    def past(self, answer_id: str) -> Past:
        """Return what can be read of an answer, of any workspace: who may see it is not asked.

        Raises CodedError where there is none.
        """
        row = self._log.get_answer(answer_id, team_id=None)
        if row is None:
            raise CodedError("unknown_answer", word=answer_id)
        entry = _entry(row)
        return Past(
            request=entry.request if entry else _request_of(row),
            answer=entry.answer if entry else None,
            version=row.package_version,
            catalogue_digest=row.catalogue_digest,
        )

    def listing(self, query: str, asker: Asker) -> Listing:
        """Return the latest answers that the asker may see and this version can read."""
        entries: dict[str, HistoryEntry] = {}
        unreadable: set[str] = set()
        for row in self._latest(query, asker):
            entry = _entry(row)
            if entry is None:
                unreadable.add(row.id)
                continue
            entries[row.id] = entry
            if len(entries) == LISTED:
                break
        return Listing(tuple(entries.values()), len(unreadable))

    def _latest(self, query: str, asker: Asker) -> Iterator[LoggedAnswer]:
        """Yield the rows that the asker may see, newest first; one may come twice, on two pages."""
        for page in range(MOST_PAGES):
            rows = self._log.list_answers(
                team_id=asker.team_id,
                enterprise_id=asker.enterprise_id,
                viewer=_viewer(asker),
                channel=asker.channel_id,
                query=query,
                limit=LISTED,
                offset=page * LISTED,
            )
            yield from rows
            if len(rows) < LISTED:
                return

    def _row(
        self,
        text: str,
        asker: Asker,
        language: str,
        *,
        is_private: bool,
        request_json: str | None = None,
        answer_json: str | None = None,
        error_code: str | None = None,
    ) -> NewAnswer:
        return NewAnswer(
            enterprise_id=asker.enterprise_id,
            team_id=asker.team_id,
            user_id=asker.user_id,
            user_name=asker.user_name,
            channel_id=asker.channel_id,
            transport=asker.transport.value,
            language=language,
            is_private=is_private,
            question=text,
            request_json=request_json,
            answer_json=answer_json,
            error_code=error_code,
            package_version=__version__,
            catalogue_digest=self._catalogue_digest,
        )


def _viewer(asker: Asker) -> str | None:
    """Return whose view of the log it is; the owner of the terminal sees all."""
    return None if asker.transport is Transport.TERMINAL else asker.user_id


def _read(request_json: str, answer_json: str) -> tuple[Asked, Answered]:
    """Return a request and what it was answered with."""
    if request_json.startswith(OF_A_SPEC):
        from sizing.spec.answer import Spec
        from sizing.spec.request import SpecRequest

        wanted = SpecRequest.model_validate_json(request_json)
        return wanted, Spec.model_validate_json(answer_json)
    if request_json.startswith(OF_POWER):
        from sizing.spec.power_answer import PowerAnswer
        from sizing.spec.power_question import PowerQuestion

        question = PowerQuestion.model_validate_json(request_json)
        return question, PowerAnswer.model_validate_json(answer_json)
    request = SizingRequest.model_validate_json(request_json)
    if request.goal is Goal.WHAT_FITS:
        from sizing.fits import FitsAnswer

        return request, FitsAnswer.model_validate_json(answer_json)
    return request, SizingAnswer.model_validate_json(answer_json)


def _request_of(row: LoggedAnswer) -> Asked | None:
    """Return the question of an answer that cannot be read; None where it cannot be either."""
    text = row.request_json or ""
    try:
        if text.startswith(OF_A_SPEC):
            from sizing.spec.request import SpecRequest

            return SpecRequest.model_validate_json(text)
        return SizingRequest.model_validate_json(text)
    except ValidationError:
        return None


def _entry(row: LoggedAnswer) -> HistoryEntry | None:
    """Return an answer of the log; None where another version wrote it in another shape."""
    try:
        request, answer = _read(row.request_json or "", row.answer_json or "")
    except ValidationError:
        return None
    return HistoryEntry(
        answer_id=row.id,
        asked_at=datetime.fromisoformat(row.at),
        asker=row.user_name or row.user_id,
        question=row.question,
        request=request,
        answer=answer,
        version=row.package_version,
        language=row.language,
    )
