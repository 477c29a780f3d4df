"""Driver, containers, licences and monitoring, by card and engine."""

from __future__ import annotations

from datetime import date

import pytest

from sizing.catalogue import Catalogue
from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.software import plan_software
from sizing.spec.software_facts import SoftwareCatalogue, load_software
from sizing.spec.software_plan import SoftwarePlan
from sizing.spec.stack_facts import KernelModules, Platform
from sizing.spec.wishes import Orchestrator, SoftwareWishes

TODAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def facts() -> SoftwareCatalogue:
    return load_software()


def model(engine: str = "vllm", precision: str = "fp8", name: str = "A model") -> ModelLoad:
    return ModelLoad(
        name=name, model_id=None, kind=ModelKind.LLM, precision=precision, engine=engine,
        mode=Mode.INFER, parameters=10**9, weights_bytes=10**9, checkpoint_bytes=10**9, copies=1,
        gpus_per_copy=1,
    )  # fmt: skip


class Planner:
    """Plans the software of servers of the catalogue's cards."""

    def __init__(self, catalogue: Catalogue, facts: SoftwareCatalogue) -> None:
        self.catalogue = catalogue
        self.facts = facts

    def __call__(
        self,
        gpu: str,
        *models: ModelLoad,
        gpus: int = 1,
        servers: int = 1,
        spare: int = 0,
        today: date = TODAY,
        **wishes,
    ) -> SoftwarePlan:
        load = ServerLoad(
            gpu=self.catalogue.gpus[gpu],
            gpus=gpus,
            servers=servers,
            spare_servers=spare,
            models=models or (model(),),
        )
        return plan_software(load, SoftwareWishes(**wishes), facts=self.facts, today=today)


@pytest.fixture(scope="module")
def plan(catalogue: Catalogue, facts: SoftwareCatalogue) -> Planner:
    return Planner(catalogue, facts)


def codes(made: SoftwarePlan) -> set[str]:
    return {each.code for each in made.notes}


@pytest.mark.parametrize(
    ("gpu", "engine", "least", "rule"),
    [
        # vLLM 0.33.0 brings CUDA 13.0, which runs on driver 580 or newer.
        ("l40s", "vllm", "580", "toolkit"),
        # NIM brings CUDA 12.9 (driver 525), yet its own page asks for 580.
        ("h100-sxm", "nim", "580", "engine"),
        # LMDeploy brings CUDA 12.8 (525); HGX B200 itself asks for more.
        ("b200-sxm", "lmdeploy", "570.133.20", "card"),
        ("rtx-pro-6000-server", "lmdeploy", "575.57.08", "card"),
        # The first driver of CUDA 12.8, the first that knows Blackwell.
        ("rtx-5090", "lmdeploy", "570.26", "architecture"),
        # CUDA 13 dropped Volta: the last image for it holds CUDA 12.
        ("v100-sxm2-32", "vllm", "525", "toolkit"),
        ("mi355x", "vllm", "7.0", "architecture"),
        ("strix-halo-128", "vllm", "7.0.2", "card"),
    ],
)
def test_the_newest_of_all_reasons_decides_the_driver(
    plan: Planner, gpu: str, engine: str, least: str, rule: str
) -> None:
    driver = plan(gpu, model(engine)).driver
    assert driver is not None
    assert (driver.least_version, driver.rule) == (least, rule)


@pytest.mark.parametrize(
    ("gpu", "today", "orchestrator", "advised"),
    [
        # R620 lasts until September 2029, the longest of all.
        ("l40s", TODAY, Orchestrator.DOCKER, "620"),
        # GPU Operator 26.7 was validated with 535, 580, 595 and 610: of these, 580 lasts longest.
        ("l40s", TODAY, Orchestrator.KUBERNETES, "580.173.02"),
        # The last branch that knows Volta, as long as it lives.
        ("v100-sxm2-32", TODAY, Orchestrator.DOCKER, "580"),
        ("v100-sxm2-32", date(2028, 6, 30), Orchestrator.DOCKER, "580"),
        ("v100-sxm2-32", date(2028, 7, 1), Orchestrator.DOCKER, None),
        ("l40s", date(2029, 10, 1), Orchestrator.DOCKER, None),
    ],
)
def test_the_branch_that_is_supported_longest_is_advised(
    plan: Planner, gpu: str, today: date, orchestrator: Orchestrator, advised: str | None
) -> None:
    driver = plan(gpu, today=today, orchestrator=orchestrator).driver
    assert driver is not None
    assert driver.advised_version == advised
    assert (driver.ends is None) == (advised is None)
    assert driver.ends is None or driver.ends >= today


