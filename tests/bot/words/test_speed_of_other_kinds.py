"""Speed of pictures, texts and sound, in the words of both languages and in JSON."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

from bot.cli import read_arguments, run
from bot.render import Renderer
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
    log = SqliteLog(tmp_path / "log.db")
    yield Service(real_catalogue, log, Renderer(real_catalogue))
    log.close()


@pytest.fixture
def ask(service, capsys):
    def do(*arguments):
        run(read_arguments(arguments, {}), lambda: nullcontext(service))
        return capsys.readouterr().out

    return do


SAID = [
    (
        "flux 4xh100 batch=4 steps=20",
        "en",
        ("for 20 steps", "for each picture", "with 4 at"),
    ),
    ("flux 4xh100 batch=4 20 steps", "es", ("para 20 pasos", "s por imagen", "segundo con 4")),
    ("bge-large fp16 l4", "en", ("texts of 512 tokens", "texts/s", "done together after")),
    ("bge-large fp16 l4", "es", ("textos de 512 tokens", "textos por segundo", "listos juntos")),
    ("bge-large fp16 l4 batch=1", "en", ("each done after",)),
    ("bge-large fp16 l4 batch=1", "es", ("cada uno listo tras",)),
    ("whisper-large-v3 l4", "en", ("windows of 30 s", "times real time", "windows/s at most")),
    ("whisper-large-v3 l4", "es", ("ventanas de 30 s", "veces el tiempo real", "como máximo")),
    ("whisper-large-v3 l4 users=4", "en", ("with 4 at once, done together",)),
    ("whisper-large-v3 l4 users=4", "es", ("con 4 a la vez, listas juntas",)),
]


@pytest.mark.parametrize(("question", "language", "words"), SAID)
def test_the_answer_says_it(ask, question: str, language: str, words: tuple[str, ...]) -> None:
    out = ask(*question.split(), "--lang", language)
    line = next(line for line in out.splitlines() if line.startswith(("**Speed", "**Veloc")))
    for each in words:
        assert each in line


NOT_SAID = [
    ("wan2.1-t2v-14b", "No speed is named: nothing comparable was measured of video generation"),
    ("kokoro-82m", "No speed is named: nothing comparable was measured of speech synthesis"),
    ("parakeet", "No speed is named: nothing comparable to Parakeet"),
    ("yolov8x --lang es", "No se indica velocidad: no se ha medido nada comparable de"),
    (
        "flux gpu=gaudi3 1xgaudi3 --lang es",
        "No se indica velocidad: ninguna tarjeta de la generación",
    ),
]


@pytest.mark.parametrize(("question", "words"), NOT_SAID)
def test_what_was_not_measured_is_said(ask, question: str, words: str) -> None:
    out = ask(*question.split())
    assert words in out
    assert "**Speed**" not in out


EXPLAINED = [
    ("sdxl h100 steps=20", "en", ("a picture takes", "operators", "share reached")),
    ("sdxl h100 steps=20", "es", ("una imagen requiere", "operadores", "parte alcanzada")),
    ("whisper-large-v3 l4", "en", ("a window of 30 s of sound takes", "18.68 GB of cache")),
    ("bge-large fp16 l4", "es", ("un texto requiere",)),
]


@pytest.mark.parametrize(("question", "language", "words"), EXPLAINED)
def test_the_explanation_says_the_work(
    service, ask, question: str, language: str, words: tuple[str, ...]
) -> None:
    """Whisper large v3 reads 2 x 32 x 1,280 x 1,500 x 2 bytes for each of 76 tokens: 18.68 GB."""
    ask(*question.split(), "--lang", language)
    explained = service.explain("A-1", ASKER).markdown
    for each in words:
        assert each in explained


def test_the_speed_of_tokens_explains_no_work(service, ask) -> None:
    ask("llama-3.1-8b", "fp8", "1xh100")
    assert "operators" not in service.explain("A-1", ASKER).markdown


def test_json_has_the_figures_under_their_names(ask) -> None:
    picture = json.loads(ask("flux", "1xh100", "--json"))["options"][0]["performance"]
    text = json.loads(ask("bge-large", "fp16", "1xl4", "--json"))["options"][0]["performance"]
    sound = json.loads(ask("whisper-large-v3", "1xl4", "--json"))["options"][0]["performance"]
    assert picture["steps"] == 28
    assert picture["images_per_s"]["typical"] == pytest.approx(
        1 / picture["seconds_per_image"]["typical"]
    )
    assert text["prefill_tokens_per_s"]["typical"] == pytest.approx(
        512 * text["texts_per_s"]["typical"]
    )
    assert sound["audio_seconds_per_s"]["typical"] == pytest.approx(
        30 * sound["windows_per_s"]["typical"]
    )
    assert picture["texts_per_s"] is None
    assert sound["output_tokens"] == 76
