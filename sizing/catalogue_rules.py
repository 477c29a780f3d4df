"""Rules that hold between records of the catalogue: order, names and references."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from sizing.errors import CatalogueError
from sizing.records import (
    EngineRecord,
    FrameworkRecord,
    GpuRecord,
    KvPrecisionRecord,
    ModelKind,
    ModelRecord,
    PrecisionRecord,
    PriceBook,
    PriceListRecord,
    ProcessorRecord,
    PurchaseRecord,
    Record,
    StepOverheads,
    TensorGroup,
    TrainingOverheads,
)

_SEPARATORS = re.compile(r"[\s_.:/-]+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)-(?=\d)")


class Named(Protocol):
    """Record with an id and other spellings."""

    @property
    def id(self) -> str:
        """Unique id."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other spellings."""


NamedT = TypeVar("NamedT", bound=Named)
Entry = tuple[str, NamedT]
"""File that a record stands in, and the record."""


def name_key(name: str) -> str:
    """Return what all spellings of a name share: lower case, separators only between digits.

    A mark stays between digits because `qwen2-57b` and `qwen2.5-7b` are two models.
    """
    hyphened = _SEPARATORS.sub("-", name.strip().lower())
    return _BETWEEN_DIGITS.sub(".", hyphened).replace("-", "")


def check_sorted(file: str, ids: Sequence[str]) -> None:
    """Refuse ids that repeat or leave alphabetical order within one file."""
    for earlier, current in itertools.pairwise(ids):
        if current == earlier:
            raise CatalogueError(file=file, detail=f"{current}: listed twice")
        if current < earlier:
            place = next(candidate for candidate in ids if candidate > current)
            raise CatalogueError(file=file, detail=f"{current}: belongs before {place}")


def check_names(entries: Iterable[Entry[NamedT]]) -> None:
    """Refuse an id, alias or mere variant of one that two records answer to."""
    owners: dict[str, tuple[str, NamedT]] = {}
    for file, record in entries:
        names = (record.id, *record.aliases)
        if len(set(names)) < len(names):
            raise CatalogueError(file=file, detail=f"{record.id}: a name is listed twice")
        for name in names:
            first_file, first = owners.setdefault(name_key(name), (file, record))
            if first is not record:
                detail = f"{record.id}: {name} also names {first.id} in {first_file}"
                raise CatalogueError(file=file, detail=detail)


def check_families(entries: Iterable[Entry[GpuRecord]]) -> None:
    """Refuse a family with two defaults, and a product that takes the name of a family."""
    stored = tuple(entries)
    families: dict[str, list[GpuRecord]] = {}
    for _, gpu in stored:
        families.setdefault(name_key(gpu.family), []).append(gpu)
    for file, gpu in stored:
        defaults = [one.id for one in families[name_key(gpu.family)] if one.family_default]
        if len(defaults) > 1:
            detail = f"{gpu.id}: the family {gpu.family} has two defaults, {' and '.join(defaults)}"
            raise CatalogueError(file=file, detail=detail)
        for name in (gpu.id, *gpu.aliases):
            members = families.get(name_key(name), [gpu])
            if members != [gpu] and not (gpu in members and gpu.family_default):
                detail = f"{gpu.id}: {name} is the name of a family it is not the default of"
                raise CatalogueError(file=file, detail=detail)


def check_precisions(
    entries: Iterable[Entry[PrecisionRecord]],
    *,
    engines: Collection[str],
    architectures: Collection[str],
    precisions: Collection[str],
) -> None:
    """Refuse a precision with an unknown engine, architecture or substitute."""
    for file, record in entries:
        runs_on = (*record.native_on, *record.storage_only_on)
        _check_known(file, record.id, record.engines, engines, kind="engine")
        _check_known(file, record.id, runs_on, architectures, kind="architecture")
        others = (*record.instead, *filter(None, [record.specialises]))
        _check_known(file, record.id, others, precisions, kind="precision")
        if len(set(runs_on)) < len(runs_on):
            raise CatalogueError(file=file, detail=f"{record.id}: an architecture is listed twice")


def check_kv_precisions(
    entries: Iterable[Entry[KvPrecisionRecord]],
    *,
    engines: Collection[str],
    architectures: Collection[str],
) -> None:
    """Refuse a KV precision with an unknown engine or architecture."""
    for file, record in entries:
        _check_known(file, record.id, record.engines, engines, kind="engine")
        _check_known(file, record.id, record.runs_on, architectures, kind="architecture")


def check_engines(
    entries: Iterable[Entry[EngineRecord]], *, architectures: Collection[str]
) -> None:
    """Refuse an engine that runs nowhere known, or is sized as one without overheads."""
    stored = tuple(entries)
    measured = {record.id for _, record in stored if record.overhead is not None}
    for file, record in stored:
        _check_known(file, record.id, record.runs_on, architectures, kind="architecture")
        if record.sized_as not in measured:
            detail = f"{record.id}: no overheads are known of {record.sized_as}"
            raise CatalogueError(file=file, detail=detail)
        if record.id in measured and record.sized_as != record.id:
            detail = f"{record.id}: has overheads of its own, yet is sized as {record.sized_as}"
            raise CatalogueError(file=file, detail=detail)
        if record.overhead is not None:
            _check_ranges(file, record.id, record.overhead)
        if record.passes is not None:
            _check_ranges(file, record.id, record.passes)


