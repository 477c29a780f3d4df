"""Render replies as Markdown from Jinja templates, one environment for each language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.environment import make_environment
from bot.labels import Labels
from bot.messages import Messages, load_messages
from bot.run_view import answer_view
from bot.views import AnswerView
from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.comparison import ComparisonView
    from bot.difference import Difference
    from bot.errors import CodedError
    from bot.fits import FitsView
    from bot.opinion import SecondOpinion
    from bot.power_view import PowerView
    from bot.reply import HistoryEntry, Listing
    from bot.sought import Sought
    from bot.spec_difference import SpecDifference
    from bot.spec_view import SpecView
    from bot.start import Starts
    from sizing.catalogue import Catalogue
    from sizing.errors import SizingError
    from sizing.fits import FitsAnswer
    from sizing.records import GpuRecord, ModelRecord
    from sizing.spec.answer import Spec
    from sizing.spec.power_answer import PowerAnswer

MOST_ROWS = 80
"""Rows of a list: with its head below what one table may have in Slack."""

_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class _Language:
    messages: Messages
    environment: Environment


class Renderer:
    """Writes replies in the asker's language; templates are read when first needed."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._languages: dict[str, _Language] = {}

    def messages(self, language: str) -> Messages:
        """Return the message catalogue of a language."""
        return self._language(language).messages

    def answer(self, answer: SizingAnswer, language: str, answer_id: str | None = None) -> str:
        """Return the first view of an answer, verdict first."""
        name = "training" if answer.training else "answer"
        return self._page(name, language, view=answer_view(answer), answer_id=answer_id)

    def summary(self, answer: SizingAnswer, language: str) -> str:
        """Return one sentence with the result, for notifications and screen readers."""
        name = "training_summary" if answer.training else "summary"
        return self._page(name, language, view=answer_view(answer)).strip()

    def difference(self, difference: Difference, language: str, answer_id: str) -> str:
        """Return the line that says how an answer differs from the earlier one named."""
        return self._page("difference", language, difference=difference, answer_id=answer_id)

    def spec_difference(self, difference: SpecDifference, language: str, answer_id: str) -> str:
        """Return the lines that say how a plan differs from the earlier one named."""
        return self._page("spec_difference", language, difference=difference, answer_id=answer_id)

    def fits(self, answer: FitsAnswer, language: str, answer_id: str, *, typed: str) -> str:
        """Return the models that fit; `typed` is what asks for all of them."""
        view = _fits_view(answer)
        return self._page("fits", language, view=view, answer_id=answer_id, typed=typed)

    def fits_summary(self, answer: FitsAnswer, language: str) -> str:
        """Return one sentence with the result, for notifications and screen readers."""
        return self._page("fits_summary", language, view=_fits_view(answer)).strip()

    def comparison(self, view: ComparisonView, language: str) -> str:
        """Return variants of a question side by side."""
        return self._page("compare", language, view=view)

    def comparison_summary(self, view: ComparisonView, language: str) -> str:
        """Return one sentence with the result, for notifications and screen readers."""
        return self._page("compare_summary", language, view=view).strip()

    def spec(self, spec: Spec, language: str, answer_id: str | None = None) -> str:
        """Return the first view of a server."""
        return self._page("spec", language, view=_spec_view(spec), answer_id=answer_id)

    def part(self, name: str, language: str, **values: object) -> str:
        """Return one part of a page by its template."""
        return self._page(name, language, **values)

    def spec_summary(self, spec: Spec, language: str) -> str:
        """Return one sentence with the result, for notifications and screen readers."""
        return self._page("spec_summary", language, view=_spec_view(spec)).strip()

    def power(self, view: PowerView, language: str, answer_id: str | None = None) -> str:
        """Return an answer about electricity."""
        return self._page("power", language, view=view, answer_id=answer_id)

    def explain(self, answer: SizingAnswer, language: str, answer_id: str | None = None) -> str:
        """Return formulas, numbers and sources behind an answer."""
        if answer.training:
            from bot.explain_run import ExplainRunView

            run = ExplainRunView(answer, self._catalogue)
            return self._page("training_explain", language, view=run, answer_id=answer_id)
        from bot.explain import ExplainView

        view = ExplainView(answer, self._catalogue)
        return self._page("explain", language, view=view, answer_id=answer_id)

    def explain_spec(self, spec: Spec, language: str, answer_id: str) -> str:
        """Return the rules and numbers behind a server."""
        from bot.explain_spec import SpecExplained

        return self._page("spec_explain", language, one=SpecExplained(spec), answer_id=answer_id)

    def start(
        self, answer: SizingAnswer, starts: Starts | None, language: str, answer_id: str
    ) -> str:
        """Return the commands that start the first set of an answer that runs."""
        view = AnswerView(answer)
        return self._page("start", language, view=view, starts=starts, answer_id=answer_id)

    def opinion(
        self, answer: SizingAnswer, opinion: SecondOpinion, language: str, answer_id: str
    ) -> str:
        """Return a second opinion beside our own speed of the first option."""
        from bot.opinion import OpinionView

        view = AnswerView(answer)
        ours = view.first.performance if view.first else None
        second = OpinionView(opinion, ours)
        return self._page("opinion", language, view=view, second=second, answer_id=answer_id)

    def shown(self, entry: HistoryEntry, language: str, *, typed: str = "") -> str:
        """Return a logged answer with who asked, when and what; `typed` asks for it again."""
        view = _view(entry.answer)
        return self._page(
            "show", language, view=view, entry=entry, answer_id=entry.answer_id, typed=typed
        )

    def history(
        self, listing: Listing, language: str, *, sought: Sought | None = None, command: str
    ) -> str:
        """Return the latest logged answers; `sought` is what was looked for."""
        rows = [(entry, _view(entry.answer)) for entry in listing.entries]
        hidden = listing.unreadable
        return self._page(
            "list", language, rows=rows, unreadable=hidden, sought=sought, command=command
        )

    def models(
        self, models: Sequence[ModelRecord], language: str, *, text: str = "", command: str
    ) -> str:
        """Return a list of models; `text` is what was searched for."""
        from sizing.subject import model_parameters

        shown = models[: _most_rows(command)]
        rows = [(model, model_parameters(model)) for model in shown]
        hidden = len(models) - len(rows)
        return self._page(
            "models", language, rows=rows, hidden_rows=hidden, text=text, command=command
        )

    def gpus(
        self, gpus: Sequence[GpuRecord], language: str, *, text: str = "", command: str
    ) -> str:
        """Return a list of accelerators; `text` is what was searched for."""
        rows = gpus[: _most_rows(command)]
        hidden = len(gpus) - len(rows)
        return self._page(
            "gpus", language, rows=rows, hidden_rows=hidden, text=text, command=command
        )

    def cards(
        self, gpus: Sequence[GpuRecord], language: str, *, command: str, question: bool
    ) -> str:
        """Return the facts of a few accelerators; `question` asks for the model that is missing."""
        from bot.cards import card_view

        cards = [card_view(gpu, self._catalogue) for gpu in gpus]
        return self._page("cards", language, cards=cards, command=command, question=question)

    def help(self, language: str, *, command: str) -> str:
        """Return how to ask."""
        return self._page("help", language, command=command)

    def error(self, error: SizingError | CodedError, language: str, *, command: str) -> str:
        """Return the sentence of an error and what to type."""
        text = self.messages(language).error_markdown(error, command)
        return self._page("error", language, text=text)

    def _page(self, name: str, language: str, **context: object) -> str:
        return rendered(self._language(language).environment, name, context)

    def _language(self, language: str) -> _Language:
        if language not in self._languages:
            messages = load_messages(language, Labels(self._catalogue))
            self._languages[language] = _Language(messages, make_environment(messages))
        return self._languages[language]


