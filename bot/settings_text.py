"""Word what keeps the program from starting, for the person who starts it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import tomli

from bot.credentials import Environment
from bot.errors import BotError, CodedError, SettingsError
from bot.messages import load_messages
from bot.paths import templates_dir
from bot.settings import language
from sizing.errors import SizingError


def problem_text(problem: BotError | SizingError, environ: Environment) -> str:
    """Return what to print about an error or a warning of the start, a line for each problem."""
    spoken = language(environ)
    if isinstance(problem, SettingsError):
        return "\n".join(settings_sentences(problem.problems, spoken))
    if isinstance(problem, CodedError) and problem.code in settings_table(spoken):
        return "\n".join(settings_sentences((problem,), spoken))
    if isinstance(problem, CodedError | SizingError):
        return load_messages(spoken).error(problem)
    return str(problem)


def settings_sentences(
    problems: Iterable[CodedError], language: str, folder: Path | None = None
) -> tuple[str, ...]:
    """Return one sentence for each problem or warning, in the language asked for."""
    table = settings_table(language, folder)
    return tuple(table[problem.code].format_map(problem.values) for problem in problems)


def settings_table(language: str, folder: Path | None = None) -> Mapping[str, str]:
    """Return the sentences of one language by code."""
    path = (folder or templates_dir()) / "messages" / f"settings_{language}.toml"
    table: Mapping[str, str] = tomli.loads(path.read_text(encoding="utf-8"))["settings"]
    return table
