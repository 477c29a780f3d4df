"""The items of the checklist and the lines of the bill of materials."""

from __future__ import annotations

import tomllib
import typing

import pytest

from sizing.catalogue import SERVER_FACTS, data_dir
from sizing.errors import CatalogueError
from sizing.spec.checklist import FILE, load_checklist
from sizing.spec.checklist_records import ChecklistDefaults, Group, Kind
from sizing.spec.facts import AcceptanceRun, ChecklistFacts
from sizing.units import UNIT_SUFFIXES

CHECKLIST = load_checklist()
DERIVED = {
    "has_runs", "has_lower_precision", "single_feed", "three_phase", "several_servers",
    "split_over_pcie",
    "full_diagnostics", "short_diagnostics", "other_vendor",
}  # fmt: skip
DEFAULTS = ChecklistDefaults.model_fields.keys() - {"sources", "checked"}
FACTS = ChecklistFacts.model_fields.keys() - {"runs"} | DERIVED | DEFAULTS
"""Names that an item may ask for."""

COUNTS = {
    "concurrent_requests", "people", "gpus_per_server", "spare_servers",
    "total_servers", "cpu_sockets", "cpu_cores", "ram_modules", "ram_channels", "pcie_generation",
    "pcie_lanes_per_gpu", "free_gpu_slots", "os_disks", "data_disks", "kept_disks", "network_ports",
    "fabric_ports", "network_cables", "psus", "psus_needed", "feeds", "circuits_per_feed",
    "circuit_phases", "outlets", "rack_units", "racks", "pue", "licenses",
}  # fmt: skip
"""Facts without a unit."""


def test_the_file_is_digested_with_the_catalogue() -> None:
    assert FILE in SERVER_FACTS


def test_ids_are_unique_and_sorted() -> None:
    for records in (CHECKLIST.item, CHECKLIST.bill):
        ids = [record.id for record in records]
        assert ids == sorted(set(ids))


@pytest.mark.parametrize("item", CHECKLIST.item, ids=lambda item: item.id)
def test_an_item_rests_on_facts_that_there_are(item) -> None:
    codes = [line.code for line in item.lines]
    assert len(codes) == len(set(codes))
    assert set(item.settled_by) <= set(codes)
    assert list(item.topics) == sorted(set(item.topics))
    for line in item.lines:
        known = FACTS | (AcceptanceRun.model_fields.keys() if line.each_run else set())
        used = {*line.needs, *filter(None, (line.only_if, line.unless))}
        assert used <= known, line.code
        # What is not known is neither true nor false: a condition rests on a fact that is needed.
        assert {line.only_if, line.unless} - {None} <= set(line.needs), line.code
        assert not {line.code} & {"title", "open"}


@pytest.mark.parametrize("line", CHECKLIST.bill, ids=lambda line: line.id)
def test_a_line_of_the_bill_rests_on_facts_that_there_are(line) -> None:
    own = {"spare_parts"}
    assert set(line.needs) <= FACTS
    assert set(line.factors) - own <= FACTS
    assert line.only_if is None or line.only_if in FACTS


@pytest.mark.parametrize("group", Group)
def test_places_count_through_each_group_and_what_binds_comes_first(group) -> None:
    items = sorted((i.place, list(Kind).index(i.kind)) for i in CHECKLIST.item if i.group is group)
    assert [place for place, _ in items] == list(range(1, len(items) + 1))
    assert [kind for _, kind in items] == sorted(kind for _, kind in items)
    bill = sorted(line.place for line in CHECKLIST.bill if line.group is group)
    assert bill == list(range(1, len(bill) + 1))


def test_provenance_survives_loading() -> None:
    raw = tomllib.loads((data_dir() / FILE).read_text(encoding="utf-8"))
    assert [item.sources for item in CHECKLIST.item] == [tuple(i["sources"]) for i in raw["item"]]
    assert CHECKLIST.defaults.sources == tuple(raw["defaults"]["sources"])
    checks = {CHECKLIST.defaults.checked, *(item.checked for item in CHECKLIST.item)}
    assert checks == {raw["defaults"]["checked"], *(item["checked"] for item in raw["item"])}


def test_an_item_without_any_sentence_asks() -> None:
    silent = [item for item in CHECKLIST.item if not item.has_question]
    assert all(any(not set(line.needs) - DEFAULTS for line in item.lines) for item in silent)


def test_each_fact_is_said_somewhere() -> None:
    """A figure that no sentence and no quantity uses would be asked of the plan for nothing."""
    said = {name for item in CHECKLIST.item for line in item.lines for name in line.needs}
    billed = {name for line in CHECKLIST.bill for name in (*line.needs, *line.factors)}
    # These are said through what follows from them.
    through = {"circuit_phases", "gpu_has_link", "gpu_is_nvidia", "gpu_is_datacenter"}
    assert FACTS - said - billed == through


def _holds_numbers(annotation: object) -> bool:
    return annotation in (int, float) or any(map(_holds_numbers, typing.get_args(annotation)))


def test_units_stand_in_the_names_of_facts() -> None:
    unnamed = {
        name
        for kind in (ChecklistFacts, AcceptanceRun)
        for name, field in kind.model_fields.items()
        if _holds_numbers(field.annotation)
        and not any(name.endswith(f"_{suffix}") for suffix in UNIT_SUFFIXES)
    }
    assert unnamed == COUNTS


@pytest.mark.parametrize(
    ("written", "mistaken", "where"),
    [
        ('kind = "question"', 'kind = "perhaps"', "acceptance_protocol: kind"),
        ('asks = "buyer"', "", "acceptance_protocol: asks"),
        ('id = "acceptance_tests"', 'id = "Tests"', "Tests: id"),
        ("diag_level = 3", 'diag_level = "3"', "diag_level"),
    ],
)
def test_a_mistake_is_named_with_its_entry(tmp_path, written, mistaken, where) -> None:
    text = (data_dir() / FILE).read_text(encoding="utf-8")
    (tmp_path / FILE).write_text(text.replace(written, mistaken, 1), encoding="utf-8")
    with pytest.raises(CatalogueError) as caught:
        load_checklist(tmp_path)
    assert where in str(caught.value)
