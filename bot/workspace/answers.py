"""What the app's answers do: bodies of acknowledgements, and posts to a response url."""

from __future__ import annotations

from dataclasses import replace

from bot.limits import find_problems
from bot.workspace.model import Delivery, Json, Message, ResponseUrl, View
from bot.workspace.posting import Place, notice, post_as_bot, rewrite
from bot.workspace.refusal import Refusal
from bot.workspace.viewing import checked, close, push_onto, replace_content, store
from bot.workspace.world import World


def apply_command_answer(world: World, place: Place, body: Json | str | None) -> None:
    """Post the body of a command's acknowledgement, ephemeral unless it says otherwise."""
    answer = {"text": body} if isinstance(body, str) else dict(body or {})
    if not answer.get("text") and not answer.get("blocks"):
        return
    public = answer.get("response_type") == "in_channel"
    try:
        post_as_bot(world, replace(place, visible_to=None) if public else place, answer)
    except Refusal as refusal:
        notice(world, place, refusal.code, f"The app's answer was refused: {refusal.code}.")


def respond(world: World, secret: str, body: Json) -> None:
    """Carry out a post to a response url."""
    url = world.use_response_url(secret)
    original = world.find(url.channel, url.message_ts) if url.message_ts else None
    if body.get("delete_original"):
        if original is not None:
            world.drop(original)
        if not body.get("text") and not body.get("blocks"):
            return
        original = None
    if original is not None and _replaces(body, original):
        rewrite(world, original, body)
        return
    post_as_bot(world, _place(url, body), body)


def _replaces(body: Json, original: Message) -> bool:
    """Tell whether a response to a click replaces the message, which is Slack's default.

    One that asks for another visibility, or for a thread, is a new message.
    """
    if "replace_original" in body:
        return body["replace_original"] is True
    kind = "ephemeral" if original.is_ephemeral else "in_channel"
    return body.get("response_type", kind) == kind and "thread_ts" not in body


def _place(url: ResponseUrl, body: Json) -> Place:
    public = body.get("response_type") == "in_channel"
    return Place(url.channel, body.get("thread_ts"), None if public else url.user)


def apply_submission_answer(world: World, view: View, delivery: Delivery) -> None:
    """Close, change, push or mark a modal as the app's acknowledgement says."""
    try:
        _apply_response_action(world, view, delivery)
    except Refusal:
        if view.id in world.views:
            failed = replace(world.views[view.id], notice="trouble_connecting")
            store(world, failed)


def _apply_response_action(world: World, view: View, delivery: Delivery) -> None:
    if delivery.error:
        raise Refusal(delivery.error)
    body = delivery.body if isinstance(delivery.body, dict) else {}
    action = body.get("response_action")
    if action is None:
        close(world, view)
    elif action == "clear":
        close(world, view, whole_stack=True)
    elif action == "errors":
        store(world, replace(view, errors=_known_errors(view, body)))
    elif action == "update":
        replace_content(world, view, checked(body.get("view"), "modal"))
    elif action == "push":
        push_onto(world, view, checked(body.get("view"), "modal"))
    else:
        raise Refusal("invalid_response_action")


def _known_errors(view: View, body: Json) -> dict[str, str]:
    """Return the errors of a submission, which may only name input blocks."""
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    errors = body.get("errors")
    if not isinstance(errors, dict) or not errors or not set(errors) <= inputs:
        raise Refusal("invalid_errors")
    return {str(key): str(text) for key, text in errors.items()}


def suggested(body: Json | str | None) -> list[Json]:
    """Return the options of a suggestion's answer, none when Slack would refuse it."""
    if not isinstance(body, dict):
        return []
    menu = {key: body[key] for key in ("options", "option_groups") if body.get(key)}
    if not menu:
        return []
    select = {"type": "static_select", "action_id": "a", **menu}
    block = {"type": "actions", "elements": [select]}
    if find_problems("message", {"text": "options", "blocks": [block]}):
        return []
    grouped = [item for group in body.get("option_groups") or [] for item in group["options"]]
    return [*(body.get("options") or []), *grouped]
