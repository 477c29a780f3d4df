"""Costs beside the accelerators: what the loader refuses, and what holds of what is shipped."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest

from sizing.catalogue import Catalogue, data_dir
from sizing.errors import CatalogueError
from sizing.spec.upkeep_facts import HostKind, UpkeepCatalogue, load_upkeep


@pytest.fixture(scope="module")
def facts() -> UpkeepCatalogue:
    return load_upkeep()


def test_every_kind_of_host_has_its_record(facts: UpkeepCatalogue) -> None:
    assert {record.id for record in facts.host} == set(HostKind)


def test_systems_are_accelerators_of_the_catalogue(
    catalogue: Catalogue, facts: UpkeepCatalogue
) -> None:
    for record in facts.system:
        gpu = catalogue.gpus[record.id]
        assert record.gpus == gpu.link_max_gpus


def test_bounds_ascend(facts: UpkeepCatalogue) -> None:
    support, staff, unit = facts.support, facts.staff, facts.rack_unit
    assert support.low_percent <= support.typical_percent <= support.high_percent
    for low, typical, high in (
        (
            staff.low_usd_per_person_year,
            staff.typical_usd_per_person_year,
            staff.high_usd_per_person_year,
        ),
        (
            staff.low_persons_per_server,
            staff.typical_persons_per_server,
            staff.high_persons_per_server,
        ),
        (unit.low_usd_per_month, unit.typical_usd_per_month, unit.high_usd_per_month),
    ):
        assert low <= typical <= high
    for record in facts.host:
        for found in (record.least_usd, record.share_percent):
            assert found is None or found.low <= found.typical <= found.high, record.id
    for record in facts.system:
        assert record.low_usd <= record.typical_usd <= record.high_usd


def test_a_figure_of_ours_is_called_weak(facts: UpkeepCatalogue) -> None:
    """A single offer, arithmetic or a choice of ours is never passed off as a price list."""
    for record in (facts.support, facts.staff, facts.rack_unit, *facts.host, *facts.system):
        text = " ".join(record.sources)
        ours = any(word in text for word in ("ours", "arithmetic", "without a day"))
        assert record.is_weak or not ours, record


def test_provenance_survives_loading(facts: UpkeepCatalogue) -> None:
    raw = tomllib.loads((data_dir() / "upkeep.toml").read_text())
    loaded = {"host": facts.host, "system": facts.system}
    for table, records in loaded.items():
        for entry, record in zip(raw[table], records, strict=True):
            assert list(record.sources) == entry["sources"]
            assert record.dated == entry.get("dated")
            assert date(2026, 1, 1) <= record.checked == entry["checked"]
    for table in ("support", "staff", "rack_unit"):
        assert list(getattr(facts, table).sources) == raw[table]["sources"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('id = "desktop"', 'id = "tower"', "tower: id"),
        ("is_included = true\n", "", "computer: neither a price nor a share"),
        ("high_share_percent = 40", "high_share_percent = 100", "high_share_percent"),
        ('id = "board_server"', 'id = "workstation"', "belongs before"),
    ],
)
def test_a_breach_is_refused(tmp_path: Path, old: str, new: str, named: str) -> None:
    text = (data_dir() / "upkeep.toml").read_text()
    assert old in text
    (tmp_path / "upkeep.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(CatalogueError) as refusal:
        load_upkeep(tmp_path)
    assert refusal.value.values["file"] == "upkeep.toml"
    assert named in str(refusal.value.values["detail"])
