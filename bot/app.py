"""The composition root of the Slack app: settings in, app out."""

from __future__ import annotations

import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

from slack_bolt import App
from slack_sdk import WebClient
from slack_sdk.http_retry.builtin_handlers import (
    ConnectionErrorRetryHandler,
    RateLimitErrorRetryHandler,
    ServerErrorRetryHandler,
)

from bot.listeners import register
from bot.listeners.desk import Desk
from bot.listeners.locale import Locales
from bot.service import build_service
from bot.settings import Settings
from bot.storage import Log
from bot.storage.sqlite import SqliteLog

WORKERS = 16
"""Threads that answer questions; acknowledgements never wait for one."""

TIMEOUT_S = 10
"""Patience with one call to Slack, s."""


@dataclass(frozen=True)
class Bot:
    """The Slack app and what has to be closed behind it."""

    app: App
    log: Log
    executor: ThreadPoolExecutor

    def close(self) -> None:
        """Finish the answers under way, then close the log."""
        self.executor.shutdown(wait=True)
        self.log.close()


class _SharedTls(ssl.SSLContext):
    """TLS settings that Bolt's copies of a request share: the plain ones cannot be copied."""

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self


def _shared_tls() -> ssl.SSLContext:
    """Return what `ssl.create_default_context()` makes for a client."""
    tls = _SharedTls(ssl.PROTOCOL_TLS_CLIENT)
    tls.load_default_certs()
    return tls


def build_client(settings: Settings) -> WebClient:
    """Return the one client of Slack's Web API; its TLS context is made once, not per call."""
    return WebClient(
        token=settings.bot_token,
        base_url=settings.api_url,
        timeout=TIMEOUT_S,
        ssl=_shared_tls(),
        retry_handlers=[
            ConnectionErrorRetryHandler(max_retry_count=1),
            RateLimitErrorRetryHandler(max_retry_count=1),
            ServerErrorRetryHandler(max_retry_count=1),
        ],
    )


def build_app(settings: Settings) -> App:
    """Return the app with every listener attached; asks Slack once who the bot is."""
    return build_bot(settings).app


def build_bot(settings: Settings) -> Bot:
    """Wire catalogue, log, service and listeners.

    Acknowledgements run on the thread that received the request and work runs lazily
    behind them, so busy workers never delay the next acknowledgement.
    """
    executor = ThreadPoolExecutor(WORKERS, thread_name_prefix="gpusize")
    log = SqliteLog(settings.database)
    app = App(
        client=build_client(settings),
        signing_secret=settings.signing_secret,
        process_before_response=True,
        listener_executor=executor,
    )
    service = build_service(log)
    register(app, Desk(service, Locales(settings.language)))
    return Bot(app, log, executor)
