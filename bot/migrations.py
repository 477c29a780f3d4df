"""Build the log's schema: numbered steps, applied once each and in order.

The list only grows. A step that has been released is never edited, renamed or removed: databases
in use have already run it.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations
from sqlite_utils.db import Table

from bot.decision_schema import build_decisions
from bot.log_schema import APPLICATION_ID, SCHEMA_VERSION

LOG_MIGRATIONS = Migrations("gpusize")


@LOG_MIGRATIONS(name="001_answers")
def _answers(db: Database) -> None:
    table = _table(db, "answers")
    table.create(
        {
            "id": int,
            "at": str,
            "enterprise_id": str,
            "team_id": str,
            "user_id": str,
            "user_name": str,
            "channel_id": str,
            "transport": str,
            "language": str,
            "is_private": int,
            "question": str,
            "request_json": str,
            "answer_json": str,
            "error_code": str,
            "package_version": str,
            "catalogue_digest": str,
        },
        pk="id",
        not_null={
            "at",
            "user_id",
            "transport",
            "language",
            "is_private",
            "question",
            "package_version",
        },
    )
    table.create_index(["team_id", "user_id"])


@LOG_MIGRATIONS(name="002_answers_append_only")
def _answers_append_only(db: Database) -> None:
    # A later answer never rewrites an earlier one: what was advised stays readable as it was.
    for event in ("update", "delete"):
        db.execute(
            f"create trigger answers_no_{event} before {event} on answers "
            "begin select raise(abort, 'answers are append-only'); end"
        )


@LOG_MIGRATIONS(name="003_seen")
def _seen(db: Database) -> None:
    table = _table(db, "seen")
    table.create({"key": str, "expires_at": str}, pk="key", not_null={"expires_at"})
    table.create_index(["expires_at"])


@LOG_MIGRATIONS(name="004_ticks")
def _ticks(db: Database) -> None:
    table = _table(db, "ticks")
    table.create(
        {
            "id": int,
            "at": str,
            "answer_id": int,
            "item_id": str,
            "follows": int,
            "user_id": str,
            "user_name": str,
            "is_on": int,
        },
        pk="id",
        not_null={"at", "answer_id", "item_id", "follows", "user_id", "is_on"},
        foreign_keys=[("answer_id", "answers", "id")],
    )
    # Each change names the one it follows, 0 for none: of two that follow the same, one is kept.
    table.create_index(["answer_id", "item_id", "follows"], unique=True)
    for event in ("update", "delete"):
        db.execute(
            f"create trigger ticks_no_{event} before {event} on ticks "
            "begin select raise(abort, 'ticks are append-only'); end"
        )


@LOG_MIGRATIONS(name="005_decisions")
def _decisions(db: Database) -> None:
    build_decisions(db)


@LOG_MIGRATIONS(name="006_comments")
def _comments(db: Database) -> None:
    # Not append-only: what is deleted or changed in Slack is deleted and changed here.
    table = _table(db, "comments")
    table.create(
        {
            "message_ts": str,
            "channel_id": str,
            "tenant": str,
            "decision_id": int,
            "edited_ts": str,
            "at": str,
            "user_id": str,
            "user_name": str,
            "text": str,
        },
        pk=("message_ts", "channel_id", "tenant"),
        not_null={"decision_id", "at", "user_id", "text"},
    )
    table.create_index(["decision_id"])


def apply_migrations(db: Database) -> None:
    """Run the steps `db` lacks and stamp its header; the caller holds the write transaction."""
    LOG_MIGRATIONS.apply(db)
    db.execute(f"pragma application_id = {APPLICATION_ID}")
    db.execute(f"pragma user_version = {SCHEMA_VERSION}")


def _table(db: Database, name: str) -> Table:
    return db.table(name)
