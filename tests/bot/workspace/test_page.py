"""The page's files, its state and its requests, without a browser."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from slack_bolt import App
from slack_sdk import WebClient

from bot.paths import templates_dir
from bot.workspace import Workspace

FOLDER = templates_dir() / "workspace"
LABELS = json.loads((FOLDER / "labels.json").read_text(encoding="utf-8"))
SOURCES = {
    path.name: path.read_text(encoding="utf-8")
    for path in FOLDER.iterdir()
    if path.suffix in (".js", ".html", ".css")
}


def get(workspace: Workspace, path: str) -> Any:
    with urlopen(workspace.page_url.rstrip("/") + path, timeout=5) as response:
        return response.read().decode(), response.headers


def state(workspace: Workspace, user: str) -> Any:
    return json.loads(get(workspace, f"/ui/state?user={user}")[0])


def do(workspace: Workspace, verb: str, **body: object) -> tuple[int, Any]:
    request = Request(
        f"{workspace.page_url}ui/{verb}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=5) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


class TestWords:
    def test_both_languages_have_the_same_words(self) -> None:
        assert set(LABELS["en"]) == set(LABELS["es"])
        assert all(text.strip() for words in LABELS.values() for text in words.values())

    @pytest.mark.parametrize("key", sorted(LABELS["en"]))
    def test_both_languages_fill_in_the_same_values(self, key: str) -> None:
        values = [set(re.findall(r"\{\w+\}", LABELS[lang][key])) for lang in ("en", "es")]

        assert values[0] == values[1]

    def test_every_word_asked_for_exists(self) -> None:
        asked = set(re.findall(r'\b(?:label|word)\("(\w+)"', "".join(SOURCES.values())))
        asked |= set(re.findall(r'data-label(?:-aria)?="(\w+)"', SOURCES["index.html"]))

        assert len(asked) > 20
        assert asked <= set(LABELS["en"])

    def test_every_refusal_of_a_form_has_words(self) -> None:
        codes = [
            "required", "too_short", "too_long", "not_a_number", "no_decimals", "too_small",
            "too_large",
        ]  # fmt: skip

        assert {f"problem_{code}" for code in codes} <= set(LABELS["es"])


class TestFiles:
    @pytest.mark.parametrize("name", sorted(SOURCES))
    def test_nothing_is_loaded_from_elsewhere(self, name: str) -> None:
        """The only addresses in the files are name spaces and what links begin with."""
        found = re.findall(r"https?://[\w.-]+", SOURCES[name])

        assert set(found) <= {"http://www.w3.org"}

    @pytest.mark.parametrize("name", sorted(SOURCES))
    def test_no_html_is_parsed_from_text(self, name: str) -> None:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", SOURCES[name]
        )

    @pytest.mark.parametrize("name", [*sorted(set(SOURCES) - {"index.html"}), "labels.json"])
    def test_each_file_is_served_with_its_type(self, workspace: Workspace, name: str) -> None:
        _, headers = get(workspace, f"/assets/{name}")

        kinds = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
        assert headers.get_content_type() == kinds[name.rpartition(".")[2]]
        assert headers["X-Content-Type-Options"] == "nosniff"

    @pytest.mark.parametrize("path", ["/assets/nothing.js", "/assets/..%2Fen%2Fanswer.md.j2"])
    def test_no_other_file_is_served(self, workspace: Workspace, path: str) -> None:
        with pytest.raises(HTTPError) as raised:
            get(workspace, path)

        raised.value.close()
        assert raised.value.code == 404

    def test_an_uploaded_file_is_handed_out_as_text_to_keep(
        self, workspace: Workspace, client: WebClient
    ) -> None:
        client.files_upload_v2(
            channel="C0PLANNING", filename='a"b.html', content="<script>alert(1)</script>"
        )
        address = state(workspace, "ana")["messages"][0]["files"][0]["url_private_download"]

        body, headers = get(workspace, address)

        assert body == "<script>alert(1)</script>"
        assert headers.get_content_type() == "text/plain"
        assert headers["Content-Disposition"] == 'attachment; filename="ab.html"'


class TestState:
    def test_each_person_gets_what_that_person_sees(
        self, workspace: Workspace, client: WebClient
    ) -> None:
        client.chat_postEphemeral(channel="C0PLANNING", user="U0ANA", text="psst")
        client.chat_postMessage(channel="C0PLANNING", text="hello")

        ana, ben = (state(workspace, name) for name in ("ana", "ben"))

        assert [(m["text"], m["only_you"]) for m in ana["messages"]] == [
            ("psst", True),
            ("hello", False),
        ]
        assert [m["text"] for m in ben["messages"]] == ["hello"]
        assert [c["name"] for c in ana["channels"]] == ["gpu-planning", "random", "gpusize"]
        assert ana["channels"][2]["id"] != ben["channels"][2]["id"]

    @pytest.mark.parametrize(("events", "has_home"), [((), False), (("app_home_opened",), True)])
    def test_a_home_tab_is_offered_where_the_app_fills_one(
        self, events: tuple[str, ...], has_home: bool
    ) -> None:
        with Workspace(events=events) as workspace:
            assert state(workspace, "ana")["has_home"] is has_home

    def test_an_unknown_person_is_404(self, workspace: Workspace) -> None:
        with pytest.raises(HTTPError) as raised:
            state(workspace, "carol")

        raised.value.close()
        assert raised.value.code == 404


class TestGestures:
    def test_what_is_typed_becomes_a_message(self, workspace: Workspace) -> None:
        status, _ = do(workspace, "type", user="ana", channel="gpu-planning", text="a < b")

        assert status == 200
        assert workspace.user("ben").sees()[0].text == "a &lt; b"

    def test_files_go_along_with_what_is_typed(self, workspace: Workspace) -> None:
        files = [{"name": "config.json", "content": b64encode(b"{}").decode()}]
        do(workspace, "type", user="ana", channel="gpu-planning", text="look", files=files)

        (message,) = workspace.user("ben").sees()
        (file,) = message.files
        assert (message.text, file["name"], file["size"]) == ("look", "config.json", 2)
        assert get(workspace, f"/files/{file['id']}")[0] == "{}"

    @pytest.mark.parametrize("file", [{"name": "a"}, {"name": "a", "content": "€"}, "a"])
    def test_a_file_that_is_cut_off_is_refused(self, workspace: Workspace, file: object) -> None:
        answer = do(
            workspace, "type", user="ana", channel="gpu-planning", text="look", files=[file]
        )

        assert answer == (409, {"error": "A file did not arrive whole."})
        assert workspace.user("ana").sees() == []

    def test_a_command_is_echoed_to_its_writer_alone(
        self, workspace: Workspace, app: App, connect_http: Callable[[Workspace, App], None]
    ) -> None:
        app.command("/gpusize")(lambda ack: ack("done"))
        connect_http(workspace, app)

        do(workspace, "type", user="ana", channel="gpu-planning", text="/gpusize 13b")

        assert [m.shown for m in workspace.user("ana").sees()] == ["/gpusize 13b", "done"]
        assert workspace.user("ben").sees() == []

    def test_without_an_app_the_page_is_told_so(self, workspace: Workspace) -> None:
        answer = do(workspace, "type", user="ana", channel="gpu-planning", text="/gpusize 13b")

        assert answer == (409, {"error": "not_connected"})

    def test_what_is_gone_is_told_so(self, workspace: Workspace) -> None:
        answer = do(workspace, "act", user="ana", channel="C0PLANNING", ts="1.2", action_id="go")

        assert answer == (409, {"error": "gone"})

    def test_an_unknown_verb_is_refused(self, workspace: Workspace) -> None:
        assert do(workspace, "shout", user="ana")[0] == 403
