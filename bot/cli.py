"""The terminal: one question, or a file of them, answered as Markdown or as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING

from bot.arguments import Options, read_arguments
from bot.handing import draw_chart, put_bytes, write_file
from bot.streams import Reported, give_up_output, prepare_streams

# What needs pydantic, Jinja or SQLite is imported where it is used: `--version` starts at once.
if TYPE_CHECKING:
    from bot.errors import CodedError
    from bot.messages import Messages
    from bot.reply import Answers, Reply
    from sizing.errors import SizingError

__all__ = ["Options", "main", "read_arguments", "run"]

ANSWERED, OUR_FAULT, NOT_UNDERSTOOD, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses."""

ASKERS = frozenset(
    {"file_unreadable", "chart_unwritable", "no_chart", "no_document", "document_unwritable"}
)
"""Errors of what was asked, not of ours."""

WIDEST_COLUMNS = 100
"""Columns of a rendered answer; longer lines are hard to read."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer the question on the command line and return the exit status."""
    prepare_streams()
    options = read_arguments(sys.argv[1:] if arguments is None else arguments, os.environ)
    try:
        status = run(options, lambda: _opened(words=not options.as_json))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        give_up_output()
        return ANSWERED
    except OSError as error:
        # Files of ours have errors of their own: what is left is a standard stream, on a full disk.
        give_up_output()
        failed = _coded("output_failed", detail=error.strerror or str(error))
        print(_messages(options.chosen_language).error(failed), file=sys.stderr)
        return OUR_FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def run(options: Options, opened: Callable[[], AbstractContextManager[Answers]]) -> int:
    """Do what the command line asks of the service that `opened` gives; return the status."""
    if options.wants_version:
        from sizing import __version__

        print(f"gpusize {__version__}")
        return ANSWERED
    if options.named_language is not None and options.named_language not in ("en", "es"):
        error = _coded("unknown_language", word=options.named_language)
        return _refuse(error, options, status=NOT_UNDERSTOOD)
    if options.wants_help:
        from bot.render import help_page

        _print_markdown(help_page(_messages(options.chosen_language)))
        return ANSWERED
    return _serve(options, opened)


def _serve(options: Options, opened: Callable[[], AbstractContextManager[Answers]]) -> int:
    from bot.errors import CodedError
    from sizing.errors import CatalogueError

    try:
        with opened() as service:
            session = _Session(service, options)
            if options.batch is None:
                return session.one()
            if options.chart_file is not None:
                raise _coded("no_chart")
            if options.out_file is not None:
                raise _coded("no_document", word=options.out_file)
            return session.batch()
    except (CodedError, CatalogueError) as error:
        fault = NOT_UNDERSTOOD if error.code in ASKERS else OUR_FAULT
        return _refuse(error, options, status=fault)


@contextmanager
def _opened(*, words: bool) -> Iterator[Answers]:
    """Open the log and the service over it, for people or for programs; close the log behind."""
    from functools import partial

    from bot.assembly import build_service
    from bot.decision_settings import standing_rules
    from bot.hub_settings import hub_settings
    from bot.measured_settings import measured_settings
    from bot.sources.files import terminal_sources
    from bot.sources.measured import Measured
    from bot.storage.stores import open_log
    from bot.store_settings import store_settings
    from bot.wordless import Unannounced, Wordless

    store = store_settings(os.environ)
    with closing(open_log(store.path, store.url)) as log:
        hub = hub_settings(os.environ, is_default=True, sends_token=True)
        opinions = Measured(measured_settings(os.environ))
        writer = Unannounced if words else Wordless
        yield build_service(
            log,
            terminal_sources(hub),
            opinions=opinions,
            writer=writer,
            standing=partial(standing_rules, os.environ),
        )


