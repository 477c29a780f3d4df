"""What several test folders share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from sizing.catalogue import Catalogue, load_catalogue
from tools.postgres_server import PostgresServer, program

# A database of the person who runs the tests is not for them.
os.environ.pop("DATABASE_URL", None)

# How long an example takes says something of the machine, not of the program.
settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any_machine")

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


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for this worker, which ends even when the tests are killed."""
    if program("initdb") is None:
        missing("PostgreSQL is not installed", "GPUSIZE_REQUIRE_POSTGRES")
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """Return the address of an empty database."""
    name = f"log_{uuid4().hex}"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    yield postgres.url(name)
    # The server may have been restarted meanwhile.
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
def postgres_schema(postgres: PostgresServer) -> str:
    """Return the address of an empty schema, which takes less time to make than a database."""
    name = f"log_{uuid4().hex}"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"create schema {name}".encode())
    return f"{postgres.url()}?options=-csearch_path%3D{name}"


def missing(reason: str, promised: str = "GPUSIZE_REQUIRE_CHROMIUM") -> NoReturn:
    """Skip with the reason; where the program was promised, fail."""
    if os.environ.get(promised):
        pytest.fail(reason)
    pytest.skip(reason)
