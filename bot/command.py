"""Read a line of text, from wherever it was typed, as one command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.grammar.canonical import format_request
from bot.grammar.commands import (
    Ask,
    AskChecklist,
    AskSpec,
    Command,
    Compare,
    CompareWith,
    Decide,
    DecisionMinutes,
    Empty,
    ExplainAnswer,
    ExportDecisions,
    Help,
    ListAnswers,
    ListDecisions,
    ListGpus,
    ListModels,
    Measured,
    NotAvailable,
    OpinionAnswer,
    Power,
    Recheck,
    SaveAnswer,
    ShowAnswer,
    ShowDecision,
    SpecOfAnswers,
    StartAnswer,
    StartAsked,
    WhatIf,
)
from bot.grammar.compare import beside, compared, pieces_of, variants_in, without_compare
from bot.grammar.currencies import without_amounts
from bot.grammar.decision_verbs import decision_command, lacks_figures, variants_of
from bot.grammar.errors import IncompleteRequestError, TwoModelsError
from bot.grammar.finish import finish
from bot.grammar.lexicon import build_lexicon
from bot.grammar.over import changed
from bot.grammar.power_verb import after_verb
from bot.grammar.references import take_references
from bot.grammar.scan import scan
from bot.grammar.spec_verb import without_spec
from bot.grammar.verbs import (
    bare_checklist,
    compare_of,
    power_of,
    spec_of_answers,
    spec_wish,
    started,
    tender_wish,
    verb_of,
    without_start,
)
from bot.grammar.words import Words, words_from
from bot.text import clean, words_of
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError, SizingError
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from bot.grammar.power import Named
    from bot.grammar.spec_recalled import Recall
    from sizing.spec.request import SpecRequest

__all__ = [
    "Ask",
    "AskChecklist",
    "AskSpec",
    "Command",
    "Compare",
    "CompareWith",
    "Decide",
    "DecisionMinutes",
    "Empty",
    "ExplainAnswer",
    "ExportDecisions",
    "Grammar",
    "Help",
    "IncompleteRequestError",
    "ListAnswers",
    "ListDecisions",
    "ListGpus",
    "ListModels",
    "Measured",
    "NotAvailable",
    "OpinionAnswer",
    "Power",
    "Recheck",
    "SaveAnswer",
    "ShowAnswer",
    "ShowDecision",
    "SpecOfAnswers",
    "StartAnswer",
    "StartAsked",
    "TwoModelsError",
    "WhatIf",
    "format_request",
    "parse",
]


class Grammar:
    """Reads lines with the names of one catalogue, which it indexes once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._lexicon = build_lexicon(catalogue)

    def parse(self, text: str, *, in_thread: bool = False) -> Command:
        """Return what a line asks for; raise SizingError where it cannot be understood.

        What stands `in_thread` may leave to the thread which question it compares variants of.
        """
        plain, references = take_references(text)
        cleaned = clean(plain)
        words = words_from(words_of(cleaned), references)
        if not len(words):
            return Empty()
        if (line := without_compare(cleaned)) is not None:
            return variants_of(plain, in_thread=False) or self._variants(
                line, words, plain if in_thread else None
            )
        if whole := decision_command(plain) or bare_checklist(words):
            return whole
        tender = tender_wish(words)
        try:
            return self._parsed(cleaned, words, is_tender=tender is not None)
        except IncompleteRequestError as error:
            if tender is None:
                raise
            return replace(tender, unheeded=str(error.values["understood"]))
        except InvalidRequestError as error:
            if tender is None or error.values["reason"] != "currency" or self._models(words):
                raise
            return replace(tender, unheeded=str(error.word))

    def _models(self, words: Words) -> bool:
        """Return whether a line names a model beside amounts of money."""
        rest = without_amounts(" ".join(words.typed))
        try:
            self._read(words_from(words_of(rest), words.references))
        except IncompleteRequestError:
            return False
        except SizingError:
            return True
        return True

    def _parsed(self, cleaned: str, words: Words, *, is_tender: bool) -> Command:
        if (wish := without_spec(cleaned)) is not None:
            return self._spec(wish[0], words, checklist=wish[1])
        if (line := after_verb(cleaned)) is not None and not self._limits_power(line, words):
            return self._powered(line, words)
        if command := verb_of(words):
            return command
        question = without_start(words)
        try:
            command = self._read(question or words)
        except SizingError as error:
            from bot.grammar.power import is_electric

            is_plain = question is None and not is_tender
            if is_plain and is_electric(cleaned, error):
                return self._powered(cleaned, words)
            if is_plain and lacks_figures(cleaned, error):
                raise InvalidRequestError(reason="no_measurement", word=words.typed[0]) from error
            raise
        return started(command) if question else command

    def _limits_power(self, line: str, words: Words) -> bool:
        """Return whether the verb is the key of an option: `power 3000w llama-13b`."""
        from bot.grammar.power import starts_with_watts

        if not starts_with_watts(line):
            return False
        try:
            self._read(words_from(list(words.typed), words.references))
        except SizingError:
            return False
        return True

    def _powered(self, line: str, words: Words) -> Power:
        # Loaded with the first question about power: few processes have one.
        from bot.grammar.power import power_question

        question = power_question(line, self._accelerators, self._lexicon.gpus.records)
        return power_of(words, question)

    def _accelerators(self, line: str) -> Named:
        """Return the accelerators that a line names, and the words that say nothing."""
        draft = scan(words_from(words_of(line)), self._lexicon)
        ignored = [*(one.typed for one in draft.leftovers), *draft.ignored]
        return draft.gpus.resolved()[0], tuple(dict.fromkeys(ignored))

    def _read(self, words: Words) -> Ask:
        return finish(scan(words, self._lexicon), words, self._lexicon)

    def understands(self, text: str) -> bool:
        """Return whether a line asks for anything: a question, a list, help."""
        try:
            return not isinstance(self.parse(text), Empty)
        except SizingError:
            return False

    def _variants(self, line: str, words: Words, plain: str | None) -> Compare | CompareWith:
        """Return the wish to compare; one without a model is about the thread of a `plain` line."""
        try:
            return self._compared(line, words)
        except InvalidRequestError as error:
            is_open = error.values["reason"] in {"no_model", "compare_count"}
            found = variants_of(plain, in_thread=True) if plain and is_open else None
            if found is None:
                raise
            return found

    def _compared(self, line: str, words: Words) -> Compare:
        def read(variant: str) -> SizingRequest:
            return self._read(words_from(words_of(variant), words.references)).request

        def change(base: SizingRequest, variant: str) -> SizingRequest:
            said = words_from(words_of(variant), words.references)
            return changed(base, said, self._lexicon).request

        return compare_of(words, tuple(compared(variants_in(line), read, change)))

    def variants(self, base: SizingRequest, text: str) -> tuple[SizingRequest, ...]:
        """Return a question and the variants of it that a text names; raise SizingError."""
        return beside(base, tuple(self.changed(base, piece) for piece in pieces_of(text)))

    def changed_server(self, base: SpecRequest, text: str) -> SpecRequest:
        """Return the server `base` with what a text says in its place; raise SizingError."""
        from bot.grammar.over_server import changed_server

        return changed_server(base, clean(text), self.changed)

    def changed(self, base: SizingRequest, text: str) -> SizingRequest:
        """Return the question `base` with what a text says in its place; raise SizingError."""
        plain, references = take_references(text)
        words = words_from(words_of(clean(plain)), references)
        return changed(base, words, self._lexicon).request

    def _spec(self, line: str, words: Words, *, checklist: bool) -> AskSpec | SpecOfAnswers:
        from sizing.spec.request import SpecRequest, Workload

        named: dict[str, None] = {}

        def noted(name: str) -> SizingRequest:
            named[name] = None
            return SizingRequest()

        request = self._server(line, words, noted)
        if not named:
            return spec_wish(words, request, checklist=checklist)
        bare = SpecRequest(workloads=(Workload(request=SizingRequest()),))
        return spec_of_answers(words, tuple(named), says_more=request != bare, checklist=checklist)

    def recalled(
        self, text: str, command: SpecOfAnswers, past: Mapping[str, SizingRequest | SpecRequest]
    ) -> AskSpec:
        """Return the spec that a line asks for, once it is known what `past` answers were asked."""
        plain, references = take_references(text)
        cleaned = clean(plain)
        words = words_from(words_of(cleaned), references)
        line, checklist = without_spec(cleaned) or (cleaned, command.checklist)
        request = self._server(line, words, past.__getitem__)
        return spec_wish(words, request, checklist=checklist)

    def _server(self, line: str, words: Words, recall: Recall) -> SpecRequest:
        # Loaded with the first question about a server: few processes have one.
        from bot.grammar.spec_line import spec_of

        def read(piece: str) -> SizingRequest:
            return self._read(words_from(words_of(piece), words.references)).request

        return spec_of(line, read, recall)

    def asks(self, text: str) -> bool:
        """Return whether a line is a question about a model that can be understood."""
        try:
            return isinstance(self.parse(text), Ask | StartAsked)
        except SizingError:
            return False


def parse(text: str, catalogue: Catalogue) -> Command:
    """Return what one line asks for; a Grammar is quicker where there are many.

    Raises SizingError where the line cannot be understood.
    """
    return Grammar(catalogue).parse(text)
