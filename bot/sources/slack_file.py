"""Fetch a file that somebody uploaded to Slack, with the bot's token and nowhere else."""

from __future__ import annotations

import ssl
import urllib.request
from http.client import HTTPException
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit

from bot.errors import CodedError

SLACK_FILES: Final = "files.slack.com"
"""Host that Slack keeps files on."""

TIMEOUT_S: Final = 10


def fetch(
    url: str, *, token: str, api_url: str, limit_bytes: int, tls: ssl.SSLContext | None
) -> bytes:
    """Return the bytes of a file; raise CodedError where it cannot be had or is too large.

    `api_url` is the Web API in use: the local workspace keeps its files where that is.
    """
    if not _is_slacks(url, api_url):
        raise CodedError("file_not_from_slack")
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310 checked above
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if tls is not None:
        handlers.append(urllib.request.HTTPSHandler(context=tls))
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT_S) as response:
            content: bytes = response.read(limit_bytes + 1)
    except HTTPError as error:
        error.close()
        raise CodedError("file_not_fetched") from error
    except (OSError, HTTPException) as error:
        raise CodedError("file_not_fetched") from error
    if len(content) > limit_bytes:
        raise CodedError("file_too_large", path="config.json", limit_bytes=limit_bytes)
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
