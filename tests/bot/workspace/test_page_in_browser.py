"""The page in a real browser: typing, clicking, filling in, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slack_bolt import App

from bot.workspace import Workspace

Connect = Callable[[Workspace, App], None]
pytestmark = pytest.mark.browser


@pytest.fixture
def faults() -> list[str]:
    """Collect script errors and requests to any other host."""
    return []


@pytest.fixture
def page(browser: Any, workspace: Workspace, faults: list[str]) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-US")
    watch(opened, workspace, faults)
    opened.set_default_timeout(15_000)
    opened.goto(workspace.page_url)
    opened.wait_for_selector("#examples button")
    yield opened
    opened.close()
    assert faults == []


def watch(page: Any, workspace: Workspace, faults: list[str]) -> None:
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda request: (
            request.url.startswith((workspace.page_url, "data:")) or faults.append(request.url)
        ),
    )


def type_line(page: Any, text: str) -> None:
    page.fill("#composer", text)
    page.press("#composer", "Enter")


@pytest.fixture
def form(kit: Any) -> dict[str, Any]:
    menu = {"type": "static_select", "options": [kit.option("int8"), kit.option("fp16")]}
    use = {"type": "radio_buttons", "options": [kit.option("infer"), kit.option("lora")]}
    extras = {"type": "checkboxes", "options": [kit.option("spares"), kit.option("storage")]}
    view: dict[str, Any] = kit.modal(
        kit.field("model", {"type": "external_select", "min_query_length": 1}),
        kit.field("precision", menu),
        kit.field("use", use),
        kit.field("extras", extras, optional=True),
        kit.field("context", {"type": "number_input", "is_decimal_allowed": True}),
        kit.field("due", {"type": "datepicker"}, optional=True),
        kit.field("note", {"type": "plain_text_input", "multiline": True}, optional=True),
    )
    return view


@pytest.fixture
def connected(
    workspace: Workspace, app: App, connect_http: Connect, kit: Any, form: dict[str, Any]
) -> list[Any]:
    """Connect an app that answers, opens a form, and keeps what is submitted."""
    states: list[Any] = []

    def answer(client: Any, command: Any) -> None:
        menu = {"type": "overflow", "action_id": "more", "options": [kit.option("explain")]}
        blocks = [
            {"type": "header", "text": kit.plain("Llama 2 13B")},
            kit.section(f"Read as {command['text']} &lt;b&gt;*bold*&lt;/b&gt;"),
            {
                "type": "table",
                "rows": [
                    [{"type": "raw_text", "text": "GPU"}],
                    [{"type": "raw_text", "text": "A10"}],
                ],
            },
            kit.actions(kit.button("Refine…", "refine"), menu),
        ]
        client.chat_postMessage(channel=command["channel_id"], text="Fits.", blocks=blocks)

    def refine(client: Any, body: Any) -> None:
        client.views_open(trigger_id=body["trigger_id"], view=form)

    def explain(client: Any, body: Any) -> None:
        where = {"channel": body["channel"]["id"], "thread_ts": body["message"]["ts"]}
        client.chat_postMessage(
            text="Formula: **2**",
            **where,
            blocks=[{"type": "markdown", "text": "| Part | GB |\n|---|--:|\n| KV | **3.4** |"}],
        )

    def submitted(ack: Any, view: Any) -> None:
        states.append(view["state"]["values"])
        if view["state"]["values"]["context"]["context"]["value"] == "13":
            ack(response_action="errors", errors={"context": "Unlucky."})
        else:
            ack()

    def offer(ack: Any, payload: Any) -> None:
        names = ["llama-13b", "llama-70b"]
        ack(options=[kit.option(name) for name in names if payload["value"] in name])

    def ready(ack: Any) -> None:
        ack()

    app.command("/gpusize")(ack=ready, lazy=[answer])
    app.action("refine")(ack=ready, lazy=[refine])
    app.action("more")(ack=ready, lazy=[explain])
    app.options("model")(offer)
    app.view("form")(submitted)
    connect_http(workspace, app)
    return states


def test_a_command_is_answered_with_safe_text(page: Any, connected: list[Any]) -> None:
    """Escaped markup shows as text; only Slack's own marks become elements."""
    type_line(page, "/gpusize llama-13b")

    section = page.wait_for_selector(".block-section")

    assert section.inner_text() == "Read as llama-13b <b>bold</b>"
    assert page.locator(".block-section strong").inner_text() == "bold"
    assert page.locator(".block-section b").count() == 0
    assert page.locator("table th").inner_text() == "GPU"


