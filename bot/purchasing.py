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


def general_checklist(language: str) -> Reply:
    """Return the checklist without a plan, for the asker alone: nothing was sized."""
    checklist, words = checklist_of(ChecklistFacts()), checklist_words(language)
    progress = words.page(
        "progress", done=0, total=len(checklist.items), open=len(checklist.questions)
    )
    return private_page(
        ReplyKind.CHECKLIST,
        checklist_page(checklist, language),
        language,
        summary=f"{words.page('title')}: {progress}",
        data={"schema": SCHEMA, **checklist_contract(checklist, words)},
    )
