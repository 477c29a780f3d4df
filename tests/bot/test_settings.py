"""Settings are read whole, and what contradicts itself is said in a sentence."""

import string
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.daily_settings import KEEP, RECHECK, REMIND
from bot.database_url import is_sound_url, shown_url
from bot.errors import SettingsError, StorageError, WorkspaceError
from bot.measured_settings import MeasuredSettings, measured_settings
from bot.running import bind_address
from bot.settings import (
    Mode,
    SlackTransport,
    language,
    load_settings,
    without_slack,
)
from bot.settings_text import problem_text, settings_sentences, settings_table
from bot.store_settings import StoreSettings, store_settings, workspace_store
from sizing.errors import CatalogueError

DOCS = Path(__file__).parents[2] / "docs" / "configuration.md"
BOT = {"SLACK_BOT_TOKEN": "xoxb-1-secret"}
APP = {"SLACK_APP_TOKEN": "xapp-1-secret"}
SECRET = {"SLACK_SIGNING_SECRET": "0123456789abcdef0123456789abcdef"}
HTTP = {"GPUSIZE_TRANSPORT": "http"}
HOME = {"HOME": "/home/ana"}


class Recorder(Mapping):
    """Environment that remembers which variables were read."""

    def __init__(self, values):
        self._values = values
        self.read = set()

    def __getitem__(self, name):
        self.read.add(name)
        return self._values[name]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)


def _problems(environ):
    with pytest.raises(SettingsError) as caught:
        load_settings(HOME | environ)
    return caught.value.problems


def _documented():
    rows = [line.split("|") for line in DOCS.read_text(encoding="utf-8").splitlines()]
    cells = [[cell.strip() for cell in row[1:-1]] for row in rows if len(row) == 5]
    return {name.strip("`"): default.strip("`") for name, default, _ in cells if name[0] == "`"}


class TestModes:
    def test_without_tokens_the_local_workspace(self):
        settings = load_settings(HOME)
        assert settings.mode is Mode.LOCAL
        assert settings.transport is SlackTransport.SOCKET

    def test_the_local_workspace_needs_nothing_of_slack(self):
        settings = load_settings(without_slack(HOME | BOT | HTTP))
        assert settings == load_settings(HOME)

    def test_empty_and_blank_values_are_not_set(self):
        environ = HOME | {"SLACK_BOT_TOKEN": "", "SLACK_APP_TOKEN": " \n", "PORT": ""}
        assert load_settings(environ) == load_settings(HOME)

    def test_both_tokens_connect_to_slack(self):
        settings = load_settings(HOME | BOT | APP)
        assert settings.mode is Mode.SLACK
        assert (settings.bot_token, settings.app_token) == ("xoxb-1-secret", "xapp-1-secret")

    def test_http_takes_the_signing_secret_and_tolerates_an_app_token(self):
        settings = load_settings(HOME | BOT | APP | SECRET | HTTP)
        assert settings.transport is SlackTransport.HTTP
        assert settings.signing_secret == SECRET["SLACK_SIGNING_SECRET"]

    def test_a_token_pasted_with_a_line_end_is_taken(self):
        settings = load_settings(HOME | APP | {"SLACK_BOT_TOKEN": " xoxb-1-secret\n"})
        assert settings.bot_token == "xoxb-1-secret"

    def test_no_secret_is_printed(self):
        printed = repr(load_settings(HOME | BOT | APP | SECRET))
        assert "secret'" not in printed
        assert SECRET["SLACK_SIGNING_SECRET"] not in printed

    def test_the_rest_is_read(self):
        settings = load_settings(
            {
                "GPUSIZE_DB": "/srv/log.db",
                "GPUSIZE_LANG": "ES",
                "GPUSIZE_LOG_LEVEL": "Debug",
                "GPUSIZE_HOST": "::1",
                "PORT": "0",
                "SLACK_API_URL": "http://127.0.0.1:8123/api",
            }
        )
        assert settings.store == StoreSettings(Path("/srv/log.db"))
        assert (settings.language, settings.log_level) == ("es", "DEBUG")
        assert (settings.host, settings.port) == ("::1", 0)
        assert settings.api_url == "http://127.0.0.1:8123/api/"
        assert settings.warnings == ()


