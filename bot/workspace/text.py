"""Messages and views as plain text: for assertions, for the terminal, for documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

Json = dict[str, Any]

_LINK = re.compile(r"<(https?://[^|>]+|mailto:[^|>]+)(?:\|([^>]*))?>")
_MENTION = re.compile(r"<([@#!])([^|>]+)(?:\|([^>]*))?>")


def unescape(text: str) -> str:
    """Undo the three replacements that mrkdwn asks of text."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain(text: str) -> str:
    """Return mrkdwn as people read it: links as `label (address)`, mentions as `@name`."""
    text = _LINK.sub(lambda m: f"{m[2]} ({m[1]})" if m[2] else m[1], text)
    text = _MENTION.sub(_mention, text)
    return unescape(text)


def _mention(match: re.Match[str]) -> str:
    sign, target, label = match.groups()
    if sign == "!" and target.startswith("date^"):
        return label or target
    return f"{'@' if sign == '!' else sign}{label or target}"


def render_message(message: Json) -> str:
    """Return a message as text: its blocks where it has some, else its own text."""
    blocks = message.get("blocks")
    shown = render_blocks(blocks) if blocks else plain(message.get("text") or "")
    files = [f"[file {file['title']}]" for file in message.get("files") or []]
    return "\n".join([shown, *files] if shown else files)


def render_view(view: Json) -> str:
    """Return a modal or Home tab as text: title, blocks, buttons at the foot."""
    title = _text(view.get("title"))
    feet = [f"[{_text(view[key])}]" for key in ("submit", "close") if view.get(key)]
    parts = [f"# {title}" if title else "", render_blocks(view.get("blocks") or []), " ".join(feet)]
    return "\n\n".join(part for part in parts if part)


def render_blocks(blocks: Iterable[Json]) -> str:
    """Return blocks as text, one paragraph each."""
    rendered = (_RENDERERS.get(block.get("type", ""), _unknown)(block) for block in blocks)
    return "\n\n".join(part for part in rendered if part)


def render_table(rows: list[list[Json]]) -> str:
    """Return the rows of a table as a Markdown table, the first row as its head."""
    lines = [" | ".join(_cell(cell) for cell in row) for row in rows]
    rule = " | ".join("---" for _ in rows[0])
    return "\n".join(f"| {line} |" for line in [lines[0], rule, *lines[1:]])


def _cell(cell: Json) -> str:
    content = _rich_text(cell) if cell.get("type") == "rich_text" else str(cell.get("text", ""))
    return content.replace("|", "\\|").replace("\n", " ")


def _text(value: Json | None) -> str:
    if not value:
        return ""
    text = str(value.get("text", ""))
    return plain(text) if value.get("type") == "mrkdwn" else text


def _header(block: Json) -> str:
    return f"## {_text(block['text'])}"


def _section(block: Json) -> str:
    parts = [_text(block.get("text"))]
    parts += [f"- {_text(field)}" for field in block.get("fields") or []]
    accessory = block.get("accessory")
    return "\n".join(part for part in [*parts, _element(accessory) if accessory else ""] if part)


def _context(block: Json) -> str:
    return " ".join(_element(element) for element in block["elements"])


def _actions(block: Json) -> str:
    return " ".join(_element(element) for element in block["elements"])


def _input(block: Json) -> str:
    optional = " (optional)" if block.get("optional") else ""
    return f"{_text(block['label'])}{optional}: {_element(block['element'])}"


def _image(block: Json) -> str:
    return f"[image: {block['alt_text']}]"


def _element(element: Json) -> str:
    kind = element.get("type")
    if kind in ("mrkdwn", "plain_text"):
        return _text(element)
    if kind == "image":
        return _image(element)
    if kind in ("button", "workflow_button"):
        return f"[{_text(element['text'])}]"
    options = [_text(option["text"]) for option in element.get("options") or []]
    if kind == "overflow":
        return f"[⋯ {', '.join(options)}]"
    if kind in ("checkboxes", "radio_buttons"):
        return "\n".join(f"{_mark(element, option)} {name}" for option, name in _named(element))
    shown = _text(element.get("placeholder")) or ", ".join(options) or str(kind)
    return f"[{shown}]"


def _named(element: Json) -> list[tuple[Json, str]]:
    return [(option, _text(option["text"])) for option in element["options"]]


def _mark(element: Json, option: Json) -> str:
    chosen = element.get("initial_options") or [element.get("initial_option")]
    on, off = ("[x]", "[ ]") if element["type"] == "checkboxes" else ("(x)", "( )")
    return on if option in chosen else off


def _rich_text(block: Json) -> str:
    return "\n".join(_rich_part(part) for part in block.get("elements") or [])


def _rich_part(part: Json) -> str:
    kind = part.get("type")
    items = part.get("elements") or []
    if kind == "rich_text_list":
        ordered = part.get("style") == "ordered"
        lines = (_rich_part(item) for item in items)
        return "\n".join(
            f"{n}. {line}" if ordered else f"- {line}" for n, line in enumerate(lines, 1)
        )
    inline = "".join(_inline(item) for item in items)
    if kind == "rich_text_preformatted":
        return f"```\n{inline}\n```"
    return f"> {inline}" if kind == "rich_text_quote" else inline


def _inline(item: Json) -> str:
    kind = item.get("type")
    if kind == "link":
        return f"{item['text']} ({item['url']})" if item.get("text") else str(item["url"])
    named = {"user": "@", "channel": "#", "broadcast": "@", "usergroup": "@"}
    if kind in named:
        key = {"broadcast": "range"}.get(kind, f"{kind}_id")
        return f"{named[kind]}{item[key]}"
    return f":{item['name']}:" if kind == "emoji" else str(item.get("text", ""))


def _card(block: Json) -> str:
    lines = [_text(block.get(key)) for key in ("title", "subtitle", "body", "subtext")]
    buttons = " ".join(_element(button) for button in block.get("actions") or [])
    return "\n".join(line for line in [*lines, buttons] if line)


def _container(block: Json) -> str:
    title = _text(block.get("title")) or _rich_text(block.get("rich_text_title") or {})
    return f"### {title}\n\n{render_blocks(block['child_blocks'])}"


def _data_table(block: Json) -> str:
    return f"{block['caption']}\n\n{render_table(block['rows'])}"


def _unknown(block: Json) -> str:
    return f"[{block.get('type')}: {block.get('title', '')}]"


def _chart(block: Json) -> str:
    """Return a chart as the table of its points."""
    chart = block["chart"]
    if chart["type"] == "pie":
        rows = [[block["title"], ""], *([one["label"], one["value"]] for one in chart["segments"])]
    else:
        points = [{one["label"]: one["value"] for one in each["data"]} for each in chart["series"]]
        rows = [[block["title"], *(each["name"] for each in chart["series"])]]
        names = chart["axis_config"]["categories"]
        rows += [[name, *(each[name] for each in points)] for name in names]
    return render_table([[{"text": str(cell)} for cell in row] for row in rows])


_RENDERERS: dict[str, Callable[[Json], str]] = {
    "data_visualization": _chart,
    "header": _header,
    "section": _section,
    "context": _context,
    "actions": _actions,
    "divider": lambda _: "---",
    "input": _input,
    "image": _image,
    "markdown": lambda block: str(block["text"]),
    "rich_text": _rich_text,
    "table": lambda block: render_table(block["rows"]),
    "data_table": _data_table,
    "alert": lambda block: f"[{block.get('level', 'default')}] {_text(block['text'])}",
    "card": _card,
    "carousel": lambda block: "\n\n".join(_card(card) for card in block["elements"]),
    "container": _container,
}
