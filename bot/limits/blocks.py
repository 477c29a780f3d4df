"""Blocks: the shape of each type."""

from __future__ import annotations

from collections.abc import Iterator

from slackblocks import _limits as slack

from bot.limits.elements import (
    ELEMENTS,
    IMAGE_ELEMENT,
    IN_ACTIONS,
    IN_CONTEXT,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    IN_SECTION,
)
from bot.limits.rich_text import RICH_TEXT
from bot.limits.rules import (
    Check,
    Problem,
    anything,
    boolean,
    choice,
    count_of,
    listing,
    shape,
    string,
    typed,
)
from bot.limits.tables import DATA_TABLE, DATA_VISUALIZATION, TABLE
from bot.limits.texts import PLAIN, text_object

_ID: dict[str, Check] = {"block_id": string(low=1, high=slack.BLOCK_ID_MAX_LENGTH)}


def _elements(allowed: frozenset[str], high: int, place: str) -> Check:
    return listing(typed(ELEMENTS, allowed, place), low=1, high=high, unit="element")


_SECTION = shape(
    {},
    {
        **_ID,
        "text": text_object(slack.SECTION_TEXT_MAX_LENGTH),
        "fields": listing(
            text_object(slack.SECTION_FIELDS_ITEM_MAX_LENGTH),
            low=1,
            high=slack.SECTION_FIELDS_MAX_ITEMS,
            unit="field",
        ),
        "accessory": typed(ELEMENTS, IN_SECTION, "a section"),
        "expand": boolean,
    },
    count_of(1, 2, "text", "fields"),
)

_INPUT = shape(
    {
        "label": text_object(slack.INPUT_LABEL_MAX_LENGTH, kinds=PLAIN),
        "element": typed(ELEMENTS, IN_INPUT, "an input"),
    },
    {
        **_ID,
        "hint": text_object(slack.INPUT_HINT_MAX_LENGTH, kinds=PLAIN),
        "optional": boolean,
        "dispatch_action": boolean,
    },
)

_IMAGE = shape(
    {"alt_text": string(low=1, high=slack.IMAGE_ALT_TEXT_MAX_LENGTH)},
    {
        **_ID,
        "title": text_object(slack.IMAGE_TITLE_MAX_LENGTH, kinds=PLAIN),
        "image_url": string(low=1, high=slack.IMAGE_IMAGE_URL_MAX_LENGTH),
        "slack_file": anything,
    },
    count_of(1, 1, "image_url", "slack_file"),
)

_VIDEO = shape(
    {
        "alt_text": string(low=1, high=slack.VIDEO_ALT_TEXT_MAX_LENGTH),
        "title": text_object(slack.VIDEO_TITLE_MAX_LENGTH, kinds=PLAIN),
        "thumbnail_url": string(low=1, high=slack.VIDEO_THUMBNAIL_URL_MAX_LENGTH),
        "video_url": string(low=1, high=slack.VIDEO_VIDEO_URL_MAX_LENGTH),
    },
    {
        **_ID,
        "author_name": string(high=slack.VIDEO_AUTHOR_NAME_MAX_LENGTH),
        "description": text_object(slack.VIDEO_DESCRIPTION_MAX_LENGTH, kinds=PLAIN),
        "provider_icon_url": string(high=slack.VIDEO_PROVIDER_ICON_URL_MAX_LENGTH),
        "provider_name": string(high=slack.VIDEO_PROVIDER_NAME_MAX_LENGTH),
        "title_url": string(high=slack.VIDEO_TITLE_URL_MAX_LENGTH),
    },
)

_ICON = typed({"image": IMAGE_ELEMENT}, ("image",), "an icon")

_CARD = shape(
    {},
    {
        **_ID,
        "hero_image": _ICON,
        "icon": _ICON,
        "slack_icon": anything,
        "title": text_object(slack.CARD_TITLE_MAX_LENGTH),
        "subtitle": text_object(slack.CARD_SUBTITLE_MAX_LENGTH),
        "body": text_object(slack.CARD_BODY_MAX_LENGTH),
        "subtext": text_object(slack.CARD_SUBTEXT_MAX_LENGTH),
        "actions": _elements(frozenset({"button"}), slack.CARD_ACTIONS_MAX_ITEMS, "a card"),
    },
    count_of(1, 4, "hero_image", "title", "body", "actions"),
    count_of(0, 1, "icon", "slack_icon"),
)

