"""What several test folders share."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()
