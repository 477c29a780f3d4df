"""`gpusize-bot`: the Slack app, or a local workspace where there are no Slack tokens."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bot.credentials import SlackTransport
from bot.daily_settings import RECHECK
from bot.database_url import shown_url
from bot.errors import BotError, CodedError, SettingsError
from bot.settings import (
    Mode,
    Settings,
    load_settings,
    without_slack,
)
from bot.settings_text import problem_text, settings_sentences
from bot.store_settings import workspace_store
from bot.upkeep import add_commands, is_upkeep, keep_up
from sizing import __version__
from sizing.errors import SizingError

PAGE_PORT = 8420
"""Port of the local workspace's page, unless another is asked for."""

STOPPED, OUR_FAULT, WRONG_SETTINGS = 0, 1, 2
"""Exit statuses."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bot until it is told to stop; return 2 where a setting is wrong, 1 on a fault."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except (BotError, SizingError) as error:
        print(problem_text(error, os.environ), file=sys.stderr)  # noqa: T201
        return WRONG_SETTINGS if isinstance(error, SettingsError) else OUR_FAULT
    except OSError as error:
        print(f"gpusize-bot: {error}", file=sys.stderr)  # noqa: T201
        return OUR_FAULT
    return STOPPED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpusize-bot",
        description="Answer /gpusize in Slack, or in a local workspace where there are no tokens.",
    )
    parser.add_argument("--version", action="version", version=f"gpusize {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    local = commands.add_parser("workspace", help="open the local workspace's page")
    local.add_argument("--page-port", type=_port, default=PAGE_PORT, help="port of the page")
    commands.add_parser("migrate", help="bring the log up to date, then stop")
    move = commands.add_parser("migrate-store", help="move the log from its file to PostgreSQL")
    move.add_argument("--from", dest="source", type=Path, help="file, if not the configured one")
    add_commands(commands)
    recheck = commands.add_parser("recheck", help="check approved decisions again, then stop")
    recheck.add_argument(
        "--days", type=_days, default=None, help="only those last checked so many days ago"
    )
    return parser


def _port(text: str) -> int:
    if not (re.fullmatch("[0-9]{1,5}", text, re.ASCII) and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number between 0 and 65535")
    return int(text)


def _days(text: str) -> int:
    if not (re.fullmatch("[0-9]{1,4}", text, re.ASCII) and int(text) <= RECHECK.most):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days up to {RECHECK.most}")
    return int(text)


def _run(options: argparse.Namespace) -> None:
    if is_upkeep(options.command):
        print(keep_up(options, os.environ))  # noqa: T201
        return
    is_local = options.command == "workspace"
    environ = without_slack(os.environ) if is_local else os.environ
    settings = load_settings(environ)
    # Imported here so that --version and --help answer at once.
    from bot.app import start_logging
    from bot.running import run_http, run_local, run_socket_mode
    from bot.storage.stores import open_log

    start_logging(settings)
    if options.command == "migrate":
        open_log(settings.store.path, settings.store.url).close()
    elif options.command == "migrate-store":
        _move_store(settings, options.source)
    elif options.command == "recheck":
        from bot.recheck_all import recheck_all

        print(recheck_all(settings, options.days))  # noqa: T201
    elif is_local or settings.mode is Mode.LOCAL:
        local = replace(settings, store=workspace_store(environ))
        run_local(local, getattr(options, "page_port", PAGE_PORT))
    elif settings.transport is SlackTransport.HTTP:
        run_http(settings)
    else:
        run_socket_mode(settings)


def _move_store(settings: Settings, source: Path | None) -> None:
    """Move the log from its file to PostgreSQL and print what was moved."""
    if settings.store.url is None:
        raise CodedError("move_no_address")
    from bot.storage.postgres.moving import move_log

    path = (source or settings.store.path).absolute()
    moved = move_log(path, settings.store.url)
    said = [
        CodedError("moved_table", name=t.name, rows=t.rows, digest=t.digest[:16]) for t in moved
    ]
    said.append(CodedError("moved", path=str(path), store=shown_url(settings.store.url)))
    for sentence in settings_sentences(said, settings.language):
        print(sentence)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
