"""Facts about engines in containers, the formats they compute in and what they cost."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

from sizing.records import Identifier, Name, Positive, Segment, SourcedRecord, Text
from sizing.spec.stack_facts import Platform
from sizing.spec.versions import Version


class ImageRecord(SourcedRecord):
    """One engine in a container, for one family of drivers."""

    id: Identifier
    """Unique id."""

    engine: Identifier
    """Serving engine, id."""

    platform: Platform
    """Family of drivers and libraries."""

    image: Text | None = None
    """Container image without its tag; None where its makers publish none."""

    version: Version | None = None
    """Newest release read about."""

    toolkit: Version | None = None
    """Release of CUDA or ROCm in it."""

    capability: Version | None = None
    """Least compute capability."""

    first_driver: Version | None = None
    """Oldest driver that its documentation asks for."""

    first_container_toolkit: Version | None = None
    """Oldest container toolkit that its documentation asks for."""

    first_docker: Version | None = None
    """Oldest Docker that its documentation asks for."""

    first_versions: dict[Identifier, Version] = Field(default_factory=dict)
    """First release that runs on an architecture or accelerator."""

    last_versions: dict[Identifier, Version] = Field(default_factory=dict)
    """Last release known to run on an architecture that was dropped since."""

    maintained: bool = True
    """Whether new releases are still to be expected."""

    unconfirmed: tuple[Name, ...] = ()
    """Keys of this record that no first-hand source confirms."""


class GateRecord(SourcedRecord):
    """Compute capability from which a number format is computed in."""

    id: Identifier
    """Name of the gate."""

    capability: Version
    """Least compute capability."""

    precisions: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Precisions behind the gate."""


class LicenseRecord(SourcedRecord):
    """One subscription."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    engines: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Engines that need it in production."""

    usd_per_gpu_year: Positive
    """List price of one GPU and year, USD."""

    education_usd_per_gpu_year: Positive | None = None
    """The same for education and start-up programmes, USD."""

    cloud_usd_per_gpu_hour: Positive | None = None
    """On rented GPUs, USD per GPU and hour."""

    dated: date
    """Day of the prices."""

    included_with: tuple[Identifier, ...] = ()
    """Accelerators that bring it along."""

    included_years: Positive | None = None
    """Years for which they do."""

    not_for_segments: tuple[Segment, ...] = ()
    """Segments of accelerators that it does not support."""