class TestSecondOpinion:
    @pytest.mark.parametrize(("value", "limit_s"), [("1", 1), ("600", 600), (" 90 ", 90), ("", 60)])
    def test_its_time(self, value, limit_s):
        found = load_settings(HOME | {"GPUSIZE_SECOND_OPINION_S": value}).measured
        assert (found.time_limit_s, found.command) == (limit_s, None)

    @pytest.mark.parametrize("value", ["0", "601", "-5", "1.5", "60 s", "²"])
    def test_what_is_no_time_stops_the_bot_and_not_the_terminal(self, value):
        environ = {"GPUSIZE_SECOND_OPINION_S": value}
        assert [one.code for one in _problems(environ)] == ["time_limit"]
        assert measured_settings(environ) == MeasuredSettings()


class TestHub:
    """The Hub is on, except where requests come from the Internet, unless it is told."""

    def test_on_in_socket_mode_and_in_the_local_workspace(self):
        assert load_settings(HOME).hub.cache == Path("/home/ana/.cache/gpusize")
        assert load_settings(HOME | BOT | APP).hub is not None

    def test_off_over_http_until_it_is_switched_on(self):
        http = HOME | BOT | SECRET | HTTP
        assert load_settings(http).hub is None
        assert load_settings(http | {"GPUSIZE_HUB": "on"}).hub is not None

    def test_off_where_it_is_switched_off(self):
        assert load_settings(HOME | {"GPUSIZE_HUB": "OFF"}).hub is None
        assert [one.code for one in _problems({"GPUSIZE_HUB": "maybe"})] == ["choice"]

    def test_folders_and_address(self):
        cache = {"XDG_CACHE_HOME": "/var/cache", "HF_ENDPOINT": "https://mirror.example/"}
        hub = load_settings(HOME | cache).hub
        assert (hub.cache, hub.endpoint) == (
            Path("/var/cache/gpusize"),
            "https://mirror.example",
        )
        named = load_settings(HOME | cache | {"GPUSIZE_CACHE": "/srv/cache"}).hub
        assert named.cache == Path("/srv/cache")

    def test_a_bot_never_sends_the_token_of_whoever_runs_it(self):
        assert not load_settings(HOME | BOT | APP).hub.sends_token


