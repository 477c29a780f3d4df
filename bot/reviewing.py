"""Lines about decisions, answered: saved, moved on, shown with what happened to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.deciding import Deciding, Move, Proposal
from bot.decision_contract import decision_contract
from bot.decision_people import people_in
from bot.decision_view import DecisionView
from bot.decisions.states import FROM, REASONED, Action, State
from bot.errors import CodedError
from bot.grammar.commands import Decide, SaveAnswer, ShowDecision
from bot.render import Renderer
from bot.reply import Reply, ReplyKind
from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from bot.decisions.directory import Directory
    from bot.decisions.records import Decision, Event
    from bot.reply import Asker, HistoryEntry

TYPED = {
    "en": {
        Action.PROPOSE: "propose",
        Action.APPROVE: "approve",
        Action.REJECT: "reject",
        Action.ASK_CHANGES: "changes",
        Action.WITHDRAW: "withdraw",
        Action.SUPERSEDE: "supersede",
    },
    "es": {
        Action.PROPOSE: "proponer",
        Action.APPROVE: "aprobar",
        Action.REJECT: "rechazar",
        Action.ASK_CHANGES: "cambios",
        Action.WITHDRAW: "retirar",
        Action.SUPERSEDE: "reemplazar",
    },
}
"""Verb that is typed for an action, by language."""

TYPED_SAVE = {"en": "save", "es": "guardar"}
"""Verb that saves an answer, by language."""

TYPED_STATUS = {"en": "status", "es": "estado"}
"""Verb that shows where a decision stands, by language."""

Wish = SaveAnswer | Decide | ShowDecision
"""Lines that are answered here."""


class Reviewing:
    """Answers lines about decisions; the rules are those of `Deciding`."""

    def __init__(self, deciding: Deciding, renderer: Renderer) -> None:
        self._deciding = deciding
        self._renderer = renderer

    def answer(self, wish: Wish, asker: Asker, language: str) -> Reply:
        """Do what a line wants; raise CodedError where it may not be."""
        match wish:
            case SaveAnswer():
                return self._saved(wish, asker, language)
            case Decide():
                moved = self._moved(wish, asker, language)
                return self.told(moved, asker, language)
            case ShowDecision():
                number = self.number(wish.number, asker, TYPED_STATUS[language])
                decision = self._deciding.decision(number, asker)
                return self.page(decision, asker, language, whole=wish.whole)

    def number(self, named: int | None, asker: Asker, verb: str) -> int:
        """Return the number of the decision a line is about: named, or that of its thread."""
        if named is not None:
            return named
        here = self._deciding.here(asker)
        if here is None:
            raise CodedError("no_decision_here", word=verb)
        return here.number

    def page(
        self,
        decision: Decision,
        asker: Asker,
        language: str,
        *,
        whole: bool = False,
    ) -> Reply:
        """Return where a decision stands, in a page that only the asker sees."""
        events = self._deciding.events(decision.number, asker)
        comments = self._deciding.comments.of(decision, asker) if whole else ()
        view = DecisionView(
            decision, asker.directory, events if whole else (), trail=events, comments=comments
        )
        markdown = self._renderer.part(
            "decision",
            language,
            view=view,
            summary=self._summary(decision, language),
            commands=_typed(view, asker, language),
            command=asker.command,
        )
        reply = self._reply(decision, markdown, language, private=True, events=events)
        return replace(reply, data=decision_contract(decision, events, comments))

    def card(self, decision: Decision, directory: Directory) -> str:
        """Return where a decision stands as its thread's first message says it."""
        view = DecisionView(decision, directory, trail=self._deciding.trail(decision))
        summary = self._summary(decision, decision.language)
        return self._renderer.part(
            "decision",
            decision.language,
            view=view,
            summary=summary,
            commands=(),
            command="@gpusize",
        )

    def told(self, decision: Decision, asker: Asker, language: str) -> Reply:
        """Return the one sentence about what has just happened to a decision."""
        events = self._deciding.events(decision.number, asker)
        # Of two at once each tells its own, whichever came last.
        own = next(one for one in events if one.sequence == decision.sequence)
        sentence = self.sentence(decision, own, language, asker.directory)
        return self._reply(decision, f"{sentence}\n", language, private=False, events=events)

    def sentence(
        self, decision: Decision, event: Event, language: str, directory: Directory
    ) -> str:
        """Return the sentence that says one event."""
        who = event.user_name or directory.name(event.user_id)
        missing = max(0, decision.rules.needed - len(decision.approvals))
        is_more = event.action is Action.APPROVE and missing > 0
        return self._renderer.messages(language).word(
            "decision_events",
            "approve_more" if is_more else event.action.value,
            who=who,
            name=decision.name,
            answer=event.answer_id,
            version=decision.version,
            missing=missing,
            reason=event.reason or "–",
            other=f"D-{event.details.superseded_by}",
        )

    def _saved(self, wish: SaveAnswer, asker: Asker, language: str) -> Reply:
        reference = wish.reference or self._deciding.subject_here(asker)
        if reference is None:
            raise CodedError("no_answer_here", word=TYPED_SAVE[language])
        here = self._deciding.here(asker)
        number = wish.number
        if number is None and here is not None and here.state in FROM[Action.REVISE]:
            number = None if wish.title else here.number
        if number is not None:
            return self.told(self._deciding.revise(number, reference, asker), asker, language)
        reviewers = people_in(wish.reviewers, asker)
        proposal = Proposal(title=wish.title, project=wish.project, reviewers=reviewers)
        decision = self._deciding.save(reference, proposal, asker)
        return replace(self.page(decision, asker, language), private=wish.private)

    def _moved(self, wish: Decide, asker: Asker, language: str) -> Decision:
        if wish.action is Action.SUPERSEDE:
            return self._superseded(wish, asker)
        number = self.number(wish.number, asker, TYPED[language][wish.action])
        if wish.action is Action.PROPOSE:
            return self._proposed(number, wish, asker)
        is_reasoned = wish.action in REASONED or wish.reason
        move = Move(action=wish.action, reason=wish.reason if is_reasoned else None)
        return self._deciding.act(number, move, asker)

    def _proposed(self, number: int, wish: Decide, asker: Asker) -> Decision:
        """Propose a draft, or another answer than the one decided on as a new version."""
        reviewers = people_in(wish.reviewers, asker)
        if wish.reference is not None:
            revised = self._deciding.revise(number, wish.reference, asker)
            if revised.state is State.PROPOSED:
                return revised
        return self._deciding.propose(number, asker, reviewers=reviewers)

    def _superseded(self, wish: Decide, asker: Asker) -> Decision:
        """Replace a decision: `D-42 by D-50`, or in the thread of either one."""
        here = self._deciding.here(asker)
        number, by = wish.number, wish.other
        if number is not None and by is None and here is not None and here.number != number:
            by = here.number
        if number is None and here is not None:
            number = here.number
        if number is None or by is None:
            raise CodedError("no_replacement")
        return self._deciding.supersede(number, by, wish.reason, asker)

    def _summary(self, decision: Decision, language: str) -> str:
        return summary_of(self._deciding.entry(decision), self._renderer, language)

    def _reply(
        self,
        decision: Decision,
        markdown: str,
        language: str,
        *,
        private: bool,
        events: tuple[Event, ...],
    ) -> Reply:
        return Reply(
            kind=ReplyKind.DECISION,
            markdown=markdown,
            language=language,
            summary=markdown.splitlines()[0].lstrip("# "),
            private=private,
            decision=decision,
            data=decision_contract(decision, events),
        )


