"""What goes in and out of the use cases: who asks, and what is answered."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from bot.decisions.directory import NAMELESS, Directory

if TYPE_CHECKING:
    from bot.charts import Chart
    from bot.decisions.records import Decision
    from bot.errors import CodedError
    from bot.messages import Messages
    from bot.opinion import SecondOpinion
    from bot.plots import Plot
    from bot.start import Starts
    from sizing.answer import SizingAnswer
    from sizing.errors import SizingError
    from sizing.fits import FitsAnswer
    from sizing.request import SizingRequest
    from sizing.spec.answer import Spec
    from sizing.spec.power_answer import PowerAnswer
    from sizing.spec.power_question import PowerQuestion
    from sizing.spec.request import SpecRequest

Asked: TypeAlias = "SizingRequest | SpecRequest | PowerQuestion"
"""A question of the log, understood."""

Answered: TypeAlias = "SizingAnswer | FitsAnswer | Spec | PowerAnswer"
"""What it was answered with."""


class Transport(StrEnum):
    """Where a question comes from."""

    TERMINAL = "terminal"
    SLACK = "slack"


@dataclass(frozen=True)
class Asker:
    """The person who asks, and the place."""

    user_id: str
    """Slack user, or login name in the terminal."""

    channel_id: str | None
    """Slack channel; None in the terminal."""

    transport: Transport
    """Slack or terminal."""

    language: str = "en"
    """Language of the place, used where the question names none."""

    team_id: str | None = None
    """Slack workspace; None in the terminal."""

    enterprise_id: str | None = None
    """Slack Enterprise organisation, where there is one."""

    user_name: str | None = None
    """Name people read."""

    thread_ts: str | None = None
    """First message of the Slack thread that they write in; None outside of threads."""

    is_bot: bool = False
    """Whether it is a program: those never decide."""

    directory: Directory = field(default=NAMELESS, compare=False, repr=False)
    """Knows the people, groups and conversations of the place."""

    @property
    def command(self) -> str:
        """Return what this person types before a question; in threads Slack takes no commands."""
        if self.transport is Transport.TERMINAL:
            return "gpusize"
        return "@gpusize" if self.thread_ts else "/gpusize"


def terminal_asker(language: str) -> Asker:
    """Return the person at this machine's terminal."""
    from getpass import getuser

    try:
        name = getuser()
    except (KeyError, OSError):
        # A container may run under a number that no account has.
        name = str(os.getuid())
    return Asker(name, None, Transport.TERMINAL, language)


class ReplyKind(StrEnum):
    """What a reply holds."""

    ANSWER = "answer"
    FITS = "fits"
    COMPARE = "compare"
    SPEC = "spec"
    CHECKLIST = "checklist"
    POWER = "power"
    DECISION = "decision"
    DECISIONS = "decisions"
    EXPORT = "export"
    MINUTES = "minutes"
    ACTUALS = "actuals"
    EXPLAIN = "explain"
    START = "start"
    OPINION = "opinion"
    SHOW = "show"
    LIST = "list"
    MODELS = "models"
    GPUS = "gpus"
    HELP = "help"
    ERROR = "error"


@dataclass(frozen=True)
class Button:
    """Button below a message."""

    action_id: str
    """Name the listener is registered for."""

    label: str
    """Words on it."""

    value: str
    """What the click hands back, at most 2,000 characters."""

    accessibility_label: str | None = None
    """Words a screen reader says instead of the label, at most 75 characters."""


@dataclass(frozen=True)
class Reply:
    """One answer to one question, for every place it may be shown in."""

    kind: ReplyKind
    """What it holds."""

    markdown: str
    """The whole reply."""

    language: str
    """Language it is written in."""

    summary: str = ""
    """One Markdown sentence for notifications and screen readers."""

    answer: SizingAnswer | None = None
    """The answer itself, where the question was one of sizing."""

    answer_id: str | None = None
    """Name it is logged under: A-12."""

    starts: Starts | None = None
    """How to start the first set of the answer that runs."""

    error: SizingError | CodedError | None = None
    """Why the question was not understood."""

    opinion: SecondOpinion | SizingError | CodedError | None = None
    """Second opinion on the speed, or why there is none; None where none was asked."""

    private: bool = False
    """Whether only the asker may see it."""

    actions: tuple[Button, ...] = ()
    """Buttons below it, in order."""

    files: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)
    """What makes each file it can be handed on as, by the end of the file's name."""

    handed: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    """What says what such a file holds, by the end of its name and given that name."""

    printed: Callable[[], bytes] | None = None
    """What makes the content that a terminal writes as it is, in the place of the page."""

    data: Mapping[str, object] | None = None
    """JSON form of a reply that is neither an answer nor an error; what an answer's has beside."""

    charts: tuple[Chart | Plot, ...] = ()
    """What is drawn beside the words."""

    decision: Decision | None = None
    """Decision that the reply is about, as it stands now."""

    is_figures: bool = False
    """Whether its page is what was computed or measured: its decision's thread shows it whole."""


@dataclass(frozen=True)
class HistoryEntry:
    """One line of the log, as lists show it."""

    answer_id: str
    """Name of the answer: A-12."""

    asked_at: datetime
    """Moment of the answer, with its time zone."""

    asker: str
    """Who asked."""

    question: str
    """Words as typed."""

    request: Asked
    """The question as understood."""

    answer: Answered
    """What was answered."""

    version: str
    """Package version that answered."""

    language: str
    """Language of the answer."""

    @property
    def asked(self) -> SizingRequest:
        """Return the question about one model, or for a list; raise CodedError for all others."""
        from sizing.request import SizingRequest

        if not isinstance(self.request, SizingRequest):
            raise self._other()
        return self.request

    @property
    def sized(self) -> SizingAnswer:
        """Return the answer about one model; raise CodedError for any other."""
        from sizing.answer import SizingAnswer

        if not isinstance(self.answer, SizingAnswer):
            raise self._other()
        return self.answer

    def _other(self) -> CodedError:
        from bot.errors import CodedError
        from sizing.fits import FitsAnswer
        from sizing.spec.answer import Spec

        kinds = {FitsAnswer: "lists_models", Spec: "is_a_spec"}
        return CodedError(kinds.get(type(self.answer), "is_about_power"), word=self.answer_id)


@dataclass(frozen=True)
class Listing:
    """The latest answers that one person may see."""

    entries: tuple[HistoryEntry, ...] = ()
    """Those this version can read, newest first."""

    unreadable: int = 0
    """Answers between them that another version wrote in another shape."""


class Answers(Protocol):
    """Turns questions into replies."""

    def messages(self, language: str) -> Messages:
        """Return the sentences of a language, with the catalogue's names."""
        ...

    def handle(self, text: str, asker: Asker, language: str | None) -> Reply:
        """Answer `text`; `language` overrules the one in the question and the asker's."""
        ...

    def second_opinion(self, reference: str, asker: Asker) -> Reply:
        """Return what measured kernels say about the speed of a logged answer's first set."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Return a context in which all that is logged is written at once, at its end."""
        ...
