"""What a spec promises: each default is told and can be changed, no limit is passed in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.grammar.spec_options import ROWS, SPEC_WORDS
from bot.names import word_set
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")

PLAIN = "llama-3.1-8b fp8 gpu=2xl40s"
TRAINED = "llama-3.1-8b qlora gpu=2xl40s"
DESK = "llama-3.1-8b fp8 gpu=1xrtx-4090"
MANY = "deepseek-r1"
CUT = "llama-3.1-8b users=20 gpu=h100 + bge-m3"

DEFAULTS = {
    "no_growth": (PLAIN, "growth=10%"),
    "growth_compound": (f"{PLAIN} growth=10%", "years=2"),
    "no_spare": (PLAIN, "spare=1"),
    "spec_card_chosen": ("llama-3.1-8b fp8", "gpu=2xl40s"),
    "storage_revisions_assumed": (PLAIN, "revisions=3"),
    "storage_logs_assumed": (PLAIN, "logs=2"),
    "storage_log_days_assumed": (PLAIN, "log-days=30"),
    "storage_data_sets_assumed": (TRAINED, "dataset=500"),
    "storage_checkpoints_assumed": (TRAINED, "checkpoints=5"),
    "software_default_orchestrator": (PLAIN, "orchestrator=k8s"),
    "mig_would_do": (CUT, "share=mig"),
    "money_default_horizon": (PLAIN, "years=3"),
    "money_default_electricity": (PLAIN, "kwh=0.2"),
    "money_default_pue": (PLAIN, "pue=1.2"),
    "money_default_hours": (PLAIN, "hours=12"),
    "money_default_support": (PLAIN, "support=10%"),
    "money_default_space": (PLAIN, "hosting=6000"),
    "money_persons_per_server": (PLAIN, "staff=60000"),
    "money_before_tax": (PLAIN, "tax=21%"),
    "country_assumed": (PLAIN, "country=ES"),
    "two_feeds_assumed": (PLAIN, "feeds=1"),
    "one_feed_assumed": (DESK, "feeds=2"),
    "sea_level_assumed": (PLAIN, "altitude=2240"),
    "amps_rule": (PLAIN, "pf=0.9"),
    "rack_taken": (PLAIN, "rack-height=48 rack-kw=15"),
}
"""Defaults by the code of their note: a question that takes it, and the option that changes it."""

STATEMENTS = word_set("""
    host_channels_filled host_swap host_cores_before_clock host_split_over_pcie
    host_cpu_unverified host_ram_built_in_short host_comes_with_gpu host_inside_link_domain
    host_pcie_switches host_two_modules_per_channel host_bridge_too_small
    storage_cache_is_replaceable storage_old_revisions_stay storage_load_is_software
    storage_settings_are_saved storage_each_server_reads storage_small_machine card_connectors
    high_line_alone maximum_printed several_supplies supplies_beyond inlet_narrowed
    inlet_altitude inlet_printed liquid_product liquid_rack liquid_worth heat_printed
    share_of_breaker share_is_margin share_is_law root_three both_feeds limit_kw rack_units
    inlet circuits liquid platform_ask_vendor platform_more_listed money_cloud_bare money_weak
    money_old money_missing money_cards_alone people_rate shared_speed spec_does_not_run
    software_open_modules software_engine_not_maintained software_engine_unknown
    software_license_not_for_card software_no_operator software_last_branch
    software_system_not_tested orchestrator_asked system_asked
    mig_apart mig_mode_kept mig_mode_lost mig_docker mig_kubernetes mig_display_mode
    mig_not_on_card mig_whole_speed mig_whole_size mig_takes_more mig_takes_fewer
    rack_kw rack_height host_ram_given_short host_cores_given_short platform_not_listed
    platform_wanted_does_not_do least_limit_kw least_rack_kw least_rack_units least_rack_height
    least_circuits least_ram_gb least_cpu_cores least_budget least_liquid least_inlet
    least_platform least_not_at_once
    """)
"""Codes of what is so, whatever is told: physics, law, makers' sheets, doubts and warnings."""

