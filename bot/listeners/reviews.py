"""Decisions in their threads: the card redrawn, each event one reply, and private words."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from slack_sdk.errors import SlackApiError

from bot.blocks import to_message
from bot.deciding import Move
from bot.decisions.permission import WORDS
from bot.decisions.records import Details
from bot.decisions.states import Action
from bot.errors import CodedError, StorageError
from bot.listeners.cards import Card, answer_in, edited, permalink
from bot.listeners.outbox import (
    FAILURES,
    DeliveryError,
    Message,
    UnconfirmedError,
    publish,
    tell,
)
from bot.listeners.retries import error_code
from bot.listeners.scene import Scene
from bot.reply import Reply

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.recording import Recording
    from bot.service import Service

logger = logging.getLogger(__name__)

MOST_DRAWN: Final = 5
"""How often a card is drawn again because somebody did something meanwhile."""


SAME_CARD_S: Final = 60.0
"""Time within which a card that is gone is posted once, s."""

ANOTHER_S: Final = 5.0
"""Patience with somebody else who posts a card, s."""

LOOK_S: Final = 0.1
"""Pause between two looks for it, s."""


class Reviews:
    """Puts decisions into Slack."""

    def __init__(self, service: Service) -> None:
        self._service = service

    @property
    def recording(self) -> Recording:
        """Return the words of decisions."""
        return self._service.recording

    def deliver(self, scene: Scene, reply: Reply) -> None:
        """Send what a line about a decision led to: into its thread, or to the person alone."""
        decision = reply.decision
        assert decision is not None  # noqa: S101 (only such replies come here)
        if not reply.private:
            self.announce(scene, decision, reply)
            return
        message = self.recording.private_page(reply)
        if scene.asker.thread_ts and self._is_here(scene, decision):
            publish(scene.deaf(), message, thread_ts=scene.asker.thread_ts)
        else:
            tell(scene.place, message)

    def announce(self, scene: Scene, decision: Decision, reply: Reply | None = None) -> None:
        """Say in its thread what was done to a decision, and draw its card anew.

        One without a thread gets one where its requester acts. `reply` is what the person is told
        who acts elsewhere; of figures it is what the thread is told too.
        """
        if decision.message_ts is None or decision.channel_id is None:
            self._begin(scene, decision, reply)
            return
        root_ts = self.redraw(scene, decision.number) or decision.message_ts
        try:
            place = scene.deaf(decision.channel_id)
            publish(place, self._said(scene, decision, reply), thread_ts=root_ts)
        except UnconfirmedError:
            raise
        except (*FAILURES, DeliveryError) as error:
            self._unwritable(scene, decision, error)
            return
        if not self._is_here(scene, decision):
            told = reply or self.recording.reviewing.told(
                decision, scene.asker, scene.asker.language
            )
            tell(scene.place, to_message(replace(told, private=True)))

    def open_thread(
        self,
        scene: Scene,
        decision: Decision,
        *,
        message_ts: str | None,
        thread_ts: str | None,
        reply: Reply | None = None,
    ) -> None:
        """Make a message the card of a decision, or post one, and say what was done in its thread.

        Raises an error of Slack's where neither can be.
        """
        channel = str(decision.channel_id)
        card = self.recording.card(decision, scene.directory)
        said = self._said(scene, decision, reply)
        where = message_ts and Card(channel, thread_ts or message_ts, message_ts)
        root_ts = where and self._taken(scene, decision, card, where)
        if not root_ts:
            landed = publish(scene.deaf(channel), card, thread_ts=thread_ts)
            if landed is None:
                return
            root_ts = landed.root_ts
            self._place(scene, decision, Card(channel, root_ts, landed.own_ts))
        publish(scene.deaf(channel), said, thread_ts=root_ts)

    def _taken(self, scene: Scene, decision: Decision, card: Message, where: Card) -> str | None:
        """Make a message the card and return its thread; None where it cannot be.

        The place is kept first: who reads the card may write below it at once.
        """
        self._place(scene, decision, where)
        is_edited = edited(scene.client, where.channel_id, where.card_ts, card)
        return where.root_ts if is_edited else None

    def _said(self, scene: Scene, decision: Decision, reply: Reply | None) -> Message:
        """Return what the thread is told: a sentence, or the figures themselves."""
        if reply is not None and reply.is_figures:
            return to_message(replace(reply, private=False))
        return self.recording.said(decision, scene.asker)

    def denied(self, scene: Scene, error: CodedError) -> None:
        """Tell the person who acts why nothing was done."""
        tell(scene.place, to_message(self._service.refused(error, scene.asker)))

    def redraw(self, scene: Scene, number: int) -> str | None:
        """Draw the card of a decision as it stands; return its thread, None where Slack refuses."""
        try:
            decision = self.recording.deciding.decision(number, scene.asker)
            return self._drawn(scene, decision) if decision.message_ts else None
        except StorageError:
            raise
        except (CodedError, DeliveryError, *FAILURES) as error:
            logger.warning("card of D-%d not drawn: %s", number, error)
            return None

    def _begin(self, scene: Scene, decision: Decision, reply: Reply | None) -> None:
        """Open the thread of a decision that has none yet, where its requester acts."""
        asker = scene.asker
        told = reply or self.recording.reviewing.told(decision, asker, asker.language)
        private = self.recording.private_page(replace(told, private=True))
        if asker.channel_id is None or asker.user_id != decision.requester_id:
            tell(scene.place, private)
            return
        try:
            self._open_here(scene, decision, reply)
        except UnconfirmedError:
            raise
        except (*FAILURES, DeliveryError) as error:
            logger.warning("no thread for %s: %s", decision.name, error)
            tell(scene.place, private)

    def _open_here(self, scene: Scene, decision: Decision, reply: Reply | None) -> None:
        asker = scene.asker
        channel = decision.channel_id or asker.channel_id
        thread_ts = asker.thread_ts if channel == asker.channel_id else None
        if self.recording.deciding.here(asker) is not None:
            # A thread reviews one decision: another one gets a message of its own.
            thread_ts = None
        message_ts = self._own_root(scene, decision) if thread_ts else None
        if message_ts == thread_ts:
            thread_ts = None
        placed = decision.model_copy(update={"channel_id": channel})
        self.open_thread(scene, placed, message_ts=message_ts, thread_ts=thread_ts, reply=reply)

    def _own_root(self, scene: Scene, decision: Decision) -> str | None:
        """Return the first message of the thread, where it is the answer that is decided on."""
        asker = scene.asker
        try:
            told = scene.client.conversations_replies(
                channel=str(asker.channel_id), ts=str(asker.thread_ts), limit=1
            )
        except FAILURES as error:
            logger.info("thread not read: %s", error)
            return None
        root: Mapping[str, Any] = next(iter(told.get("messages") or ()), {})
        is_own = root.get("user") == scene.directory.own_id
        return asker.thread_ts if is_own and answer_in(root) == decision.answer_id else None

    def _drawn(self, scene: Scene, decision: Decision) -> str:
        """Draw the card, again where the decision moves on meanwhile; return its root."""
        asker, deciding = scene.asker, self.recording.deciding
        card = self._card(scene, decision)
        for _ in range(MOST_DRAWN):
            message = self.recording.card(decision, scene.directory)
            if not edited(scene.client, card.channel_id, card.card_ts, message):
                return self._posted_anew(scene, decision, card, message)
            now = deciding.decision(decision.number, asker)
            if now.sequence == decision.sequence:
                break
            decision = now
        return card.root_ts

    def _posted_anew(self, scene: Scene, decision: Decision, card: Card, message: Message) -> str:
        """Post the card of a decision whose message is gone; return the root of its thread.

        Of two who find it gone one posts, and the other draws what that one has posted.
        """
        key = f"card:{card.channel_id}:{card.card_ts}"
        if not self._service.first_seen(key, window_s=SAME_CARD_S):
            self._await_another(scene, decision, card)
            return self._drawn(
                scene, self.recording.deciding.decision(decision.number, scene.asker)
            )
        root = card.root_ts if card.root_ts != card.card_ts else None
        try:
            landed = publish(scene.deaf(card.channel_id), message, thread_ts=root)
        except UnconfirmedError:
            raise
        except (*FAILURES, DeliveryError):
            self._service.release(key)
            raise
        if landed is None:
            raise DeliveryError(f"no card for {decision.name}")
        self._place(scene, decision, Card(card.channel_id, landed.root_ts, landed.own_ts))
        return landed.root_ts

    def _await_another(self, scene: Scene, decision: Decision, gone: Card) -> None:
        """Wait until somebody else has posted the card; raise DeliveryError where nobody does."""
        until_s = time.monotonic() + ANOTHER_S
        while time.monotonic() < until_s:
            if self._card(scene, decision) != gone:
                return
            time.sleep(LOOK_S)
        raise DeliveryError(f"no other card for {decision.name}")

    def _card(self, scene: Scene, decision: Decision) -> Card:
        """Return where the message of a decision stands."""
        events = self.recording.deciding.events(decision.number, scene.asker)
        placed = [one.details.data or {} for one in events if one.action is Action.PLACE]
        root = str(decision.message_ts)
        told = placed[-1].get("card_ts") if placed else None
        return Card(str(decision.channel_id), root, str(told or root))

    def _place(self, scene: Scene, decision: Decision, card: Card) -> Decision:
        """Keep where the message of a decision stands."""
        details = Details(
            channel_id=card.channel_id,
            message_ts=card.root_ts,
            is_open=scene.is_public(card.channel_id),
            data={"card_ts": card.card_ts},
        )
        link = permalink(scene.client, card)
        move = Move(action=Action.PLACE, permalink=link, details=details)
        return self.recording.deciding.note(decision.number, move, scene.asker)

    def _is_here(self, scene: Scene, decision: Decision) -> bool:
        here = (scene.asker.channel_id, scene.asker.thread_ts)
        return here == (decision.channel_id, decision.message_ts)

    def _unwritable(self, scene: Scene, decision: Decision, error: Exception) -> None:
        """Tell the person who acts that it is kept, though the thread does not say so."""
        logger.warning("thread of %s not written: %s", decision.name, error)
        self.denied(scene, unwritable(decision, error))


def unwritable(decision: Decision, error: Exception) -> CodedError:
    """Return the sentence that says what is kept, though Slack does not show it."""
    code = error_code(error) if isinstance(error, SlackApiError) else "no_answer"
    state = WORDS[decision.state]
    return CodedError("thread_unwritable", name=decision.name, state=state, error=code)
