"""The drives of one server: what they hold, what may be lost, how fast a model is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from sizing.notes import Note, note
from sizing.records import Positive, PositiveCount, Record
from sizing.spec import contents
from sizing.spec.contents import StoredPart, total_gb
from sizing.spec.drives import FILL_SHARE, DriveSet, mirrored, striped
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.loading import LoadTime, load_times
from sizing.spec.wishes import StorageWishes
from sizing.units import GB

LEAST_CACHE_GB = 2_000
"""Least NVMe storage for models and data sets, GB (second article)."""


class StoragePlan(Record):
    """Drives of one server."""

    system_parts: tuple[StoredPart, ...]
    """Contents of the system drives."""

    cache_parts: tuple[StoredPart, ...]
    """What can be downloaded or built again."""

    kept_parts: tuple[StoredPart, ...]
    """What cannot; empty where nothing was made here."""

    sets: tuple[DriveSet, ...]
    """Drives by purpose: system, cache and, where something cannot be replaced, kept."""

    drives: PositiveCount
    """Drives of all sets."""

    data_drives: PositiveCount
    """The same without the system's."""

    usable_gb: Positive
    """What the data drives hold, GB."""

    largest_model: str
    """Model whose load times are shown."""

    largest_model_gb: Positive
    """What is read of it, GB."""

    load_times: tuple[LoadTime, ...]
    """Time to load it, by kind of drive."""

    backup_parts: tuple[StoredPart, ...]
    """What has to be saved elsewhere; settings and secrets beside them."""

    backup_gb: Annotated[float, Field(ge=0)]
    """Sum of the parts, GB."""

    notes: tuple[Note, ...]
    """What was assumed, and what to know."""


def storage_for(load: ServerLoad, wishes: StorageWishes) -> StoragePlan:
    """Return the drives of one server of `load`."""
    cache, kept = contents.replaceable(load, wishes), contents.irreplaceable(load, wishes)
    system = contents.system(load)
    logs = contents.logs(wishes)
    if kept:
        kept += logs
    else:
        system += logs
    sets = tuple(_sets(system, cache, kept))
    largest = max(load.models, key=lambda model: model.checkpoint_bytes)
    cache_drives = next(one.drives for one in sets if one.code == "cache")
    backup = kept or logs
    return StoragePlan(
        system_parts=system,
        cache_parts=cache,
        kept_parts=kept,
        sets=sets,
        drives=sum(one.drives for one in sets),
        data_drives=sum(one.drives for one in sets if one.code != "system"),
        usable_gb=sum(one.usable_gb for one in sets if one.code != "system"),
        largest_model=largest.name,
        largest_model_gb=round(largest.checkpoint_bytes / GB, 1),
        load_times=load_times(largest.checkpoint_bytes, largest.gpus_per_copy, cache_drives),
        backup_parts=backup,
        backup_gb=total_gb(backup),
        notes=tuple(_notes(load, wishes, largest)),
    )


def _sets(
    system: tuple[StoredPart, ...], cache: tuple[StoredPart, ...], kept: tuple[StoredPart, ...]
) -> Iterator[DriveSet]:
    yield mirrored("system", _filled(system), bound_by="contents")
    filled_gb = _filled(cache)
    bound_by = "contents" if filled_gb > LEAST_CACHE_GB else "floor_2tb"
    yield striped("cache", max(filled_gb, LEAST_CACHE_GB), bound_by=bound_by)
    if kept:
        yield mirrored("kept", _filled(kept), bound_by="contents")


def _filled(parts: tuple[StoredPart, ...]) -> float:
    """Return what drives have to hold so that the contents leave room, GB."""
    return round(total_gb(parts) / FILL_SHARE, 1)


def _notes(load: ServerLoad, wishes: StorageWishes, largest: ModelLoad) -> Iterator[Note]:
    if wishes.revisions is None:
        yield note("storage_revisions_assumed", revisions=contents.REVISIONS)
    if wishes.log_gb_per_day is None:
        yield note("storage_logs_assumed", log_gb=contents.LOG_GB_PER_DAY)
    if wishes.log_days is None:
        yield note("storage_log_days_assumed", days=contents.LOG_DAYS)
    if load.trains and wishes.dataset_gb is None:
        yield note("storage_data_sets_assumed", size_gb=contents.TRAINING_DATA_GB)
    if load.trains and wishes.checkpoints is None:
        yield note("storage_checkpoints_assumed", checkpoints=contents.CHECKPOINTS)
    yield note("storage_cache_is_replaceable")
    yield note("storage_old_revisions_stay")
    if load.spans_servers:
        yield note("storage_each_server_reads", model=largest.name)
    yield note("storage_load_is_software")
    yield note("storage_settings_are_saved")
    if load.gpu.unified_memory:
        yield note("storage_small_machine", gpu=load.gpu.id)
