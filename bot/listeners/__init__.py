"""Listeners: acknowledge at once, call the service, send its reply."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners import (
    actions,
    commands,
    comments,
    decisions,
    forms,
    home,
    measuring,
    mentions,
    saving,
    shortcuts,
)
from bot.listeners.desk import Desk


def register(app: App, desk: Desk, *, keeps_comments: bool = False) -> None:
    """Attach every listener to `app`; `desk` does the work behind them."""
    app.error(desk.failed)
    commands.register(app, desk)
    forms.register(app, desk)
    home.register(app, desk)
    measuring.register(app, desk)
    decisions.register(app, desk)
    saving.register(app, desk)
    actions.register(app, desk)
    mentions.register(app, desk)
    shortcuts.register(app, desk)
    comments.register(app, desk, keeps=keeps_comments)
