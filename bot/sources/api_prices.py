"""What hosts of open models ask for tokens, from the tables of the package genai-prices."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from bot.errors import CodedError
from bot.names import word_set
from sizing.records import ApiQuote

if TYPE_CHECKING:
    from sizing.records import ModelRecord

PACKAGE: Final = "genai-prices"

RESELLERS: Final = frozenset({"cursor", "github-copilot"})
"""Providers whose tables are of credits or seats, not of hosts."""

SPELLINGS: Final = (
    (re.compile(r"^.*/"), ""),  # publisher, or the path of a host
    (re.compile(r"^[a-z]+\.(?=[a-z])"), ""),  # meta.llama3-…
    (re.compile(r"(?:-v?\d+)?:\d+$"), ""),  # …-v1:0
    (re.compile(r"(?<=\d)[p_](?=\d)"), "."),  # v3p3, 3_3
    (re.compile(r"^(?:databricks-)?(?:meta-)?(?:nvidia-)?(?=llama|nemotron)"), ""),
    (re.compile(r"^llama-?v?(\d)-(\d)(?=-)"), r"llama-\1.\2"),  # llama3-1-70b
    (re.compile(r"^llama-?v?(?=\d)"), "llama-"),
    (re.compile(r"^gemma(?=\d)"), "gemma-"),
    (re.compile(r"^qwen-(?=\d)"), "qwen"),
    (re.compile(r"(?<=-instruct)-(?:turbo|lite)(?=$|-)"), ""),  # formats of one host
)
"""How hosts spell one name, and the spelling that all of them come to."""

MANNERS: Final = word_set("""
    awq bf16 chat fast fp16 fp8 hf instant instruct int4 int8 it maas nvfp4 specdec tee versatile
    """)
"""Last words of a name that say how the model is served, not which it is."""


def quote_of(model: ModelRecord | None, reference: str | None, today: date) -> ApiQuote | None:
    """Return what hosts ask for a model on a day; None where none of them has it.

    Raises CodedError where the package is not installed.
    """
    names = {name_of(name) for name in _names(model, reference)}
    by_host: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for host, name, prices in _offers(today):
        if name in names:
            by_host[host].append(prices)
    if not by_host:
        return None
    cheapest = [min(prices, key=sum) for prices in by_host.values()]
    inputs, outputs = zip(*cheapest, strict=True)
    version, dated = _edition(today)
    return ApiQuote(
        source=f"{PACKAGE} {version}",
        dated=dated,
        hosts=len(cheapest),
        input_low_usd_per_million_tokens=min(inputs),
        input_usd_per_million_tokens=median(inputs),
        input_high_usd_per_million_tokens=max(inputs),
        output_low_usd_per_million_tokens=min(outputs),
        output_usd_per_million_tokens=median(outputs),
        output_high_usd_per_million_tokens=max(outputs),
    )


def name_of(name: str) -> str:
    """Return the one spelling of all names that hosts give a model."""
    plain = name.lower()
    for spelling, meant in SPELLINGS:
        plain = spelling.sub(meant, plain)
    words = plain.split("-")
    while len(words) > 1 and words[-1] in MANNERS:
        words.pop()
    return "-".join(words)


def _names(model: ModelRecord | None, reference: str | None) -> Iterator[str]:
    if model is not None:
        yield model.id
        yield model.hf_id
    if reference and reference.startswith("hf:"):
        yield reference.partition(":")[2].partition("@")[0]


@cache
def _offers(today: date) -> tuple[tuple[str, str, tuple[float, float]], ...]:
    """Return host, name and prices of a million input and output tokens, what is free left out."""
    return tuple(_read(today))


def _read(today: date) -> Iterator[tuple[str, str, tuple[float, float]]]:
    moment = datetime.combine(today, time(), UTC)
    for provider in _providers():
        if provider.id in RESELLERS:
            continue
        host = provider.id.removeprefix("huggingface_").removesuffix("-ai")
        for model in provider.models:
            prices = model.get_prices(moment)
            asked = (_usd(prices.input_mtok), _usd(prices.output_mtok))
            if all(asked) and not model.deprecated:
                yield host, name_of(model.id), asked


def _usd(price: Any) -> float:  # noqa: ANN401 (a Decimal, tiers of them, or nothing)
    """Return a price before any discount for length; 0 where there is none."""
    return float(getattr(price, "base", price) or 0)


def _edition(today: date) -> tuple[str, date]:
    """Return the package's version, and the last change of a price that it knows."""
    from importlib.metadata import version

    starts = [
        each.constraint.start_date
        for provider in _providers()
        for model in provider.models
        if isinstance(model.prices, list)
        for each in model.prices
        if getattr(each.constraint, "start_date", None)
    ]
    return version(PACKAGE), max(day for day in starts if day <= today)


def _providers() -> Any:  # noqa: ANN401 (the package's own classes)
    """Return the tables; they take a second to load, so nobody does who does not ask for them."""
    try:
        from genai_prices.data import providers
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "genai_prices":
            raise
        raise CodedError("api_not_installed") from error
    return providers
