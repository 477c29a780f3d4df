"""What the plan of the software tells a purchase."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sizing.catalogue import Catalogue
from sizing.spec.software_plan import Requirement, SoftwarePlan
from sizing.spec.stack_facts import Platform
from sizing.spec.versions import as_numbers

STACKS = {Platform.CUDA: "CUDA", Platform.ROCM: "ROCm", Platform.ONEAPI: "oneAPI"}
"""Names of the libraries below the engines."""

Facts = dict[str, Any]


def software_values(plan: SoftwarePlan, catalogue: Catalogue) -> Facts:
    """Return values of ChecklistFacts by name; None for what is not known."""
    return {
        "systems": (plan.wanted_system,) if plan.wanted_system else plan.operating_systems or None,
        "driver": _least(plan.driver),
        "compute_stack": _stack(plan),
        "container_toolkit": _least(plan.container_toolkit),
        "engines": tuple(_engines(plan, catalogue)) or None,
        "compute_capability": _capability(plan),
        "licenses": sum(need.licenses for need in plan.licenses),
        "license_name": " + ".join(need.name for need in plan.licenses if need.licenses) or None,
    }


def _least(requirement: Requirement | None) -> str | None:
    """Return the oldest release that does, else the one to install."""
    if requirement is None:
        return None
    return requirement.least_version or requirement.advised_version


def _stack(plan: SoftwarePlan) -> str | None:
    """Return the libraries with the newest release that an engine brings along."""
    name = STACKS.get(plan.platform)
    releases = [engine.toolkit for engine in plan.engines if engine.toolkit]
    if name is None or not releases:
        return name
    return f"{name} {max(releases, key=as_numbers)}"


def _engines(plan: SoftwarePlan, catalogue: Catalogue) -> Iterator[str]:
    for engine in plan.engines:
        known = catalogue.engines.get(engine.engine)
        name = known.name if known else engine.engine
        yield f"{name} {engine.version}" if engine.version else name


def _capability(plan: SoftwarePlan) -> str | None:
    """Return the least capability that computes in all formats of the models."""
    needed = [gate.needed_capability for gate in plan.gates if gate.is_passed]
    return max(needed, key=as_numbers, default=None)
