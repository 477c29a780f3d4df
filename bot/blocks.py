"""Block Kit from the Markdown of a reply; pure dictionaries inside Slack's limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from bot.mrkdwn import CUT, escape, literal, shorten, to_mrkdwn, to_plain
from bot.plots import block_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    from bot.reply import Button, Reply

Block = dict[str, object]

HEADER_CHARACTERS = 150
SECTION_CHARACTERS = 3000
CONTEXT_CHARACTERS = 2000
CONTEXT_ELEMENTS = 10
TABLE_ROWS = 100
TABLE_CHARACTERS = 10_000
BUTTON_CHARACTERS = 75
BUTTON_VALUE_CHARACTERS = 2000
MESSAGE_BLOCKS = 50
MESSAGE_CHARACTERS = 11_500
"""Text of all blocks together; Slack was seen to refuse messages from about 13,000 on."""

_EVERY_RULE = """# Title

Text *em* **strong** `code` [link](https://example.org/?q=é) <https://example.org/%C3%A9> \\* &amp;

- one
  1. two

> quote

| a | b |
|---|--:|
| 1 | 2 |

```
code
```

---
"""
"""Page that makes the Markdown parser look up each of its rules."""

_WARMING = Lock()


def to_message(reply: Reply) -> dict[str, object]:
    """Return `text` and `blocks` of a reply, ready to be posted."""
    blocks = to_blocks(reply.markdown)
    buttons = action_block(reply.actions)
    charts = [block_of(chart) for chart in reply.charts]
    blocks = fitting(blocks, MESSAGE_BLOCKS - len(charts) - len(buttons))
    return {"text": to_text(reply), "blocks": [*blocks, *charts, *buttons]}


def to_text(reply: Reply) -> str:
    """Return a reply as one sentence of mrkdwn, as notifications and screen readers read it."""
    source = reply.summary or reply.markdown
    first = next(iter(_parse(source).children), None)
    text = "\n".join(_lines(first)) if first is not None else ""
    return shorten(text.strip() or CUT.strip(), SECTION_CHARACTERS)


def to_blocks(markdown: str) -> list[Block]:
    """Return the blocks of a Markdown page."""
    builder = _Builder()
    for node in _parse(markdown).children:
        builder.add(node)
    return builder.finish()


def action_block(buttons: Sequence[Button]) -> list[Block]:
    """Return the block of buttons, if there are any that Slack takes."""
    elements = [_button(button) for button in buttons if _pressable(button)]
    return [{"type": "actions", "elements": elements}] if elements else []


class _Builder:
    """Collects blocks; neighbouring paragraphs and lists share a section."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._text = ""
        self._after_list = False
        self._has_table = False

    def add(self, node: SyntaxTreeNode) -> None:
        """Add one block of Markdown."""
        handlers = {
            "heading": self._heading,
            "table": self._table,
            "blockquote": self._quote,
            "hr": self._divider,
        }
        handlers.get(node.type, self._paragraph)(node)

    def finish(self) -> list[Block]:
        """Return all blocks."""
        self._flush()
        return self._blocks

    def _heading(self, node: SyntaxTreeNode) -> None:
        self._flush()
        text = shorten(to_plain(node).strip() or CUT.strip(), HEADER_CHARACTERS)
        self._blocks.append({"type": "header", "text": _plain(text)})

    def _paragraph(self, node: SyntaxTreeNode) -> None:
        is_list = node.type.endswith("_list")
        gap = "\n\n" if self._after_list and not is_list else "\n"
        for line in _lines(node):
            # Line by line: a list longer than one section goes on in the next.
            self._append(line, gap)
            gap = "\n"
        self._after_list = is_list

    def _append(self, text: str, gap: str = "\n") -> None:
        text = shorten(text, SECTION_CHARACTERS)
        if self._text and len(self._text) + len(gap) + len(text) > SECTION_CHARACTERS:
            self._flush()
        self._text = f"{self._text}{gap}{text}" if self._text else text

    def _flush(self) -> None:
        if self._text.strip():
            self._blocks.append({"type": "section", "text": _mrkdwn(self._text.strip())})
        self._text = ""
        self._after_list = False

    def _divider(self, _node: SyntaxTreeNode) -> None:
        self._flush()
        self._blocks.append({"type": "divider"})

    def _quote(self, node: SyntaxTreeNode) -> None:
        self._flush()
        texts = ["\n".join(_lines(child)) for child in node.children]
        texts = [shorten(text, CONTEXT_CHARACTERS) for text in texts if text.strip()]
        if len(texts) > CONTEXT_ELEMENTS:
            rest = "\n".join(texts[CONTEXT_ELEMENTS - 1 :])
            texts = [*texts[: CONTEXT_ELEMENTS - 1], shorten(rest, CONTEXT_CHARACTERS)]
        elements = [_mrkdwn(text) for text in texts]
        if elements:
            self._blocks.append({"type": "context", "elements": elements})

    def _table(self, node: SyntaxTreeNode) -> None:
        rows = [[to_plain(cell).strip() or " " for cell in row.children] for row in _rows(node)]
        if self._has_table:
            # Slack refuses a second table in one message.
            for row in rows[1:]:
                self._append(f"• {' · '.join(map(literal, row))}")
            return
        self._flush()
        self._has_table = True
        shown = _fitting_rows(rows)
        cells = [[{"type": "raw_text", "text": text} for text in row] for row in shown]
        self._blocks.append({"type": "table", "column_settings": _columns(node), "rows": cells})
        if len(shown) < len(rows):
            self._append(CUT.strip())


def _parse(markdown: str) -> SyntaxTreeNode:
    from markdown_it.tree import SyntaxTreeNode

    return SyntaxTreeNode(_parser().parse(markdown))


@cache
def _parser() -> MarkdownIt:
    """Return the Markdown parser; setting one up costs as much as parsing a page."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # It fills its caches, some of them shared by all parsers, on the first page and shows them to
    # other threads half full: nobody may have it before that page is through.
    with _WARMING:
        parser.parse(_EVERY_RULE)
    return parser


def _lines(node: SyntaxTreeNode, indent: str = "") -> Iterator[str]:
    """Yield the mrkdwn lines of a paragraph, a list or a block of code."""
    if node.type in ("fence", "code_block"):
        yield f"```\n{escape(node.content.strip())}\n```"
    elif node.type in ("bullet_list", "ordered_list"):
        for number, item in enumerate(node.children, start=1):
            sign = "•" if node.type == "bullet_list" else f"{number}."
            yield from _item(item, sign, indent)
    elif node.type == "inline":
        yield to_mrkdwn(node)
    else:
        for child in node.children:
            yield from _lines(child, indent)


def _item(item: SyntaxTreeNode, sign: str, indent: str) -> Iterator[str]:
    for position, child in enumerate(item.children):
        lead = f"{indent}{sign} " if position == 0 else ""
        for line in _lines(child, f"{indent}    "):
            yield f"{lead}{line}"


def _rows(table: SyntaxTreeNode) -> Iterator[SyntaxTreeNode]:
    for part in table.children:
        yield from part.children


def _columns(table: SyntaxTreeNode) -> list[Block]:
    """Return how the columns are set: numbers to the right, words wrapped."""
    head = next(_rows(table)).children
    right = ["right" in str(cell.attrs.get("style", "")) for cell in head]
    return [{"align": "right"} if numbers else {"is_wrapped": True} for numbers in right]


def _fitting_rows(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows that one table of Slack may have."""
    kept: list[list[str]] = []
    characters = 0
    for row in rows[:TABLE_ROWS]:
        characters += sum(map(len, row))
        if characters > TABLE_CHARACTERS:
            break
        kept.append(row)
    return kept


def fitting(blocks: list[Block], most: int) -> list[Block]:
    """Return the blocks one message may have; what is left out shows as a sign."""
    kept: list[Block] = []
    characters = 0
    for block in blocks:
        characters += 0 if block["type"] == "table" else _characters(block)
        is_last_place = len(kept) == most - 1 and len(blocks) > most
        if is_last_place or characters > MESSAGE_CHARACTERS:
            return [*kept, {"type": "context", "elements": [_mrkdwn(CUT.strip())]}]
        kept.append(block)
    return kept


def _characters(value: object) -> int:
    """Count the characters of all texts inside a block."""
    if isinstance(value, dict):
        own = len(value["text"]) if isinstance(value.get("text"), str) else 0
        return own + sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else 0


def _pressable(button: Button) -> bool:
    """Return whether Slack takes the button: a cut question would be another question."""
    return bool(button.value) and len(button.value) <= BUTTON_VALUE_CHARACTERS


def _button(button: Button) -> Block:
    element: Block = {
        "type": "button",
        "action_id": button.action_id,
        "text": _plain(shorten(button.label, BUTTON_CHARACTERS)),
        "value": button.value,
    }
    if button.accessibility_label:
        element["accessibility_label"] = shorten(button.accessibility_label, BUTTON_CHARACTERS)
    return element


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}


def _mrkdwn(text: str) -> Block:
    # Verbatim: a typed @channel, #general or address stays what was typed, and pings nobody.
    return {"type": "mrkdwn", "text": text, "verbatim": True}
