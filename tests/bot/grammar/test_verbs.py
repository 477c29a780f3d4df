"""Verbs in both languages, and questions that merely begin like one."""

import pytest

from bot.command import (
    Ask,
    DecisionMinutes,
    ExplainAnswer,
    ExportDecisions,
    Help,
    ListAnswers,
    ListGpus,
    ListModels,
    NotAvailable,
    OpinionAnswer,
    SaveAnswer,
    ShowAnswer,
    SpecOfAnswers,
    StartAnswer,
    StartAsked,
)
from bot.decisions.states import State
from bot.grammar.commands import ListDecisions
from sizing.errors import InvalidRequestError


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("help", Help()),
        ("Ayuda", Help()),
        ("--help", Help()),
        ("help lang=es", Help(language="es")),
        ("models", ListModels()),
        ("modelos llama 3", ListModels(query="llama 3")),
        ("models qwen --json", ListModels(query="qwen", as_json=True)),
        ("gpus", ListGpus()),
        ("GPUs L40 --lang=es", ListGpus(query="l40", language="es")),
        ("list", ListAnswers()),
        ("historial llama", ListAnswers(query="llama")),
        ("list models", ListModels()),
        ("show A-12", ShowAnswer(reference="A-12")),
        ("ver a12", ShowAnswer(reference="A-12")),
        ("show A-007", ShowAnswer(reference="A-7")),
        ("explain A-12", ExplainAnswer(reference="A-12")),
        ("explicar a12", ExplainAnswer(reference="A-12")),
        ("Explica A-007 --lang=es", ExplainAnswer(reference="A-7", language="es")),
        ("explain A-12 --private", ExplainAnswer(reference="A-12", private=True)),
        ("start A-12", StartAnswer(reference="A-12")),
        ("arrancar a12 lang=es", StartAnswer(reference="A-12", language="es")),
        ("opinion A-12", OpinionAnswer(reference="A-12")),
        ("Opinión a12 lang=es", OpinionAnswer(reference="A-12", language="es")),
        ("spec A-12", SpecOfAnswers(references=("A-12",), says_more=False)),
        (
            "ficha A-012 + a-7 país=ES --private",
            SpecOfAnswers(references=("A-12", "A-7"), says_more=True, private=True),
        ),
        ("lista A-12", SpecOfAnswers(references=("A-12",), says_more=False, checklist=True)),
        ("spec A-12 users=5", SpecOfAnswers(references=("A-12",), says_more=True)),
        ("new", NotAvailable(verb="new")),
        ("guardar", SaveAnswer(reference=None)),
        ("export", ExportDecisions(wanted=ListDecisions())),
        (
            "exportar proyecto=Atlas estado=aprobada piloto lang=es",
            ExportDecisions(
                wanted=ListDecisions(
                    text="piloto",
                    project="Atlas",
                    states=frozenset({State.APPROVED}),
                    language="es",
                ),
                language="es",
            ),
        ),
        ("minutes D-42", DecisionMinutes(number=42)),
        ("acta d42 lang=es", DecisionMinutes(number=42, language="es")),
        ("minutes", DecisionMinutes(number=None)),
        ("diagnóstico", NotAvailable(verb="doctor")),
        ("idioma es", NotAvailable(verb="lang")),
    ],
)
def test_verb(grammar, text, command):
    assert grammar.parse(text) == command
    assert grammar.parse(f"/gpusize {text}") == command


@pytest.mark.parametrize(
    "text",
    [
        "help me with llama-13b",
        "show me llama-13b",
        "gpus<=4 llama-13b",
        "explain llama-13b",
        "explica llama-13b",
        "opinion on llama-13b",
    ],
)
def test_a_question_may_begin_with_such_a_word(grammar, text):
    command = grammar.parse(text)
    assert isinstance(command, Ask)
    assert command.request.model_id == "llama-2-13b"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("show", "show"),
        ("ver --lang=es", "ver"),
        ("explain", "explain"),
        ("explicar", "explicar"),
        ("start", "start"),
        ("iniciar lang=es", "iniciar"),
    ],
)
def test_show_and_explain_need_an_answer(grammar, text, word):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(text)
    assert caught.value.values == {"reason": "no_reference", "word": word}


def test_the_verb_is_not_told_as_left_out(ask):
    assert ask("explain llama-13b").ignored == ()


@pytest.mark.parametrize("text", ["start file:config.json", "file:config.json start"])
def test_start_keeps_a_model_of_a_file(grammar, text):
    command = grammar.parse(f"{text} gpu=l40s")
    assert isinstance(command, StartAsked)
    assert command.request.reference == "file:config.json"
    assert command.request.ignored == ()


def test_a_list_of_models_starts_nothing(grammar):
    assert isinstance(grammar.parse("start what fits 2xl40s"), Ask)


@pytest.mark.parametrize("verb", ["start", "arrancar", "Iniciar", "/gpusize start"])
def test_start_takes_a_question(grammar, verb):
    command = grammar.parse(f"{verb} llama-13b int8 gpu=2xl4 lang=es --private --json")
    assert isinstance(command, StartAsked)
    asked = grammar.parse("llama-13b int8 gpu=2xl4")
    assert command.request == asked.request
    assert (command.language, command.private, command.as_json) == ("es", True, True)
