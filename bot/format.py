"""Numbers as people of each language write them; units are named, decimal unless GiB is said."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10

from sizing.units import GB, GIB

SMALL_BYTES = GB // 20
"""Sizes below 0.05 GB are shown in MB: as GB they would read 0.0."""

MS_PER_S = 1000

W_PER_KW = 1000

SMALL_RATE = 0.1
"""Rates below it are said with three decimals at most."""

SMALL_W = 2000
"""Ratings below it are said in watts."""

WHOLE_USD = 100
"""Amounts from which cents say nothing."""

_SWAP = str.maketrans(",.", ".,")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZES = ((10**12, "T"), (10**9, "B"), (10**6, "M"))
_SPANISH_SIZES = {"T": "billones", "B": "mil millones", "M": "millones"}


@dataclass(frozen=True)
class Numbers:
    """Formats numbers for one language."""

    language: str
    """`en` or `es`."""

    def decimal(self, value: float, places: int) -> str:
        """Return `value` with `places` decimals and grouped thousands."""
        text = f"{value:,.{places}f}"
        return text.translate(_SWAP) if self.language == "es" else text

    def count(self, value: int) -> str:
        """Return a whole number with grouped thousands."""
        return self.decimal(value, 0)

    def gb(self, size_bytes: int) -> str:
        """Return a size in GB (10^9 bytes) with one decimal; small ones in MB."""
        if abs(size_bytes) < SMALL_BYTES:
            return f"{self.decimal(size_bytes / 10**6, 1)} MB"
        return f"{self.gb_number(size_bytes)} GB"

    def gb_shown(self, size_bytes: int) -> int:
        """Return the size that `gb` tells, in bytes: rounded to what is shown."""
        unit = GB if abs(size_bytes) >= SMALL_BYTES else 10**6
        return int(Decimal(f"{size_bytes / unit:.1f}") * unit)

    def gb_number(self, size_bytes: int) -> str:
        """Return the number of GB without the unit, one decimal."""
        return self.decimal(size_bytes / GB, 1)

    def gb_exact(self, size_bytes: int) -> str:
        """Return a size in GB with two decimals, for explanations; small ones in MB."""
        if abs(size_bytes) < GB // 100:
            return f"{self.decimal(size_bytes / 10**6, 1)} MB"
        return f"{self.decimal(size_bytes / GB, 2)} GB"

    def gib(self, size_bytes: int) -> str:
        """Return a size in GiB (2^30 bytes) with two decimals."""
        return f"{self.decimal(size_bytes / GIB, 2)} GiB"

    def plain_gb(self, size_gb: float) -> str:
        """Return a size already in GB, decimals only where it has some."""
        return f"{self._trimmed(size_gb, 1)} GB"

    def size_bytes(self, size_bytes: int) -> str:
        """Return an exact number of bytes."""
        return f"{self.count(size_bytes)} bytes"

    def tokens(self, tokens: int) -> str:
        """Return a number of tokens with its unit."""
        return f"{self.count(tokens)} {'token' if tokens == 1 else 'tokens'}"

    def short_tokens(self, tokens: int) -> str:
        """Return whole multiples of 1,024 tokens as `4k`, others in full."""
        return f"{tokens // 1024}k" if tokens % 1024 == 0 else self.tokens(tokens)

    def percent(self, percent: float) -> str:
        """Return a percentage, decimals only where it has some."""
        return f"{self._trimmed(percent, 1)} %"

    def fraction(self, share: float) -> str:
        """Return a share between 0 and 1: two decimals, three where it needs them."""
        return self.decimal(share, 2 if round(share, 3) == round(share, 2) else 3)

    def bits(self, bits: float) -> str:
        """Return bits of one number, two decimals where it has some."""
        return f"{self._trimmed(bits, 2)} bits"

    def number(self, value: float) -> str:
        """Return a number, decimals only where it has some."""
        return self._trimmed(value, 2)

    def rate(self, value: float) -> str:
        """Return a rate or a power, decimals only where it has them: `864`, `112.5`, `0.01`."""
        return self._trimmed(value, 1 if value >= SMALL_RATE else 3)

    def watts(self, power_w: float) -> str:
        """Return a rating: watts below 2 kW, else kW with two decimals at most."""
        if power_w < SMALL_W:
            return f"{self._trimmed(power_w, 0)} W"
        return f"{self._trimmed(power_w / W_PER_KW, 2)} kW"

    def draw(self, power_w: float) -> str:
        """Return a draw: watts below one kW, else kW with one decimal."""
        if power_w < W_PER_KW:
            return f"{self.decimal(power_w, 0)} W"
        return f"{self.decimal(power_w / W_PER_KW, 1)} kW"

    def kva(self, apparent_va: float) -> str:
        """Return apparent power in kVA, two decimals where it has some."""
        return f"{self._trimmed(apparent_va / W_PER_KW, 2)} kVA"

    def usd(self, amount_usd: float) -> str:
        """Return an amount of money: cents below a hundred dollars, whole dollars above."""
        return f"USD {self.amount(amount_usd)}"

    def amount(self, value: float) -> str:
        """Return an amount of money without its currency, rounded as `usd` does."""
        return self.decimal(value, 2 if value < WHOLE_USD else 0)

    def about(self, value: float) -> str:
        """Return an estimate with two significant digits."""
        if value <= 0:
            return self.decimal(value, 0)
        rounded = round(value, 1 - floor(log10(value)))
        places = 1 - floor(log10(rounded))
        return self.decimal(rounded, max(0, places))

    def powers(self, value: float) -> str:
        """Return a large number with two digits and a power of ten: `7.2 × 10²⁴`."""
        exponent = floor(log10(value))
        if round(value / 10**exponent, 1) >= 10:
            exponent += 1
        power = str(exponent).translate(_SUPERSCRIPTS)
        return f"{self.decimal(value / 10**exponent, 1)} × 10{power}"

    def about_ms(self, time_ms: float) -> str:
        """Return an estimated time with two significant digits, from one second on in seconds."""
        if time_ms < MS_PER_S:
            return f"{self.about(time_ms)} ms"
        return f"{self.about(time_ms / MS_PER_S)} s"

    def parameters(self, parameters: int) -> str:
        """Return a model size: `13.0 B`, in Spanish with the words before the sign."""
        for size, sign in _SIZES:
            if parameters >= size:
                return self._parameters(parameters / size, sign)
        return self.count(parameters)

    def short_parameters(self, parameters: int) -> str:
        """Return a model size with the international sign alone, for tables."""
        for size, sign in _SIZES:
            if parameters >= size:
                return f"{self.decimal(parameters / size, 1)} {sign}"
        return self.count(parameters)

    def _parameters(self, value: float, sign: str) -> str:
        number = self.decimal(value, 1)
        if self.language == "es":
            return f"{number} {_SPANISH_SIZES[sign]} ({number} {sign})"
        return f"{number} {sign}"

    def _trimmed(self, value: float, places: int) -> str:
        rounded = round(value, places)
        return self.decimal(rounded, 0 if rounded == int(rounded) else places)
