"""How cards are spread over servers, and what each server carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sizing.answer import Option, SizingAnswer
from sizing.growing import is_buyable
from sizing.records import GpuRecord
from sizing.spec.cards import CardSet
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.sharing import Seat
from sizing.split_notes import GPUS_PER_SERVER
from sizing.units import ceil_div

STATE_BYTES_PER_PARAMETER = 14
"""One checkpoint of a full fine-tuning: weights in 16 bits, their 32-bit copy, two moments.

BLOOM 176B kept 2.3 TB, 13.1 bytes a parameter (stas00/ml-engineering, storage).
"""


@dataclass
class _Server:
    """A server while it is being filled."""

    cards: int = 0
    copies: Counter[int] = field(default_factory=Counter)
    """Copies by workload."""
    held: list[int] = field(default_factory=list)
    """Cards by the number that their seats name."""


def server_load(cards: CardSet, *, most_per_server: int | None, spare: int) -> ServerLoad:
    """Return servers, all bought alike, with the load of the fullest of them.

    `most_per_server` GPUs are what a wanted platform takes; None for a full server of its kind.
    """
    limit = _limit(cards.gpu, most_per_server)
    servers, spans = _filled(cards, limit)
    fullest = max(servers, key=lambda server: (server.cards, _bytes(server, cards.answers)))
    gpus = _buyable(cards.gpu, max(server.cards for server in servers), limit)
    return ServerLoad(
        gpu=cards.gpu,
        gpus=gpus,
        servers=len(servers),
        spare_servers=spare,
        models=tuple(
            _model_load(cards.answers[workload], copies, limit)
            for workload, copies in sorted(fullest.copies.items())
        ),
        spans_servers=spans,
    )


def card_places(cards: CardSet, *, most_per_server: int | None) -> dict[int, tuple[int, int]]:
    """Return the server of each card, and its number there, both from 0, as they are filled."""
    servers, _ = _filled(cards, _limit(cards.gpu, most_per_server))
    return {
        card: (number, place)
        for number, server in enumerate(servers)
        for place, card in enumerate(server.held)
    }


def servers_needed(cards: CardSet) -> int:
    """Return how many servers the cards fill, of the usual ones for their kind."""
    servers, _ = _filled(cards, _limit(cards.gpu, None))
    return len(servers)


def _limit(gpu: GpuRecord, most_per_server: int | None) -> int:
    """Return the most cards of one server: of its kind, or of a wanted platform."""
    return min(gpu.most_per_server_gpus or GPUS_PER_SERVER, most_per_server or 10**6)


def _filled(cards: CardSet, limit: int) -> tuple[list[_Server], bool]:
    """Return the servers, first fit, the widest groups first; and whether a copy spans several."""
    servers: list[_Server] = []
    spans = False
    for group in sorted(_groups(cards.seats), key=_width, reverse=True):
        width, copies = _width(group), Counter(seat.workload for seat in group)
        if width > limit:
            spans = True
            each = ceil_div(width, ceil_div(width, limit))
            cards_held = _cards(group)
            parts = [cards_held[at : at + each] for at in range(0, width, each)]
            servers += [_Server(each, copies, part) for part in parts]
            continue
        room = next((one for one in servers if one.cards + width <= limit), None)
        if room is None:
            room = _Server()
            servers.append(room)
        room.cards += width
        room.copies += copies
        room.held += _cards(group)
    return servers, spans


def _groups(seats: Iterable[Seat]) -> list[list[Seat]]:
    """Return the seats that stand on common cards, together."""
    groups: list[list[Seat]] = []
    for seat in seats:
        met = [group for group in groups if any(set(one.cards) & set(seat.cards) for one in group)]
        joined = [seat, *(one for group in met for one in group)]
        groups = [group for group in groups if group not in met] + [joined]
    return groups


def _width(group: Iterable[Seat]) -> int:
    return len(_cards(group))


def _cards(group: Iterable[Seat]) -> list[int]:
    return sorted({card for seat in group for card in seat.cards})


def _bytes(server: _Server, answers: Sequence[SizingAnswer]) -> int:
    return sum(
        answers[place].memory.weights_bytes * copies for place, copies in server.copies.items()
    )


def _buyable(gpu: GpuRecord, needed: int, limit: int) -> int:
    """Return the fewest cards of one server that are sold together and are enough."""
    return next((count for count in range(needed, limit + 1) if is_buyable(gpu, count)), needed)


def _model_load(answer: SizingAnswer, copies: int, limit: int) -> ModelLoad:
    asked, memory, option = answer.understood, answer.memory, answer.options[0]
    run = answer.training
    states = asked.parameters * STATE_BYTES_PER_PARAMETER if run and not run.adapter_bytes else 0
    return ModelLoad(
        name=asked.model,
        model_id=asked.model_id,
        kind=asked.kind,
        precision=asked.precision,
        engine=asked.engine,
        mode=asked.mode,
        parameters=asked.parameters,
        weights_bytes=memory.weights_bytes,
        checkpoint_bytes=memory.checkpoint_bytes or memory.weights_bytes,
        copies=copies,
        gpus_per_copy=min(limit, ceil_div(option.gpus, option.replicas)),
        adapters=asked.adapters,
        adapter_bytes=memory.adapter_bytes or 0 if run is None else 0,
        host_cache_bytes=_host_cache_bytes(option, copies),
        training_host_bytes=run.host_bytes if run else 0,
        training_state_bytes=states + (run.adapter_bytes if run else 0),
    )


def _host_cache_bytes(option: Option, copies: int) -> int:
    """Return the KV cache in host memory of the copies on one server."""
    cache = option.host_cache
    return ceil_div(cache.size_bytes, option.replicas) * copies if cache else 0
