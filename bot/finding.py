"""Decisions found again: by text, state, project and person, page by page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.decision_contract import current_contract
from bot.decision_view import DecisionView
from bot.decisions.store import Found, Wanted
from bot.grammar.commands import ListDecisions
from bot.grammar.list_verb import near_states
from bot.reply import Reply, ReplyKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.deciding import Deciding
    from bot.decisions.records import Decision
    from bot.render import Renderer
    from bot.reply import Asker

LISTED: Final = 15
"""Decisions of one page."""

MOST_CHANNELS: Final = 20
"""Conversations and groups whose members are asked for, to know what waits for somebody."""


class Finding:
    """Lists decisions for one person, who sees only what they may."""

    def __init__(self, deciding: Deciding, renderer: Renderer) -> None:
        self._deciding = deciding
        self._renderer = renderer

    def matching(self, text: str, asker: Asker, language: str) -> Reply | None:
        """Return the latest decisions that hold these words; None where none does."""
        reply = self.listed(ListDecisions(text=text), asker, language)
        return reply if (reply.data or {}).get("decisions") else None

    def listed(self, wish: ListDecisions, asker: Asker, language: str) -> Reply:
        """Return the page that a line asks for."""
        found = self.page(self.wanted(wish, asker), asker, number=wish.page)
        views = [DecisionView(one, asker.directory) for one in found.decisions]
        following = spelled(replace(wish, page=wish.page + 1)) if found.has_more else None
        markdown = self._renderer.part(
            "decisions",
            language,
            views=views,
            command=asker.command,
            following=following,
            near=() if views else near_states(wish.text),
        )
        return Reply(
            kind=ReplyKind.DECISIONS,
            markdown=markdown,
            language=language,
            summary=self._renderer.messages(language).word(
                "summaries", "decisions", count=len(views)
            ),
            private=True,
            data=decisions_contract(found.decisions, has_more=found.has_more),
        )

    def wanted(self, wish: ListDecisions, asker: Asker) -> Wanted:
        """Return what a line looks for."""
        return Wanted(
            text=wish.text,
            states=wish.states,
            project=wish.project,
            requester_id=asker.user_id if wish.mine else None,
            waiting_for=self.names_of(asker) if wish.waiting else frozenset(),
        )

    def page(self, wanted: Wanted, asker: Asker, *, number: int = 1, size: int = LISTED) -> Found:
        """Return the `number`-th page of what is wanted, and whether another one follows."""
        one_more = replace(wanted, limit=size + 1, offset=(number - 1) * size)
        found = self._deciding.found(one_more, asker)
        return Found(found[:size], len(found) > size)

    def names_of(self, asker: Asker) -> frozenset[str]:
        """Return all that rules may name a person by: their id, their groups, conversations."""
        proposed = self._deciding.proposed_to(asker, limit=MOST_CHANNELS)
        mine = (one for one in proposed if asker.user_id in asker.directory.members(one))
        return frozenset({asker.user_id, *mine})


def spelled(wish: ListDecisions) -> str:
    """Return the line that asks for it."""
    words = ["list", "decisions", *sorted(wish.states)]
    words += [word for word, is_said in (("mine", wish.mine), ("waiting", wish.waiting)) if is_said]
    words += [f"project={wish.project}"] if wish.project else []
    words += [wish.text] if wish.text else []
    return " ".join((*words, f"page={wish.page}"))


def decisions_contract(decisions: Sequence[Decision], *, has_more: bool) -> dict[str, object]:
    """Return a page of decisions as data."""
    return {"decisions": [current_contract(one) for one in decisions], "has_more": has_more}
