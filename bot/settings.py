"""Read the program's settings from the environment and refuse what contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.credentials import (
    NEEDED,
    Environment,
    SlackTransport,
    choice,
    credential_problems,
    variable,
)
from bot.daily_settings import KEEP, RECHECK, REMIND, daily_problems
from bot.decision_settings import rule_problems, standing_rules
from bot.errors import CodedError, SettingsError
from bot.hub_settings import HUB_CHOICES, HubSettings, hub_settings
from bot.measured_settings import (
    LONGEST_S,
    TIME_LIMIT,
    MeasuredSettings,
    is_time_limit,
    measured_settings,
)
from bot.messages import LANGUAGES
from bot.store_settings import StoreSettings, store_problems, store_settings

if TYPE_CHECKING:
    from bot.decisions.records import Rules

SLACK_API_URL = "https://slack.com/api/"
LOG_LEVELS = ("debug", "info", "warning", "error")
COMMENTS = "GPUSIZE_THREAD_COMMENTS"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 3000


class Mode(StrEnum):
    """Which Slack the program talks to."""

    SLACK = "slack"
    """A workspace of Slack."""

    LOCAL = "local"
    """The workspace on this machine, for trying out."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the environment says, checked; secrets stay out of its printed form."""

    bot_token: str | None = field(default=None, repr=False)
    """Token of the installed app, `xoxb-`; None in local mode."""

    app_token: str | None = field(default=None, repr=False)
    """Token that opens Socket Mode, `xapp-`."""

    signing_secret: str | None = field(default=None, repr=False)
    """Secret that proves an HTTP request comes from Slack."""

    transport: SlackTransport = SlackTransport.SOCKET
    """How Slack's requests arrive."""

    host: str = DEFAULT_HOST
    """Address to listen on."""

    port: int = DEFAULT_PORT
    """Port to listen on; 0 takes any free one."""

    store: StoreSettings
    """Where the log is kept."""

    language: str = "en"
    """Language of those who have not chosen one."""

    api_url: str = SLACK_API_URL
    """Slack's Web API, with a slash at the end."""

    log_level: str = "INFO"
    """Least severe message to write to standard error."""

    hub: HubSettings | None = None
    """How models are looked up on the Hugging Face Hub; None where that is off."""

    standing: Rules | None = None
    """Who may approve decisions, where the environment says so."""

    recheck_days: int | None = RECHECK.default
    """Days after which approved decisions are checked again; None where that is off."""

    remind_days: int | None = REMIND.default
    """Working days after which proposals are reminded of; None where that is off."""

    keep_days: int | None = KEEP.default
    """Days that answers are kept on which no decision rests; None for ever."""

    thread_comments: bool = False
    """Whether what people write in the threads of decisions is kept."""

    measured: MeasuredSettings = field(default_factory=MeasuredSettings)
    """How second opinions on speed are asked for."""

    warnings: tuple[CodedError, ...] = ()
    """What works now and may disappoint later."""

    @property
    def mode(self) -> Mode:
        """Return which Slack to talk to: without a token, the local workspace."""
        return Mode.SLACK if self.bot_token else Mode.LOCAL


def load_settings(environ: Environment) -> Settings:
    """Return the settings in `environ`; raise SettingsError naming all that is wrong with them."""
    problems = tuple(_problems(environ))
    if problems:
        raise SettingsError(problems)
    return Settings(
        bot_token=variable(environ, "SLACK_BOT_TOKEN"),
        app_token=variable(environ, "SLACK_APP_TOKEN"),
        signing_secret=variable(environ, "SLACK_SIGNING_SECRET"),
        transport=SlackTransport(choice(environ, "GPUSIZE_TRANSPORT", SlackTransport.SOCKET)),
        host=_host(environ),
        port=int(variable(environ, "PORT") or DEFAULT_PORT),
        store=store_settings(environ),
        language=language(environ),
        api_url=(variable(environ, "SLACK_API_URL") or SLACK_API_URL).rstrip("/") + "/",
        log_level=choice(environ, "GPUSIZE_LOG_LEVEL", "info").upper(),
        # A bot that takes requests from the Internet makes none for them unless it is told to.
        hub=hub_settings(environ, is_default=not _is_http(environ)),
        standing=standing_rules(environ),
        recheck_days=RECHECK.read(environ),
        remind_days=REMIND.read(environ),
        keep_days=KEEP.read(environ),
        thread_comments=choice(environ, COMMENTS, "off") == "on",
        measured=measured_settings(environ),
        warnings=tuple(_warnings(environ)),
    )


