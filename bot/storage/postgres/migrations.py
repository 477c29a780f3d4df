"""Build the log's schema in PostgreSQL: numbered steps, applied once each and in order.

The list only grows. A step that has been released is never edited, renamed or removed: databases
in use have already run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.storage.postgres.decision_schema import DECISIONS

if TYPE_CHECKING:
    from bot.storage.postgres.connections import Connection

STEPS_TABLE = """
create table gpusize_schema (
    number integer primary key,
    name text not null,
    applied_at timestamptz not null default now()
)
"""

# Moments are texts that sort as the moments do, as in SQLite; "C" compares them byte by byte.
ANSWERS = """
create function gpusize_model_id(request_json text) returns text
language plpgsql immutable as $$
begin
    return request_json::json ->> 'model_id';
exception when data_exception then
    -- What is no JSON, or holds what PostgreSQL takes for no text, has no model to be found by.
    return null;
end $$;

create function gpusize_append_only() returns trigger
language plpgsql as $$
begin
    raise exception '% are append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create table answers (
    id bigint primary key check (id > 0),
    at text collate "C" not null,
    enterprise_id text,
    team_id text,
    user_id text not null,
    user_name text,
    channel_id text,
    transport text not null,
    language text not null,
    is_private boolean not null,
    question text not null,
    request_json text,
    answer_json text,
    error_code text,
    package_version text not null,
    catalogue_digest text,
    model_id text generated always as (gpusize_model_id(request_json)) stored
);
create index answers_team_id on answers (team_id, id);
create trigger answers_append_only before update or delete or truncate on answers
    execute function gpusize_append_only();
"""

SEEN = """
create table seen (
    key text primary key,
    expires_at text collate "C" not null
);
create index seen_expires_at on seen (expires_at);
"""

# Each change names the one it follows, 0 for none: of two that follow the same, one is kept.
TICKS = """
create table ticks (
    id bigint primary key check (id > 0),
    at text collate "C" not null,
    answer_id bigint not null references answers (id),
    item_id text not null,
    follows bigint not null,
    user_id text not null,
    user_name text,
    is_on boolean not null,
    unique (answer_id, item_id, follows)
);
create trigger ticks_append_only before update or delete or truncate on ticks
    execute function gpusize_append_only();
"""

# Not append-only: what is deleted or changed in Slack is deleted and changed here.
COMMENTS = """
create table comments (
    message_ts text collate "C" not null,
    channel_id text not null,
    tenant text not null,
    decision_id bigint not null,
    edited_ts text,
    at text collate "C" not null,
    user_id text not null,
    user_name text,
    text text not null,
    primary key (message_ts, channel_id, tenant)
);
create index comments_decision on comments (decision_id);
"""

STEPS = (
    ("001_answers", ANSWERS),
    ("002_seen", SEEN),
    ("003_ticks", TICKS),
    ("004_decisions", DECISIONS),
    ("005_comments", COMMENTS),
)
"""Names and statements of the steps, oldest first."""


def apply_steps(connection: Connection, found: int) -> None:
    """Run the steps that follow number `found`; the caller holds the lock and a transaction."""
    if not found:
        connection.execute(STEPS_TABLE)
    for number, (name, statements) in enumerate(STEPS[found:], start=found + 1):
        connection.execute(statements.encode())
        connection.execute(
            "insert into gpusize_schema (number, name) values (%s, %s)", (number, name)
        )
