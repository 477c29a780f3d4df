"""The words of the checklist: complete in both languages, and true to its data."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from bot.checklist.words import FIXED, checklist_words, item_table, read_words
from bot.messages import LANGUAGES, load_messages
from sizing.spec.checklist import load_checklist
from sizing.spec.checklist_records import Group, Kind, Person, State

CHECKLIST = load_checklist()
MOST_TITLE_CHARACTERS = 75
"""What Slack allows for the text of a box."""


def _forms(entry):
    return (
        [text for key, text in entry.items() if key != "by"] if isinstance(entry, dict) else [entry]
    )


def _fields(entry):
    found = {(n, f) for text in _forms(entry) for _, n, f, _ in Formatter().parse(text) if n}
    return {name for name, _ in found}, {spec for _, spec in found}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_are_those_of_the_data(language):
    tables = read_words(language)
    assert tables.keys() == {*FIXED, *(item_table(item.id) for item in CHECKLIST.item)}
    assert tables["groups"].keys() == {group.value for group in Group}
    assert tables["kinds"].keys() == {kind.value for kind in Kind}
    assert tables["states"].keys() == {state.value for state in State}
    assert tables["people"].keys() == {person.value for person in Person}
    assert tables["bill_open"].keys() == {line.id for line in CHECKLIST.bill}
    described = {line.id for line in CHECKLIST.bill if line.factors != ("spare_parts",)}
    assert tables["bill"].keys() == described


@pytest.mark.parametrize("item", CHECKLIST.item, ids=lambda item: item.id)
def test_an_item_has_a_sentence_for_each_line(item):
    for language in LANGUAGES:
        words = read_words(language)[item_table(item.id)]
        asked = {"open"} if item.has_question else set()
        assert words.keys() == {"title", *(line.code for line in item.lines)} | asked
        assert 0 < len(words["title"]) <= MOST_TITLE_CHARACTERS
        assert not _fields(words["title"])[0]
        assert not _fields(words.get("open", ""))[0]


@pytest.mark.parametrize("item", CHECKLIST.item, ids=lambda item: item.id)
def test_a_sentence_says_what_its_line_needs(item):
    """The values it names are those that must be known; conditions may need more."""
    for language in LANGUAGES:
        words = read_words(language)[item_table(item.id)]
        for line in item.lines:
            conditions = {line.only_if, line.unless}
            named, _ = _fields(words[line.code])
            counted = {words[line.code]["by"]} if isinstance(words[line.code], dict) else set()
            assert counted <= named
            assert named <= set(line.needs), line.code
            spared = {need for need in line.needs if need not in named} - conditions
            assert all(_is_condition(need, item) for need in spared), (line.code, spared)


def _is_condition(name, item):
    """Return whether a fact decides between the lines of its item without being said."""
    used = {value for line in item.lines for value in (line.only_if, line.unless)}
    return name in used or name == "feeds"


@pytest.mark.parametrize("line", CHECKLIST.bill, ids=lambda line: line.id)
def test_a_description_says_what_its_line_needs(line):
    for language in LANGUAGES:
        named, _ = _fields(read_words(language)["bill"].get(line.id, ""))
        assert named <= set(line.needs)


def test_both_languages_name_the_same_values():
    english, spanish = (read_words(language) for language in LANGUAGES)
    for table, entries in english.items():
        assert entries.keys() == spanish[table].keys(), table
        for code, entry in entries.items():
            assert _fields(entry) == _fields(spanish[table][code]), (table, code)


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_filters_that_there_are(language):
    filters = load_messages(language).filters().keys() | {""}
    for entries in read_words(language).values():
        for entry in entries.values():
            assert _fields(entry)[1] <= filters
            assert all(text.strip() for text in _forms(entry))


def test_spanish_has_its_own_quotes_and_commas():
    for entries in read_words("es").values():
        for entry in entries.values():
            for text in _forms(entry):
                plain = re.sub(r"`[^`]*`|\{[^}]*\}", "", text)
                assert not re.search(r"[“”]|\d\.\d", plain), text


def test_spanish_questions_open_and_close():
    for name, entries in read_words("es").items():
        asked = entries.get("open", "") if name.startswith("item.") else ""
        assert asked.count("¿") == asked.count("?"), name


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            "Circuits: 2 × 32 A 230 V per feed, 2 feeds, each able to carry 5.1 kW alone.",
        ),
        (
            "es",
            "Circuitos: 2 × 32 A 230 V por alimentación, 2 alimentaciones, cada una capaz de "
            "sostener 5,1 kW por sí sola.",
        ),
    ],
)
def test_circuits_in_words(filled, language, expected):
    item = next(item for item in filled.items if item.id == "circuits")
    assert checklist_words(language).sentences(item)[0] == expected


def test_numbers_follow_the_language(filled):
    item = next(item for item in filled.items if item.id == "growth")
    assert "12,5 % al año durante 3 años" in checklist_words("es").sentences(item)[0]
    licenses = next(item for item in filled.items if item.id == "licenses")
    assert checklist_words("en").sentences(licenses) == ("24 × NVIDIA AI Enterprise for 1 year.",)


def test_every_sentence_of_a_checklist_can_be_said(filled, empty, language):
    words = checklist_words(language)
    for checklist in (filled, empty):
        for item in checklist.items:
            assert all(words.sentences(item)) or not item.lines
            assert all("`" not in text for text in words.plain_sentences(item))
            assert (words.question(item) is None) == (item.state is not State.OPEN)
        assert all(words.description(line) for line in checklist.bill)
