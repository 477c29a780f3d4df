from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot import blocks as blocks_module
from bot.blocks import to_blocks, to_message, to_text
from bot.limits import assert_valid
from bot.markup import escape
from bot.mrkdwn import CUT, literal, shorten, unescape
from bot.reply import Button, Reply, ReplyKind
from sizing.request import Correction

HOSTILE = st.text(
    alphabet=st.sampled_from("aZ9 *_~`<>&!|[]()#+-=\\.@:\n\té–🙂"), min_size=1, max_size=60
)


def _reply(markdown, **fields):
    values = {"kind": ReplyKind.ANSWER, "markdown": markdown, "language": "en"} | fields
    return Reply(**values)


def _types(blocks):
    return [block["type"] for block in blocks]


def _mrkdwn_texts(value):
    if isinstance(value, dict):
        own = [value["text"]] if value.get("type") == "mrkdwn" else []
        return own + [text for child in value.values() for text in _mrkdwn_texts(child)]
    return (
        [text for child in value for text in _mrkdwn_texts(child)]
        if isinstance(value, list)
        else []
    )


def test_answer_is_at_most_six_blocks(renderer, sample, language):
    explain = Button("gpus1.explain", "Explain", "A-12", "Explain this answer")
    reply = _reply(
        renderer.answer(sample, language, "A-12"),
        summary=renderer.summary(sample, language),
        actions=(explain,),
    )
    message = to_message(reply)
    assert_valid("message", message)
    types = _types(message["blocks"])
    assert len(types) <= 6
    assert types[0] == "header"
    assert types[-2:] == ["context", "actions"]


def test_every_page_passes_slacks_limits(renderer, sample, language, catalogue):
    pages = [
        renderer.explain(sample, language, "A-12"),
        renderer.help(language, command="/gpusize"),
        renderer.models(list(catalogue.models.values()) * 60, language, command="/gpusize"),
        renderer.gpus(list(catalogue.gpus.values()) * 20, language, command="/gpusize"),
    ]
    for page in pages:
        assert_valid("message", to_message(_reply(page)))


def test_answer_as_blocks(renderer, samples):
    """The message of `llama-13b int8`, block by block."""
    samples = samples["tight"]
    reply = _reply(renderer.answer(samples, "en"), summary=renderer.summary(samples, "en"))
    message = to_message(reply)
    header, section, table, context = message["blocks"]
    assert message["text"] == "Llama 2 13B INT8 needs about 18.8 GB: tight on 1 × L4 24 GB."
    assert header["text"]["text"] == "Llama 2 13B · INT8 → 1 × L4 24 GB"
    assert section["text"]["text"].startswith("⚠️ *Tight on 1 × L4 24 GB*: starts, but")
    assert section["text"]["text"].count("\n") == 2
    assert [[cell["text"] for cell in row] for row in table["rows"]] == [
        ["GPU", "Verdict", "At once"],
        ["1 × L4 24 GB", "⚠️ Tight · asked", "1"],
        ["1 × L40S 48 GB", "✅ Fits · smallest · recommended", "7"],
    ]
    assert table["column_settings"] == [
        {"is_wrapped": True},
        {"is_wrapped": True},
        {"align": "right"},
    ]
    assert len(context["elements"]) == 5


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(HOSTILE, HOSTILE)
def test_other_peoples_words_stay_words(renderer, samples, typed, name):
    """No mention, link, bold or code from a model's name or from what was corrected."""
    answer = samples["fits"]
    asked = answer.understood.model_copy(
        update={"model": name, "read_as": (Correction(typed=typed, read_as=name),)}
    )
    notes = tuple(
        note.model_copy(update={"values": {"typed": typed, "read_as": name}})
        if note.code == "read_as"
        else note
        for note in answer.assumptions
    )
    changed = answer.model_copy(update={"understood": asked, "assumptions": notes})
    reply = _reply(renderer.answer(changed, "en"), summary=renderer.summary(changed, "en"))
    message = to_message(reply)
    assert_valid("message", message)
    assert _types(message["blocks"]) == ["header", "section", "table", "context"]
    for text in [*_mrkdwn_texts(message["blocks"]), message["text"]]:
        assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)|`", text)


@given(HOSTILE)
def test_a_heading_as_a_sentence_is_words_alone(typed):
    """What is said of a page begins with its heading: no mention, link, bold or code from it."""
    text = to_text(_reply("", summary=f"Minutes of D-3: {escape(typed)}"))
    assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)|`", text)
    assert not re.search(r"(?<![^\W_])[*_~]|[*_~](?![^\W_])", unescape(text))
    shown = text.translate(str.maketrans("∗ˍ∼ˋ", "*_~`"))
    words = f"Minutes of D-3: {typed}".split()
    assert unescape(shown).split() == words


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("<!channel>", "&lt;!channel&gt;"),
        ("<@U1> & co", "&lt;@U1&gt; &amp; co"),
        ("&lt;", "&amp;lt;"),
        ("*bold*", "∗bold∗"),
        ("_it_ ~no~ `code`", "ˍitˍ ∼no∼ ˋcodeˋ"),
        ("q4_k_m", "q4_k_m"),
        ("[x](http://a.b)", "[x](http://a.b)"),
        ("![x](http://a.b)", "![x](http://a.b)"),
    ],
)
def test_words_are_escaped_exactly_once(typed, shown):
    blocks = to_blocks(f"Read {escape(typed)} so.")
    assert blocks[0]["text"]["text"] == f"Read {shown} so."
    assert literal(typed) == shown


