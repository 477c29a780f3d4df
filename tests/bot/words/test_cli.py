from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from bot import cli
from bot.cli import Options, read_arguments, run
from bot.errors import StorageError
from bot.labels import Labels
from bot.messages import load_messages
from bot.reply import Asker, Reply, ReplyKind
from sizing.errors import CatalogueError, UnknownModelError


class Answering:
    """A service that knows one model, and breaks where it is told to."""

    def __init__(self, catalogue, answer, renderer):
        self.asked: list[tuple[str, Asker, str | None]] = []
        self._catalogue, self._answer, self._renderer = catalogue, answer, renderer

    def messages(self, language):
        return load_messages(language, Labels(self._catalogue))

    def together(self):
        return nullcontext()

    def handle(self, text, asker, language):
        self.asked.append((text, asker, language))
        chosen = language or asker.language
        if text == "break":
            raise RuntimeError("the engine broke")
        if text == "full":
            raise StorageError("log_busy", path="a.db")
        if "llama" in text:
            page = self._renderer.answer(self._answer, chosen, "A-1")
            return Reply(ReplyKind.ANSWER, page, chosen, answer=self._answer, answer_id="A-1")
        if not text:
            return Reply(ReplyKind.HELP, "# help", chosen)
        error = UnknownModelError(word=text, suggestions=("llama-2-13b",))
        page = self._renderer.error(error, chosen, command="gpusize")
        return Reply(ReplyKind.ERROR, page, chosen, error=error, private=True)


@pytest.fixture
def service(catalogue, samples, renderer):
    return Answering(catalogue, samples["does_not_fit"], renderer)


@pytest.fixture
def ask(service):
    @contextmanager
    def opened():
        yield service

    def do(*arguments, environ=None):
        return run(read_arguments(arguments, environ or {}), opened)

    return do


@pytest.mark.parametrize(
    ("arguments", "words", "changed"),
    [
        (["llama-13b", "int8"], ("llama-13b", "int8"), {}),
        (["llama-13b", "int8", "--json"], ("llama-13b", "int8"), {"as_json": True}),
        # Options of the question keep their place and their values.
        (
            ["--ctx", "8k", "llama-13b", "--users", "4"],
            ("--ctx", "8k", "llama-13b", "--users", "4"),
            {},
        ),
        (["--lang", "es", "13b", "--ctx=8k"], ("13b", "--ctx=8k"), {"named_language": "es"}),
        (["--lang", "ES", "13b"], ("13b",), {"named_language": "es"}),
        (["llama 3.1 70b fp8 gpus<=4"], ("llama 3.1 70b fp8 gpus<=4",), {}),
        (["--batch", "-", "--json"], (), {"batch": "-", "as_json": True}),
        (["--second-opinion", "13b"], ("13b",), {"wants_opinion": True}),
        (["--batch"], (), {"batch": ""}),
        (["--", "13b"], ("13b",), {}),
        (["--vers"], ("--vers",), {}),
    ],
)
def test_the_terminals_own_options_are_taken_out(arguments, words, changed):
    assert read_arguments(arguments, {}) == Options(words=words, language="en", **changed)


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "es_ES", "LC_ALL": "C.UTF-8"}, "en"),
        ({"GPUSIZE_LANG": "es", "LC_ALL": "en_US"}, "es"),
        ({"GPUSIZE_LANG": "en", "LANG": "es_ES"}, "en"),
        ({"LANG": "fr_FR"}, "en"),
        ({"GPUSIZE_LANG": "", "LANG": "es_ES"}, "es"),
    ],
)
def test_language_of_those_who_name_none(environ, language):
    assert read_arguments(["13b"], environ).language == language


def test_answer_is_plain_markdown_for_a_program(ask, service, capsys):
    assert ask("llama-13b", "int8") == 0
    out, err = capsys.readouterr()
    assert out.startswith("# Llama 2 13B · INT8: does not fit 1 × T4 16 GB\n")
    assert err == ""
    [(text, asker, language)] = service.asked
    assert (text, language) == ("llama-13b int8", None)
    assert (asker.channel_id, asker.language) == (None, "en")
    assert asker.user_id


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_answer_is_drawn_for_a_person(ask, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "72")
    assert ask("llama-13b") == 0
    drawn = terminal.getvalue()
    assert "does not fit 1 × T4 16 GB" in drawn
    assert "|---|" not in drawn


