from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from bot.errors import CodedError
from bot.labels import Labels
from bot.messages import (
    LANGUAGES,
    NOTE_TABLES,
    MessageError,
    Messages,
    load_messages,
    read_tables,
)
from sizing.answer import note
from sizing.catalogue import load_catalogue
from sizing.errors import InvalidRequestError, SizingError, UnknownModelError

ROOT = Path(__file__).parents[3]
FORMS = {"by", "none", "one", "other"}


def _forms(entry):
    return {"other": entry} if isinstance(entry, str) else entry


def _entries(language):
    return {
        (table, code): _forms(entry)
        for table, entries in read_tables(language).items()
        for code, entry in entries.items()
    }


def _fields(sentence):
    return {(name, spec) for _, name, spec, _ in Formatter().parse(sentence) if name is not None}


def _names(form):
    sentences = [text for key, text in form.items() if key != "by"]
    return {name for sentence in sentences for name, _ in _fields(sentence)}


def test_both_languages_say_the_same_things():
    english, spanish = _entries("en"), _entries("es")
    assert english.keys() == spanish.keys()
    for key, form in english.items():
        assert form.keys() == spanish[key].keys(), key
        assert form.get("by") == spanish[key].get("by"), key
        assert _names(form) == _names(spanish[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_complete(language):
    """Only known forms and filters, never an empty sentence."""
    filters = load_messages(language).filters()
    for key, form in _entries(language).items():
        assert form.keys() <= FORMS, key
        assert "other" in form, key
        for name, sentence in form.items():
            assert sentence.strip(), key
            if name != "by":
                assert {spec for _, spec in _fields(sentence)} <= {"", *filters}, key


def test_codes_of_notes_are_unique_across_their_tables():
    tables = read_tables("en")
    codes = [code for table in NOTE_TABLES for code in tables[table]]
    assert len(codes) == len(set(codes))


def _calls(folder):
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield path.name, node


def _literals(node):
    """Return the texts an argument can be: a constant, or either side of a conditional."""
    if isinstance(node, ast.IfExp):
        return [*_literals(node.body), *_literals(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _emitted_notes():
    for file, call in (*_calls(ROOT / "sizing"), *_calls(ROOT / "bot")):
        if getattr(call.func, "id", "") == "note" and call.args:
            values = {keyword.arg for keyword in call.keywords if keyword.arg}
            for code in _literals(call.args[0]):
                yield pytest.param(code, values, id=f"{file}:{code}")


@pytest.mark.parametrize(("code", "values"), list(_emitted_notes()))
def test_each_note_of_the_engine_has_a_sentence_for_its_values(code, values):
    tables = read_tables("en")
    found = [tables[table][code] for table in NOTE_TABLES if code in tables[table]]
    assert len(found) == 1, f"no sentence for {code}"
    form = _forms(found[0])
    assert _names(form) | ({form["by"]} if "by" in form else set()) <= values


def _raised_reasons():
    for folder in (ROOT / "sizing", ROOT / "bot"):
        for file, call in _calls(folder):
            for keyword in call.keywords:
                if keyword.arg == "reason":
                    for reason in _literals(keyword.value):
                        yield pytest.param(reason, id=f"{file}:{reason}")


@pytest.mark.parametrize("reason", list(_raised_reasons()))
def test_each_reason_of_a_bad_request_has_a_sentence(reason):
    assert reason in read_tables("en")["invalid_request"]


def _subclasses(kind):
    return {kind, *(sub for child in kind.__subclasses__() for sub in _subclasses(child))}


def test_each_error_of_a_question_has_a_sentence():
    codes = {error.code for error in _subclasses(SizingError)} - {"sizing_error", "invalid_request"}
    assert codes <= read_tables("en")["errors"].keys()


def test_each_coded_error_has_a_sentence():
    named = {
        code
        for _, call in _calls(ROOT / "bot")
        if getattr(call.func, "id", "") in ("CodedError", "StorageError", "_coded") and call.args
        for code in _literals(call.args[0])
    }
    assert named
    start = read_tables("settings_en")["settings"]
    assert named <= read_tables("en")["errors"].keys() | start.keys()


def test_numbers_and_names_are_formatted(catalogue):
    values = {"gpu": "t4", "precision": "fp8", "architecture": "turing", "other": "int8"}
    english = load_messages("en", Labels(catalogue)).text("unsupported_precision", values)
    assert english == "T4 16 GB (Turing) cannot run FP8: use INT8."
    spanish = load_messages("es", Labels(catalogue)).text("unsupported_precision", values)
    assert spanish == "T4 16 GB (Turing) no admite FP8: use INT8."
    without = load_messages("en", Labels(catalogue)).text(
        "unsupported_precision", values | {"other": None}
    )
    assert without == "T4 16 GB (Turing) cannot run FP8."


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (1, "Recomendada para varios usuarios: hay lugar para 1 solicitud como esta."),
        (
            2,
            "Recomendada para varios usuarios: hay lugar para 2 solicitudes simultáneas como esta.",
        ),
    ],
)
def test_plural_follows_the_number(room, expected):
    assert load_messages("es").text("recommended", {"room_for_requests": room}) == expected


def test_lists_read_like_a_sentence():
    messages = load_messages("en")
    alternatives = ("a", "b", "c")
    text = messages.text("model_default", {"model": "x", "alternatives": alternatives})
    assert text == "Taken as x; it could also be a, b or c."
    assert messages.text("model_default", {"model": "x", "alternatives": ("a",)}).endswith("be a.")


def test_words_of_others_are_escaped_in_markdown_only():
    values = {"typed": "<!channel>", "read_as": "*b*"}
    messages = load_messages("es")
    assert messages.text("read_as", values) == "«<!channel>» se interpretó como «*b*»."
    assert messages.markdown("read_as", values) == r"«\<!channel\>» se interpretó como «\*b\*»."


def test_words_with_braces_are_not_a_sentence_of_ours():
    error = UnknownModelError(word="{command} {0}", suggestions=("llama-2-13b",))
    assert load_messages("en").error(error) == (
        "I don't know the model “{command} {0}”. Did you mean `llama-2-13b`?"
    )


def test_errors_say_what_to_type_in_each_place():
    error = UnknownModelError(word="foo", suggestions=())
    assert "`/gpusize models`" in load_messages("en").error(error, "/gpusize")
    assert "`gpusize modelos`" in load_messages("es").error(error, "gpusize")


def test_reason_of_a_bad_request_chooses_the_sentence():
    error = InvalidRequestError(
        reason="context_mismatch", context_tokens=8192, input_tokens=1000, output_tokens=500
    )
    assert load_messages("es").error(error) == (
        "`in=1.000` y `out=500` no suman `ctx=8.192`: omita uno de ellos."
    )


def test_error_of_the_log_names_its_file():
    error = CodedError("log_not_a_log", path="/tmp/x_*.db")  # noqa: S108 (a name, no file)
    assert load_messages("en").error(error).startswith("“/tmp/x_*.db” is not a log")


@pytest.mark.parametrize(
    ("code", "values"),
    [("no_such_note", {}), ("short", {}), ("short", {"short_bytes": None})],
)
def test_gap_in_a_message_is_an_error(code, values):
    with pytest.raises(MessageError):
        load_messages("en").text(code, values)


def test_unknown_filter_is_an_error():
    tables = {"reasons": {"x": "{a:nonsense}"}, "warnings": {}, "assumptions": {}, "starting": {}}
    broken = Messages(
        "en", tables | {"words": {}, "settings": {}, "lists": read_tables("en")["lists"]}
    )
    with pytest.raises(MessageError, match="nonsense"):
        broken.text("x", {"a": 1})


def test_unknown_language_is_an_error():
    with pytest.raises(MessageError, match="fr"):
        load_messages("fr")


def test_only_spanish_quotes_and_commas_in_spanish():
    """Spanish text has neither English quotation marks nor decimal points."""
    for key, form in _entries("es").items():
        for sentence in form.values():
            plain = re.sub(r"`[^`]*`|\{[^}]*\}", "", sentence)
            assert not re.search(r"[“”]|\d\.\d", plain), key


def test_a_note_is_worded_whole():
    words = load_messages("en").note(note("ignored_words", words=("a_", "b")))
    assert words == r"Not understood and left out: “a\_”, “b”."


SENTENCES = ("errors", "invalid_request", "words", "summaries", "buttons", "roles")
"""Tables whose codes are named by code; the others follow the engine's enumerations."""


def _named_words():
    for folder in (ROOT / "sizing", ROOT / "bot"):
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from node.value.split()


@pytest.mark.parametrize("table", NOTE_TABLES)
def test_the_engine_gives_every_note(table):
    given = {parameter.values[0] for parameter in _emitted_notes()}
    assert read_tables("en")[table].keys() - given == set()


def test_no_sentence_is_left_over():
    named = set(_named_words())
    tables = read_tables("en")
    unused = {code for table in SENTENCES for code in tables[table] if code not in named}
    assert unused == set()


@pytest.mark.parametrize(
    ("code", "values", "expected"),
    [
        (
            "ffn_not_divisible",
            {"tensor_parallel": 3, "ffn_size": 13824, "legal": (1, 2, 4)},
            "vLLM, SGLang and TensorRT-LLM stop at start-up with tensor parallel 3: the "
            "feed-forward width 13,824 does not divide by it. They start with 1, 2 or 4.",
        ),
        (
            "vocabulary_not_divisible",
            {"tensor_parallel": 5, "vocabulary_size": 32064, "legal": (1, 2)},
            "vLLM and SGLang stop at start-up with tensor parallel 5: the vocabulary, padded to "
            "32,064 entries, does not divide by it. They start with 1 or 2.",
        ),
        (
            "count_below_parallel",
            {"gpus": 2, "needed_gpus": 4},
            "You named 2 GPUs but a split over 4: sized for 4.",
        ),
        (
            "count_below_parallel",
            {"gpus": 1, "needed_gpus": 4},
            "You named 1 GPU but a split over 4: sized for 4.",
        ),
        (
            "gpus_left_idle",
            {"gpus": 4, "used_gpus": 1},
            "Of the 4 GPUs you named, 1 is used: the rest stays idle.",
        ),
        (
            "gpus_left_idle",
            {"gpus": 8, "used_gpus": 6},
            "Of the 8 GPUs you named, 6 are used: the rest stays idle.",
        ),
        ("none_within_limit", {"max_gpus": 1}, "No single GPU holds this load: raise `gpus<=1`."),
        (
            "none_within_limit",
            {"max_gpus": 4},
            "No set of 4 GPUs or fewer holds this load: raise `gpus<=4`.",
        ),
        (
            "twin_precision",
            {"precision": "fp16", "published": "bf16"},
            "Published in bf16; the named GPU computes in fp16, the same size: sized so.",
        ),
    ],
)
def test_words_of_notes(code, values, expected):
    assert load_messages("en").text(code, values) == expected
    assert load_messages("es").text(code, values)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("2xl40s", "2 × L40S 48 GB"),
        ("1xl4+2xl40s", "1 × L4 24 GB + 2 × L40S 48 GB"),
        ("1xh100-sxm:1g.10gb", "1 × slice 1g.10gb of H100 SXM 80 GB"),
        ("2xany-24gb", "2 × 24 GB (any card)"),
        ("1xgone", "1 × gone"),
    ],
)
def test_a_set_by_its_key_is_named_as_people_write_it(key: str, said: str) -> None:
    messages = load_messages("en", Labels(load_catalogue()))
    assert messages.keyed_set(key).replace("\\", "") == said