def _mrkdwn_objects(value):
    if isinstance(value, dict):
        own = [value] if value.get("type") == "mrkdwn" else []
        return own + [found for child in value.values() for found in _mrkdwn_objects(child)]
    if isinstance(value, list):
        return [found for child in value for found in _mrkdwn_objects(child)]
    return []


def test_slack_makes_no_link_and_no_ping_of_typed_words():
    """Without `verbatim` Slack turns @channel, #general and addresses into links and pings."""
    blocks = to_blocks("Read @channel, #general\n\n> example.org\n\n- https://example.org")
    objects = _mrkdwn_objects(blocks)
    assert len(objects) == 3
    assert all(found["verbatim"] is True for found in objects)
    cut = to_message(_reply("\n\n".join("# h" for _ in range(60))))["blocks"]
    assert all(found["verbatim"] is True for found in _mrkdwn_objects(cut))


PAGE = (
    "# Title\n\nText *em* **strong** `code`\n\n- one\n- two\n\n> quote\n\n"
    "| a | b |\n|---|--:|\n| 1 | 2 |\n\n```\ncode\n```\n\n---\n\n"
    "[x](https://example.org/é)"
)


def test_nobody_gets_a_parser_whose_rules_are_not_compiled():
    blocks_module._parser.cache_clear()
    parser = blocks_module._parser()
    rulers = (parser.core.ruler, parser.block.ruler, parser.inline.ruler, parser.inline.ruler2)
    assert all(ruler.__cache__ for ruler in rulers)


def test_a_fresh_parser_serves_many_threads():
    """All of them meet a parser that has read nothing yet, and change places at every step."""
    expected = to_blocks(PAGE)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as pool:
            for _ in range(25):
                blocks_module._parser.cache_clear()
                found = pool.map(to_blocks, [PAGE] * 16)
                assert all(blocks == expected for blocks in found)
    finally:
        sys.setswitchinterval(interval)


def test_own_markup_becomes_slacks():
    [section] = to_blocks(
        "**Fits** _well_: type `a < b` or see [docs](https://example.org/?a=1&b=2)"
    )
    assert section["text"]["text"] == (
        "*Fits* _well_: type `a &lt; b` or see <https://example.org/?a=1&amp;b=2|docs>"
    )


def test_header_and_cells_are_plain_text():
    header, table = to_blocks("A *b*\n& `c`\n===\n\n| x | y |\n|---|--:|\n| a & b | |\n")
    assert header["text"] == {"type": "plain_text", "text": "A b & c", "emoji": False}
    # Slack refuses an empty cell.
    assert [cell["text"] for cell in table["rows"][1]] == ["a & b", " "]


def test_lists_code_and_rules():
    blocks = to_blocks(
        "Intro\ngoes on\n\n- one\n- two\n  - deep\n\n1. first\n\n```\na < b\n```\n\n---\n\nEnd"
    )
    assert _types(blocks) == ["section", "divider", "section"]
    assert blocks[0]["text"]["text"] == (
        "Intro\ngoes on\n• one\n• two\n    • deep\n1. first\n\n```\na &lt; b\n```"
    )


