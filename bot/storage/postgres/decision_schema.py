"""Tables of the decisions in PostgreSQL: events, where these lead, and what they are found by."""

from __future__ import annotations

# Of two events that follow the same one, the second is refused by the primary key.
_EVENTS = """
create table decision_events (
    decision_id bigint not null check (decision_id > 0),
    sequence integer not null,
    tenant text not null,
    at text collate "C" not null,
    action text not null,
    user_id text not null,
    user_name text,
    reason text,
    answer_id text,
    request_hash text,
    answer_hash text,
    catalogue_digest text,
    package_version text not null,
    permalink text,
    details_json text not null,
    primary key (decision_id, sequence)
);
create trigger decision_events_append_only before update or delete or truncate on decision_events
    execute function gpusize_append_only();
"""

# The words are cut already, the same way for every store: PostgreSQL's own parser would cut them
# again, and otherwise. It refuses words beyond 2,046 bytes; a letter has at most four.
_CURRENT = """
create function gpusize_words(search_text text) returns tsvector
language sql immutable as $$
    select array_to_tsvector(coalesce(array_agg(left(word, 500)), '{}'))
    from unnest(string_to_array(search_text, ' ')) as word where word <> ''
$$;

create table decisions (
    id bigint primary key check (id > 0),
    tenant text not null,
    sequence integer not null,
    state text not null,
    version integer not null,
    title text not null,
    project text,
    project_key text,
    answer_id text,
    requester_id text,
    channel_id text,
    message_ts text,
    is_open boolean,
    created_at text collate "C",
    updated_at text collate "C",
    due_on text collate "C",
    superseded_by bigint,
    search_text text not null,
    decision_json text not null,
    words tsvector generated always as (gpusize_words(search_text)) stored
);
create unique index decisions_tenant on decisions (tenant, id);
create index decisions_state on decisions (tenant, state, id);
create index decisions_project on decisions (tenant, project_key, id);
create index decisions_requester on decisions (tenant, requester_id, id);
create index decisions_message on decisions (tenant, channel_id, message_ts);
create index decisions_words on decisions using gin (words);
"""

_FOUND_BY = """
create table decision_people (
    decision_id bigint not null,
    role text not null,
    subject text not null,
    tenant text not null,
    primary key (decision_id, role, subject)
);
create index decision_people_subject on decision_people (role, subject, decision_id);

create table decision_models (
    decision_id bigint not null,
    model text not null,
    primary key (decision_id, model)
);
create index decision_models_model on decision_models (model, decision_id);
"""

_OTHERS = """
create table actuals (
    id bigint primary key check (id > 0),
    tenant text not null,
    at text collate "C" not null,
    answer_id text not null,
    decision_id bigint,
    user_id text not null,
    user_name text,
    measured_json text not null,
    note text,
    package_version text not null
);
create index actuals_answer on actuals (tenant, answer_id);
create trigger actuals_append_only before update or delete or truncate on actuals
    execute function gpusize_append_only();

create table preferences (
    tenant text not null,
    user_id text not null,
    settings_json text not null,
    primary key (tenant, user_id)
);

create table threads (
    tenant text not null,
    channel_id text not null,
    message_ts text not null,
    subject text not null,
    primary key (tenant, channel_id, message_ts)
);
"""

# Views that read well in another program.
_VIEWS = """
create view current_decisions as
    select 'D-' || d.id as decision, d.state, d.title, d.project, d.version, d.answer_id as answer,
        coalesce(d.decision_json::json ->> 'requester_name', d.requester_id) as requester,
        coalesce(d.decision_json::json ->> 'decided_name', d.decision_json::json ->> 'decided_by')
            as decided_by,
        d.decision_json::json ->> 'reason' as reason, d.due_on, d.created_at, d.updated_at,
        'D-' || d.superseded_by as superseded_by, d.channel_id, d.tenant
    from decisions d order by d.id desc;

create view decision_history as
    select 'D-' || e.decision_id as decision, e.sequence, e.at, e.action,
        coalesce(e.user_name, e.user_id) as who, e.reason, e.answer_id as answer,
        e.catalogue_digest, e.package_version, e.permalink, e.tenant
    from decision_events e order by e.decision_id desc, e.sequence;

create view answers_read as
    select 'A-' || id as answer, at, coalesce(user_name, user_id) as who, question,
        model_id as model, error_code, package_version, catalogue_digest, team_id, channel_id
    from answers order by id desc;
"""

DECISIONS = _EVENTS + _CURRENT + _FOUND_BY + _OTHERS + _VIEWS
"""Statements of the step that makes them all."""
