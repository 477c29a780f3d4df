"""Decisions as Slack shows them: the card, what is said in the thread, what a view begins with."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from bot.actions import SAVE
from bot.decisions.states import State
from bot.decisions.store import Wanted
from bot.errors import CodedError
from bot.reply import Reply, ReplyKind
from bot.review.card import CALLS, calls_of, card_message, said_message
from bot.review.reminder import reminder_message
from bot.review.saving import Saving
from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from datetime import date

    from bot.deciding import Deciding
    from bot.decisions.directory import Directory
    from bot.decisions.records import Decision, Event
    from bot.derived import Pages
    from bot.messages import Messages
    from bot.render import Renderer
    from bot.reply import Asker, HistoryEntry
    from bot.reviewing import Reviewing
    from sizing.spec.answer import Spec

Message = dict[str, Any]

MOST_OTHERS: Final = 100
"""Approved decisions that are offered in the place of another."""


class Recording:
    """Words decisions for Slack; what happens to them is for `Deciding` to say."""

    def __init__(
        self, deciding: Deciding, reviewing: Reviewing, renderer: Renderer, pages: Pages
    ) -> None:
        self.deciding = deciding
        self.reviewing = reviewing
        self._renderer = renderer
        self._pages = pages

    def messages(self, language: str) -> Messages:
        """Return the sentences of a language."""
        return self._renderer.messages(language)

    def card(self, decision: Decision, directory: Directory) -> Message:
        """Return the first message of a decision's thread, the answer below it."""
        page = self._page(decision, self.reviewing.card(decision, directory))
        answer = self._answer(decision)
        return card_message(page, answer, self.messages(decision.language))

    def private_page(self, reply: Reply) -> Message:
        """Return a page about a decision with its buttons, for one person."""
        return card_message(reply, None, self.messages(reply.language))

    def said(self, decision: Decision, asker: Asker) -> Message:
        """Return what the thread says of the last action; a proposal calls who may approve."""
        event = self.event(decision, asker)
        reply = self.reviewing.told(decision, asker, decision.language)
        if event.action not in CALLS or decision.state is not State.PROPOSED:
            return said_message(reply)
        messages = self.messages(decision.language)
        return said_message(reply, calls_of(decision, asker.directory, messages))

    def reminder(self, decision: Decision, since: date, directory: Directory) -> Message:
        """Return the reminder of a proposal that has waited since a day."""
        return reminder_message(decision, since, directory, self.messages(decision.language))

    def event(self, decision: Decision, asker: Asker) -> Event:
        """Return the event that led to where a decision stands."""
        events = self.deciding.events(decision.number, asker)
        return next(one for one in events if one.sequence == decision.sequence)

    def saving(self, reference: str, asker: Asker, *, channel: str | None) -> Saving:
        """Return the view that saves an answer; raise CodedError where it cannot be.

        `channel` is the conversation it is saved in, where that is known already.
        """
        entry = self.deciding.seen_answer(reference.partition(" ")[0], asker)
        return Saving(
            language=asker.language,
            answer_id=entry.answer_id,
            rules=self.rules(asker, channel),
            channel=channel,
            values={"title": self.title(entry)},
        )

    def rules(self, asker: Asker, channel: str | None) -> str:
        """Return in words who may approve what is saved now."""
        rules, messages = self.deciding.standing, self.messages(asker.language)
        subjects = (*rules.groups, *rules.channels, *rules.users) if rules else ()
        members = {*rules.groups, *rules.channels} if rules else set()
        who = tuple(
            _members(one, asker, messages) if one in members else asker.directory.name(one)
            for one in subjects
        )
        if not who:
            chosen = messages.label("decision_form", "rules_chosen")
            who = (_members(channel, asker, messages) if channel else chosen,)
        code = "rules" + ("" if subjects else "_reviewers")
        code += "_own_text" if rules and rules.may_approve_own else "_text"
        needed = messages.label("decisions", "needed", count=rules.needed if rules else 1)
        return messages.label("decision_form", code, needed=needed, who=who)

    def title(self, entry: HistoryEntry) -> str:
        """Return what an answer proposes, in a few words: `Llama 2 13B INT8: 1 × A10 24 GB`."""
        messages = self.messages(entry.language)
        if not isinstance(entry.answer, SizingAnswer):
            return _title_of_spec(cast("Spec", entry.answer), messages)
        asked = entry.answer.understood
        subject = f"{asked.model} {messages.labels.precision(asked.precision)}"
        if not entry.answer.options:
            return subject
        return f"{subject}: {_plain(messages.gpu_set(entry.answer.options[0]))}"

    def approved(self, typed: str, asker: Asker) -> tuple[Decision, ...]:
        """Return the approved decisions with what was typed, the newest first."""
        wanted = Wanted(text=typed, states=frozenset({State.APPROVED}), limit=MOST_OTHERS)
        return self.deciding.found(wanted, asker)

    def _page(self, decision: Decision, markdown: str) -> Reply:
        summary = markdown.splitlines()[0].lstrip("# ")
        return Reply(
            kind=ReplyKind.DECISION,
            markdown=markdown,
            language=decision.language,
            summary=summary,
            decision=decision,
        )

    def _answer(self, decision: Decision) -> Reply | None:
        """Return the answer that is decided on; None where this version cannot read it."""
        try:
            entry = self.deciding.entry(decision)
        except CodedError:
            return None
        language = decision.language
        if not isinstance(entry.answer, SizingAnswer):
            spec = cast("Spec", entry.answer)
            page = self._renderer.spec(spec, language, entry.answer_id)
            return Reply(kind=ReplyKind.SPEC, markdown=page, language=language)
        shown = self._pages.shown(entry, language, manner="")
        page = self._renderer.answer(entry.answer, language, entry.answer_id)
        kept = tuple(one for one in shown.actions if one.action_id != SAVE)
        return replace(shown, markdown=page, actions=kept)


def _plain(markdown: str) -> str:
    """Return the words of Markdown that has no marks but escapes."""
    return re.sub(r"\\(.)", r"\1", markdown)


def _members(subject: str, asker: Asker, messages: Messages) -> str:
    return messages.label("decision_form", "members_of", name=asker.directory.name(subject))


def _title_of_spec(spec: Spec, messages: Messages) -> str:
    models = " + ".join(one.answer.understood.model for one in spec.workloads)
    cards = messages.label("sets", "plain", gpus=spec.servers.gpus, gpu=spec.servers.gpu)
    return f"{models}: {cards}"
