"""Facts about NVIDIA NIM: what `data/nim.toml` holds of its support matrices."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sizing.catalogue import data_dir
from sizing.catalogue_reading import validated
from sizing.catalogue_rules import check_sorted
from sizing.records import Identifier, Name, Positive, PositiveCount, Record, SourcedRecord
from sizing.spec.versions import Version

NIM = "nim.toml"


class Goal(StrEnum):
    """What a profile is made for."""

    LATENCY = "latency"
    THROUGHPUT = "throughput"


class ProfileRecord(Record):
    """One row of a support matrix."""

    precision: Identifier
    """Precision of the weights."""

    gpus: PositiveCount
    """GPUs that it takes."""

    on: tuple[Identifier, ...] = ()
    """Accelerators that the row names; none where the matrix names them for all its rows."""

    goal: Goal | None = None
    """What it is made for, where the matrix says."""

    lora: bool = False
    """Whether it serves LoRA adapters."""

    disk_gb: Positive | None = None
    """Disk for container and model, GB."""

    least_total_gb: Positive | None = None
    """Memory of all its GPUs together, GB, where it runs on any that have it."""


class NimRecord(SourcedRecord):
    """What one release says of one model."""

    id: Identifier
    """Unique id: model, product, release."""

    model: Identifier
    """Model of the catalogue with that shape, id."""

    name: Name
    """What NVIDIA calls it."""

    product: Name
    """Family of NIMs whose documentation it is: LLM, VLM, Embedding."""

    version: Version
    """Release."""

    verified: tuple[Identifier, ...] = ()
    """Accelerators that it was verified on, for all profiles that name none."""

    is_secondhand: bool = False
    """Whether the matrix was read in a restatement."""

    least_memory_gb: Positive | None = None
    """Least memory of a GPU, GB, where the matrix says."""

    advised_memory_gb: Positive | None = None
    """Memory of a GPU that it advises, GB."""

    profiles: Annotated[tuple[ProfileRecord, ...], Field(min_length=1)]
    """Rows of its matrix."""


class BandRecord(Record):
    """Models of a range of sizes in NVIDIA's generic table."""

    from_billion: Positive
    """Smallest size, thousand millions of parameters."""

    to_billion: Positive
    """Largest size, the same."""

    gpus: dict[Identifier, PositiveCount]
    """GPUs of each accelerator."""


class RuleOfThumb(SourcedRecord):
    """NVIDIA's generic table by size, which it calls estimates."""

    product: Name
    """Family of NIMs."""

    version: Version
    """Release."""

    disk_gb_per_billion: Positive
    """Disk for each thousand million parameters, GB."""

    bands: Annotated[tuple[BandRecord, ...], Field(min_length=1)]
    """Ranges of sizes, ascending; the first that holds a size counts."""


class NimCatalogue(Record):
    """What `nim.toml` holds."""

    rule_of_thumb: RuleOfThumb
    """Generic table."""

    nim: tuple[NimRecord, ...]
    """Support matrices by model and release, sorted by id."""


def load_nim(path: Path | None = None) -> NimCatalogue:
    """Read and check the support matrices; raise CatalogueError naming the entry."""
    content = ((path or data_dir()) / NIM).read_bytes()
    facts = validated(NIM, content, NimCatalogue)
    check_sorted(NIM, [record.id for record in facts.nim])
    return facts
