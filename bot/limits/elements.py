"""Block elements: buttons, menus, pickers and inputs, and where each may stand."""

from __future__ import annotations

from slackblocks import _limits as slack

from bot.limits.inputs import INPUTS
from bot.limits.rules import (
    Check,
    anything,
    boolean,
    choice,
    count_of,
    integer,
    listing,
    needs,
    shape,
    string,
)
from bot.limits.texts import (
    ACTION_ID,
    BOTH,
    CONFIRM,
    OPTION_GROUP,
    PLAIN,
    offered,
    option,
    text_object,
)

_COMMON: dict[str, Check] = {"action_id": ACTION_ID}
_CONFIRM: dict[str, Check] = {**_COMMON, "confirm": CONFIRM}
_FOCUS: dict[str, Check] = {**_CONFIRM, "focus_on_load": boolean}
_MENU: dict[str, Check] = {
    **_FOCUS,
    "placeholder": text_object(slack.SELECT_PLACEHOLDER_MAX_LENGTH, kinds=PLAIN),
}
_MULTI: dict[str, Check] = {
    **_MENU,
    "max_selected_items": integer(low=slack.MULTI_SELECT_MAX_SELECTED_ITEMS_MIN),
}
_OPTIONS: dict[str, Check] = {
    "options": listing(
        option(),
        low=slack.SELECT_OPTIONS_MIN_ITEMS,
        high=slack.SELECT_OPTIONS_MAX_ITEMS,
        unit="option",
    ),
    "option_groups": listing(
        OPTION_GROUP,
        low=slack.SELECT_OPTION_GROUPS_MIN_ITEMS,
        high=slack.SELECT_OPTION_GROUPS_MAX_ITEMS,
        unit="group",
    ),
}
_QUERY: dict[str, Check] = {"min_query_length": integer(low=slack.SELECT_MIN_QUERY_LENGTH_MIN)}
_FILTER: dict[str, Check] = {
    "filter": shape(
        {},
        {
            "include": listing(choice("im", "mpim", "private", "public"), low=1),
            "exclude_external_shared_channels": boolean,
            "exclude_bot_users": boolean,
        },
    ),
    "default_to_current_conversation": boolean,
}
_IDS = listing(string(low=1))
_URL = string(low=1, high=slack.BUTTON_URL_MAX_LENGTH)


def _choosing(high: int, initial: dict[str, Check]) -> Check:
    """Shape checkboxes or radio buttons."""
    options = listing(option(kinds=BOTH), low=1, high=high, unit="option")
    return shape({"options": options}, {**_FOCUS, **initial}, offered)


_BUTTON = shape(
    {"text": text_object(slack.BUTTON_TEXT_MAX_LENGTH, kinds=PLAIN)},
    {
        **_CONFIRM,
        "url": _URL,
        "value": string(low=1, high=slack.BUTTON_VALUE_MAX_LENGTH),
        "style": choice("primary", "danger"),
        "accessibility_label": string(high=slack.BUTTON_ACCESSIBILITY_LABEL_MAX_LENGTH),
        "agent_prompt": string(high=slack.BUTTON_AGENT_PROMPT_MAX_LENGTH),
        "agent_prompt_display": string(),
    },
    needs("agent_prompt_display", "agent_prompt"),
)

_FEEDBACK = shape(
    {
        "text": text_object(slack.FEEDBACK_BUTTON_TEXT_MAX_LENGTH, kinds=PLAIN),
        "value": string(high=slack.FEEDBACK_BUTTON_VALUE_MAX_LENGTH),
    },
    {"accessibility_label": string(high=slack.FEEDBACK_BUTTON_ACCESSIBILITY_LABEL_MAX_LENGTH)},
)

IMAGE_ELEMENT = shape(
    {"alt_text": string(low=1, high=slack.IMAGE_ELEMENT_ALT_TEXT_MAX_LENGTH)},
    {
        "image_url": string(low=1, high=slack.IMAGE_ELEMENT_IMAGE_URL_MAX_LENGTH),
        "slack_file": anything,
    },
    count_of(1, 1, "image_url", "slack_file"),
)

