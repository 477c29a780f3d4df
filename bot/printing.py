"""Turn a page of Markdown into one HTML file that prints well and loads nothing."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Mapping

_STYLE = """
@page { margin: 18mm; }
body { font: 10.5pt/1.45 system-ui, sans-serif; color: #1d1c1d; }
body { max-width: 48rem; margin: 2rem auto; }
h1 { font-size: 1.7em; } h2 { font-size: 1.3em; border-bottom: 1px solid #bbb; margin-top: 1.6em; }
h3 { font-size: 1.1em; } h1, h2, h3, h4 { break-after: avoid; }
table { border-collapse: collapse; width: 100%; margin: .8em 0; }
th, td { border: 1px solid #bbb; padding: .3em .5em; text-align: left; vertical-align: top; }
th { background: #f2f2f2; } tr, li { break-inside: avoid; }
blockquote { margin: .8em 0; padding-left: .8em; border-left: 3px solid #bbb; color: #555; }
code { font-size: .95em; } img { max-width: 100%; break-inside: avoid; }
@media print { body { margin: 0; max-width: none; } }
""".strip()

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""

_BOX = re.compile(r"(<li>(?:\s*<p>)?)\[([ x])\] ")
_SIGNS = {" ": "☐ ", "x": "☑ "}


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

PICTURE_SCHEME = "picture:"
"""Start of the address of a picture that is put into the page; its name follows."""

_PICTURE = re.compile(rf'(<img src="){PICTURE_SCHEME}(\w+)(")')


def to_html(
    markdown: str, *, language: str, title: str, pictures: Mapping[str, bytes] | None = None
) -> str:
    """Return a page as HTML; what looks like HTML in it shows letter by letter.

    `pictures` are those that it names, as SVG; they become part of the page.
    """
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    body = _BOX.sub(lambda found: found[1] + _SIGNS[found[2]], body)
    data = {name: b64encode(drawn).decode() for name, drawn in (pictures or {}).items()}

    def embedded(found: re.Match[str]) -> str:
        drawn = data.get(found[2])
        return f"{found[1]}data:image/svg+xml;base64,{drawn}{found[3]}" if drawn else found[0]

    return _PAGE.format(
        language=html.escape(language),
        title=html.escape(title),
        policy=_POLICY,
        style=_STYLE,
        body=_PICTURE.sub(embedded, body),
    )
