"""Which calls to Slack are made again: one that may have posted something never is."""

from __future__ import annotations

import errno
import socket
import ssl
from urllib.error import URLError
from urllib.parse import urlsplit

from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.http_retry.builtin_handlers import (
    ConnectionErrorRetryHandler,
    RateLimitErrorRetryHandler,
    ServerErrorRetryHandler,
)
from slack_sdk.http_retry.handler import RetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

TIMEOUT_S = 10
"""Patience with one call to Slack, s."""

LONGEST_WAIT_S = 10
"""Longest pause that is kept when Slack asks for one, s; a longer one fails the call at once."""

READS = frozenset(
    {
        "apps.connections.open",
        "auth.test",
        "chat.getPermalink",
        "conversations.info",
        "conversations.members",
        "conversations.replies",
        "files.info",
        "usergroups.list",
        "usergroups.users.list",
        "users.info",
    }
)
"""Methods that change nothing in Slack, so that a second call does no harm."""

UNSURE = frozenset({"fatal_error", "internal_error", "service_unavailable"})
"""Errors after which, as Slack documents them, part of the work may have been done."""


_NO_CONNECTION = (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)


def retry_handlers() -> list[RetryHandler]:
    """Return the handlers of every client: reads and calls that never left are made once more."""
    return [_RateLimit(), _NeverSent(), _ReadConnection(), _ReadServerError()]


def may_have_worked(error: Exception) -> bool:
    """Return whether Slack may have carried out the call that failed with `error`."""
    if isinstance(error, SlackApiError):
        code = error_code(error)
        # A body that is no JSON comes from a proxy: it does not say what Slack did.
        return code in UNSURE or " " in code or error.response.status_code >= 500
    return not was_never_sent(error)


def was_never_sent(error: Exception | None) -> bool:
    """Return whether a call failed before a byte of it could reach Slack."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, (*_NO_CONNECTION, SlackRequestError)):
        return True
    return isinstance(reason, OSError) and reason.errno in {errno.ENETUNREACH, errno.EHOSTUNREACH}


def error_code(error: SlackApiError) -> str:
    """Return what Slack calls the error, such as `not_in_channel`."""
    return str(error.response.get("error") or "")


def _is_read(request: HttpRequest) -> bool:
    return urlsplit(request.url).path.rpartition("/")[2] in READS


class _RateLimit(RateLimitErrorRetryHandler):
    """Waits as long as Slack asks, within reason: a call that is limited was not carried out."""

    def _can_retry(
        self,
        *,
        state: RetryState,  # noqa: ARG002 (the base's signature)
        request: HttpRequest,  # noqa: ARG002
        response: HttpResponse | None = None,
        error: Exception | None = None,  # noqa: ARG002
    ) -> bool:
        if response is None or response.status_code != 429:
            return False
        headers = {name.lower(): values for name, values in response.headers.items()}
        wait = str((headers.get("retry-after") or ["1"])[0])
        return wait.isdecimal() and int(wait) <= LONGEST_WAIT_S


class _NeverSent(RetryHandler):
    """Makes a call again that found nobody to talk to."""

    def _can_retry(
        self,
        *,
        state: RetryState,  # noqa: ARG002 (the base's signature)
        request: HttpRequest,  # noqa: ARG002
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return response is None and was_never_sent(error)


class _ReadConnection(ConnectionErrorRetryHandler):
    """Makes a read again whose connection broke."""

    def _can_retry(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return _is_read(request) and super()._can_retry(
            state=state, request=request, response=response, error=error
        )


class _ReadServerError(ServerErrorRetryHandler):
    """Makes a read again that Slack's servers failed."""

    def _can_retry(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return _is_read(request) and super()._can_retry(
            state=state, request=request, response=response, error=error
        )
