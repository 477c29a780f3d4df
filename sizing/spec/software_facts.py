"""Facts about the software of a GPU server: what `data/software.toml` holds."""

from __future__ import annotations

from pathlib import Path

from sizing.catalogue import data_dir
from sizing.catalogue_reading import validated
from sizing.catalogue_rules import check_sorted
from sizing.records import Record
from sizing.spec.engine_facts import GateRecord, ImageRecord, LicenseRecord
from sizing.spec.stack_facts import (
    BranchRecord,
    CardRecord,
    ContainerToolkitRecord,
    OperatorRecord,
    StackRecord,
    ToolkitRecord,
)
from sizing.spec.watch_facts import AlarmRecord, MonitorRecord

SOFTWARE = "software.toml"


class SoftwareCatalogue(Record):
    """What `software.toml` holds, each list sorted by id."""

    stack: tuple[StackRecord, ...]
    """Architectures."""

    card: tuple[CardRecord, ...]
    """Accelerators with needs of their own."""

    toolkit: tuple[ToolkitRecord, ...]
    """Major releases of CUDA."""

    branch: tuple[BranchRecord, ...]
    """Branches of NVIDIA's driver."""

    container_toolkit: tuple[ContainerToolkitRecord, ...]
    """What gives containers the GPU, one for each platform that needs it."""

    operator: tuple[OperatorRecord, ...]
    """Operators for Kubernetes."""

    image: tuple[ImageRecord, ...]
    """Engines."""

    gate: tuple[GateRecord, ...]
    """Gates of number formats."""

    alarm: tuple[AlarmRecord, ...]
    """Figures to watch."""

    monitor: tuple[MonitorRecord, ...]
    """What reads them."""

    license: tuple[LicenseRecord, ...]
    """Subscriptions."""


def load_software(path: Path | None = None) -> SoftwareCatalogue:
    """Read and check the facts about software; raise CatalogueError naming the entry."""
    content = ((path or data_dir()) / SOFTWARE).read_bytes()
    facts = validated(SOFTWARE, content, SoftwareCatalogue)
    for records in (
        facts.stack, facts.card, facts.toolkit, facts.branch, facts.operator, facts.image,
        facts.gate, facts.alarm, facts.license,
    ):  # fmt: skip
        check_sorted(SOFTWARE, [record.id for record in records])
    return facts
