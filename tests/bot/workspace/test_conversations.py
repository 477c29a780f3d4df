"""Whole scenarios with a real Bolt app, each over signed HTTP and over Socket Mode."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from slack_bolt import App

from bot.errors import WorkspaceError
from bot.workspace import MentionsTell, Message, Workspace

Connect = Callable[[Workspace, App], None]


FILLED = {"Model": "llama-13b", "Precision": "int8", "Context": 4096}


def quick(ack: Any) -> None:
    ack()


def on_command(app: App, work: Callable[..., object]) -> None:
    app.command("/gpusize")(ack=quick, lazy=[work])


def on_action(app: App, action_id: str, work: Callable[..., object]) -> None:
    app.action(action_id)(ack=quick, lazy=[work])


def app_in(workspace: Workspace, like: App) -> App:
    return App(
        client=type(like.client)(workspace.bot_token, base_url=workspace.api_url),
        signing_secret=workspace.signing_secret,
        process_before_response=True,
        token_verification_enabled=False,
    )


def post(client: Any, text: str, *blocks: dict[str, Any], **more: Any) -> None:
    client.chat_postMessage(channel="C0PLANNING", text=text, blocks=list(blocks), **more)


class TestCommands:
    def test_the_app_gets_the_command_as_it_was_typed(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        """With should_escape off, entities and ampersands arrive as the person typed them."""
        got: dict[str, Any] = {}
        arrived = Event()

        def work(command: Any) -> None:
            got.update(command)
            arrived.set()

        on_command(app, work)
        connect(workspace, app)
        delivery = workspace.user("ana").types("/gpusize llama <!channel> & @ben #random", "random")

        assert arrived.wait(5)
        assert delivery.acked
        assert delivery.ack_ms is not None
        assert got["text"] == "llama <!channel> & @ben #random"
        assert (got["command"], got["channel_name"]) == ("/gpusize", "random")
        assert (got["user_id"], got["user_name"]) == ("U0ANA", "ana")
        assert "thread_ts" not in got

    def test_the_answer_is_seen_by_all(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        on_command(app, lambda client, command: post(client, f"sized {command['text']}"))
        connect(workspace, app)

        workspace.user("ana").types("/gpusize llama-13b int8")

        assert workspace.user("ben").waits_for_message("sized llama-13b int8").bot_id

    def test_the_body_of_the_ack_is_an_ephemeral_answer(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        app.command("/gpusize")(lambda ack: ack("Only for you"))
        connect(workspace, app)

        workspace.user("ana").types("/gpusize")

        [message] = workspace.user("ana").sees()
        assert (message.text, message.is_ephemeral) == ("Only for you", True)
        assert workspace.user("ben").sees() == []

    def test_the_body_of_the_ack_may_be_public(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        app.command("/gpusize")(lambda ack: ack(text="For all", response_type="in_channel"))
        connect(workspace, app)

        workspace.user("ana").types("/gpusize")

        assert [m.text for m in workspace.user("ben").sees()] == ["For all"]

    def test_the_response_url_works_where_the_bot_is_no_member(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        on_command(app, lambda respond: respond("Invite me first"))
        connect(workspace, app)
        ana = workspace.user("ana")

        ana.types("/gpusize", "random")

        message = ana.waits_for_message("Invite me first")
        assert (message.channel, message.is_ephemeral) == ("C0RANDOM", True)

    def test_no_ack_in_time_is_an_operation_timeout(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        """The workspace waits 0.6 s here instead of 3; the listener takes a second."""
        app.command("/gpusize")(lambda ack: (time.sleep(1.0), ack()))
        connect(workspace, app)
        ana = workspace.user("ana")

        delivery = ana.types("/gpusize llama-13b")

        assert delivery.error == "operation_timeout"
        [message] = ana.sees()
        assert (message.notice, message.is_ephemeral) == ("operation_timeout", True)
        assert "operation_timeout" in message.text

    def test_commands_are_refused_in_threads(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        connect(workspace, app)
        ana = workspace.user("ana")
        root = ana.says("root")

        delivery = ana.types("/gpusize llama-13b", thread=root)

        assert (delivery.transport, delivery.error) == ("none", "commands_not_in_threads")
        assert ana.thread(root)[-1].notice == "commands_not_in_threads"

    def test_unknown_commands_are_refused(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        connect(workspace, app)

        assert workspace.user("ana").types("/other").error == "unknown_command"

    def test_should_escape_turns_names_into_entities(
        self, app: App, connect: Connect, request: pytest.FixtureRequest
    ) -> None:
        with Workspace(should_escape=True) as escaping:
            client = type(app.client)(escaping.bot_token, base_url=escaping.api_url)
            own = App(
                client=client,
                signing_secret=escaping.signing_secret,
                process_before_response=True,
                token_verification_enabled=False,
            )
            own.command("/gpusize")(lambda ack, command: ack(command["text"].replace("<", "(")))
            connect(escaping, own)
            escaping.user("ana").types("/gpusize ask @ben in #random")

            assert escaping.user("ana").sees()[0].text == "ask (@U0BEN|ben> in (#C0RANDOM|random>"


class TestClicks:
    def test_a_button_tells_who_pressed_what_and_where(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        got: dict[str, Any] = {}
        arrived = Event()

        def work(body: Any) -> None:
            got.update(body)
            arrived.set()

        on_action(app, "go", work)
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(kit.button("Go", "go", value="D-42")))
        ben = workspace.user("ben")

        ben.clicks(ben.waits_for_message("Go"), "Go")

        assert arrived.wait(5)
        assert got["user"]["id"] == "U0BEN"
        assert got["actions"][0]["value"] == "D-42"
        assert got["container"]["is_ephemeral"] is False
        assert got["message"]["text"] == "Ready"

    def test_a_click_in_a_thread_carries_the_thread(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        on_action(
            app,
            "go",
            lambda body, respond: respond(
                "Seen", thread_ts=body["container"]["thread_ts"], replace_original=False
            ),
        )
        connect(workspace, app)
        ana = workspace.user("ana")
        root = ana.says("root")
        post(app.client, "Ready", kit.actions(kit.button("Go", "go")), thread_ts=root.ts)

        ana.clicks(ana.waits_for_message("Go"), "go")
        ana.waits_for_message("Seen")

        assert [m.text for m in ana.thread(root)] == ["root", "Ready", "Seen"]

    def test_a_click_on_an_ephemeral_message_carries_no_message(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        on_action(
            app,
            "go",
            lambda body, respond: respond(
                f"{'message' in body} {body['container']['is_ephemeral']}", replace_original=False
            ),
        )
        connect(workspace, app)
        blocks = [kit.actions(kit.button("Go", "go"))]
        app.client.chat_postEphemeral(channel="C0PLANNING", user="U0ANA", text="a", blocks=blocks)
        ana = workspace.user("ana")

        ana.clicks(ana.waits_for_message("Go"), "Go")

        assert ana.waits_for_message("False True").is_ephemeral

    def test_a_response_replaces_the_message_unless_told_otherwise(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        on_action(app, "go", lambda respond: respond("Done"))
        connect(workspace, app)
        blocks = [kit.actions(kit.button("Go", "go"))]
        app.client.chat_postEphemeral(channel="C0PLANNING", user="U0ANA", text="a", blocks=blocks)
        ana = workspace.user("ana")

        ana.clicks(ana.waits_for_message("Go"), "Go")
        ana.waits_for_message("Done")

        assert [m.shown for m in ana.sees()] == ["Done"]

    def test_an_ephemeral_response_to_a_public_message_is_a_new_one(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        on_action(app, "go", lambda respond: respond("Not you", response_type="ephemeral"))
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(kit.button("Go", "go")))
        ana = workspace.user("ana")

        ana.clicks(ana.waits_for_message("Go"), "Go")
        ana.waits_for_message("Not you")

        assert [m.text for m in ana.sees()] == ["Ready", "Not you"]
        assert [m.text for m in workspace.user("ben").sees()] == ["Ready"]

    def test_a_response_may_delete_the_message(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        on_action(app, "go", lambda respond: respond(delete_original=True))
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(kit.button("Go", "go")))
        ana = workspace.user("ana")

        ana.clicks(ana.waits_for_message("Go"), "Go")

        workspace.wait_for(lambda: not ana.sees())

    def test_an_overflow_sends_the_chosen_option(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        menu = {
            "type": "overflow",
            "action_id": "more",
            "options": [kit.option("explain"), kit.option("compare")],
        }
        on_action(
            app, "more", lambda payload, client: post(client, payload["selected_option"]["value"])
        )
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(menu))
        ana = workspace.user("ana")

        ana.clicks(ana.waits_for_message("⋯"), "more", "compare")

        assert ana.waits_for_message(lambda m: m.text == "compare").bot_id

    def test_inputs_of_a_message_are_remembered_per_person(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        ticks = {
            "type": "checkboxes",
            "action_id": "ticks",
            "options": [kit.option("a"), kit.option("b")],
        }
        states: list[Any] = []
        on_action(app, "ticks", lambda body: states.append(body["state"]["values"]["list"]))
        connect(workspace, app)
        post(app.client, "List", {**kit.actions(ticks), "block_id": "list"})
        ana, ben = workspace.user("ana"), workspace.user("ben")
        message = ana.waits_for_message("[ ] a")

        ana.clicks(message, "ticks", ["a", "b"])
        ben.clicks(message, "ticks", ["b"])

        workspace.wait_for(lambda: len(states) == 2)
        chosen = [[o["value"] for o in s["ticks"]["selected_options"]] for s in states]
        assert sorted(chosen) == [["a", "b"], ["b"]]

    def test_backing_out_of_a_confirm_dialog_sends_nothing(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        wanted = {name: kit.plain(name) for name in ("title", "text", "confirm", "deny")}
        on_action(app, "go", lambda client: post(client, "Gone"))
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(kit.button("Go", "go", confirm=wanted)))
        ana = workspace.user("ana")
        message = ana.waits_for_message("Go")

        assert ana.clicks(message, "Go", confirms=False) is None
        assert workspace.deliveries == []
        assert ana.clicks(message, "Go").acked

    def test_two_people_pressing_at_once_are_two_deliveries(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        on_action(app, "go", lambda body, client: post(client, f"by {body['user']['name']}"))
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(kit.button("Go", "go")))
        people = [workspace.user("ana"), workspace.user("ben")]
        message = people[0].waits_for_message("Go")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda person: person.clicks(message, "Go"), people))

        for person in people:
            person.waits_for_message("by ana")
            person.waits_for_message("by ben")
        triggers = {d.payload["trigger_id"] for d in workspace.deliveries}
        assert len(triggers) == 2

    def test_an_unanswered_click_tells_the_person(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        app.action("go")(lambda ack: (time.sleep(1.0), ack()))
        connect(workspace, app)
        post(app.client, "Ready", kit.actions(kit.button("Go", "go")))
        ana = workspace.user("ana")

        ana.clicks(ana.waits_for_message("Go"), "Go")

        assert ana.sees()[-1].notice == "operation_timeout"

    def test_a_name_that_is_not_there_is_an_error_that_lists_what_is(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        post(app.client, "Ready", kit.actions(kit.button("Go", "go")))
        ana = workspace.user("ana")

        with pytest.raises(WorkspaceError, match="no 'Stop' here; there is 'go'"):
            ana.clicks(ana.sees()[0], "Stop")


class TestModals:
    @pytest.fixture
    def form(self, kit: Any) -> dict[str, Any]:
        menu = {"type": "static_select", "options": [kit.option("int8"), kit.option("fp16")]}
        number = {"type": "number_input", "is_decimal_allowed": False, "min_value": "1"}
        model = {"type": "external_select", "min_query_length": 1}
        note = {"type": "plain_text_input", "max_length": 10}
        view: dict[str, Any] = kit.modal(
            kit.field("model", model),
            kit.field("precision", menu),
            kit.field("context", number),
            kit.field("note", note, optional=True),
        )
        return view

    @pytest.fixture
    def opened(
        self, workspace: Workspace, app: App, connect: Connect, form: dict[str, Any], kit: Any
    ) -> Any:
        """Open the form by a command, with an app that offers models."""
        on_command(
            app,
            lambda client, command: client.views_open(trigger_id=command["trigger_id"], view=form),
        )
        models = ["llama-13b", "llama-70b", "mixtral-8x7b"]

        def offer(ack: Any, payload: Any) -> None:
            ack(options=[kit.option(name) for name in models if payload["value"] in name])

        app.options("model")(offer)

        def start() -> Any:
            connect(workspace, app)
            ana = workspace.user("ana")
            ana.types("/gpusize")
            return ana, ana.waits_for_modal("Form")

        return start

    def test_a_submission_carries_what_was_filled_in_and_closes_the_modal(
        self, workspace: Workspace, app: App, opened: Any
    ) -> None:
        states: list[Any] = []
        app.view("form")(ack=quick, lazy=[lambda view: states.append(view["state"]["values"])])
        ana, view = opened()

        assert ana.submits(ana.fills(view, FILLED)).acked

        workspace.wait_for(lambda: states)
        [values] = states
        assert values["model"]["model"]["selected_option"]["value"] == "llama-13b"
        assert values["precision"]["precision"]["selected_option"]["value"] == "int8"
        assert values["context"]["context"] == {"type": "number_input", "value": "4096"}
        assert values["note"]["note"]["value"] is None
        assert ana.modal is None

    def test_options_come_from_the_app(self, opened: Any) -> None:
        ana, view = opened()

        offered = ana.suggestions(view, "model", "llama")

        assert [o["value"] for o in offered] == ["llama-13b", "llama-70b"]

    @pytest.mark.parametrize(
        ("changes", "block", "code"),
        [
            ({"Precision": None}, "precision", "required"),
            ({"Context": None}, "context", "required"),
            ({"Context": "many"}, "context", "not_a_number"),
            ({"Context": "1.5"}, "context", "no_decimals"),
            ({"Context": 0}, "context", "too_small"),
            ({"Note": "a" * 11}, "note", "too_long"),
        ],
    )
    def test_an_incomplete_form_is_not_sent(
        self, opened: Any, changes: dict[str, Any], block: str, code: str
    ) -> None:
        ana, view = opened()
        filled = ana.fills(view, {**FILLED, **changes})

        delivery = ana.submits(filled)

        assert (delivery.transport, delivery.error) == ("none", "incomplete")
        assert ana.modal.errors == {block: code}

    def test_errors_of_the_app_stand_at_the_fields_until_they_change(
        self, app: App, opened: Any
    ) -> None:
        app.view("form")(lambda ack: ack(response_action="errors", errors={"context": "Too long."}))
        ana, view = opened()

        ana.submits(ana.fills(view, FILLED))

        assert ana.modal.errors == {"context": "Too long."}
        assert ana.fills(ana.modal, {"Context": 2048}).errors == {}

    @pytest.mark.parametrize(
        "answer",
        [
            {"response_action": "errors", "errors": {"nowhere": "Wrong block."}},
            {"response_action": "update", "view": {"type": "modal", "blocks": []}},
            {"response_action": "shout"},
        ],
        ids=["unknown block", "invalid view", "unknown action"],
    )
    def test_a_wrong_answer_is_trouble_connecting(
        self, app: App, opened: Any, answer: dict[str, Any]
    ) -> None:
        app.view("form")(lambda ack: ack(answer))
        ana, view = opened()

        ana.submits(ana.fills(view, FILLED))

        assert ana.modal.notice == "trouble_connecting"

    def test_an_answer_may_update_the_modal(self, app: App, opened: Any, kit: Any) -> None:
        fresh = kit.modal(kit.section("Calculating…"))
        app.view("form")(lambda ack: ack(response_action="update", view=fresh))
        ana, view = opened()

        ana.submits(ana.fills(view, FILLED))

        assert (ana.modal.id, "Calculating…" in ana.modal.shown) == (view.id, True)

    def test_an_answer_may_push_and_clear(self, app: App, opened: Any, kit: Any) -> None:
        second = kit.modal(kit.section("Second step"), callback_id="second")
        app.view("form")(lambda ack: ack(response_action="push", view=second))
        app.view("second")(lambda ack: ack(response_action="clear"))
        ana, view = opened()

        ana.submits(ana.fills(view, FILLED))
        assert ana.modal.previous_id == view.id

        ana.submits(ana.modal)
        assert ana.modals == []

    def test_submitting_the_second_modal_leads_back_to_the_first(
        self, app: App, opened: Any, kit: Any
    ) -> None:
        second = kit.modal(kit.section("Second step"), callback_id="second")
        app.view("form")(lambda ack: ack(response_action="push", view=second))
        app.view("second")(lambda ack: ack())
        ana, view = opened()

        ana.submits(ana.fills(view, FILLED))
        ana.submits(ana.modal)

        assert ana.modal.id == view.id

    def test_a_trigger_inside_a_modal_may_push(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        first = kit.modal(kit.section("First"), kit.actions(kit.button("Next", "next")))
        on_command(
            app,
            lambda client, command: client.views_open(trigger_id=command["trigger_id"], view=first),
        )
        on_action(
            app,
            "next",
            lambda client, body: client.views_push(
                trigger_id=body["trigger_id"], view=kit.modal(kit.section("Second"))
            ),
        )
        connect(workspace, app)
        ana = workspace.user("ana")
        ana.types("/gpusize")

        ana.clicks(ana.waits_for_modal("First"), "Next")

        assert ana.waits_for_modal("Second").previous_id is not None

    def test_an_input_with_dispatch_action_tells_the_app_at_once(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        note = kit.field("note", {"type": "plain_text_input"}, dispatch_action=True)
        trigger = workspace.world.new_trigger("U0ANA")
        app.client.views_open(trigger_id=trigger, view=kit.modal(note))

        def reveal(client: Any, body: Any) -> None:
            view = kit.modal(note, kit.section(f"Read {body['actions'][0]['value']}"))
            client.views_update(view_id=body["view"]["id"], hash=body["view"]["hash"], view=view)

        on_action(app, "note", reveal)
        connect(workspace, app)
        ana = workspace.user("ana")

        ana.fills(ana.waits_for_modal(), {"Note": "hello"})

        assert ana.waits_for_modal("Read hello").values["note"]["note"]["value"] == "hello"

    def test_a_late_trigger_opens_nothing(
        self, workspace: Workspace, app: App, connect: Connect, clock: Any, kit: Any
    ) -> None:
        codes: list[str] = []

        def late(client: Any, command: Any) -> None:
            from slack_sdk.errors import SlackApiError

            clock.advance(3.1)
            try:
                client.views_open(trigger_id=command["trigger_id"], view=kit.modal())
            except SlackApiError as error:
                codes.append(error.response["error"])

        on_command(app, late)
        connect(workspace, app)
        workspace.user("ana").types("/gpusize")

        workspace.wait_for(lambda: codes)
        assert codes == ["expired_trigger_id"]

    def test_closing_tells_the_app_only_where_it_asked(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        app.view_closed("form")(lambda ack: ack())
        connect(workspace, app)
        ana = workspace.user("ana")
        for wanted in (False, True):
            app.client.views_open(
                trigger_id=workspace.world.new_trigger("U0ANA"),
                view=kit.modal(notify_on_close=wanted),
            )
            ana.closes(ana.waits_for_modal())

        assert [(d.kind, d.acked) for d in workspace.deliveries] == [("view_closed", True)]
        assert ana.modal is None


class TestEvents:
    def test_a_mention_in_a_thread_is_answered_there(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        app.event("app_mention")(
            ack=quick,
            lazy=[
                lambda event, say: say(text=f"heard: {event['text']}", thread_ts=event["thread_ts"])
            ],
        )
        connect(workspace, app)
        ana = workspace.user("ana")
        root = ana.says("root")

        ana.mentions(root, "status & more")

        answer = ana.waits_for_message("heard:")
        assert answer.text == "heard: <@U0GPUSIZE> status &amp; more"
        assert [m.text for m in ana.thread(root)][-1] == answer.text

    def test_a_mention_in_a_channel_has_no_thread(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        events: list[Any] = []

        def keep(event: Any) -> None:
            events.append(event)

        app.event("app_mention")(ack=quick, lazy=[keep])
        connect(workspace, app)

        message = workspace.user("ana").mentions("gpu-planning", "help")

        workspace.wait_for(lambda: events)
        assert "thread_ts" not in events[0]
        assert events[0]["ts"] == message.ts

    @pytest.mark.parametrize("tells", MentionsTell)
    def test_a_mention_tells_of_files_as_much_as_slack_does(
        self, workspace: Workspace, app: App, connect: Connect, tells: MentionsTell
    ) -> None:
        events: list[Any] = []

        def keep(event: Any) -> None:
            events.append(event)

        app.event("app_mention")(ack=quick, lazy=[keep])
        connect(workspace, app)
        workspace.gestures.mentions_tell = tells

        message = workspace.user("ana").mentions("gpu-planning", "", files={"a.json": b"{}"})

        workspace.wait_for(lambda: events)
        (kept,) = message.files
        told = events[0].get("files")
        assert (
            told
            == {
                MentionsTell.FILES: [kept],
                MentionsTell.IDS: [{"id": kept["id"]}],
                MentionsTell.NOTHING: None,
            }[tells]
        )
        assert app.client.files_info(file=kept["id"])["file"] == kept

    def test_a_mention_is_not_heard_where_the_bot_is_no_member(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        connect(workspace, app)
        workspace.user("ana").mentions("random", "help")

        assert workspace.deliveries == []

    def test_an_event_that_is_not_acked_comes_once_more_with_its_reason(
        self, workspace: Workspace, app: App, connect: Connect
    ) -> None:
        retries: list[Any] = []

        def slow(ack: Any, request: Any) -> None:
            retries.append(request.headers.get("x-slack-retry-num"))
            if len(retries) == 1:
                time.sleep(1.0)
            ack()

        app.event("app_mention")(slow)
        connect(workspace, app)

        workspace.user("ana").mentions("gpu-planning", "status")

        assert [d.error for d in workspace.deliveries] == ["operation_timeout", None]
        first, second = (d.payload["event_id"] for d in workspace.deliveries)
        assert first == second
        assert retries[1] == ["1"]

    def test_the_home_tab_is_published_when_opened(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        def publish(event: Any, client: Any) -> None:
            blocks = [kit.section("Home"), kit.actions(kit.button("New", "new"))]
            client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

        app.event("app_home_opened")(ack=quick, lazy=[publish])
        app.action("new")(
            ack=quick,
            lazy=[
                lambda client, body: client.views_open(
                    trigger_id=body["trigger_id"], view=kit.modal()
                )
            ],
        )
        connect(workspace, app)
        ana = workspace.user("ana")

        ana.opens_home()
        workspace.wait_for(lambda: ana.home)
        ana.clicks(ana.home, "New")

        assert ana.waits_for_modal("Form")

    def test_shortcuts_open_modals(
        self, workspace: Workspace, app: App, connect: Connect, kit: Any
    ) -> None:
        def review(client: Any, body: Any) -> None:
            view = kit.modal(kit.section(f"Review {body['message']['text']}"))
            client.views_open(trigger_id=body["trigger_id"], view=view)

        app.shortcut({"type": "message_action", "callback_id": "review"})(ack=quick, lazy=[review])
        app.shortcut({"type": "shortcut", "callback_id": "size"})(
            ack=quick,
            lazy=[
                lambda client, body: client.views_open(
                    trigger_id=body["trigger_id"], view=kit.modal(kit.section("Size GPUs"))
                )
            ],
        )
        connect(workspace, app)
        ana = workspace.user("ana")

        ana.uses_shortcut("review", ana.says("decision"))
        assert ana.waits_for_modal("Review decision")
        ana.uses_shortcut("size")
        assert ana.waits_for_modal("Size GPUs")
        assert "response_url" not in workspace.deliveries[-1].payload

    def test_messages_reach_the_app_only_when_it_subscribed(
        self, app: App, connect: Connect
    ) -> None:
        """The app's own messages are events too; Bolt must not answer itself."""
        with Workspace(events=["message.channels", "message.im"]) as listening:
            own = app_in(listening, app)
            own.event("message")(
                ack=quick, lazy=[lambda event, say: say(f"echo {event['channel_type']}")]
            )
            connect(listening, own)
            ana = listening.user("ana")
            ana.says("one")
            ana.says("two", "dm")

            ana.waits_for_message("echo channel")
            ana.waits_for_message("echo im")
            # Two of Ana's, two of the app's own, which Bolt acknowledges and drops.
            listening.wait_for(lambda: len(listening.deliveries) == 4)
            assert all(d.acked for d in listening.deliveries)

    def test_what_happens_to_a_message_reaches_it_too(self, app: App, connect: Connect) -> None:
        with Workspace(events=["message.channels"]) as listening:
            own = app_in(listening, app)
            own.event("message")(quick)
            connect(listening, own)
            ana = listening.user("ana")
            root = ana.says("one")
            reply = ana.says("too", root)
            changed = ana.edits(reply, "two for @ben")
            ana.deletes(changed)
            ana.deletes(ana.says("Not told", "random"))

            assert [one.shown for one in ana.thread(root)] == ["one"]
            told = [one.payload["event"] for one in listening.deliveries][2:]
            assert [one["subtype"] for one in told] == ["message_changed", "message_deleted"]
            edit, deletion = told
            assert (edit["channel"], edit["channel_type"]) == (root.channel, "channel")
            assert edit["message"]["text"] == "two for <@U0BEN>"
            assert edit["message"]["edited"] == {"user": ana.id, "ts": changed.edited_ts}
            assert edit["message"]["thread_ts"] == root.ts
            assert edit["previous_message"]["text"] == "too"
            assert "user" not in edit
            assert deletion["deleted_ts"] == reply.ts
            assert deletion["previous_message"]["text"] == "two for <@U0BEN>"


