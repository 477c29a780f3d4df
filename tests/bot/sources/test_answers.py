"""A model outside the catalogue is answered, logged and recomputed like any other."""

import json

import pytest

from bot.assembly import build_service
from bot.cli import main
from bot.reply import Asker, ReplyKind, Transport
from bot.sources.files import terminal_sources
from bot.sources.references import reference_to
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.request import SizingRequest

LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14_336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128_256, "max_position_embeddings": 131_072, "torch_dtype": "bfloat16",
}  # fmt: skip
TERMINAL = Asker("ana", None, Transport.TERMINAL)
SLACK = Asker("U1", "C1", Transport.SLACK, team_id="T1")


@pytest.fixture
def log(tmp_path):
    opened = SqliteLog(tmp_path / "log.db")
    yield opened
    opened.close()


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "My models"
    folder.mkdir()
    file = folder / "Config, v1.json"
    file.write_text(json.dumps(LLAMA))
    return file


def _run(monkeypatch, tmp_path, *arguments):
    monkeypatch.setenv("GPUSIZE_DB", str(tmp_path / "cli.db"))
    return main(arguments)


def test_a_file_answers_as_the_catalogue_does(monkeypatch, tmp_path, path, capsys):
    """The same shape and the same load: the same memory and the same sets."""
    assert _run(monkeypatch, tmp_path, "--file", str(path), "int8", "users=8", "--json") == 0
    ours = json.loads(capsys.readouterr().out)
    assert _run(monkeypatch, tmp_path, "llama-3.1-8b", "int8", "users=8", "--json") == 0
    catalogue = json.loads(capsys.readouterr().out)
    assert ours["memory"] == catalogue["memory"]
    for answer in (ours, catalogue):
        # Nobody published a measurement of this file.
        answer["options"][0]["performance"].pop("measured")
    assert ours["options"] == catalogue["options"]
    assert ours["understood"]["source"] == path.name
    assert catalogue["understood"]["source"] is None
    codes = [note["code"] for note in ours["assumptions"]]
    assert "given_model" in codes


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_answer_says_where_the_shape_comes_from(monkeypatch, tmp_path, path, capsys, lang):
    assert _run(monkeypatch, tmp_path, "--file", str(path), "int8", "--lang", lang) == 0
    assert path.name in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.json", None, "cannot read"),
        ("config.json", "[1]", "not a JSON table"),
        ("config.json", '{"model_type": "llama"}', "hidden_size"),
        ("config.json", " " * 1_000_001, "larger than"),
    ],
)
def test_a_bad_file_is_refused_in_words(monkeypatch, tmp_path, capsys, name, content, words):
    file = tmp_path / name
    if content is not None:
        file.write_text(content)
    assert _run(monkeypatch, tmp_path, "--file", str(file), "int8") == 2
    assert words in capsys.readouterr().err


def test_a_folder_and_an_empty_name_are_refused(monkeypatch, tmp_path, capsys):
    assert _run(monkeypatch, tmp_path, "--file", str(tmp_path)) == 2
    assert _run(monkeypatch, tmp_path, "int8", "--file") == 2


def test_nobody_reads_files_of_this_machine_through_slack(log, path):
    service = build_service(log)
    reply = service.handle(f"{reference_to(str(path))} int8", SLACK, None)
    assert (reply.kind, reply.error.code) == (ReplyKind.ERROR, "no_files")


def test_the_hub_is_off_unless_it_is_switched_on(log):
    reply = build_service(log).handle("hf:acme/zephyr-zz int8", SLACK, None)
    assert reply.error.code == "no_hub"


def test_the_log_holds_all_that_the_answer_came_from(log, path):
    """The file may be gone: request and catalogue give the same answer again."""
    service = build_service(log, terminal_sources())
    reply = service.handle(f"{reference_to(str(path))} int8 users=8", TERMINAL, None)
    path.unlink()
    row = log.get_answer(reply.answer_id, team_id=None, viewer=None, channel=None)
    request = SizingRequest.model_validate_json(row.request_json)
    assert size(request, load_catalogue()) == reply.answer
    assert service.handle(f"show {reply.answer_id}", TERMINAL, None).answer == reply.answer
    assert service.handle(f"explain {reply.answer_id}", TERMINAL, None).kind is ReplyKind.EXPLAIN


def test_an_unknown_type_is_an_estimate_and_says_so(log, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA | {"model_type": "brandnew"}))
    service = build_service(log, terminal_sources())
    reply = service.handle(f"{reference_to(str(file))} int8", TERMINAL, None)
    assert "unknown_model_type" in [note.code for note in reply.answer.warnings]
    assert "“brandnew”" in reply.markdown
