"""What a list was asked to find, for the sentence where it finds nothing."""

from __future__ import annotations

from dataclasses import dataclass

from bot.grammar.list_verb import near_states


@dataclass(frozen=True)
class Sought:
    """What the log was looked through for."""

    text: str
    """Words that answers shall hold."""

    has_decisions: bool
    """Whether decisions hold them."""

    @property
    def near(self) -> tuple[str, ...]:
        """Return the states of decisions that the words may be misspelt for."""
        return near_states(self.text)


def sought_of(text: str, *, has_decisions: bool) -> Sought | None:
    """Return what was looked for; None where everything is listed."""
    return Sought(text, has_decisions) if text else None