@pytest.mark.parametrize(
    ("gpu", "modules"),
    [
        ("gh200-96", KernelModules.OPEN_REQUIRED),
        ("gb200", KernelModules.OPEN_REQUIRED),
        ("rtx-5090", KernelModules.OPEN_REQUIRED),
        ("h100-sxm", KernelModules.OPEN_ADVISED),
        ("t4", KernelModules.OPEN_ADVISED),
        ("v100-sxm2-32", KernelModules.PROPRIETARY),
        ("p40", KernelModules.PROPRIETARY),
        ("mi300x", None),
    ],
)
def test_kernel_modules(plan: Planner, gpu: str, modules: KernelModules | None) -> None:
    made = plan(gpu)
    assert made.kernel_modules is modules
    assert ("software_open_modules" in codes(made)) == (modules is KernelModules.OPEN_REQUIRED)


@pytest.mark.parametrize(
    ("gpu", "precision", "passed"),
    [
        ("t4", "bf16", False),  # 7.5 < 8.0
        ("a100-sxm-80", "bf16", True),  # 8.0
        ("a10", "fp8", False),  # 8.6 < 8.9
        ("l4", "fp8", True),  # 8.9
        ("h100-sxm", "nvfp4", False),  # 9.0 < 10.0
        ("b200-sxm", "nvfp4", True),  # 10.0
        ("rtx-5090", "nvfp4", True),  # 12.0, above 10.0 and above 8.9 as numbers
    ],
)
def test_gates_of_formats(plan: Planner, gpu: str, precision: str, *, passed: bool) -> None:
    made = plan(gpu, model(precision=precision))
    (gate,) = made.gates
    assert gate.is_passed == passed
    assert ("software_gate_closed" in codes(made)) == (not passed)


def test_gates_agree_with_the_formats_of_the_catalogue(
    plan: Planner, catalogue: Catalogue, facts: SoftwareCatalogue
) -> None:
    """A card that passes a gate computes in the format; one that does not only stores it."""
    for gate in facts.gate:
        for precision in gate.precisions:
            native = catalogue.precisions[precision].native_on
            for gpu in catalogue.gpus.values():
                if gpu.compute_capability and gpu.compute_capability[0].isdigit():
                    (found,) = plan(gpu.id, model(precision=precision)).gates
                    assert found.is_passed == (gpu.architecture in native), (gpu.id, precision)


def test_formats_without_a_gate_and_cards_of_others_have_none(plan: Planner) -> None:
    assert plan("h100-sxm", model(precision="awq")).gates == ()
    assert plan("mi300x").gates == ()


def test_one_server_gets_docker_and_several_get_kubernetes(plan: Planner) -> None:
    alone, two, spared = plan("l40s"), plan("l40s", servers=2), plan("l40s", spare=1)
    assert alone.orchestration
    assert two.orchestration
    assert spared.orchestration
    assert (alone.orchestration.orchestrator, alone.orchestration.rule) == ("docker", "one_server")
    assert (two.orchestration.orchestrator, two.orchestration.rule) == (
        "kubernetes",
        "several_servers",
    )
    assert spared.orchestration.orchestrator is Orchestrator.KUBERNETES
    assert (two.orchestration.operator_version, two.orchestration.resource) == (
        "26.7.0",
        "nvidia.com/gpu",
    )
    assert "software_default_orchestrator" in codes(two)
    asked = plan("l40s", servers=2, orchestrator=Orchestrator.DOCKER)
    assert asked.orchestration
    assert asked.orchestration.rule == "asked"
    assert "software_default_orchestrator" not in codes(asked)


@pytest.mark.parametrize("gpu", ["rtx-4090", "jetson-agx-orin-64", "gaudi3", "rx-7900-xtx"])
def test_a_cluster_of_cards_that_no_operator_lists_is_told(plan: Planner, gpu: str) -> None:
    made = plan(gpu, orchestrator=Orchestrator.KUBERNETES)
    assert made.orchestration
    assert made.orchestration.operator is None
    assert "software_no_operator" in codes(made)


def test_amd_cards_get_amd_s_operator(plan: Planner) -> None:
    made = plan("mi300x", servers=2)
    assert made.platform is Platform.ROCM
    assert made.orchestration
    assert (made.orchestration.operator, made.orchestration.resource) == (
        "AMD GPU Operator",
        "amd.com/gpu",
    )
    assert not made.orchestration.is_confirmed
    assert made.driver
    # The image of vLLM holds ROCm 7.2.
    assert (made.driver.name, made.driver.advised_version) == ("ROCm", "7.2")
    assert (made.kernel_modules, made.container_toolkit) == (None, None)


@pytest.mark.parametrize(
    ("wanted", "tested"),
    [
        ("Ubuntu 24.04", True),
        ("ubuntu", True),
        ("RHEL 9.6", True),  # the toolkit names RHEL 9 as a whole
        ("Fedora 43", False),
        ("Ubuntu 20.04", False),
    ],
)
def test_a_wanted_system_is_held_against_those_that_were_tested(
    plan: Planner, wanted: str, *, tested: bool
) -> None:
    made = plan("l40s", operating_system=wanted)
    assert ("software_system_not_tested" in codes(made)) == (not tested)


