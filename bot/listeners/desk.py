"""What every listener needs: who asks, one delivery once, and a reply in the right place."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from slack_bolt import Args, BoltContext
from slack_bolt.context.respond import Respond
from slack_bolt.response import BoltResponse

from bot.actions import language_in
from bot.blocks import to_message
from bot.errors import BotError, CodedError
from bot.form.filling import Form
from bot.form.views import Draft, Origin
from bot.home_view import HomeState, home_view
from bot.listeners.attachments import attached_to, files_of, read_again
from bot.listeners.bodies import (
    Body,
    asker_of,
    event_of,
    is_ephemeral,
    origin_of,
    place_of,
    reached,
    said_in,
    stands_in,
    thread_of,
    user_of,
)
from bot.listeners.delivery import Delivery, fault_code
from bot.listeners.enclosing import enclose
from bot.listeners.handing_over import HANDED, hand_over
from bot.listeners.illustrating import illustrate
from bot.listeners.locale import Locales
from bot.listeners.newest import mark_latest
from bot.listeners.outbox import Landed, Place, UnconfirmedError, publish, redraw, tell
from bot.listeners.people import People, SlackDirectory
from bot.listeners.reviews import Reviews
from bot.listeners.scene import Scene
from bot.messages import Messages
from bot.reply import Asker, Reply, ReplyKind
from bot.service import Service
from bot.spec_files import PICTURE

logger = logging.getLogger(__name__)

Rest = Callable[[], None]

SUBJECTS = frozenset({ReplyKind.ANSWER, ReplyKind.SPEC})
"""Replies whose threads are about them: what may be decided on."""


class Desk:
    """Takes a delivery from Slack to the service, and its reply back."""

    def __init__(self, service: Service, locales: Locales) -> None:
        self._service = service
        self._locales = locales
        self._people = People()
        self.reviews = Reviews(service)

    def ask(self, args: Args, text: str) -> Reply:
        """Return the answer to `text`."""
        return self._service.handle(text, self._asker(args), None)

    def explain(self, args: Args, answer_id: str) -> Reply:
        """Return the derivation of a logged answer."""
        return self._service.explain(answer_id, self._asker(args))

    def start(self, args: Args, answer_id: str) -> Reply:
        """Return how to start what a logged answer proposes."""
        return self._service.start(answer_id, self._asker(args))

    def second_opinion(self, args: Args, answer_id: str) -> Reply:
        """Return what measured kernels say about the speed in a logged answer."""
        return self._service.second_opinion(answer_id, self._asker(args))

    def size_file(self, args: Args) -> Reply:
        """Return the answer about the files of a message, in the words beside them."""
        message = args.body.get("message") or {}
        return self._about_files(args, message, said_in(message, args.context))

    def mentioned(self, args: Args) -> Reply:
        """Return the answer to a mention: about the files beside it, else to its words.

        A mention that does not say its files is read again where its words alone ask nothing.
        """
        message = event_of(args.body)
        text = said_in(message, args.context)
        if not files_of(message) and not self._service.understands(text):
            message = read_again(message, args.client)
        if not files_of(message):
            return self.ask(args, text)
        return self._about_files(args, message, text)

    def _about_files(self, args: Args, message: Body, text: str) -> Reply:
        """Return the answer about files; words that ask by themselves need none of them."""
        asker = self._asker(args)
        try:
            attachment = attached_to(message, args.client)
        except CodedError as error:
            if error.code == "no_config_file" and self._service.understands(text):
                return self.ask(args, text)
            return self._service.refused(error, asker)
        return self._service.handle_file(attachment, text, asker)

    @property
    def form(self) -> Form:
        """Return the form for a whole server."""
        return self._service.refining.form

    def server(self, args: Args, reference: str) -> Draft:
        """Return the form for a server with the question of the answer that a button carries."""
        return self._service.refining.server(reference, self._asker(args))

    def again(self, args: Args, reference: str) -> Draft | Reply:
        """Return the view that asks the question of that answer again, or why there is none."""
        asker = self._asker(args)
        try:
            return self._service.refining.again(reference, asker, origin_of(args.body))
        except CodedError as error:
            return self._service.refused(error, asker)

    def origin(self, args: Args, reference: str) -> Origin:
        """Return where the clicked answer stands, and its name and language."""
        name, _, words = reference.partition(" ")
        language = language_in(words) or self.language(args)
        return replace(origin_of(args.body), answer_id=name, language=language)

    def messages(self, language: str) -> Messages:
        """Return the sentences of a language."""
        return self._service.messages(language)

    def language(self, args: Args) -> str:
        """Return the language of the person who acts."""
        return self._locales.of(user_of(args.body), args.client)

    def home(self, args: Args, state: HomeState) -> Body:
        """Return the Home tab of the person who looks, with its filters set to `state`."""
        asker = self._asker(args)
        content = self._service.overview.content(asker, state)
        return home_view(self.messages(asker.language), content, state)

    def fill_form(self, args: Args, line: str, channel: str | None) -> Reply:
        """Return the answer to the line that a form says, asked in a conversation."""
        return self._service.handle(line, replace(self._asker(args), channel_id=channel), None)

    def ask_again(self, args: Args, line: str, origin: Origin) -> Reply:
        """Return the answer to the line that a form says, held against the one it began with."""
        asker = replace(self._asker(args), channel_id=origin.channel)
        reply = self._service.handle(line, asker, None)
        return self._service.refining.against(reply, origin, asker)

    def post(self, args: Args, reply: Reply, channel: str, url: str | None) -> Rest:
        """Post a reply in a conversation; `url` reaches it where the app is no member.

        Returns what puts checklist, pictures and files below it, which takes its time.
        """
        return self._publish(args, reached(args, channel, url), reply, thread_ts=None)

    def post_below(self, args: Args, reply: Reply, origin: Origin) -> Rest:
        """Post a reply below the answer that it was asked again for; privately below such a one."""
        place = reached(args, origin.channel, origin.url)
        if not reply.private:
            landed = publish(place, to_message(reply), thread_ts=origin.thread_ts)
            mark_latest(args.client, landed, reply.answer_id, self.messages(reply.language))
            return partial(self._accompany, args, place, landed, reply)
        tell(replace(place, thread_ts=origin.thread_ts), to_message(reply))
        return partial(self._accompany, args, place, None, reply)

    def tick(self, args: Args) -> None:
        """Keep what a click on boxes changes, and draw them as they stand now.

        Where there is nothing to tick any more, the person who clicked is told why.
        """
        asker, body = self._asker(args), args.body
        action = body["actions"][0]
        chosen = frozenset(str(option["value"]) for option in action["selected_options"])
        try:
            message = self._service.ticking.clicked(str(action["block_id"]), chosen, asker)
        except CodedError as error:
            self.send_below(args, self._service.refused(error, asker))
            return
        place = place_of(body, args.respond, args.client)
        ts, is_private = str(body["container"]["message_ts"]), is_ephemeral(body)
        redraw(place, message, message_ts=ts, is_private=is_private)

    def expired(self, args: Args) -> Reply:
        """Return the sentence for a button this version does not know."""
        return self._service.expired(self._asker(args))

    def send(self, args: Args, reply: Reply) -> None:
        """Send a reply to the channel, or to the asker alone."""
        self._send(args, reply, is_private=reply.private, thread_ts=None)

    def send_below(self, args: Args, reply: Reply) -> None:
        """Send a reply to the thread of the clicked message; below a private one it is private."""
        is_private = reply.private or is_ephemeral(args.body)
        self._send(args, reply, is_private=is_private, thread_ts=thread_of(args.body))

    def delivery(self, args: Args) -> Delivery:
        """Return the context for the work on one delivery."""
        place = place_of(args.body, args.respond, args.client)
        return Delivery(self._service, lambda error: self.report(error, args.body, place))

    def failed(
        self,
        error: Exception,
        body: Body,
        respond: Respond,
        context: BoltContext,
    ) -> BoltResponse:
        """Report an error that Bolt caught before or inside an acknowledgement.

        What fails before it is known to come from Slack is refused, and its response URL left
        alone: a forger could have put any address there.
        """
        if context.authorize_result is None:
            logger.warning("refused a request that is not Slack's", exc_info=error)
            return BoltResponse(status=401, body="")
        self.report(error, body, place_of(body, respond, context.client))
        return BoltResponse(status=200, body="")

    def report(self, error: Exception, body: Body, place: Place) -> None:
        """Log an error with an id and tell the asker that id, in their language where known."""
        error_id = secrets.token_hex(4)
        logger.error("error %s", error_id, exc_info=error)
        asker = asker_of(body, self._locales.known(place.user_id))
        code = "unconfirmed" if isinstance(error, UnconfirmedError) else fault_code(error)
        try:
            tell(place, to_message(self._service.broken(error_id, asker, code=code)))
        except BotError:
            logger.exception("error %s could not be told to %s", error_id, asker.user_id)

    def refuse(self, args: Args, error: CodedError) -> None:
        """Tell the person who acts why nothing was done."""
        scene = self.scene(args)
        self.reviews.denied(scene, error)

    def quick_asker(self, args: Args) -> Asker:
        """Return who types, without asking Slack anything: menus have no time."""
        return asker_of(args.body, self._locales.known(user_of(args.body)))

    def directory(self, args: Args) -> SlackDirectory:
        """Return who is who in the workspace of a delivery."""
        team_id = asker_of(args.body, "").team_id
        return self._people.directory(args.client, team_id=team_id, own_id=args.context.bot_user_id)

    def scene(self, args: Args, channel: str | None = None, thread_ts: str | None = None) -> Scene:
        """Return who acts on decisions, and where: here, or where a view was opened."""
        asker = self._asker(args)
        place = place_of(args.body, args.respond, args.client)
        channel = channel or asker.channel_id
        thread_ts = thread_ts or asker.thread_ts
        return Scene(
            args.client,
            replace(asker, channel_id=channel, thread_ts=thread_ts),
            replace(place, channel_id=channel, thread_ts=thread_ts),
        )

    def _send(self, args: Args, reply: Reply, *, is_private: bool, thread_ts: str | None) -> None:
        if reply.decision is not None and reply.kind not in HANDED:
            self.reviews.deliver(self.scene(args), reply)
            return
        place = place_of(args.body, args.respond, args.client)
        if reply.kind in HANDED:
            hand_over(place, reply, self.messages(reply.language))
        elif is_private:
            tell(place, to_message(reply))
        else:
            self._publish(args, place, reply, thread_ts=thread_ts)()

    def _publish(self, args: Args, place: Place, reply: Reply, *, thread_ts: str | None) -> Rest:
        """Post a reply; return what puts below it what does not stand in the message itself."""
        landed = publish(place, to_message(reply), thread_ts=thread_ts)
        return partial(self._accompany, args, place, landed, reply)

    def _accompany(self, args: Args, place: Place, landed: Landed | None, reply: Reply) -> None:
        if landed is None:
            return
        if reply.answer_id and reply.kind in SUBJECTS:
            asker = replace(self._asker(args), channel_id=landed.channel_id)
            self._service.deciding.keep_subject(landed.root_ts, reply.answer_id, asker)
        if reply.charts and not landed.is_whole and PICTURE not in reply.files:
            illustrate(args.client, landed, reply.charts)
        if reply.files and reply.answer_id:
            asker = replace(self._asker(args), channel_id=place.channel_id)
            boxes = self._service.ticking.messages(reply.answer_id, asker)
            messages = self.messages(reply.language)
            enclose(place, landed, reply, boxes=boxes, messages=messages)

    def _asker(self, args: Args) -> Asker:
        asker = asker_of(args.body, self._locales.of(user_of(args.body), args.client))
        directory = self.directory(args)
        return replace(asker, directory=directory, thread_ts=stands_in(args.body))