SAMPLES = (
    "llama-13b", f"{PLAIN} growth=30% people=300 rph=12 country=ES", TRAINED, DESK,
    "bge-m3 + whisper-large-v3 + llama-3.1-8b gpu=1xl40s", f"{MANY} rent hours=12 country=US",
    "llama-70b gpu=8xh100 kw=12 rack=6 circuits=1 inlet=35 altitude=2500 liquid=no budget=50k",
    "llama-3.1-405b gpu=72xgb200", "llama-70b --api rps=1 spare=1",
    f"{CUT} share=mig", f"{CUT} share=mig orchestrator=k8s os=debian-12",
)  # fmt: skip


@pytest.fixture(scope="module")
def service(catalogue: Catalogue, tmp_path_factory) -> Iterator[Service]:
    log = SqliteLog(Path(tmp_path_factory.mktemp("log")) / "gpusize.db")
    yield Service(catalogue, log, Renderer(catalogue))
    log.close()


def asks(service: Service, line: str, language: str = "en") -> Reply:
    reply = service.handle(f"spec {line}", BEN, language)
    assert reply.kind is ReplyKind.SPEC, reply.markdown
    return reply


def notes(value: object) -> Iterator[tuple[str, str]]:
    """Yield the notes of a spec's JSON: those of the answers inside are tested on their own."""
    if isinstance(value, dict):
        if value.keys() == {"code", "text"}:
            yield value["code"], value["text"]
        inside = {"answer", "checklist", "bill", "questions", "options"}
        for key, part in value.items():
            yield from () if key in inside else notes(part)
    elif isinstance(value, list):
        for part in value:
            yield from notes(part)


def notes_of(reply: Reply) -> dict[str, str]:
    return dict(notes(json.loads(json.dumps(reply.data))))


class TestDefaults:
    """Every default is named, and can be changed."""

    @pytest.mark.parametrize("code", DEFAULTS)
    def test_an_option_takes_its_place(self, service, code: str) -> None:
        line, option = DEFAULTS[code]
        before, after = notes_of(asks(service, line)), notes_of(asks(service, f"{line} {option}"))
        assert code in before
        assert before[code] != after.get(code)

    @pytest.mark.parametrize("line", SAMPLES)
    def test_every_note_is_a_default_or_a_statement(self, service, line: str) -> None:
        """Whoever adds a note says which, and a default brings its option."""
        found = notes_of(asks(service, line))
        assert found.keys() <= DEFAULTS.keys() | STATEMENTS

    def test_none_is_both(self) -> None:
        assert not DEFAULTS.keys() & STATEMENTS

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_options_that_are_words_are_told_in_the_note(self, service, language: str) -> None:
        """A default that nobody would guess the option of names it."""
        told = notes_of(asks(service, PLAIN, language))
        unsaid = {"growth_compound", "amps_rule"}
        for code in DEFAULTS.keys() - unsaid:
            assert "`" in told.get(code, "`"), told.get(code)


values = st.fixed_dictionaries(
    {},
    optional={
        "kw": st.integers(1, 60), "rack": st.integers(1, 60), "circuits": st.integers(1, 8),
        "budget": st.sampled_from([1_000, 20_000, 60_000, 150_000, 400_000, 10**7]),
        "spare": st.integers(0, 2), "growth": st.sampled_from([0, 25, 80]),
        "country": st.sampled_from(["ES", "US", "MX", "CL"]),
        "altitude": st.sampled_from([0, 2500]), "inlet": st.sampled_from([20, 27, 40]),
        "liquid": st.sampled_from(["yes", "no"]), "rack-height": st.sampled_from([24, 47]),
        "pf": st.sampled_from(["0.9", "0.98"]), "hosting": st.sampled_from([0, 3000]),
        "staff": st.sampled_from([0, 60_000]), "tax": st.sampled_from([0, 21]),
    },
)  # fmt: skip
questions = st.sampled_from([
    PLAIN, DESK, "llama-70b fp8 gpu=8xh100 users=300", "llama-3.1-8b gpu=1xl4 users=200",
    "bge-m3 + llama-3.1-8b fp8 users=30",
])  # fmt: skip


def line_of(question: str, told: dict) -> str:
    return " ".join([question, *(f"{key}={value}" for key, value in told.items())])


