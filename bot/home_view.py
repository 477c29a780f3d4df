"""The Home tab: what waits for a person, what they asked for, and what was decided lately."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from bot.decision_view import MARKS
from bot.decisions.states import State
from bot.form.views import NEW
from bot.mrkdwn import literal

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.decisions.store import Found
    from bot.messages import Messages

Json = dict[str, Any]

PREFIX: Final = "gpus1.home."
"""Start of the names of what can be pressed in the tab."""

STATE, PROJECT, MINE, PREVIOUS, NEXT = (
    PREFIX + name for name in ("state", "project", "mine", "previous", "next")
)
"""Names of the filters and of the buttons between pages."""

ANY: Final = "*"
"""Value of the choice that filters nothing."""

MOST_PROJECTS: Final = 99
"""Projects that a menu offers beside the choice of all: Slack takes 100 options."""

LONGEST_OPTION: Final = 75
"""Characters of an option's text and of its value that people still read."""

MOST_LETTERS: Final = 120
"""Characters of a title in a row."""


@dataclass(frozen=True)
class HomeState:
    """How somebody has set the filters of their tab."""

    state: str = ANY
    """State of the decisions listed."""

    project: str = ANY
    """Project of the decisions listed."""

    mine: bool = False
    """Whether only their own are listed."""

    page: int = 1
    """Page, from 1."""


@dataclass(frozen=True, kw_only=True)
class HomeContent:
    """What is listed for one person."""

    waiting: tuple[Decision, ...]
    """Proposals that wait for them."""

    asked: tuple[Decision, ...]
    """Decisions that they asked for and that are open."""

    recent: Found
    """One page of all that they may see, filtered."""

    projects: tuple[str, ...]
    """Names of projects in use."""

    version: str
    """Version of the program."""

    catalogue_date: str
    """Day of the catalogue, ISO 8601."""


def state_of(view: Mapping[str, Any] | None) -> HomeState:
    """Return how the filters of a tab were set; as at first where it does not say."""
    try:
        told = json.loads((view or {}).get("private_metadata") or "{}")
        return HomeState(**told)
    except (TypeError, ValueError):
        return HomeState()


def pressed(state: HomeState, action: Mapping[str, Any]) -> HomeState:
    """Return the filters after something was pressed; a filter begins at its first page."""
    name = str(action["action_id"])
    if name == MINE:
        return replace(state, mine=bool(action.get("selected_options")), page=1)
    if name in {STATE, PROJECT}:
        value = str(action["selected_option"]["value"])
        chosen = replace(state, page=1)
        return replace(chosen, state=value) if name == STATE else replace(chosen, project=value)
    return replace(state, page=max(1, state.page + (1 if name == NEXT else -1)))


def home_view(messages: Messages, content: HomeContent, state: HomeState) -> Json:
    """Return the tab, in the language of its reader."""
    return {
        "type": "home",
        "private_metadata": json.dumps(asdict(state)),
        "blocks": [
            *_head(messages),
            *_part(messages, "waiting", content.waiting),
            *_part(messages, "asked", content.asked),
            *_recent(messages, content, state),
            *_foot(messages, content),
        ],
    }


def _head(messages: Messages) -> Iterator[Json]:
    yield {"type": "header", "text": _plain("gpusize")}
    yield _section(messages.label("home", "text"))
    button = _button(messages, "button", NEW) | {"style": "primary"}
    yield {"type": "actions", "elements": [button]}
    yield _section(messages.label("home", "ask"))


def _part(messages: Messages, code: str, decisions: Sequence[Decision]) -> Iterator[Json]:
    """Yield a heading and the decisions below it; nothing where there are none."""
    if decisions:
        yield {"type": "header", "text": _plain(messages.label("home", code))}
        yield from (_row(messages, one) for one in decisions)


def _recent(messages: Messages, content: HomeContent, state: HomeState) -> Iterator[Json]:
    yield {"type": "header", "text": _plain(messages.label("home", "recent"))}
    yield {"type": "actions", "elements": [*_filters(messages, content, state)]}
    if not content.recent.decisions:
        yield _section(messages.label("home", "none"))
    yield from (_row(messages, one) for one in content.recent.decisions)
    ways = [
        _button(messages, code, name)
        for code, name, is_there in (
            ("previous", PREVIOUS, state.page > 1),
            ("next", NEXT, content.recent.has_more),
        )
        if is_there
    ]
    if ways:
        yield {"type": "actions", "elements": ways}


def _filters(messages: Messages, content: HomeContent, state: HomeState) -> Iterator[Json]:
    states = [(one.value, messages.label("decision_states", one.value)) for one in State]
    yield _menu(STATE, [(ANY, messages.label("home", "any_state")), *states], state.state)
    if content.projects:
        projects = [
            (one, one) for one in content.projects[:MOST_PROJECTS] if len(one) <= LONGEST_OPTION
        ]
        any_project = (ANY, messages.label("home", "any_project"))
        yield _menu(PROJECT, [any_project, *projects], state.project)
    option = _option("mine", messages.label("home", "mine"))
    chosen = {"initial_options": [option]} if state.mine else {}
    yield {"type": "checkboxes", "action_id": MINE, "options": [option], **chosen}


def _menu(name: str, choices: Sequence[tuple[str, str]], chosen: str) -> Json:
    options = {value: _option(value, label) for value, label in choices}
    initial = options.get(chosen) or options[ANY]
    return {
        "type": "static_select",
        "action_id": name,
        "options": list(options.values()),
        "initial_option": initial,
    }


def _option(value: str, label: str) -> Json:
    return {"text": _plain(label[:LONGEST_OPTION]), "value": value}


def _row(messages: Messages, decision: Decision) -> Json:
    """Return one decision: its name as a link to its thread, state, title, who and when."""
    state = messages.label("decision_states", decision.state.value)
    name = f"<{decision.permalink}|{decision.name}>" if decision.permalink else decision.name
    title = literal(decision.title[:MOST_LETTERS])
    who = decision.requester_name or decision.requester_id
    due = messages.label("home", "due", day=decision.due_on) if decision.due_on else None
    facts = (decision.project, who, decision.updated_at[:10], due)
    below = " · ".join(literal(fact) for fact in facts if fact)
    return _section(f"*{name}* · {MARKS[decision.state]} {state} · {title}\n{below}")


def _foot(messages: Messages, content: HomeContent) -> Iterator[Json]:
    told = messages.label(
        "home", "foot", version=content.version, catalogue_date=content.catalogue_date
    )
    yield {"type": "divider"}
    yield {"type": "context", "elements": [{"type": "mrkdwn", "text": told, "verbatim": True}]}


def _button(messages: Messages, code: str, name: str) -> Json:
    return {"type": "button", "action_id": name, "text": _plain(messages.label("home", code))}


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}