def summary_of(entry: HistoryEntry, renderer: Renderer, language: str) -> str:
    """Return the one sentence that says an answer."""
    # Of the class itself: writers for the terminal leave out the sentences of notifications.
    if isinstance(entry.answer, SizingAnswer):
        return Renderer.summary(renderer, entry.answer, language)
    from sizing.spec.answer import Spec

    assert isinstance(entry.answer, Spec)  # noqa: S101 (nothing else is decided on)
    return Renderer.spec_summary(renderer, entry.answer, language)


def _typed(view: DecisionView, asker: Asker, language: str) -> tuple[str, ...]:
    """Return what may be typed next."""
    verbs, name = TYPED[language], view.decision.name
    needs_reason = "…"
    return (
        *_next_version(view, asker, language),
        *(
            f"{asker.command} {verbs[action]} {name}"
            f"{f' {needs_reason}' if action in REASONED else ''}"
            for action in view.next_actions
        ),
    )


def _next_version(view: DecisionView, asker: Asker, language: str) -> tuple[str, ...]:
    """Return how a decision that waits for changes gets another answer."""
    if view.decision.state is not State.CHANGES_REQUESTED:
        return ()
    joining = {"en": "for", "es": "para"}[language]
    save = TYPED_SAVE[language]
    return (f"{asker.command} {save} A-… {joining} {view.decision.name}",)
