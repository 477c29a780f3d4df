from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
from bot.render import Renderer
from bot.reply import Asker, Transport
from bot.service import Service
from bot.storage import Log
from bot.storage.stores import open_log
from sizing.catalogue import Catalogue

TENANT = Tenant("T1")
BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = replace(BEN, user_id="U0ANA", user_name="ana", language="es")
EVA = replace(BEN, user_id="U0EVA", user_name="eva")


class Staff:
    """A directory of its own: one group and one conversation."""

    def members(self, subject: str) -> frozenset[str]:
        people = {"S0LEADS": {"U0ANA", "U0EVA"}, "C1": {"U0ANA", "U0BEN", "U0EVA"}}
        return frozenset(people.get(subject, ()))

    def name(self, subject: str) -> str:
        return {"U0ANA": "ana", "U0BEN": "ben", "U0EVA": "eva", "C1": "#gpu"}.get(subject, subject)


BEN, ANA, EVA = (replace(one, directory=Staff()) for one in (BEN, ANA, EVA))


def event(action: Action, user: str = "U0BEN", **values: object) -> NewEvent:
    given = {"user_name": user[2:].lower(), "package_version": "0.1", **values}
    return NewEvent(action=action, user_id=user, **given)


def first(**details: object) -> NewEvent:
    told = {"title": "Two cards", "rules": Rules(users=("U0ANA",)), "team_id": "T1", **details}
    return event(
        Action.SAVE, answer_id="A-1", request_hash="r", answer_hash="a", details=Details(**told)
    )


@pytest.fixture(params=["sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    """Open an empty log in each kind of store."""
    is_file = request.param == "sqlite"
    url = None if is_file else request.getfixturevalue("postgres_schema")
    log = open_log(tmp_path / "gpusize.db", url)
    yield log
    log.close()


@pytest.fixture
def service(catalogue: Catalogue, log: Log) -> Service:
    service = Service(catalogue, log, Renderer(catalogue))
    service.handle("llama-13b int8 users=4", BEN, None)
    return service
