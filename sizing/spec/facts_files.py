"""Facts about servers, rooms, software and their costs: read with the first question about one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sizing.catalogue import data_dir
from sizing.spec.electricity import Electricity, load_electricity
from sizing.spec.machines import MachineFile, load_servers
from sizing.spec.nim_facts import NimCatalogue, load_nim
from sizing.spec.software_facts import SoftwareCatalogue, load_software
from sizing.spec.upkeep_facts import UpkeepCatalogue, load_upkeep


@dataclass(frozen=True)
class SpecFacts:
    """All that a spec needs beside the catalogue."""

    machines: MachineFile
    electricity: Electricity
    software: SoftwareCatalogue
    nim: NimCatalogue
    upkeep: UpkeepCatalogue


def load_facts(path: Path | None = None) -> SpecFacts:
    """Read and check all files below `path`; raise CatalogueError naming file and entry."""
    return _load(path or data_dir())


@lru_cache(maxsize=2)
def _load(path: Path) -> SpecFacts:
    return SpecFacts(
        machines=load_servers(path),
        electricity=load_electricity(path),
        software=load_software(path),
        nim=load_nim(path),
        upkeep=load_upkeep(path),
    )
