"""Who and what a fresh workspace holds: people, channels, the app and its local secrets."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.errors import RealTokenError

TEAM_ID = "T0LOCAL"
TEAM_NAME = "local"
BOT_TOKEN_PREFIX = "xoxb-local-"  # noqa: S105
APP_TOKEN_PREFIX = "xapp-local-"  # noqa: S105
# Nothing outside this process accepts these: they are names, not secrets.
BOT_TOKEN = BOT_TOKEN_PREFIX + "workspace"
APP_TOKEN = APP_TOKEN_PREFIX + "workspace"
SIGNING_SECRET = "local-signing-secret"  # noqa: S105


@dataclass(frozen=True)
class User:
    """A person in the workspace."""

    id: str
    name: str
    real_name: str
    locale: str
    tz: str = "Etc/UTC"
    is_bot: bool = False
    is_deleted: bool = False


@dataclass(frozen=True)
class Channel:
    """A channel or a direct message."""

    id: str
    name: str
    members: frozenset[str]
    is_private: bool = False
    is_im: bool = False
    is_archived: bool = False


@dataclass(frozen=True)
class UserGroup:
    """A user group, which people write as `@handle`."""

    id: str
    handle: str
    name: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class BotApp:
    """The app under test as Slack knows it."""

    app_id: str = "A0LOCAL"
    bot_id: str = "B0GPUSIZE"
    user: User = field(default=User("U0GPUSIZE", "gpusize", "gpusize", "en-US", is_bot=True))


ANA = User("U0ANA", "ana", "Ana Torres", "es-ES", tz="Europe/Madrid")
BEN = User("U0BEN", "ben", "Ben Carter", "en-US", tz="America/New_York")
DEFAULT_USERS = (ANA, BEN)


def default_channels(users: tuple[User, ...], app: BotApp) -> tuple[Channel, ...]:
    """Build a channel with the bot, one without it, and a direct message with each user."""
    people = frozenset(user.id for user in users)
    with_bot = people | {app.user.id}
    direct = (
        Channel(
            f"D0{user.name.upper()}",
            app.user.name,
            frozenset({user.id, app.user.id}),
            is_private=True,
            is_im=True,
        )
        for user in users
    )
    return (
        Channel("C0PLANNING", "gpu-planning", with_bot),
        Channel("C0RANDOM", "random", people),
        *direct,
    )


def check_local_token(token: str, prefix: str) -> str:
    """Return the token when it belongs to a local workspace, else raise `RealTokenError`."""
    if token.startswith(prefix):
        return token
    raise RealTokenError(
        f"The local workspace only takes tokens that start with {prefix}: "
        "leave your real Slack tokens out of it."
    )
