"""Render replies as Markdown from Jinja templates, one environment for each language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from bot.labels import Labels
from bot.markup import Md, code, escape, fenced
from bot.messages import MessageError, Messages, load_messages
from bot.paths import templates_dir
from bot.run_view import answer_view
from bot.views import ROLES, AnswerView, reason_codes, stop_of
from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from jinja2 import Environment

    from bot.comparison import ComparisonView
    from bot.errors import CodedError
    from bot.fits import FitsView
    from bot.opinion import SecondOpinion
    from bot.reply import HistoryEntry, Listing
    from bot.start import Starts
    from sizing.answer import Note, Option, Training
    from sizing.catalogue import Catalogue
    from sizing.errors import SizingError
    from sizing.fits import FitsAnswer
    from sizing.records import GpuRecord, ModelRecord

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

    def explain(self, answer: SizingAnswer, language: str, answer_id: str | None = None) -> str:
        """Return formulas, numbers and sources behind an answer."""
        if answer.training:
            from bot.explain_run import ExplainRunView

            run = ExplainRunView(answer, self._catalogue)
            return self._page("training_explain", language, view=run, answer_id=answer_id)
        from bot.explain import ExplainView

        view = ExplainView(answer, self._catalogue)
        return self._page("explain", language, view=view, answer_id=answer_id)

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

    def history(self, listing: Listing, language: str, *, command: str) -> str:
        """Return the latest logged answers."""
        rows = [(entry, _view(entry.answer)) for entry in listing.entries]
        return self._page(
            "list", language, rows=rows, unreadable=listing.unreadable, command=command
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
        return _rendered(self._language(language).environment, name, context)

    def _language(self, language: str) -> _Language:
        if language not in self._languages:
            messages = load_messages(language, Labels(self._catalogue))
            self._languages[language] = _Language(messages, make_environment(messages))
        return self._languages[language]


def _view(answer: SizingAnswer | FitsAnswer) -> AnswerView | FitsView:
    """Return what the first view of a logged answer shows."""
    if isinstance(answer, SizingAnswer):
        return answer_view(answer)
    return _fits_view(answer)


def _fits_view(answer: FitsAnswer) -> FitsView:
    from bot.fits import FitsView

    return FitsView(answer)


def _most_rows(command: str) -> int | None:
    """Return the rows of a list: all of them in the terminal, which scrolls."""
    return None if command == "gpusize" else MOST_ROWS


def help_page(messages: Messages, command: str = "gpusize") -> str:
    """Return how to ask, without a catalogue."""
    return _rendered(make_environment(messages), "help", {"command": command})


def _rendered(environment: Environment, name: str, context: Mapping[str, object]) -> str:
    page = environment.get_template(f"{name}.md.j2").render(context)
    return _BLANK_LINES.sub("\n\n", page).strip() + "\n"


def make_environment(messages: Messages) -> Environment:
    """Return the Jinja environment of one language: every value is escaped as it is printed."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(templates_dir() / messages.language),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printed,
        # Markdown is not HTML: this makes Jinja pass what `_printed` returns on unchanged, and
        # what macros return on to `_printed` marked as safe.
        autoescape=True,
        auto_reload=False,
    )
    environment.filters |= messages.filters() | _answer_filters(messages)
    return environment


def _printed(value: object) -> object:
    if value is None:
        raise MessageError("a template prints a value that is not there")
    return value if hasattr(value, "__html__") else escape(str(value))


def _answer_filters(messages: Messages) -> dict[str, Callable[..., Any]]:
    """Return the filters that word values of an answer."""
    filters = messages.filters()

    def or_dash(value: object, name: str) -> str:
        return Md("–") if value is None else filters[name](value)

    def notes(values: Sequence[Note]) -> Md:
        return Md(" ".join(messages.note(note) for note in values))

    return {
        "gpu_set": messages.gpu_set,
        "note": messages.note,
        "notes": notes,
        "or_dash": or_dash,
        "shaped": lambda value, name: filters[name](value),
        "fenced": fenced,
        "start_kind": lambda kind: messages.word("start_kinds", kind),
        "typed": lambda words: code(" ".join(words)),
        "moment": lambda moment: f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        "listed": lambda values: Md("; ".join(map(escape, values))),
        "verdict": lambda option: _verdict(messages, option),
        "run_rank": lambda run: _of_run(messages, "ranks", run),
        "run_trained": lambda run: _of_run(messages, "trained", run),
        "judged": lambda option: _judged(messages, option),
        "best_at": lambda code: messages.word("best_at", code),
        "group": lambda group: messages.word("groups", str(group)),
        "bound": lambda bound: messages.word("bounds", str(bound)),
        "source_kind": lambda kind: messages.word("sources", str(kind)),
    }


def _of_run(messages: Messages, table: str, run: Training) -> Md:
    """Return the words for what a run's adapters, or its part of the model, are made of."""
    code = run.tuner.value if run.tuner else "projected"
    return messages.word(
        table, code, rank=run.adapter_rank, targets=run.targets, trained_layers=run.trained_layers
    )


def _role(role: str, option: Option) -> str:
    """Return the role's word: the smallest of a kind that was named is not the smallest of all."""
    reason = next(reason for reason in option.reasons if reason.code == role)
    return "smallest_of_kind" if reason.values.get("of_kind") else role


def _judged(messages: Messages, option: Option) -> Md:
    """Return mark and word of a verdict: `✅ Fits`."""
    verdict = option.verdict.value
    if stop_of(option):
        no_start = messages.word("roles", "no_start")
        return Md(f"{messages.word('marks', 'does_not_fit')} {no_start}")
    return Md(f"{messages.word('marks', verdict)} {messages.word('verdicts', verdict)}")


def _verdict(messages: Messages, option: Option) -> Md:
    """Return mark, word and roles of an option: `✅ Fits · smallest`."""
    words = [_judged(messages, option)]
    codes = reason_codes(option)
    words += [messages.word("roles", _role(role, option)) for role in ROLES if role in codes]
    return Md(" · ".join(words))
