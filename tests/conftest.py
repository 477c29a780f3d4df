"""What several test folders share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from sizing.catalogue import Catalogue, load_catalogue

CHROMIUM = Path("/usr/bin/chromium")
"""Debian's browser; playwright brings none of its own here."""


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Run the browser for one module: its event loop would hinder other tests' own."""
    if not CHROMIUM.exists():
        missing("Debian's chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def missing(reason: str) -> NoReturn:
    """Skip with the reason; where the browser was promised, fail."""
    if os.environ.get("GPUSIZE_REQUIRE_CHROMIUM"):
        pytest.fail(reason)
    pytest.skip(reason)
