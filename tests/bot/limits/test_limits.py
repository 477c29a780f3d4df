"""Every limit is tried at its last allowed value and one step beyond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import slackblocks
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BotError, SlackLimitError
from bot.limits import Problem, assert_valid, find_problems

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "text", **more: object) -> Block:
    return {"type": "section", "text": mrkdwn(text), **more}


def option(value: str = "a", text: str = "A") -> Block:
    return {"text": plain(text), "value": value}


def options(count: int) -> list[Block]:
    return [option(str(index)) for index in range(count)]


def button(text: str = "Go", action_id: str = "go", **more: object) -> Block:
    return {"type": "button", "text": plain(text), "action_id": action_id, **more}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def buttons(count: int) -> Block:
    return actions(*(button(action_id=str(index)) for index in range(count)))


def field_block(element: Block, label: str = "Label", **more: object) -> Block:
    return {"type": "input", "label": plain(label), "element": element, **more}


def typed(**more: object) -> Block:
    return {"type": "plain_text_input", "action_id": "a", **more}


def menu(kind: str = "static_select", **more: object) -> Block:
    return {"type": kind, "action_id": "a", **({"options": options(2)} | more)}


def raw(text: str) -> Block:
    return {"type": "raw_text", "text": text}


def table(rows: int, columns: int, text: str = "x", **more: object) -> Block:
    return {"type": "table", "rows": [[raw(text)] * columns for _ in range(rows)], **more}


def data_table(rows: int, columns: int = 2, text: str = "x", **more: object) -> Block:
    cells = [[raw(text)] * columns for _ in range(rows)]
    return {"type": "data_table", "caption": "GPUs", "rows": cells, **more}


def markdown(text: str) -> Block:
    return {"type": "markdown", "text": text}


def context(count: int) -> Block:
    return {"type": "context", "elements": [mrkdwn("a")] * count}


def bar(points: list[Block], categories: list[str], **more: object) -> Block:
    series = [{"name": "INT8", "data": points}]
    axis = {"categories": categories}
    chart = {"type": "bar", "series": series, "axis_config": axis}
    return {"type": "data_visualization", "title": "Memory", "chart": chart, **more}


def pie(value: float = 1, label: str = "KV", title: str = "Split") -> Block:
    chart = {"type": "pie", "segments": [{"label": label, "value": value}]}
    return {"type": "data_visualization", "title": title, "chart": chart}


def card(**more: object) -> Block:
    return {"type": "card", **more}


def container(count: int = 1, **more: object) -> Block:
    children = [section()] * count
    return {"type": "container", "title": plain("More"), "child_blocks": children, **more}


def confirm(title: int = 1, text: int = 1, yes: int = 1, no: int = 1) -> Block:
    return {
        "title": plain("t" * title),
        "text": plain("t" * text),
        "confirm": plain("y" * yes),
        "deny": plain("n" * no),
    }


def message(*blocks: Block) -> Block:
    return {"text": "A sentence.", "blocks": list(blocks)}


def modal(*blocks: Block, **more: object) -> Block:
    base = {"type": "modal", "title": plain("Title"), "submit": plain("Go")}
    return base | {"blocks": list(blocks)} | more


def home(*blocks: Block, **more: object) -> Block:
    return {"type": "home", "blocks": list(blocks), **more}


def dividers(count: int) -> list[Block]:
    return [{"type": "divider"} for _ in range(count)]


# Name, how to build the payload for a size, the largest size that Slack takes.
SIZED: list[tuple[str, str, Callable[[int], Block], int]] = [
    ("blocks of a message", "message", lambda n: message(*dividers(n)), 50),
    ("blocks of a modal", "modal", lambda n: modal(*dividers(n)), 100),
    ("blocks of a home", "home", lambda n: home(*dividers(n)), 100),
    ("text", "message", lambda n: {"text": "a" * n}, 40_000),
    ("attachments", "message", lambda n: message() | {"attachments": [{}] * n}, 100),
    ("block id", "message", lambda n: message({"type": "divider", "block_id": "b" * n}), 255),
    (
        "header",
        "message",
        lambda n: message({"type": "header", "text": plain("h" * n)}),
        150,
    ),
    ("section text", "message", lambda n: message(section("s" * n)), 3000),
    (
        "section fields",
        "message",
        lambda n: message({"type": "section", "fields": [mrkdwn("f")] * n}),
        10,
    ),
    (
        "section field",
        "message",
        lambda n: message({"type": "section", "fields": [mrkdwn("f" * n)]}),
        2000,
    ),
    ("context elements", "message", lambda n: message(context(n)), 10),
    ("actions elements", "message", lambda n: message(buttons(n)), 25),
    ("button text", "message", lambda n: message(actions(button("b" * n))), 75),
    ("button value", "message", lambda n: message(actions(button(value="v" * n))), 2000),
    ("button url", "message", lambda n: message(actions(button(url="u" * n))), 3000),
    (
        "button label",
        "message",
        lambda n: message(actions(button(accessibility_label="l" * n))),
        75,
    ),
    ("action id", "message", lambda n: message(actions(button(action_id="a" * n))), 255),
    ("select options", "message", lambda n: message(actions(menu(options=options(n)))), 100),
    (
        "option groups",
        "message",
        lambda n: message(
            actions(
                {
                    "type": "static_select",
                    "option_groups": [{"label": plain("g"), "options": options(1)}] * n,
                }
            )
        ),
        100,
    ),
    (
        "option text",
        "message",
        lambda n: message(actions(menu(options=[option(text="t" * n)]))),
        75,
    ),
    ("option value", "message", lambda n: message(actions(menu(options=[option("v" * n)]))), 150),
    (
        "option description",
        "message",
        lambda n: message(actions(menu(options=[option() | {"description": plain("d" * n)}]))),
        75,
    ),
    ("placeholder", "message", lambda n: message(actions(menu(placeholder=plain("p" * n)))), 150),
    (
        "overflow options",
        "message",
        lambda n: message(actions(menu("overflow", options=options(n)))),
        5,
    ),
    (
        "checkboxes",
        "message",
        lambda n: message(actions(menu("checkboxes", options=options(n)))),
        10,
    ),
    (
        "radio buttons",
        "modal",
        lambda n: modal(field_block(menu("radio_buttons", options=options(n)))),
        10,
    ),
    ("confirm title", "message", lambda n: message(actions(button(confirm=confirm(title=n)))), 100),
    ("confirm text", "message", lambda n: message(actions(button(confirm=confirm(text=n)))), 300),
    ("confirm yes", "message", lambda n: message(actions(button(confirm=confirm(yes=n)))), 30),
    ("confirm no", "message", lambda n: message(actions(button(confirm=confirm(no=n)))), 30),
    ("input label", "modal", lambda n: modal(field_block(typed(), "l" * n)), 2000),
    ("input hint", "modal", lambda n: modal(field_block(typed(), hint=plain("h" * n))), 2000),
    ("max_length", "modal", lambda n: modal(field_block(typed(max_length=n))), 3000),
    ("min_length", "modal", lambda n: modal(field_block(typed(min_length=n))), 3000),
    ("view title", "modal", lambda n: modal(title=plain("t" * n)), 24),
    ("view submit", "modal", lambda n: modal(submit=plain("s" * n)), 24),
    ("view close", "modal", lambda n: modal(close=plain("c" * n)), 24),
    ("private metadata", "modal", lambda n: modal(private_metadata="p" * n), 3000),
    ("callback id", "modal", lambda n: modal(callback_id="c" * n), 255),
    ("external id", "home", lambda n: home(external_id="e" * n), 255),
    ("alert", "modal", lambda n: modal({"type": "alert", "text": mrkdwn("a" * n)}), 200),
    (
        "image alt text",
        "message",
        lambda n: message({"type": "image", "image_url": "u", "alt_text": "a" * n}),
        2000,
    ),
    ("markdown", "message", lambda n: message(markdown("m" * n)), 12_000),
    # 4 x 3000 = 12,000: the share of all markdown blocks together.
    (
        "markdown in all",
        "message",
        lambda n: message(*[markdown("m" * 3000)] * 3, markdown("m" * n)),
        3000,
    ),
    # 3 x 3000 + 3000 = 12,000: the share of all blocks together.
    (
        "text of all blocks",
        "message",
        lambda n: message(*[section("s" * 3000)] * 3, section("s" * n)),
        3000,
    ),
    ("markdown parts", "message", lambda n: message(markdown("\n\n".join("p" * n))), 50),
    ("table rows", "message", lambda n: message(table(n, 2)), 100),
    ("table columns", "message", lambda n: message(table(2, n)), 20),
    (
        "table columns settings",
        "message",
        lambda n: message(table(2, 2, column_settings=[{"align": "right"}] * n)),
        20,
    ),
    # 10 rows x 10 columns x 100 characters = 10,000.
    ("table content", "message", lambda n: message(table(10, 10, "c" * n)), 100),
    ("tables", "message", lambda n: message(*[table(2, 2)] * n), 1),
    ("data table rows", "message", lambda n: message(data_table(n)), 201),
    ("data table columns", "message", lambda n: message(data_table(2, n)), 20),
    ("data table page", "message", lambda n: message(data_table(2, page_size=n)), 100),
    # 10 rows x 20 columns x 100 characters = 20,000.
    ("data table content", "message", lambda n: message(data_table(10, 20, "c" * n)), 100),
    # Two tables of 10 x 10 x 100 = 10,000 share 20,000.
    (
        "data tables content",
        "message",
        lambda n: message(data_table(10, 10, "c" * 100), data_table(10, 10, "c" * n)),
        100,
    ),
    (
        "row header index",
        "message",
        lambda n: message(data_table(2, 2, row_header_column_index=n)),
        1,
    ),
    ("charts", "message", lambda n: message(*[pie()] * n), 2),
    ("chart title", "message", lambda n: message(pie(title="t" * n)), 50),
    ("chart label", "message", lambda n: message(pie(label="l" * n)), 20),
    ("card title", "message", lambda n: message(card(title=mrkdwn("t" * n))), 150),
    ("card body", "message", lambda n: message(card(body=mrkdwn("b" * n))), 200),
    (
        "card buttons",
        "message",
        lambda n: message(card(actions=[button(action_id=str(i)) for i in range(n)])),
        3,
    ),
    (
        "cards of a carousel",
        "message",
        lambda n: message({"type": "carousel", "elements": [card(title=mrkdwn("t"))] * n}),
        10,
    ),
    ("blocks of a container", "message", lambda n: message(container(n)), 10),
]


@pytest.mark.parametrize(
    ("surface", "build", "most"),
    [row[1:] for row in SIZED],
    ids=[row[0].replace(" ", "_") for row in SIZED],
)
def test_size_limit(surface: Any, build: Callable[[int], Block], most: int) -> None:
    """The largest size passes; one more is refused, whatever else the payload holds."""
    assert find_problems(surface, build(most)) == []
    assert find_problems(surface, build(most + 1))


# Payloads that Slack refuses, each with the pointer to the fault.
REFUSED: list[tuple[str, str, Block, str]] = [
    ("no text", "message", {"blocks": [section()]}, "/text"),
    ("blank text", "message", {"text": " \n", "blocks": [section()]}, "/text"),
    ("blocks not a list", "message", {"text": "a", "blocks": {}}, "/blocks"),
    ("null block", "message", {"text": "a", "blocks": [None]}, "/blocks/0"),
    ("unknown block", "message", message({"type": "nonsense"}), "/blocks/0"),
    ("alert in message", "message", message({"type": "alert", "text": mrkdwn("a")}), "/blocks/0"),
    ("alert in home", "home", home({"type": "alert", "text": mrkdwn("a")}), "/blocks/0"),
    ("table in modal", "modal", modal(table(2, 2)), "/blocks/0"),
    ("data table in modal", "modal", modal(data_table(2)), "/blocks/0"),
    ("markdown in modal", "modal", modal(markdown("a")), "/blocks/0"),
    ("markdown in home", "home", home(markdown("a")), "/blocks/0"),
    ("container in modal", "modal", modal(container()), "/blocks/0"),
    ("chart in modal", "modal", modal(pie()), "/blocks/0"),
    (
        "mrkdwn header",
        "message",
        message({"type": "header", "text": mrkdwn("a")}),
        "/blocks/0/text",
    ),
    ("empty section", "message", message({"type": "section"}), "/blocks/0"),
    ("empty text object", "message", message(section("")), "/blocks/0/text/text"),
    (
        "unknown property",
        "message",
        message(section(colour="red")),
        "/blocks/0/colour",
    ),
    (
        "emoji on mrkdwn",
        "message",
        message({"type": "section", "text": mrkdwn("a") | {"emoji": True}}),
        "/blocks/0/text/emoji",
    ),
    (
        "multi select in actions",
        "message",
        message(actions(menu("multi_static_select"))),
        "/blocks/0/elements/0",
    ),
    ("text input in actions", "message", message(actions(typed())), "/blocks/0/elements/0"),
    (
        "number input in actions",
        "message",
        message(actions({"type": "number_input", "is_decimal_allowed": False})),
        "/blocks/0/elements/0",
    ),
    ("button in input", "modal", modal(field_block(button())), "/blocks/0/element"),
    ("text input in section", "modal", modal(section(accessory=typed())), "/blocks/0/accessory"),
    ("no elements", "message", message(actions()), "/blocks/0/elements"),
    (
        "empty action id",
        "message",
        message(actions(button(action_id=""))),
        "/blocks/0/elements/0/action_id",
    ),
    ("style", "message", message(actions(button(style="green"))), "/blocks/0/elements/0/style"),
    (
        "initial option not offered",
        "message",
        message(actions(menu(initial_option=option("z")))),
        "/blocks/0/elements/0/initial_option",
    ),
    (
        "initial option with another text",
        "message",
        message(actions(menu(options=[option("a", "A")], initial_option=option("a", "B")))),
        "/blocks/0/elements/0/initial_option",
    ),
    (
        "initial checkbox not offered",
        "message",
        message(actions(menu("checkboxes", initial_options=[option("z")]))),
        "/blocks/0/elements/0/initial_options",
    ),
    (
        "options and groups",
        "message",
        message(actions(menu(option_groups=[{"label": plain("g"), "options": options(1)}]))),
        "/blocks/0/elements/0",
    ),
    (
        "repeated block id",
        "message",
        message({"type": "divider", "block_id": "b"}, {"type": "divider", "block_id": "b"}),
        "/blocks/1/block_id",
    ),
    ("repeated action id", "message", message(actions(button(), button())), "/blocks/0"),
    (
        "repeated action id in a container",
        "message",
        message(container() | {"child_blocks": [actions(button(), button())]}),
        "/blocks/0/child_blocks/0",
    ),
    (
        "modal with input lacks submit",
        "modal",
        {
            "type": "modal",
            "title": plain("T"),
            "blocks": [field_block(typed())],
        },
        "",
    ),
    ("modal lacks title", "modal", {"type": "modal", "blocks": []}, ""),
    ("modal without blocks", "modal", {"type": "modal", "title": plain("T")}, ""),
    ("home with title", "home", home(title=plain("T")), "/title"),
    ("wrong view type", "modal", home(), "/type"),
    ("empty cell", "message", message(table(2, 2, "")), "/blocks/0/rows/0/0/text"),
    (
        "ragged table",
        "message",
        message({"type": "table", "rows": [[raw("a"), raw("b")], [raw("a")]]}),
        "/blocks/0/rows/1",
    ),
    ("no rows", "message", message({"type": "table", "rows": []}), "/blocks/0/rows"),
    (
        "table and a table in markdown",
        "message",
        message(table(2, 2), markdown("| a |\n|---|\n| b |")),
        "/blocks",
    ),
    ("data table of a header", "message", message(data_table(1)), "/blocks/0/rows"),
    (
        "data table without caption",
        "message",
        message({"type": "data_table", "rows": data_table(2)["rows"]}),
        "/blocks/0",
    ),
    (
        "rich text in a header row",
        "message",
        message(
            data_table(2)
            | {"rows": [[{"type": "rich_text", "elements": []}, raw("a")], [raw("b"), raw("c")]]}
        ),
        "/blocks/0/rows/0/0",
    ),
    (
        "text as a number",
        "message",
        message(
            data_table(2)
            | {"rows": [[raw("a")], [{"type": "raw_number", "value": "1", "text": "1"}]]}
        ),
        "/blocks/0/rows/1/0/value",
    ),
    ("pie of nothing", "message", message(pie(0)), "/blocks/0/chart/segments/0/value"),
    (
        "point without category",
        "message",
        message(bar([{"label": "A", "value": 1}], ["A", "B"])),
        "/blocks/0/chart/series/0/data",
    ),
    ("card of nothing", "message", message(card(subtitle=mrkdwn("s"))), "/blocks/0"),
    (
        "card with two icons",
        "message",
        message(
            card(
                title=mrkdwn("t"),
                icon={"type": "image", "image_url": "u", "alt_text": "a"},
                slack_icon={"type": "icon", "name": "cube"},
            )
        ),
        "/blocks/0",
    ),
    (
        "collapsed but not collapsible",
        "message",
        message(container(default_collapsed=True)),
        "/blocks/0/default_collapsed",
    ),
    (
        "header divider on a collapsible",
        "message",
        message(container(is_collapsible=True, has_header_divider=True)),
        "/blocks/0/has_header_divider",
    ),
    (
        "rich text in a container",
        "message",
        message(container() | {"child_blocks": [{"type": "rich_text", "elements": []}]}),
        "/blocks/0/child_blocks/0",
    ),
    (
        "empty rich text",
        "message",
        message(
            {
                "type": "rich_text",
                "elements": [
                    {"type": "rich_text_section", "elements": [{"type": "text", "text": ""}]}
                ],
            }
        ),
        "/blocks/0/elements/0/elements/0/text",
    ),
    ("image without alt", "message", message({"type": "image", "image_url": "u"}), "/blocks/0"),
    (
        "blocks of an attachment",
        "message",
        message() | {"attachments": [{"blocks": [section("")]}]},
        "/attachments/0/blocks/0/text/text",
    ),
]


@pytest.mark.parametrize(
    ("surface", "payload", "pointer"),
    [row[1:] for row in REFUSED],
    ids=[row[0].replace(" ", "_") for row in REFUSED],
)
def test_refused(surface: Any, payload: Block, pointer: str) -> None:
    """The problem points at the value at fault."""
    assert pointer in [problem.pointer for problem in find_problems(surface, payload)]


ACCEPTED: list[tuple[str, str, Block]] = [
    ("text alone", "message", {"text": "A sentence.", "channel": "C1", "thread_ts": "1.2"}),
    ("one action id in two blocks", "message", message(actions(button()), actions(button()))),
    ("overflow in actions", "message", message(actions(menu("overflow")))),
    ("alert in modal", "modal", modal({"type": "alert", "level": "warning", "text": mrkdwn("a")})),
    (
        "modal without input needs no submit",
        "modal",
        {
            "type": "modal",
            "title": plain("T"),
            "blocks": [section()],
        },
    ),
    (
        "external menu in input",
        "modal",
        modal(
            field_block(
                {
                    "type": "external_select",
                    "action_id": "model",
                    "min_query_length": 0,
                }
            )
        ),
    ),
    ("cell of one space", "message", message(table(2, 2, " "))),
    ("table in home", "home", home(table(2, 2))),
    (
        "raw number",
        "message",
        message(
            {
                "type": "table",
                "rows": [
                    [raw("GPU"), raw("Count")],
                    [raw("L40S"), {"type": "raw_number", "value": 1, "text": "1"}],
                ],
            }
        ),
    ),
    (
        "chart",
        "message",
        message(
            bar(
                [
                    {"label": "Weights", "value": 13.0},
                    {"label": "KV cache", "value": 1.6},
                ],
                ["KV cache", "Weights"],
            )
        ),
    ),
    ("card with buttons", "message", message(card(title=mrkdwn("t"), actions=[button()]))),
    (
        "collapsed container",
        "message",
        message(
            container(
                is_collapsible=True,
                default_collapsed=True,
                width="wide",
            )
        ),
    ),
    (
        "rich text",
        "message",
        message(
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "text", "text": "bold", "style": {"bold": True}},
                            {"type": "user", "user_id": "U1"},
                            {"type": "link", "url": "https://example.com"},
                        ],
                    },
                    {
                        "type": "rich_text_list",
                        "style": "bullet",
                        "elements": [
                            {
                                "type": "rich_text_section",
                                "elements": [{"type": "text", "text": "item"}],
                            },
                        ],
                    },
                    {
                        "type": "rich_text_preformatted",
                        "elements": [{"type": "text", "text": "code"}],
                    },
                ],
            }
        ),
    ),
]


@pytest.mark.parametrize(
    ("surface", "payload"),
    [row[1:] for row in ACCEPTED],
    ids=[row[0].replace(" ", "_") for row in ACCEPTED],
)
def test_accepted(surface: Any, payload: Block) -> None:
    assert find_problems(surface, payload) == []


def test_a_wrong_payload_raises_a_bot_error_that_names_every_problem() -> None:
    wrong = message(section(""), actions(button("b" * 76)))

    with pytest.raises(SlackLimitError) as raised:
        assert_valid("message", wrong)

    assert isinstance(raised.value, BotError)
    assert "/blocks/0/text/text has 0 characters, at least 1 needed" in str(raised.value)
    assert "/blocks/1/elements/0/text/text has 76 characters, at most 75 allowed" in str(
        raised.value
    )


def test_a_right_payload_raises_nothing() -> None:
    assert_valid("message", message(section()))


def test_a_problem_is_a_value() -> None:
    assert Problem("/text", "x") == Problem("/text", "x")


def test_what_the_builder_package_renders_is_accepted() -> None:
    """Blocks made by the package whose limits are used pass, so that the shapes agree."""
    built = [
        slackblocks.HeaderBlock("Llama 2 13B"),
        slackblocks.SectionBlock("text", fields=["a", "b"]),
        slackblocks.DividerBlock(),
        slackblocks.ContextBlock(elements=[slackblocks.Text("small")]),
        slackblocks.ActionsBlock(
            elements=[
                slackblocks.Button("Go", action_id="go", value="1", style="primary"),
                slackblocks.OverflowMenu(
                    options=[
                        slackblocks.Option(
                            slackblocks.Text("A", type_=slackblocks.TextType.PLAINTEXT), "a"
                        )
                    ],
                    action_id="more",
                ),
            ]
        ),
        slackblocks.MarkdownBlock("**bold**"),
        slackblocks.TableBlock(
            rows=[[slackblocks.RawText("a")], [slackblocks.RawText("b")]],
            column_settings=[slackblocks.ColumnSettings(align="right")],
        ),
    ]
    blocks = [block._resolve() for block in built]

    assert find_problems("message", message(*blocks)) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "elements", "rows", "options", "blocks", "chart", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KINDS = st.sampled_from(
    [
        "section",
        "actions",
        "table",
        "data_table",
        "data_visualization",
        "card",
        "container",
        "carousel",
        "input",
        "rich_text",
        "markdown",
        "image",
        "plan",
        "header",
        "context",
    ]
)


@given(JSON)
def test_any_json_gets_an_answer(value: object) -> None:
    """Whatever a builder makes by mistake is a problem, never a crash."""
    assert find_problems("message", {"text": "a", "blocks": [value]})


@given(
    KINDS,
    st.dictionaries(
        st.sampled_from(["text", "elements", "rows", "child_blocks", "chart", "actions", "tasks"]),
        JSON,
    ),
)
def test_any_block_of_a_known_type_gets_an_answer(kind: str, fields: dict[str, object]) -> None:
    """Wrong values inside known blocks are reported with pointers inside the blocks."""
    problems = find_problems("message", {"text": "a", "blocks": [{"type": kind, **fields}]})

    assert all(problem.pointer.startswith("/blocks") for problem in problems)


@given(st.text(min_size=1, max_size=3000).filter(str.strip))
def test_any_text_up_to_the_limit_is_accepted(text: str) -> None:
    assert find_problems("message", {"text": text, "blocks": [section(text)]}) == []
