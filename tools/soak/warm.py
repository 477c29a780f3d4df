"""What a writer needs, loaded once: each is then forked from here and writes at once."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import bot.storage.postgres.decisions  # noqa: F401 (loaded here, not by every writer)
from bot.deciding import Deciding, Proposal
from bot.history import History
from bot.render import Renderer
from bot.reply import Asker, Transport
from bot.service import Service
from bot.storage import Log, NewAnswer
from bot.storage.stores import open_log
from sizing.catalogue import load_catalogue

NOBODY = Asker("U9999", "C1", Transport.SLACK, team_id="T1")


def sample_answer(log: Log) -> NewAnswer:
    """Return a real answer, so that decisions can be made about what writers record."""
    catalogue = load_catalogue()
    Service(catalogue, log, Renderer(catalogue)).handle("llama-13b int8", NOBODY, None)
    found = log.get_answer("A-1", team_id="T1")
    if found is None:
        raise LookupError("the first answer is lost")
    return NewAnswer(**{field.name: getattr(found, field.name) for field in fields(NewAnswer)})


def _warm_up() -> None:
    with tempfile.TemporaryDirectory() as folder, closing(open_log(Path(folder) / "l.db")) as log:
        sample_answer(log)
        Deciding(History(log, ""), log).save("A-1", Proposal(), NOBODY)


_warm_up()
