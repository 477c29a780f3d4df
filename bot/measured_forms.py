"""How measured figures, and the errors of their estimates, are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bot.format import Numbers

FORMS: Final = {
    "memory_bytes": "gb",
    "reserved": "gb",
    "output_tokens_per_s": "about",
    "user_tokens_per_s": "about",
    "ttft_ms": "about_ms",
    "itl_ms": "about_ms",
    "requests": "count",
    "power_w": "watts",
}
"""Formats by the codes of figures; all others are plain numbers."""


def signed_percent(percent: float | None, numbers: Numbers) -> str:
    """Return how far an estimate is off, to a whole per cent, with its sign; a dash for None."""
    if percent is None:
        return "–"
    whole = round(percent)
    sign = "−" if whole < 0 else "+" if whole else ""
    return f"{sign}{numbers.percent(abs(whole))}"
