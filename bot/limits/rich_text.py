"""The rich_text block: sections, lists, quotes and preformatted text."""

from __future__ import annotations

from slackblocks import _limits as slack

from bot.limits.rules import (
    Check,
    anything,
    boolean,
    choice,
    integer,
    listing,
    shape,
    string,
    typed,
)

_STYLE: dict[str, Check] = {"style": anything}
_TEXT = shape({"text": string(low=1)}, _STYLE)

_INLINE: dict[str, Check] = {
    "text": _TEXT,
    "link": shape({"url": string(low=1)}, {**_STYLE, "text": string(low=1), "unsafe": boolean}),
    "emoji": shape({"name": string(low=1)}, {**_STYLE, "unicode": string(), "url": string()}),
    "user": shape({"user_id": string(low=1)}, _STYLE),
    "usergroup": shape({"usergroup_id": string(low=1)}, _STYLE),
    "channel": shape({"channel_id": string(low=1)}, _STYLE),
    "team": shape({"team_id": string(low=1)}, _STYLE),
    "broadcast": shape({"range": choice("here", "channel", "everyone")}, _STYLE),
    "color": shape({"value": string(low=1)}, _STYLE),
    "date": shape(
        {"timestamp": integer(), "format": string(low=1)},
        {**_STYLE, "url": string(low=1), "fallback": string()},
    ),
}
_PARTS = listing(typed(_INLINE, _INLINE, "rich text"))
_BORDER = {
    "border": integer(low=slack.RICH_TEXT_QUOTE_BORDER_MIN, high=slack.RICH_TEXT_QUOTE_BORDER_MAX)
}
_VERBATIM = listing(typed(_INLINE, ("text", "link"), "preformatted text"))

_SECTION = shape({"elements": _PARTS})
_LIST = shape(
    {
        "style": choice("bullet", "ordered"),
        "elements": listing(
            typed({"rich_text_section": _SECTION}, ("rich_text_section",), "a list")
        ),
    },
    {
        **_BORDER,
        "indent": integer(
            low=slack.RICH_TEXT_LIST_INDENT_MIN, high=slack.RICH_TEXT_LIST_INDENT_MAX
        ),
        "offset": integer(low=slack.RICH_TEXT_LIST_OFFSET_MIN),
    },
)
_CONTAINERS: dict[str, Check] = {
    "rich_text_section": _SECTION,
    "rich_text_list": _LIST,
    "rich_text_quote": shape({"elements": _PARTS}, _BORDER),
    "rich_text_preformatted": shape(
        {"elements": _VERBATIM}, {**_BORDER, "language": string(low=1)}
    ),
}

RICH_TEXT = shape(
    {"elements": listing(typed(_CONTAINERS, _CONTAINERS, "rich text"))},
    {"block_id": string(low=1, high=slack.BLOCK_ID_MAX_LENGTH)},
)
