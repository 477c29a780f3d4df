"""The command line of the terminal, taken apart."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """The command line, taken apart."""

    words: tuple[str, ...]
    """The question: all that is not an option of the terminal."""

    language: str
    """Language of those who name none in the question."""

    named_language: str | None = None
    """Language of `--lang`, which overrules the question's."""

    as_json: bool = False
    """Whether to print JSON."""

    batch: str | None = None
    """File of questions; `-` for standard input, empty where the name is missing."""

    file: str | None = None
    """File that holds the model; empty where the name is missing."""

    wants_opinion: bool = False
    """Whether to ask measured kernels about the speed as well."""

    chart_file: str | None = None
    """File to draw a chart into; empty where the name is missing."""

    out_file: str | None = None
    """File to write a plan into; empty where the name is missing."""

    wants_version: bool = False
    """Whether to print the version alone."""

    wants_help: bool = False
    """Whether to print the help alone."""

    @property
    def chosen_language(self) -> str:
        """Return the language of what is said before a question is read."""
        named = self.named_language
        return named if named in ("en", "es") else self.language


def read_arguments(arguments: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Take the terminal's own options out; the rest, in order, is the question."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--second-opinion", action="store_true")
    # A missing value becomes an empty one: our sentence about it is in the asker's language.
    parser.add_argument("--batch", nargs="?", const="")
    parser.add_argument("--lang", nargs="?", const="")
    parser.add_argument("--file", nargs="?", const="")
    parser.add_argument("--chart", nargs="?", const="")
    parser.add_argument("--out", nargs="?", const="")
    found, words = parser.parse_known_args(list(arguments))
    return Options(
        words=tuple(word for word in words if word != "--"),
        language=_language(environ),
        named_language=None if found.lang is None else found.lang.lower(),
        as_json=found.json,
        batch=found.batch,
        file=found.file,
        wants_opinion=found.second_opinion,
        chart_file=found.chart,
        out_file=found.out,
        wants_version=found.version,
        wants_help=found.help,
    )


def _language(environ: Mapping[str, str]) -> str:
    """Return GPUSIZE_LANG, else the language of the locale where it is ours, else English."""
    names = ("GPUSIZE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    first = next((environ[name] for name in names if environ.get(name)), "en")
    return "es" if first.lower().startswith("es") else "en"
