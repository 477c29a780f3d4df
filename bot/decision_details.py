"""What a decision begins with: what its requester says, and what its answer is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decisions.records import LONGEST_PROJECT, LONGEST_TITLE, Details, Tenant
from bot.decisions.store import Sight
from bot.errors import CodedError
from bot.reply import Transport
from bot.text import readable
from sizing.answer import SizingAnswer
from sizing.spec.answer import Spec

if TYPE_CHECKING:
    from bot.reply import Asker, HistoryEntry
    from bot.storage import LoggedAnswer


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What somebody says about a decision that they save or propose."""

    title: str = ""
    """What is decided; empty to let the answer name it."""

    project: str | None = None
    """Project it belongs to."""

    note: str | None = None
    """What they add."""

    reviewers: tuple[str, ...] = ()
    """People asked to review."""

    due_on: str | None = None
    """Day by which it is wanted, ISO 8601."""

    is_open: bool = False
    """Whether everybody of the workspace may see it."""

    language: str | None = None
    """Language of its thread; None for that of the answer."""

    channel_id: str | None = None
    """Conversation it is taken in; None for the one it is saved in."""


def name_of(asker: Asker) -> str | None:
    """Return the name that stays in the log, should the person leave one day."""
    known = asker.user_name or asker.directory.name(asker.user_id)
    return readable(known) if known != asker.user_id else None


def fingerprints_of(row: LoggedAnswer) -> dict[str, str | None]:
    """Return the hashes of what was asked and answered, and of the facts behind it."""
    return {
        "request_hash": _sha256(row.request_json),
        "answer_hash": _sha256(row.answer_json),
        "catalogue_digest": row.catalogue_digest,
    }


def _sha256(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()


def details_of(proposal: Proposal, entry: HistoryEntry) -> Details:
    """Return what the first event of a decision carries; raise CodedError without a subject."""
    check_subject(entry)
    title = " ".join(readable(proposal.title).split()) or entry.question
    return Details(
        title=title[:LONGEST_TITLE],
        project=_project(proposal.project),
        note=readable(proposal.note).strip() or None if proposal.note else None,
        question=readable(entry.question),
        model_names=models_of(entry),
        reviewers=proposal.reviewers,
        due_on=proposal.due_on,
        is_open=proposal.is_open,
        language=proposal.language or entry.language,
    )


def check_subject(entry: HistoryEntry) -> None:
    """Raise CodedError where an answer is none that can be decided on."""
    if not isinstance(entry.answer, SizingAnswer | Spec):
        raise CodedError("lists_models", word=entry.answer_id)


def _project(text: str | None) -> str | None:
    return " ".join(readable(text).split())[:LONGEST_PROJECT] or None if text else None


def models_of(entry: HistoryEntry) -> tuple[str, ...]:
    """Return the catalogue ids and names of the models that an answer is about."""
    answer = entry.answer
    parts = answer.workloads if isinstance(answer, Spec) else (answer,)
    sized = [getattr(part, "answer", part) for part in parts]
    names = (
        name
        for one in sized
        if isinstance(one, SizingAnswer)
        for name in (one.understood.model_id, one.understood.model)
    )
    return tuple(dict.fromkeys(filter(None, names)))


def tenant_of(asker: Asker) -> Tenant:
    """Return whose log an asker writes in."""
    return Tenant(asker.team_id, asker.enterprise_id)


def sight_of(asker: Asker) -> Sight:
    """Return what an asker sees; the owner of the terminal sees all."""
    if asker.transport is Transport.TERMINAL:
        return Sight(tenant=None)
    return Sight(tenant=tenant_of(asker), viewer=asker.user_id, channel_id=asker.channel_id)
