"""Read a line of text, from wherever it was typed, as one command."""

from __future__ import annotations

from bot.grammar.canonical import format_request
from bot.grammar.commands import (
    Ask,
    AskChecklist,
    AskSpec,
    Command,
    Compare,
    Empty,
    ExplainAnswer,
    Help,
    ListAnswers,
    ListGpus,
    ListModels,
    NotAvailable,
    OpinionAnswer,
    ShowAnswer,
    StartAnswer,
    StartAsked,
)
from bot.grammar.compare import compared, variants_in, without_compare
from bot.grammar.errors import IncompleteRequestError, TwoModelsError
from bot.grammar.finish import finish
from bot.grammar.lexicon import build_lexicon
from bot.grammar.references import take_references
from bot.grammar.scan import scan
from bot.grammar.spec_verb import without_spec
from bot.grammar.verbs import (
    bare_checklist,
    compare_of,
    spec_wish,
    started,
    tender_wish,
    verb_of,
    without_start,
)
from bot.grammar.words import Words, words_from
from bot.text import clean, words_of
from sizing.catalogue import Catalogue
from sizing.errors import SizingError
from sizing.request import SizingRequest

__all__ = [
    "Ask",
    "AskChecklist",
    "AskSpec",
    "Command",
    "Compare",
    "Empty",
    "ExplainAnswer",
    "Grammar",
    "Help",
    "IncompleteRequestError",
    "ListAnswers",
    "ListGpus",
    "ListModels",
    "NotAvailable",
    "OpinionAnswer",
    "ShowAnswer",
    "StartAnswer",
    "StartAsked",
    "TwoModelsError",
    "format_request",
    "parse",
]


class Grammar:
    """Reads lines with the names of one catalogue, which it indexes once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._lexicon = build_lexicon(catalogue)

    def parse(self, text: str) -> Command:
        """Return what a line asks for; raise SizingError where it cannot be understood."""
        plain, references = take_references(text)
        cleaned = clean(plain)
        words = words_from(words_of(cleaned), references)
        if not len(words):
            return Empty()
        if (line := without_compare(cleaned)) is not None:
            return self._compared(line, words)
        if bare := bare_checklist(words):
            return bare
        tender = tender_wish(words)
        try:
            return self._parsed(cleaned, words)
        except IncompleteRequestError:
            if tender is None:
                raise
            return tender

    def _parsed(self, cleaned: str, words: Words) -> Command:
        if (wish := without_spec(cleaned)) is not None:
            return self._spec(wish[0], words, checklist=wish[1])
        if command := verb_of(words):
            return command
        question = without_start(words)
        command = self._read(question or words)
        return started(command) if question else command

    def _read(self, words: Words) -> Ask:
        return finish(scan(words, self._lexicon), words, self._lexicon)

    def understands(self, text: str) -> bool:
        """Return whether a line asks for anything: a question, a list, help."""
        try:
            return not isinstance(self.parse(text), Empty)
        except SizingError:
            return False

    def _compared(self, line: str, words: Words) -> Compare:
        def read(variant: str) -> SizingRequest:
            return self._read(words_from(words_of(variant), words.references)).request

        return compare_of(words, tuple(compared(variants_in(line), read)))

    def _spec(self, line: str, words: Words, *, checklist: bool) -> AskSpec:
        # Loaded with the first question about a server: few processes have one.
        from bot.grammar.spec_line import spec_of

        def read(piece: str) -> SizingRequest:
            return self._read(words_from(words_of(piece), words.references)).request

        return spec_wish(words, spec_of(line, read), checklist=checklist)

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
