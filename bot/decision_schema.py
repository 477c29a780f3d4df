"""Tables of the decisions: their events, where these lead, and what they are found by."""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.db import Table

VIEWS = {
    "current_decisions": """
        select 'D-' || d.id as decision, d.state, d.title, d.project, d.version,
            d.answer_id as answer,
            coalesce(json_extract(d.decision_json, '$.requester_name'), d.requester_id)
                as requester,
            coalesce(json_extract(d.decision_json, '$.decided_name'),
                json_extract(d.decision_json, '$.decided_by')) as decided_by,
            json_extract(d.decision_json, '$.reason') as reason, d.due_on, d.created_at,
            d.updated_at, 'D-' || d.superseded_by as superseded_by, d.channel_id, d.tenant
        from decisions d order by d.id desc
    """,
    "decision_history": """
        select 'D-' || e.decision_id as decision, e.sequence, e.at, e.action,
            coalesce(e.user_name, e.user_id) as who, e.reason, e.answer_id as answer,
            e.catalogue_digest, e.package_version, e.permalink, e.tenant
        from decision_events e order by e.decision_id desc, e.sequence
    """,
    "answers_read": """
        select 'A-' || id as answer, at, coalesce(user_name, user_id) as who, question,
            json_extract(request_json, '$.model_id') as model, error_code, package_version,
            catalogue_digest, team_id, channel_id
        from answers order by id desc
    """,
}
"""Views that read well where the file is opened with another program, by name."""


def build_decisions(db: Database) -> None:
    """Make the tables, their indexes and triggers, and the views."""
    _events(db)
    _current(db)
    _found_by(db)
    _actuals(db)
    _preferences(db)
    _threads(db)
    for name, select in VIEWS.items():
        db.create_view(name, select)


def _events(db: Database) -> None:
    table = _table(db, "decision_events")
    table.create(
        {
            "decision_id": int,
            "sequence": int,
            "tenant": str,
            "at": str,
            "action": str,
            "user_id": str,
            "user_name": str,
            "reason": str,
            "answer_id": str,
            "request_hash": str,
            "answer_hash": str,
            "catalogue_digest": str,
            "package_version": str,
            "permalink": str,
            "details_json": str,
        },
        # Of two events that follow the same one, the second is refused by this key.
        pk=("decision_id", "sequence"),
        not_null={"tenant", "at", "action", "user_id", "package_version", "details_json"},
    )
    _append_only(db, "decision_events")


def _append_only(db: Database, name: str) -> None:
    for event in ("update", "delete"):
        db.execute(
            f"create trigger {name}_no_{event} before {event} on {name} "
            f"begin select raise(abort, '{name} are append-only'); end"
        )


def _current(db: Database) -> None:
    table = _table(db, "decisions")
    table.create(
        {
            "id": int,
            "tenant": str,
            "sequence": int,
            "state": str,
            "version": int,
            "title": str,
            "project": str,
            "project_key": str,
            "answer_id": str,
            "requester_id": str,
            "channel_id": str,
            "message_ts": str,
            "is_open": int,
            "created_at": str,
            "updated_at": str,
            "due_on": str,
            "superseded_by": int,
            "search_text": str,
            "decision_json": str,
        },
        pk="id",
        not_null={
            "tenant",
            "sequence",
            "state",
            "version",
            "title",
            "search_text",
            "decision_json",
        },
    )
    table.create_index(["tenant", "id"], unique=True)
    table.create_index(["tenant", "state", "id"])
    table.create_index(["tenant", "project_key", "id"])
    table.create_index(["tenant", "requester_id", "id"])
    table.create_index(["tenant", "channel_id", "message_ts"])
    # Kept up to date by triggers inside the transaction that changes a decision. The words are cut
    # already, the same way for every store: by ASCII, SQLite leaves all their letters in them.
    table.enable_fts(["search_text"], fts_version="FTS5", tokenize="ascii", create_triggers=True)


def _found_by(db: Database) -> None:
    people = _table(db, "decision_people")
    people.create(
        {"decision_id": int, "role": str, "subject": str, "tenant": str},
        pk=("decision_id", "role", "subject"),
        not_null={"tenant"},
    )
    people.create_index(["role", "subject", "decision_id"])
    models = _table(db, "decision_models")
    models.create({"decision_id": int, "model": str}, pk=("decision_id", "model"))
    models.create_index(["model", "decision_id"])


def _actuals(db: Database) -> None:
    table = _table(db, "actuals")
    table.create(
        {
            "id": int,
            "tenant": str,
            "at": str,
            "answer_id": str,
            "decision_id": int,
            "user_id": str,
            "user_name": str,
            "measured_json": str,
            "note": str,
            "package_version": str,
        },
        pk="id",
        not_null={"tenant", "at", "answer_id", "user_id", "measured_json", "package_version"},
    )
    table.create_index(["tenant", "answer_id"])
    _append_only(db, "actuals")


def _preferences(db: Database) -> None:
    table = _table(db, "preferences")
    table.create(
        {"tenant": str, "user_id": str, "settings_json": str},
        pk=("tenant", "user_id"),
        not_null={"settings_json"},
    )


def _threads(db: Database) -> None:
    # What the thread below a message is about: an answer, until somebody decides on it.
    table = _table(db, "threads")
    table.create(
        {"tenant": str, "channel_id": str, "message_ts": str, "subject": str},
        pk=("tenant", "channel_id", "message_ts"),
        not_null={"subject"},
    )


def _table(db: Database, name: str) -> Table:
    return db.table(name)
