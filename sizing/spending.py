"""What the asker told of money: how the GPUs are come by, and what their costs rest on."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import ApiQuote, Positive, Record


class Means(StrEnum):
    """How the GPUs are come by."""

    BUY = "buy"
    RENT = "rent"


class Spending(Record):
    """Wishes about costs; None leaves a figure to the catalogue."""

    means: Means | None = None
    """Whether the GPUs shall be bought or rented; None for both."""

    electricity_usd_per_kwh: Positive | None = None
    """Price of electricity, USD per kWh."""

    pue: Annotated[float, Field(ge=1)] | None = None
    """Power of the site over the power of its computers."""

    lifetime_years: Positive | None = None
    """Years a purchase is spread over."""

    hours_per_day: Annotated[float, Field(gt=0, le=24)] | None = None
    """Hours of a day in use; None for all of them."""

    wants_api: bool = False
    """Whether the prices of hosts are wanted beside those of renting and buying."""

    api_quote: ApiQuote | None = None
    """What they ask; None where they were not looked up, or none of them has the model."""
