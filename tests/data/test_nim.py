"""Support matrices of NIM: what the loader refuses, and what holds of those that are shipped."""

from __future__ import annotations

import itertools
import tomllib
from datetime import date
from pathlib import Path

import pytest

from sizing.catalogue import Catalogue, data_dir
from sizing.errors import CatalogueError
from sizing.spec.nim_facts import NimCatalogue, load_nim


@pytest.fixture(scope="module")
def facts() -> NimCatalogue:
    return load_nim()


def test_what_rows_name_exists(catalogue: Catalogue, facts: NimCatalogue) -> None:
    for record in facts.nim:
        assert record.model in catalogue.models, record.id
        assert set(record.verified) <= set(catalogue.gpus), record.id
        for row in record.profiles:
            assert row.precision in catalogue.precisions, record.id
            assert set(row.on) <= set(catalogue.gpus), record.id
            assert list(row.on) == sorted(row.on), record.id
            assert not (row.on and row.least_total_gb), record.id


def test_no_row_stands_twice(facts: NimCatalogue) -> None:
    for record in facts.nim:
        assert len(set(record.profiles)) == len(record.profiles), record.id


def test_ids_name_product_and_release(facts: NimCatalogue) -> None:
    for record in facts.nim:
        product = record.product.lower().replace(" ", "-")
        assert record.id.endswith(f"-{product}-{record.version}"), record.id


def test_disk_holds_at_least_the_weights(catalogue: Catalogue, facts: NimCatalogue) -> None:
    """A row whose disk is below the weights, or far above them, would be a slip.

    Container and engines included, the matrices stay between 0.7 and 3 times the weights; one
    embedder of 1.2 B in a container of 18 GB is the exception.
    """
    for record in facts.nim:
        model = catalogue.models[record.model]
        for row in record.profiles:
            if row.disk_gb and model.published_parameters and record.product != "Embedding":
                bits = catalogue.precisions[row.precision].weight_bits
                weights_gb = model.published_parameters * bits / 8 / 10**9
                assert 0.7 < row.disk_gb / weights_gb < 3, (record.id, row)


def test_bands_of_sizes_ascend_without_a_gap(facts: NimCatalogue) -> None:
    for lower, upper in itertools.pairwise(facts.rule_of_thumb.bands):
        assert lower.to_billion == upper.from_billion
        assert all(upper.gpus[gpu] > count for gpu, count in lower.gpus.items())


def test_provenance_survives_loading(facts: NimCatalogue) -> None:
    raw = tomllib.loads((data_dir() / "nim.toml").read_text())
    for entry, record in zip(raw["nim"], facts.nim, strict=True):
        assert list(record.sources) == entry["sources"]
        assert date(2026, 1, 1) <= record.checked == entry["checked"]
        assert len(record.profiles) == len(entry["profiles"])
    assert len(facts.nim) > 25


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('version = "1.2.0"', 'version = "latest"', "version"),
        ('id = "codellama-13b', 'id = "z-codellama-13b', "belongs before"),
        ("disk_gb = 24.63", "disk_gb = 0", "disk_gb"),
        ('goal = "throughput"', 'goal = "speed"', "goal"),
    ],
)
def test_a_breach_is_refused(tmp_path: Path, old: str, new: str, named: str) -> None:
    text = (data_dir() / "nim.toml").read_text()
    assert old in text
    (tmp_path / "nim.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(CatalogueError) as refusal:
        load_nim(tmp_path)
    assert named in str(refusal.value.values["detail"])
