"""Language of a person, from their Slack profile."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from http.client import HTTPException

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

logger = logging.getLogger(__name__)

KEEP_S = 24 * 3600
"""How long a profile's language is remembered, s."""

RETRY_S = 300
"""How long the fallback stands in after a profile could not be read, s."""

MOST_PEOPLE = 10_000
"""People remembered at once; the one who came first is forgotten first."""


class Locales:
    """Remembers the language of each person for a day."""

    def __init__(self, fallback: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.fallback = fallback
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, str]] = {}

    def of(self, user_id: str, client: WebClient) -> str:
        """Return `es` for a Spanish profile, `en` for an English one, else the fallback."""
        until, language = self._known.get(user_id, (0.0, self.fallback))
        if self._clock() < until:
            return language
        keep_s, language = self._read(user_id, client)
        self._remember(user_id, self._clock() + keep_s, language)
        return language

    def known(self, user_id: str) -> str:
        """Return the language last seen for a person, else the fallback; asks nobody."""
        return self._known.get(user_id, (0.0, self.fallback))[1]

    def _remember(self, user_id: str, until: float, language: str) -> None:
        with self._lock:
            self._known.pop(user_id, None)
            while len(self._known) >= MOST_PEOPLE:
                del self._known[next(iter(self._known))]
            self._known[user_id] = (until, language)

    def _read(self, user_id: str, client: WebClient) -> tuple[float, str]:
        try:
            profile = client.users_info(user=user_id, include_locale=True)["user"] or {}
        except (SlackClientError, OSError, HTTPException) as error:
            logger.warning("language of %s not read: %s", user_id, error)
            return RETRY_S, self.known(user_id)
        locale = str(profile.get("locale") or "")
        prefix = locale.split("-")[0].lower()
        return KEEP_S, prefix if prefix in {"en", "es"} else self.fallback
