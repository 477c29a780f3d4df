"""Errors of the bot: each message is a sentence for the person reading it.

BotError
  SlackLimitError      a message or view that Slack would refuse
  WorkspaceError       a misuse of the local workspace
    NotLoopbackError   an address that other machines could reach
    RealTokenError     a token that does not belong to the local workspace
    NotConnectedError  nothing is there yet to deliver to
    GoneError          a message or view that is no longer there
  CodedError           its sentence stands in the message catalogues
    StorageError       a log that cannot be opened, read or written
    SettingsError      an environment that contradicts itself, as a list of CodedErrors
"""

from __future__ import annotations


class BotError(Exception):
    """Root of every error raised by the bot."""


class SlackLimitError(BotError):
    """A message or view breaks one of Slack's limits."""


class WorkspaceError(BotError):
    """The local workspace was asked for something it does not do."""


class NotLoopbackError(WorkspaceError):
    """The local workspace was asked to listen where other machines could reach it."""


class RealTokenError(WorkspaceError):
    """A token from outside was handed to the local workspace."""


class NotConnectedError(WorkspaceError):
    """No app is connected to the local workspace yet."""


class GoneError(WorkspaceError):
    """The message or view of a gesture is no longer there."""


class CodedError(BotError):
    """An error whose sentence stands in the message catalogues, under `code`."""

    def __init__(self, code: str, **values: str | int | tuple[str, ...]) -> None:
        super().__init__(f"{code}: {values}")
        self.code = code
        self.values = values


class StorageError(CodedError):
    """The log cannot be opened, read or written; `values` name the file."""


class SettingsError(CodedError):
    """The environment asks for something contradictory or incomplete; `problems` name it all."""

    def __init__(self, problems: tuple[CodedError, ...]) -> None:
        super().__init__("settings", count=len(problems))
        self.problems = problems
