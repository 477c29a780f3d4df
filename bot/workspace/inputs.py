"""What stands in the inputs of a message or view, in the form that payloads carry it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.errors import WorkspaceError
from bot.workspace.model import Json, Values

# Element type: the key of its value in the state, the key of its initial value.
STATE_KEYS: dict[str, tuple[str, str]] = {
    "plain_text_input": ("value", "initial_value"),
    "number_input": ("value", "initial_value"),
    "email_text_input": ("value", "initial_value"),
    "url_text_input": ("value", "initial_value"),
    "rich_text_input": ("rich_text_value", "initial_value"),
    "file_input": ("files", "initial_files"),
    "static_select": ("selected_option", "initial_option"),
    "external_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "users_select": ("selected_user", "initial_user"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "channels_select": ("selected_channel", "initial_channel"),
    "checkboxes": ("selected_options", "initial_options"),
    "multi_static_select": ("selected_options", "initial_options"),
    "multi_external_select": ("selected_options", "initial_options"),
    "multi_users_select": ("selected_users", "initial_users"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
}
LISTS = frozenset({"checkboxes", "file_input"})
OPTION_TYPES = frozenset(
    {
        "static_select",
        "external_select",
        "radio_buttons",
        "checkboxes",
        "multi_static_select",
        "multi_external_select",
        "overflow",
    }
)


def is_list(element_type: str) -> bool:
    """Tell whether an element holds several values."""
    return element_type in LISTS or element_type.startswith("multi_")


def elements_of(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Yield every interactive element with the block it stands in."""
    for block in blocks:
        yield from elements_of(block.get("child_blocks") or [])
        if block.get("type") == "carousel":
            yield from elements_of(block.get("elements") or [])
            continue
        listed = (block.get("elements") or []) + (block.get("actions") or [])
        for element in [*listed, block.get("accessory"), block.get("element")]:
            if isinstance(element, dict) and "action_id" in element:
                yield block, element


def initial_values(blocks: list[Json], *, here: str | None = None) -> Values:
    """Build the state of blocks that nobody has touched, opened in a conversation."""
    values: Values = {}
    for block, element in elements_of(blocks):
        if element["type"] in STATE_KEYS:
            key, initial = STATE_KEYS[element["type"]]
            empty: Any = [] if is_list(element["type"]) else None
            if here and element.get("default_to_current_conversation"):
                empty = [here] if is_list(element["type"]) else here
            state = {"type": element["type"], key: element.get(initial, empty)}
            values.setdefault(block["block_id"], {})[element["action_id"]] = state
    return values


def kept_values(old: Values, blocks: list[Json]) -> Values:
    """Build the state of new blocks, keeping what stands under the same ids and type."""
    values = initial_values(blocks)
    for block_id, actions in values.items():
        for action_id, state in actions.items():
            before = old.get(block_id, {}).get(action_id)
            if before is not None and before["type"] == state["type"]:
                actions[action_id] = before
    return values


def state_of(element: Json, value: object) -> Json:
    """Build the state of an element that holds a value: options by text or value."""
    kind = element["type"]
    key, _ = STATE_KEYS[kind]
    if kind in OPTION_TYPES and kind not in ("external_select", "multi_external_select"):
        value = _picked(element, value)
    if isinstance(value, int | float) and kind == "number_input":
        value = str(value)
    return {"type": kind, key: value if value != "" else None}


def _picked(element: Json, value: object) -> object:
    if is_list(element["type"]):
        names = value if isinstance(value, list | tuple) else [value]
        return [find_option(element, str(name)) for name in names]
    return None if value is None else find_option(element, str(value))


def options_of(element: Json) -> list[Json]:
    """List the options of a menu, out of their groups."""
    grouped = [item for group in element.get("option_groups") or [] for item in group["options"]]
    return list(element.get("options") or []) + grouped


def find_option(element: Json, name: str) -> Json:
    """Return the option with a text or value, else raise `WorkspaceError`."""
    options = options_of(element)
    for option in options:
        if name in (option["value"], option["text"]["text"]):
            return option
    offered = ", ".join(repr(option["text"]["text"]) for option in options)
    raise WorkspaceError(f"{element.get('action_id')!r} offers {offered}; not {name!r}.")


def find_problem_inputs(blocks: list[Json], values: Values) -> dict[str, str]:
    """Check inputs as Slack's client does before it submits: block id, code of the complaint."""
    problems: dict[str, str] = {}
    for block in blocks:
        if block.get("type") == "input":
            element = block["element"]
            state = values[block["block_id"]][element["action_id"]]
            code = _complaint(block, element, state[STATE_KEYS[element["type"]][0]])
            if code:
                problems[block["block_id"]] = code
    return problems


def _complaint(block: Json, element: Json, value: Any) -> str | None:  # noqa: ANN401
    if value in (None, "", []):
        return None if block.get("optional") else "required"
    if element["type"] == "number_input":
        return _number_complaint(element, str(value))
    if isinstance(value, str):
        if len(value) < element.get("min_length", 0):
            return "too_short"
        return "too_long" if len(value) > element.get("max_length", 3000) else None
    return None


def _number_complaint(element: Json, value: str) -> str | None:
    try:
        number = float(value)
    except ValueError:
        return "not_a_number"
    if not element.get("is_decimal_allowed") and number != int(number):
        return "no_decimals"
    if "min_value" in element and number < float(element["min_value"]):
        return "too_small"
    return "too_large" if number > float(element.get("max_value", "inf")) else None
