"""views.*: modals and Home tabs."""

from __future__ import annotations

from bot.workspace.model import Json, View
from bot.workspace.refusal import Refusal
from bot.workspace.viewing import (
    check_external_id,
    checked,
    make_view,
    push_onto,
    replace_content,
    top_of,
    view_json,
)
from bot.workspace.world import World


def open_modal(world: World, args: Json) -> Json:
    """Answer views.open: the new modal takes the place of any other."""
    content = checked(args["view"], "modal")
    check_external_id(world, content)
    trigger = world.use_trigger(args["trigger_id"])
    view = make_view(world, trigger.user, content, here=trigger.channel)
    with world.change():
        world.stacks[trigger.user] = [view.id]
        world.views[view.id] = view
    return {"view": view_json(world, view)}


def push(world: World, args: Json) -> Json:
    """Answer views.push: the trigger must come from an open modal."""
    content = checked(args["view"], "modal")
    check_external_id(world, content)
    trigger = world.use_trigger(args["trigger_id"])
    below = top_of(world, trigger.user)
    if trigger.view_id is None or below is None:
        raise Refusal("invalid_trigger_id")
    view = push_onto(world, below, content)
    return {"view": view_json(world, view)}


def update(world: World, args: Json) -> Json:
    """Answer views.update by id or external id, with the hash when one is given."""
    view = _wanted(world, args)
    content = checked(args["view"], view.content["type"])
    check_hash(view, args)
    return {"view": view_json(world, replace_content(world, view, content))}


def publish(world: World, args: Json) -> Json:
    """Answer views.publish: one Home tab per user."""
    user = args["user_id"]
    if user not in world.stacks:
        raise Refusal("user_not_found")
    content = checked(args["view"], "home")
    current = world.views.get(world.homes.get(user, ""))
    if current is not None:
        check_hash(current, args)
        return {"view": view_json(world, replace_content(world, current, content))}
    view = make_view(world, user, content)
    with world.change():
        world.homes[user] = view.id
        world.views[view.id] = view
    return {"view": view_json(world, view)}


def check_hash(view: View, args: Json) -> None:
    """Refuse an update that was made for an older state of the view."""
    if args.get("hash") and args["hash"] != view.hash:
        raise Refusal("hash_conflict")


def _wanted(world: World, args: Json) -> View:
    if args.get("view_id"):
        view = world.views.get(args["view_id"])
    else:
        external_id = args.get("external_id")
        named = (v for v in world.views.values() if v.content.get("external_id") == external_id)
        view = next(named, None) if external_id else None
    if view is None:
        raise Refusal("not_found")
    return view
