"""Print how long decisions take to be found again, with 1,000, 10,000 and 100,000 of them.

python benchmarks/decisions.py [STORE] [SIZE ...] fills a log of each size in a new store: `sqlite`,
or `postgres`, for which it starts a server of its own. Without a word both are timed.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action, State
from bot.decisions.store import Sight, Wanted
from bot.storage.log import StoredLog
from bot.storage.stores import open_log
from tools.postgres_server import PostgresServer

TEAM = Tenant("T1")
STORES, SIZES = ["sqlite", "postgres"], [1_000, 10_000, 100_000]
PEOPLE, CHANNELS, PROJECTS, TIMES = 400, 50, 200, 40
WORDS = ("llama", "qwen", "mixtral", "pilot", "atlas", "server", "cards", "budget", "rack")


def fill(log: StoredLog, size: int, chance: random.Random) -> None:
    """Save and propose `size` decisions, and approve most of them."""
    with log.together():
        for number in range(1, size + 1):
            person = f"U{chance.randrange(PEOPLE)}"
            details = Details(
                title=f"{' '.join(chance.sample(WORDS, 4))} n{number}",
                project=f"Project {chance.randrange(PROJECTS)}",
                question=f"llama-3.3-70b fp8 users={chance.randrange(500)}",
                model_names=("llama-3.3-70b",),
                is_open=chance.random() < 0.8,
                channel_id=f"C{chance.randrange(CHANNELS)}",
                rules=Rules(channels=(f"C{chance.randrange(CHANNELS)}",)),
                team_id="T1",
            )
            saved = event(Action.SAVE, person, answer_id=f"A-{number}", details=details)
            log.begin_decision(TEAM, saved)
            log.add_event(TEAM, number, event(Action.PROPOSE, person), follows=1)
            if chance.random() < 0.95:
                log.add_event(TEAM, number, event(Action.APPROVE, "U999"), follows=2)


def event(action: Action, person: str, **values: object) -> NewEvent:
    hashes = {"request_hash": "r" * 64, "answer_hash": "a" * 64}
    return NewEvent(action=action, user_id=person, package_version="0", **hashes, **values)


def looks(log: StoredLog) -> dict[str, Callable[[int], object]]:
    """Return what is looked for, each by somebody else."""

    def sight(number: int) -> Sight:
        return Sight(tenant=TEAM, viewer=f"U{number}", channel_id="C1")

    def find(wanted: Callable[[int], Wanted]) -> Callable[[int], object]:
        return lambda number: log.find_decisions(wanted(number), sight(number))

    opened = frozenset({State.DRAFT, State.PROPOSED, State.CHANGES_REQUESTED})
    return {
        "list": find(lambda _: Wanted(limit=16)),
        "list of a project": find(lambda n: Wanted(project=f"project {n}", limit=16)),
        "list of a state": find(lambda _: Wanted(states=frozenset({State.PROPOSED}), limit=16)),
        "search, rare word": find(lambda n: Wanted(text=f"n{n + 50}", limit=16)),
        "search, word in all": find(lambda _: Wanted(text="llama", limit=16)),
        "search, two words": find(lambda _: Wanted(text="atl pil", limit=16)),
        "Home: waiting": find(lambda n: Wanted(waiting_for=frozenset({f"U{n}", "C1"}), limit=6)),
        "Home: asked for": find(lambda n: Wanted(requester_id=f"U{n}", states=opened, limit=11)),
        "Home: projects": lambda n: log.projects(sight(n)),
        "history of one": lambda n: log.events_of(n + 1, sight(n)),
    }


def times_ms(look: Callable[[int], object]) -> tuple[float, float]:
    """Return median and 95th percentile."""
    taken = []
    for number in range(TIMES):
        start = time.perf_counter()
        look(number)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken), sorted(taken)[int(0.95 * TIMES)]


@contextmanager
def new_log(store: str) -> Iterator[tuple[StoredLog, str | None]]:
    """Yield an empty log of that store, and the address of its database."""
    with ExitStack() as stack:
        url = None
        if store == "postgres":
            server = PostgresServer()
            stack.callback(server.close)
            url = server.url()
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        log = open_log(Path(folder) / "log.db", url)
        stack.callback(log.close)
        yield log, url


def gathers_statistics(url: str) -> None:
    """Let PostgreSQL look at its tables, as it does by itself within a minute of such a change."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("analyze")


def print_times(store: str, size: int) -> None:
    """Fill a log and print what each look takes, ms."""
    with new_log(store) as (log, url):
        fill(log, size, random.Random(1))  # noqa: S311 (no secret)
        if url is not None:
            gathers_statistics(url)
        for name, look in looks(log).items():
            median, high = times_ms(look)
            print(f"{store:<8} {size:>7,}  {name:<20} {median:7.2f} ms median {high:7.2f} ms p95")


def main(words: list[str]) -> None:
    """Time each store with each number of decisions."""
    stores = [word for word in words if word in STORES] or STORES
    sizes = [int(word) for word in words if word not in STORES] or SIZES
    for store in stores:
        for size in sizes:
            print_times(store, size)


if __name__ == "__main__":
    main(sys.argv[1:])
