"""Fetch the shape of a model from the Hugging Face Hub, within limits, and keep it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from bot.errors import CodedError
from bot.hub_settings import HubSettings
from bot.sources.bounded import LARGEST_CONFIG_BYTES, read_bounded
from sizing.records import GivenModel

CONFIG: Final = "config.json"

DEADLINE_S: Final = 10.0
"""Time for all requests of one question together, s; the asker waits that long."""

REQUEST_S: Final = 5.0
"""Time for the answer to one request, s."""

COMMIT_DIGITS: Final = 7

T = TypeVar("T")


def hub_reader(settings: HubSettings | None) -> Callable[[str], GivenModel] | None:
    """Return the reader of repositories; None where the Hub is off."""
    return None if settings is None else Hub(settings).model


@dataclass(frozen=True)
class Hub:
    """Reads the `config.json` of repositories."""

    settings: HubSettings
    deadline_s: float = DEADLINE_S

    def model(self, name: str) -> GivenModel:
        """Return the model of `organisation/name`, with a revision behind `@` where one is asked.

        What was fetched before serves where the Hub cannot be reached. Raises CodedError saying
        why there is no model.
        """
        from bot.sources.config import read_config

        repository, _, revision = name.partition("@")
        path = self._fetched(repository, revision or "main")
        content = read_bounded(path, LARGEST_CONFIG_BYTES)
        # The cache keeps each version below `snapshots/<commit>/`.
        commit = path.parent.name[:COMMIT_DIGITS]
        return read_config(content, f"hf:{repository}@{commit}", repository.rpartition("/")[2])

    def _fetched(self, repository: str, revision: str) -> Path:
        try:
            import huggingface_hub  # noqa: F401
        except ImportError as error:
            raise CodedError("hub_not_installed", word=f"hf:{repository}") from error
        try:
            return within(self.deadline_s, lambda: self._fetch(repository, revision))
        except _UnreachableError as error:
            kept = self._kept(repository, revision)
            if kept is None:
                raise CodedError("hub_unreachable", word=repository) from error
            return kept

    def _fetch(self, repository: str, revision: str) -> Path:
        """Return the file on this machine; raise CodedError for what the Hub refuses."""
        from huggingface_hub import errors, get_hf_file_metadata, hf_hub_download, hf_hub_url

        _quieten()
        settings = self.settings
        token = None if settings.sends_token else False
        url = hf_hub_url(repository, CONFIG, revision=revision, endpoint=settings.endpoint)
        # A request left behind may close the client that all share: a RuntimeError here.
        network_errors = (OSError, RuntimeError, getattr(errors, "HTTPError", OSError))
        end_s = time.monotonic() + self.deadline_s
        try:
            found = get_hf_file_metadata(
                url, token=token, timeout=REQUEST_S, endpoint=settings.endpoint
            )
            if found.size is None or found.size > LARGEST_CONFIG_BYTES:
                raise CodedError("file_too_large", path=CONFIG, limit_bytes=LARGEST_CONFIG_BYTES)
            if time.monotonic() > end_s:
                # Nobody waits any more.
                raise _UnreachableError
            return Path(
                hf_hub_download(
                    repository,
                    CONFIG,
                    revision=revision,
                    cache_dir=self._folder,
                    token=token,
                    etag_timeout=REQUEST_S,
                    endpoint=settings.endpoint,
                )
            )
        except errors.GatedRepoError as error:
            raise CodedError("hub_gated", word=repository) from error
        except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
            raise CodedError("hub_no_repository", word=repository) from error
        except errors.LocalEntryNotFoundError as error:
            raise _UnreachableError from error
        except errors.EntryNotFoundError as error:
            raise CodedError("hub_no_config", word=repository) from error
        except network_errors as error:
            raise _UnreachableError from error

    def _kept(self, repository: str, revision: str) -> Path | None:
        """Return the file of an earlier question."""
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(
            repository, CONFIG, cache_dir=self._folder, revision=revision
        )
        return Path(found) if isinstance(found, str) else None

    @property
    def _folder(self) -> Path:
        return self.settings.cache / "hub"


class _UnreachableError(Exception):
    """The Hub did not answer, or not in time."""


def _quieten() -> None:
    """Keep the library's bars and warnings off the screen: what matters is said in a sentence."""
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def within(deadline_s: float, work: Callable[[], T]) -> T:
    """Return what `work` returns, or raise what it raises, if it ends in time.

    The library tries again for minutes where the network is down; a thread that is left behind
    ends with the program.
    """
    results: list[T] = []
    failures: list[BaseException] = []

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=do, name="gpusize-hub", daemon=True)
    thread.start()
    thread.join(deadline_s)
    if failures:
        raise failures[0]
    if not results:
        raise _UnreachableError
    return results[0]