class TestProblems:
    @pytest.mark.parametrize(
        ("environ", "codes"),
        [
            (BOT, ["missing_slack_app_token"]),
            (APP, ["missing_slack_bot_token"]),
            (SECRET, ["missing_slack_bot_token", "missing_slack_app_token"]),
            (BOT | SECRET, ["missing_slack_app_token"]),
            (BOT | HTTP, ["missing_slack_signing_secret"]),
            (SECRET | HTTP, ["missing_slack_bot_token"]),
            (BOT | APP | HTTP, ["missing_slack_signing_secret"]),
            (BOT | APP | {"SLACK_CLIENT_ID": "1.2"}, ["oauth"]),
            ({"SLACK_CLIENT_ID": ""}, ["oauth"]),
            (APP | {"SLACK_BOT_TOKEN": "xoxp-1"}, ["wrong_token"]),
            (APP | {"SLACK_BOT_TOKEN": "xapp-1"}, ["wrong_token"]),
            (APP | {"SLACK_BOT_TOKEN": "xoxe.xoxb-1"}, ["wrong_token"]),
            (BOT | {"SLACK_APP_TOKEN": "xoxb-1"}, ["wrong_token"]),
            (APP | {"SLACK_BOT_TOKEN": "0123456789abcdef"}, ["no_token"]),
            (APP | {"SLACK_BOT_TOKEN": '"xoxb-1"'}, ["no_token"]),
            (BOT | HTTP | {"SLACK_SIGNING_SECRET": "xapp-1"}, ["secret_is_token"]),
            (BOT | APP | {"GPUSIZE_TRANSPORT": "websocket"}, ["choice"]),
            ({"GPUSIZE_LANG": "fr", "GPUSIZE_LOG_LEVEL": "loud"}, ["choice", "choice"]),
            (HTTP, ["missing_slack_bot_token", "missing_slack_signing_secret"]),
            (
                {"GPUSIZE_TRANSPORT": "socket"},
                ["missing_slack_bot_token", "missing_slack_app_token"],
            ),
            ({"GPUSIZE_HOST": "127.0.0.1:3000"}, ["host"]),
            ({"GPUSIZE_HOST": "999.0.0.1"}, ["host"]),
            ({"GPUSIZE_HOST": "[::1"}, ["host"]),
            ({"GPUSIZE_HOST": "http://bot.example.com"}, ["host"]),
            ({"GPUSIZE_HOST": "-bot.example.com"}, ["host"]),
            ({"PORT": "65536"}, ["port"]),
            ({"PORT": "-1"}, ["port"]),
            ({"PORT": "http"}, ["port"]),
            ({"PORT": "٣٠٠٠"}, ["port"]),
        ],
    )
    def test_each_contradiction_is_named(self, environ, codes):
        assert [problem.code for problem in _problems(environ)] == codes

    @pytest.mark.parametrize(
        "url",
        [
            "https://slack.com/api/",
            "http://127.0.0.1.example.com/",
            "http://localhost@example.com/",
            "http://192.168.1.2:8123/",
            "http://0.0.0.0:8123/",
            "file:///etc/passwd",
            "127.0.0.1:8123",
            "http://[::1",
        ],
    )
    def test_a_token_is_sent_to_no_other_machine(self, url):
        assert [problem.code for problem in _problems({"SLACK_API_URL": url})] == ["api_url"]

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "[::1]"])
    def test_this_machine_is_taken(self, host):
        url = f"http://{host}:8123/api/"
        assert load_settings(HOME | {"SLACK_API_URL": url}).api_url == url

    @pytest.mark.parametrize(
        ("host", "bound"),
        [
            ("::1", "[::1]:3000"),
            ("[::1]", "[::1]:3000"),
            ("192.0.2.1", "192.0.2.1:3000"),
            ("localhost", "localhost:3000"),
            ("gpu-1.example.com", "gpu-1.example.com:3000"),
        ],
    )
    def test_the_address_to_listen_on_as_the_server_reads_it(self, host, bound):
        assert bind_address(load_settings(HOME | {"GPUSIZE_HOST": host})) == bound

    @pytest.mark.parametrize("lang", ["en", "es"])
    @pytest.mark.parametrize("environ", [
        BOT | {"SLACK_APP_TOKEN": "xoxb-very-secret"},
        APP | {"SLACK_BOT_TOKEN": "very-secret"},
        BOT | HTTP | {"SLACK_SIGNING_SECRET": "xoxb-very-secret"},
    ])  # fmt: skip
    def test_no_sentence_tells_a_secret(self, environ, lang):
        sentences = settings_sentences(_problems(environ), lang)
        assert sentences
        assert "very-secret" not in " ".join(sentences)

    def test_a_disk_that_is_thrown_away_is_a_warning(self):
        settings = load_settings(HOME | {"DYNO": "worker.1"})
        (sentence,) = settings_sentences(settings.warnings, "en")
        assert "/home/ana/.local/share/gpusize/gpusize.db" in sentence


class TestSentences:
    def test_both_languages_have_the_same_sentences_with_the_same_values(self):
        english, spanish = settings_table("en"), settings_table("es")
        assert english.keys() == spanish.keys()
        for code, sentence in english.items():
            assert _fields(sentence) == _fields(spanish[code]), code

    def test_a_sentence_names_variable_value_and_remedy(self):
        problems = _problems({"GPUSIZE_LANG": "fr"})
        assert settings_sentences(problems, "en") == (
            "GPUSIZE_LANG is “fr”: set it to one of en, es.",
        )
        assert settings_sentences(problems, "es") == (
            "GPUSIZE_LANG vale «fr»: use uno de estos valores: en, es.",
        )

    def test_every_problem_of_the_start_has_its_line(self):
        """All settings that are wrong, a warning, and a log that does not open."""
        spanish = HOME | {"GPUSIZE_LANG": "es"}
        with pytest.raises(SettingsError) as caught:
            load_settings(spanish | SECRET | {"PORT": "x"})
        lines = problem_text(caught.value, spanish).splitlines()
        assert [line.split()[0] for line in lines] == ["PORT", "Falta", "Falta"]
        (warning,) = load_settings(HOME | {"DYNO": "web.1"}).warnings
        assert problem_text(warning, HOME).startswith("This platform throws its disk away")
        taken = WorkspaceError("The workspace cannot listen.")
        assert problem_text(taken, HOME) == "The workspace cannot listen."
        data = CatalogueError(file="gpus.toml", detail="no name")
        assert problem_text(data, HOME) == "The catalogue is broken at gpus.toml: no name"
        error = StorageError("log_not_a_log", path="/srv/notes.txt")
        assert "/srv/notes.txt" in problem_text(error, HOME)


