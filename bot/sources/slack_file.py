"""Fetch a file that somebody uploaded to Slack, with the bot's token and nowhere else."""

from __future__ import annotations

import ssl
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit

from bot.errors import CodedError

SLACK_FILES: Final = "files.slack.com"
"""Host that Slack keeps files on."""

TIMEOUT_S: Final = 10

SIGN_IN: Final = "text/html"
"""Type of the page that Slack shows in place of a file to a token that may not read it."""


@dataclass(frozen=True)
class Wanted:
    """What to fetch, and how much of it."""

    name: str
    """Name people read."""
    url: str
    limit_bytes: int
    only_start: bool = False
    """Whether the first `limit_bytes` are enough; else a longer file is refused."""


def fetch(wanted: Wanted, *, token: str, api_url: str, tls: ssl.SSLContext | None) -> bytes:
    """Return the bytes of a file; raise CodedError where it cannot be had or is too large.

    `api_url` is the Web API in use: the local workspace keeps its files where that is.
    """
    if not _is_slacks(wanted.url, api_url):
        raise CodedError("file_not_from_slack")
    content = _read(wanted, token, tls)
    if len(content) > wanted.limit_bytes and not wanted.only_start:
        raise CodedError("file_too_large", path=wanted.name, limit_bytes=wanted.limit_bytes)
    return content[: wanted.limit_bytes]


def _read(wanted: Wanted, token: str, tls: ssl.SSLContext | None) -> bytes:
    """Return no more than a byte beyond the limit; the rest of the file stays where it is."""
    headers = {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(wanted.url, headers=headers)  # noqa: S310 checked by fetch
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if tls is not None:
        handlers.append(urllib.request.HTTPSHandler(context=tls))
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT_S) as response:
            if response.headers.get_content_type() == SIGN_IN:
                raise CodedError("file_not_fetched")
            content: bytes = response.read(wanted.limit_bytes + 1)
    except HTTPError as error:
        error.close()
        raise CodedError("file_not_fetched") from error
    except (OSError, HTTPException) as error:
        raise CodedError("file_not_fetched") from error
    return content


def _is_slacks(url: str, api_url: str) -> bool:
    """Return whether an address may be shown the token: Slack's, or the local workspace's."""
    parts, api = urlsplit(url), urlsplit(api_url)
    if parts.scheme == "https" and parts.hostname == SLACK_FILES:
        return True
    is_local = api.hostname in {"127.0.0.1", "::1", "localhost"}
    return is_local and (parts.scheme, parts.netloc) == (api.scheme, api.netloc)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follow nothing: the token would go along to wherever the answer points."""

    def redirect_request(self, *_values: object, **_named: object) -> None:
        """Return no request: the answer becomes an error."""
