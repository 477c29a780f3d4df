"""Facts about software: what the loader refuses, and what holds of those that are shipped."""

from __future__ import annotations

import itertools
import tomllib
from datetime import date
from pathlib import Path

import pytest

from sizing.catalogue import Catalogue, data_dir
from sizing.errors import CatalogueError
from sizing.spec.software_facts import SoftwareCatalogue, load_software
from sizing.spec.stack_facts import Platform
from sizing.spec.versions import is_before, is_of_branch


@pytest.fixture(scope="module")
def facts() -> SoftwareCatalogue:
    return load_software()


def test_every_architecture_has_its_stack(catalogue: Catalogue, facts: SoftwareCatalogue) -> None:
    used = {gpu.architecture for gpu in catalogue.gpus.values()}
    assert used == {stack.id for stack in facts.stack}


def test_what_records_name_exists(catalogue: Catalogue, facts: SoftwareCatalogue) -> None:
    architectures = {stack.id for stack in facts.stack}
    assert {card.id for card in facts.card} <= set(catalogue.gpus)
    for image in facts.image:
        assert image.engine in catalogue.engines
        assert {*image.first_versions, *image.last_versions} <= {*architectures, *catalogue.gpus}
        assert image.id == f"{image.engine}-{image.platform.value}"
    for gate in facts.gate:
        assert set(gate.precisions) <= set(catalogue.precisions)
    for record in facts.license:
        assert set(record.included_with) <= set(catalogue.gpus)
        assert set(record.engines) <= set(catalogue.engines)


def test_every_engine_with_a_start_command_for_nvidia_has_its_record(
    catalogue: Catalogue, facts: SoftwareCatalogue
) -> None:
    known = {image.engine for image in facts.image}
    started = {each.id for each in catalogue.engines.values() if each.launch}
    assert started <= known


def test_keys_called_unconfirmed_are_keys_that_say_something(facts: SoftwareCatalogue) -> None:
    for records in (facts.stack, facts.card, facts.operator, facts.image, facts.alarm):
        for record in records:
            assert list(record.unconfirmed) == sorted(record.unconfirmed), record.id
            for key in record.unconfirmed:
                assert getattr(record, key) not in (None, (), {}), (record.id, key)


def test_every_toolkit_of_an_nvidia_image_has_a_driver(facts: SoftwareCatalogue) -> None:
    releases = [each.version for each in facts.toolkit]
    for image in facts.image:
        if image.platform is Platform.CUDA and image.toolkit:
            assert any(is_of_branch(image.toolkit, each) for each in releases), image.id


def test_newer_toolkits_ask_for_newer_drivers(facts: SoftwareCatalogue) -> None:
    ordered = sorted(facts.toolkit, key=lambda each: int(each.version))
    for older, newer in itertools.pairwise(ordered):
        assert is_before(older.first_driver, newer.first_driver)


def test_an_operator_installs_what_it_was_validated_with(facts: SoftwareCatalogue) -> None:
    for operator in facts.operator:
        if operator.default_driver:
            assert operator.default_driver in operator.drivers


def test_provenance_survives_loading(facts: SoftwareCatalogue) -> None:
    raw = tomllib.loads((data_dir() / "software.toml").read_text())
    for table, entries in raw.items():
        for entry, record in zip(entries, getattr(facts, table), strict=True):
            assert list(record.sources) == entry["sources"]
            assert all(len(source) > 20 for source in record.sources), record
            assert date(2026, 1, 1) <= record.checked == entry["checked"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('id = "ampere"', 'id = "zebra"', "belongs before"),
        ('platform = "cuda"', 'platform = "cude"', "platform"),
        ('first_toolkit = "11.8"', 'first_toolkit = "11.8"\nfirst = 1', "Extra"),
        ('first_driver = "570.26"', 'first_driver = "R570"', "first_driver"),
        ("usd_per_gpu_year = 4_500", "usd_per_gpu_year = 0", "usd_per_gpu_year"),
    ],
)
def test_a_breach_is_refused(tmp_path: Path, old: str, new: str, named: str) -> None:
    text = (data_dir() / "software.toml").read_text()
    assert old in text
    (tmp_path / "software.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(CatalogueError) as refusal:
        load_software(tmp_path)
    assert refusal.value.values["file"] == "software.toml"
    assert named in str(refusal.value.values["detail"])


@pytest.mark.parametrize(
    ("version", "other", "before"),
    [
        ("570.26", "570.133.20", True),  # numbers, not text
        ("8.9", "10.0", True),
        ("580", "580.0", False),
        ("580", "580.173.02", True),
        ("13.0", "13", False),
    ],
)
def test_versions_are_compared_as_numbers(version: str, other: str, *, before: bool) -> None:
    assert is_before(version, other) == before
