"""The report: one document, compared with files beside this one, and its printed form."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.printing import to_html
from bot.report import Section, report_page
from sizing.spec.checklist import checklist_of
from sizing.spec.checklist_records import Checklist, State
from sizing.spec.facts import AcceptanceRun, ChecklistFacts

SECTIONS = (
    Section("GPU", "# H100\n\n8 × H100\n\n## More\n\n```\n# no heading\n```"),
    Section("Power", "| Feed | kW |\n|---|--:|\n| A | 5.1 |"),
)
FACTS = ChecklistFacts(
    gpu="H100 SXM 80 GB",
    gpus_per_server=8,
    total_servers=2,
    server_peak_w=10_200,
    runs=(
        AcceptanceRun(
            model="Llama 3.1 70B · FP8",
            concurrent_requests=64,
            least_output_tokens_per_s=1800,
            reference_precision="BF16",
        ),
    ),
)


class MarkdownFile(SingleFileSnapshotExtension):
    """Keeps each page in a file of its own, readable in a review."""

    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


def report(checklist: Checklist, language: str = "en", sections=SECTIONS) -> str:
    return report_page(
        "Server for Llama 3.1 70B",
        sections,
        checklist,
        language=language,
        made_on=date(2026, 11, 30),
        answer_id="A-12",
    )


@pytest.mark.parametrize("language", ["en", "es"])
def test_page(language, snapshot):
    page = snapshot.use_extension(MarkdownFile)
    assert report(checklist_of(FACTS), language) == page


def test_headings_of_a_part_go_below_its_section():
    text = report(checklist_of(FACTS))
    assert "## GPU\n\n### H100\n\n8 × H100\n\n#### More\n\n```\n# no heading\n```" in text
    assert re.findall(r"^# ", text, re.MULTILINE) == ["# ", "# "]  # the title; a line of code


def test_every_open_question_is_put_to_somebody():
    checklist = checklist_of(FACTS)
    text = report(checklist)
    asked = text.split("## What is still open")[1].split("## Approval")[0]
    assert asked.count("\n- **") == len(checklist.questions)
    assert "### To be answered by facilities" in asked


def test_nothing_open_is_said():
    items = tuple(i for i in checklist_of(FACTS).items if i.state is not State.OPEN)
    settled = Checklist(items=items, bill=(), defaults=())
    assert "Nothing: every item of the checklist is settled." in report(settled)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in {"meta", "br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def _tags(page):
    parser = _Tags()
    parser.feed(page)
    assert parser.open == []
    return parser.seen


def test_the_printed_form_is_whole_and_loads_nothing():
    page = to_html(report(checklist_of(FACTS)), language="en", title="Server")
    tags = _tags(page)
    assert {"h1", "h2", "h3", "table", "li"} <= set(tags)
    assert not {"script", "img", "link", "iframe"} & set(tags)
    assert '<html lang="en">' in page
    assert not re.search(r"(src|href)=", page)


def test_words_of_others_are_no_html():
    hostile = "<script>alert(1)</script> {style} [x](javascript:alert(1))"
    page = to_html(f"# {hostile}\n", language="en", title=hostile)
    assert "script" not in _tags(page)
    assert "&lt;script&gt;" in page
    assert "{style}" in page
    assert 'href="javascript' not in page


def test_boxes_are_signs_that_can_be_ticked_on_paper():
    page = to_html("- [ ] one\n- [x] two\n\n- [ ] three\n\n  more\n", language="es", title="L")
    assert page.count("☐ ") == 2
    assert page.count("☑ ") == 1
    assert "[ ]" not in page


def test_pictures_become_part_of_the_page() -> None:
    page = "![Bars <b>](picture:models)\n\n![None](picture:gone)\n"
    printed = to_html(page, language="en", title="A", pictures={"models": b"<svg/>"})
    # base64 of `<svg/>`
    assert 'src="data:image/svg+xml;base64,PHN2Zy8+"' in printed
    assert 'alt="Bars &lt;b&gt;"' in printed
    assert 'src="picture:gone"' in printed
    assert "img-src data:" in printed