def test_language_of_the_option_overrules(ask, service, capsys):
    assert ask("llama-13b", "--lang", "es") == 0
    assert capsys.readouterr().out.startswith("# Llama 2 13B · INT8: no cabe en")
    assert service.asked[0][2] == "es"


@pytest.mark.parametrize("language", ["fr", ""])
def test_unknown_language_is_refused(ask, service, capsys, language):
    assert ask("13b", "--lang", language) == 2
    assert "lang=es" in capsys.readouterr().err
    assert service.asked == []


def test_error_is_one_sentence_on_standard_error(ask, capsys):
    assert ask("foo") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "I don't know the model “foo”. Did you mean `llama-2-13b`?\n"


def test_json_of_an_answer_and_of_an_error(ask, capsys):
    assert ask("llama-13b", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["options"][0]["verdict"] == "does_not_fit"
    assert ask("foo", "--json") == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "unknown_model"
    assert err == ""


def test_names_in_json_are_those_of_the_catalogue(ask, capsys, service, samples):
    service._answer = samples["unsupported_precision"]
    ask("llama-13b", "--json")
    reasons = json.loads(capsys.readouterr().out)["options"][0]["reasons"]
    assert reasons[1]["text"] == "T4 16 GB (Turing) cannot run FP8: use INT8."


def test_no_question_is_a_wish_for_help_but_not_for_a_program(ask, capsys):
    assert ask() == 0
    assert capsys.readouterr().out == "# help\n"
    assert ask("--json") == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "empty"


QUESTIONS = "llama-13b int8\nfoo\n\nbreak\n  llama-13b  \n"


def test_batch_answers_each_line_in_order(ask, capsys, tmp_path):
    """An error, an empty line and a fault of ours are objects too, and cost no other answer."""
    path = tmp_path / "questions.txt"
    path.write_text("\ufeff" + QUESTIONS, encoding="utf-8")
    assert ask("--batch", str(path), "--json") == 1
    out, err = capsys.readouterr()
    objects = [json.loads(line) for line in out.splitlines()]
    codes = [found.get("error", {}).get("code") for found in objects]
    assert codes == [None, "unknown_model", "empty", "internal_error", None]
    assert "the engine broke" in err
    number = objects[3]["error"]["text"].split()[-1].rstrip(".")
    assert f"error {number}" in err


def test_batch_reads_standard_input(ask, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("llama-13b\nfoo\n"))
    assert ask("--batch", "-") == 0
    first, second = capsys.readouterr().out.split("\n---\n")
    assert first.startswith("# Llama 2 13B")
    assert second.strip() == "⚠️ I don't know the model “foo”. Did you mean `llama-2-13b`?"


@pytest.mark.parametrize("name", ["", "missing.txt"])
def test_batch_without_a_readable_file(ask, capsys, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ask("--batch", name) == 2
    assert "I cannot read" in capsys.readouterr().err


def test_fault_of_ours_has_a_number_and_its_own_status(ask, capsys):
    assert ask("break") == 1
    err = capsys.readouterr().err
    assert "RuntimeError: the engine broke" in err
    assert "Something went wrong on our side." in err


def test_log_that_fails_is_named_and_ends_a_batch(ask, capsys, tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text("full\nllama-13b\n", encoding="utf-8")
    assert ask("full", environ={"GPUSIZE_LANG": "es"}) == 1
    assert capsys.readouterr().err.startswith("Otro proceso ocupa el registro «a.db»")
    assert ask("--batch", str(path)) == 1
    out, err = capsys.readouterr()
    assert (out, err.startswith("Another process holds the log “a.db”")) == ("", True)


def test_broken_catalogue_is_named(capsys):
    @contextmanager
    def opened():
        raise CatalogueError(file="a.toml", detail="no id")
        yield

    assert run(read_arguments(["13b"], {}), opened) == 1
    assert capsys.readouterr().err == "The catalogue is broken at a.toml: no id\n"


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (("full", "--lang", "en"), "Another process"),
        (("--batch", "missing.txt", "--lang", "EN"), "I cannot read"),
        (("13b", "--lang", "fr"), "Escribo en inglés y español"),
    ],
)
def test_errors_are_in_the_language_of_the_option(ask, capsys, arguments, start):
    """`--lang` comes before the environment, which here asks for Spanish."""
    ask(*arguments, environ={"GPUSIZE_LANG": "es"})
    assert capsys.readouterr().err.startswith(start)


def test_help_needs_no_log(ask, service, capsys):
    assert ask("--help") == 0
    assert "`--batch FILE`" in capsys.readouterr().out
    assert ask("-h", environ={"LANG": "es_ES"}) == 0
    assert "`--batch ARCHIVO`" in capsys.readouterr().out
    assert service.asked == []


def _python(code, **environ):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=30,
        env=environ or None,
    )


