"""The figures that an answer is held against another one by, as programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from bot.again.subjects import Subject
    from sizing.option import Option
    from sizing.performance import Estimate
    from sizing.spec.answer import Spec

Json = dict[str, Any]

PRICES = frozenset({"usd_per_month", "purchase_usd", "total_usd"})
"""Figures that are prices; all others follow from facts and formulas."""


def figures_of(answer: SizingAnswer | Spec) -> Json:
    """Return the figures of an answer's first set, or of a plan; None where one is not known."""
    if isinstance(answer, SizingAnswer):
        return _of_model(answer)
    from bot.spec_difference import spec_purchase_usd, spec_total_usd

    servers = answer.servers
    needs = [one.answer.memory.total_bytes for one in answer.workloads]
    return {
        "need_bytes": None if None in needs else sum(filter(None, needs)),
        "set": f"{servers.gpus}x{servers.gpu}",
        "gpus": servers.gpus,
        "servers": servers.servers + servers.spare_servers,
        "runs": servers.runs,
        "total_w": answer.around.facility.site.total_kw * 1000,
        "purchase_usd": spec_purchase_usd(answer),
        "total_usd": spec_total_usd(answer),
    }


def runs(figures: Json) -> bool:
    """Return whether what the figures are of carries its load."""
    return bool(figures["runs"])


def against(subject: Subject, before: SizingAnswer | Spec, after: SizingAnswer | Spec) -> Json:
    """Return what differs between two answers, figure by figure, in JSON."""
    figures = figures_of(before), figures_of(after)
    told = {"subject": subject.name, "answer_id": subject.answer_id}
    return {"difference": {**told, "changes": changes_of(*figures)}}


def changes_of(before: Json, after: Json) -> Json:
    """Return the figures that differ, each before and after."""
    names = dict.fromkeys((*before, *after))
    pairs = {name: (before.get(name), after.get(name)) for name in names}
    return {
        name: {"before": one, "after": other}
        for name, (one, other) in pairs.items()
        if one != other
    }


def set_of(option: Option) -> str:
    """Return the name that programs read of a set: `2xl40s`."""
    if option.cards:
        return "+".join(f"{card.gpus}x{card.gpu}" for card in option.cards)
    profile = f":{option.mig_profile}" if option.mig_profile else ""
    return f"{option.gpus}x{option.gpu}{profile}"


def _of_model(answer: SizingAnswer) -> Json:
    first = answer.options[0] if answer.options else None
    speed, price = (first.performance, first.price) if first else (None, None)
    purchase = price.purchase if price else None
    return {
        "need_bytes": answer.memory.total_bytes,
        "set": set_of(first) if first else None,
        "gpus": first.gpus if first else 0,
        "verdict": first.verdict.value if first else None,
        "runs": first is not None and first.verdict.value in {"fits", "tight"},
        "per_gpu_bytes": first.per_gpu.need_bytes if first and first.per_gpu else None,
        "requests": first.max_concurrent_requests if first else None,
        "output_tokens_per_s": _typical(speed.output_tokens_per_s if speed else None),
        "ttft_ms": _typical(speed.ttft_ms if speed else None),
        "itl_ms": _typical(speed.itl_ms if speed else None),
        "usd_per_month": price.least_usd_per_month if price else None,
        "purchase_usd": purchase.price_usd.typical if purchase else None,
    }


def _typical(figure: Estimate | None) -> float | None:
    return figure.typical if figure else None