def check_training(
    file: str, frameworks: Iterable[Entry[FrameworkRecord]], overheads: TrainingOverheads
) -> None:
    """Refuse a range of training software that does not ascend."""
    _check_ranges(file, "overheads", overheads)
    for _, record in frameworks:
        _check_ranges(file, record.id, record)


def _check_ranges(file: str, engine: str, overhead: Record) -> None:
    """Refuse a range whose low, typical and high do not ascend."""
    ranges = ((name, value) for name, value in overhead if isinstance(value, Record))
    for name, measured in ranges:
        if isinstance(measured, StepOverheads):
            _check_ranges(file, f"{engine}: {name}", measured)
            continue
        low, typical, high = (bound for _, bound in measured)
        if not low <= typical <= high:
            detail = f"{engine}: {name}: low, typical and high do not ascend"
            raise CatalogueError(file=file, detail=detail)


def check_models(
    entries: Iterable[Entry[ModelRecord]],
    *,
    precisions: Collection[str],
    models: Collection[str],
) -> None:
    """Refuse a model with an unknown precision, or an alternative that is unknown or itself."""
    for file, record in entries:
        _check_known(file, record.id, _formats(record), precisions, kind="precision")
        _check_known(file, record.id, record.alternatives, models, kind="model")
        if record.id in record.alternatives:
            raise CatalogueError(file=file, detail=f"{record.id}: is its own alternative")


def check_processors(
    entries: Iterable[Entry[ModelRecord]], processors: Mapping[str, ProcessorRecord]
) -> None:
    """Refuse a model whose encoder has no rule for its tokens, nor word that there is none."""
    for file, record in entries:
        _check_known(
            file, record.id, filter(None, [record.processor]), processors, kind="processor"
        )
        if not record.processor_is_published:
            continue
        processor = processors.get(record.processor or "")
        if _reads_images(record) and not (processor and processor.image):
            raise CatalogueError(
                file=file, detail=f"{record.id}: no rule for the tokens of an image"
            )
        if _reads_sound(record) and not (processor and processor.sound):
            raise CatalogueError(file=file, detail=f"{record.id}: no rule for the tokens of sound")


def _reads_images(record: ModelRecord) -> bool:
    given = record.architecture.given_parameters if record.architecture else {}
    return record.kind is ModelKind.VLM or TensorGroup.VISION in given


def _reads_sound(record: ModelRecord) -> bool:
    """Return whether sound becomes tokens: not where its encoder is attended to (Whisper)."""
    shape = record.architecture
    return (
        shape is not None
        and TensorGroup.AUDIO in shape.given_parameters
        and shape.cross_attention is None
    )


def _formats(record: ModelRecord) -> tuple[str, ...]:
    """Return every precision that a model names."""
    checkpoints = record.checkpoints
    return (
        record.native_precision,
        *record.published_in,
        *record.native_groups.values(),
        *(each.precision for each in checkpoints),
        *(name for each in checkpoints for name in each.groups.values()),
        *(one.precision for each in checkpoints for one in each.exceptions if one.precision),
    )


def check_prices(book: PriceBook, *, gpus: Collection[str]) -> None:
    """Refuse prices of unknown accelerators, from a day to come, or out of order."""
    check_sorted("cloud.toml", [record.id for record in book.lists])
    for record in book.lists:
        _check_list(record, gpus)
    for gpu, purchase in book.purchases.items():
        _check_known("prices.toml", gpu, (gpu,), gpus, kind="accelerator")
        if not purchase.low_usd <= purchase.typical_usd <= purchase.high_usd:
            detail = f"{gpu}: low, typical and high do not ascend"
            raise CatalogueError(file="prices.toml", detail=detail)
        _check_day("prices.toml", gpu, purchase)


def _check_list(record: PriceListRecord, gpus: Collection[str]) -> None:
    named = [(each.gpu, each.gpus, each.name) for each in record.instances]
    _check_known("cloud.toml", record.id, (gpu for gpu, *_ in named), gpus, kind="accelerator")
    names = [name for *_, name in named]
    for name in names:
        if names.count(name) > 1:
            raise CatalogueError(file="cloud.toml", detail=f"{record.id}: {name} is listed twice")
    for earlier, current in itertools.pairwise(named):
        if current < earlier:
            detail = f"{record.id}: {current[2]} belongs before {earlier[2]}"
            raise CatalogueError(file="cloud.toml", detail=detail)
    _check_day("cloud.toml", record.id, record)


def _check_day(file: str, name: str, record: PriceListRecord | PurchaseRecord) -> None:
    if record.dated > record.checked:
        raise CatalogueError(file=file, detail=f"{name}: dated after it was checked")


def _check_known(
    file: str, record: str, ids: Iterable[str], known: Collection[str], *, kind: str
) -> None:
    for current in ids:
        if current not in known:
            raise CatalogueError(file=file, detail=f"{record}: no {kind} is called {current}")