def test_a_driver_that_comes_with_the_system(plan: Planner) -> None:
    for gpu, system in (("jetson-agx-orin-64", "JetPack"), ("gb10", "DGX OS")):
        made = plan(gpu, model("llamacpp", "q4-k-m"))
        assert (made.driver, made.operating_systems) == (None, (system,))
        assert "software_driver_comes_with" in codes(made)
    mac = plan("m3-ultra", model("mlx", "mlx-4bit"))
    assert (mac.driver, mac.orchestration, mac.monitoring) == (None, None, None)
    assert mac.operating_systems == ("macOS",)


def test_each_engine_stands_once_with_its_models(plan: Planner) -> None:
    made = plan("h100-sxm", model(name="A"), model("nim", name="B"), model(name="C"))
    assert [(each.engine, each.models) for each in made.engines] == [
        ("nim", ("B",)),
        ("vllm", ("A", "C")),
    ]


@pytest.mark.parametrize(
    ("gpu", "engine", "first"),
    [
        ("b200-sxm", "vllm", "0.9.0"),
        ("b200-sxm", "trtllm", "0.17.0"),
        ("b300-sxm", "trtllm", "1.1.0"),  # the card counts before its architecture
        ("gb10", "trtllm", "1.2.0"),
        ("h100-sxm", "vllm", None),
    ],
)
def test_the_first_release_for_a_card(
    plan: Planner, gpu: str, engine: str, first: str | None
) -> None:
    (software,) = plan(gpu, model(engine)).engines
    assert software.first_version == first


def test_an_engine_that_dropped_the_card_stays_at_its_last_release(plan: Planner) -> None:
    made = plan("v100-sxm2-32")
    (software,) = made.engines
    assert (software.version, software.toolkit) == ("0.14.0", "12")
    assert {"software_engine_dropped", "software_last_branch"} <= codes(made)
    assert not software.is_confirmed


def test_what_nobody_knows_is_said(plan: Planner) -> None:
    made = plan("mi300x", model("sglang"))
    (software,) = made.engines
    assert (software.image, software.version, software.is_confirmed) == (None, None, False)
    assert "software_engine_unknown" in codes(made)
    assert "software_engine_not_maintained" in codes(plan("h100-sxm", model("tgi")))
    assert "software_capability_short" in codes(plan("t4", model("trtllm")))


def test_nim_in_production_is_licensed_by_gpu(plan: Planner) -> None:
    """(2 servers + 1 spare) x 8 GPUs = 24 licences at USD 4,500: 108,000 a year."""
    (need,) = plan("h100-sxm", model("nim"), gpus=8, servers=2, spare=1).licenses
    assert (need.licenses, need.usd_per_year, need.rule) == (24, 108_000, "production")
    assert need.is_old  # 2026-04-29 is 215 days before


def test_licences_that_come_with_the_card_or_are_not_needed(plan: Planner) -> None:
    (included,) = plan("h200-nvl", model("nim"), gpus=4).licenses
    assert (included.licenses, included.usd_per_year) == (0, None)
    assert (included.rule, included.included_years) == ("included", 5)
    (trial,) = plan("l40s", model("nim"), production=False).licenses
    assert (trial.licenses, trial.rule) == (0, "trial")
    (school,) = plan("l40s", model("nim"), gpus=2, reduced_license=True).licenses
    assert school.usd_per_year == 2 * 1_125
    assert plan("l40s").licenses == ()
    assert "software_license_not_for_card" in codes(plan("rtx-4090", model("nim")))


def test_docker_and_toolkit_that_nim_asks_for(plan: Planner) -> None:
    made = plan("l40s", model("nim"))
    assert made.docker
    assert made.container_toolkit
    assert made.docker.least_version == "24.0"
    assert made.container_toolkit.least_version == "1.14.0"
    assert plan("l40s").docker is None


def test_alarms_have_the_bounds_of_the_card(plan: Planner) -> None:
    made = plan("h100-sxm").monitoring
    assert made
    alarms = {each.code: each for each in made.alarms}
    assert alarms["cuda-gpu-slowing"].above_c == 85
    assert alarms["cuda-memory-hot"].above_c == 95
    assert alarms["cuda-power-at-limit"].above_w == 700
    assert alarms["cuda-xid-fatal"].events == (46, 48, 64, 79)
    assert not alarms["cuda-thermal-throttled"].exported_by_default
    assert (made.exporter, made.port) == ("DCGM Exporter", 9400)


def test_the_bound_for_stacked_memory_is_not_told_of_other_memory(plan: Planner) -> None:
    made = plan("l40s").monitoring
    assert made
    assert "cuda-memory-hot" not in {each.code for each in made.alarms}
    assert plan("jetson-agx-orin-64").monitoring is None
    assert plan("gaudi3").monitoring is None


def test_every_card_of_the_catalogue_has_a_plan(plan: Planner, catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        for engine in catalogue.engines.values():
            if gpu.architecture in engine.runs_on:
                made = plan(gpu.id, model(engine.id))
                assert made.driver is None or made.driver.sources
