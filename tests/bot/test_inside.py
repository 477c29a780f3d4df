"""Plans inside the limits: each line that is shown keeps all of them when it is typed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.blocks import to_message
from bot.command import Grammar
from bot.grammar.canonical_spec import format_spec
from bot.inside_lines import spec_view_of
from bot.limits import assert_valid
from bot.messages import LANGUAGES, read_tables
from bot.render import Renderer
from bot.reply import Asker, Reply, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.plan import spec_of
from sizing.spec.request import SpecRequest

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = replace(BEN, user_id="U0ANA", user_name="ana", language="es")


class MarkdownFile(SingleFileSnapshotExtension):
    """One readable file for each page."""

    _write_mode = WriteMode.TEXT
    file_extension = "md"


CASES = {
    "fewer_cards": "llama-70b gpu=8xh100 kw=8 country=ES",
    "without_spare": "llama-3.1-8b gpu=2xl40s spare=1 kw=2",
    "lower_precision": "llama-70b kw=0.3",
    "rented": "llama-70b users=50 rent budget=5000",
    "none": "llama-70b gpu=8xh100 growth=30% spare=1 kw=0.03",
}


@pytest.fixture(scope="module")
def service(catalogue: Catalogue, tmp_path_factory) -> Iterator[Service]:
    log = SqliteLog(Path(tmp_path_factory.mktemp("log")) / "gpusize.db")
    yield Service(catalogue, log, Renderer(catalogue))
    log.close()


@pytest.fixture(scope="module")
def grammar(catalogue: Catalogue) -> Grammar:
    return Grammar(catalogue)


def asks(service: Service, line: str, asker: Asker = BEN) -> Reply:
    return service.handle(f"spec {line}", asker, None)


def section(page: str) -> str:
    """Return what is said of limits and of plans inside them."""
    start = page.index("❌")
    return page[start : page.index("\n> ", start)].strip() + "\n"


@pytest.mark.parametrize("asker", [BEN, ANA], ids=LANGUAGES)
@pytest.mark.parametrize("name", CASES)
def test_golden_pages(service, snapshot, name: str, asker: Asker) -> None:
    reply = asks(service, CASES[name], asker)
    assert_valid("message", to_message(reply))
    assert section(reply.markdown) == snapshot.use_extension(MarkdownFile)


def lines_of(reply: Reply) -> list[str]:
    return [plan["line"] for plan in reply.data["inside"]["plans"]]


@pytest.mark.parametrize("name", ["fewer_cards", "without_spare", "lower_precision", "rented"])
def test_each_line_is_on_the_page_and_in_json(service, name: str) -> None:
    reply = asks(service, CASES[name])
    lines = lines_of(reply)
    assert lines
    for line in lines:
        assert f"`{line}`" in reply.markdown
    assert "request" not in reply.data["inside"]["plans"][0]
    json.dumps(reply.data["inside"])


def test_a_spec_that_keeps_all_has_null(service) -> None:
    assert asks(service, "llama-3.1-8b gpu=2xl40s").data["inside"] is None


def test_what_is_shown_again_has_its_plans(service) -> None:
    first = asks(service, CASES["fewer_cards"])
    shown = service.handle(f"show {first.answer_id}", ANA, None)
    assert all(f"`{line}`" in shown.markdown for line in lines_of(first))


wishes = st.fixed_dictionaries(
    {},
    optional={
        "kw": st.sampled_from(["0.3", "1", "2.5", "6", "12"]),
        "rack": st.sampled_from([1, 2, 4, 8]),
        "circuits": st.sampled_from([1, 2, 4]),
        "rack-kw": st.sampled_from([1, 4, 8]),
        "budget": st.sampled_from([3_000, 20_000, 60_000, 200_000]),
        "spare": st.sampled_from([1, 2]), "growth": st.sampled_from([30, 80]),
        "country": st.sampled_from(["ES", "US"]), "inlet": st.sampled_from([27, 33]),
        "ram": st.sampled_from([64, 256]), "liquid": st.sampled_from(["no"]),
    },
)  # fmt: skip
questions = st.sampled_from([
    "llama-3.1-8b", "llama-70b fp8 gpu=8xh100", "llama-3.1-8b users=200 gpu=l4",
    "llama-3.1-8b people=300 rph=12", "bge-m3 + llama-3.1-8b users=30 gpu=h100",
    "llama-3.1-8b qlora gpu=2xl40s", "llama-70b ttft<2s users=10",
])  # fmt: skip


@given(question=questions, told=wishes)
@settings(max_examples=30, deadline=None)
def test_every_plan_that_is_shown_keeps_every_limit(
    catalogue: Catalogue, grammar: Grammar, question: str, told: dict
) -> None:
    """Typed as it stands, the line gives the very cards, and nothing that was told is passed."""
    line = " ".join([question, *(f"{key}={value}" for key, value in told.items())])
    spec = spec_of(grammar.parse(f"spec {line}").request, catalogue)
    for shown in spec_view_of(spec).insides:
        assert shown.line is not None
        own = spec_of(grammar.parse(shown.line.removeprefix("gpusize ")).request, catalogue)
        assert own.inside is None
        assert own.servers.runs
        assert (own.servers.gpu, own.servers.gpus) == (shown.plan.gpu, shown.plan.gpus)
        site, cost = own.around.facility.site, own.cost
        assert site.limits == ()
        if "kw" in told:
            assert site.total_kw <= float(told["kw"]) * (1 + 1e-9)
        if "rack" in told:
            assert site.rack_units <= told["rack"]
        if "budget" in told:
            assert cost.is_complete
            assert cost.budget is not None
            assert cost.budget.usd is not None
            assert cost.budget.usd.typical <= told["budget"]
    if spec.inside and not spec.inside.plans:
        assert spec.inside.least


LINES = (
    "llama-3.3-70b fp8 users=20 in=2000 out=400 + bge-m3 + whisper-large-v3 growth=30% country=ES",
    "llama-3.1-8b people=300 rph=12 crecimiento=20% país=MX kw=6 iva=16%",
    "llama-3.3-70b gpu=8xh100 ttft<1s tps>20 os=rocky-9 orchestrator=k8s production=no liquid=no"
    " share=mig budget=500UTM fx=72 platform=dgx-h100 education=yes",
    "llama-3.1-8b qlora gpu=2xl40s dataset=500 os=ubuntu-24.04 revisions=2 checkpoints=3 logs=5",
    "13b int4 rent hours=12 budget=5000 os=rhel kwh=0.2 pue=1.2 inlet=27.5",
    "120b a12b layers=60 rps=0.125 share=no kw=1.25 altitude=2240 hosting=6000 staff=60000",
    "deepseek-r1 spec=mtp draft-tokens=3 accept=0.7 --api loras=3 rank=16 pf=0.98 rack-kw=15",
    "flux-1-dev steps=30 1024x768 + qwen2.5-vl-7b images=2 1280x720 support=10% log-days=30"
    " circuits=4 breaker=32 voltage=400 phases=3 rack=8 rack-height=47 feeds=2 co2=200",
)


@pytest.mark.parametrize("line", LINES)
def test_the_line_of_a_server_reads_back_as_the_same(grammar: Grammar, line: str) -> None:
    request = grammar.parse(f"spec {line}").request
    text = format_spec(request)
    assert text is not None
    assert grammar.parse(f"spec {text}").request == request
    assert format_spec(grammar.parse(f"spec {text}").request) == text


def test_what_no_line_says_is_told_by_its_changes(catalogue: Catalogue, grammar: Grammar) -> None:
    """The host's memory of a past question is no `ram=` of a server: only what is new is said."""
    request = grammar.parse("spec llama-3.3-70b gpu=8xh100 kw=8").request
    asked = request.workloads[0].request.model_copy(update={"host_ram_gb": 512})
    workload = request.workloads[0].model_copy(update={"request": asked})
    spec = spec_of(request.model_copy(update={"workloads": (workload,)}), catalogue)
    first, *_ = spec_view_of(spec).insides
    assert first.line is None
    assert first.changes == ("gpu=4xh100-sxm",)
    page = Renderer(catalogue).spec(spec, "en")
    assert "The same question with `gpu=4xh100-sxm`." in page
    assert format_spec(SpecRequest(workloads=(workload,))) is None
    assert GpuChoice(gpu="h100-sxm", count=4) in first.plan.request.workloads[0].request.gpus
    assert isinstance(asked, SizingRequest)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_may_be_given_up_has_its_words(language: str) -> None:
    folder = Path(__file__).parents[2] / "sizing" / "spec"
    text = "".join((folder / f"{name}.py").read_text() for name in ("concessions", "nearness"))
    codes = read_tables(language)["gives_up"]
    assert all(f'"{code}"' in text for code in codes)
    listed = re.search(
        r'"""What it does without: (.+?); nothing', (folder / "inside.py").read_text(), re.S
    )
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == set(codes)
