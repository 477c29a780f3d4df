"""What is drawn of a server: the memory of its cards, and what it costs over the years."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.plots import Form, Plot, Track
from sizing.running import MONTHS_PER_YEAR
from sizing.units import GB

if TYPE_CHECKING:
    from bot.messages import Messages
    from bot.spec_view import SpecView, WorkloadView
    from sizing.option import PerGpu
    from sizing.performance import Estimate
    from sizing.spec.money_plan import CostPlan

PARTS = (
    "weights", "reference", "kv_cache", "adapters", "gradients", "optimizer", "activations",
    "runtime", "free",
)  # fmt: skip
"""Parts of a card's memory, in the order they are stacked."""


@dataclass(frozen=True)
class CardMemory:
    """The memory of one card, or of the share of one, that a model takes."""

    name: str
    """The model and its format."""

    detail: str
    """The cards of its copies, or its share of one."""

    need_bytes: int
    """What the load needs, bytes."""

    room_bytes: int
    """What there is for it: the engine's budget, or its share of a card, bytes."""

    parts_bytes: dict[str, int]
    """Each part, and what stays free, bytes."""


def plots_of(view: SpecView, messages: Messages) -> tuple[Plot, ...]:
    """Return what is drawn of a server, the cards first; less where something is not known."""
    found = (memory_plot(view, messages), cost_plot(view.spec.cost, messages))
    return tuple(plot for plot in found if plot)


def memory_plot(view: SpecView, messages: Messages) -> Plot | None:
    """Return the bars of the cards' memory; None where no model has one."""
    cards = tuple(_cards(view, messages))
    if not cards:
        return None
    shown = [part for part in PARTS if any(card.parts_bytes[part] for card in cards)]
    told = [
        messages.label(
            "plots", "card", name=card.name, detail=card.detail, parts=_told(card, messages)
        )
        for card in cards
    ]
    return Plot(
        form=Form.BARS,
        section="models",
        title=messages.label("plots", "memory"),
        unit="GB",
        decimals=1,
        x_label="",
        alt_text=messages.label("plots", "memory_alt", cards="; ".join(told)),
        categories=tuple(card.name for card in cards),
        tracks=tuple(_part(part, cards, messages) for part in shown),
        numbers=messages.numbers,
        details=tuple(card.detail for card in cards),
        captions=tuple(_caption(card, messages) for card in cards),
    )


def cost_plot(plan: CostPlan, messages: Messages) -> Plot | None:
    """Return what is paid over the years, owned, rented and by token.

    None where cards or host have no price: a sum without them would mislead beside the rent.
    """
    owned = [year.cumulated_usd for year in plan.years]
    known = [plan.shown(usd) for usd in owned if usd]
    if not plan.is_complete or len(known) < len(owned):
        return None
    tracks = (_owned(known, messages), *_instead(plan, messages))
    marks = tuple(_break_even(plan, messages))
    ends = [
        messages.label("plots", "end", name=track.name, amount=track.values[-1]) for track in tracks
    ]
    return Plot(
        form=Form.LINES,
        section="cost",
        title=messages.label("plots", "cost", currency=plan.currency),
        unit=plan.currency,
        decimals=0,
        x_label=messages.label("plots", "years"),
        alt_text=messages.label(
            "plots",
            "cost_alt",
            currency=plan.currency,
            years=plan.horizon_years,
            purchase=known[0].typical,
            ends="; ".join((*ends, *(word for _, word in marks))),
        ),
        categories=(
            messages.label("plots", "purchase"),
            *(str(year.year) for year in plan.years[1:]),
        ),
        tracks=tracks,
        numbers=messages.numbers,
        band=messages.label("plots", "band"),
        marks=marks,
    )


def _cards(view: SpecView, messages: Messages) -> Iterator[CardMemory]:
    for one in view.workloads:
        gpu = one.option.per_gpu
        if gpu is None:
            continue
        room_bytes = gpu.usable_bytes * one.percent // 100 if one.shares_card else gpu.budget_bytes
        yield CardMemory(
            name=_name(one, messages),
            detail=_detail(one, messages),
            need_bytes=gpu.need_bytes,
            room_bytes=room_bytes,
            parts_bytes=_parts_bytes(gpu, room_bytes),
        )


def _name(one: WorkloadView, messages: Messages) -> str:
    asked = one.view.understood
    return messages.label("plots", "name", model=asked.model, precision=asked.precision)


def _detail(one: WorkloadView, messages: Messages) -> str:
    code = "share" if one.shares_card else "cards"
    gpus = one.copies * one.gpus_per_copy
    return messages.label("plots", code, gpus=gpus, percent=one.percent)


def _parts_bytes(gpu: PerGpu, room_bytes: int) -> dict[str, int]:
    return {
        "weights": gpu.weights_bytes,
        "reference": gpu.reference_bytes,
        "kv_cache": gpu.kv_cache_bytes,
        "adapters": gpu.adapter_bytes,
        "gradients": gpu.gradient_bytes,
        "optimizer": gpu.optimizer_bytes,
        "activations": gpu.activation_bytes,
        "runtime": gpu.runtime_bytes,
        "free": max(0, room_bytes - gpu.need_bytes),
    }


def _part(part: str, cards: tuple[CardMemory, ...], messages: Messages) -> Track:
    values = tuple(card.parts_bytes[part] / GB for card in cards)
    return Track(messages.label("memory_parts", part), values)


def _caption(card: CardMemory, messages: Messages) -> str:
    return messages.label(
        "plots", "of_room", need_bytes=card.need_bytes, room_bytes=card.room_bytes
    )


def _told(card: CardMemory, messages: Messages) -> str:
    """Return the parts of one card in words."""
    named = (
        f"{messages.label('memory_parts', part)} {messages.numbers.gb(size)}"
        for part, size in card.parts_bytes.items()
        if size
    )
    return ", ".join(named)


def _break_even(plan: CostPlan, messages: Messages) -> Iterator[tuple[float, str]]:
    """Yield when owning has cost less than renting, where the years shown reach it."""
    reach = plan.cloud.break_even_months if plan.cloud else None
    months = reach.typical if reach else None
    if months is not None and months / MONTHS_PER_YEAR <= plan.horizon_years:
        yield months / MONTHS_PER_YEAR, messages.label("plots", "pays_from", months=months)


def _owned(known: list[Estimate], messages: Messages) -> Track:
    bounds = tuple((usd.low, usd.high) for usd in known)
    name = messages.label("plots", "owned")
    return Track(name, tuple(usd.typical for usd in known), bounds)


def _instead(plan: CostPlan, messages: Messages) -> Iterator[Track]:
    """Yield what is paid for the same without buying: as much each year."""
    ways = {
        "rented": plan.cloud.usd_per_year if plan.cloud else None,
        "by_token": plan.by_token.usd_per_year if plan.by_token else None,
    }
    for code, usd in ways.items():
        if usd is None:
            continue
        year = plan.shown(usd)
        bounds = tuple((place * year.low, place * year.high) for place in _places(plan))
        values = tuple(place * year.typical for place in _places(plan))
        is_exact = year.low == year.high
        yield Track(messages.label("plots", code), values, () if is_exact else bounds)


def _places(plan: CostPlan) -> tuple[int, ...]:
    return tuple(year.year for year in plan.years)
