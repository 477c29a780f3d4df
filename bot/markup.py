"""Markdown that is safe to build from other people's words."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_SPECIAL = re.compile(r"[\\`*\[\]<>&|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LEADING = re.compile(r"^(\s*)([#+\-=]|\d+[.)](?=\s|$))")
_TICKS = re.compile(r"`+")


class Md(str):
    """Text that is Markdown already and must not be escaped again."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return itself: Jinja asks for this name before it escapes a value."""
        return self


def escape(text: str) -> Md:
    """Return Markdown that shows `text` letter by letter, on one line."""
    if isinstance(text, Md):
        return text
    escaped = _SPECIAL.sub(lambda match: "\\" + match.group(), _CONTROL.sub(" ", text))
    return Md(_LEADING.sub(_escape_leading, escaped))


def code(text: str) -> Md:
    """Return a code span that shows `text` letter by letter."""
    flat = _CONTROL.sub(" ", text)
    longest = max((len(run) for run in _TICKS.findall(flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest or flat != flat.strip() or not flat else ""
    return Md(f"{fence}{pad}{flat}{pad}{fence}")


def fenced(text: str) -> Md:
    """Return a block of code that shows `text` letter by letter, its lines kept."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Md(f"{fence}\n{text.rstrip()}\n{fence}")


def _escape_leading(match: re.Match[str]) -> str:
    """Escape the last character of what would start a heading, a list or an underline."""
    space, sign = match.groups()
    return f"{space}{sign[:-1]}\\{sign[-1]}"
