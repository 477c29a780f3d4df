"""Read one data file of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import tomli
from pydantic import ValidationError
from pydantic_core import to_json

from sizing.errors import CatalogueError
from sizing.records import Record

FileT = TypeVar("FileT", bound=Record)


def validated(file: str, content: bytes, kind: type[FileT]) -> FileT:
    """Return what a data file holds; raise CatalogueError naming file, entry and key."""
    try:
        raw = tomli.loads(content.decode())
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogueError(file=file, detail=str(error)) from error
    try:
        return kind.model_validate_json(to_json(raw), strict=True)
    except ValidationError as error:
        raise CatalogueError(file=file, detail=_describe(raw, error)) from error


def _describe(raw: Mapping[str, object], error: ValidationError) -> str:
    """Name the entry, the key and what is wrong with it, for the first of the errors."""
    first = error.errors(include_url=False)[0]
    where = [str(part) for part in first["loc"]]
    match first["loc"]:
        case (str() as table, int() as index, *keys):
            where = [_entry_name(raw, table, index), ".".join(map(str, keys))]
    return ": ".join([*filter(None, where), str(first["msg"])])


def _entry_name(raw: Mapping[str, object], table: str, index: int) -> str:
    match raw[table]:
        case list() as entries if isinstance(entries[index], dict) and "id" in entries[index]:
            return str(entries[index]["id"])
    return f"{table} {index + 1}"
