"""Check the tokens and the secret that a connection to Slack needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

from bot.errors import CodedError

Environment = Mapping[str, str]


class SlackTransport(StrEnum):
    """How Slack's requests arrive."""

    SOCKET = "socket"
    """Over a connection that the bot opens itself."""

    HTTP = "http"
    """Posted to an address that Slack can reach."""


def credential_problems(environ: Environment) -> Iterator[CodedError]:
    """Yield what is wrong with tokens and secret, and which of them are missing."""
    yield from _wrong(environ)
    yield from _missing(environ)


def choice(environ: Environment, name: str, default: str) -> str:
    """Return a variable in lower case, or the default where it is empty."""
    return (variable(environ, name) or default).lower()


def variable(environ: Environment, name: str) -> str | None:
    """Return a variable without the blanks and line ends that pasting adds; None when empty."""
    return environ.get(name, "").strip() or None


_PREFIXES = {"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-"}


def _wrong(environ: Environment) -> Iterator[CodedError]:
    for name, wanted in _PREFIXES.items():
        value = variable(environ, name)
        if value and not value.startswith(wanted):
            yield _wrong_token(name, wanted, value)
    secret = variable(environ, "SLACK_SIGNING_SECRET")
    if secret and _token_prefix(secret):
        yield CodedError(
            "secret_is_token", name="SLACK_SIGNING_SECRET", found=_token_prefix(secret)
        )


def _wrong_token(name: str, wanted: str, value: str) -> CodedError:
    found = _token_prefix(value)
    if not found:
        return CodedError("no_token", name=name, wanted=wanted)
    return CodedError("wrong_token", name=name, wanted=wanted, found=found)


def _token_prefix(value: str) -> str:
    """Return the kind of a Slack token, the one part of it that may be shown."""
    match = re.match(r"xapp-|xox[a-z][-.]", value)
    return match[0] if match else ""


NEEDED: Mapping[str, tuple[str, str]] = {
    SlackTransport.SOCKET: ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"),
    SlackTransport.HTTP: ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"),
}
"""Variables that each transport needs."""


def asks_for_slack(environ: Environment) -> bool:
    """Return whether anything is set that only a connection to Slack needs."""
    names = {name for needed in NEEDED.values() for name in needed} | {"GPUSIZE_TRANSPORT"}
    return any(variable(environ, name) for name in names)


def _missing(environ: Environment) -> Iterator[CodedError]:
    if not asks_for_slack(environ):
        return
    transport = choice(environ, "GPUSIZE_TRANSPORT", SlackTransport.SOCKET)
    for name in NEEDED.get(transport, ()):
        if not variable(environ, name):
            yield CodedError(f"missing_{name.lower()}", name=name)
