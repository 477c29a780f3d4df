"""Prices: what the loader refuses, and what holds of those that are shipped."""

from __future__ import annotations

import shutil
import tomllib
from datetime import date
from itertools import chain
from pathlib import Path

import pytest

from sizing.catalogue import Catalogue, data_dir, load_catalogue
from sizing.errors import CatalogueError
from sizing.records import PriceBook

SOURCED = 'sources = ["a price page"]\nchecked = 2026-11-30\n'

CLOUD = f"""
[[price_list]]
id = "near-2026-11-01"
provider = "Near"
region = "here"
dated = 2026-11-01
instances = [
    {{ name = "pair", gpu = "h100-sxm", gpus = 2, price_usd_per_hour = 8.38 }},
    {{ name = "eight", gpu = "l40s", gpus = 8, price_usd_per_hour = 18.0 }},
]
{SOURCED}
[[price_list]]
id = "wide-2026-11-01"
provider = "Wide"
region = "there"
dated = 2026-11-01
instances = [{{ name = "one", gpu = "l4", gpus = 1, price_usd_per_hour = 0.7 }}]
{SOURCED}"""

PRICES = f"""
[[purchase]]
gpu = "h100-sxm"
low_usd = 25_000
typical_usd = 27_500
high_usd = 30_000
dated = 2026-05-25
{SOURCED}
[[purchase]]
gpu = "l4"
low_usd = 2_500
typical_usd = 2_500
high_usd = 2_500
dated = 2026-08-21
{SOURCED}"""

FACILITY = f"pue = 1.54\nelectricity_usd_per_kwh = 0.13\nlifetime_years = 3\n{SOURCED}"

FILES = {"cloud.toml": CLOUD, "prices.toml": PRICES, "facility.toml": FACILITY}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the data files whose prices may be overwritten."""
    copy = tmp_path_factory.mktemp("prices") / "data"
    shutil.copytree(data_dir(), copy)
    return copy


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_small_price_lists_load(folder: Path) -> None:
    """The ground of the tests below: each breaks exactly one thing of it."""
    book = load_catalogue(write(folder, FILES)).prices
    assert [each.id for each in book.lists] == ["near-2026-11-01", "wide-2026-11-01"]
    assert book.lists[0].instances[1].price_usd_per_hour == 18.0
    assert book.purchases["l4"].dated == date(2026, 8, 21)
    assert book.facility is not None
    assert book.facility.pue == 1.54


def test_a_catalogue_may_do_without_prices(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "data"
    shutil.copytree(folder, copy)
    for name in FILES:
        (copy / name).unlink()
    assert load_catalogue(copy).prices == PriceBook()


BREACHES = [
    ("cloud.toml", 'gpu = "l4"', 'gpu = "l5"', "wide-2026-11-01: no accelerator is called l5"),
    ("cloud.toml", "gpus = 2,", "gpus = 0,", "near-2026-11-01: instances.0.gpus"),
    ("cloud.toml", "8.38", "0.0", "near-2026-11-01: instances.0.price_usd_per_hour"),
    ("cloud.toml", "8.38", "8.38, spot = 1", "near-2026-11-01: instances.0.spot: Extra"),
    ("cloud.toml", '"near-2026', '"zone-2026', "wide-2026-11-01: belongs before zone"),
    ("cloud.toml", '"eight"', '"pair"', "near-2026-11-01: pair is listed twice"),
    ("cloud.toml", "h100-sxm", "mi300x", "near-2026-11-01: eight belongs before pair"),
    ("cloud.toml", "dated = 2026-11-01", "dated = 2026-12-01", "near-2026-11-01: dated after"),
    ("cloud.toml", "dated = 2026-11-01\n", "", "near-2026-11-01: dated: Field required"),
    ("cloud.toml", '["a price page"]', "[]", "near-2026-11-01: sources"),
    ("prices.toml", 'gpu = "l4"', 'gpu = "l5"', "l5: no accelerator is called l5"),
    ("prices.toml", 'gpu = "l4"', 'gpu = "a10"', "a10: belongs before h100-sxm"),
    ("prices.toml", 'gpu = "l4"', 'gpu = "h100-sxm"', "h100-sxm: listed twice"),
    ("prices.toml", "27_500", "30_001", "h100-sxm: low, typical and high do not ascend"),
    ("prices.toml", "25_000", "0", "purchase 1: low_usd"),
    ("prices.toml", "2026-05-25", "2026-12-25", "h100-sxm: dated after it was checked"),
    ("facility.toml", "1.54", "0.9", "pue"),
    ("facility.toml", "0.13", "0", "electricity_usd_per_kwh"),
]


@pytest.mark.parametrize(("file", "old", "new", "named"), BREACHES)
def test_a_breach_is_refused_by_file_and_entry(
    folder: Path, file: str, old: str, new: str, named: str
) -> None:
    assert old in FILES[file]
    write(folder, FILES | {file: FILES[file].replace(old, new, 1)})
    with pytest.raises(CatalogueError) as refusal:
        load_catalogue(folder)
    assert refusal.value.values["file"] == file
    assert named in str(refusal.value.values["detail"])


def test_provenance_of_prices_survives_loading(catalogue: Catalogue) -> None:
    book = catalogue.prices
    read = {name: tomllib.loads((data_dir() / name).read_text()) for name in FILES}
    lists, purchases = read["cloud.toml"]["price_list"], read["prices.toml"]["purchase"]
    assert [list(each.sources) for each in book.lists] == [each["sources"] for each in lists]
    assert [each.dated for each in book.lists] == [each["dated"] for each in lists]
    assert len(purchases) == len(book.purchases) > 25
    for each in purchases:
        assert list(book.purchases[each["gpu"]].sources) == each["sources"]
    assert sum(len(each.instances) for each in book.lists) > 100
    assert book.facility is not None
    assert list(book.facility.sources) == read["facility.toml"]["sources"]


def test_no_price_of_an_hour_is_off_by_a_factor_of_ten(catalogue: Catalogue) -> None:
    """A GPU hour costs 0.15 USD (RTX A4000) to 27 USD (GB200 at Azure): no cents, no months."""
    for prices in catalogue.prices.lists:
        for instance in prices.instances:
            assert 0.1 < instance.price_usd_per_hour / instance.gpus < 30, instance.name


def test_what_is_out_of_production_is_priced_by_the_market_alone(catalogue: Catalogue) -> None:
    """A launch price of years ago is no offer: ask for a quote."""
    launch = "huggingface.js"
    for gpu, record in catalogue.prices.purchases.items():
        if not catalogue.gpus[gpu].in_production:
            assert not any(launch in source for source in record.sources), gpu


def test_prices_say_whose_they_are(catalogue: Catalogue) -> None:
    for prices in catalogue.prices.lists:
        assert prices.id.startswith(prices.provider.lower())
        assert prices.id.endswith(prices.dated.isoformat())
    sources = chain.from_iterable(each.sources for each in catalogue.prices.lists)
    assert not any(word in source.lower() for source in sources for word in ("spot", "average"))
