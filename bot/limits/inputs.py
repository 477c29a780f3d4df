"""Elements to type into, for input blocks."""

from __future__ import annotations

from slackblocks import _limits as slack

from bot.limits.rich_text import RICH_TEXT
from bot.limits.rules import Check, boolean, choice, integer, listing, shape, string
from bot.limits.texts import ACTION_ID, PLAIN, text_object

_COMMON: dict[str, Check] = {"action_id": ACTION_ID}
_NUMBER = string(pattern=r"-?\d+(\.\d+)?")
_DISPATCH = shape(
    {
        "trigger_actions_on": listing(
            choice("on_enter_pressed", "on_character_entered"),
            low=slack.DISPATCH_ACTION_CONFIGURATION_TRIGGER_ACTIONS_ON_MIN_ITEMS,
            high=slack.DISPATCH_ACTION_CONFIGURATION_TRIGGER_ACTIONS_ON_MAX_ITEMS,
        )
    }
)


def _typing(placeholder: int, **extra: Check) -> Check:
    """Shape an element to type into."""
    optional = {
        **_COMMON,
        "focus_on_load": boolean,
        "placeholder": text_object(placeholder, kinds=PLAIN),
        "initial_value": string(),
        "dispatch_action_config": _DISPATCH,
        **extra,
    }
    return shape({}, optional)


INPUTS: dict[str, Check] = {
    "plain_text_input": _typing(
        slack.PLAIN_TEXT_INPUT_PLACEHOLDER_MAX_LENGTH,
        multiline=boolean,
        min_length=integer(
            low=slack.PLAIN_TEXT_INPUT_MIN_LENGTH_MIN, high=slack.PLAIN_TEXT_INPUT_MIN_LENGTH_MAX
        ),
        max_length=integer(
            low=slack.PLAIN_TEXT_INPUT_MAX_LENGTH_MIN, high=slack.PLAIN_TEXT_INPUT_MAX_LENGTH_MAX
        ),
    ),
    "number_input": shape(
        {"is_decimal_allowed": boolean},
        {
            **_COMMON,
            "focus_on_load": boolean,
            "placeholder": text_object(slack.NUMBER_INPUT_PLACEHOLDER_MAX_LENGTH, kinds=PLAIN),
            "initial_value": _NUMBER,
            "min_value": _NUMBER,
            "max_value": _NUMBER,
            "dispatch_action_config": _DISPATCH,
        },
    ),
    "email_text_input": _typing(slack.EMAIL_INPUT_PLACEHOLDER_MAX_LENGTH),
    "url_text_input": _typing(slack.URL_INPUT_PLACEHOLDER_MAX_LENGTH),
    "rich_text_input": _typing(
        slack.RICH_TEXT_INPUT_PLACEHOLDER_MAX_LENGTH,
        initial_value=RICH_TEXT,
        min_lines=integer(
            low=slack.RICH_TEXT_INPUT_MIN_LINES_MIN, high=slack.RICH_TEXT_INPUT_MIN_LINES_MAX
        ),
        max_lines=integer(
            low=slack.RICH_TEXT_INPUT_MAX_LINES_MIN, high=slack.RICH_TEXT_INPUT_MAX_LINES_MAX
        ),
    ),
    "file_input": shape(
        {},
        {
            **_COMMON,
            "filetypes": listing(string(low=1)),
            "max_files": integer(
                low=slack.FILE_INPUT_MAX_FILES_MIN, high=slack.FILE_INPUT_MAX_FILES_MAX
            ),
        },
    ),
}
