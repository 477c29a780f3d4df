"""Values of number options, held against what each of them believes."""

from __future__ import annotations

from typing import Final

from bot.grammar.options import NumberOption
from sizing.errors import InvalidRequestError

MOST_KEYS: Final = frozenset({"max_gpus", "budget_usd", "ttft_ms", "itl_ms", "power_limit_w"})
"""Fields that say a most: `>` in front of their value would mean the opposite."""


MAY_BE_ZERO: Final = frozenset({
    "adapters", "growth_percent", "spare_servers", "altitude_m", "tax_percent",
    "support_percent", "staff_usd_per_year", "site_usd_per_year",
})  # fmt: skip
"""Fields whose zero is a value: none is needed, or nothing is paid."""


def read_number(option: NumberOption, text: str, *, typed: str) -> float | None:
    """Return a value in its field's unit, None where `text` is no number.

    Raises InvalidRequestError where it is one, but out of the legal range.
    """
    value = option.read(text)
    if value is None:
        return None
    if value < 0 or (value == 0 and option.field not in MAY_BE_ZERO):
        raise InvalidRequestError(reason="not_positive", word=typed)
    if not option.least <= value <= option.largest:
        raise InvalidRequestError(reason="out_of_range", word=typed)
    if not option.whole:
        return value
    if value != round(value):
        raise InvalidRequestError(reason="not_whole", word=typed)
    return round(value)


def check_direction(option: NumberOption, operator: str, *, typed: str) -> None:
    """Raise InvalidRequestError where a comparison asks for the opposite of what the field says."""
    wrong = ">" if option.field in MOST_KEYS else "<" if option.field == "tokens_per_s" else ""
    if wrong and operator.startswith(wrong):
        raise InvalidRequestError(reason="wrong_direction", word=typed)
