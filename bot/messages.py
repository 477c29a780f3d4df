"""Message catalogues: every sentence by its code, worded for one language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, cast

import tomli

from bot.errors import BotError
from bot.filters import Filter, Finish, Wording
from bot.format import Numbers
from bot.labels import Labels, memory_alone_gb
from bot.markup import Md, escape
from bot.paths import templates_dir

if TYPE_CHECKING:
    from bot.errors import CodedError
    from sizing.answer import Note, NoteValue, Option
    from sizing.errors import SizingError

LANGUAGES = ("en", "es")
"""Languages the catalogues exist in."""

NOTE_TABLES = (
    "reasons",
    "warnings",
    "assumptions",
    "starting",
    "host",
    "storage",
    "platform",
    "power",
)
"""Tables of the catalogue that hold the engine's notes."""

Values = Mapping[str, "NoteValue"]
Entry = str | dict[str, str]
Tables = Mapping[str, Mapping[str, Entry]]


class MessageError(BotError):
    """A message lacks its sentence, or a sentence its value."""


def read_tables(language: str, folder: Path | None = None) -> Tables:
    """Return the sentences of one language by table and code."""
    path = (folder or templates_dir()) / "messages" / f"{language}.toml"
    tables: Tables = tomli.loads(path.read_text(encoding="utf-8"))
    return tables


def load_messages(language: str, labels: Labels | None = None) -> Messages:
    """Return the messages of one language; raise MessageError for a language without any."""
    if language not in LANGUAGES:
        raise MessageError(f"no messages in language {language!r}")
    tables = read_tables(language)
    parts = {code: str(word) for code, word in tables["gpu_parts"].items()}
    named = replace(labels or Labels(), parts=parts)
    return Messages(language, tables, named)


