"""Load and check the catalogue."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import sizing
from sizing import catalogue_rules as rules
from sizing.answer import CatalogueStamp
from sizing.catalogue_files import (
    CloudFile,
    EngineFile,
    GpuFile,
    ModelFile,
    PrecisionFile,
    PriceFile,
    ProcessorFile,
    TrainingFile,
)
from sizing.catalogue_reading import validated
from sizing.catalogue_rules import Entry, NamedT
from sizing.errors import CatalogueError
from sizing.measured import FOLDER, Measurements
from sizing.records import (
    EfficiencyRecord,
    EngineRecord,
    FacilityRecord,
    FrameworkRecord,
    GpuRecord,
    KvPrecisionRecord,
    ModelRecord,
    PrecisionRecord,
    PriceBook,
    ProcessorRecord,
    SourcedRecord,
    ThroughputRecord,
    TrainingOverheads,
)

CLOUD = "cloud.toml"
EFFICIENCY = "efficiency.toml"
ENGINES = "engines.toml"
FACILITY = "facility.toml"
PRECISIONS = "precisions.toml"
PRICES = "prices.toml"
PROCESSORS = "processors.toml"
THROUGHPUT = "throughput.toml"
TRAINING = "training.toml"

ALONE = frozenset({CLOUD, EFFICIENCY, FACILITY, PRICES, THROUGHPUT, TRAINING})
"""Files that hold no list of records alone."""

SERVER_FACTS = frozenset(
    {
        "checklist.toml",
        "electricity.toml",
        "nim.toml",
        "servers.toml",
        "software.toml",
        "upkeep.toml",
    }
)
"""Files about the server around the GPUs: read with the first question about one."""


@dataclass(frozen=True)
class Catalogue:
    """All records by id, in id order."""

    models: Mapping[str, ModelRecord]
    gpus: Mapping[str, GpuRecord]
    precisions: Mapping[str, PrecisionRecord]
    kv_precisions: Mapping[str, KvPrecisionRecord]
    engines: Mapping[str, EngineRecord]
    processors: Mapping[str, ProcessorRecord]
    efficiency: EfficiencyRecord
    throughput: ThroughputRecord
    frameworks: Mapping[str, FrameworkRecord]
    training_overheads: TrainingOverheads
    stamp: CatalogueStamp
    prices: PriceBook = field(default_factory=PriceBook)
    measurements: Measurements = field(default_factory=Measurements)


@dataclass(frozen=True)
class _Entries:
    """All records with the file each stands in, as read."""

    models: tuple[Entry[ModelRecord], ...]
    gpus: tuple[Entry[GpuRecord], ...]
    precisions: tuple[Entry[PrecisionRecord], ...]
    kv_precisions: tuple[Entry[KvPrecisionRecord], ...]
    engines: tuple[Entry[EngineRecord], ...]
    processors: tuple[Entry[ProcessorRecord], ...]
    efficiency: EfficiencyRecord
    throughput: ThroughputRecord
    frameworks: tuple[Entry[FrameworkRecord], ...]
    training_overheads: TrainingOverheads
    prices: PriceBook


def data_dir() -> Path:
    """Return the folder of data files: the packaged one, else the checkout's."""
    packaged = Path(__file__).parent / "data"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "data"


def load_catalogue(path: Path | None = None) -> Catalogue:
    """Read and check every data file below `path`; raise CatalogueError naming file and entry."""
    contents = _read(path or data_dir())
    entries = _parse(contents)
    _check(entries)
    return Catalogue(
        models=_by_id(entries.models),
        gpus=_by_id(entries.gpus),
        precisions=_by_id(entries.precisions),
        kv_precisions=_by_id(entries.kv_precisions),
        engines=_by_id(entries.engines),
        processors=_by_id(entries.processors),
        efficiency=entries.efficiency,
        throughput=entries.throughput,
        frameworks=_by_id(entries.frameworks),
        training_overheads=entries.training_overheads,
        stamp=_stamp(contents, entries),
        prices=entries.prices,
        measurements=Measurements((path or data_dir()) / FOLDER),
    )


def _read(path: Path) -> dict[str, bytes]:
    """Return the bytes of every data file by its name below `path`, sorted."""
    names = sorted(file.relative_to(path).as_posix() for file in path.rglob("*.toml"))
    for required in (EFFICIENCY, ENGINES, PRECISIONS, PROCESSORS, THROUGHPUT, TRAINING):
        if required not in names:
            raise CatalogueError(file=required, detail=f"missing below {path.name}")
    return {name: (path / name).read_bytes() for name in names}


