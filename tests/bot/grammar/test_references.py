"""Models outside the catalogue: `hf:organisation/name` and `file:path` in a question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.command import Ask, Grammar, TwoModelsError, format_request
from bot.grammar.references import take_references
from bot.sources.references import reference_to
from sizing.catalogue import load_catalogue
from sizing.request import SizingRequest

GRAMMAR = Grammar(load_catalogue())


def ask(text):
    command = GRAMMAR.parse(text)
    assert isinstance(command, Ask)
    return command.request


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("hf:Acme/Zephyr_Zz-9 int8", "hf:Acme/Zephyr_Zz-9"),
        ("int8 HF:Acme/Zephyr_Zz-9@main", "hf:Acme/Zephyr_Zz-9@main"),
        ("does hf:Acme/Zephyr-Zz, fit?", "hf:Acme/Zephyr-Zz"),
        ("file:/srv/Models/config.json int8", "file:/srv/Models/config.json"),
        ("does file:/srv/config.json, int8 fit?", "file:/srv/config.json"),
        ("file:my%20dir/l4x2/a,b.json int8", "file:my%20dir/l4x2/a,b.json"),
    ],
)
def test_a_reference_keeps_its_case_and_its_marks(text, reference):
    request = ask(text)
    assert request.reference == reference
    assert (request.model_id, request.parameters, request.ignored) == (None, None, ())


def test_what_stands_beside_it_is_read_as_ever():
    request = ask("hf:Acme/Zephyr int8 users=8 gpu=2xl40s ctx=8k")
    assert (request.precision, request.concurrent_requests) == ("int8", 8)
    assert (request.context_tokens, request.gpus[0].count) == (8192, 2)


@pytest.mark.parametrize("text", ["hf:Qwen/Qwen3-8B", "hf:qwen/qwen3-8b fp8", "hf:a/Qwen3-8B"])
def test_a_repository_that_the_catalogue_knows_is_its_model(text):
    assert (ask(text).model_id, ask(text).reference) == ("qwen3-8b", None)


def test_a_revision_of_a_known_repository_is_looked_up():
    assert ask("hf:Qwen/Qwen3-8B@v2").reference == "hf:Qwen/Qwen3-8B@v2"


@pytest.mark.parametrize(
    "text", ["hf:../../etc/passwd", "hf:a/..", "hf:-a/b", "hf:a/b/c", "hf:a/b.", "hf:ä/b"]
)
def test_no_other_form_is_a_reference(text):
    """What is no repository is left to the names of the catalogue."""
    assert not take_references(text)[1]


def test_verbs_keep_a_reference_as_it_was_typed():
    assert GRAMMAR.parse("models hf:Acme/Zephyr").query == "hf:Acme/Zephyr"
    assert GRAMMAR.parse("start hf:Acme/Zephyr int8").request.reference == "hf:Acme/Zephyr"


def test_a_model_beside_a_reference_is_two_models():
    with pytest.raises(TwoModelsError) as caught:
        ask("hf:Acme/Zephyr qwen3-8b int8")
    assert caught.value.suggestions == ("hf:Acme/Zephyr int8", "qwen3-8b int8")


def test_two_references_are_refused():
    with pytest.raises(Exception, match="given_twice"):
        ask("hf:Acme/One hf:Acme/Two")


NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}[A-Za-z0-9]", fullmatch=True)


@given(
    reference=st.builds("hf:zz-{}/zz-{}@main".format, NAMES, NAMES)
    | st.text(min_size=1, max_size=40).map(reference_to),
    precision=st.sampled_from([None, "int8", "fp8"]),
    users=st.none() | st.integers(1, 500),
)
@settings(max_examples=300, deadline=None)
def test_a_written_request_reads_back_the_same(reference, precision, users):
    request = SizingRequest(reference=reference, precision=precision, concurrent_requests=users)
    assert ask(format_request(request)) == request
