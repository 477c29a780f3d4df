"""`gpusize-bot`: the Slack app, or a local workspace where there are no Slack tokens."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Sequence

from slack_sdk.errors import SlackClientError

from bot.errors import SettingsError, StorageError
from bot.messages import load_messages
from bot.settings import Mode, Settings, SlackTransport, language, load_settings
from bot.settings_text import settings_sentences
from sizing import __version__

PAGE_PORT = 8420
"""Port of the local workspace's page, unless another is asked for."""

STOPPED, OUR_FAULT, WRONG_SETTINGS = 0, 1, 2
"""Exit statuses."""

logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bot until it is told to stop; return 2 where a setting is wrong, 1 on a fault."""
    options = _parser().parse_args(arguments)
    try:
        settings = load_settings(os.environ)
        _start_logging(settings)
        _run(options, settings)
    except SettingsError as error:
        _complain(settings_sentences(error.problems, language(os.environ)))
        return WRONG_SETTINGS
    except StorageError as error:
        _complain((load_messages(language(os.environ)).error(error),))
        return OUR_FAULT
    except (SlackClientError, OSError) as error:
        _complain((f"gpusize-bot: {error}",))
        return OUR_FAULT
    return STOPPED


def _complain(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print(sentence, file=sys.stderr)  # noqa: T201


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpusize-bot",
        description="Answer /gpusize in Slack, or in a local workspace where there are no tokens.",
    )
    parser.add_argument("--version", action="version", version=f"gpusize {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    local = commands.add_parser("workspace", help="open the local workspace's page")
    local.add_argument("--page-port", type=int, default=PAGE_PORT, help="port of the page")
    commands.add_parser("migrate", help="bring the log up to date, then stop")
    return parser


def _start_logging(settings: Settings) -> None:
    logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s: %(message)s")
    for sentence in settings_sentences(settings.warnings, settings.language):
        logger.warning("%s", sentence)


def _run(options: argparse.Namespace, settings: Settings) -> None:
    # Imported here so that --version and --help answer at once.
    from bot.running import run_http, run_local, run_socket_mode
    from bot.storage.sqlite import SqliteLog

    if options.command == "migrate":
        SqliteLog(settings.database).close()
    elif options.command == "workspace" or settings.mode is Mode.LOCAL:
        run_local(settings, getattr(options, "page_port", PAGE_PORT))
    elif settings.transport is SlackTransport.HTTP:
        run_http(settings)
    else:
        run_socket_mode(settings)


if __name__ == "__main__":
    sys.exit(main())
