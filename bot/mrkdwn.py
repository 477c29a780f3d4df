"""Slack's own markup from the inline part of Markdown: escaped once, here and nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_MARKS = re.compile(r"(?<![^\W_])[*_~]|[*_~](?![^\W_])|`")
# mrkdwn has no escape for its marks: signs that look alike keep other people's words literal.
_LOOKALIKES = {"*": "∗", "_": "ˍ", "~": "∼", "`": "ˋ"}
_WRAPS = {"strong": "*", "em": "_", "s": "~"}
CUT = " […]"
"""Sign that something was left out for Slack's limits."""


def escape(text: str) -> str:
    """Replace the three characters that mrkdwn gives a meaning."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """Return what was typed where Slack wrote entities for the three characters."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def literal(text: str) -> str:
    """Return mrkdwn that shows `text` as it is: no entity, no bold, no code."""
    return escape(_MARKS.sub(lambda match: _LOOKALIKES[match.group()], text))


def to_mrkdwn(node: SyntaxTreeNode) -> str:
    """Return the mrkdwn of an inline node and all below it."""
    if node.type == "text":
        return literal(node.content)
    if node.type == "code_inline":
        return f"`{escape(node.content.replace('`', _LOOKALIKES['`']))}`"
    if node.type in ("softbreak", "hardbreak"):
        return "\n"
    inner = "".join(to_mrkdwn(child) for child in node.children)
    if node.type == "link":
        return f"<{escape(str(node.attrs['href'])).replace('|', '%7C')}|{inner}>"
    mark = _WRAPS.get(node.type, "")
    return f"{mark}{inner}{mark}"


def to_plain(node: SyntaxTreeNode) -> str:
    """Return the words of an inline node without any markup, for headers and table cells."""
    if node.type in ("text", "code_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    return "".join(to_plain(child) for child in node.children)


def shorten(text: str, limit: int) -> str:
    """Return mrkdwn of at most `limit` characters, cut between words and marked as cut."""
    if len(text) <= limit:
        return text
    kept = text[: limit - len(CUT)]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    kept = kept[:space] if space > limit // 2 else re.sub(r"&[a-z]*$", "", kept)
    return kept.rstrip() + CUT
