"""Whole messages, modals and Home views: what only shows when all blocks are seen together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from slackblocks import _limits as slack
from slackblocks._surfaces import _BLOCK_TYPES_BY_SURFACE as BLOCK_TYPES

from bot.errors import SlackLimitError
from bot.limits.blocks import BLOCKS
from bot.limits.expansion import expanded_blocks, markdown_tables
from bot.limits.rules import Check, Problem, anything, boolean, choice, length, shape, string, typed
from bot.limits.tables import characters
from bot.limits.texts import PLAIN, text_object

Surface = Literal["message", "modal", "home"]

# Slack cuts the text of a message after 40,000 characters.
TEXT_MAX_LENGTH = 40_000
# About 13,200 characters over all blocks were refused (`msg_blocks_too_long`); stay below.
BLOCKS_TEXT_MAX_LENGTH = 12_000
# A second table in one message is refused as invalid_attachments.
TABLES_MAX_ITEMS = 1
_COUNTS = {
    "table": TABLES_MAX_ITEMS,
    "data_visualization": slack.MESSAGE_DATA_VISUALIZATIONS_MAX_ITEMS,
}
_TEXTS = {
    "markdown": slack.MARKDOWN_TOTAL_TEXT_MAX_LENGTH,
    "data_table": slack.DATA_TABLE_TOTAL_CONTENT_MAX_LENGTH,
}
# These have a budget of their own.
_OWN_BUDGET = ("table", "data_table", "data_visualization")

_VIEW_OPTIONS: dict[str, Check] = {
    "private_metadata": string(high=slack.VIEW_PRIVATE_METADATA_MAX_LENGTH),
    "callback_id": string(high=slack.VIEW_CALLBACK_ID_MAX_LENGTH),
    "external_id": string(high=slack.VIEW_EXTERNAL_ID_MAX_LENGTH),
}
_MODAL = shape(
    {
        "type": choice("modal"),
        "title": text_object(slack.VIEW_TITLE_MAX_LENGTH, kinds=PLAIN),
        "blocks": anything,
    },
    {
        **_VIEW_OPTIONS,
        "submit": text_object(slack.VIEW_SUBMIT_MAX_LENGTH, kinds=PLAIN),
        "close": text_object(slack.VIEW_CLOSE_MAX_LENGTH, kinds=PLAIN),
        "clear_on_close": boolean,
        "notify_on_close": boolean,
        "submit_disabled": boolean,
    },
)
_HOME = shape({"type": choice("home"), "blocks": anything}, _VIEW_OPTIONS)


def find_problems(surface: Surface, payload: Mapping[str, object]) -> list[Problem]:
    """List everything that Slack would refuse in a message (text, blocks) or in a view.

    A message also needs a text: it is what notifications and screen readers read.
    """
    return list(_message(payload) if surface == "message" else _view(surface, payload))


def assert_valid(surface: Surface, payload: Mapping[str, object]) -> None:
    """Raise `SlackLimitError` naming every problem of a message or view."""
    problems = find_problems(surface, payload)
    if problems:
        lines = [f"{problem.pointer} {problem.message}" for problem in problems]
        raise SlackLimitError(f"Slack would refuse this {surface}: " + "; ".join(lines))


def _message(payload: Mapping[str, object]) -> Iterator[Problem]:
    yield from _message_text(payload.get("text"))
    blocks = payload.get("blocks")
    if blocks is not None:
        yield from _blocks(blocks, "message", "/blocks")
    attachments = payload.get("attachments") or []
    if not isinstance(attachments, list):
        yield Problem("/attachments", "must be a list")
        return
    high = slack.MESSAGE_ATTACHMENTS_MAX_ITEMS
    yield from length(len(attachments), "/attachments", high=high, unit="attachment")
    for index, item in enumerate(attachments):
        if isinstance(item, dict) and "blocks" in item:
            yield from _blocks(item["blocks"], "message", f"/attachments/{index}/blocks")


def _message_text(text: object) -> Iterator[Problem]:
    if not isinstance(text, str) or not text.strip():
        yield Problem("/text", "must say the result in words, for notifications and screen readers")
    else:
        yield from length(len(text), "/text", high=TEXT_MAX_LENGTH, unit="character")


def _view(surface: Surface, payload: Mapping[str, object]) -> Iterator[Problem]:
    check = _MODAL if surface == "modal" else _HOME
    yield from check(dict(payload), "")
    blocks = payload.get("blocks")
    if "blocks" in payload:
        yield from _blocks(blocks, surface, "/blocks")
    if surface == "modal" and "submit" not in payload and "input" in _types(blocks):
        yield Problem("", "lacks 'submit', which a modal with an input needs")


def _types(blocks: object) -> list[object]:
    if not isinstance(blocks, list):
        return []
    return [block.get("type") for block in blocks if isinstance(block, dict)]


def _blocks(blocks: object, surface: Surface, pointer: str) -> Iterator[Problem]:
    if not isinstance(blocks, list):
        yield Problem(pointer, "must be a list")
        return
    high = slack.MESSAGE_BLOCKS_MAX_ITEMS if surface == "message" else slack.VIEW_BLOCKS_MAX_ITEMS
    yield from length(len(blocks), pointer, high=high, unit="block")
    check = typed(BLOCKS, BLOCK_TYPES[surface], f"a {surface}")
    for index, block in enumerate(blocks):
        yield from check(block, f"{pointer}/{index}")
        yield from _unique_actions(block, f"{pointer}/{index}")
    yield from _unique_block_ids(blocks, pointer)
    if surface == "message":
        yield from _budgets(blocks, pointer)


def _unique_block_ids(blocks: list[object], pointer: str) -> Iterator[Problem]:
    seen: set[object] = set()
    for index, block in enumerate(blocks):
        block_id = block.get("block_id") if isinstance(block, dict) else None
        if isinstance(block_id, str):
            if block_id in seen:
                yield Problem(f"{pointer}/{index}/block_id", f"repeats {block_id!r}")
            seen.add(block_id)


def _unique_actions(block: object, pointer: str) -> Iterator[Problem]:
    """Check that an action_id stands once in its block: Slack asks no more than that."""
    if not isinstance(block, dict):
        return
    for key in ("child_blocks", "elements"):
        children = block.get(key)
        if key == "child_blocks" or block.get("type") == "carousel":
            for index, child in enumerate(children if isinstance(children, list) else []):
                yield from _unique_actions(child, f"{pointer}/{key}/{index}")
    ids = [element.get("action_id") for element in _own_elements(block)]
    for action_id in sorted({name for name in ids if isinstance(name, str)}):
        if ids.count(action_id) > 1:
            yield Problem(pointer, f"has {ids.count(action_id)} elements named {action_id!r}")


def _own_elements(block: dict[str, object]) -> list[dict[str, object]]:
    listed = [block.get("elements"), block.get("actions")]
    single = [block.get("accessory"), block.get("element")]
    found = [item for items in listed if isinstance(items, list) for item in items]
    return [item for item in [*found, *single] if isinstance(item, dict)]


def _budgets(blocks: list[object], pointer: str) -> Iterator[Problem]:
    """Check what the blocks of one message share: tables, charts and text."""
    known = [block for block in blocks if isinstance(block, dict)]
    for kind, limit in _COUNTS.items():
        count = sum(block.get("type") == kind for block in known)
        yield from length(count, pointer, high=limit, unit=f"{kind} block")
    yield from _expansion(known, pointer)
    for kind, limit in _TEXTS.items():
        count = characters([block for block in known if block.get("type") == kind])
        yield from length(count, pointer, high=limit, unit=f"{kind} character")
    count = characters([block for block in known if block.get("type") not in _OWN_BUDGET])
    yield from length(count, pointer, high=BLOCKS_TEXT_MAX_LENGTH, unit="text character")


def _expansion(known: list[dict[str, object]], pointer: str) -> Iterator[Problem]:
    """Check what Slack makes of markdown blocks: each becomes several blocks on its servers."""
    texts = [text for block in known if (text := _markdown_of(block)) is not None]
    if not texts:
        return
    count = len(known) - len(texts) + sum(map(expanded_blocks, texts))
    high = slack.MESSAGE_BLOCKS_MAX_ITEMS
    yield from length(count, pointer, high=high, unit="expanded block")
    own = sum(block.get("type") == "table" for block in known)
    tables = own + sum(map(markdown_tables, texts))
    if tables > own:
        yield from length(tables, pointer, high=TABLES_MAX_ITEMS, unit="table block")


def _markdown_of(block: dict[str, object]) -> str | None:
    text = block.get("text")
    return text if block.get("type") == "markdown" and isinstance(text, str) else None
