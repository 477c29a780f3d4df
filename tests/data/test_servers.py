"""Servers and processors: what the file may say, and that its facts hang together."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from sizing.catalogue import Catalogue, data_dir
from sizing.errors import CatalogueError
from sizing.records import GpuRecord
from sizing.spec.machine_kinds import MachineKind, SlotForm
from sizing.spec.machines import CpuRecord, ServerRecord, load_servers
from sizing.spec.slots import cards, places, slot_form

MACHINES = load_servers()
SOURCED = 'sources = ["somewhere"]\nchecked = 2026-11-30\n'
CPU = f"""
[[cpu]]
id = "some-cpu"
name = "Some CPU"
uses = ["server"]
memory_channels = 8
dimm_gb = [16]
models = [{{ name = "One", cores = 8, tdp_w = 65 }}]
{SOURCED}"""
SERVER = f"""
[[server]]
id = "some-server"
name = "Some Server"
vendor = "Maker"
kind = "rack_server"
slots = [{{ form = "pcie_double", gpus = 4 }}]
cpu = "some-cpu"
rack_units = 2
{SOURCED}"""


def written(folder: Path, text: str) -> Path:
    (folder / "servers.toml").write_text(text)
    return folder


def test_a_small_file_loads(tmp_path: Path) -> None:
    machines = load_servers(written(tmp_path, CPU + SERVER))
    assert [server.id for server in machines.server] == ["some-server"]
    assert machines.server[0].max_gpus == 4


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (CPU + SERVER.replace("rack_units = 2", "rack_unit = 2"), "some-server: rack_unit"),
        (CPU + SERVER.replace('sources = ["somewhere"]', "sources = []"), "some-server: sources"),
        (CPU + SERVER.replace('"some-cpu"', '"other"'), "some-server: no processor is called"),
        (CPU + SERVER + SERVER, "some-server: listed twice"),
        (CPU + SERVER + SERVER.replace("some-s", "a-s"), "a-server: belongs before"),
        (CPU + CPU + SERVER, "some-cpu: listed twice"),
        (CPU + SERVER + 'unverified = ["weight_kg"]\n', "which says nothing"),
        (CPU + SERVER + 'unverified = ["colour"]\n', "which says nothing"),
        (
            CPU.replace('models = [{ name = "One", cores = 8, tdp_w = 65 }]', "models = []"),
            "models",
        ),
    ],
)
def test_a_breach_is_refused_by_file_and_entry(tmp_path: Path, text: str, detail: str) -> None:
    with pytest.raises(CatalogueError) as raised:
        load_servers(written(tmp_path, text))
    assert raised.value.values["file"] == "servers.toml"
    assert detail in str(raised.value.values["detail"])


def test_all_platforms_of_the_collection_are_there() -> None:
    kinds = {server.kind for server in MACHINES.server}
    assert len(MACHINES.server) >= 55
    assert kinds == set(MachineKind)


@pytest.mark.parametrize("record", MACHINES.server, ids=lambda record: record.id)
def test_named_gpus_are_in_the_catalogue_and_have_their_place(
    catalogue: Catalogue, record: ServerRecord
) -> None:
    assert list(record.named_gpus) == sorted(set(record.named_gpus))
    for name in record.named_gpus:
        form = slot_form(catalogue.gpus[name])
        assert any(places(group, form) for group in record.slots), name


@pytest.mark.parametrize("record", MACHINES.server, ids=lambda record: record.id)
def test_figures_of_a_machine_are_plausible(catalogue: Catalogue, record: ServerRecord) -> None:
    """A full machine draws more than its GPUs alone, and no more than four times as much."""
    if record.kind in (MachineKind.RACK_SERVER, MachineKind.INTEGRATED):
        assert record.rack_units is not None
        assert 1 <= record.rack_units <= 10
    if record.max_ram_gb and record.tested_ram_gb:
        assert record.tested_ram_gb <= record.max_ram_gb
    if record.max_power_w and record.is_sure_of("max_power_w"):
        for gpu in (catalogue.gpus[name] for name in record.named_gpus):
            assert gpu.board_power_w is not None
            gpus_w = gpu.board_power_w * cards(gpu, record.max_gpus)
            assert gpus_w <= record.max_power_w <= 4 * gpus_w
    if record.psus and record.psus_needed:
        assert record.psus_needed <= record.psus
    if record.psus and record.psu_w and record.max_power_w:
        assert record.psus * record.psu_w >= record.max_power_w


@pytest.mark.parametrize("record", MACHINES.server, ids=lambda record: record.id)
def test_towers_cool_no_cards_without_a_fan(record: ServerRecord) -> None:
    if record.kind in (MachineKind.WORKSTATION, MachineKind.DESKTOP, MachineKind.TOWER_SERVER):
        assert not record.airflow_for_passive
        assert record.rack_units is None


@pytest.mark.parametrize("record", MACHINES.cpu, ids=lambda record: record.id)
def test_processors_are_listed_in_order(catalogue: Catalogue, record: CpuRecord) -> None:
    assert all(one.cores < other.cores for one, other in pairwise(record.models))
    assert list(record.dimm_gb) == sorted(set(record.dimm_gb))
    assert all(built.gpu in catalogue.gpus for built in record.built_into)
    if not record.built_into:
        assert record.memory_channels
        assert record.dimm_gb
        assert all(1 <= (model.tdp_w or 0) / model.cores <= 20 for model in record.models)


def test_processors_that_are_proposed_have_models_from_a_source() -> None:
    proposed = [record for record in MACHINES.cpu if record.is_default]
    assert proposed
    assert all("models" not in record.unverified for record in proposed)


def test_superchips_know_their_processor(catalogue: Catalogue) -> None:
    """Every GPU with a processor's memory beside it."""
    known = {built.gpu for record in MACHINES.cpu for built in record.built_into}
    coherent = {gpu.id for gpu in catalogue.gpus.values() if gpu.coherent_host_gb}
    assert coherent <= known


