"""What a markdown block turns into: Slack makes one block of every heading, list, table…"""

from __future__ import annotations


def expanded_blocks(markdown: str) -> int:
    """Estimate how many blocks Slack makes of a Markdown text: one for each top-level part."""
    return len(_top_level(markdown))


def markdown_tables(markdown: str) -> int:
    """Count the tables of a Markdown text, which most likely share the limit of table blocks."""
    return _top_level(markdown).count("table_open")


def _top_level(markdown: str) -> list[str]:
    from markdown_it import MarkdownIt  # a message without markdown blocks needs no parser

    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    return [token.type for token in tokens if token.level == 0 and token.nesting >= 0]