class TestWaiting:
    def test_waiting_in_vain_says_what_was_seen(self, workspace: Workspace) -> None:
        ana = workspace.user("ana")
        ana.says("hello")

        with pytest.raises(WorkspaceError, match=r"(?s)0\.05 s in vain.*ana sees:\nhello"):
            ana.waits_for_message("goodbye", 0.05)

    def test_messages_before_a_moment_can_be_left_out(self, workspace: Workspace) -> None:
        ana = workspace.user("ana")
        first, second = ana.says("hello 1"), ana.says("hello 2")

        assert ana.waits_for_message("hello").ts == first.ts
        assert ana.waits_for_message("hello", after=first).ts == second.ts

    def test_without_an_app_a_gesture_says_what_to_do(self, workspace: Workspace) -> None:
        with pytest.raises(WorkspaceError, match="call connect_http"):
            workspace.user("ana").types("/gpusize llama-13b")

    def test_unknown_names_are_errors_that_list_the_known(self, workspace: Workspace) -> None:
        with pytest.raises(WorkspaceError, match="there are ana, ben"):
            workspace.user("carol")
        with pytest.raises(WorkspaceError, match="there are gpu-planning, random and dm"):
            workspace.user("ana").says("a", "nowhere")

    def test_a_message_is_a_value(self, workspace: Workspace) -> None:
        assert isinstance(workspace.user("ana").says("a"), Message)