def test_second_table_becomes_a_list():
    """Slack refuses two tables in one message."""
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    blocks = to_blocks(f"{table}\ntext\n\n{table}")
    assert _types(blocks) == ["table", "section"]
    assert blocks[1]["text"]["text"] == "text\n• 1 · 2"


def test_long_text_is_split_between_paragraphs():
    paragraphs = "\n\n".join(f"{number} " + "word " * 100 for number in range(12))
    blocks = to_blocks(paragraphs)
    assert len(blocks) == 3
    assert all(len(block["text"]["text"]) <= 3000 for block in blocks)
    assert CUT not in str(blocks)


def test_a_long_list_goes_on_in_the_next_section():
    items = "\n".join(f"- {number} " + "word " * 100 for number in range(12))
    blocks = to_blocks(f"Intro\n\n{items}\n\nOutro")
    assert len(blocks) == 3
    assert all(len(block["text"]["text"]) <= 3000 for block in blocks)
    assert CUT not in str(blocks)
    assert blocks[-1]["text"]["text"].endswith("\n\nOutro")


@pytest.mark.parametrize("size", [3000, 3001, 9000])
def test_a_cut_shows(size):
    [section] = to_blocks("x" * size)
    text = section["text"]["text"]
    assert len(text) <= 3000
    assert text.endswith(CUT) == (size > 3000)


@given(st.text(alphabet="a &<", max_size=200), st.integers(20, 60))
def test_a_cut_never_splits_an_entity(text, limit):
    cut = shorten(literal(text), limit)
    assert len(cut) <= limit
    assert not re.search(r"&(?!amp;|lt;|gt;)", cut)


@pytest.mark.parametrize(("quotes", "elements"), [(10, 10), (11, 10), (30, 10)])
def test_context_has_at_most_ten_elements_and_loses_none(quotes, elements):
    markdown = "\n>\n".join(f"> line {number}" for number in range(quotes))
    [context] = to_blocks(markdown)
    assert len(context["elements"]) == elements
    assert f"line {quotes - 1}" in context["elements"][-1]["text"]


@pytest.mark.parametrize(("count", "cut"), [(49, False), (50, False), (51, True), (80, True)])
def test_message_has_at_most_fifty_blocks(count, cut):
    message = to_message(_reply("\n\n".join("# h" for _ in range(count))))
    assert_valid("message", message)
    assert len(message["blocks"]) == min(count, 50)
    assert (CUT.strip() in str(message["blocks"][-1])) == cut


def test_message_stays_below_slacks_total_of_text():
    message = to_message(_reply("\n\n".join("word " * 500 for _ in range(10))))
    assert_valid("message", message)
    assert CUT.strip() in str(message["blocks"][-1])


@pytest.mark.parametrize("rows", [99, 100, 150])
def test_table_beyond_slacks_limit_is_cut_visibly(rows):
    body = "".join(f"| {number} | b |\n" for number in range(rows))
    blocks = to_blocks(f"| a | b |\n|---|---|\n{body}")
    assert_valid("message", {"text": "x", "blocks": blocks})
    assert len(blocks[0]["rows"]) == min(rows + 1, 100)
    assert (len(blocks) == 2) == (rows > 99)


def test_table_of_many_characters_is_cut():
    body = "".join(f"| {'w' * 400} | b |\n" for _ in range(40))
    blocks = to_blocks(f"| a | b |\n|---|---|\n{body}")
    assert_valid("message", {"text": "x", "blocks": blocks})
    assert len(blocks[0]["rows"]) == 25


def test_buttons_keep_slacks_limits():
    buttons = (
        Button("gpus1.explain", "x" * 80, "A-12", "y" * 80),
        Button("gpus1.ask.1", "too long to ask", "q" * 2001),
        Button("gpus1.ask.2", "just short enough", "q" * 2000),
    )
    message = to_message(_reply("text", actions=buttons))
    assert_valid("message", message)
    elements = message["blocks"][-1]["elements"]
    assert [element["action_id"] for element in elements] == ["gpus1.explain", "gpus1.ask.2"]


@pytest.mark.parametrize(
    "markdown", ["", "# only a title", "> only a quote", "| a |\n|---|\n| b |"]
)
def test_message_always_has_a_text(markdown):
    message = to_message(_reply(markdown))
    assert message["text"].strip()
    assert_valid("message", message | ({"blocks": []} if not markdown else {}))
