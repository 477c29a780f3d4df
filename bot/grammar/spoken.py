"""What every line may say beside its subject."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """What every line may say beside its subject."""

    language: str | None = None
    """Language asked for with `lang=`: `en` or `es`; None where it was not."""

    private: bool = False
    """Whether only the asker shall see the answer."""

    as_json: bool = False
    """Whether the answer is wanted as JSON."""