def _is_http(environ: Environment) -> bool:
    return choice(environ, "GPUSIZE_TRANSPORT", SlackTransport.SOCKET) == SlackTransport.HTTP


def without_slack(environ: Environment) -> dict[str, str]:
    """Return `environ` without what only a connection to Slack needs, for the local workspace."""
    unused = {
        "DATABASE_URL",
        "GPUSIZE_TRANSPORT",
        *(name for needed in NEEDED.values() for name in needed),
    }
    return {name: value for name, value in environ.items() if name not in unused}


def language(environ: Environment) -> str:
    """Return `GPUSIZE_LANG` where it is a language of ours, else English."""
    wanted = choice(environ, "GPUSIZE_LANG", "en")
    return wanted if wanted in LANGUAGES else "en"


def _problems(environ: Environment) -> Iterator[CodedError]:
    # Bolt takes both for a wish to install by OAuth, even when they are empty, and drops the token.
    if "SLACK_CLIENT_ID" in environ:
        yield CodedError("oauth", name="SLACK_CLIENT_ID")
    yield from _wrong_choices(environ)
    yield from _wrong_host(environ)
    yield from _wrong_port(environ)
    yield from _wrong_time_limit(environ)
    yield from _wrong_api_url(environ)
    yield from store_problems(environ)
    yield from credential_problems(environ)
    yield from rule_problems(environ)
    yield from daily_problems(environ)


def _wrong_choices(environ: Environment) -> Iterator[CodedError]:
    for name, choices in {
        "GPUSIZE_TRANSPORT": tuple(SlackTransport),
        "GPUSIZE_LANG": LANGUAGES,
        "GPUSIZE_LOG_LEVEL": LOG_LEVELS,
        "GPUSIZE_HUB": HUB_CHOICES,
        COMMENTS: ("off", "on"),
    }.items():
        value = choice(environ, name, choices[0])
        if value not in choices:
            yield CodedError("choice", name=name, value=value, choices=", ".join(choices))


_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
# The last part of a name holds a letter: 999.0.0.1 is an address that went wrong.
_HOST_NAME = re.compile(rf"({_LABEL}\.)*(?=[0-9-]*[a-z]){_LABEL}", re.IGNORECASE | re.ASCII)


def _host(environ: Environment) -> str:
    """Return the address to listen on; the brackets that URLs put around IPv6 are dropped."""
    value = variable(environ, "GPUSIZE_HOST") or DEFAULT_HOST
    return value[1:-1] if value.startswith("[") and value.endswith("]") else value


def _wrong_host(environ: Environment) -> Iterator[CodedError]:
    host = _host(environ)
    if not (_is_address(host) or _HOST_NAME.fullmatch(host)):
        yield CodedError("host", name="GPUSIZE_HOST", value=host)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _wrong_port(environ: Environment) -> Iterator[CodedError]:
    value = variable(environ, "PORT")
    if value and not (re.fullmatch("[0-9]{1,5}", value, re.ASCII) and int(value) <= 65535):
        yield CodedError("port", name="PORT", value=value)


def _wrong_time_limit(environ: Environment) -> Iterator[CodedError]:
    value = variable(environ, TIME_LIMIT)
    if value and not is_time_limit(value):
        yield CodedError("time_limit", name=TIME_LIMIT, value=value, longest_s=LONGEST_S)


def _wrong_api_url(environ: Environment) -> Iterator[CodedError]:
    value = variable(environ, "SLACK_API_URL")
    if value and not _is_loopback_url(value):
        yield CodedError("api_url", name="SLACK_API_URL", value=value)


def _is_loopback_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        return parts.scheme in {"http", "https"} and (
            host == "localhost" or ip_address(host).is_loopback
        )
    except ValueError:
        return False


def _warnings(environ: Environment) -> Iterator[CodedError]:
    # Heroku names its machines in DYNO and throws their disks away at least once a day.
    store = store_settings(environ)
    if variable(environ, "DYNO") and store.url is None:
        yield CodedError("lost_disk", path=str(store.path))
