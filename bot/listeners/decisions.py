"""Decisions in Slack: saved, moved on by buttons, found from a message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from slack_bolt import Ack, App, Args

from bot.actions import SAVE
from bot.blocks import to_message
from bot.deciding import Move
from bot.decisions.records import LONGEST_REASON, SHORTEST_REASON, Decision
from bot.decisions.states import REASONED, Action
from bot.errors import CodedError, StorageError
from bot.listeners.acknowledging import acknowledge
from bot.listeners.actions import SAME_CLICK_S, click_of, value_in
from bot.listeners.cards import answer_in
from bot.listeners.delivery import Delivery
from bot.listeners.desk import Desk
from bot.listeners.outbox import tell
from bot.listeners.saving import open_saving
from bot.listeners.scene import Scene
from bot.listeners.viewing import open_view, replace_view
from bot.review.buttons import ASKING, HISTORY, MENU, PREFIX, read_value
from bot.review.reasons import (
    OTHERS,
    REASON,
    REASON_VIEW,
    Asking,
    asking_in,
    decision_options,
    reason_view,
)
from bot.review.saving import told_view

Json = Mapping[str, Any]

BUTTONS: Final = re.compile(rf"^{re.escape(PREFIX)}")
"""All buttons below a decision, and the menu behind them."""

REVIEW: Final = "gpus1.review"
"""Name of the shortcut, as in the manifest."""

OPENING: Final = frozenset({HISTORY, *(one.value for one in ASKING)})
"""What only opens or shows something, as often as it is clicked."""

STALE: Final = frozenset({"already_decided", "approved_already", "inputs_changed", "not_in_state"})
"""Why nothing was done, where the clicked card shows what is not so any more."""


@dataclass(frozen=True)
class Wish:
    """What a button wants."""

    code: str
    """What is done, or shown."""

    number: int
    """Decision."""

    version: int
    """Version that the clicked message showed."""


def register(app: App, desk: Desk) -> None:
    """Attach the listeners of decisions."""
    app.action(SAVE)(ack=acknowledge, lazy=[_saving(desk)])
    app.action(BUTTONS)(ack=acknowledge, lazy=[_deciding(desk)])
    app.options(OTHERS)(_offering(desk))
    app.view(REASON_VIEW)(ack=_checking(desk), lazy=[_giving(desk)])
    app.message_shortcut(REVIEW)(ack=acknowledge, lazy=[_reviewing(desk)])


def _saving(desk: Desk) -> Callable[[Args], None]:
    def save(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(click_of(args.body)):
                with _refusing(desk, desk.scene(args)):
                    open_saving(args, desk, value_in(args.body))

    return save


def _deciding(desk: Desk) -> Callable[[Args], None]:
    def decide(args: Args) -> None:
        code, value = _wanted(args.body)
        found = read_value(value)
        with desk.delivery(args) as delivery:
            if not delivery.claim(click_of(args.body)):
                return
            if found is None or code not in {HISTORY, *(one.value for one in Action)}:
                desk.send_below(args, desk.expired(args))
                return
            same = f"decide:{code}:{value}:{args.body['user']['id']}"
            if code in OPENING or delivery.claim(same, window_s=SAME_CLICK_S):
                _decide(args, desk, Wish(code, *found), delivery)

    return decide


def _decide(args: Args, desk: Desk, wish: Wish, delivery: Delivery) -> None:
    """Do what a button says, or open the view that asks for more."""
    scene, code = desk.scene(args), wish.code
    try:
        scene = _judged(scene)
        if code == HISTORY:
            _history(desk, scene, wish.number)
        elif Action(code) in ASKING:
            _ask(args, desk, scene, wish)
        else:
            _act(desk, scene, wish)
    except StorageError:
        raise
    except CodedError as error:
        # The next click, after what was wrong is put right, is another one.
        delivery.release()
        desk.reviews.denied(scene, error)
        if error.code in STALE:
            desk.reviews.redraw(scene, wish.number)


def _act(desk: Desk, scene: Scene, wish: Wish) -> None:
    deciding, action = desk.reviews.recording.deciding, Action(wish.code)
    if action is Action.PROPOSE:
        moved = deciding.propose(wish.number, scene.asker, version=wish.version)
    else:
        move = Move(action=action, version=wish.version)
        moved = deciding.act(wish.number, move, scene.asker)
    desk.reviews.announce(scene, moved)


def _history(desk: Desk, scene: Scene, number: int) -> None:
    recording, asker = desk.reviews.recording, scene.asker
    decision = recording.deciding.decision(number, asker)
    page = recording.reviewing.page(decision, asker, asker.language, whole=True)
    tell(scene.place, to_message(page))


def _ask(args: Args, desk: Desk, scene: Scene, wish: Wish) -> None:
    """Open the view that asks why, where the person may do it at all."""
    move = Move(action=Action(wish.code), version=wish.version)
    decision = desk.reviews.recording.deciding.check_may(wish.number, move, scene.asker)
    asking = Asking(
        language=scene.asker.language,
        action=wish.code,
        number=wish.number,
        version=wish.version,
        channel=scene.asker.channel_id,
        thread_ts=scene.asker.thread_ts,
    )
    open_view(args, desk, reason_view(asking, decision, desk.messages(asking.language)))


def _checking(desk: Desk) -> Callable[..., None]:
    def check(ack: Ack, view: Json) -> None:
        asking = asking_in(view)
        messages = desk.messages(asking.language)
        wrong = _wrong_reason(asking)
        if wrong:
            sentence = messages.error(wrong, "/gpusize")
            ack(response_action="errors", errors={REASON: sentence})
            return
        text = messages.label("decision_form", "waiting_text")
        ack(response_action="update", view=told_view(text, messages))

    return check


def _wrong_reason(asking: Asking) -> CodedError | None:
    is_needed = Action(asking.action) in REASONED
    if not is_needed or SHORTEST_REASON <= len(asking.reason) <= LONGEST_REASON:
        return None
    return CodedError("reason_length", least=SHORTEST_REASON, most=LONGEST_REASON)


def _giving(desk: Desk) -> Callable[[Args], None]:
    def give(args: Args) -> None:
        view = args.body["view"]
        with desk.delivery(args) as delivery:
            if delivery.claim(f"view:{view['id']}:{view['hash']}"):
                replace_view(args, _given(args, desk, asking_in(view)), view, only_this=False)

    return give


def _given(args: Args, desk: Desk, asking: Asking) -> Json:
    """Do what the view says; return the view that tells how that went."""
    scene = desk.scene(args, asking.channel, asking.thread_ts)
    messages, deciding = desk.messages(asking.language), desk.reviews.recording.deciding
    try:
        scene = _judged(scene)
        moved = _moved(desk, scene, asking)
    except StorageError:
        raise
    except CodedError as error:
        if error.code in STALE:
            desk.reviews.redraw(scene, asking.number)
        problem = messages.error(error, scene.asker.command)
        decision = deciding.decision(asking.number, scene.asker)
        return reason_view(asking, decision, messages, problem=problem)
    desk.reviews.announce(scene, moved)
    state = f"decision_{moved.state.value}"
    text = messages.label("decision_form", "done_text", name=moved.name, state=state)
    return told_view(text, messages)


def _moved(desk: Desk, scene: Scene, asking: Asking) -> Decision:
    deciding, action = desk.reviews.recording.deciding, Action(asking.action)
    if action is Action.SUPERSEDE:
        other = int(asking.other.removeprefix("D-"))
        return deciding.supersede(asking.number, other, asking.reason, scene.asker)
    move = Move(action=action, version=asking.version, reason=asking.reason or None)
    return deciding.act(asking.number, move, scene.asker)


def _offering(desk: Desk) -> Callable[..., None]:
    def offer(args: Args, ack: Ack, payload: Json) -> None:
        asking = asking_in(args.body["view"])
        asker = replace(desk.quick_asker(args), channel_id=asking.channel)
        found = desk.reviews.recording.approved(str(payload.get("value") or ""), asker)
        ack(options=decision_options(found, but=asking.number))

    return offer


def _reviewing(desk: Desk) -> Callable[[Args], None]:
    def review(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(f"shortcut:{args.body['trigger_id']}:{args.body['action_ts']}"):
                scene = desk.scene(args)
                with _refusing(desk, scene):
                    _review(args, desk, scene)

    return review


def _review(args: Args, desk: Desk, scene: Scene) -> None:
    """Show the decision of a message to the person, or open the view that saves its answer."""
    recording, asker = desk.reviews.recording, scene.asker
    decision = recording.deciding.here(asker)
    if decision is not None:
        page = recording.reviewing.page(decision, asker, asker.language)
        tell(scene.place, recording.private_page(page))
        return
    answer = answer_in(args.body.get("message") or {}) or recording.deciding.subject_here(asker)
    if answer is None:
        raise CodedError("no_decision_in_message")
    open_saving(args, desk, answer)


def _judged(scene: Scene) -> Scene:
    """Return the scene with what Slack says of the account that acts."""
    is_bot = scene.directory.is_bot(scene.asker.user_id)
    return replace(scene, asker=replace(scene.asker, is_bot=is_bot))


@contextmanager
def _refusing(desk: Desk, scene: Scene) -> Iterator[None]:
    """Tell the person who acts why something cannot be done."""
    try:
        yield
    except StorageError:
        raise
    except CodedError as error:
        desk.reviews.denied(scene, error)


def _wanted(body: Json) -> tuple[str, str]:
    """Return the code of what a click wants, and what the element carries."""
    code = str(body["actions"][0]["action_id"]).removeprefix(PREFIX)
    value = value_in(body)
    if code != MENU:
        return code, value
    code, _, rest = value.partition(" ")
    return code, rest
