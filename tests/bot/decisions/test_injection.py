"""Whatever somebody types is words: for the store, the templates, Slack and spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from bot.blocks import to_message
from bot.deciding import Move, Proposal
from bot.decisions.records import Details
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted
from bot.home_view import HomeState, home_view
from bot.limits import find_problems
from bot.render import Renderer
from bot.review.reasons import Asking, decision_options, reason_view
from bot.review.saving import project_options, save_view
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from bot.workspace.mrkdwn import broadcasts, user_pings
from tests.bot.decisions.conftest import ANA, BEN, EVA, Staff

PIECES = (
    "'", "''", '"', "%", "_", "\\", ";", "--", "/*", "*", ":*", "&", "|", "!", "<->", "(", ")",
    "NEAR(a, 2)", "AND", "OR", "NOT", "^", "' or 1=1 --", "'); drop table decisions; --", "$1",
    ":tenant", "%(tenant)s", "?", "{{ 7*191 }}", "{% raw %}", "{% for a in b %}", "{# x #}",
    "{who}", "{0}", "<!channel>", "<!here|x>", "<!everyone>", "<!subteam^S0LEADS>", "<@U0ANA>",
    "<#C1>",
    "@channel", "@here", "*bold*", "~no~", "`code`", "```", "<http://evil|x>", "[x](http://evil)",
    "![x](http://evil)", "<b>", "&lt;!channel&gt;", "# head", "- item", "1. one", "| a | b |",
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r", "\n=2", "=cmd|' /C calc'!A0", "#REF!",
    "\0", "\u2028", "\ud800", "ñ", "D-1", "state=approved", "project=x", "page=2", "--private",
)  # fmt: skip
TYPED = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), min_size=1, max_size=4).map(
    " ".join
)
NEVER = ("1337", "\0")
"""What stands in no text: 7 × 191 computed, and NUL."""

projects = count(1)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    log = SqliteLog(tmp_path_factory.mktemp("typed") / "gpusize.db")
    yield log
    log.close()


@pytest.fixture(scope="module")
def service(catalogue, log):
    """The service over a log with a decision of somebody else, which must stay as it is."""
    service = Service(catalogue, log, Renderer(catalogue))
    service.handle("llama-13b int8 users=4", EVA, None)
    service.handle("save A-1 Neighbour project=Near", EVA, None)
    return service


def checked(message, surface="message"):
    """Assert that a message keeps Slack's limits, calls nobody and has computed nothing."""
    assert find_problems(surface, message) == []
    assert (broadcasts(message), user_pings(message)) == ([], [])
    text = json.dumps(message, ensure_ascii=False)
    assert not any(never in text for never in NEVER)
    marked = [(kind, one) for kind, one in marked_up(message) if MARKS[kind].search(one)]
    assert marked == []


MARKS = {
    "mrkdwn": re.compile(r"<(?:!|#|https?:)"),
    "markdown": re.compile(r"(?<!\\)<(?:!|#|https?:)|(?<!\\)\]\(http"),
}
"""Start of what Slack makes a call or a link of, by the kind of text."""


def marked_up(value):
    """Yield the texts of a message that Slack reads marks in."""
    if isinstance(value, dict):
        if value.get("type") in {"mrkdwn", "markdown"}:
            yield value["type"], value["text"]
        for one in value.values():
            yield from marked_up(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from marked_up(one)


def decided(service, text):
    """Save, propose and refuse with the text in every field; return the number."""
    deciding = service.deciding
    said = Proposal(title=text, project=text, note=text, channel_id="C1", is_open=True)
    number = deciding.save("A-1", said, BEN).number
    deciding.propose(number, BEN)
    reason = f"{text} is the reason"
    deciding.act(number, Move(action=Action.ASK_CHANGES, reason=reason), ANA)
    return number


def pages(service, number, text):
    """Yield every message and view about a decision."""
    deciding, recording = service.deciding, service.recording
    for asker in (BEN, ANA):
        named = replace(asker, user_name=text)
        for line in (f"status D-{number}", f"history D-{number}", f"recheck D-{number}"):
            yield to_message(service.handle(line, asker, None)), "message"
        decision = deciding.decision(number, asker)
        yield recording.card(decision, Staff()), "message"
        yield recording.said(decision, named), "message"
        messages = recording.messages(asker.language)
        state = HomeState(project=decision.project or "x")
        yield home_view(messages, service.overview.content(asker, state), state), "home"
        saving = recording.saving("A-1", asker, channel="C1")
        said = {"title": decision.title, "note": decision.note, "project": decision.project}
        yield save_view(replace(saving, values=said), messages), "modal"
        asking = Asking(language="en", action="supersede", number=number, version=1,
                        reason=(decision.reason or "")[:1000], other=decision.name)  # fmt: skip
        yield reason_view(asking, decision, messages, problem=text), "modal"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TYPED)
