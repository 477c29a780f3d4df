"""Hand a reply on from the terminal: into a file, or as it is to the program that reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import CodedError

if TYPE_CHECKING:
    from bot.reply import Reply


def write_file(reply: Reply, path: str) -> str:
    """Write a file of the kind that its name ends in; raise CodedError without one.

    Returns what is to be said of it, empty where the page says all.
    """
    ending = Path(path).suffix.lower()
    make = reply.files.get(ending)
    if make is None:
        raise CodedError("no_document", word=path)
    content = make()
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise CodedError("document_unwritable", path=path) from error
    tell = reply.handed.get(ending)
    return tell(path) if tell else ""


def draw_chart(reply: Reply, path: str) -> None:
    """Draw the charts of a reply into a file; raise CodedError where there are none, or no room."""
    if not reply.charts:
        raise CodedError("no_chart")
    from bot.pictures import picture_of

    picture = picture_of(reply.charts)
    try:
        Path(path).write_bytes(picture)
    except OSError as error:
        raise CodedError("chart_unwritable", path=path) from error


def put_bytes(content: bytes) -> None:
    """Write what a program reads as it is, whatever the terminal's letters are."""
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(content.decode())
        return
    stream.write(content)
    stream.flush()
