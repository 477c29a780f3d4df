"""Units: the closed list of suffixes a field name may carry, and the few conversions."""

from __future__ import annotations

from typing import Final

GIB: Final = 2**30
"""Bytes of one GiB."""

MIB: Final = 2**20
"""Bytes of one MiB."""

GB: Final = 10**9
"""Bytes of one GB, the unit of data sheets."""

UNIT_SUFFIXES: Final[frozenset[str]] = frozenset(
    {
        "bytes", "gb", "gib", "mib", "tokens", "ms", "w", "usd", "gbps", "bits", "tflops", "tops",
        "bytes_per_token", "bytes_per_entry", "gb_per_s", "tokens_per_s", "requests_per_s",
        "usd_per_hour", "usd_per_kwh", "usd_per_month", "usd_per_million_tokens",
        "wh_per_thousand_tokens", "years", "hours_per_day", "gpus", "percent", "pixels_per_token",
        "pixels", "seconds", "bytes_per_pixel", "bytes_per_frame_pixel", "bytes_per_second",
        "bytes_per_square_second", "mt_per_s", "kw", "kva", "va", "kwh", "kwh_per_year", "a", "v",
        "hz", "c", "k", "f", "m", "m2", "mm", "kg", "kg_per_m2", "kg_per_year", "btu_per_h",
        "btu_per_degree_f", "tons", "m3_per_h", "cfm", "co2e_t", "g_co2e_per_kwh", "hours",
        "months",
        "operations", "operations_per_pixel", "operations_per_square_pixel", "images_per_s",
        "texts_per_s", "windows_per_s", "seconds_per_s", "seconds_per_image",
    }
)  # fmt: skip
"""Suffixes that name a unit; a number whose name ends otherwise is a count or a ratio."""


def gib_to_bytes(gib: float) -> int:
    """Return the bytes of `gib` GiB, rounded to the nearest byte."""
    return round(gib * GIB)


def power(base: float, exponent: float) -> float:
    """Return `base` to the power of `exponent`; of arrays, each."""
    result: float = base**exponent
    return result


def ceil_div(dividend: int, divisor: int) -> int:
    """Return the quotient of two positive integers, rounded up."""
    return -(-dividend // divisor)
