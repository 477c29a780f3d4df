"""The whole way over the packaged catalogue: words in, page and JSON out."""

from __future__ import annotations

import json
import re

import pytest

from bot.blocks import to_message
from bot.cli import read_arguments, run
from bot.command import parse
from bot.grammar.commands import Ask
from bot.limits import assert_valid
from bot.reply import Asker, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import load_catalogue

ASKER = Asker("ana", None, Transport.TERMINAL)


@pytest.fixture(scope="module")
def real_catalogue():
    return load_catalogue()


@pytest.fixture
def service(real_catalogue, tmp_path):
    from bot.render import Renderer

    log = SqliteLog(tmp_path / "log.db")
    yield Service(real_catalogue, log, Renderer(real_catalogue))
    log.close()


@pytest.fixture
def ask(service, capsys):
    from contextlib import nullcontext

    def do(*arguments):
        status = run(read_arguments(arguments, {}), lambda: nullcontext(service))
        return status, *capsys.readouterr()

    return do


def test_the_question_everyone_asks_first(ask):
    """Llama 2 13B in INT8, one request of 4,096 tokens.

    Parameters: 2 x 32,000 x 5,120 + 40 x (4 x 5,120^2 + 3 x 5,120 x 13,824 + 2 x 5,120) + 5,120
    = 13,015,864,320. Embedding, head and norms stay in 16 bits, the others take one byte and a
    scale for each row: 13.4 GB. KV cache: 2 x 40 layers x 40 heads x 128 x 2 bytes = 819,200
    bytes a token, 3.4 GB for 4,096 of them. Rule: 13.016 x 1 byte x 1.25 = 16.3 GB.
    """
    status, out, err = ask("llama-13b", "int8")
    assert (status, err) == (0, "")
    title, *_ = out.splitlines()
    assert re.fullmatch(r"# Llama 2 13B · INT8 → 1 × .* 24 GB", title)
    for words in (
        "13.0 B parameters",
        "13.4 GB of weights",
        "819,200 bytes of KV cache per token",
        "Rule of thumb +25 %: 16.3 GB",
        "less than this load would need on one large GPU",
        "KV cache (3.4 GB)",
        "1 request of 4,096 tokens",
        "it could also be",
    ):
        assert words in out, words


def test_the_same_question_in_spanish(ask):
    status, out, _ = ask("llama-13b", "int8", "--lang", "es")
    assert status == 0
    for words in (
        "13,0 mil millones (13,0 B) de parámetros",
        "13,4 GB de pesos",
        "819.200 bytes de caché KV por token",
        "Regla práctica +25 %: 16,3 GB",
        "1 solicitud de 4.096 tokens",
    ):
        assert words in out, words


def test_explanation_multiplies_out(service):
    answer_id = service.handle("llama-13b int8", ASKER, None).answer_id
    page = service.explain(answer_id, ASKER).markdown
    formula = "40 layers × 40 heads × 256 numbers × 16 bits ÷ 8 = 819,200 bytes"
    assert formula in page
    assert "1 request of 4,096 tokens, whole blocks = 3,355,443,200 bytes" in page
    sources = page[page.index("**Sources**") :]
    # Model, GPU, two formats and engine; rent, purchase, and the figures of the site.
    assert sources.count("(checked 20") == 8


@pytest.mark.parametrize(
    ("question", "works_on", "trabaja_con"),
    [
        (
            "sdxl 1024x1024 batch=4",
            "For 4 pictures at once of 1,024 × 1,024 pixels",
            "Para 4 imágenes a la vez de 1.024 × 1.024 píxeles",
        ),
        (
            "wan2.1 14b 720p 81 frames",
            "For 1 clip of 81 frames of 1,280 × 720 pixels",
            "Para 1 clip de 81 cuadros de 1.280 × 720 píxeles",
        ),
        (
            "bge-m3 batch=32 ctx=8k",
            "For 32 texts at once of 8,192 tokens",
            "Para 32 textos a la vez de 8.192 tokens",
        ),
        ("parakeet", "Assumes 1 recording of 30 s", "Supone 1 grabación de 30 s"),
        (
            "resnet",
            "Assumes 1 picture of 224 × 224 pixels",
            "Supone 1 imagen de 224 × 224 píxeles",
        ),
    ],
)
def test_nothing_is_said_of_a_cache_that_is_not_there(service, question, works_on, trabaja_con):
    """Pictures, clips, texts and recordings instead of requests and tokens of KV cache."""
    for language, words in (("en", works_on), ("es", trabaja_con)):
        asker = Asker("ana", None, Transport.TERMINAL, language=language)
        reply = service.handle(question, asker, None)
        explained = service.explain(reply.answer_id, asker).markdown
        assert words in reply.markdown
        for page in (reply.markdown, explained):
            assert "KV" not in page.split("**Sources**")[0].split("**Fuentes**")[0]


def test_the_explanation_lists_the_components(service):
    """FLUX.1 in FP8: 11,901,408,320 + 4,762,310,656 in 8 bits, 206,880,163 in 16."""
    answer_id = service.handle("flux fp8", ASKER, None).answer_id
    page = service.explain(answer_id, ASKER).markdown
    assert "- Denoiser: 11,901,408,320 × 8 bits = 11.90 GB" in page
    assert "- Text encoders: 4,885,371,136 ×" in page
    assert "- Image decoder (VAE): 83,819,683 × 16 bits = 0.17 GB" in page


