"""Filters that word values: the same ones for message catalogues and templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.format import Numbers
from bot.labels import Labels, architecture_name
from bot.markup import Md, code

Filter = Callable[[Any], str]
Finish = Callable[[str], str]

NUMBERS = (
    "count", "gb", "gb_number", "gb_exact", "gib", "plain_gb", "size_bytes", "tokens",
    "short_tokens", "percent", "fraction", "bits", "number", "rate", "parameters",
    "short_parameters", "about", "about_ms", "powers", "amount", "usd", "watts", "draw", "kva",
)  # fmt: skip
"""Filters of numbers, by the names of their formats."""


@dataclass(frozen=True)
class Wording:
    """What filters need to know about a language and a catalogue."""

    numbers: Numbers
    """Number formats."""

    labels: Labels
    """Names people read for ids."""

    words: Mapping[str, str]
    """Words for the engine's fixed values."""

    settings: Mapping[str, str]
    """Words for the fixed values of training runs."""

    lists: Mapping[str, str]
    """Conjunctions and quotation marks."""

    finish: Finish
    """What other people's words pass: `escape` for Markdown, `str` for plain text."""

    def filters(self) -> dict[str, Filter]:
        """Return the filters by name."""
        labels = self.labels
        found: dict[str, Filter] = {name: _safe(getattr(self.numbers, name)) for name in NUMBERS}
        return found | {
            "gpu": labels.gpu,
            "gpu_name": labels.gpu_name,
            "model": labels.model,
            "precision": labels.precision,
            "kv_precision": labels.kv_precision,
            "engine": labels.engine,
            "framework": labels.framework,
            "architecture": architecture_name,
            "code": code,
            "word": self._word,
            "setting": self._setting,
            "quoted": self._quoted,
            "joined": self._joining("and", str),
            "words": self._joining("and", self._word),
            "either": self._joining("or", str),
            "codes": self._joining("or", code),
            "all_codes": self._joining("and", code),
            "models": self._joining("or", labels.model),
            "gpus": self._joining("or", labels.gpu),
            "precisions": self._joining("and", labels.precision),
        }

    def _word(self, value: str) -> str:
        """Word a fixed value of the engine; one without a word shows as itself."""
        return self.words.get(value, value)

    def _setting(self, value: str) -> str:
        """Word a fixed value of a training run."""
        return self.settings.get(value, value)

    def _quoted(self, words: str | Iterable[str]) -> Md:
        """Put each word between the language's quotation marks."""
        before, after = self.lists["open_quote"], self.lists["close_quote"]
        listed = (words,) if isinstance(words, str) else words
        return Md(", ".join(f"{before}{self.finish(word)}{after}" for word in listed))

    def _joining(self, conjunction: str, label: Filter) -> Filter:
        """List values as a sentence does: `a, b or c`."""
        last = f" {self.lists[conjunction]} "

        def join(values: str | Iterable[object]) -> Md:
            listed = (values,) if isinstance(values, str) else values
            items = [self.finish(label(value)) for value in listed]
            head = ", ".join(items[:-1])
            return Md(last.join(part for part in (head, *items[-1:]) if part))

        return join


def _safe(format_number: Filter) -> Filter:
    """Mark a formatted number as Markdown: it has nothing to escape."""
    return lambda value: Md(format_number(value))
