"""The HTTP door for a WSGI server: `gunicorn "bot.wsgi:create_app()"`."""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Callable, Iterable
from typing import Any

from slack_bolt.adapter.wsgi import SlackRequestHandler

from bot.app import Bot, build_app, start_logging
from bot.errors import BotError
from bot.settings import load_settings
from bot.settings_text import problem_text
from sizing.errors import SizingError

EVENTS_PATH = "/slack/events"
"""Path that Slack's request URLs point to."""

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

logger = logging.getLogger(__name__)


def create_app() -> WsgiApp:
    """Return the WSGI app built from the environment's settings; raise with a sentence if wrong.

    The bot is closed when the process ends, after the answers under way.
    """
    try:
        settings = load_settings(os.environ)
        start_logging(settings)
        bot = build_app(settings)
    except (BotError, SizingError) as error:
        from gunicorn.errors import AppImportError  # type: ignore[import-untyped]

        # The one error after which gunicorn prints the sentence and does not try again.
        raise AppImportError(problem_text(error, os.environ)) from error
    atexit.register(bot.close)
    logger.info("answering Slack at %s", EVENTS_PATH)
    return wsgi_app(bot)


def wsgi_app(bot: Bot) -> WsgiApp:
    """Return the WSGI app of one bot: Slack's events, and `/healthz` for a load balancer."""
    slack = SlackRequestHandler(bot.app, path=EVENTS_PATH)

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == "/healthz":
            start_response("200 OK", [("Content-Type", "text/plain; charset=utf-8")])
            return [b"ok\n"]
        return slack(environ, start_response)

    return serve
