"""Text objects, options and the confirm dialog: what every element is made of."""

from __future__ import annotations

from collections.abc import Iterator

from slackblocks import _limits as slack

from bot.limits.rules import Check, Problem, boolean, choice, listing, shape, string, typed

BOTH = ("plain_text", "mrkdwn")
PLAIN = ("plain_text",)
MRKDWN = ("mrkdwn",)


def text_object(
    high: int = slack.TEXT_MAX_LENGTH,
    *,
    kinds: tuple[str, ...] = BOTH,
    low: int = slack.TEXT_MIN_LENGTH,
) -> Check:
    """Check a text object of the given kinds, its length in characters."""
    body = {"text": string(low=low, high=high)}
    shapes = {
        "plain_text": shape(body, {"emoji": boolean}),
        "mrkdwn": shape(body, {"verbatim": boolean}),
    }
    return typed(shapes, kinds, "this text")


def option(*, kinds: tuple[str, ...] = PLAIN, with_url: bool = False) -> Check:
    """Check one option of a menu; only overflow menus may carry a url."""
    required = {
        "text": text_object(slack.OPTION_TEXT_MAX_LENGTH, kinds=kinds),
        "value": string(high=slack.OPTION_VALUE_MAX_LENGTH),
    }
    optional = {"description": text_object(slack.OPTION_DESCRIPTION_MAX_LENGTH, kinds=kinds)}
    if with_url:
        optional["url"] = string(high=slack.OPTION_URL_MAX_LENGTH)
    return shape(required, optional)


OPTION_GROUP = shape(
    {
        "label": text_object(slack.OPTION_GROUP_LABEL_MAX_LENGTH, kinds=PLAIN),
        "options": listing(
            option(),
            low=slack.OPTION_GROUP_OPTIONS_MIN_ITEMS,
            high=slack.OPTION_GROUP_OPTIONS_MAX_ITEMS,
        ),
    }
)

CONFIRM = shape(
    {
        "title": text_object(slack.CONFIRMATION_TITLE_MAX_LENGTH, kinds=PLAIN),
        "text": text_object(slack.CONFIRMATION_TEXT_MAX_LENGTH),
        "confirm": text_object(slack.CONFIRMATION_CONFIRM_MAX_LENGTH, kinds=PLAIN),
        "deny": text_object(slack.CONFIRMATION_DENY_MAX_LENGTH, kinds=PLAIN),
    },
    {"style": choice("primary", "danger")},
)

ACTION_ID = string(low=1, high=slack.ACTION_ID_MAX_LENGTH)


def offered(value: object, pointer: str) -> Iterator[Problem]:
    """Check that what is selected at first is offered: Slack compares the whole option."""
    if not isinstance(value, dict):
        return
    choices = _choices(value)
    for key in ("initial_option", "initial_options"):
        chosen = value.get(key, [])
        for item in chosen if isinstance(chosen, list) else [chosen]:
            if item not in choices:
                yield Problem(f"{pointer}/{key}", "is not one of the options, compared as a whole")


def _choices(element: dict[str, object]) -> list[object]:
    groups = element.get("option_groups", [])
    lists = [element.get("options", [])]
    if isinstance(groups, list):
        lists += [group.get("options", []) for group in groups if isinstance(group, dict)]
    return [item for items in lists if isinstance(items, list) for item in items]
