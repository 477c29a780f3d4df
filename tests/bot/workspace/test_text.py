"""Messages and views as plain text."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.text import plain, render_blocks, render_message, render_view


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("<https://example.com|docs>", "docs (https://example.com)"),
        ("<https://example.com>", "https://example.com"),
        ("<@U0ANA> and <@U0ANA|ana>", "@U0ANA and @ana"),
        ("<#C1|random>", "#random"),
        ("<!channel>", "@channel"),
        ("<!date^1700000000^{date_short}|14 Nov 2023>", "14 Nov 2023"),
        ("*bold* `code`", "*bold* `code`"),
    ],
)
def test_mrkdwn_reads_as_people_read_it(markup: str, text: str) -> None:
    assert plain(markup) == text


def test_an_answer_reads_from_top_to_bottom(kit: Any) -> None:
    blocks = [
        {"type": "header", "text": kit.plain("Llama 2 13B · INT8")},
        {**kit.section("*Fits*: 18.9 &lt; 21.7 GB"), "fields": [kit.plain("a"), kit.plain("b")]},
        {
            "type": "table",
            "rows": [
                [{"type": "raw_text", "text": "GPU"}, {"type": "raw_text", "text": "Count"}],
                [
                    {"type": "raw_text", "text": "A|10"},
                    {"type": "raw_number", "value": 1, "text": "1"},
                ],
            ],
        },
        {"type": "divider"},
        {"type": "context", "elements": [kit.plain("vLLM"), kit.plain("0.90")]},
        kit.actions(
            kit.button("Refine…", "refine"),
            {"type": "overflow", "action_id": "more", "options": [kit.option("Explain")]},
        ),
    ]

    assert render_blocks(blocks) == (
        "## Llama 2 13B · INT8\n\n"
        "*Fits*: 18.9 < 21.7 GB\n- a\n- b\n\n"
        "| GPU | Count |\n| --- | --- |\n| A\\|10 | 1 |\n\n"
        "---\n\n"
        "vLLM 0.90\n\n"
        "[Refine…] [⋯ Explain]"
    )


def test_a_modal_shows_its_title_inputs_and_buttons(kit: Any) -> None:
    radio = {
        "type": "radio_buttons",
        "options": [kit.option("a"), kit.option("b")],
        "initial_option": kit.option("b"),
    }
    view = kit.modal(
        kit.field("model", {"type": "external_select", "placeholder": kit.plain("llama")}),
        kit.field("use", radio, optional=True),
        {"type": "alert", "level": "warning", "text": kit.plain("Too small.")},
        close=kit.plain("Back"),
    )

    assert render_view(view) == (
        "# Form\n\nModel: [llama]\n\nUse (optional): ( ) a\n(x) b\n\n"
        "[warning] Too small.\n\n[Send] [Back]"
    )


def test_rich_text_keeps_its_structure() -> None:
    def part(kind: str, *inside: dict[str, Any], **more: object) -> dict[str, Any]:
        return {"type": kind, "elements": list(inside), **more}

    block = part(
        "rich_text",
        part(
            "rich_text_section", {"type": "text", "text": "Hi "}, {"type": "user", "user_id": "U1"}
        ),
        part(
            "rich_text_list",
            part("rich_text_section", {"type": "link", "url": "https://e.com", "text": "docs"}),
            part("rich_text_section", {"type": "emoji", "name": "wave"}),
            style="ordered",
        ),
        part("rich_text_quote", {"type": "text", "text": "said"}),
        part("rich_text_preformatted", {"type": "text", "text": "x = 1"}),
    )

    assert render_blocks([block]) == (
        "Hi @U1\n1. docs (https://e.com)\n2. :wave:\n> said\n```\nx = 1\n```"
    )


def test_a_message_without_blocks_shows_its_text_and_files() -> None:
    message = {"text": "The &amp; report", "files": [{"title": "A-12"}]}

    assert render_message(message) == "The & report\n[file A-12]"
    assert render_message({"text": "", "files": [{"title": "A-12"}]}) == "[file A-12]"


def test_an_unknown_block_is_named() -> None:
    assert render_blocks([{"type": "video", "title": "Tour"}]) == "[video: Tour]"