def _fields(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


class TestDatabasePath:
    @pytest.mark.parametrize(
        ("environ", "path"),
        [
            ({"GPUSIZE_DB": "/srv/log.db", "XDG_DATA_HOME": "/data"}, "/srv/log.db"),
            ({"XDG_DATA_HOME": "/data"}, "/data/gpusize/gpusize.db"),
            ({}, "/home/ana/.local/share/gpusize/gpusize.db"),
            ({"XDG_DATA_HOME": "data"}, "/home/ana/.local/share/gpusize/gpusize.db"),
        ],
    )
    def test_where_the_log_is(self, environ, path):
        assert store_settings(HOME | environ) == StoreSettings(Path(path))

    def test_the_local_workspace_keeps_a_log_of_its_own(self):
        named = {"GPUSIZE_DB": "/srv/log.db"}
        assert workspace_store(HOME | named) == StoreSettings(Path("/srv/log.db"))
        assert workspace_store(HOME | {"XDG_DATA_HOME": "/data"}) == StoreSettings(
            Path("/data/gpusize/workspace.db")
        )

    def test_a_relative_name_is_fixed_to_the_present_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert store_settings({"GPUSIZE_DB": "log.db"}).path == tmp_path / "log.db"


URL = "postgres://ana:s3cret@db.example.com:5432/log?sslmode=require"


class TestDatabaseUrl:
    def test_a_database_that_a_platform_attaches_has_the_log(self):
        attached = {"DATABASE_URL": f" {URL}\n", "GPUSIZE_DB": "/srv/log.db"}
        settings = load_settings(HOME | BOT | APP | attached)
        assert settings.store.url == URL
        assert store_settings(HOME | attached).url == URL
        assert "s3cret" not in repr(settings)

    def test_an_empty_address_is_none(self):
        named = {"DATABASE_URL": "", "GPUSIZE_DB": "/srv/log.db"}
        assert store_settings(HOME | named) == StoreSettings(Path("/srv/log.db"))

    def test_the_local_workspace_takes_one_that_is_meant_for_it_alone(self):
        assert workspace_store(HOME | {"DATABASE_URL": URL}).url is None
        assert workspace_store(HOME | {"GPUSIZE_DB": URL}).url == URL
        assert store_settings(HOME | {"GPUSIZE_DB": URL}).url == URL

    def test_a_disk_that_is_thrown_away_matters_no_more(self):
        assert load_settings(HOME | {"DYNO": "worker.1", "DATABASE_URL": URL}).warnings == ()

    def test_a_database_of_another_kind_stops_the_bot_alone(self):
        """On a developer's machine, the variable is often another program's."""
        other = {"DATABASE_URL": "mysql://ana:s3cret@db.example.com/shop"}
        assert [one.code for one in _problems(BOT | APP | other)] == ["database_url"]
        assert load_settings(HOME | other).store.url is None
        assert store_settings(HOME | other).url is None

    @pytest.mark.parametrize("lang", ["en", "es"])
    @pytest.mark.parametrize(
        "url",
        [
            "postgres://ana:s3/cret@db/log",
            "postgres://ana:12/s3cret@db/log",
            "postgres://ana:s3@cret@db/log",
            "postgres://ana:s3cret#@db/log",
            "postgres://ana:s3?cret@db/log",
            "postgres://ana:s3cret@db:port/log",
            "postgres://ana:s3cret@db:65536/log",
            "postgres://ana:s3cret@db/log?sslmode=always",
            "postgres://ana:s3cret@[::1/log",
        ],
    )
    @pytest.mark.parametrize("name", ["DATABASE_URL", "GPUSIZE_DB"])
    def test_an_address_that_is_none_is_named_and_not_shown(self, url, lang, name):
        problems = _problems({name: url})
        (sentence,) = settings_sentences(problems, lang)
        assert sentence.startswith(name)
        assert "cret" not in sentence

    @pytest.mark.parametrize(
        ("url", "shown"),
        [
            (URL, "db.example.com:5432/log"),
            ("postgresql://ana:p%40ss%2F@db/log", "db/log"),
            ("POSTGRES://ana@[::1]:5433/log", "[::1]:5433/log"),
            ("postgresql:///log?host=/var/run/postgresql", "/var/run/postgresql/log"),
            ("postgresql://a:b@one:1,two:2/log", "one:1,two:2/log"),
            ("postgresql://db", "db"),
            ("postgresql://", "localhost"),
            ("postgres://u:p@%2Fvar%2Frun/log", "%2Fvar%2Frun/log"),
        ],
    )
    def test_what_people_may_read_of_an_address(self, url, shown):
        assert is_sound_url(url)
        assert shown_url(url) == shown


DAYS = [
    (RECHECK, "recheck_days", 90, 3650),
    (REMIND, "remind_days", 3, 90),
    (KEEP, "keep_days", None, 36500),
]


class TestDaysOfDailyWork:
    @pytest.mark.parametrize(("days", "name", "default", "most"), DAYS)
    def test_what_can_be_set(self, days, name, default, most):
        for text, value in [
            ("", default), ("off", None), (" OFF ", None), ("1", 1), (str(most), most), ("007", 7),
        ]:  # fmt: skip
            assert getattr(load_settings(HOME | {days.name: text}), name) == value

    @pytest.mark.parametrize("lang", ["en", "es"])
    @pytest.mark.parametrize(("days", "name", "default", "most"), DAYS)
    def test_what_cannot(self, days, name, default, most, lang):
        for text in ("0", str(most + 1), "-1", "3.5", "three", "on", "\u0663", "999999"):
            problems = _problems({days.name: text})
            assert [one.code for one in problems] == ["days"]
            (sentence,) = settings_sentences(problems, lang)
            assert sentence.startswith(days.name)
            assert text in sentence
            assert str(most) in sentence


def test_an_unknown_language_falls_back_to_english_where_nobody_checks():
    assert [language({"GPUSIZE_LANG": value}) for value in ("es", "fr", "")] == ["es", "en", "en"]


def test_the_documentation_names_every_variable_that_is_read_and_no_other():
    environ = Recorder({})
    load_settings(environ)
    assert set(_documented()) == environ.read


def test_the_documented_defaults_are_the_defaults():
    settings = load_settings({"HOME": "~"})
    assert _documented() == {
        "SLACK_BOT_TOKEN": "none",
        "SLACK_APP_TOKEN": "none",
        "SLACK_SIGNING_SECRET": "none",
        "GPUSIZE_TRANSPORT": settings.transport,
        "GPUSIZE_HOST": settings.host,
        "PORT": str(settings.port),
        "DATABASE_URL": str(settings.store.url).lower(),
        "GPUSIZE_DB": str(settings.store.path),
        "GPUSIZE_LANG": settings.language,
        "GPUSIZE_LOG_LEVEL": settings.log_level.lower(),
        "GPUSIZE_HUB": "on" if settings.hub else "off",
        "GPUSIZE_CACHE": str(settings.hub.cache),
        "HF_ENDPOINT": str(settings.hub.endpoint).lower(),
        "GPUSIZE_SECOND_OPINION_S": str(settings.measured.time_limit_s),
        "XDG_CACHE_HOME": str(settings.hub.cache.parent),
        "GPUSIZE_APPROVERS": "none",
        "GPUSIZE_APPROVALS": str(settings.standing.needed),
        "GPUSIZE_SELF_APPROVAL": "on" if settings.standing.may_approve_own else "off",
        "GPUSIZE_THREAD_COMMENTS": "on" if settings.thread_comments else "off",
        "GPUSIZE_RECHECK_DAYS": str(settings.recheck_days),
        "GPUSIZE_REMIND_DAYS": str(settings.remind_days),
        "GPUSIZE_KEEP_DAYS": "off" if settings.keep_days is None else str(settings.keep_days),
        "SLACK_API_URL": settings.api_url,
        "XDG_DATA_HOME": str(settings.store.path.parents[1]),
        "HOME": "the account's",
        "DYNO": "none",
        "SLACK_CLIENT_ID": "none",
    }
