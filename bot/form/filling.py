"""The form from its opening to the line that it says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from bot.actions import manner
from bot.errors import CodedError
from bot.form.choices import Choices
from bot.form.fields import SERVER, Values
from bot.form.line import (
    Word,
    field_at_fault,
    line_of,
    refined_line,
    refined_words,
    values_of,
    words_of,
)
from bot.form.views import (
    Draft,
    Origin,
    draft_from,
    errors_answer,
    first_view,
    second_view,
    with_values,
)
from bot.form.wishes import people_of, wishes_of
from bot.grammar.canonical_spec import format_workload
from bot.grammar.errors import IncompleteRequestError
from sizing.errors import SizingError

if TYPE_CHECKING:
    from bot.command import Grammar
    from bot.messages import Messages
    from sizing.catalogue import Catalogue
    from sizing.request import SizingRequest
    from sizing.spec.request import SpecRequest

Json = dict[str, Any]

LONGEST_LINE: Final = 2500
"""Characters of the line that a form may say: what a view carries has 3,000."""


OF_THE_SERVER: Final = frozenset(field.name for field in SERVER)
"""Fields of the second view."""


class Form:
    """Makes the views of the form, and reads what was filled in."""

    def __init__(self, catalogue: Catalogue, grammar: Grammar) -> None:
        self.choices = Choices(catalogue, grammar.asks)
        self._grammar = grammar

    def draft(self, text: str, language: str) -> Draft:
        """Return the form with what `text` says filled in; an empty one where it says nothing."""
        try:
            command = self._grammar.parse(text)
        except IncompleteRequestError as error:
            return self.draft_of(error.partial, language)
        except SizingError:
            return Draft(language, {}, {})
        request = getattr(command, "request", None)
        return self.draft_of_entry(request, language) if request else Draft(language, {}, {})

    def draft_of(self, request: SizingRequest, language: str) -> Draft:
        """Return the form with a question filled in."""
        values, extra = values_of(request)
        first = {name: value for name, value in values.items() if name not in OF_THE_SERVER}
        second = {name: value for name, value in values.items() if name in OF_THE_SERVER}
        return Draft(language, first, second, extra)

    def draft_again(self, request: SizingRequest, language: str, origin: Origin) -> Draft:
        """Return the view that asks a logged question again, with that question filled in."""
        values, extra = values_of(request)
        return Draft(language, values, {}, extra, origin)

    def draft_of_entry(self, request: SizingRequest | SpecRequest, language: str) -> Draft:
        """Return the form with a logged question, or with all that a logged server was told."""
        if getattr(request, "workloads", None) is None:
            return self.draft_of(cast("SizingRequest", request), language)
        server = cast("SpecRequest", request)
        first, *others = server.workloads
        draft = self.draft_of(first.request, language)
        told, rest = wishes_of(server)
        named = {"others": tuple(map(format_workload, others))} if others else {}
        return replace(
            draft,
            first={**draft.first, **people_of(first), **named},
            second={**draft.second, **told},
            extra=" ".join(filter(None, (draft.extra, rest))),
        )

    def opened(self, draft: Draft, messages: Messages) -> Json:
        """Return the first view."""
        return first_view(draft, self.choices, messages)

    def redrawn(self, view: Json, messages: Messages) -> Json:
        """Return the first view with the fields that its values call for."""
        return self.opened(with_values(draft_from(view["private_metadata"]), view), messages)

    def next(self, view: Json, messages: Messages) -> Json:
        """Return the answer to the first view: the second one, or what is wrong at which field."""
        draft = with_values(draft_from(view["private_metadata"]), view)
        wrong = self._problem(draft.first, draft.extra, messages)
        if wrong:
            return wrong
        return {
            "response_action": "push",
            "view": second_view(draft, self.choices, messages),
        }

    def finished(self, view: Json, messages: Messages) -> tuple[Draft, Json | None]:
        """Return the form as filled in, and what is wrong at which field, if anything is."""
        draft = with_values(draft_from(view["private_metadata"]), view)
        values = {**draft.first, **draft.second}
        if draft.origin is not None:
            words = refined_words(values, draft.extra)
            return draft, self._wrong(words, refined_line(words), messages)
        return draft, self._problem(values, draft.extra, messages)

    def again(self, draft: Draft, problem: str, messages: Messages) -> Json:
        """Return the last view with what was filled in, and why it could not be answered."""
        if draft.origin is not None:
            return first_view(draft, self.choices, messages, problem=problem)
        return second_view(draft, self.choices, messages, problem=problem)

    def line(self, draft: Draft) -> str:
        """Return the line that a form says."""
        if draft.origin is not None:
            line = refined_line(refined_words(draft.first, draft.extra))
            return line + manner(draft.origin.language, private=draft.origin.private)
        words = words_of({**draft.first, **draft.second}, draft.extra)
        return f"{line_of(words)} lang={draft.language}"

    def _problem(self, values: Values, extra: str, messages: Messages) -> Json | None:
        words = words_of(values, extra)
        return self._wrong(words, line_of(words), messages)

    def _wrong(self, words: tuple[Word, ...], line: str, messages: Messages) -> Json | None:
        if len(line) > LONGEST_LINE:
            error = CodedError("too_long", limit_characters=LONGEST_LINE)
            return errors_answer(words[-1].field, messages.error(error, "/gpusize"))
        try:
            self._grammar.parse(line)
        except SizingError as error:
            field = field_at_fault(words, str(error.values.get("word") or ""))
            return errors_answer(field, messages.error(error, "/gpusize"))
        return None
