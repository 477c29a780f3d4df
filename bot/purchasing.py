"""What a purchase has to settle before a model is named: the checklist and its questions."""

from __future__ import annotations

from bot.checklist.contract import checklist_contract
from bot.checklist.words import checklist_words
from bot.checklist_page import checklist_page
from bot.derived import private_page
from bot.reply import Reply, ReplyKind
from sizing.spec.checklist import checklist_of
from sizing.spec.facts import ChecklistFacts

SCHEMA = "gpusize-checklist/1"
"""Name and version of the contract."""


def general_checklist(language: str, unheeded: str = "", command: str = "gpusize") -> Reply:
    """Return the checklist without a plan, for the asker alone: nothing was sized.

    What is `unheeded` of the line is told above it, with what to type after `command`.
    """
    checklist, words = checklist_of(ChecklistFacts()), checklist_words(language)
    warning = words.page("unheeded", word=unheeded, command=command) if unheeded else ""
    progress = words.page(
        "progress", done=0, total=len(checklist.items), open=len(checklist.questions)
    )
    return private_page(
        ReplyKind.CHECKLIST,
        _with_warning(checklist_page(checklist, language), warning),
        language,
        summary=f"{words.page('title')}: {progress}",
        data={
            "schema": SCHEMA,
            **checklist_contract(checklist, words),
            "not_reckoned_with": unheeded or None,
        },
    )


def _with_warning(page: str, warning: str) -> str:
    """Return a page with a warning below its heading, where there is one."""
    heading, _, rest = page.partition("\n")
    return f"{heading}\n\n⚠️ {warning}\n{rest}" if warning else page
