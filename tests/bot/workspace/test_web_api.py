"""The Web API, called as an app calls it, without any app connected."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

from bot.workspace import Fault, ManualClock, Message, Workspace

PLANNING, RANDOM, DIRECT = "C0PLANNING", "C0RANDOM", "D0ANA"
ANA, BEN = "U0ANA", "U0BEN"


def refusal(call: Any, *args: object, **kwargs: object) -> str:
    """Return the error code of a call that must be refused."""
    with pytest.raises(SlackApiError) as raised:
        call(*args, **kwargs)
    return str(raised.value.response["error"])


def say(client: WebClient, text: str = "A sentence.", **more: Any) -> str:
    return str(client.chat_postMessage(channel=PLANNING, text=text, **more)["ts"])


class TestTokens:
    def test_auth_test_names_the_bot(self, client: WebClient) -> None:
        answer = client.auth_test()

        assert (answer["user_id"], answer["bot_id"]) == ("U0GPUSIZE", "B0GPUSIZE")

    def test_no_token_is_refused(self, workspace: Workspace) -> None:
        assert refusal(WebClient(base_url=workspace.api_url).auth_test) == "not_authed"

    def test_another_local_token_is_refused(self, workspace: Workspace) -> None:
        client = WebClient("xoxb-local-other", base_url=workspace.api_url)

        assert refusal(client.auth_test) == "invalid_auth"

    def test_a_real_token_is_refused_and_never_kept(self, workspace: Workspace) -> None:
        client = WebClient("xoxb-123-real", base_url=workspace.api_url)

        with pytest.raises(SlackApiError, match="leave your real Slack tokens"):
            client.chat_postMessage(channel=PLANNING, text="hello")
        assert "xoxb-123-real" not in repr(workspace.calls)

    def test_the_app_token_posts_nothing(self, workspace: Workspace) -> None:
        client = WebClient(workspace.app_token, base_url=workspace.api_url)

        assert refusal(client.chat_postMessage, channel=PLANNING, text="a") == (
            "not_allowed_token_type"
        )

    def test_the_bot_token_opens_no_socket(self, client: WebClient, workspace: Workspace) -> None:
        code = refusal(client.apps_connections_open, app_token=workspace.bot_token)

        assert code == "not_allowed_token_type"

    def test_an_unknown_method_is_refused(self, client: WebClient) -> None:
        assert refusal(client.api_call, "chat.shout") == "unknown_method"

    def test_a_missing_argument_is_refused(self, client: WebClient) -> None:
        assert refusal(client.api_call, "chat.postMessage", json={"text": "a"}) == (
            "invalid_arguments"
        )


class TestMessages:
    def test_a_message_is_seen_by_all_members(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        say(client)

        assert [m.text for m in workspace.user("ana").sees()] == ["A sentence."]
        assert [m.text for m in workspace.user("ben").sees()] == ["A sentence."]

    def test_an_ephemeral_message_is_seen_by_one(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        client.chat_postEphemeral(channel=PLANNING, user=ANA, text="psst")

        assert [m.text for m in workspace.user("ana").sees()] == ["psst"]
        assert workspace.user("ben").sees() == []

    def test_an_ephemeral_message_is_out_of_reach_of_update_and_delete(
        self, client: WebClient
    ) -> None:
        ts = str(client.chat_postEphemeral(channel=PLANNING, user=ANA, text="psst")["message_ts"])

        assert refusal(client.chat_update, channel=PLANNING, ts=ts, text="b") == (
            "message_not_found"
        )
        assert refusal(client.chat_delete, channel=PLANNING, ts=ts) == "message_not_found"

    def test_the_bot_cannot_post_where_it_is_no_member(self, client: WebClient) -> None:
        assert refusal(client.chat_postMessage, channel=RANDOM, text="a") == "not_in_channel"
        assert refusal(client.chat_postEphemeral, channel=RANDOM, user=ANA, text="a") == (
            "not_in_channel"
        )

    def test_an_unknown_channel_is_refused(self, client: WebClient) -> None:
        assert refusal(client.chat_postMessage, channel="C404", text="a") == "channel_not_found"

    def test_an_ephemeral_message_needs_a_member(self, client: WebClient) -> None:
        assert refusal(client.chat_postEphemeral, channel=DIRECT, user=BEN, text="a") == (
            "user_not_in_channel"
        )

    def test_a_user_as_channel_is_their_direct_message(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        answer = client.chat_postMessage(channel=ANA, text="hello Ana")

        assert answer["channel"] == DIRECT
        assert [m.text for m in workspace.user("ana").sees("dm")] == ["hello Ana"]
        assert workspace.user("ben").sees("dm") == []

    def test_an_update_replaces_text_and_blocks(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        ts = say(client, blocks=[kit.section("old")])

        client.chat_update(channel=PLANNING, ts=ts, text="new")

        [message] = workspace.user("ana").sees()
        assert (message.ts, message.shown) == (ts, "new")
        assert message.edited_ts is not None

    def test_only_the_apps_own_messages_change(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        ts = workspace.user("ana").says("mine").ts

        assert refusal(client.chat_update, channel=PLANNING, ts=ts, text="b") == (
            "cant_update_message"
        )
        assert refusal(client.chat_delete, channel=PLANNING, ts=ts) == "cant_delete_message"

    def test_an_unknown_message_is_refused(self, client: WebClient) -> None:
        assert refusal(client.chat_update, channel=PLANNING, ts="1.2", text="b") == (
            "message_not_found"
        )

    def test_a_deleted_message_is_gone(self, client: WebClient, workspace: Workspace) -> None:
        client.chat_delete(channel=PLANNING, ts=say(client))

        assert workspace.user("ana").sees() == []

    def test_an_edit_takes_4000_characters(self, client: WebClient) -> None:
        ts = say(client)
        client.chat_update(channel=PLANNING, ts=ts, text="a" * 4000)

        assert refusal(client.chat_update, channel=PLANNING, ts=ts, text="a" * 4001) == (
            "msg_too_long"
        )

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ({"text": "a" * 40_001}, "msg_too_long"),
            ({"text": ""}, "no_text"),
            ({"text": "a", "blocks": [{"type": "nonsense"}]}, "invalid_blocks"),
            ({"text": "a", "blocks": [{"type": "divider"}] * 51}, "invalid_blocks"),
            (
                {
                    "text": "a",
                    "blocks": [{"type": "table", "rows": [[{"type": "raw_text", "text": "a"}]]}]
                    * 2,
                },
                "invalid_attachments",
            ),
            (
                {
                    "text": "a",
                    "blocks": [
                        {"type": "section", "text": {"type": "plain_text", "text": "s" * 2500}}
                    ]
                    * 5,
                },
                "msg_blocks_too_long",
            ),
        ],
        ids=["long text", "no text", "unknown block", "51 blocks", "two tables", "12,500 in all"],
    )
    def test_slacks_limits_hold(
        self, client: WebClient, workspace: Workspace, body: dict[str, Any], code: str
    ) -> None:
        arguments = {"channel": PLANNING, **body}

        assert refusal(client.api_call, "chat.postMessage", json=arguments) == code
        assert workspace.user("ana").sees() == []

    def test_a_refusal_points_at_the_fault(self, client: WebClient, kit: Any) -> None:
        with pytest.raises(SlackApiError) as raised:
            say(client, blocks=[kit.section("ok"), kit.section("")])

        assert raised.value.response["response_metadata"]["messages"] == [
            "[ERROR] has 0 characters, at least 1 needed [json-pointer:/blocks/1/text/text]"
        ]

    def test_a_permalink_names_the_thread(self, client: WebClient) -> None:
        root = say(client)
        reply = say(client, thread_ts=root)

        link = client.chat_getPermalink(channel=PLANNING, message_ts=reply)["permalink"]

        assert str(link).endswith(f"?thread_ts={root}&cid={PLANNING}")


class TestThreads:
    def test_a_reply_stands_in_the_thread_and_not_in_the_channel(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        root = say(client, "root")
        say(client, "reply", thread_ts=root)
        ana = workspace.user("ana")

        [seen] = ana.sees()
        assert seen.text == "root"
        assert [m.text for m in ana.thread(seen)] == ["root", "reply"]

    def test_a_broadcast_reply_stands_in_both(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        root = say(client, "root")
        say(client, "reply", thread_ts=root, reply_broadcast=True)

        assert [m.text for m in workspace.user("ana").sees()] == ["root", "reply"]

    def test_an_unknown_thread_posts_at_the_root_without_an_error(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        answer = client.chat_postMessage(channel=PLANNING, text="lost", thread_ts="1.000001")

        assert answer["ok"]
        assert "thread_ts" not in answer["message"]
        assert [m.text for m in workspace.user("ana").sees()] == ["lost"]

    def test_a_replys_ts_is_no_thread(self, client: WebClient) -> None:
        reply = say(client, thread_ts=say(client))

        answer = client.chat_postMessage(channel=PLANNING, text="a", thread_ts=reply)

        assert "thread_ts" not in answer["message"]

    def test_replies_come_in_pages(self, client: WebClient) -> None:
        root = say(client, "0")
        for number in range(1, 5):
            say(client, str(number), thread_ts=root)

        first = client.conversations_replies(channel=PLANNING, ts=root, limit=3)
        cursor = first["response_metadata"]["next_cursor"]
        second = client.conversations_replies(channel=PLANNING, ts=root, limit=3, cursor=cursor)

        assert [m["text"] for m in first["messages"]] == ["0", "1", "2"]
        assert first["messages"][0]["reply_count"] == 4
        assert [m["text"] for m in second["messages"]] == ["3", "4"]
        assert (first["has_more"], second["has_more"]) == (True, False)

    @pytest.mark.parametrize(
        ("span", "texts"),
        [
            ({"oldest": 2, "latest": 2, "inclusive": True}, ["0", "2"]),
            ({"oldest": 1, "latest": 3}, ["0", "2"]),
            ({"oldest": 2, "latest": 2}, ["0"]),
            ({"oldest": 3, "inclusive": True}, ["0", "3"]),
        ],
    )
    def test_a_span_of_replies_comes_with_the_root(
        self, client: WebClient, span: dict[str, Any], texts: list[str]
    ) -> None:
        root = say(client, "0")
        stamps = [root, *(say(client, str(number), thread_ts=root) for number in range(1, 4))]
        asked = {key: stamps[value] if value is not True else True for key, value in span.items()}

        found = client.conversations_replies(channel=PLANNING, ts=root, **asked)["messages"]

        assert [message["text"] for message in found] == texts

    def test_replies_leave_out_ephemeral_messages(self, client: WebClient) -> None:
        root = say(client)
        client.chat_postEphemeral(channel=PLANNING, user=ANA, text="psst", thread_ts=root)

        assert len(client.conversations_replies(channel=PLANNING, ts=root)["messages"]) == 1

    def test_an_unknown_thread_has_no_replies(self, client: WebClient) -> None:
        assert refusal(client.conversations_replies, channel=PLANNING, ts="1.2") == (
            "thread_not_found"
        )

    def test_threads_of_other_channels_are_closed(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        ts = workspace.user("ana").says("hello", "random").ts

        assert refusal(client.conversations_replies, channel=RANDOM, ts=ts) == "not_in_channel"


class TestPeopleAndPlaces:
    def test_the_locale_is_told_only_when_asked_for(self, client: WebClient) -> None:
        assert "locale" not in client.users_info(user=ANA)["user"]
        assert client.users_info(user=ANA, include_locale=True)["user"]["locale"] == "es-ES"
        assert client.users_info(user=BEN, include_locale=True)["user"]["locale"] == "en-US"

    def test_an_unknown_user_is_refused(self, client: WebClient) -> None:
        assert refusal(client.users_info, user="U404") == "user_not_found"

    def test_the_list_of_users_has_people_and_the_bot(self, client: WebClient) -> None:
        members = client.users_list(include_locale=True)["members"]

        assert [m["name"] for m in members] == ["ana", "ben", "gpusize"]
        assert members[0]["locale"] == "es-ES"

    def test_channels_tell_whether_the_bot_is_in(self, client: WebClient) -> None:
        assert client.conversations_info(channel=PLANNING)["channel"]["is_member"] is True
        assert client.conversations_info(channel=RANDOM)["channel"]["is_member"] is False
        assert client.conversations_info(channel=DIRECT)["channel"]["user"] == ANA

    def test_members_are_listed(self, client: WebClient) -> None:
        assert client.conversations_members(channel=RANDOM)["members"] == [ANA, BEN]

    def test_a_direct_message_opens(self, client: WebClient) -> None:
        assert client.conversations_open(users=[BEN])["channel"]["id"] == "D0BEN"
        assert refusal(client.conversations_open, users="U404") == "user_not_found"


class TestFiles:
    def test_an_upload_takes_three_calls_and_ends_in_the_thread(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        root = say(client, "root")
        client.files_upload_v2(
            channel=PLANNING,
            thread_ts=root,
            filename="gpusize-A-12.md",
            title="Report",
            content="# Llama",
            initial_comment="The full report.",
        )

        ana = workspace.user("ana")
        reply = ana.thread(ana.sees()[0])[1]
        assert reply.shown == "The full report.\n[file Report]"
        assert [call.method for call in workspace.calls if call.method.startswith("files.")] == [
            "files.getUploadURLExternal",
            "files.completeUploadExternal",
        ]

    def test_the_bytes_must_be_as_many_as_announced(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        from urllib.error import HTTPError
        from urllib.request import urlopen

        answer = client.files_getUploadURLExternal(filename="a.md", length=3)

        with pytest.raises(HTTPError) as raised:
            urlopen(str(answer["upload_url"]), data=b"four")
        raised.value.close()
        assert raised.value.code == 400

    def test_a_file_without_bytes_cannot_be_completed(self, client: WebClient) -> None:
        file_id = client.files_getUploadURLExternal(filename="a.md", length=3)["file_id"]

        assert refusal(client.files_completeUploadExternal, files=[{"id": file_id}]) == (
            "file_not_found"
        )

    def test_files_are_not_shared_where_the_bot_is_no_member(self, client: WebClient) -> None:
        assert (
            refusal(client.files_upload_v2, channel=RANDOM, filename="a.md", content="a")
            == "not_in_channel"
        )


class TestFaults:
    def test_429_carries_retry_after_and_a_client_may_retry(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        client.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=1))
        workspace.fail_next("chat.postMessage", Fault(status=429, retry_after_s=0))

        say(client)

        assert [(c.ok, c.error) for c in workspace.calls] == [
            (False, "ratelimited"),
            (True, None),
        ]

    def test_a_server_error_happens_as_often_as_told(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        workspace.fail_next("*", Fault(status=500, times=2))

        for _ in range(2):
            with pytest.raises(SlackApiError) as raised:
                say(client)
            assert raised.value.response.status_code == 500
        say(client)

    def test_a_call_may_do_its_work_and_lose_the_answer(
        self, client: WebClient, workspace: Workspace
    ) -> None:
        workspace.fail_next("chat.postMessage", Fault(error="fatal_error", after_work=True))

        assert refusal(client.chat_postMessage, channel=PLANNING, text="a") == "fatal_error"
        assert len(workspace.user("ana").sees()) == 1

    def test_a_call_may_hang(self, workspace: Workspace) -> None:
        client = WebClient(workspace.bot_token, base_url=workspace.api_url, timeout=1)
        workspace.fail_next("auth.test", Fault(hang_s=1.5))

        with pytest.raises(TimeoutError):
            client.auth_test()


class TestBroadcasts:
    @pytest.mark.parametrize("text", ["<!channel>", "hi <!here|here>", "a <!everyone> b"])
    def test_an_unescaped_entity_is_recorded(
        self, client: WebClient, workspace: Workspace, text: str
    ) -> None:
        say(client, text)

        [(word, message)] = workspace.broadcasts
        assert word in text
        assert isinstance(message, Message)

    def test_an_escaped_entity_pings_nobody(self, client: WebClient, workspace: Workspace) -> None:
        say(client, "&lt;!channel&gt; @channel")

        assert workspace.broadcasts == []

    def test_entities_in_plain_text_ping_nobody(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        block = {"type": "section", "text": kit.plain("<!channel>")}
        say(client, blocks=[block])

        assert workspace.broadcasts == []

    @pytest.mark.parametrize(
        "block",
        [
            {"type": "section", "text": {"type": "mrkdwn", "text": "<!channel>"}},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": "<!channel>"}]},
            {"type": "markdown", "text": "<!channel>"},
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [{"type": "broadcast", "range": "channel"}],
                    }
                ],
            },
        ],
        ids=["section", "context", "markdown", "rich text"],
    )
    def test_entities_in_blocks_are_recorded(
        self, client: WebClient, workspace: Workspace, block: dict[str, Any]
    ) -> None:
        say(client, blocks=[block])

        assert [word for word, _ in workspace.broadcasts] == ["channel"]

    def test_linked_names_are_recorded(self, client: WebClient, workspace: Workspace) -> None:
        say(client, "@here", link_names=True)

        assert [word for word, _ in workspace.broadcasts] == ["here"]

    def test_an_edit_is_recorded_too(self, client: WebClient, workspace: Workspace) -> None:
        client.chat_update(channel=PLANNING, ts=say(client), text="<!channel>")

        assert [word for word, _ in workspace.broadcasts] == ["channel"]


class TestViews:
    def open(self, workspace: Workspace, client: WebClient, view: dict[str, Any]) -> Any:
        trigger = workspace.world.new_trigger(ANA)
        return client.views_open(trigger_id=trigger, view=view)["view"]

    def test_a_trigger_opens_one_modal(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        trigger = workspace.world.new_trigger(ANA)
        client.views_open(trigger_id=trigger, view=kit.modal())

        assert workspace.user("ana").modal is not None
        assert workspace.user("ben").modal is None
        assert refusal(client.views_open, trigger_id=trigger, view=kit.modal()) == (
            "exchanged_trigger_id"
        )

    @pytest.mark.parametrize(("seconds", "works"), [(2.9, True), (3.1, False)])
    def test_a_trigger_lives_three_seconds(
        self,
        client: WebClient,
        workspace: Workspace,
        clock: ManualClock,
        kit: Any,
        seconds: float,
        works: bool,
    ) -> None:
        trigger = workspace.world.new_trigger(ANA)
        clock.advance(seconds)

        if works:
            assert client.views_open(trigger_id=trigger, view=kit.modal())["ok"]
        else:
            assert refusal(client.views_open, trigger_id=trigger, view=kit.modal()) == (
                "expired_trigger_id"
            )

    def test_an_unknown_trigger_is_refused(self, client: WebClient, kit: Any) -> None:
        assert refusal(client.views_open, trigger_id="1.2", view=kit.modal()) == (
            "invalid_trigger_id"
        )

    def test_a_refused_view_leaves_the_trigger(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        trigger = workspace.world.new_trigger(ANA)
        wrong = kit.modal(title=kit.plain("t" * 25))

        with pytest.raises(SlackApiError) as raised:
            client.views_open(trigger_id=trigger, view=wrong)

        response = raised.value.response
        assert response["error"] == "invalid_arguments"
        assert "json-pointer:/view/title/text" in response["response_metadata"]["messages"][0]
        assert client.views_open(trigger_id=trigger, view=kit.modal())["ok"]

    def test_a_view_has_at_most_250_kb(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        large = kit.modal(*[kit.section("s" * 3000)] * 85)

        assert (
            refusal(client.views_open, trigger_id=workspace.world.new_trigger(ANA), view=large)
            == "view_too_large"
        )

    def test_an_update_needs_the_present_hash_when_it_names_one(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        view = self.open(workspace, client, kit.modal())
        newer = client.views_update(view_id=view["id"], hash=view["hash"], view=kit.modal())
        assert newer["view"]["hash"] != view["hash"]

        assert (
            refusal(client.views_update, view_id=view["id"], hash=view["hash"], view=kit.modal())
            == "hash_conflict"
        )
        assert client.views_update(view_id=view["id"], view=kit.modal())["ok"]

    def test_an_update_keeps_what_was_typed_under_the_same_ids(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        note, other = (kit.field(name, {"type": "plain_text_input"}) for name in ("note", "other"))
        view = self.open(workspace, client, kit.modal(note))
        ana = workspace.user("ana")
        ana.fills(ana.waits_for_modal(), {"Note": "typed"})

        client.views_update(view_id=view["id"], view=kit.modal(other, note))

        values = ana.waits_for_modal().values
        assert values["note"]["note"]["value"] == "typed"
        assert values["other"]["other"]["value"] is None

    def test_an_external_id_names_one_view(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        view = self.open(workspace, client, kit.modal(external_id="mine"))

        assert client.views_update(external_id="mine", view=kit.modal())["view"]["id"] == view["id"]
        assert refusal(client.views_update, external_id="gone", view=kit.modal()) == "not_found"

    def test_an_external_id_is_taken_once(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        self.open(workspace, client, kit.modal(external_id="mine"))

        assert (
            refusal(
                client.views_open,
                trigger_id=workspace.world.new_trigger(BEN),
                view=kit.modal(external_id="mine"),
            )
            == "duplicate_external_id"
        )

    def test_a_push_needs_a_trigger_from_a_modal(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        self.open(workspace, client, kit.modal())

        assert (
            refusal(
                client.views_push, trigger_id=workspace.world.new_trigger(ANA), view=kit.modal()
            )
            == "invalid_trigger_id"
        )

    def test_three_modals_may_be_stacked(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        view = self.open(workspace, client, kit.modal())
        for _ in range(2):
            trigger = workspace.world.new_trigger(ANA, view_id=view["id"])
            view = client.views_push(trigger_id=trigger, view=kit.modal())["view"]

        trigger = workspace.world.new_trigger(ANA, view_id=view["id"])
        assert refusal(client.views_push, trigger_id=trigger, view=kit.modal()) == (
            "push_limit_reached"
        )
        assert len(workspace.user("ana").modals) == 3
        assert view["root_view_id"] == workspace.user("ana").modals[0].id

    def test_a_home_is_published_per_user(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        home = {"type": "home", "blocks": [kit.section("For Ana")]}
        first = client.views_publish(user_id=ANA, view=home)["view"]
        second = client.views_publish(user_id=ANA, view=home, hash=first["hash"])["view"]

        assert first["id"] == second["id"]
        assert workspace.user("ana").home.shown == "For Ana"
        assert workspace.user("ben").home is None
        assert refusal(client.views_publish, user_id=ANA, view=home, hash=first["hash"]) == (
            "hash_conflict"
        )
        assert refusal(client.views_publish, user_id="U404", view=home) == "user_not_found"

    def test_the_current_conversation_is_chosen_from_the_start(
        self, client: WebClient, workspace: Workspace, kit: Any
    ) -> None:
        element = {"type": "conversations_select", "default_to_current_conversation": True}
        trigger = workspace.world.new_trigger(ANA, channel=PLANNING)

        view = client.views_open(trigger_id=trigger, view=kit.modal(kit.field("to", element)))

        assert view["view"]["state"]["values"]["to"]["to"]["selected_conversation"] == PLANNING


class TestResponseUrl:
    def post(self, url: str, **body: object) -> tuple[int, str]:
        from slack_sdk.webhook import WebhookClient

        answer = WebhookClient(url).send_dict(body)
        return answer.status_code, str(answer.body)

    def test_it_answers_the_user_alone_unless_told_otherwise(self, workspace: Workspace) -> None:
        url = workspace.response_url(ANA, RANDOM)

        assert self.post(url, text="for you") == (200, "ok")
        assert self.post(url, text="for all", response_type="in_channel") == (200, "ok")

        assert [m.text for m in workspace.user("ana").sees("random")] == ["for you", "for all"]
        assert [m.text for m in workspace.user("ben").sees("random")] == ["for all"]

    def test_it_works_five_times(self, workspace: Workspace) -> None:
        url = workspace.response_url(ANA, PLANNING)

        statuses = [self.post(url, text="a")[0] for _ in range(6)]

        assert statuses == [200] * 5 + [404]
        assert self.post(url, text="a")[1] == "used_url"

    @pytest.mark.parametrize(("minutes", "status"), [(29, 200), (31, 404)])
    def test_it_lives_thirty_minutes(
        self, workspace: Workspace, clock: ManualClock, minutes: int, status: int
    ) -> None:
        url = workspace.response_url(ANA, PLANNING)
        clock.advance(minutes * 60)

        assert self.post(url, text="a")[0] == status

    def test_an_unknown_one_is_refused(self, workspace: Workspace) -> None:
        url = workspace.response_url(ANA, PLANNING) + "x"

        assert self.post(url, text="a") == (404, "no_service")

    def test_limits_hold_there_too(self, workspace: Workspace) -> None:
        url = workspace.response_url(ANA, PLANNING)

        assert self.post(url, text="a", blocks=[{"type": "nonsense"}]) == (400, "invalid_blocks")
        assert self.post(url, response_type="in_channel") == (400, "no_text")

    def test_it_may_answer_in_a_thread(self, client: WebClient, workspace: Workspace) -> None:
        root = say(client, "root")
        self.post(workspace.response_url(ANA, PLANNING), text="reply", thread_ts=root)

        ana = workspace.user("ana")
        assert [m.text for m in ana.thread(ana.sees()[0])] == ["root", "reply"]
