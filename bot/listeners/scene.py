"""Who acts on decisions, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slack_bolt.context.respond import Respond
from slack_sdk import WebClient

from bot.errors import CodedError
from bot.listeners.outbox import Place
from bot.listeners.people import SlackDirectory
from bot.reply import Asker


@dataclass(frozen=True)
class Scene:
    """Who acts on decisions, and where."""

    client: WebClient
    """Web API, as the bot."""

    asker: Asker
    """The person, in the conversation and the thread they act in."""

    place: Place
    """The way back to that person."""

    @property
    def directory(self) -> SlackDirectory:
        """Return who is who in the workspace."""
        assert isinstance(self.asker.directory, SlackDirectory)  # noqa: S101 (the desk's askers)
        return self.asker.directory

    def deaf(self, channel: str | None = None) -> Place:
        """Return a conversation without the response URL, which leads to where was clicked."""
        nowhere = Respond(response_url=None)
        return replace(self.place, respond=nowhere, channel_id=channel or self.place.channel_id)

    def is_public(self, channel: str) -> bool:
        """Return whether everybody of the workspace may read a conversation."""
        try:
            return self.directory.conversation(channel).is_public
        except CodedError:
            # Nobody sees more than they may, should Slack not tell.
            return False
