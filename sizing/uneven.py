"""One set of unequal cards: cut evenly, or its layers shared out by the memory of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sizing.answer import Note, Verdict, note
from sizing.candidates import asked_layout, chosen_gpu, names_split
from sizing.gpu_notes import budget_bytes
from sizing.layouts import layout_of
from sizing.memory import Load, Need, need_per_gpu, with_host_cache
from sizing.parallelism import Layout
from sizing.placement import Placement, Placer, Share
from sizing.records import EngineRecord, GpuRecord, SplitMode, TensorGroup
from sizing.request import SizingRequest
from sizing.request_cache import Kept, RequestCache
from sizing.slices import GpuSlice
from sizing.units import ceil_div

SETTINGS = {
    "llamacpp": "--tensor-split",
    "vllm": "VLLM_PP_LAYER_PARTITION=",
    "sglang": "SGLANG_PP_LAYER_PARTITION=",
}
"""Option or variable of an engine that takes the layers of each card.

Source: llama.cpp tools/server/README.md; vllm/envs.py; sglang/srt/distributed/utils.py.
"""

_ORDER = (Verdict.FITS, Verdict.TIGHT, Verdict.DOES_NOT_FIT, Verdict.UNSUPPORTED)


def uneven_placements(request: SizingRequest, placer: Placer) -> tuple[Placement, ...]:
    """Return how one set of unequal cards holds the load, best first; empty for other sets."""
    if not request.mixed_gpus:
        return ()
    cards = _cards(request, placer)
    if any(isinstance(gpu, GpuSlice) for gpu in cards):
        return ()
    rows = filter(None, (_even(cards, request, placer), _by_layers(cards, request, placer)))
    return tuple(sorted(rows, key=lambda row: _ORDER.index(row.verdict)))


def _cards(request: SizingRequest, placer: Placer) -> list[GpuRecord]:
    return [
        gpu
        for choice in request.gpus
        for gpu in [chosen_gpu(choice, placer.catalogue)] * (choice.count or 1)
    ]


def _even(cards: Sequence[GpuRecord], request: SizingRequest, placer: Placer) -> Placement | None:
    """Return the tensor-parallel split, which takes of each card what the smallest has."""
    load = placer.load
    if load.engine.split is SplitMode.LAYER and not names_split(request):
        return None
    count = len(cards)
    is_named = names_split(request)
    layout = asked_layout(count, request, placer) if is_named else layout_of(load, count)
    if layout.pipeline_parallel > 1 or layout.gpus != count:
        return None
    row = placer.place(_least(cards, placer), layout)
    return replace(row, shares=_shares(cards, [None] * count))


def _least(cards: Sequence[GpuRecord], placer: Placer) -> GpuRecord:
    """Return a card that does not run the load at all, else the one of the least memory."""
    refusing = [gpu for gpu in cards if not placer.runs_on(gpu)]
    return min(refusing or cards, key=lambda gpu: (gpu.usable_mib, gpu.id))


def _shares(cards: Sequence[GpuRecord], layers: Sequence[int | None]) -> tuple[Share, ...]:
    """Return the cards in their order, equal neighbours that hold the same counted together."""
    pairs = groupby(zip(cards, layers, strict=True), key=lambda pair: (pair[0].id, pair[1]))
    groups = [list(members) for _, members in pairs]
    return tuple(Share(group[0][0], len(group), group[0][1]) for group in groups)


@dataclass(frozen=True)
class _Seat:
    """One card: what it may take, and what it carries beside its layers."""

    gpu: GpuRecord
    budget_bytes: int
    ends_bytes: int
    """Embedding table or output head."""
    stage: Need
    """What it would need for an even part: its overheads are those of any part."""
    room_bytes: int
    """Memory for layers and their cache at the worst of all overheads."""
    typical_room_bytes: int
    """The same at the typical overheads."""


def _by_layers(
    cards: Sequence[GpuRecord], request: SizingRequest, placer: Placer
) -> Placement | None:
    """Return the split by layers, each card holding as many as its memory takes."""
    count, load = len(cards), placer.load
    if count > load.subject.architecture.layers or not _may_be_pipeline(request, count):
        return None
    layout = Layout(pipeline_parallel=count)
    row = placer.place(_least(cards, placer), layout)
    if row.unsupported:
        return replace(row, shares=_shares(cards, [None] * count))
    stages = [placer.place(gpu, layout).need for gpu in cards]
    seats = _seats(cards, stages, load)
    whole = _whole(cards, load)
    layers = _shared_out([seat.room_bytes for seat in seats], load, whole)
    if 0 in layers:
        layers = _shared_out([seat.typical_room_bytes for seat in seats], load, whole)
    if 0 in layers:
        return None
    needs = [_need_of(seat, held, whole, load) for seat, held in zip(seats, layers, strict=True)]
    seat, need = _fullest(seats, needs, layers)
    return replace(
        row,
        gpu=seat.gpu,
        need=need,
        budget_bytes=seat.budget_bytes,
        notes=(*row.notes, _setting(load.engine, layers)),
        shares=_shares(cards, layers),
    )


def _whole(cards: Sequence[GpuRecord], load: Load) -> Need:
    """Return the need of one GPU that holds everything, its cache where the cards keep theirs."""
    need = need_per_gpu(load, Layout())
    from_host = load.kv_in_host and all(map(load.runs_from_host, cards))
    return with_host_cache(need, load, Layout()) if from_host else need


def _may_be_pipeline(request: SizingRequest, count: int) -> bool:
    """Return whether the asked split leaves room for one stage on each card."""
    stages = request.pipeline_parallel
    others = (request.tensor_parallel, request.expert_parallel, request.data_parallel)
    return all(degree in (None, 1) for degree in others) and stages in (None, count)


def _seats(cards: Sequence[GpuRecord], stages: Sequence[Need], load: Load) -> list[_Seat]:
    """Return the cards with their room; the two largest carry the ends of the model."""
    overheads = [stage.activation + stage.runtime for stage in stages]
    budgets = [budget_bytes(gpu, load.memory_fraction) for gpu in cards]
    order = sorted(range(len(cards)), key=lambda index: -budgets[index])
    carried = dict(zip(order, _ends(load), strict=False))
    return [
        _Seat(
            gpu=gpu,
            budget_bytes=budgets[index],
            ends_bytes=carried.get(index, 0),
            stage=stages[index],
            room_bytes=max(0, budgets[index] - overheads[index].high_bytes - carried.get(index, 0)),
            typical_room_bytes=max(
                0, budgets[index] - overheads[index].typical_bytes - carried.get(index, 0)
            ),
        )
        for index, gpu in enumerate(cards)
    ]


def _ends(load: Load) -> tuple[int, int]:
    """Return what the last and the first stage carry; a tied table is kept on both."""
    sizes = {group.group: group.weights_bytes for group in load.groups}
    embedding = sizes.get(TensorGroup.EMBEDDING, 0)
    return (sizes.get(TensorGroup.HEAD, embedding), embedding)


def _body_bytes(load: Load) -> int:
    ends = (TensorGroup.EMBEDDING, TensorGroup.HEAD)
    return sum(group.weights_bytes for group in load.groups if group.group not in ends)


def _shared_out(rooms: Sequence[int], load: Load, whole: Need) -> list[int]:
    """Return the layers of each card, in proportion to its room; what is left goes where most is.

    Rooms of nothing at all are filled evenly: the verdict says that it does not fit.
    """
    layers = load.subject.architecture.layers
    rooms = rooms if sum(rooms) else [1] * len(rooms)
    held = [layers * room // sum(rooms) for room in rooms]
    layer_bytes = ceil_div(_body_bytes(load) + whole.kv_cache_bytes + whole.adapter_bytes, layers)
    for _ in range(layers - sum(held)):
        left = [room - count * layer_bytes for room, count in zip(rooms, held, strict=True)]
        held[left.index(max(left))] += 1
    return held


def _need_of(seat: _Seat, held: int, whole: Need, load: Load) -> Need:
    """Return what one card needs for `held` layers: its part of weights and cache, all overheads.

    `whole` is the need of one GPU that holds everything.
    """
    layers = load.subject.architecture.layers

    def part(size_bytes: int) -> int:
        return ceil_div(size_bytes * held, layers)

    cache = whole.request_cache
    at_a_time = seat.stage.request_cache.bytes_per_token
    kept = RequestCache(
        bytes_per_token=at_a_time if whole.host else part(cache.bytes_per_token),
        bounded=tuple(Kept(part(each.bytes_per_token), each.group) for each in cache.bounded),
        state_bytes=part(cache.state_bytes),
    )
    return Need(
        weights_bytes=part(_body_bytes(load)) + seat.ends_bytes,
        kv_cache_bytes=load.concurrent_requests * kept.size_bytes(load.request_tokens),
        request_cache=kept,
        adapter_bytes=part(whole.adapter_bytes),
        activation=seat.stage.activation,
        runtime=seat.stage.runtime,
        outside=seat.stage.outside,
        host=whole.host,
    )


def _fullest(
    seats: Sequence[_Seat], needs: Sequence[Need], layers: Sequence[int]
) -> tuple[_Seat, Need]:
    """Return the card with the least to spare for each layer; one that lacks memory before all.

    The least room for a layer decides how many requests the whole set holds.
    """

    def spare(index: int) -> tuple[bool, float]:
        left = seats[index].budget_bytes - needs[index].total.high_bytes
        return (left >= 0, left / max(1, layers[index]))

    used = [index for index, held in enumerate(layers) if held]
    index = min(used, key=spare)
    return seats[index], needs[index]


def _setting(engine: EngineRecord, layers: Sequence[int]) -> Note:
    counts = ",".join(map(str, layers))
    option = SETTINGS.get(engine.id)
    separator = "" if option is None or option.endswith("=") else " "
    setting = None if option is None else f"{option}{separator}{counts}"
    return note("layers_by_memory", layers=tuple(map(str, layers)), setting=setting)
