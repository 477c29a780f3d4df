"""Put the service together from the packaged catalogue and what surrounds it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from bot.clock import today
from bot.render import Renderer
from bot.service import Service
from sizing.catalogue import load_catalogue

if TYPE_CHECKING:
    from bot.decisions.records import Rules
    from bot.opinion import Opinions
    from bot.sources.references import Sources
    from bot.storage import Log


def build_service(
    log: Log,
    sources: Sources | None = None,
    *,
    opinions: Opinions | None = None,
    writer: type[Renderer] = Renderer,
    standing: Callable[[], Rules] | None = None,
) -> Service:
    """Return the service over the packaged catalogue, and over models outside it.

    `writer` writes the pages; those of `bot.wordless` leave out what their readers never see.
    """
    catalogue = load_catalogue()
    return Service(
        catalogue,
        log,
        writer(catalogue),
        sources=sources,
        opinions=opinions,
        today=partial(today, os.environ),
        standing=standing,
    )
