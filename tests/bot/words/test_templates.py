from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import nodes

from bot.messages import MessageError, load_messages
from bot.paths import templates_dir
from bot.render import make_environment


def _templates(language):
    return {path.name for path in (templates_dir() / language).glob("*.j2")}


def _source(language, name):
    return (templates_dir() / language / name).read_text(encoding="utf-8")


def _structure(language, name):
    """Return what a template decides and prints, its words left out."""
    environment = make_environment(load_messages(language))
    tree = environment.parse(_source(language, name))
    kinds = (nodes.If, nodes.For, nodes.Name, nodes.Getattr, nodes.Filter, nodes.Call, nodes.Macro)
    return [
        (type(node).__name__, getattr(node, "name", getattr(node, "attr", "")))
        for node in tree.find_all(kinds)
    ]


def test_both_languages_have_the_same_templates():
    assert _templates("en") == _templates("es")
    assert len(_templates("en")) >= 10


@pytest.mark.parametrize("name", sorted(_templates("en")))
def test_both_languages_show_the_same_values(name):
    assert _structure("en", name) == _structure("es", name)


@pytest.mark.parametrize("name", sorted(_templates("en")))
def test_templates_choose_and_print_only(name, language):
    """No arithmetic, and no joining of strings: it would escape values as HTML."""
    tree = make_environment(load_messages(language)).parse(_source(language, name))
    sums = (nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Concat)
    assert not list(tree.find_all(sums))


def test_no_text_is_marked_safe_in_a_template():
    for path in Path(templates_dir()).rglob("*.j2"):
        assert not re.search(r"\|\s*(safe|forceescape)|autoescape", path.read_text("utf-8")), path


def test_printing_nothing_is_an_error():
    template = make_environment(load_messages("en")).from_string("{{ value }}")
    with pytest.raises(MessageError):
        template.render(value=None)


def test_values_are_escaped_once_through_macros_and_block_sets():
    source = (
        "{% macro show(x) %}<{{ x }}>{% endmacro %}"
        "{% set name %}{{ value }}{% endset %}{{ show(value) }} {{ name }} {{ value }}"
    )
    template = make_environment(load_messages("en")).from_string(source)
    assert template.render(value="a*b & c") == r"<a\*b \& c> a\*b \& c a\*b \& c"