def test_version_imports_nothing_heavy():
    code = (
        "import sys; from bot.cli import main; status = main(['--version']);"
        "heavy = {'pydantic', 'jinja2', 'rich', 'sqlite_utils', 'slack_bolt', 'markdown_it'};"
        "print(sorted(heavy & sys.modules.keys()), status)"
    )
    found = _python(code)
    assert found.stdout.splitlines() == ["gpusize 0.1.0", "[] 0"], found.stderr


def test_an_answer_loads_nothing_that_only_other_questions_need(tmp_path):
    """NumPy is installed for GGUF files; sqlite-utils would load it wherever it is."""
    code = (
        "import sys; from bot.terminal import main; sys.argv[1:] = ['llama-13b', 'int8'];"
        "status = main();"
        "heavy = {'aiohttp', 'gguf', 'huggingface_hub', 'numpy', 'requests', 'slack_bolt', 'yaml',"
        "         'sqlite_utils', 'rich', 'bot.sources.config', 'sizing.fits', 'sizing.inverse',"
        "         'sizing.passes.answering', 'sizing.training.answer'};"
        "print(sorted(heavy & sys.modules.keys()), status, file=sys.stderr)"
    )
    log = str(tmp_path / "log.db")
    # Making the log takes sqlite-utils; who asks again finds it made.
    assert _python(code, GPUSIZE_DB=log).stderr == "['sqlite_utils'] 0\n"
    assert _python(code, GPUSIZE_DB=log).stderr == "[] 0\n"


@pytest.mark.parametrize(("question", "status"), [("llama-13b", 0), ("foo-bar-9000", 2)])
def test_the_program_hands_its_status_on(question, status, tmp_path):
    code = "import sys; from bot.terminal import main; sys.exit(main())"
    found = subprocess.run(
        [sys.executable, "-c", code, question, "--json"],
        capture_output=True,
        timeout=30,
        env={"GPUSIZE_DB": str(tmp_path / "log.db")},
    )
    assert found.returncode == status
    assert json.loads(found.stdout)["schema"] == "gpusize/1"


def test_reader_that_has_seen_enough_is_no_error():
    code = (
        "import sys; from bot import cli;"
        "cli.run = lambda *_: [print('x' * 99) for _ in range(9999)] and 0;"
        "sys.exit(cli.main([]))"
    )
    command = f'"{sys.executable}" -c "{code}" | head -1; echo "${{PIPESTATUS[0]}}"'
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=30)
    assert found.stdout.splitlines()[-1] == "0"
    assert found.stderr == ""


def _shell(command, tmp_path):
    environ = {"PATH": os.environ["PATH"], "GPUSIZE_DB": str(tmp_path / "log.db"), "LC_ALL": "C"}
    command = f'cli() {{ "{sys.executable}" -c "{CLI}" "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, env=environ, cwd=ROOT
    )


CLI = "import sys; from bot.cli import main; sys.exit(main())"
ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "arguments", ["llama-13b int8", "llama-13b --json", "--help", "--version", "--batch -"]
)
def test_full_disk_is_said_in_a_sentence(arguments, tmp_path):
    found = _shell(f"echo llama-13b | cli {arguments} >/dev/full", tmp_path)
    assert found.returncode == 1
    assert found.stderr == "I cannot write the answer: No space left on device\n"


@pytest.mark.parametrize("arguments", ["llama-13b int8", "llama-13b --json", "--version"])
def test_closed_output_is_no_error(arguments, tmp_path):
    found = _shell(f"cli {arguments} >&-", tmp_path)
    assert (found.returncode, found.stderr) == (0, "")


def test_closed_error_output_does_not_reach_the_answer(tmp_path):
    found = _shell("cli foo-bar-9000 2>&-", tmp_path)
    assert (found.returncode, found.stdout) == (2, "")


def test_terminal_without_unicode_shows_question_marks():
    found = subprocess.run(
        [sys.executable, "-c", "from bot.cli import main; main(['--help', '--lang', 'es'])"],
        capture_output=True,
        timeout=30,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )
    assert found.returncode == 0, found.stderr
    assert b"?" in found.stdout


def test_exit_statuses_are_those_of_the_contract():
    assert (cli.ANSWERED, cli.OUR_FAULT, cli.NOT_UNDERSTOOD) == (0, 1, 2)
