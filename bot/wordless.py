"""Render for readers who never see all of a reply: in the terminal, and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.render import Renderer

if TYPE_CHECKING:
    from bot.comparison import ComparisonView
    from bot.power_view import PowerView
    from sizing.answer import SizingAnswer
    from sizing.fits import FitsAnswer
    from sizing.spec.answer import Spec


class Unannounced(Renderer):
    """Leaves the sentences for notifications empty: a terminal shows none."""

    def summary(self, answer: SizingAnswer, language: str) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def comparison_summary(self, view: ComparisonView, language: str) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def fits_summary(self, answer: FitsAnswer, language: str) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def spec_summary(self, spec: Spec, language: str) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""


class Wordless(Unannounced):
    """Leaves the pages of answers empty too: programs read their JSON.

    Help, errors and lists are written as ever.
    """

    def answer(self, answer: SizingAnswer, language: str, answer_id: str | None = None) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def comparison(self, view: ComparisonView, language: str) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def fits(self, answer: FitsAnswer, language: str, answer_id: str, *, typed: str) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def spec(self, spec: Spec, language: str, answer_id: str | None = None) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""

    def power(self, view: PowerView, language: str, answer_id: str | None = None) -> str:  # noqa: ARG002 (the base's signature)
        """Return nothing."""
        return ""