_BUTTONS: dict[str, Check] = {
    "button": _BUTTON,
    "workflow_button": shape(
        {
            "text": text_object(slack.WORKFLOW_BUTTON_TEXT_MAX_LENGTH, kinds=PLAIN),
            "workflow": anything,
        },
        {
            **_COMMON,
            "style": choice("primary", "danger"),
            "accessibility_label": string(
                high=slack.WORKFLOW_BUTTON_ACCESSIBILITY_LABEL_MAX_LENGTH
            ),
        },
    ),
    "feedback_buttons": shape(
        {"positive_button": _FEEDBACK, "negative_button": _FEEDBACK}, _COMMON
    ),
    "icon_button": shape(
        {"icon": choice("trash"), "text": text_object(kinds=PLAIN)},
        {
            **_CONFIRM,
            "value": string(high=slack.ICON_BUTTON_VALUE_MAX_LENGTH),
            "accessibility_label": string(high=slack.ICON_BUTTON_ACCESSIBILITY_LABEL_MAX_LENGTH),
            "visible_to_user_ids": listing(
                string(low=1), high=slack.ICON_BUTTON_VISIBLE_TO_USER_IDS_MAX_ITEMS
            ),
        },
    ),
}

_MENUS: dict[str, Check] = {
    "static_select": shape(
        {},
        {**_MENU, **_OPTIONS, "initial_option": option()},
        count_of(1, 1, "options", "option_groups"),
        offered,
    ),
    "external_select": shape({}, {**_MENU, **_QUERY, "initial_option": option()}),
    "users_select": shape({}, {**_MENU, "initial_user": string(low=1)}),
    "conversations_select": shape(
        {},
        {
            **_MENU,
            **_FILTER,
            "initial_conversation": string(low=1),
            "response_url_enabled": boolean,
        },
    ),
    "channels_select": shape(
        {}, {**_MENU, "initial_channel": string(low=1), "response_url_enabled": boolean}
    ),
}

_MULTI_MENUS: dict[str, Check] = {
    "multi_static_select": shape(
        {},
        {**_MULTI, **_OPTIONS, "initial_options": listing(option(), low=1)},
        count_of(1, 1, "options", "option_groups"),
        offered,
    ),
    "multi_external_select": shape(
        {}, {**_MULTI, **_QUERY, "initial_options": listing(option(), low=1)}
    ),
    "multi_users_select": shape({}, {**_MULTI, "initial_users": _IDS}),
    "multi_conversations_select": shape({}, {**_MULTI, **_FILTER, "initial_conversations": _IDS}),
    "multi_channels_select": shape({}, {**_MULTI, "initial_channels": _IDS}),
}

_CHOICES: dict[str, Check] = {
    "overflow": shape(
        {
            "options": listing(
                option(with_url=True),
                low=slack.OVERFLOW_OPTIONS_MIN_ITEMS,
                high=slack.OVERFLOW_OPTIONS_MAX_ITEMS,
                unit="option",
            )
        },
        _CONFIRM,
    ),
    "checkboxes": _choosing(
        slack.CHECKBOXES_OPTIONS_MAX_ITEMS,
        {"initial_options": listing(option(kinds=BOTH), low=1)},
    ),
    "radio_buttons": _choosing(
        slack.RADIO_BUTTONS_OPTIONS_MAX_ITEMS, {"initial_option": option(kinds=BOTH)}
    ),
}

_PICKERS: dict[str, Check] = {
    "datepicker": shape({}, {**_MENU, "initial_date": string(pattern=r"\d{4}-\d{2}-\d{2}")}),
    "timepicker": shape(
        {}, {**_MENU, "initial_time": string(pattern=r"\d{2}:\d{2}"), "timezone": string(low=1)}
    ),
    "datetimepicker": shape(
        {}, {**_FOCUS, "initial_date_time": integer(low=10**9, high=10**10 - 1)}
    ),
}

_TEXTS: dict[str, Check] = {
    "plain_text": text_object(kinds=PLAIN),
    "mrkdwn": text_object(),
    "image": IMAGE_ELEMENT,
}

ELEMENTS: dict[str, Check] = {
    **_BUTTONS,
    **_MENUS,
    **_MULTI_MENUS,
    **_CHOICES,
    **_PICKERS,
    **INPUTS,
    **_TEXTS,
}

# Slack refuses multi-selects and typed inputs in an actions block.
IN_ACTIONS = frozenset({"button", "workflow_button", *_MENUS, *_CHOICES, *_PICKERS})
IN_SECTION = frozenset(
    {
        "button",
        "workflow_button",
        "image",
        "datepicker",
        "timepicker",
        *_MENUS,
        *_MULTI_MENUS,
        *_CHOICES,
    }
)
IN_INPUT = frozenset({"checkboxes", "radio_buttons", *_MENUS, *_MULTI_MENUS, *_PICKERS, *INPUTS})
IN_CONTEXT = frozenset(_TEXTS)
IN_CONTEXT_ACTIONS = frozenset({"feedback_buttons", "icon_button"})
