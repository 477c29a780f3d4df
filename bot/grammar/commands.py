"""What a line of text can be: a question, or a verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.request import SizingRequest

if TYPE_CHECKING:
    from sizing.spec.power_question import PowerQuestion
    from sizing.spec.request import SpecRequest


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """What every line may say beside its subject."""

    language: str | None = None
    """Language asked for with `lang=`: `en` or `es`; None where it was not."""

    private: bool = False
    """Whether only the asker shall see the answer."""

    as_json: bool = False
    """Whether the answer is wanted as JSON."""


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
class ShowAnswer(Spoken):
    """A wish to see one past answer again."""

    reference: str
    """Its id: `A-12`."""


@dataclass(frozen=True, kw_only=True)
class ExplainAnswer(Spoken):
    """A wish to see how one past answer was computed."""

    reference: str
    """Its id: `A-12`."""


@dataclass(frozen=True, kw_only=True)
class StartAnswer(Spoken):
    """A wish to see the command that starts what one past answer proposes."""

    reference: str
    """Its id: `A-12`."""


@dataclass(frozen=True, kw_only=True)
class OpinionAnswer(Spoken):
    """A wish for a second opinion on the speed in one past answer."""

    reference: str
    """Its id: `A-12`."""


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
class NotAvailable(Spoken):
    """A verb that this version knows by name only."""

    verb: str
    """English name of the verb."""


@dataclass(frozen=True, kw_only=True)
class Empty(Spoken):
    """No text at all."""


Command = (
    Ask
    | Help
    | ListModels
    | ListGpus
    | ListAnswers
    | ShowAnswer
    | ExplainAnswer
    | StartAnswer
    | OpinionAnswer
    | StartAsked
    | Compare
    | AskSpec
    | SpecOfAnswers
    | AskChecklist
    | Power
    | NotAvailable
    | Empty
)
"""Every kind of line."""
