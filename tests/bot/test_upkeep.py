"""The commands of `gpusize-bot` about a log as a whole, as they are typed."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

import pytest

from bot.__main__ import main
from bot.cli import main as ask
from bot.storage.sqlite import SqliteLog


@pytest.fixture
def typed(capsys, monkeypatch, tmp_path):
    """Run `gpusize-bot` and return status, output and errors."""
    monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "gpusize.db"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("GPUSIZE_LANG", raising=False)

    def run(*arguments, program=main):
        capsys.readouterr()
        status = program(list(map(str, arguments)))
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def lines(typed, tmp_path):
    """A file with one decision about one answer."""
    for line in ("llama-13b int8", "save A-1 Two cards"):
        assert typed(line, program=ask)[0] == 0
    status, said, _ = typed("export", "--out", tmp_path / "log.jsonl", program=ask)
    assert (status, said) == (0, "Decisions exported: 1; answers they rest on: 1.\n")
    return tmp_path / "log.jsonl"


def test_export_prints_the_lines_themselves(typed, lines):
    assert typed("export", program=ask)[1].encode() == lines.read_bytes()


def test_a_file_of_another_kind_is_refused(typed, lines, tmp_path):
    status, _, said = typed("export", "--out", tmp_path / "log.doc", program=ask)
    assert status == 2
    assert "`.jsonl`, `.csv` and `.xlsx`" in said


def test_a_file_of_measurements_is_named_beside_the_list(typed, lines, tmp_path):
    file = tmp_path / "cases.csv"
    assert typed("actual A-1 28 GB 92 tok/s", program=ask)[0] == 0
    status, listed, said = typed("actuals", "--out", file, program=ask)
    assert status == 0
    assert "| Measured |" in listed
    assert said.startswith(f"Written: {file}, rows: 1.\nNot in that file: A-1 Memory")
    assert "Written" not in listed


def test_import_into_another_log(typed, lines, tmp_path, monkeypatch):
    monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "other.db"))
    assert typed("import", lines, "--dry-run")[1].startswith("Would import: decisions 1, events 1,")
    assert typed("import", lines)[1].startswith("Imported: decisions 1, events 1, answers 1,")
    assert typed("import", lines)[1].endswith("lines that were there already: 2.\n")
    assert typed("export", program=ask)[1].encode() == lines.read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".jsonl"])
@pytest.mark.parametrize(
    ("language", "start", "advice"),
    [
        ("en", "Line {} is not an object of JSON.", "as `gpusize export --out"),
        ("es", "La línea {} no es un objeto JSON.", "como las escribe `gpusize export --out"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused_in_the_language_of_the_owner(
    typed, lines, tmp_path, monkeypatch, language, start, advice, ending
):
    monkeypatch.setenv("GPUSIZE_LANG", language)
    file, line = tmp_path / f"broken{ending}", 1
    if ending == ".jsonl":
        file.write_bytes(lines.read_bytes() + b"{\n")
        line = 3
    else:
        assert typed("export", "--out", file, program=ask)[0] == 0
    status, _, said = typed("import", file)
    assert status == 1
    assert said.startswith(start.format(line))
    assert advice in said
    for raw in ("Expecting", "codec", "column", "char "):
        assert raw not in said


def test_a_field_that_is_wrong_is_named_in_the_language_of_the_owner(typed, lines, monkeypatch):
    monkeypatch.setenv("GPUSIZE_LANG", "es")
    lines.write_bytes(lines.read_bytes().replace(b'"id":1,', b'"id":"x",', 1))
    said = typed("import", lines)[2]
    assert said.startswith("No se puede leer la línea 1: su campo `id` falta o no es lo que")
    assert "nput should" not in said


def test_a_file_that_is_not_there(typed, tmp_path):
    assert "cannot read" in typed("import", tmp_path / "no.jsonl")[2]


def test_backup_and_restore(typed, lines, tmp_path):
    copy = tmp_path / "copy.db"
    assert typed("backup", copy)[1] == f"Copied to {copy} and checked: answers 1, decisions 1.\n"
    assert typed("backup", copy)[0] == 1
    typed("mistral-7b fp16", program=ask)
    status, said, _ = typed("restore", copy)
    assert status == 0
    assert said.splitlines()[1].startswith("The log of before is kept as ")
    with closing(SqliteLog(tmp_path / "gpusize.db")) as log:
        assert len(log.list_answers(team_id=None)) == 1


def test_no_restore_below_a_running_program(typed, lines, tmp_path):
    typed("backup", tmp_path / "copy.db")
    holder = "import sys; from pathlib import Path; from bot.storage.sqlite import SqliteLog; "
    holder += "log = SqliteLog(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(tmp_path / "gpusize.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"open\n"
        status, _, said = typed("restore", tmp_path / "copy.db")
        process.stdin.close()
    assert status == 1
    assert "stop the bot" in said


@pytest.mark.parametrize(("command", "tool"), [("backup", "pg_dump"), ("restore", "pg_restore")])
def test_a_log_in_postgresql_has_tools_of_its_own(typed, monkeypatch, tmp_path, command, tool):
    monkeypatch.setenv("DATABASE_URL", "postgres://ben:secret@db.example/gpusize")
    status, _, said = typed(command, tmp_path / "copy.db")
    assert status == 1
    assert f"`{tool} --" in said
    assert "secret" not in said


def test_forget_and_prune(typed, lines):
    from getpass import getuser

    said = typed("forget", "--user", getuser())[1]
    assert said.startswith("person-")
    assert "answers 1, ticks 0, events 1" in said
    assert typed("forget", "--user", "nobody-of-that-name")[0] == 1
    assert typed("prune", "--older-than", "730d")[1] == (
        "Taken out: answers 0, ticks 0, measurements 0.\n"
    )


@pytest.mark.parametrize("age", ["0d", "two years", "-1", "730w", ""])
def test_an_age_that_is_none(typed, age, capsys):
    with pytest.raises(SystemExit):
        typed("prune", "--older-than", age)
    assert "is not an age in days" in capsys.readouterr().err
