"""Decisions computed again with the facts of today; what was decided stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.again.changing import asked_anew, server_anew
from bot.again.checked import Checked
from bot.again.computed import Today, cheapest, planned_today, sized_today
from bot.again.figures import figures_of
from bot.deciding import Move
from bot.decision_contract import decision_contract
from bot.decisions.records import Details
from bot.decisions.states import FROM, Action
from bot.difference import difference_of
from bot.errors import CodedError
from bot.reply import Reply, ReplyKind
from sizing import __version__
from sizing.answer import SizingAnswer
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from bot.again.subjects import Subjects
    from bot.again.tools import Tools
    from bot.decisions.records import Decision
    from bot.grammar.commands import Recheck
    from bot.history import Past
    from bot.reply import Asker
    from sizing.spec.answer import Spec
    from sizing.spec.request import SpecRequest


class Rechecking:
    """Holds decisions against the facts of today."""

    def __init__(self, tools: Tools, subjects: Subjects) -> None:
        self._tools = tools
        self._subjects = subjects

    def answer(self, wish: Recheck, asker: Asker, language: str) -> Reply:
        """Compute a decision again, keep that it was, and say what changed and why."""
        subject = self._subjects.of(wish.number, asker, verb="recheck")
        if subject.decision is None:
            raise CodedError("no_decision_here", word="recheck")
        checked, page = self.checked(subject.decision, language)
        decision = self.kept(subject.decision, checked, asker)
        events = self._tools.deciding.events(decision.number, asker)
        told = decision_contract(decision, events) | {"recheck": checked.data}
        return Reply(
            kind=ReplyKind.DECISION,
            markdown=page,
            language=language,
            summary=page.splitlines()[0].lstrip("# "),
            private=wish.private,
            decision=decision,
            is_figures=True,
            data=told,
        )

    def checked(self, decision: Decision, language: str) -> tuple[Checked, str]:
        """Return what a decision is today, and the page that says it; raise CodedError if none."""
        past = self._tools.history.past(decision.answer_id)
        today, was_cheaper = self._today(decision, past)
        before = past.answer if isinstance(past.answer, type(today.answer)) else None
        checked = Checked(
            before=figures_of(before) if before else None,
            after=figures_of(today.answer),
            catalogue=(past.catalogue_digest, self._tools.catalogue.stamp.digest),
            engine=(past.version, __version__),
            cheaper=today.cheaper,
            was_cheaper=was_cheaper,
        )
        lines = self._lines(decision, before, today, language)
        page = self._tools.renderer.part(
            "recheck",
            language,
            decision=decision,
            checked=checked,
            lines=lines,
            was_readable=before is not None,
            stamp=self._tools.catalogue.stamp,
        )
        return checked, page

    def kept(self, decision: Decision, checked: Checked, asker: Asker) -> Decision:
        """Keep a re-check with the decision where its state allows, and return where it stands."""
        if decision.state not in FROM[Action.RECHECK]:
            return decision
        move = Move(action=Action.RECHECK, details=Details(data=checked.data))
        return self._tools.deciding.note(decision.number, move, asker)

    def _today(self, decision: Decision, past: Past) -> tuple[Today, float]:
        """Return what is decided with the facts of today, and what was saved elsewhere then."""
        request = past.request
        size, completed = self._tools.asking.size, self._tools.asking.completed
        if isinstance(request, SizingRequest):
            before = past.answer if isinstance(past.answer, SizingAnswer) else None
            found = None
            if before and before.options:
                found = cheapest(before.options[0], before.options[1:])
            today = sized_today(completed(asked_anew(request)), before, size)
            return today, found.saved if found else 0.0
        from sizing.spec.answer import Spec
        from sizing.spec.request import SpecRequest

        if not isinstance(request, SpecRequest):
            raise CodedError("unreadable_question", word=decision.name, version=past.version)
        plan = past.answer if isinstance(past.answer, Spec) else None
        return planned_today(server_anew(request), plan, self._planned), 0.0

    def _planned(self, request: SpecRequest) -> Spec:
        from sizing.spec.plan import spec_of

        completed = self._tools.asking.completed
        workloads = tuple(
            one.model_copy(update={"request": completed(one.request)}) for one in request.workloads
        )
        return spec_of(request.model_copy(update={"workloads": workloads}), self._tools.catalogue)

    def _lines(
        self, decision: Decision, before: SizingAnswer | Spec | None, today: Today, language: str
    ) -> str:
        """Return the lines that say what differs; empty where nothing can be held against it."""
        renderer, answer = self._tools.renderer, today.answer
        if before is None:
            return ""
        if isinstance(before, SizingAnswer) and isinstance(answer, SizingAnswer):
            difference = difference_of(before, answer)
            return renderer.difference(difference, language, decision.name)
        from bot.spec_difference import spec_difference_of

        plans = spec_difference_of(before, answer)  # type: ignore[arg-type]
        return renderer.spec_difference(plans, language, decision.name)
