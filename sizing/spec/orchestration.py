"""Docker for one server, Kubernetes for several, and what gives their containers the GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sizing.notes import Note, note
from sizing.spec.drivers import CardStack
from sizing.spec.engine_facts import ImageRecord
from sizing.spec.load import ServerLoad
from sizing.spec.software_facts import SoftwareCatalogue
from sizing.spec.software_plan import Orchestration, Requirement
from sizing.spec.stack_facts import OperatorRecord, Platform
from sizing.spec.versions import as_numbers
from sizing.spec.wishes import Orchestrator, SoftwareWishes

_WITH_CONTAINERS = frozenset({Platform.CUDA, Platform.ROCM, Platform.ONEAPI, Platform.GAUDI})
"""Platforms whose engines run in containers on a host of one's own."""


def orchestrator_of(load: ServerLoad, wishes: SoftwareWishes) -> tuple[Orchestrator, str]:
    """Return what starts the containers, and why: as asked, else by the number of servers."""
    if wishes.orchestrator:
        return wishes.orchestrator, "asked"
    if load.servers + load.spare_servers > 1:
        return Orchestrator.KUBERNETES, "several_servers"
    return Orchestrator.DOCKER, "one_server"


def operator_of(
    known: CardStack, orchestrator: Orchestrator, facts: SoftwareCatalogue
) -> OperatorRecord | None:
    """Return the operator for a cluster; None for Docker, or where it does not support the card."""
    if orchestrator is Orchestrator.DOCKER:
        return None
    found = (each for each in facts.operator if each.platform is known.stack.platform)
    operator = next(found, None)
    refused = operator is not None and known.gpu.segment in operator.not_on
    return None if refused else operator


def orchestration_of(
    known: CardStack, orchestrator: Orchestrator, rule: str, operator: OperatorRecord | None
) -> Orchestration | None:
    """Return what starts the containers; None on platforms without them."""
    if known.stack.platform not in _WITH_CONTAINERS:
        return None
    if operator is None:
        return Orchestration(orchestrator=orchestrator, rule=rule)
    return Orchestration(
        orchestrator=orchestrator,
        rule=rule,
        operator=operator.name,
        operator_version=operator.version,
        first_kubernetes=operator.first_kubernetes,
        last_kubernetes=operator.last_kubernetes,
        device_plugin=operator.device_plugin,
        resource=operator.resource,
        is_confirmed=not operator.unconfirmed,
        sources=operator.sources,
    )


def container_toolkit_of(
    known: CardStack, images: Iterable[ImageRecord], facts: SoftwareCatalogue
) -> Requirement | None:
    """Return what gives containers the GPU, from the release on that an engine asks for."""
    record = next(
        (each for each in facts.container_toolkit if each.platform is known.stack.platform), None
    )
    if record is None:
        return None
    asking = [image for image in images if image.first_container_toolkit]
    least = _newest(image.first_container_toolkit for image in asking)
    return Requirement(
        name=record.name,
        least_version=least,
        advised_version=record.version,
        ends=None,
        rule="engine" if least else "newest",
        is_confirmed=True,
        sources=(*record.sources, *(source for image in asking for source in image.sources)),
        checked=record.checked,
    )


def docker_of(images: Iterable[ImageRecord]) -> Requirement | None:
    """Return the Docker that an engine asks for; None where none does."""
    asking = [image for image in images if image.first_docker]
    least = _newest(image.first_docker for image in asking)
    if least is None:
        return None
    return Requirement(
        name="Docker",
        least_version=least,
        advised_version=None,
        ends=None,
        rule="engine",
        is_confirmed=True,
        sources=tuple(source for image in asking for source in image.sources),
        checked=min(image.checked for image in asking),
    )


def _newest(versions: Iterable[str | None]) -> str | None:
    return max((each for each in versions if each), key=as_numbers, default=None)


def systems_of(
    known: CardStack, operator: OperatorRecord | None, facts: SoftwareCatalogue
) -> tuple[str, ...]:
    """Return the systems that driver, containers and operator were tested on."""
    if known.comes_with:
        return (known.comes_with,)
    if operator is not None and operator.operating_systems:
        return operator.operating_systems
    if known.stack.operating_systems:
        return known.stack.operating_systems
    found = (
        each.operating_systems
        for each in facts.container_toolkit
        if each.platform is known.stack.platform
    )
    return next(found, ())


def orchestration_notes(
    known: CardStack,
    orchestrator: Orchestrator,
    operator: OperatorRecord | None,
    *,
    wishes: SoftwareWishes,
    systems: tuple[str, ...],
) -> Iterator[Note]:
    """Say what was chosen unasked, and what was not validated."""
    if wishes.orchestrator is None and known.stack.platform in _WITH_CONTAINERS:
        yield note("software_default_orchestrator", orchestrator=orchestrator.value)
    if orchestrator is Orchestrator.KUBERNETES and operator is None:
        yield note("software_no_operator", gpu=known.gpu.id)
    wanted = wishes.operating_system
    if wanted and systems and not any(_is_named(wanted, each) for each in systems):
        yield note("software_system_not_tested", system=wanted, systems=systems)


def _is_named(wanted: str, system: str) -> bool:
    """Return whether a system is the wanted one, or the wanted one of its releases."""
    ours, theirs = system.lower().split(), wanted.lower().split()
    return (
        ours[: len(theirs)] == theirs
        or theirs[: len(ours)] == ours
        or (ours[:-1] == theirs[:-1] and theirs[-1].startswith(f"{ours[-1]}."))
    )