_TASK: dict[str, Check] = {
    "task_id": string(low=1),
    "title": string(low=1),
}
_TASK_DETAILS: dict[str, Check] = {
    "details": RICH_TEXT,
    "output": RICH_TEXT,
    "sources": listing(anything),
}
_SHOWN_STATUS = choice("in_progress", "complete", "error")
_PLANNED_STATUS = choice("pending", "in_progress", "complete", "error")

_SIMPLE: dict[str, Check] = {
    "header": shape({"text": text_object(slack.HEADER_TEXT_MAX_LENGTH, kinds=PLAIN)}, _ID),
    "section": _SECTION,
    "divider": shape({}, _ID),
    "context": shape(
        {"elements": _elements(IN_CONTEXT, slack.CONTEXT_ELEMENTS_MAX_ITEMS, "context")}, _ID
    ),
    "actions": shape(
        {"elements": _elements(IN_ACTIONS, slack.ACTIONS_ELEMENTS_MAX_ITEMS, "actions")}, _ID
    ),
    "context_actions": shape(
        {
            "elements": _elements(
                IN_CONTEXT_ACTIONS, slack.CONTEXT_ACTIONS_ELEMENTS_MAX_ITEMS, "context_actions"
            )
        },
        _ID,
    ),
    "image": _IMAGE,
    "input": _INPUT,
    "video": _VIDEO,
    "rich_text": RICH_TEXT,
    "table": TABLE,
    "file": shape({"external_id": string(low=1), "source": choice("remote")}, _ID),
}

# The documentation also lists rich_text, file, input and video; a live workspace refused them.
_IN_CONTAINER = frozenset({"section", "context", "divider", "header", "image", "actions", "table"})


def _container_flags(value: object, pointer: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        return
    collapsible = value.get("is_collapsible") is True
    if value.get("default_collapsed") and not collapsible:
        yield Problem(f"{pointer}/default_collapsed", "needs is_collapsible")
    if value.get("has_header_divider") and collapsible:
        yield Problem(f"{pointer}/has_header_divider", "does not go with is_collapsible")


_CONTAINER = shape(
    {
        "child_blocks": listing(
            typed(_SIMPLE, _IN_CONTAINER, "a container"),
            low=slack.CONTAINER_CHILD_BLOCKS_MIN_ITEMS,
            high=slack.CONTAINER_CHILD_BLOCKS_MAX_ITEMS,
            unit="block",
        )
    },
    {
        **_ID,
        "title": text_object(slack.CONTAINER_TITLE_MAX_LENGTH, kinds=PLAIN),
        "rich_text_title": RICH_TEXT,
        "subtitle": text_object(slack.CONTAINER_SUBTITLE_MAX_LENGTH),
        "width": choice("narrow", "standard", "wide", "full"),
        "icon": _ICON,
        "is_collapsible": boolean,
        "default_collapsed": boolean,
        "has_header_divider": boolean,
    },
    count_of(1, 1, "title", "rich_text_title"),
    _container_flags,
)

BLOCKS: dict[str, Check] = {
    **_SIMPLE,
    "markdown": shape({"text": string(low=1, high=slack.MARKDOWN_TEXT_MAX_LENGTH)}, _ID),
    "alert": shape(
        {"text": text_object(slack.ALERT_TEXT_MAX_LENGTH)},
        {**_ID, "level": choice("default", "info", "warning", "error", "success")},
    ),
    "card": _CARD,
    "carousel": shape(
        {
            "elements": listing(
                typed({"card": _CARD}, ("card",), "a carousel"),
                low=slack.CAROUSEL_ELEMENTS_MIN_ITEMS,
                high=slack.CAROUSEL_ELEMENTS_MAX_ITEMS,
                unit="card",
            )
        },
        _ID,
    ),
    "container": _CONTAINER,
    "data_table": DATA_TABLE,
    "data_visualization": DATA_VISUALIZATION,
    "task_card": shape({**_TASK, "status": _SHOWN_STATUS}, {**_ID, **_TASK_DETAILS}),
    "plan": shape(
        {
            "title": string(low=1),
            "tasks": listing(
                shape({**_TASK, "status": _PLANNED_STATUS}, _TASK_DETAILS),
                high=slack.PLAN_TASKS_MAX_ITEMS,
                unit="task",
            ),
        },
        _ID,
    ),
}