def test_published_systems() -> None:
    """Maximum draw and height of DGX and XE9680, as their makers print them."""
    by_id = {record.id: record for record in MACHINES.server}
    published = {
        "dgx-a100": (6500, 6), "dgx-h100": (10_200, 8), "dgx-h200": (10_200, 8),
        "dgx-b200": (14_300, 10), "dell-xe9680": (10_200, 6),
    }  # fmt: skip
    for name, (power_w, units) in published.items():
        assert (by_id[name].max_power_w, by_id[name].rack_units) == (power_w, units)
    assert not by_id["dell-xe9680"].is_sure_of("max_power_w")


def test_what_is_recalled_alone_is_all_marked() -> None:
    """A machine without any source marks every figure that decides something."""
    recalled = [
        record for record in MACHINES.server if record.sources == ("recalled: no source at hand",)
    ]
    assert {record.id for record in recalled} == {"dell-precision-7960", "smc-522ga"}
    for record in recalled:
        for key in ("slots", "named_gpus", "cpu_sockets", "max_ram_gb", "rack_units", "psu_w"):
            assert getattr(record, key) is None or key in record.unverified


def test_provenance_survives_loading() -> None:
    """Every record keeps the sources and the day that stand in the file."""
    tables = tomllib.loads((data_dir() / "servers.toml").read_text())
    for table, records in (("cpu", MACHINES.cpu), ("server", MACHINES.server)):
        assert len(tables[table]) == len(records)
        for entry, record in zip(tables[table], records, strict=True):
            assert record.sources == tuple(entry["sources"])
            assert record.checked == entry["checked"]


def test_every_gpu_for_a_slot_has_a_form_that_slots_know(catalogue: Catalogue) -> None:
    def is_pcie(gpu: GpuRecord) -> bool:
        return (gpu.form_factor or "").startswith("PCIe")

    forms = {slot_form(gpu) for gpu in catalogue.gpus.values() if is_pcie(gpu)}
    assert forms == {
        SlotForm.PCIE_LOW, SlotForm.PCIE_SINGLE, SlotForm.PCIE_DOUBLE, SlotForm.PCIE_TRIPLE,
    }  # fmt: skip


def test_the_file_is_in_the_packaged_folder() -> None:
    assert (data_dir() / "servers.toml").is_file()
