"""Asking again what was answered: the form filled in, and the answer held against the first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.actions import language_in
from bot.difference import difference_of
from bot.errors import CodedError
from bot.form.views import Origin
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from bot.form.filling import Form
    from bot.form.views import Draft
    from bot.history import History
    from bot.render import Renderer
    from bot.reply import Asker, Reply


class Refining:
    """Opens the form with a logged question, and says what its answer changes."""

    def __init__(self, form: Form, history: History, renderer: Renderer) -> None:
        self.form = form
        self._history = history
        self._renderer = renderer

    def server(self, reference: str, asker: Asker) -> Draft:
        """Return the form for a server with a logged question; an empty one without any to see."""
        from sizing.spec.request import SpecRequest

        try:
            asked = self._history.entry(reference.partition(" ")[0], asker).request
        except CodedError:
            asked = SizingRequest()
        about_models = asked if isinstance(asked, SizingRequest | SpecRequest) else SizingRequest()
        return self.form.draft_of_entry(about_models, asker.language)

    def again(self, reference: str, asker: Asker, origin: Origin) -> Draft:
        """Return the view that asks a logged question again; raise CodedError without any to see.

        `origin` says where the answer stands; its language follows from the page it is on.
        """
        name, _, words = reference.partition(" ")
        entry = self._history.entry(name, asker)
        language = language_in(words) or entry.language
        origin = replace(origin, answer_id=entry.answer_id, language=language)
        return self.form.draft_again(entry.asked, asker.language, origin)

    def against(self, reply: Reply, origin: Origin, asker: Asker) -> Reply:
        """Return an answer that begins with what it changes of the one it was asked again for."""
        if reply.answer is None:
            return reply
        before = self._history.entry(origin.answer_id, asker).sized
        difference = difference_of(before, reply.answer)
        return opened_with(
            reply, self._renderer.difference(difference, reply.language, origin.answer_id)
        )


def opened_with(reply: Reply, page: str) -> Reply:
    """Return a reply that begins, below its heading, with other lines."""
    lines = page.strip()
    heading, _, rest = reply.markdown.partition("\n")
    return replace(
        reply,
        markdown=f"{heading}\n\n{lines}\n\n{rest.lstrip()}",
        summary=f"{reply.summary} {lines.splitlines()[0]}".lstrip(),
    )
