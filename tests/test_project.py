"""What holds for the project as a whole: its files, its size, its commands and its documents."""

import ast
import json
import re
import statistics
import subprocess
from pathlib import Path

import pytest

from bot.cli import main
from tools import json_reference, log_reference
from tools.console_blocks import refreshed

ROOT = Path(__file__).parents[1]
LONGEST_MODULE = 300
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 10
MOST_POSITIONAL = 4
MODULES = sorted(path for top in ("bot", "sizing") for path in (ROOT / top).rglob("*.py"))
FUNCTIONS = [
    (path, node)
    for path in MODULES
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
]

# Spelled with other separators, so that this file does not hold what it looks for.
MACHINE_PATHS = [
    path.replace("|", "/") for path in ("|root|", "|work|", "|opt|wheels", "|opt|pypi")
]
INDEX_HOSTS = [
    host.replace("|", ".") for host in ("pypi|org", "pythonhosted|org", "npmjs|org", "debian|org")
]


def _files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def _text(path):
    return path.read_text(encoding="utf-8", errors="replace")


def _lines(node):
    return node.end_lineno - node.lineno + 1


def _names(found):
    return [f"{path.relative_to(ROOT)}: {what}" for path, what in found]


class TestFiles:
    @pytest.mark.parametrize("word", MACHINE_PATHS + INDEX_HOSTS)
    def test_no_file_names_a_machine_or_a_package_index(self, word):
        found = [path for path in _files() if word in _text(path)]
        assert [str(path.relative_to(ROOT)) for path in found] == []

    def test_no_log_and_no_secret_is_in_the_project(self):
        suspects = [path.name for path in _files() if path.suffix in {".db", ".env", ".pem"}]
        assert suspects == []
        token = re.compile(r"xox[bp]-[0-9]{9,}-[0-9]{9,}-[A-Za-z0-9]{20,}")
        assert [path.name for path in _files() if token.search(_text(path))] == []


class TestSize:
    def test_modules_stay_short(self):
        lengths = [(path, len(_text(path).splitlines())) for path in MODULES]
        assert _names(found for found in lengths if found[1] > LONGEST_MODULE) == []

    def test_no_function_is_long(self):
        long = [(path, node.name) for path, node in FUNCTIONS if _lines(node) > LONGEST_FUNCTION]
        assert _names(long) == []

    def test_most_functions_are_short(self):
        assert statistics.median(_lines(node) for _, node in FUNCTIONS) <= MEDIAN_FUNCTION

    def test_arguments_beyond_four_are_named(self):
        crowded = [
            (path, node.name)
            for path, node in FUNCTIONS
            if len(
                [
                    arg
                    for arg in node.args.posonlyargs + node.args.args
                    if arg.arg not in {"self", "cls"}
                ]
            )
            > MOST_POSITIONAL
        ]
        assert _names(crowded) == []


class TestMake:
    targets = re.findall(r"^([a-z]+):.*## ", _text(ROOT / "Makefile"), re.MULTILINE)

    def test_help_lists_every_target(self):
        phony = re.search(r"^\.PHONY: (.*)$", _text(ROOT / "Makefile"), re.MULTILINE)[1].split()
        shown = subprocess.run(
            ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        assert sorted(line.split()[1] for line in shown) == sorted(phony)
        assert all(len(line.split()) > 3 for line in shown)

    @pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
    def test_the_documents_name_targets_that_exist(self, name):
        named = re.findall(r"`make ([a-z]+)", _text(ROOT / name))
        assert named
        assert set(named) <= set(self.targets)

    def test_ci_runs_targets_that_exist(self):
        assert set(re.findall(r"\bmake ([a-z]+)\b", _text(ROOT / ".ci" / "run"))) <= set(
            self.targets
        )


class TestMakeVenv:
    """The script that looks for a Python, run against programs that only pretend to be one."""

    def _run(self, tmp_path, body):
        fake = tmp_path / "python"
        fake.write_text(f"#!/bin/sh\n{body}\n")
        fake.chmod(0o700)
        return subprocess.run(
            ["sh", ROOT / "tools" / "make_venv.sh", tmp_path / "venv"],
            env={"PATH": "/usr/bin:/bin", "PYTHON": str(fake)},
            capture_output=True,
            text=True,
        )

    def test_a_name_that_does_not_run_is_no_python(self, tmp_path):
        done = self._run(tmp_path, "exit 127")
        assert done.returncode == 1
        assert done.stderr.startswith("Python 3.11 or newer is needed")

    def test_a_missing_module_is_named_with_the_package_that_brings_it(self, tmp_path):
        done = self._run(tmp_path, 'case "$2" in *ensurepip*) exit 1;; esac')
        assert done.returncode == 1
        assert "apt install python3-venv" in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_a_python_that_can_makes_the_environment(self, tmp_path):
        done = self._run(tmp_path, f'echo "$@" >> {tmp_path}/said')
        assert done.returncode == 0
        assert (tmp_path / "said").read_text().endswith(f"-m venv --clear {tmp_path}/venv\n")


class TestDocuments:
    def test_the_readme_shows_what_the_commands_print(self):
        """`make docs` brings it up to date."""
        readme = _text(ROOT / "README.md")
        assert "```console\n$ gpusize " in readme
        assert refreshed(readme) == readme

    def test_the_reference_of_the_json_is_up_to_date(self):
        """`make docs` writes it."""
        assert _text(json_reference.PAGE) == json_reference.reference()
        assert _text(json_reference.SPEC_PAGE) == json_reference.spec_reference()
        assert _text(json_reference.DECISIONS_PAGE) == json_reference.decisions_reference()

    def test_the_reference_of_the_log_is_up_to_date(self):
        """`make docs` writes it from the tables that the program makes."""
        assert _text(log_reference.PAGE) == log_reference.reference()

    def test_what_datasette_is_told_is_there(self):
        """Tables that another library keeps are only hidden."""
        told = json.loads(_text(ROOT / "docs" / "datasette.json"))["databases"]["gpusize"]["tables"]
        tables = log_reference.tables()
        for name, how in told.items():
            named = [*how.get("facets", ()), how.get("sort_desc"), how.get("label_column")]
            assert how.get("hidden") or set(filter(None, named)) <= tables[name].keys(), name

    def test_every_key_of_an_answer_is_in_the_reference(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "log.db"))
        main(["llama-13b int8 2xh100", "--json"])
        found = json.loads(capsys.readouterr().out)
        page = _text(json_reference.PAGE)
        parts = (found, found["understood"], found["memory"], found["options"][0])
        for key in {key for part in parts for key in part}:
            assert f"`{key}`" in page, key

    def test_links_inside_the_project_lead_somewhere(self):
        documents = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
        for document in [*documents, *(ROOT / "docs").glob("*.md")]:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", _text(document)):
                assert (document.parent / target).exists(), f"{document.name}: {target}"

    def test_the_changelog_keeps_its_headings(self):
        text = _text(ROOT / "CHANGELOG.md")
        allowed = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Catalogue"}
        assert text.startswith("# Changelog\n")
        assert re.search(r"^## \[(.*?)\]", text, re.MULTILINE)[1] == "Unreleased"
        assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= allowed
        assert "### Catalogue" in text
