"""What a line of text can be: a question, or a verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decisions.states import Action, State
from bot.grammar.spoken import Spoken as Spoken
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from sizing.spec.power_question import PowerQuestion
    from sizing.spec.request import SpecRequest


@dataclass(frozen=True, kw_only=True)
class Ask(Spoken):
    """A question about GPUs for a model."""

    request: SizingRequest
    """The question, understood."""


@dataclass(frozen=True, kw_only=True)
class Help(Spoken):
    """A wish for help."""


@dataclass(frozen=True, kw_only=True)
class ListModels(Spoken):
    """A wish to see the models of the catalogue."""

    query: str = ""
    """Text that their names shall contain; empty for all."""


@dataclass(frozen=True, kw_only=True)
class ListGpus(Spoken):
    """A wish to see the accelerators of the catalogue."""

    query: str = ""
    """Text that their names shall contain; empty for all."""


@dataclass(frozen=True, kw_only=True)
class ListAnswers(Spoken):
    """A wish to see past answers."""

    query: str = ""
    """Text that they shall contain; empty for all."""


@dataclass(frozen=True, kw_only=True)
class ListDecisions(Spoken):
    """A wish to see decisions."""

    text: str = ""
    """Words that they shall hold; empty for all."""

    states: frozenset[State] = frozenset()
    """States they shall be in; none for all."""

    project: str | None = None
    """Project they shall belong to."""

    mine: bool = False
    """Whether only the asker's own are wanted."""

    waiting: bool = False
    """Whether only those are wanted that wait for the asker."""

    page: int = 1
    """Page, from 1."""


@dataclass(frozen=True, kw_only=True)
class OfAnswer(Spoken):
    """A line about one past answer."""

    reference: str
    """Its id: `A-12`."""


@dataclass(frozen=True, kw_only=True)
class ShowAnswer(OfAnswer):
    """A wish to see one past answer again."""


@dataclass(frozen=True, kw_only=True)
class ExplainAnswer(OfAnswer):
    """A wish to see how one past answer was computed."""


@dataclass(frozen=True, kw_only=True)
class StartAnswer(OfAnswer):
    """A wish to see the command that starts what one past answer proposes."""


@dataclass(frozen=True, kw_only=True)
class OpinionAnswer(OfAnswer):
    """A wish for a second opinion on the speed in one past answer."""


@dataclass(frozen=True, kw_only=True)
class StartAsked(Spoken):
    """A question about GPUs, to be answered with the command that starts them."""

    request: SizingRequest
    """The question, understood."""


@dataclass(frozen=True, kw_only=True)
class Compare(Spoken):
    """A wish to see variants of a question side by side."""

    requests: tuple[SizingRequest, ...]
    """The variants, each a whole question."""


@dataclass(frozen=True, kw_only=True)
class AskSpec(Spoken):
    """A question about a whole server."""

    request: SpecRequest
    """The question, understood."""

    checklist: bool = False
    """Whether its checklist alone is wanted."""


@dataclass(frozen=True, kw_only=True)
class SpecOfAnswers(Spoken):
    """A question about a server for what past answers were asked."""

    references: tuple[str, ...]
    """Their ids: `A-12`; the line is read again once their questions are at hand."""

    says_more: bool
    """Whether anything is said beside one id."""

    checklist: bool = False
    """Whether its checklist alone is wanted."""


@dataclass(frozen=True, kw_only=True)
class AskChecklist(Spoken):
    """A wish for the checklist of a purchase, with no model named."""

    unheeded: str = ""
    """What else the line says, which only a plan for a model could keep: `budget=200000`."""


@dataclass(frozen=True, kw_only=True)
class Power(Spoken):
    """A question about electricity."""

    question: PowerQuestion
    """The question, understood."""


@dataclass(frozen=True, kw_only=True)
class SaveAnswer(Spoken):
    """A wish to begin a decision about a past answer."""

    reference: str | None
    """Its id, `A-12`; None for the answer whose thread the line stands in."""

    title: str = ""
    """What is decided; empty to let the question name it."""

    project: str | None = None
    """Project it belongs to."""

    number: int | None = None
    """Number of the decision whose new version the answer is; None to begin one, or by thread."""

    reviewers: tuple[str, ...] = ()
    """People asked to review, as typed: account names, in Slack user ids."""


@dataclass(frozen=True, kw_only=True)
class OfDecision(Spoken):
    """A line about one decision."""

    number: int | None
    """Number of its name, 42 of D-42; None for the one whose thread the line stands in."""


@dataclass(frozen=True, kw_only=True)
class Decide(OfDecision):
    """A wish to move a decision on."""

    action: Action
    """What is done."""

    reason: str = ""
    """Why, as typed."""

    other: int | None = None
    """Number of the decision that replaces it."""

    reference: str | None = None
    """Id of the answer that is proposed in the place of the one decided on, `A-42`."""

    reviewers: tuple[str, ...] = ()
    """People asked to review, as typed."""


@dataclass(frozen=True, kw_only=True)
class ShowDecision(OfDecision):
    """A wish to see where a decision stands."""

    whole: bool = False
    """Whether all that happened to it is wanted."""


@dataclass(frozen=True, kw_only=True)
class Recheck(OfDecision):
    """A wish to compute a decision again with the facts of today."""


@dataclass(frozen=True, kw_only=True)
class WhatIf(OfDecision):
    """A wish to see a decision's question with something changed."""

    words: str
    """What is changed, as typed: `ctx=64k users=32`."""


@dataclass(frozen=True, kw_only=True)
class CompareWith(OfDecision):
    """A wish to see variants of a decision's question, or of an answer's, side by side."""

    words: str
    """What each variant changes, as typed: `fp8 int4`, `fp8 4xh100 | int4 2xl40s`."""

    answer: str | None = None
    """Id of the answer, `A-12`, where one was named."""


@dataclass(frozen=True, kw_only=True)
class Measured(OfDecision):
    """What was measured of a decision or an answer: `38 GB 92 tok/s`."""

    words: str
    """The figures, as typed."""

    answer: str | None = None
    """Id of the answer, `A-12`, where one was named."""


@dataclass(frozen=True, kw_only=True)
class ExportDecisions(Spoken):
    """A wish for decisions as a file."""

    wanted: ListDecisions
    """Which ones."""


@dataclass(frozen=True, kw_only=True)
class DecisionMinutes(OfDecision):
    """A wish for the minutes of a decision."""


@dataclass(frozen=True, kw_only=True)
class ListActuals(Spoken):
    """A wish to see what was measured, beside what was estimated."""

    query: str = ""
    """Words that the name of a model or of a GPU shall contain; empty for all."""


@dataclass(frozen=True, kw_only=True)
class NotAvailable(Spoken):
    """A verb that this version knows by name only."""

    verb: str
    """English name of the verb."""


@dataclass(frozen=True, kw_only=True)
class Empty(Spoken):
    """No text at all."""


Command = (
    Ask | Help | ListModels | ListGpus | ListAnswers | ListDecisions | ShowAnswer
    | ExplainAnswer | StartAnswer | OpinionAnswer | StartAsked | Compare | AskSpec | SpecOfAnswers
    | AskChecklist | Power | SaveAnswer | Decide | ShowDecision | Recheck | WhatIf | CompareWith
    | Measured | ListActuals | ExportDecisions | DecisionMinutes | NotAvailable | Empty
)  # fmt: skip
"""Every kind of line."""

Planned = AskSpec | SpecOfAnswers | Power
"""Lines about what stands around the GPUs."""

ComputedAgain = WhatIf | CompareWith | Recheck | Measured | ListActuals
"""Lines about what was asked or decided before, computed again."""