QUESTIONS = [
    "llama-13b int8",
    "llama 3.1 70b fp8 ctx=32k users=64 gpu=4xH100",
    "llama-3.1-8b fp8 gpu=1xt4",
    "llama-2-13b fp16 gpu=1xl4",
    "70b fp16",
    "deepseek-v3",
    "mixtral-8x7b q4_k_m users=4",
    "llama-3.1-8b tp=3 gpu=3xl4",
    "llama-3.1-8b gpu=24gb",
    "llama-3.1-405b bf16 gpu=16xh100",
    "un 34B denso, GQA, 32k, 20 usuarios",
    "sdxl 1024x1024 batch=4 gpu=2xl40s",
    "flux fp8 gpu=1x16gb",
    "wan2.1 14b 720p 81 frames",
    "bge-m3 batch=32 ctx=8k",
    "yolov8x 640",
    "whisper-large-v3 users=10",
    "bark gpu=1xt4",
    "resnet-50 engine=vllm",
    "max users sdxl 1xl4",
    "foo-bar-9000",
    "2 x RTX6000 13b",
    "70b fp3",
    "0 usuarios",
    "",
    "models qwen",
    "gpus",
    "list",
    "show A-1",
    "show A-999",
]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_reply_is_a_valid_message(service, question, language):
    service.handle("llama-13b int8", ASKER, None)
    slack = Asker("U1", "C1", Transport.SLACK, language=language)
    reply = service.handle(question, slack, None)
    assert_valid("message", to_message(reply))
    if reply.kind == "answer":
        assert len(to_message(reply)["blocks"]) <= 6
        explained = service.explain(reply.answer_id, slack)
        assert_valid("message", to_message(explained))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_reply_has_its_json(ask, question):
    status, out, err = ask(question, "--json")
    found = json.loads(out)
    assert found["schema"] == "gpusize/1"
    assert err == ""
    assert status == (2 if "error" in found else 0)


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_example_of_the_help_can_be_typed(service, real_catalogue, language):
    page = service.handle("help", ASKER, language).markdown
    typed = [text.removeprefix("gpusize ") for text in re.findall(r"`(gpusize [^`]+)`", page)]
    assert len(typed) >= 8
    for text in typed:
        parse(text, real_catalogue)
    options = re.findall(r"^- .*$", page.split("**", 4)[4].split("**")[0], flags=re.MULTILINE)
    assert len(options) >= 6
    for line in options:
        for option in re.findall(r"`([^`]+)`", line):
            command = parse(f"llama-13b int8 {option}", real_catalogue)
            assert isinstance(command, Ask), option
            assert command.request.ignored == (), option


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            (
                "2 × slice 1g.20gb of H100 SXM 80 GB, 2 copies",
                "has 19.62 GiB and 20 % of its multiprocessors; one card gives up to 4",
                "cannot be added up",
                "1 × slice 3g.40gb of H100 SXM 80 GB",
            ),
        ),
        (
            "es",
            (
                "2 × partición 1g.20gb de H100 SXM 80 GB, 2 copias",
                "tiene 19,62 GiB y el 20 % de sus multiprocesadores; una tarjeta admite hasta 4",
                "no se suman",
                "1 × partición 3g.40gb de H100 SXM 80 GB",
            ),
        ),
    ],
)
def test_slices_are_named_sized_and_never_added_up(ask, language, words):
    status, out, _ = ask("llama-3.1-8b 2x h100:1g.20gb", "--lang", language)
    assert status == 0
    for each in words:
        assert each in out, each


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "its MIG slice 3g.40gb (39.50 GiB) would hold this load"),
        ("es", "en su partición MIG 3g.40gb (39,50 GiB) cabría esta carga"),
    ],
)
def test_a_mostly_idle_card_names_its_slice(ask, language, words):
    _, out, _ = ask("llama-3.1-8b gpu=1xh100", "--lang", language)
    assert words in out


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("split by layers", "cut evenly", "card by card: ", "the fullest card needs")),
        (
            "es",
            ("por capas", "a partes iguales", "de cada tarjeta: ", "la tarjeta más llena requiere"),
        ),
    ],
)
def test_unequal_cards_are_sized_as_one_set_in_both_ways(ask, language, words):
    """70 B in FP8: 36.4 GB do not fit a 40 GB card, a third of the 80 layers does."""
    _, out, _ = ask("llama 3.3 70b fp8 gpu=1xA100-80+1xA100-40", "--lang", language)
    for each in (*words, "`VLLM_PP_LAYER_PARTITION="):
        assert each in out, each


def test_a_start_of_unequal_cards_says_the_layers_of_each(ask):
    _, out, _ = ask('start "llama 3.3 70b fp8 gpu=1xA100-80+1xA100-40"')
    assert "VLLM_PP_LAYER_PARTITION=" in out


def test_what_fits_a_slice_is_asked_like_any_set(ask):
    status, out, _ = ask("what fits h100:1g.20gb")
    assert (status, "slice 1g.20gb" in out) == (0, True)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("1g.12gb 10.75 GiB × 7", "(estimated)")), ("es", ("1g.12gb 10,75 GiB × 7", "(estim"))],
)
def test_facts_of_a_card_list_its_slices(ask, language, words):
    """The H100 NVL, asked as people ask: real memory of 1g.12gb is 10.75 GiB."""
    _, out, _ = ask("H100 NVL MIG 1g.12gb real memory?", "--lang", language)
    for each in words:
        assert each in out


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("question", ["llama-13b int8", "llama-2-13b fp16 gpu=2xh100", "70b fp3"])
def test_every_question_on_a_button_can_be_asked(service, question, language):
    reply = service.handle(question, ASKER, language)
    questions = [button.value for button in reply.actions if "ask" in button.action_id]
    assert questions
    for text in questions:
        again = service.handle(text, ASKER, language)
        assert again.error is None, text
        assert again.answer != reply.answer
