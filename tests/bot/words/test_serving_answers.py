"""Questions about serving over the packaged catalogue: the page says what the answer holds."""

from __future__ import annotations

import json

import pytest

from bot.contract import to_contract
from bot.format import Numbers
from bot.labels import Labels
from bot.messages import load_messages
from bot.reply import Asker, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import load_catalogue

USERS = "llama 70b fp8 users=200 in=2000 out=400 ttft<1s"
RATE = "llama 70b fp8 rps=3 in=2000 out=400"
COPIES = "llama 70b fp8 users=200 in=2000 out=400 ttft<300ms itl<30ms"


ONE_COPY = {"en": "on one copy of the model", "es": "en una copia del modelo"}


@pytest.fixture(scope="module")
def real_catalogue():
    return load_catalogue()


@pytest.fixture
def service(real_catalogue, tmp_path):
    from bot.render import Renderer

    log = SqliteLog(tmp_path / "log.db")
    yield Service(real_catalogue, log, Renderer(real_catalogue))
    log.close()


def _asked(service, question, language):
    asker = Asker("ana", None, Transport.TERMINAL, language=language)
    reply = service.handle(question, asker, None)
    return reply, service.explain(reply.answer_id, asker).markdown


@pytest.mark.parametrize("question", [USERS, RATE, COPIES])
def test_the_page_names_gpus_copies_rates_and_the_limit(service, language, question):
    reply, explained = _asked(service, question, language)
    first = reply.answer.options[0]
    numbers, found = Numbers(language), first.performance
    line = next(text for text in reply.markdown.splitlines() if numbers.about(
        found.requests_per_s.typical) in text and text.startswith("**"))  # fmt: skip
    page = reply.markdown
    assert f"{first.gpus} × " in page.splitlines()[0]
    copies = {"en": "copies", "es": "copias"}[language]
    assert (f"{first.replicas} {copies}" in page.splitlines()[0]) is (first.replicas > 1)
    on_copies = f"{first.replicas} {copies}" if first.replicas > 1 else ONE_COPY[language]
    assert on_copies in line
    goodput = found.goodput
    for figure in (
        found.output_tokens_per_s.typical,
        found.requests_per_s.typical,
        goodput.concurrent_requests.typical,
        goodput.requests_per_s.typical,
    ):
        assert numbers.about(figure) in line
    if first.replicas > 1:
        assert numbers.about(goodput.replica_requests_per_s.typical) in line
    assert {"en": "What binds: ", "es": "Lo que limita: "}[language] in line
    for way in found.ways:
        assert f"`{way.option}`" in line
        assert numbers.count(way.concurrent_requests) in line
    assert {"en": "Goodput", "es": "Rendimiento útil"}[language] in explained


def test_the_rate_and_what_is_in_flight_stand_on_the_page(service, language):
    reply, _ = _asked(service, RATE, language)
    requests = reply.answer.understood.concurrent_requests
    words = {"en": f"keep {requests} in flight", "es": f"mantienen {requests} en curso"}
    assert words[language] in reply.markdown


def test_programs_get_limit_ways_and_goodput(service, language):
    reply, _ = _asked(service, COPIES, language)
    messages = load_messages(language, Labels())
    found = json.loads(json.dumps(to_contract(reply.answer, messages)))
    speed = found["options"][0]["performance"]
    assert speed["limit"] == "latency"
    assert speed["limiting_wish"] in ("itl", "ttft")
    assert set(speed["goodput"]) == {
        "concurrent_requests", "requests_per_s", "concurrent_requests_per_replica",
        "replica_requests_per_s",
    }  # fmt: skip
    assert all(way["option"] and way["concurrent_requests"] for way in speed["ways"])
    assert found["options"][1]["performance"]["ways"] == []


def test_speculative_decoding_is_told_as_computed(service, language):
    question = "llama 70b fp8 gpu=4xh100 users=1 spec=eagle3"
    reply, explained = _asked(service, question, language)
    found = reply.answer.options[0].performance.speculation
    for page in (reply.markdown, explained):
        assert Numbers(language).about(found.step_tokens) in page
    computed = {"en": "is computed, not measured", "es": "está calculada, no medida"}
    assert computed[language] in reply.markdown


def test_a_measured_case_stands_beside_its_estimate(service, language):
    question = "llama 3.1 8b bf16 trtllm gpu=1xh100 users=16 in=4096 out=128"
    reply, explained = _asked(service, question, language)
    row = next(row for row in reply.answer.options[0].performance.measured if row.is_same)
    for page in (reply.markdown, explained):
        assert f"{Numbers(language).rate(row.itl_ms)} ms" in page
        assert row.source in page