def test_typed_markup_never_becomes_elements(page: Any) -> None:
    type_line(page, "<img src=x onerror=alert(1)> <script>x</script> @channel")

    body = page.wait_for_selector(".message .body")

    assert body.inner_text() == "<img src=x onerror=alert(1)> <script>x</script> @channel"
    assert page.locator(".message img, .message script").count() == 0


def test_another_person_sees_the_channel_but_not_what_is_private(
    page: Any, workspace: Workspace, app: App
) -> None:
    app.client.chat_postEphemeral(channel="C0PLANNING", user="U0ANA", text="psst")
    app.client.chat_postMessage(channel="C0PLANNING", text="hello all")
    page.wait_for_selector("text=Only visible to you")

    page.select_option("#user", "ben")
    page.wait_for_selector(".message:not(.only-you)")
    page.wait_for_selector("text=psst", state="detached")

    assert page.locator(".message").count() == 1


def test_changes_arrive_without_reloading(page: Any, app: App) -> None:
    ts = app.client.chat_postMessage(channel="C0PLANNING", text="first")["ts"]
    page.wait_for_selector("text=first")

    app.client.chat_update(channel="C0PLANNING", ts=ts, text="second")

    page.wait_for_selector("text=second")
    assert page.locator("text=first").count() == 0


def test_a_thread_opens_beside_the_channel(page: Any, connected: list[Any]) -> None:
    type_line(page, "/gpusize llama-13b")
    page.click("summary[aria-label='More actions']")
    page.click("text=explain")
    page.click("text=1 reply")

    page.wait_for_selector("#thread .markdown table")
    assert page.locator("#thread .markdown td.right").inner_text() == "3.4"

    page.fill("#reply", "thanks")
    page.press("#reply", "Enter")
    page.wait_for_selector("#thread >> text=thanks")
    page.keyboard.press("Escape")

    assert page.locator("#thread").is_hidden()
    assert page.locator("#messages >> text=2 replies").is_visible()


def test_files_are_attached_and_taken_off_again(page: Any, workspace: Workspace) -> None:
    choose = page.locator("#composer-files")
    choose.set_input_files([as_file("config.json", b"{}"), as_file("notes.txt", b"hello")])
    page.click("#composer-attached >> [aria-label='Remove notes.txt']")
    assert page.locator("#composer-attached li").all_inner_texts() == ["config.json\n×"]
    type_line(page, "look")
    page.wait_for_selector("#messages .file")

    (message,) = workspace.user("ben").sees()
    assert [file["name"] for file in message.files] == ["config.json"]
    assert page.locator("#composer-attached").is_hidden()
    with page.expect_download() as download:
        page.click("#messages .file")
    assert download.value.path().read_bytes() == b"{}"


def test_a_file_alone_is_a_message_too_and_so_is_one_in_a_thread(
    page: Any, workspace: Workspace
) -> None:
    page.set_input_files("#composer-files", [as_file("a.json", b"{}")])
    page.press("#composer", "Enter")
    page.hover("#messages .message")
    page.click("text=Reply in thread")
    page.set_input_files("#reply-files", [as_file("b.json", b"[]")])
    page.press("#reply", "Enter")
    page.wait_for_selector("#replies >> text=b.json")

    root, reply = workspace.user("ana").thread(workspace.user("ana").sees()[0])
    assert [reply.thread_ts, reply.files[0]["name"]] == [root.ts, "b.json"]


