"""What people do inside messages and views: press, choose, fill in, submit, close."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from bot.errors import GoneError, WorkspaceError
from bot.workspace import payloads
from bot.workspace.answers import apply_submission_answer, suggested
from bot.workspace.courier import Courier
from bot.workspace.inputs import (
    STATE_KEYS,
    elements_of,
    find_option,
    find_problem_inputs,
    kept_values,
    state_of,
)
from bot.workspace.model import Delivery, Json, Message, Values, View
from bot.workspace.people import User
from bot.workspace.posting import Place, notice
from bot.workspace.viewing import close, store
from bot.workspace.world import World

Target = Message | View


class Interactions:
    """Turn clicks into payloads, deliver them, and apply the answers."""

    def __init__(self, courier: Courier) -> None:
        self._courier = courier
        self._world = courier.world

    async def act(
        self, user: User, target: Target, action_id: str, value: object = None
    ) -> Delivery:
        """Press a button or change a menu; the app learns what all inputs hold."""
        target = current(self._world, target)
        block, element = element_named(target, action_id)
        state: Json = {}
        if element["type"] in STATE_KEYS:
            state = state_of(element, value)
            target = self._remember(user, target, block, element, state=state)
        elif element["type"] == "overflow":
            state = {"selected_option": find_option(element, str(value))}
        payload = payloads.interaction(self._world, user, "block_actions")
        payload |= self._surroundings(user, target)
        payload["actions"] = [_action(self._world, block, element, state)]
        delivery = await self._courier.deliver("block_actions", payload)
        if delivery.error:
            self._tell_failure(user, target, delivery.error)
        return delivery

    async def suggest(self, user: User, target: Target, action_id: str, query: str) -> list[Json]:
        """Ask the app for the options of an external menu; flat, out of their groups."""
        target = current(self._world, target)
        block, element = element_named(target, action_id)
        payload = payloads.interaction(self._world, user, "block_suggestion") | {
            "action_id": element["action_id"],
            "block_id": block["block_id"],
            "value": query,
        }
        if isinstance(target, View):
            payload |= payloads.in_view(self._world, target)
        else:
            payload |= payloads.in_message(self._world, target)
        delivery = await self._courier.deliver("block_suggestion", payload)
        return [] if delivery.error else suggested(delivery.body)

    async def fill(self, user: User, target: Target, action_id: str, value: object) -> None:
        """Put a value into an input; the app hears of it only where dispatch_action is on."""
        now = current(self._world, target)
        block, element = element_named(now, action_id)
        if block.get("dispatch_action") or block["type"] != "input":
            await self.act(user, target, action_id, value)
        else:
            self._remember(user, now, block, element, state=state_of(element, value))

    async def submit(self, user: User, view: View) -> Delivery:
        """Submit a modal, unless an input is not filled in as it must be."""
        view = current(self._world, view)
        problems = find_problem_inputs(view.blocks, view.values)
        if problems:
            store(self._world, replace(view, errors=problems))
            return self._courier.record(Delivery("view_submission", {}, error="incomplete"))
        payload = payloads.interaction(self._world, user, "view_submission") | {
            "view": payloads.in_view(self._world, view)["view"],
            "trigger_id": self._world.new_trigger(user.id, view_id=view.id),
            "response_urls": self._view_urls(user, view),
        }
        delivery = await self._courier.deliver("view_submission", payload)
        apply_submission_answer(self._world, view, delivery)
        return delivery

    async def close(self, user: User, view: View) -> Delivery | None:
        """Close a modal; the app hears of it only where it asked to."""
        view = current(self._world, view)
        is_cleared = bool(view.content.get("clear_on_close"))
        close(self._world, view, whole_stack=is_cleared)
        if not view.content.get("notify_on_close"):
            return None
        payload = payloads.interaction(self._world, user, "view_closed") | {
            "view": payloads.in_view(self._world, view)["view"],
            "is_cleared": is_cleared,
        }
        return await self._courier.deliver("view_closed", payload)

    def _surroundings(self, user: User, target: Target) -> Json:
        if isinstance(target, View):
            in_modal = target.content["type"] == "modal"
            trigger = self._world.new_trigger(user.id, view_id=target.id if in_modal else None)
            return {**payloads.in_view(self._world, target), "trigger_id": trigger}
        return {
            **payloads.in_message(self._world, target),
            "trigger_id": self._world.new_trigger(user.id, channel=target.channel),
            "response_url": self._courier.response_url(user.id, target.channel, target),
            "state": {"values": message_values(self._world, user, target)},
        }

    def _remember(
        self, user: User, target: Target, block: Json, element: Json, *, state: Json
    ) -> Target:
        if isinstance(target, View):
            values = _with_value(target.values, block, element, state)
            errors = {key: text for key, text in target.errors.items() if key != block["block_id"]}
            return store(self._world, replace(target, values=values, errors=errors))
        values = message_values(self._world, user, target)
        with self._world.change():
            key = (target.channel, target.ts, user.id)
            self._world.message_values[key] = _with_value(values, block, element, state)
        return target

    def _view_urls(self, user: User, view: View) -> list[Json]:
        """Make a response url for each filled menu that asks for one."""
        urls: list[Json] = []
        for block, element in elements_of(view.blocks):
            if element.get("response_url_enabled"):
                ids = {"block_id": block["block_id"], "action_id": element["action_id"]}
                state = view.values[ids["block_id"]][ids["action_id"]]
                channel = state[STATE_KEYS[element["type"]][0]]
                if channel:
                    url = self._courier.response_url(user.id, channel)
                    urls.append({**ids, "channel_id": channel, "response_url": url})
        return urls

    def _tell_failure(self, user: User, target: Target, code: str) -> None:
        if isinstance(target, View):
            store(self._world, replace(current(self._world, target), notice="trouble_connecting"))
            return
        place = Place(target.channel, target.thread_ts, user.id)
        notice(self._world, place, code, "This app did not respond. Try again?")


@overload
def current(world: World, target: View) -> View: ...
@overload
def current(world: World, target: Message) -> Message: ...
def current(world: World, target: Target) -> Target:
    """Return a message or view as it is now, else raise `GoneError`."""
    with world.changed:
        found: Target | None = (
            world.views.get(target.id)
            if isinstance(target, View)
            else world.find(target.channel, target.ts)
        )
    if found is None:
        raise GoneError("That message or view is gone.")
    return found


def element_named(target: Target, name: str) -> tuple[Json, Json]:
    """Find an element by action id, button text, label or block id, else raise."""
    found = list(elements_of(list(target.blocks)))
    for block, element in found:
        if name in _names(block, element):
            return block, element
    known = ", ".join(repr(element["action_id"]) for _, element in found) or "nothing to press"
    raise WorkspaceError(f"There is no {name!r} here; there is {known}.")


def _names(block: Json, element: Json) -> set[object]:
    shown = {element.get("text", {}).get("text"), block.get("label", {}).get("text")}
    ids = {element["action_id"]}
    return shown | ids | ({block["block_id"]} if block["type"] == "input" else set())


def message_values(world: World, user: User, message: Message) -> Values:
    """Return what the inputs of a message hold for one person."""
    with world.changed:
        stored = world.message_values.get((message.channel, message.ts, user.id), {})
    return kept_values(stored, list(message.blocks))


def _with_value(values: Values, block: Json, element: Json, state: Json) -> Values:
    inside = {**values.get(block["block_id"], {}), element["action_id"]: state}
    return {**values, block["block_id"]: inside}


def _action(world: World, block: Json, element: Json, state: Json) -> Json:
    shown: Json = {key: element[key] for key in ("text", "value", "style") if key in element}
    return {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        "action_ts": world.next_ts(),
        **shown,
        **state,
    }
