"""Soak both stores: `python -m tools.soak sqlite --rounds 15 --seed 7`."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg

from tools.postgres_server import PostgresServer
from tools.soak.check import UnkeptError
from tools.soak.rounds import Rounds, Tally
from tools.soak.warm import sample_answer
from tools.soak.writer import Place

ROUNDS_OF_A_STORE = 20
"""Rounds after which an empty store takes the place of the one that has grown."""

ENDURANCE_EVERY = 40
"""Of so many rounds one is an endurance round."""


def main() -> None:
    """Run the rounds that are asked for; exit with 1 at the first promise that is broken."""
    asked = _arguments()
    print(f"seed {asked.seed}", flush=True)
    for store in asked.stores:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="gpusize-soak-") as folder:
            tallies = _soaked(store, asked.rounds, asked.seed, Path(folder))
        print(_summary(store, asked.rounds, tallies, time.monotonic() - began), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.soak")
    parser.add_argument("stores", nargs="*", default=["sqlite", "postgres"], metavar="STORE")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    asked = parser.parse_args()
    if unknown := set(asked.stores) - {"sqlite", "postgres"}:
        parser.error(f"no such store: {', '.join(unknown)}")
    return asked


def _soaked(store: str, rounds: int, seed: str, folder: Path) -> list[Tally]:
    tallies = []
    with _server(store) as server:
        for first in range(0, rounds, ROUNDS_OF_A_STORE):
            place = _place(folder / f"{first}.db", server)
            with closing(place.open()) as log:
                sample = sample_answer(log)
            one = Rounds(place, sample, server.crash if server else None)
            for number in range(first, min(first + ROUNDS_OF_A_STORE, rounds)):
                _run(one, f"{seed}/{store}/{number}", number)
            tallies.append(one.tally)
    return tallies


def _run(rounds: Rounds, seed: str, number: int) -> None:
    try:
        rounds.run(seed, endurance=number % ENDURANCE_EVERY == ENDURANCE_EVERY - 1)
    except UnkeptError as error:
        sys.exit(f"round {number}, seed {seed}: {error}")


@contextmanager
def _server(store: str) -> Iterator[PostgresServer | None]:
    if store != "postgres":
        yield None
        return
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()


def _place(path: Path, server: PostgresServer | None) -> Place:
    if server is None:
        return Place(path, None)
    name = f"soak_{path.stem}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return Place(path, server.url(name))


def _summary(store: str, rounds: int, tallies: list[Tally], took_s: float) -> str:
    acknowledged = sum(len(tally.acknowledged) for tally in tallies)
    found, cut = sum(tally.found for tally in tallies), sum(tally.cut for tally in tallies)
    longest_s = max((tally.longest_s for tally in tallies), default=0.0)
    return (
        f"{store}: {rounds} rounds in {took_s:.0f} s, {acknowledged} events acknowledged, "
        f"{found} found, none lost, none twice; longest wait {longest_s:.2f} s, "
        f"{cut} calls cut off by the server's end"
    )


if __name__ == "__main__":
    main()
