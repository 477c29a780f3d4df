"""Lines that ask whether to rent or to buy, whatever for."""

from __future__ import annotations

import re
from typing import Final

from bot.text import fold

RENTED: Final = r"cloud|nube|rent(?:ing|ed|al)?|alquil\w+|arrend\w+|lease|leasing|renting|hosted"
OWNED: Final = (
    r"on[- ]?prem\w*|buy(?:ing)?|bought|own(?:ing|ed)?|purchas\w+|compra\w*|propi[oa]s?|"
    r"in[- ]house|local(?:es)?|colocation"
)
BOTH: Final = re.compile(rf"\b(?:{RENTED})\b.*\b(?:{OWNED})\b|\b(?:{OWNED})\b.*\b(?:{RENTED})\b")
PAYS: Final = re.compile(
    r"\b(?:break[- ]?even|punto de equilibrio|umbral de rentabilidad|tco|roi|amortiza\w*|"
    r"pays? (?:for itself|off)|total cost of ownership|coste? total de propiedad)\b"
)


def asks_rent_or_buy(text: str) -> bool:
    """Return whether a line sets renting against owning, or asks from when owning pays."""
    folded = " ".join(fold(text).split())
    return bool(BOTH.search(folded) or PAYS.search(folded))