@example(text="{{ 7*191 }} <!channel> <@U0ANA> *x* [x](http://evil)")
def test_no_message_is_altered_by_what_was_typed(service, log, text):
    number = decided(service, text)
    for message, surface in pages(service, number, text):
        checked(message, surface)
    found = log.find_decisions(Wanted(), Sight(tenant=None))
    for options in (
        decision_options(found, but=0),
        project_options(text, service.deciding.projects(BEN)),
    ):
        assert all(0 < len(one["text"]["text"]) <= 75 for one in options)
        assert len({one["value"] for one in options}) == len(options)
    assert log.find_decisions(Wanted(project="Near"), Sight(tenant=None))[-1].title == "Neighbour"


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    line=st.tuples(
        st.sampled_from(
            ("list {}", "list decisions {}", "list project={}", "list model={}", "list state={}",
             "list page={}", "export {}", "export project={}", "save A-1 {}", "save {}", "show {}",
             "status {}", "reject D-1 {}", "approve {}", "supersede D-1 by {}", "minutes {}",
             "what if D-1 {}", "compare D-1 {}", "actual A-1 {}", "actuals {}", "recheck {}", "{}")
        ),
        TYPED,
    ).map(lambda pair: pair[0].replace("{}", pair[1]))
)  # fmt: skip
def test_no_line_breaks_anything_or_changes_the_neighbour(service, log, line):
    before = log.get_decision(1, Sight(tenant=None)), log.events_of(1, Sight(tenant=None))
    for asker in (BEN, replace(BEN, thread_ts="1.2")):
        reply = service.handle(line, asker, None)
        checked(to_message(reply))
        assert not any(never in f"{reply.markdown}{reply.summary}" for never in NEVER)
        for make in reply.files.values():
            make()
    after = log.get_decision(1, Sight(tenant=None)), log.events_of(1, Sight(tenant=None))
    assert after[0].title == before[0].title == "Neighbour"
    assert after[0].state is before[0].state
    assert after[1][: len(before[1])] == before[1]


def is_formula(cell):
    return str(cell or "").lstrip()[:1] in {"=", "+", "-", "@", "\t"} and not str(cell).isdigit()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TYPED, language=st.sampled_from(("en", "es")))
def test_no_cell_is_a_formula(service, log, text, language):
    name = f"P{next(projects)}"
    named = replace(BEN, user_name=f"={text}", language=language)
    deciding = service.deciding
    said = Proposal(title=f"={text}", project=name, note=text, channel_id="C1")
    number = deciding.save("A-1", said, named).number
    deciding.act(number, Move(action=Action.WITHDRAW, reason=f"-{text}"), named)
    link = Details(channel_id="C1", message_ts="1.2")
    deciding.note(number, Move(action=Action.PLACE, permalink=f"@{text}", details=link), named)
    reply = service.handle(f"export project={name}", named, None)
    rows = list(csv.reader(io.StringIO(reply.files[".csv"]().decode("utf-8-sig")),
                           delimiter={"en": ",", "es": ";"}[language]))  # fmt: skip
    assert len(rows) == 2
    book = load_workbook(io.BytesIO(reply.files[".xlsx"]()))
    cells = [cell for page in book for row in page.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "inlineStr", "n"}
    everything = [*(cell for row in rows for cell in row), *(cell.value for cell in cells)]
    assert [cell for cell in everything if is_formula(cell)] == []


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TYPED)
def test_minutes_are_a_page_without_links_or_markup_of_others(service, text):
    number = decided(service, text)
    page = service.handle(f"minutes D-{number}", BEN, None).files[".md"]().decode()
    assert not any(never in page for never in NEVER)
    assert links_in(page) == []


def links_in(page):
    """Return what a reader of Markdown would follow, draw or take for HTML."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    inner = [child for token in tokens for child in token.children or ()]
    kinds = {"link_open", "image", "html_inline", "html_block"}
    return [one for one in (*tokens, *inner) if one.type in kinds]
