"""Files of a message: found, told in full where an event names them only, and fetched."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from bot.errors import CodedError
from bot.sources.attached import (
    AttachedFile,
    Attachment,
    attachment_of,
    is_readable,
    is_start_enough,
    largest_bytes,
)
from bot.sources.slack_file import Wanted, fetch

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]

MOST_FILES: Final = 10
"""Files of one message that are looked at: Slack takes no more with one message."""

MOST_CHARACTERS: Final = 100
"""Characters of a file's name that are kept."""

MOST_MESSAGES: Final = 20
"""Messages asked for when one is read again: the root of its thread comes with it."""

GONE: Final = frozenset({"tombstone", "hidden_by_limit"})
"""Modes of files that were deleted, or that the plan of the workspace no longer shows."""

FAILURES: Final = (SlackClientError, OSError, HTTPException)
"""What a call to Slack raises."""


def files_of(message: Json) -> tuple[Json, ...]:
    """Return the files of a message as they were told."""
    files = message.get("files")
    found = files if isinstance(files, list) else []
    return tuple(one for one in found if isinstance(one, dict))[:MOST_FILES]


def attached_to(message: Json, client: WebClient) -> Attachment:
    """Fetch what describes a model; raise CodedError where there is none, or it cannot be had."""
    readable = [one for one in _told(message, client) if is_readable(_name(one))]
    if not readable:
        raise CodedError("no_config_file")
    kinds: dict[bool, Json] = {}
    for one in readable:
        kinds.setdefault(AttachedFile(_name(one), b"").is_config, one)
    return attachment_of(_fetched(one, client) for one in kinds.values())


def read_again(event: Json, client: WebClient) -> Json:
    """Return the message of a mention as the conversation has it; an empty one where it cannot.

    Needs the scope of the conversation's history; without it a mention is answered by its words.
    """
    channel, ts = str(event.get("channel")), str(event.get("ts"))
    try:
        answer = client.conversations_replies(
            channel=channel,
            ts=str(event.get("thread_ts") or ts),
            oldest=ts,
            latest=ts,
            inclusive=True,
            limit=MOST_MESSAGES,
        )
    except FAILURES as error:
        logger.warning("mention not read again: %s", error)
        return {}
    messages = answer.get("messages") or []
    return next((one for one in messages if one.get("ts") == ts), {})


def _told(message: Json, client: WebClient) -> Iterator[Json]:
    """Yield the files with name and address, asked for where an event tells their id alone."""
    for file in files_of(message):
        is_whole = bool(_name(file)) and (bool(_url(file)) or not is_readable(_name(file)))
        yield file if is_whole else _asked_for(file, client)


def _asked_for(file: Json, client: WebClient) -> Json:
    if not file.get("id") or file.get("mode") in GONE:
        raise CodedError("file_not_fetched")
    try:
        found = client.files_info(file=str(file["id"]))["file"]
    except FAILURES as error:
        logger.warning("file %s not told: %s", file["id"], error)
        raise CodedError("file_not_fetched") from error
    return found if isinstance(found, dict) else {}


def _fetched(file: Json, client: WebClient) -> AttachedFile:
    name, size = _name(file), file.get("size")
    limit_bytes, only_start = largest_bytes(name), is_start_enough(name)
    if isinstance(size, int) and size > limit_bytes and not only_start:
        raise CodedError("file_too_large", path=name, limit_bytes=limit_bytes)
    content = fetch(
        Wanted(name, _url(file), limit_bytes, only_start=only_start),
        token=str(client.token),
        api_url=client.base_url,
        tls=client.ssl,
    )
    return AttachedFile(name, content)


def _name(file: Json) -> str:
    """Return a file's name, shortened in front: its end says what it is."""
    return str(file.get("name") or "")[-MOST_CHARACTERS:]


def _url(file: Json) -> str:
    return str(file.get("url_private_download") or file.get("url_private") or "")
