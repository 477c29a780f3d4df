"""The composition root of the Slack app: settings in, app out."""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, ParamSpec, Self, TypeVar

from slack_bolt import App
from slack_bolt.error import BoltError
from slack_bolt.logger.messages import warning_client_prioritized_and_token_skipped
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.assembly import build_service
from bot.decisions.records import Rules
from bot.errors import BotError, CodedError, SettingsError
from bot.listeners import register
from bot.listeners.daily import daily_jobs
from bot.listeners.desk import Desk
from bot.listeners.locale import Locales
from bot.listeners.retries import TIMEOUT_S, error_code, may_have_worked, retry_handlers
from bot.rounds import Rounds
from bot.settings import Settings
from bot.settings_text import settings_sentences
from bot.sources.hub import hub_reader
from bot.sources.measured import Measured
from bot.sources.references import Sources
from bot.storage import Log
from bot.storage.stores import open_log

WORKERS = 16
"""Threads that answer questions; acknowledgements never wait for one."""

GRACE_S = 15.0
"""Time that answers under way get when the bot is told to stop, s."""

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)


class Workers(ThreadPoolExecutor):
    """Threads that know what is still to be done."""

    def __init__(self, count: int) -> None:
        super().__init__(count, thread_name_prefix="gpusize")
        self._lock = threading.Lock()
        self._under_way: set[Future[Any]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Let a thread do `fn` as soon as one is free."""
        future = super().submit(fn, *args, **kwargs)
        with self._lock:
            self._under_way.add(future)
        future.add_done_callback(self._forget)
        return future

    def finish(self, grace_s: float) -> int:
        """Wait at most `grace_s` seconds for all that is to be done; return how much is left."""
        deadline_s = time.monotonic() + grace_s
        while (left := self._left()) and (left_s := deadline_s - time.monotonic()) > 0:
            wait(left, timeout=left_s)
        return len(left)

    def _left(self) -> frozenset[Future[Any]]:
        with self._lock:
            return frozenset(self._under_way)

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._under_way.discard(future)


@dataclass(frozen=True)
class Bot:
    """The Slack app and what has to be closed behind it."""

    app: App
    """Slack app with its listeners."""

    log: Log
    """Record of the answers."""

    workers: Workers
    """Threads that answer."""

    rounds: Rounds
    """What is done once a day."""

    def close(self, grace_s: float = GRACE_S) -> int:
        """Let answers under way end within `grace_s` seconds; return how many were dropped.

        The log is closed only when nobody can be writing to it any more.
        """
        self.rounds.stop()
        dropped = self.workers.finish(grace_s)
        self.workers.shutdown(wait=not dropped, cancel_futures=True)
        if dropped:
            logger.error("stopped after %g s; answers dropped: %d", grace_s, dropped)
        else:
            self.log.close()
        return dropped


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
        retry_handlers=retry_handlers(),
    )


def start_logging(settings: Settings) -> None:
    """Write messages to standard error, and the warnings about the settings first."""
    logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s: %(message)s")
    if settings.log_level != "DEBUG":
        # The pool of connections tells each one that it lends.
        logging.getLogger("psycopg.pool").setLevel(logging.WARNING)
    for sentence in settings_sentences(settings.warnings, settings.language):
        logger.warning("%s", sentence)


def build_app(settings: Settings) -> Bot:
    """Wire catalogue, log, service and listeners; asks Slack once who the bot is.

    Raise SettingsError for a token that Slack refuses, CodedError where Slack does not answer,
    StorageError for the log and CatalogueError for the data.
    """
    log = open_log(settings.store.path, settings.store.url)
    try:
        return _bot_over(log, settings)
    except BaseException:
        log.close()
        raise


def _bot_over(log: Log, settings: Settings) -> Bot:
    """Return the bot that keeps its answers in `log`.

    Acknowledgements run on the thread that received the request and work runs lazily
    behind them, so busy workers never delay the next acknowledgement.
    """
    sources = Sources(hub=hub_reader(settings.hub))
    opinions = Measured(settings.measured)
    service = build_service(
        log, sources, opinions=opinions, standing=lambda: settings.standing or Rules()
    )
    workers = Workers(WORKERS)
    with slack_asked("SLACK_BOT_TOKEN"), _without_token_warning():
        app = App(
            client=build_client(settings),
            signing_secret=settings.signing_secret,
            process_before_response=True,
            listener_executor=workers,
        )
    desk = Desk(service, Locales(settings.language))
    register(app, desk, keeps_comments=settings.thread_comments)
    rounds = Rounds(daily_jobs(settings, service, log, app.client), log.first_seen)
    rounds.start()
    return Bot(app, log, workers, rounds)


@contextmanager
def slack_asked(token_name: str) -> Iterator[None]:
    """Turn Slack's refusal of the token, or its silence, into errors that have a sentence."""
    try:
        yield
    except (BoltError, SlackClientError, OSError, HTTPException) as error:
        # Bolt wraps Slack's answer to auth.test in an error of its own.
        cause = error.__context__ if isinstance(error, BoltError) else error
        raise _start_error(cause or error, token_name) from error


def _start_error(error: BaseException, token_name: str) -> BotError:
    if not isinstance(error, SlackApiError) or may_have_worked(error):
        return CodedError("slack_unreachable", detail=str(getattr(error, "reason", error)))
    code = error_code(error)
    if code == "ratelimited":
        return CodedError("slack_unreachable", detail=code)
    return SettingsError((CodedError("token_refused", name=token_name, error=code),))


@contextmanager
def _without_token_warning() -> Iterator[None]:
    """Drop Bolt's warning about the token in the environment: it is the client's token too."""
    needless = warning_client_prioritized_and_token_skipped()

    def is_needed(record: logging.LogRecord) -> bool:
        return record.getMessage() != needless

    bolt = logging.getLogger(f"slack_bolt.{App.__name__}")
    bolt.addFilter(is_needed)
    try:
        yield
    finally:
        bolt.removeFilter(is_needed)
