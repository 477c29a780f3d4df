"""The lines that ask for the plans inside all limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.spec_view import InsideView, SpecView
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from sizing.spec.answer import Spec
    from sizing.spec.inside import InsidePlan

GIVEN_UP: Final = {"spare_servers": "spare=0", "growth_reserve": "growth=0"}
"""Words for reserves that are given up."""


def spec_view_of(spec: Spec) -> SpecView:
    """Return what the pages about a server show."""
    plans = spec.inside.plans if spec.inside else ()
    return SpecView(spec, tuple(map(_inside, plans)))


def _inside(plan: InsidePlan) -> InsideView:
    # Loaded with the first limit that is passed: few processes have one.
    from bot.grammar.canonical_spec import format_spec

    line = format_spec(plan.request)
    return InsideView(plan, line and f'gpusize spec "{line}"', _changes(plan))


def _changes(plan: InsidePlan) -> tuple[str, ...]:
    from bot.grammar.canonical import format_request

    cards = next((one.request.gpus for one in plan.request.workloads if one.request.gpus), ())
    return (
        format_request(SizingRequest(gpus=cards)),
        *(GIVEN_UP[code] for code in plan.gives_up if code in GIVEN_UP),
        *((plan.precision,) if plan.precision else ()),
    )