def _parse(contents: Mapping[str, bytes]) -> _Entries:
    """Turn every file into records."""
    gpus: list[Entry[GpuRecord]] = []
    models: list[Entry[ModelRecord]] = []
    precisions: list[Entry[PrecisionRecord]] = []
    kv_precisions: list[Entry[KvPrecisionRecord]] = []
    engines: list[Entry[EngineRecord]] = []
    processors: list[Entry[ProcessorRecord]] = []
    for file, content in contents.items():
        match file.split("/"):
            case [file_name] if file_name in ALONE | SERVER_FACTS:
                continue
            case ["gpus", _]:
                gpus += _entries(file, validated(file, content, GpuFile).gpu)
            case ["models", _]:
                models += _entries(file, validated(file, content, ModelFile).model)
            case [file_name] if file_name == PRECISIONS:
                formats = validated(file, content, PrecisionFile)
                precisions += _entries(file, formats.precision)
                kv_precisions += _entries(file, formats.kv_precision)
            case [file_name] if file_name == ENGINES:
                engines += _entries(file, validated(file, content, EngineFile).engine)
            case [file_name] if file_name == PROCESSORS:
                processors += _entries(file, _processors(content))
            case _:
                raise CatalogueError(file=file, detail="no data file has this name")
    training = validated(TRAINING, contents[TRAINING], TrainingFile)
    return _Entries(
        models=tuple(models),
        gpus=tuple(gpus),
        precisions=tuple(precisions),
        kv_precisions=tuple(kv_precisions),
        engines=tuple(engines),
        processors=tuple(processors),
        efficiency=validated(EFFICIENCY, contents[EFFICIENCY], EfficiencyRecord),
        throughput=validated(THROUGHPUT, contents[THROUGHPUT], ThroughputRecord),
        frameworks=tuple(_entries(TRAINING, training.framework)),
        training_overheads=training.overheads,
        prices=_prices(contents),
    )


def load_processors(path: Path | None = None) -> tuple[ProcessorRecord, ...]:
    """Read the processors alone; raise CatalogueError naming file and entry."""
    return _processors(((path or data_dir()) / PROCESSORS).read_bytes())


def _processors(content: bytes) -> tuple[ProcessorRecord, ...]:
    return validated(PROCESSORS, content, ProcessorFile).processor


def _prices(contents: Mapping[str, bytes]) -> PriceBook:
    """Return the prices; a catalogue may do without any."""
    book = PriceBook()
    if content := contents.get(CLOUD):
        book = replace(book, lists=validated(CLOUD, content, CloudFile).price_list)
    if content := contents.get(PRICES):
        purchases = validated(PRICES, content, PriceFile).purchase
        rules.check_sorted(PRICES, [record.gpu for record in purchases])
        by_gpu = {record.gpu: record for record in purchases}
        book = replace(book, purchases=MappingProxyType(by_gpu))
    if content := contents.get(FACILITY):
        book = replace(book, facility=validated(FACILITY, content, FacilityRecord))
    return book


def _entries(file: str, records: Iterable[NamedT]) -> list[Entry[NamedT]]:
    stored = [(file, record) for record in records]
    rules.check_sorted(file, [record.id for _, record in stored])
    return stored


def _check(entries: _Entries) -> None:
    """Check what holds between records; raise CatalogueError for the first breach."""
    rules.check_names(entries.models)
    rules.check_names(entries.gpus)
    rules.check_names(entries.precisions)
    rules.check_names(entries.kv_precisions)
    rules.check_names(entries.engines)
    rules.check_names(entries.frameworks)
    rules.check_training(TRAINING, entries.frameworks, entries.training_overheads)
    rules.check_families(entries.gpus)
    engines = {record.id for _, record in entries.engines}
    precisions = {record.id for _, record in entries.precisions}
    models = {record.id for _, record in entries.models}
    architectures = {record.architecture for _, record in entries.gpus}
    rules.check_engines(entries.engines, architectures=architectures)
    rules.check_precisions(
        entries.precisions, engines=engines, architectures=architectures, precisions=precisions
    )
    rules.check_kv_precisions(entries.kv_precisions, engines=engines, architectures=architectures)
    processors = {record.id: record for _, record in entries.processors}
    rules.check_models(entries.models, precisions=precisions, models=models)
    rules.check_processors(entries.models, processors)
    rules.check_prices(entries.prices, gpus={record.id for _, record in entries.gpus})


def _priced(book: PriceBook) -> list[SourcedRecord]:
    facility = [book.facility] if book.facility else []
    return [*book.lists, *book.purchases.values(), *facility]


def _by_id(entries: Iterable[Entry[NamedT]]) -> Mapping[str, NamedT]:
    by_id = {record.id: record for _, record in entries}
    return MappingProxyType(dict(sorted(by_id.items())))


def _stamp(contents: Mapping[str, bytes], entries: _Entries) -> CatalogueStamp:
    """Return what identifies these files: a digest of them, and the newest check of a fact."""
    digest = hashlib.sha256()
    for file, content in contents.items():
        digest.update(f"{file}\0{len(content)}\0".encode())
        digest.update(content)
    checked = [
        record.checked
        for kind in (entries.models, entries.gpus, entries.precisions, entries.kv_precisions)
        for _, record in kind
    ]
    checked += [entries.efficiency.checked, entries.throughput.checked]
    checked += [record.checked for _, record in entries.engines]
    checked += [record.checked for _, record in (*entries.processors, *entries.frameworks)]
    checked += [record.checked for record in _priced(entries.prices)]
    return CatalogueStamp(
        version=sizing.__version__,
        date=max(checked).isoformat(),
        digest=digest.hexdigest()[:16],
    )
