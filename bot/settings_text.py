"""Word what is wrong with the settings, for the person who starts the program."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from bot.errors import CodedError
from bot.paths import templates_dir


def settings_sentences(
    problems: Iterable[CodedError], language: str, folder: Path | None = None
) -> tuple[str, ...]:
    """Return one sentence for each problem or warning, in the language asked for."""
    table = settings_table(language, folder)
    return tuple(table[problem.code].format_map(problem.values) for problem in problems)


def settings_table(language: str, folder: Path | None = None) -> Mapping[str, str]:
    """Return the sentences of one language by code."""
    path = (folder or templates_dir()) / "messages" / f"settings_{language}.toml"
    table: Mapping[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))["settings"]
    return table
