"""Open, stack and change views, and keep what was typed in them."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

from bot.workspace.inputs import initial_values, kept_values
from bot.workspace.model import Json, View
from bot.workspace.people import TEAM_ID
from bot.workspace.posting import with_ids
from bot.workspace.refusal import Refusal, refuse_view
from bot.workspace.world import World

STACK_SIZE = 3
VIEW_MAX_BYTES = 250_000


def checked(content: object, kind: str) -> Json:
    """Return the content of a view when it is of the wanted kind and Slack would take it."""
    if not isinstance(content, dict):
        raise Refusal("invalid_arguments", ["view must be an object [json-pointer:/view]"])
    if len(json.dumps(content).encode()) > VIEW_MAX_BYTES:
        raise Refusal("view_too_large")
    if content.get("type") != kind:
        message = f"must be of type {kind} [json-pointer:/view/type]"
        raise Refusal("invalid_arguments", [message])
    refuse_view(content)
    return content


def check_external_id(world: World, content: Json) -> None:
    """Refuse an external id that an open view already has."""
    external_id = content.get("external_id")
    taken = [view.content.get("external_id") for view in world.views.values()]
    if external_id and external_id in taken:
        raise Refusal("duplicate_external_id")


def make_view(
    world: World,
    user: str,
    content: Json,
    *,
    below: View | None = None,
    here: str | None = None,
) -> View:
    """Build a view with fresh ids and the initial values of its inputs."""
    view_id = world.next_id("V")
    content = {**content, "blocks": with_ids(world, list(content["blocks"]))}
    return View(
        id=view_id,
        user=user,
        content=content,
        hash=_new_hash(world),
        root_id=below.root_id if below else view_id,
        previous_id=below.id if below else None,
        values=initial_values(content["blocks"], here=here),
    )


def push_onto(world: World, below: View, content: Json) -> View:
    """Put a view on top of an open modal, three at most."""
    with world.change():
        stack = world.stacks[below.user]
        if len(stack) >= STACK_SIZE:
            raise Refusal("push_limit_reached")
        view = make_view(world, below.user, content, below=below)
        stack.append(view.id)
        world.views[view.id] = view
    return view


def replace_content(world: World, view: View, content: Json) -> View:
    """Show new content in a view; inputs that keep their ids keep what was typed."""
    content = {**content, "blocks": with_ids(world, list(content["blocks"]))}
    changed = replace(
        view,
        content=content,
        hash=_new_hash(world),
        values=kept_values(view.values, content["blocks"]),
        errors={},
        notice=None,
    )
    return store(world, changed)


def store(world: World, view: View) -> View:
    """Keep the new state of a view."""
    with world.change():
        world.views[view.id] = view
    return view


def top_of(world: World, user: str) -> View | None:
    """Return the modal that a user has in front, if any."""
    with world.changed:
        stack = world.stacks[user]
        return world.views[stack[-1]] if stack else None


def close(world: World, view: View, *, whole_stack: bool = False) -> list[View]:
    """Close a modal, or its whole stack; return the closed views, top first."""
    with world.change():
        stack = world.stacks[view.user]
        keep = 0 if whole_stack or view.id not in stack else stack.index(view.id)
        closed = [world.views.pop(view_id) for view_id in reversed(stack[keep:])]
        del stack[keep:]
    return closed


def view_json(world: World, view: View) -> Json:
    """Return a view as the Web API and the payloads show it."""
    defaults: Json = {
        "submit": None,
        "close": None,
        "callback_id": "",
        "private_metadata": "",
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
    }
    return {
        "id": view.id,
        "team_id": TEAM_ID,
        "app_id": world.app.app_id,
        "bot_id": world.app.bot_id,
        "app_installed_team_id": TEAM_ID,
        **defaults,
        **view.content,
        "hash": view.hash,
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "state": {"values": view.values},
    }


def _new_hash(world: World) -> str:
    return f"{int(world.clock.now_s())}.{secrets.token_hex(4)}"
