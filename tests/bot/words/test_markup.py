from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.markup import Md, code, escape

HOSTILE = st.text(alphabet=st.sampled_from("aZ9 *_~`<>&!|[]()#+-=\\.@:\n\t{}%é–🙂"), max_size=40)


def _words(markdown):
    """Return what a reader sees of a paragraph, and the kinds of token around it."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inline = [child for token in tokens for child in (token.children or [])]
    return "".join(child.content for child in inline), {token.type for token in tokens}


@given(HOSTILE)
def test_escaped_words_are_read_letter_by_letter(text):
    seen, kinds = _words(f"Read {escape(text)} so.")
    flat = " ".join(text.split("\n"))
    assert " ".join(seen.split()) == " ".join(f"Read {flat} so.".split())
    assert kinds == {"paragraph_open", "inline", "paragraph_close"}


@given(HOSTILE)
def test_escaped_words_start_no_block(text):
    """At the start of a line, nothing that people type may open a heading, a list or a quote."""
    _, kinds = _words(str(escape(text)).strip())
    assert kinds <= {"paragraph_open", "inline", "paragraph_close"}


@given(HOSTILE.filter(lambda text: text.strip()))
def test_code_shows_words_letter_by_letter(text):
    tokens = MarkdownIt("commonmark").parse(f"Type {code(text)} now.")
    spans = [child for child in tokens[1].children or [] if child.type == "code_inline"]
    assert [span.content.split() for span in spans] == [text.split()]


@pytest.mark.parametrize(
    "name", ["llama-2-13b", "q4_k_m", "Llama 3.1 8B", "H100 SXM5 80GB", "1 × L4"]
)
def test_usual_names_stay_readable_in_plain_markdown(name):
    assert escape(name) == name


def test_markdown_is_not_escaped_twice():
    assert escape(escape("a*b")) == r"a\*b"
    assert escape(Md("**Fits**")) == "**Fits**"
