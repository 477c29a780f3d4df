"""Facts about drivers, libraries and what gives containers the GPU."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import Identifier, Name, Segment, SourcedRecord
from sizing.spec.versions import Version


class Platform(StrEnum):
    """Family of drivers and libraries."""

    CUDA = "cuda"
    ROCM = "rocm"
    ONEAPI = "oneapi"
    GAUDI = "gaudi"
    METAL = "metal"
    CLOUD = "cloud"


class KernelModules(StrEnum):
    """Flavour of NVIDIA's kernel modules that an accelerator takes."""

    OPEN_REQUIRED = "open_required"
    OPEN_ADVISED = "open_advised"
    PROPRIETARY = "proprietary"


class StackRecord(SourcedRecord):
    """What one architecture needs of driver and libraries."""

    id: Identifier
    """Architecture."""

    platform: Platform
    """Family of drivers and libraries."""

    first_toolkit: Version | None = None
    """First release of CUDA or ROCm that knows it; None where no source says so."""

    last_toolkit: Version | None = None
    """Last major release that knows it; None while it is supported."""

    first_driver: Version | None = None
    """First driver that knows it; None where no source says so."""

    last_branch: Version | None = None
    """Last driver branch that knows it; None while it is supported."""

    kernel_modules: KernelModules | None = None
    """Flavour of kernel modules; None beside NVIDIA."""

    operating_systems: tuple[Name, ...] = ()
    """Systems that its driver is tested on, where that depends on the architecture."""

    unconfirmed: tuple[Name, ...] = ()
    """Keys of this record that no first-hand source confirms."""


class CardRecord(SourcedRecord):
    """What one accelerator needs beyond its architecture."""

    id: Identifier
    """Accelerator."""

    first_toolkit: Version | None = None
    """First release of CUDA that knows it."""

    first_driver: Version | None = None
    """First driver that knows it."""

    kernel_modules: KernelModules | None = None
    """Flavour of kernel modules."""

    comes_with: Name | None = None
    """Operating system of the vendor that brings the driver along."""

    unconfirmed: tuple[Name, ...] = ()
    """Keys of this record that no first-hand source confirms."""


class ToolkitRecord(SourcedRecord):
    """One major release of CUDA."""

    id: Identifier
    """Unique id."""

    platform: Platform
    """Family it belongs to."""

    version: Version
    """Major release."""

    first_driver: Version
    """Oldest driver that runs programs built with any of its releases."""


class BranchKind(StrEnum):
    """How long a driver branch is supported."""

    LONG_TERM = "long_term"
    PRODUCTION = "production"


class BranchRecord(SourcedRecord):
    """One branch of NVIDIA's data-centre driver."""

    id: Identifier
    """Unique id."""

    version: Version
    """Branch."""

    kind: BranchKind
    """How long it is supported."""

    ends: date
    """Last day of its support."""


class ContainerToolkitRecord(SourcedRecord):
    """What gives containers the GPU."""

    platform: Platform
    """Family it belongs to."""

    name: Name
    """Name people read."""

    version: Version
    """Newest release read about."""

    operating_systems: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Systems it is tested on."""


class OperatorRecord(SourcedRecord):
    """What installs driver, device plugin and monitoring in a Kubernetes cluster."""

    id: Identifier
    """Unique id."""

    platform: Platform
    """Family it belongs to."""

    name: Name
    """Name people read."""

    version: Version
    """Release."""

    first_kubernetes: Version
    """Oldest Kubernetes it supports."""

    last_kubernetes: Version | None = None
    """Newest Kubernetes it was validated with, where that is told."""

    drivers: tuple[Version, ...] = ()
    """Driver releases it was validated with, ascending."""

    default_driver: Version | None = None
    """Driver it installs unless told otherwise."""

    device_plugin: Version | None = None
    """Release of the device plugin it brings."""

    resource: Name
    """Name under which Kubernetes counts the GPUs."""

    operating_systems: tuple[Name, ...] = ()
    """Systems it was validated on."""

    not_on: tuple[Segment, ...] = ()
    """Segments of accelerators that it does not support or list."""

    unconfirmed: tuple[Name, ...] = ()
    """Keys of this record that no first-hand source confirms."""