@given(question=questions, told=values)
@settings(max_examples=40, deadline=None)
def test_no_limit_is_passed_in_silence(service, question: str, told: dict) -> None:
    """Each limit says that it binds and what stays inside, where the plan passes it, only there."""
    reply = asks(service, line_of(question, told))
    site, page = reply.data["site"], reply.markdown
    server_kw = site["total_kw"] / site["servers"]
    each_units = site["rack_units"] // site["servers"]
    for key, code, each in (("kw", "limit_kw", server_kw), ("rack", "rack_units", each_units)):
        wanted = each * site["servers"]
        is_passed = key in told and wanted > told[key]
        assert (code in site["limits"]) == is_passed
        if is_passed:
            sentence = next(text for found, text in notes(site) if found == code)
            assert sentence in page
            assert site["servers_inside"] * each <= told[key] * (1 + 1e-9)
    if site["limits"] and not site["servers_inside"] and set(site["limits"]) & {"limit_kw"}:
        assert "Not even one server" in page or {"inlet", "liquid"} & set(site["limits"])


@given(question=questions, told=values)
@settings(max_examples=40, deadline=None)
def test_no_budget_is_passed_in_silence(service, question: str, told: dict) -> None:
    """The verdict stands on the first page; beyond it, what breaks it and the nearest plan."""
    reply = asks(service, line_of(question, told))
    check = reply.data["cost"]["budget"]
    assert (check is not None) == ("budget" in told)
    if check is None:
        return
    assert "udget" in reply.markdown
    usd, nearest = check["usd"], check["nearest"]
    if usd is None or usd["typical"] <= told["budget"]:
        return
    assert check["verdict"] != "kept"
    assert check["part"] is not None
    assert "What breaks it" in reply.markdown
    if nearest is None:
        assert "Not even one server of this kind is inside it" in reply.markdown
    else:
        assert nearest["usd"]["typical"] <= told["budget"]
        assert "Inside it:" in reply.markdown


@given(question=questions, told=values)
@settings(max_examples=20, deadline=None)
def test_what_is_left_open_is_listed(service, question: str, told: dict) -> None:
    """A default is listed exactly where its option is not told."""
    found = notes_of(asks(service, line_of(question, told)))
    for key, code in (
        ("growth", "no_growth"), ("spare", "no_spare"), ("country", "country_assumed"),
        ("altitude", "sea_level_assumed"), ("tax", "money_before_tax"),
    ):  # fmt: skip
        assert (code in found) == (key not in told), (key, code)


def test_every_option_of_a_spec_is_described() -> None:
    """The page on specs names a key of each option."""
    page = (Path(__file__).parents[2] / "docs" / "spec.md").read_text(encoding="utf-8")
    numbers = {row[1]: row[-1] for row in ROWS}
    words: dict[str, tuple[str, ...]] = {}
    for key, (_, field) in SPEC_WORDS.items():
        words[field] = (*words.get(field, ()), key)
    for field, keys in (numbers | words).items():
        assert any(f"{key}=" in page for key in keys), field


@pytest.mark.parametrize(
    ("language", "broken", "unknown"),
    [
        ("en", "Llama 3.3 70B: ❌ Exceeds 6 ms: time between tokens", "No speed is named"),
        ("es", "Llama 3.3 70B: ❌ Supera 6 ms: tiempo entre tokens", "No se indica velocidad"),
    ],
)
def test_a_server_tells_of_each_model_whether_its_limits_of_speed_are_kept(
    service, language: str, broken: str, unknown: str
) -> None:
    """No set known keeps 6 ms with 133 requests; of Transformers no speed is known at all."""
    ask = f"spec llama-3.3-70b users=133 itl<6ms + llama-3.1-8b itl<90ms lang={language}"
    page = service.handle(ask, BEN, "").markdown
    assert broken in page
    assert page.count("Llama 3.1 8B: ✅") == 1
    slow = f"spec llama-3.1-8b engine=transformers itl<30ms lang={language}"
    assert f"Llama 3.1 8B: {unknown}" in service.handle(slow, BEN, "").markdown
    silent = service.handle(f"spec llama-3.1-8b lang={language}", BEN, "").markdown
    assert "\nLlama 3.1 8B: " not in silent
