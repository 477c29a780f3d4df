"""The software of a server: driver, containers, engines, licences and monitoring."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sizing.notes import Note, note
from sizing.spec.containers import engine_notes, engines_of, gates_of, images_of
from sizing.spec.drivers import CardStack, driver_of, stack_of
from sizing.spec.licensing import license_notes, licenses_of
from sizing.spec.load import ServerLoad
from sizing.spec.monitoring import monitoring_of
from sizing.spec.orchestration import (
    container_toolkit_of,
    docker_of,
    operator_of,
    orchestration_notes,
    orchestration_of,
    orchestrator_of,
    systems_of,
)
from sizing.spec.software_facts import SoftwareCatalogue
from sizing.spec.software_plan import FormatGate, SoftwarePlan
from sizing.spec.stack_facts import KernelModules
from sizing.spec.wishes import SoftwareWishes


def plan_software(
    load: ServerLoad, wishes: SoftwareWishes, *, facts: SoftwareCatalogue, today: date
) -> SoftwarePlan:
    """Return the software of a server for its card, engines and models, as known on a day."""
    known = stack_of(load.gpu, facts)
    images = images_of(load.models, known.stack.platform, facts)
    orchestrator, rule = orchestrator_of(load, wishes)
    operator = operator_of(known, orchestrator, facts)
    systems = systems_of(known, operator, facts)
    gates = gates_of(load.models, known, facts)
    return SoftwarePlan(
        platform=known.stack.platform,
        driver=driver_of(known, images, operator, facts=facts, today=today),
        kernel_modules=known.kernel_modules,
        container_toolkit=container_toolkit_of(known, images, facts),
        docker=docker_of(images),
        operating_systems=systems,
        wanted_system=wishes.operating_system,
        engines=engines_of(load.models, images, known),
        gates=gates,
        orchestration=orchestration_of(known, orchestrator, rule, operator),
        licenses=licenses_of(load, wishes, facts=facts, today=today),
        monitoring=monitoring_of(known, facts),
        notes=(
            *_card_notes(known, gates),
            *engine_notes(load.models, images, known),
            *orchestration_notes(known, orchestrator, operator, wishes=wishes, systems=systems),
            *license_notes(load, facts),
        ),
    )


def _card_notes(known: CardStack, gates: tuple[FormatGate, ...]) -> Iterator[Note]:
    """Say what the card asks for, and what it does not compute in."""
    gpu = known.gpu.id
    if known.kernel_modules is KernelModules.OPEN_REQUIRED:
        yield note("software_open_modules", gpu=gpu)
    if known.comes_with:
        yield note("software_driver_comes_with", gpu=gpu, system=known.comes_with)
    if known.stack.last_branch:
        yield note("software_last_branch", gpu=gpu, branch=known.stack.last_branch)
    for gate in gates:
        if not gate.is_passed:
            yield note(
                "software_gate_closed",
                gpu=gpu,
                precision=gate.precision,
                needed_capability=gate.needed_capability,
                capability=gate.capability,
            )
