"""Electricity: what the loader refuses, and what holds of the facts that are shipped."""

from __future__ import annotations

import inspect
import tomllib
import types
import typing
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel

from sizing.catalogue import Catalogue, data_dir
from sizing.errors import CatalogueError
from sizing.spec import (
    circuits,
    cooling,
    electricity_records,
    host_parts,
    machine_records,
    power,
    site,
    supplies,
)
from sizing.spec.electricity import Electricity, UnknownCountryError, load_electricity
from sizing.units import UNIT_SUFFIXES

TEXT = (data_dir() / "electricity.toml").read_text()


@pytest.fixture(scope="module")
def facts() -> Electricity:
    return load_electricity()


def loaded(folder: Path, text: str) -> Electricity:
    (folder / "electricity.toml").write_text(text)
    return load_electricity(folder)


def test_the_countries_that_were_asked_for_are_there(facts: Electricity) -> None:
    codes = {country.id for country in facts.countries}
    assert codes >= {"us", "ca", "mx", "es", "de", "fr", "gb", "br", "ar", "cl", "co", "pe", "jp"}


@pytest.mark.parametrize(
    ("name", "code", "limited"),
    [
        ("US", "us", True), ("ca", "ca", True), ("mexico", "mx", True), ("co", "co", True),
        ("espana", "es", False), ("United Kingdom", "gb", False), ("jp", "jp", False),
    ],
)  # fmt: skip
def test_where_the_code_limits_continuous_loads(
    facts: Electricity, name: str, code: str, *, limited: bool
) -> None:
    country = facts.country(name)
    assert (country.id, country.limits_continuous_load) == (code, limited)
    assert (country.code is not None) is limited


def test_an_unknown_country_is_named_with_those_that_are_known(facts: Electricity) -> None:
    with pytest.raises(UnknownCountryError) as caught:
        facts.country("atlantis")
    assert caught.value.word == "atlantis"
    assert "es" in caught.value.suggestions


def test_every_circuit_has_a_voltage_of_its_countries(facts: Electricity) -> None:
    """What is offered in a country can be plugged in there: 240 and 480 V are not offered in ES."""
    for country in facts.countries:
        one = {each.voltage_v for each in facts.grid(country).circuits if each.phases == 1}
        three = {each.voltage_v for each in facts.grid(country).circuits if each.phases == 3}
        assert set(country.single_phase_v) <= one | three, country.id
        assert set(country.three_phase_v) <= three, country.id
        ordered = [(each.phases, each.voltage_v) for each in facts.grid(country).circuits]
        assert ordered == sorted(ordered), country.id


def test_efficiencies_rise_in_load_and_stay_below_one(facts: Electricity) -> None:
    for level in facts.supply_classes:
        loads = [point.load_percent for point in level.efficiency]
        assert loads == sorted(loads)
        assert all(80 <= point.efficiency_percent < 100 for point in level.efficiency)


def test_whole_systems_name_accelerators_of_the_catalogue(
    facts: Electricity, catalogue: Catalogue
) -> None:
    for system in facts.systems:
        for gpu in system.accelerators:
            board_w = catalogue.gpus[gpu].board_power_w
            assert board_w is not None
            assert system.most_w > system.gpus * board_w, system.id
    for limit in facts.thermal_limits:
        assert set(limit.families) <= {gpu.family for gpu in catalogue.gpus.values()}


def test_sources_and_days_survive(facts: Electricity, catalogue: Catalogue) -> None:
    read = tomllib.loads(TEXT)
    for table, entries in read.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            assert all(len(source) > 8 for source in entry["sources"]), table
            assert date(2024, 1, 1) <= entry["checked"]
            assert entry["checked"] <= date.fromisoformat(catalogue.stamp.date)
    assert facts.country("es").sources == tuple(
        next(one for one in read["country"] if one["id"] == "es")["sources"]
    )


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('id = "ar"', 'id = "zz"', "zz"),
        ('"argentina"', '"chile"', "chile"),
        ('aliases = ["dgx-a100-640gb"]', 'aliases = ["dgx-h100"]', "dgx-h100"),
        ('grid = "mexico"', 'grid = "atlantis"', "mx"),
        ("power_factor = 0.95", "power_factor = 1.2", "power_factor"),
        ("phases = 3", "phases = 4", "phases"),
        ('plugs = ["G"]', 'plugs = ["G"]\ncolour = "red"', "colour"),
    ],
)
def test_a_breach_is_refused_by_entry(tmp_path: Path, old: str, new: str, named: str) -> None:
    with pytest.raises(CatalogueError, match=named):
        loaded(tmp_path, TEXT.replace(old, new, 1))


COUNTS = {
    "phases", "limits_continuous_load", "power_factor", "most_gpus", "most_gpus_without_spare",
    "most_redundant_supplies", "most_desktop_supplies", "gpu_margin", "gpus", "supplies",
    "needed_supplies", "rack_units", "office_pue", "pue", "count", "dimms", "drives", "nics",
    "fans_share", "circuits", "feeds", "circuits_per_server", "servers", "servers_at_rating",
    "servers_per_rack", "racks", "servers_inside", "is_liquid", "is_desktop", "hours_per_day",
    "btu_per_wh", "btu_per_h_per_ton",
}  # fmt: skip
"""Fields without a unit: counts, ratios and yes or no."""


def holds_numbers(annotation: object) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, int | float):
        return True
    inner = typing.get_args(annotation)
    is_generic = isinstance(annotation, types.GenericAlias) or typing.get_origin(annotation)
    return bool(is_generic) and any(holds_numbers(each) for each in inner)


def test_units_stand_in_the_names_of_all_numbers() -> None:
    modules = (
        circuits, cooling, electricity_records, host_parts, machine_records, power, site, supplies,
    )  # fmt: skip
    kinds = {
        kind
        for module in modules
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, BaseModel) and kind.__module__ == module.__name__
    }
    unnamed = {
        name
        for kind in kinds
        for name, field in kind.model_fields.items()
        if holds_numbers(field.annotation)
        and not any(name.endswith(f"_{suffix}") for suffix in UNIT_SUFFIXES)
    }
    assert unnamed <= COUNTS
