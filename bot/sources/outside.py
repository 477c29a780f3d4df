"""What a question takes from outside the catalogue before it is sized: its day, models, prices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from bot.sources.references import Sources
from sizing.catalogue import Catalogue
from sizing.request import SizingRequest


@dataclass(frozen=True)
class Outside:
    """The outside world as one door sees it."""

    catalogue: Catalogue

    sources: Sources = field(default_factory=Sources)
    """Readers of models that are not in the catalogue."""

    today: Callable[[], date] | None = None
    """The day; without it prices age from the day of the catalogue."""

    def completed(self, request: SizingRequest) -> SizingRequest:
        """Return the request with all that it asks from outside.

        Raises CodedError where a reference leads nowhere, or a table is not installed.
        """
        found: dict[str, object] = {}
        if self.today:
            found["as_of"] = self.today()
        # A logged question brings along what its reference led to.
        if request.reference is not None and request.given is None:
            found["given"] = self.sources.model(request.reference)
        if request.spending.wants_api:
            # Loaded with the first question that asks for it: few do.
            from bot.sources.api_prices import quote_of

            quote = quote_of(
                self.catalogue.models.get(request.model_id or ""),
                request.reference,
                self.today() if self.today else date.fromisoformat(self.catalogue.stamp.date),
            )
            found["spending"] = request.spending.model_copy(update={"api_quote": quote})
        return request.model_copy(update=found) if found else request
