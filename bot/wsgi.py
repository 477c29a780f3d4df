"""The HTTP door for a WSGI server: `gunicorn "bot.wsgi:create_app()"`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from slack_bolt.adapter.wsgi import SlackRequestHandler

from bot.app import Bot, build_bot
from bot.settings import load_settings

EVENTS_PATH = "/slack/events"
"""Path that Slack's request URLs point to."""

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def create_app() -> WsgiApp:
    """Return the WSGI app built from the environment's settings."""
    return wsgi_app(build_bot(load_settings(os.environ)))


def wsgi_app(bot: Bot) -> WsgiApp:
    """Return the WSGI app of one bot: Slack's events, and `/healthz` for a load balancer."""
    slack = SlackRequestHandler(bot.app, path=EVENTS_PATH)

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == "/healthz":
            start_response("200 OK", [("Content-Type", "text/plain; charset=utf-8")])
            return [b"ok\n"]
        return slack(environ, start_response)

    return serve