def _view(
    answer: SizingAnswer | FitsAnswer | Spec | PowerAnswer,
) -> AnswerView | FitsView | SpecView | PowerView:
    """Return what the first view of a logged answer shows."""
    if isinstance(answer, SizingAnswer):
        return answer_view(answer)
    from sizing.fits import FitsAnswer
    from sizing.spec.answer import Spec

    if isinstance(answer, FitsAnswer):
        return _fits_view(answer)
    return _spec_view(answer) if isinstance(answer, Spec) else _power_view(answer)


def _power_view(answer: PowerAnswer) -> PowerView:
    from bot.power_view import PowerView

    return PowerView(answer)


def _spec_view(spec: Spec) -> SpecView:
    from bot.inside_lines import spec_view_of

    return spec_view_of(spec)


def _fits_view(answer: FitsAnswer) -> FitsView:
    from bot.fits import FitsView

    return FitsView(answer)


def _most_rows(command: str) -> int | None:
    """Return the rows of a list: all of them in the terminal, which scrolls."""
    return None if command == "gpusize" else MOST_ROWS


def help_page(messages: Messages, command: str = "gpusize") -> str:
    """Return how to ask, without a catalogue."""
    return rendered(make_environment(messages), "help", {"command": command})


def rendered(environment: Environment, name: str, context: Mapping[str, object]) -> str:
    """Return a page of the environment's language, at most one empty line between two parts."""
    page = environment.get_template(f"{name}.md.j2").render(context)
    return _BLANK_LINES.sub("\n\n", page).strip() + "\n"
