"""The service of the tests about decisions, with an answer and a decision on it."""

from __future__ import annotations

import pytest

from bot.service import Service
from tests.bot.decisions.conftest import ANA, BEN, log, service

__all__ = ["log", "service"]


def says(service: Service, text: str, asker=BEN):
    return service.handle(text, asker, None)


@pytest.fixture
def decided(service: Service) -> Service:
    """The service once A-1, `llama-13b int8 users=4`, is approved as D-1."""
    for text, asker in [("save A-1 Pilot", BEN), ("propose D-1", BEN), ("approve D-1", ANA)]:
        assert says(service, text, asker).error is None
    return service