def test_files_that_are_too_large_are_told_in_words(page: Any) -> None:
    page.set_input_files("#composer-files", [as_file("a.gguf", b"x" * 20_000_001)])

    toast = page.wait_for_selector("#toast:not([hidden])")
    assert toast.inner_text() == "These files are larger than 20 MB together."
    assert page.locator("#composer-attached").is_hidden()


def as_file(name: str, content: bytes) -> dict[str, Any]:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def test_a_form_is_filled_in_checked_and_submitted(page: Any, connected: list[Any]) -> None:
    type_line(page, "/gpusize llama-13b")
    page.click("text=Refine…")
    page.wait_for_selector("#modal[open]")
    page.click("#modal button[type=submit]")
    assert page.wait_for_selector("#modal .has-error").is_visible()
    assert connected == []

    page.type("#modal input[role=combobox]", "llama-13")
    page.wait_for_selector("#modal datalist option", state="attached")
    page.fill("#modal input[role=combobox]", "llama-13b")
    page.get_by_label("Precision").select_option("int8")
    page.get_by_label("lora").check()
    page.get_by_label("spares").check()
    page.get_by_label("Due (optional)").fill("2026-12-24")
    page.get_by_label("Note (optional)").fill("two\nlines")
    page.get_by_label("Context").fill("13")
    page.click("#modal button[type=submit]")
    page.wait_for_selector("text=Unlucky.")

    page.get_by_label("Context").fill("1,5")
    page.click("#modal button[type=submit]")
    page.wait_for_selector("#modal", state="hidden")

    values = {name: inside[name] for name, inside in connected[-1].items()}
    assert values["model"]["selected_option"]["value"] == "llama-13b"
    assert values["precision"]["selected_option"]["value"] == "int8"
    assert values["use"]["selected_option"]["value"] == "lora"
    assert [o["value"] for o in values["extras"]["selected_options"]] == ["spares"]
    assert values["context"]["value"] == "1.5"
    assert values["due"]["selected_date"] == "2026-12-24"
    assert values["note"]["value"] == "two\nlines"


def test_the_keyboard_alone_is_enough(
    page: Any, workspace: Workspace, connected: list[Any]
) -> None:
    """The composer has the focus at first; buttons follow in tab order; Escape closes a form."""
    page.keyboard.type("/gpusize llama-13b")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Refine…")
    page.focus("text=Refine…")
    page.keyboard.press("Enter")
    page.wait_for_selector("#modal[open]")

    focused = page.locator("#modal :focus").get_attribute("role")
    page.keyboard.press("Escape")
    page.wait_for_selector("#modal", state="hidden")

    assert focused == "combobox"
    assert workspace.user("ana").modal is None


def test_the_page_speaks_spanish(page: Any) -> None:
    page.select_option("#language", "es")

    assert page.locator("h1").inner_text() == "Espacio local"
    assert page.locator("html").get_attribute("lang") == "es"
    assert "contexto=32k" in page.locator("#examples").inner_text()


def test_an_app_that_is_not_there_is_told_in_words(page: Any) -> None:
    type_line(page, "/gpusize llama-13b")

    toast = page.wait_for_selector("#toast:not([hidden])")
    assert toast.inner_text() == "No app is connected to this workspace yet."


def test_a_phone_has_a_menu_and_nothing_too_wide(
    browser: Any, workspace: Workspace, connected: list[Any], faults: list[str]
) -> None:
    phone = browser.new_page(viewport={"width": 360, "height": 640}, has_touch=True)
    watch(phone, workspace, faults)
    phone.goto(workspace.page_url)
    phone.wait_for_selector("#examples button")
    type_line(phone, "/gpusize " + "llama-13b" * 20)
    phone.wait_for_selector("text=Refine…")

    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.click("#menu")
    phone.click("#channels >> text=random")
    assert phone.locator("#where").inner_text() == "#random"
    phone.close()
    assert faults == []
