"""api.test, auth.test, users.* and usergroups.*: who is who."""

from __future__ import annotations

from bot.workspace.model import Json
from bot.workspace.people import TEAM_ID, TEAM_NAME, User
from bot.workspace.refusal import Refusal
from bot.workspace.world import World


def api_test(_: World, args: Json) -> Json:
    """Answer api.test."""
    return {"args": args}


def auth_test(world: World, _: Json) -> Json:
    """Answer auth.test for the bot token."""
    return {
        "url": f"https://{TEAM_NAME}.invalid/",
        "team": TEAM_NAME,
        "team_id": TEAM_ID,
        "user": world.app.user.name,
        "user_id": world.app.user.id,
        "bot_id": world.app.bot_id,
        "is_enterprise_install": False,
    }


def info(world: World, args: Json) -> Json:
    """Answer users.info; the locale is left out unless it is asked for."""
    user = world.users.get(args["user"])
    if user is None:
        raise Refusal("user_not_found")
    return {"user": user_json(world, user, with_locale=truthy(args.get("include_locale")))}


def list_all(world: World, args: Json) -> Json:
    """Answer users.list in one page."""
    with_locale = truthy(args.get("include_locale"))
    members = [user_json(world, user, with_locale=with_locale) for user in world.users.values()]
    return {"members": members, "response_metadata": {"next_cursor": ""}}


def list_groups(world: World, _: Json) -> Json:
    """Answer usergroups.list."""
    shown = [
        {"id": group.id, "team_id": TEAM_ID, "handle": group.handle, "name": group.name}
        for group in world.groups.values()
    ]
    return {"usergroups": shown}


def list_group_members(world: World, args: Json) -> Json:
    """Answer usergroups.users.list."""
    group = world.groups.get(args["usergroup"])
    if group is None:
        raise Refusal("no_such_subteam")
    return {"users": list(group.members)}


def user_json(world: World, user: User, *, with_locale: bool = False) -> Json:
    """Return a user as users.info shows them."""
    body: Json = {
        "id": user.id,
        "team_id": TEAM_ID,
        "name": user.name,
        "real_name": user.real_name,
        "deleted": user.is_deleted,
        "tz": user.tz,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "profile": {"real_name": user.real_name, "display_name": user.name},
    }
    if user.is_bot:
        body["profile"]["bot_id"] = world.app.bot_id
    return {**body, "locale": user.locale} if with_locale else body


def truthy(value: object) -> bool:
    """Read a boolean argument: forms carry it as text."""
    return value in (True, 1, "1", "true", "True")