class _Session:
    """Asks the service and prints what it says."""

    def __init__(self, service: Answers, options: Options) -> None:
        from bot.reply import terminal_asker

        self._service = service
        self._options = options
        self._asker = terminal_asker(options.language)
        self._has_failed = False

    def one(self) -> int:
        """Answer the question on the command line."""
        text = " ".join((*self._options.words, *self._file()))
        reply = self._opined(self._reply(text, needs_words=self._options.as_json))
        if self._options.chart_file is not None and reply.error is None:
            draw_chart(reply, self._options.chart_file)
        if self._options.out_file is not None and reply.error is None:
            said = write_file(reply, self._options.out_file)
            print(said, end="\n" if said else "", file=sys.stderr)
        if self._options.as_json:
            self._print_json(reply, indent=2)
        elif reply.printed is not None and self._options.out_file is None:
            put_bytes(reply.printed())
        elif reply.error is not None:
            print(self._service.messages(reply.language).error(reply.error), file=sys.stderr)
        else:
            _print_markdown(_page(reply))
        if self._has_failed:
            return OUR_FAULT
        return ANSWERED if reply.error is None else NOT_UNDERSTOOD

    def _file(self) -> tuple[str, ...]:
        """Return the word that names the file of `--file`."""
        if self._options.file is None:
            return ()
        from bot.sources.references import reference_to

        return (reference_to(self._options.file),)

    def batch(self) -> int:
        """Answer a file, one question a line; each line has its reply, errors too."""
        from bot.batches import GROUP_S, answered, lines_of

        source = self._options.batch or ""
        # Who types, or pipes line by line, waits for each answer.
        group_s = 0.0 if source == "-" else GROUP_S
        replies = answered(lines_of(source), self._line, self._service, group_s=group_s)
        for number, reply in enumerate(map(self._opined, replies)):
            if self._options.as_json:
                self._print_json(reply, indent=None)
                continue
            if number:
                print("\n---\n")
            _print_markdown(_page(reply))
        return OUR_FAULT if self._has_failed else ANSWERED

    def _line(self, line: str) -> Reply:
        return self._reply(line.strip(), needs_words=True)

    def _reply(self, text: str, *, needs_words: bool) -> Reply:
        """Return the reply to one question; a fault of ours is one too, so that others go on."""
        if needs_words and not text:
            return self._refusal(_coded("empty"))
        with Reported() as fault:
            return self._service.handle(text, self._asker, self._options.named_language)
        return self._fault(fault.error_id)

    def _opined(self, reply: Reply) -> Reply:
        """Return an answer, when the log has it, with a second opinion where one is wanted."""
        if not self._options.wants_opinion or reply.kind != "answer":
            return reply
        from bot.derived import with_opinion

        with Reported() as fault:
            second = self._service.second_opinion(str(reply.answer_id), self._asker)
            return with_opinion(reply, second)
        return with_opinion(reply, self._fault(fault.error_id))

    def _fault(self, error_id: str) -> Reply:
        self._has_failed = True
        return self._refusal(_coded("internal_error", error_id=error_id))

    def _refusal(self, error: CodedError) -> Reply:
        from bot.reply import Reply, ReplyKind

        language = self._options.chosen_language
        markdown = self._service.messages(language).error_markdown(error)
        return Reply(ReplyKind.ERROR, markdown, language, error=error)

    def _print_json(self, reply: Reply, *, indent: int | None) -> None:
        import json

        from bot.contract import reply_contract

        contract = reply_contract(reply, self._service.messages(reply.language))
        print(json.dumps(contract, ensure_ascii=False, indent=indent), flush=True)


def _page(reply: Reply) -> str:
    """Return the words of a reply, with its curves as a table: a terminal draws none."""
    if not reply.charts:
        return reply.markdown
    from bot.charts import Chart, chart_table

    tables = (chart_table(chart) for chart in reply.charts if isinstance(chart, Chart))
    return "\n\n".join((reply.markdown.rstrip(), *tables))


def _print_markdown(markdown: str) -> None:
    """Print rendered Markdown to a person, plain Markdown to a program."""
    if not sys.stdout.isatty():
        print(markdown.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(markdown), width=min(console.width, WIDEST_COLUMNS))


def _refuse(error: CodedError | SizingError, options: Options, *, status: int) -> int:
    """Say what is wrong before any question was asked."""
    messages = _messages(options.chosen_language)
    if options.as_json:
        import json

        from bot.contract import error_contract

        print(json.dumps(error_contract(error, messages), ensure_ascii=False))
    else:
        print(messages.error(error), file=sys.stderr)
    return status


def _messages(language: str) -> Messages:
    from bot.messages import load_messages

    return load_messages(language)


def _coded(code: str, **values: str) -> CodedError:
    from bot.errors import CodedError

    return CodedError(code, **values)
