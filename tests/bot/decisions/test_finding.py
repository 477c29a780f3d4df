"""Decisions listed: by state, project, text and person, for those who may see them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.blocks import to_message
from bot.grammar.list_verb import list_command
from bot.limits import assert_valid
from bot.reply import ReplyKind
from sizing.errors import InvalidRequestError
from tests.bot.decisions.conftest import ANA, BEN, EVA


@pytest.fixture
def filled(service):
    """D-1 to D-4 by ben: two of Atlas, of which the second is proposed; D-4 by ana."""
    for text in ("save A-1 First project=Atlas", "save A-1 Second project=Atlas", "save A-1 Third"):
        service.handle(text, BEN, None)
    service.handle("propose D-2", BEN, None)
    service.handle("save A-1 Fourth", ANA, None)
    return service


def found(service, text, asker=BEN):
    reply = service.handle(text, asker, None)
    assert (reply.kind, reply.private) == (ReplyKind.DECISIONS, True)
    assert_valid("message", to_message(reply))
    return [one["id"] for one in reply.data["decisions"]]


@pytest.mark.parametrize(
    ("text", "asker", "ids"),
    [
        ("list decisions", BEN, ["D-4", "D-3", "D-2", "D-1"]),
        ("list project=atlas", BEN, ["D-2", "D-1"]),
        ("list proposed", BEN, ["D-2"]),
        ("list state=draft,proposed project=ATLAS", BEN, ["D-2", "D-1"]),
        ("lista decisiones borrador", BEN, ["D-4", "D-3", "D-1"]),
        ("lista propuestas", BEN, ["D-2"]),
        ("listar propuestos", BEN, ["D-2"]),
        ("listar borradores", BEN, ["D-4", "D-3", "D-1"]),
        ("list drafts", BEN, ["D-4", "D-3", "D-1"]),
        ("historial rechazadas", BEN, []),
        ("decisions", BEN, ["D-4", "D-3", "D-2", "D-1"]),
        ("decisiones propuestas", BEN, ["D-2"]),
        ("/gpusize Decisiones project=atlas", BEN, ["D-2", "D-1"]),
        ("list mine", ANA, ["D-4"]),
        ("list mias", BEN, ["D-3", "D-2", "D-1"]),
        ("list waiting", ANA, ["D-2"]),
        ("list waiting", EVA, ["D-2"]),
        ("list waiting", BEN, []),
        ("list decisions first", BEN, ["D-1"]),
        ("list model=llama-13b mine", ANA, ["D-4"]),
        ("list model=mixtral", BEN, []),
        ("list decisions page=2", BEN, []),
        ("list decisions", replace(BEN, team_id="T2"), []),
        ("list decisions", replace(EVA, channel_id="C9"), []),
    ],
)
def test_what_is_listed(filled, text, asker, ids) -> None:
    assert found(filled, text, asker) == ids


def test_pages_follow_each_other(service, log) -> None:
    for number in range(17):
        service.handle(f"save A-1 Number {number} project=Atlas", BEN, None)
    first = service.handle("list project=atlas", BEN, None)
    assert len(first.data["decisions"]) == 15
    assert "/gpusize list decisions project=atlas page=2" in first.markdown
    assert found(service, "list decisions project=atlas page=2") == ["D-2", "D-1"]


def test_the_list_of_answers_begins_with_the_decisions(filled) -> None:
    reply = filled.handle("list", BEN, None)
    assert reply.kind is ReplyKind.LIST
    assert reply.markdown.startswith("# Decisions")
    assert "# Latest answers" in reply.markdown
    assert [len(reply.data[name]) for name in ("decisions", "answers")] == [4, 1]
    assert_valid("message", to_message(reply))


def test_without_decisions_the_answers_stand_alone(service) -> None:
    assert service.handle("list", BEN, None).markdown.startswith("# Latest answers")


@pytest.mark.parametrize("text", ["list state=old", "list page=0", "list page=x", "list state=,"])
def test_what_there_is_not_is_said(text) -> None:
    with pytest.raises(InvalidRequestError):
        list_command(text)


@pytest.mark.parametrize(
    ("text", "language", "sentence"),
    [
        ("list foo", "en", "Nothing answers to “foo”."),
        ("list -x", "en", "Nothing answers to “-x”."),
        ("list approvd", "en", "Did you mean `approved`?"),
        ("list decisions approvd", "en", "Did you mean `approved`?"),
        ("list state=aproved", "en", "use `approved`"),
        ("list state=", "en", "“state=” has no value"),
        ("list model=", "en", "“model=” has no value"),
        ("list page=0", "en", "“0” is no page: they are numbered from 1"),
        ("listar foo", "es", "Nada responde a «foo»."),
        ("listar aprovadas", "es", "¿Quiso decir `aprobadas`?"),
        ("listar estado=xx", "es", "use `borrador`, `propuesta`, `cambios`"),
        ("listar página=0", "es", "«0» no es una página: se numeran del 1"),
        ("listar estado=", "es", "A «estado=» le falta un valor"),
    ],
)
def test_a_miss_is_told_as_a_miss(filled, text, language, sentence) -> None:
    page = filled.handle(text, BEN, language).markdown.replace("\\", "")
    assert sentence in page
    assert "No answers yet" not in page
    assert "Todavía" not in page


def test_words_of_decisions_alone_are_not_said_to_be_in_no_answer_yet(filled) -> None:
    reply = filled.handle("list fourth", BEN, None)
    assert [one["id"] for one in reply.data["decisions"]] == ["D-4"]
    assert reply.data["answers"] == []
    assert "No answer holds “fourth”." in reply.markdown


def test_the_spanish_verb_lists_the_latest(filled) -> None:
    reply = filled.handle("listar", BEN, "es")
    assert reply.kind is ReplyKind.LIST
    assert "# Últimas respuestas" in reply.markdown


@pytest.mark.parametrize("text", ["list", "list llama", "list models", "history", "llama-13b mine"])
def test_other_lists_stay_what_they_are(text) -> None:
    assert list_command(text) is None
