"""Saving an answer as a decision: the view opened, filled in, and what comes of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_bolt import Ack, App, Args

from bot.errors import CodedError, StorageError
from bot.listeners.bodies import is_ephemeral
from bot.listeners.desk import Desk
from bot.listeners.outbox import FAILURES, DeliveryError, UnconfirmedError
from bot.listeners.reviews import unwritable
from bot.listeners.scene import Scene
from bot.listeners.viewing import open_view, replace_view
from bot.review.saving import (
    NOW,
    PROJECT,
    SAVE_VIEW,
    Saving,
    field_of,
    place_in,
    problem_at,
    project_options,
    proposal_of,
    save_view,
    saving_in,
    told_view,
)

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]


def register(app: App, desk: Desk) -> None:
    """Attach the listeners of the view."""
    app.options(PROJECT)(_offering(desk))
    app.view(SAVE_VIEW)(ack=_checking(desk), lazy=[_submitting(desk)])


def open_saving(args: Args, desk: Desk, reference: str) -> None:
    """Open the view that saves an answer; raise CodedError where it cannot be saved."""
    scene = desk.scene(args)
    saving = desk.reviews.recording.saving(
        reference, scene.asker, channel=_known_place(args, scene)
    )
    # A thread reviews one decision: another one gets a message of its own.
    if saving.channel and desk.reviews.recording.deciding.here(scene.asker) is None:
        message_ts, thread_ts = _message(args, scene)
        saving = replace(saving, message_ts=message_ts, thread_ts=thread_ts)
    open_view(args, desk, save_view(saving, desk.messages(saving.language)))


def _known_place(args: Args, scene: Scene) -> str | None:
    """Return the conversation of the answer; None where others cannot see it, or we cannot post."""
    channel = scene.asker.channel_id
    if channel is None or channel.startswith("D") or is_ephemeral(args.body):
        return None
    try:
        told = scene.directory.conversation(channel)
    except CodedError:
        return None
    return channel if told.is_member and not told.is_archived else None


def _message(args: Args, scene: Scene) -> tuple[str | None, str | None]:
    """Return the message that becomes the card, and the thread it stands in."""
    message = args.body.get("message") or {}
    is_own = message.get("user") == scene.directory.own_id
    ts, root = message.get("ts"), message.get("thread_ts")
    return ts if is_own else None, root if root != ts else None


def _offering(desk: Desk) -> Callable[..., None]:
    def offer(args: Args, ack: Ack, payload: Json) -> None:
        known = desk.reviews.recording.deciding.projects(desk.quick_asker(args))
        ack(options=project_options(str(payload.get("value") or ""), known))

    return offer


def _checking(desk: Desk) -> Callable[..., None]:
    def check(ack: Ack, view: Json) -> None:
        saving = saving_in(view)
        messages = desk.messages(saving.language)
        # Of yesterday too: it is still that day somewhere.
        wrong = problem_at(saving, (datetime.now(UTC) - timedelta(days=1)).date())
        if wrong:
            field, code = wrong
            ack(response_action="errors", errors={field: messages.error(CodedError(code))})
            return
        text = messages.label("decision_form", "waiting_text")
        ack(response_action="update", view=told_view(text, messages))

    return check


def _submitting(desk: Desk) -> Callable[[Args], None]:
    def submit(args: Args) -> None:
        view = args.body["view"]
        with desk.delivery(args) as delivery:
            if delivery.claim(f"view:{view['id']}:{view['hash']}"):
                replace_view(args, _saved(args, desk, saving_in(view)), view, only_this=False)

    return submit


def _saved(args: Args, desk: Desk, saving: Saving) -> Json:
    """Save the answer as the fields say; return the view that tells how that went."""
    messages = desk.messages(saving.language)
    scene = desk.scene(args, place_in(saving), saving.thread_ts)
    try:
        text = _begun(desk, scene, saving)
    except StorageError:
        raise
    except CodedError as error:
        problem = field_of(error.code, saving), messages.error(error, scene.asker.command)
        return save_view(saving, messages, problem=problem)
    return told_view(text, messages)


def _begun(desk: Desk, scene: Scene, saving: Saving) -> str:
    """Begin the decision and open its thread; return the sentence that says how that went."""
    deciding = desk.reviews.recording.deciding
    messages = desk.messages(saving.language)
    told = scene.directory.conversation(str(place_in(saving)))
    if told.is_archived:
        raise CodedError("channel_archived", name=told.name)
    if not told.is_member:
        raise CodedError("not_a_member", name=told.name)
    proposal, is_proposed = proposal_of(saving, is_open=told.is_public), _is_proposed(saving)
    if is_proposed:
        deciding.check_proposal(proposal, scene.asker)
    decision = deciding.save(saving.answer_id, proposal, scene.asker)
    if is_proposed:
        decision = deciding.propose(decision.number, scene.asker)
    try:
        desk.reviews.open_thread(
            scene, decision, message_ts=saving.message_ts, thread_ts=saving.thread_ts
        )
    except UnconfirmedError:
        raise
    except (*FAILURES, DeliveryError) as error:
        logger.warning("no thread for %s: %s", decision.name, error)
        return messages.error(unwritable(decision, error), scene.asker.command)
    return messages.label("decision_form", "saved_text", name=decision.name)


def _is_proposed(saving: Saving) -> bool:
    return saving.values.get("now") == NOW
