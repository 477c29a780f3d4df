"""Which driver a card and its engines need, and which branch lasts longest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from sizing.records import GpuRecord
from sizing.spec.engine_facts import ImageRecord
from sizing.spec.software_facts import SoftwareCatalogue
from sizing.spec.software_plan import Requirement
from sizing.spec.stack_facts import (
    BranchRecord,
    CardRecord,
    KernelModules,
    OperatorRecord,
    Platform,
    StackRecord,
    ToolkitRecord,
)
from sizing.spec.versions import as_numbers, is_before, is_of_branch


@dataclass(frozen=True)
class CardStack:
    """What is known of the software of one card."""

    gpu: GpuRecord
    stack: StackRecord
    card: CardRecord | None
    """What the card needs beyond its architecture."""

    @property
    def kernel_modules(self) -> KernelModules | None:
        """Return the flavour of kernel modules it takes."""
        own = self.card.kernel_modules if self.card else None
        return own or self.stack.kernel_modules

    @property
    def comes_with(self) -> str | None:
        """Return the vendor's system that brings the driver along."""
        return self.card.comes_with if self.card else None


@dataclass(frozen=True)
class _Bound:
    """One reason for a driver not to be older."""

    version: str
    rule: str
    sources: tuple[str, ...]
    checked: date
    is_confirmed: bool = True


def stack_of(gpu: GpuRecord, facts: SoftwareCatalogue) -> CardStack:
    """Return what is known of a card; every architecture of the catalogue has a stack."""
    stack = next(each for each in facts.stack if each.id == gpu.architecture)
    card = next((each for each in facts.card if each.id == gpu.id), None)
    return CardStack(gpu, stack, card)


def driver_of(
    known: CardStack,
    images: Iterable[ImageRecord],
    operator: OperatorRecord | None,
    *,
    facts: SoftwareCatalogue,
    today: date,
) -> Requirement | None:
    """Return the driver: the newest that card, engine and its CUDA ask for, and a lasting branch.

    None where it comes with the system, or nothing is known of drivers of that platform.
    """
    images = tuple(images)
    bounds = [*_of_card(known), *_of_engines(known, images, facts)]
    if known.comes_with or not bounds:
        return None
    bound = max(bounds, key=lambda each: as_numbers(each.version))
    advised, ends = (
        _advised(bound.version, known.stack, operator, facts=facts, today=today)
        if known.stack.platform is Platform.CUDA
        else (_newest_toolkit(images, bound.version), None)
    )
    return Requirement(
        name=_DRIVER_NAMES[known.stack.platform],
        least_version=bound.version,
        advised_version=advised,
        ends=ends,
        rule=bound.rule,
        is_confirmed=bound.is_confirmed,
        sources=bound.sources,
        checked=bound.checked,
    )


_DRIVER_NAMES = {
    Platform.CUDA: "NVIDIA driver",
    Platform.ROCM: "ROCm",
    Platform.ONEAPI: "Intel oneAPI",
    Platform.GAUDI: "Intel Gaudi software",
}
"""What is installed on the host: beside NVIDIA the libraries are told, which bring the driver."""


def _of_card(known: CardStack) -> Iterator[_Bound]:
    for record, rule in ((known.stack, "architecture"), (known.card, "card")):
        if record is None:
            continue
        key = "first_driver" if known.stack.platform is Platform.CUDA else "first_toolkit"
        version = getattr(record, key)
        if version:
            confirmed = key not in record.unconfirmed
            yield _Bound(version, rule, record.sources, record.checked, is_confirmed=confirmed)


def _of_engines(
    known: CardStack, images: Iterable[ImageRecord], facts: SoftwareCatalogue
) -> Iterator[_Bound]:
    for image in images:
        if image.first_driver:
            yield _Bound(image.first_driver, "engine", image.sources, image.checked)
        toolkit = toolkit_of(known, image)
        if toolkit is None:
            continue
        release = _release(toolkit, known.stack.platform, facts)
        if release:
            confirmed = "toolkit" not in image.unconfirmed
            sources = (*release.sources, *image.sources)
            yield _Bound(
                release.first_driver, "toolkit", sources, release.checked, is_confirmed=confirmed
            )


def toolkit_of(known: CardStack, image: ImageRecord) -> str | None:
    """Return the CUDA that the engine brings: the last that knows the card, where it is dropped."""
    last = known.stack.last_toolkit
    if image.toolkit is None:
        return None
    too_new = last is not None and is_before(last, image.toolkit.split(".")[0])
    return last if too_new else image.toolkit


def _release(toolkit: str, platform: Platform, facts: SoftwareCatalogue) -> ToolkitRecord | None:
    return next(
        (
            each
            for each in facts.toolkit
            if each.platform is platform and is_of_branch(toolkit, each.version)
        ),
        None,
    )


def _advised(
    least: str,
    stack: StackRecord,
    operator: OperatorRecord | None,
    *,
    facts: SoftwareCatalogue,
    today: date,
) -> tuple[str | None, date | None]:
    """Return the branch that is supported longest, and until when.

    An operator for Kubernetes names the releases it was validated with.
    """
    branches = [each for each in facts.branch if _will_do(each, least, stack, today)]
    if operator is not None and operator.drivers:
        validated = [(each, _validated(each, operator)) for each in branches]
        branches = [branch for branch, release in validated if release]
    if not branches:
        return None, None
    best = max(branches, key=lambda each: each.ends)
    return (_validated(best, operator) if operator else None) or best.version, best.ends


def _newest_toolkit(images: Iterable[ImageRecord], least: str) -> str | None:
    """Return the release that the containers bring, which the host does best to have too."""
    toolkits = (image.toolkit for image in images if image.toolkit)
    newest = max(toolkits, key=as_numbers, default=None)
    return newest if newest and not is_before(newest, least) else None


def _will_do(branch: BranchRecord, least: str, stack: StackRecord, today: date) -> bool:
    """Return whether a branch is supported, knows the card, and is new enough."""
    old = is_before(branch.version, least) and not is_of_branch(least, branch.version)
    dropped = stack.last_branch is not None and is_before(stack.last_branch, branch.version)
    return branch.ends >= today and not old and not dropped


def _validated(branch: BranchRecord, operator: OperatorRecord | None) -> str | None:
    """Return the release of a branch that an operator was validated with."""
    drivers = operator.drivers if operator else ()
    return next((each for each in drivers if is_of_branch(each, branch.version)), None)