@dataclass(frozen=True)
class Messages:
    """Words sentences of one language; numbers and names are formatted on the way."""

    language: str
    """`en` or `es`."""

    tables: Tables
    """Sentences by table and code."""

    labels: Labels = field(default_factory=Labels)
    """Names people read for ids."""

    @property
    def numbers(self) -> Numbers:
        """Return the number formats of this language."""
        return Numbers(self.language)

    def text(self, code: str, values: Values) -> str:
        """Return the plain sentence of a note."""
        return self._worded(self._table_of(code, NOTE_TABLES), code, values, finish=str)

    def markdown(self, code: str, values: Values) -> Md:
        """Return the sentence of a note as Markdown, other people's words escaped."""
        return Md(self._worded(self._table_of(code, NOTE_TABLES), code, values, finish=escape))

    def note(self, note: Note) -> Md:
        """Return a note as Markdown."""
        return self.markdown(note.code, note.values)

    def word(self, table: str, code: str, **values: NoteValue) -> Md:
        """Return a word or phrase of the interface as Markdown."""
        return Md(self._worded(table, code, values, finish=escape))

    def label(self, table: str, code: str, **values: NoteValue) -> str:
        """Return a word or phrase of the interface as plain text, for buttons and tables."""
        return self._worded(table, code, values, finish=str)

    def find(self, table: str, code: str) -> str | None:
        """Return a phrase of the interface that not all have; None where there is none."""
        return self.label(table, code) if code in self.tables[table] else None

    def error(self, error: SizingError | CodedError, command: str = "gpusize") -> str:
        """Return the plain sentence of an error and what to type after `command`."""
        return self._error(error, command, finish=str)

    def error_markdown(self, error: SizingError | CodedError, command: str = "gpusize") -> Md:
        """Return the sentence of an error as Markdown, the asker's words escaped."""
        return Md(self._error(error, command, finish=escape))

    def gpu_set(self, option: Option) -> Md:
        """Return a set of GPUs as people write it: `2 × L40S 48 GB`, copies of the model named."""
        if option.cards:
            cards = Md(" + ".join(self._plain(card.gpu, card.gpus) for card in option.cards))
            is_even = option.cards[0].layers is None
            split = self.word("sets", "cut_evenly" if is_even else "by_layers")
            return Md(f"{cards}, {split}")
        named = self._gpus(option)
        if option.replicas == 1:
            return named
        return Md(f"{named}, {self.word('sets', 'copies', replicas=option.replicas)}")

    def keyed_set(self, key: str) -> Md:
        """Return a set by its key, `2xl40s` or `1xh100:1g.10gb`, as people write it."""
        return Md(" + ".join(map(self._keyed, key.split("+"))))

    def _keyed(self, key: str) -> Md:
        gpus, _, named = key.partition("x")
        gpu, _, profile = named.partition(":")
        if profile:
            return self.word("sets", "slice", mig_profile=profile, gpus=int(gpus), gpu=gpu)
        return self._plain(gpu, int(gpus))

    def _gpus(self, option: Option) -> Md:
        values: dict[str, NoteValue] = {"gpus": option.gpus, "gpu": option.gpu}
        if option.mig_profile:
            return self.word("sets", "slice", mig_profile=option.mig_profile, **values)
        if option.nodes > 1:
            return self.word("sets", "servers", nodes=option.nodes, **values)
        return self._plain(option.gpu, option.gpus)

    def _plain(self, gpu: str, gpus: int) -> Md:
        if memory_gb := memory_alone_gb(gpu):
            return self.word("sets", "any", gpus=gpus, memory_gb=memory_gb)
        return self.word("sets", "plain", gpus=gpus, gpu=gpu)

    @cached_property
    def _filters(self) -> dict[Finish, dict[str, Filter]]:
        return {}

    def filters(self, finish: Finish = escape) -> dict[str, Filter]:
        """Return the filters by name, for Markdown unless `finish` says otherwise."""
        if finish not in self._filters:
            words = cast("Mapping[str, str]", self.tables["words"])
            settings = cast("Mapping[str, str]", self.tables["settings"])
            lists = cast("Mapping[str, str]", self.tables["lists"])
            wording = Wording(self.numbers, self.labels, words, settings, lists, finish)
            self._filters[finish] = wording.filters()
        return self._filters[finish]

    def _error(self, error: SizingError | CodedError, command: str, finish: Finish) -> str:
        values = {"word": None, "suggestions": (), **error.values, "command": command}
        reason = error.values.get("reason")
        table, code = ("invalid_request", str(reason)) if reason else ("errors", error.code)
        return self._worded(table, code, values, finish=finish)

    def _table_of(self, code: str, names: tuple[str, ...]) -> str:
        found = [name for name in names if code in self.tables.get(name, {})]
        if not found:
            raise MessageError(f"no sentence for {code!r} in {self.language}")
        return found[0]

    def _worded(self, table: str, code: str, values: Values, *, finish: Finish) -> str:
        entry = self.tables[table].get(code)
        if entry is None:
            raise MessageError(f"no sentence for {table}.{code} in {self.language}")
        sentence = entry if isinstance(entry, str) else _variant(entry, values)
        return _Sentence(self.filters(finish), finish).vformat(sentence, (), values)


def _variant(entry: Mapping[str, str], values: Values) -> str:
    """Return the form of a sentence that suits the value named by `by`: none, one or other."""
    value = values.get(entry["by"])
    if not value:
        return entry.get("none", entry["other"])
    if isinstance(value, str):
        return entry["other"]
    count = len(value) if isinstance(value, tuple) else value
    return entry.get("one", entry["other"]) if count == 1 else entry["other"]


class _Sentence(Formatter):
    """Fills `{name:filter}`: only plain names, only our filters."""

    def __init__(self, filters: Mapping[str, Filter], finish: Finish) -> None:
        self._filters = filters
        self._finish = finish

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:  # noqa: ANN401, ARG002 (Formatter's own signature)
        if kwargs.get(field_name) is None:
            raise MessageError(f"the sentence needs the value {field_name!r}")
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 (Formatter's own signature)
        if not format_spec:
            return self._finish(str(value))
        if format_spec not in self._filters:
            raise MessageError(f"no filter {format_spec!r}")
        return self._finish(self._filters[format_spec](value))
