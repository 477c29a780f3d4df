"""Drives: what they hold, in which sizes, what may be lost, and how fast a model is loaded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.request import Mode
from sizing.spec.drives import SIZES_GB, mirrored, striped
from sizing.spec.loading import load_times
from sizing.spec.storage import storage_for
from sizing.spec.wishes import StorageWishes

GB = 10**9


def parts(stored) -> dict[str, float]:
    return {part.code: part.size_gb for part in stored}


def sets(plan) -> dict[str, tuple[str, int, int]]:
    return {one.code: (one.raid, one.drives, one.drive_gb) for one in plan.sets}


def codes(notes) -> set[str]:
    return {note.code for note in notes}


def test_one_model_takes_the_least_of_the_article(load, model) -> None:
    """2 x 70 GB / 0.8 = 175 GB: 2 TB decide, the next size sold is 3.84 TB.

    System: 100 + 30 of images + 90 days x 1 GB of logs = 220 / 0.8 = 275 GB, on a mirror.
    """
    plan = storage_for(load("l40s", 4, model(70, gpus_per_copy=4)), StorageWishes())
    assert parts(plan.system_parts) == {"system": 100, "images": 30, "logs": 90}
    assert parts(plan.cache_parts) == {"models": 140}
    assert plan.kept_parts == ()
    assert sets(plan) == {"system": ("raid1", 2, 960), "cache": ("single", 1, 3840)}
    assert plan.sets[0].needed_gb == 275
    assert (plan.sets[1].bound_by, plan.sets[1].needed_gb) == ("floor_2tb", 2000)
    assert (plan.drives, plan.data_drives, plan.usable_gb) == (3, 1, 3840)


def test_what_is_trained_is_mirrored_and_saved(load, model) -> None:
    """Full fine-tuning of 8 billion: 3 checkpoints x 14 x 8 = 336 GB, 500 GB of data, 90 of logs.

    926 / 0.8 = 1,157.5 GB: two drives of 1.92 TB that mirror each other.
    """
    run = model(16, parameters=8 * GB, mode=Mode.FULL, gpus_per_copy=8)
    plan = storage_for(load("h100-sxm", 8, run), StorageWishes(dataset_gb=500))
    assert parts(plan.kept_parts) == {"checkpoints": 336, "data_sets": 500, "logs": 90}
    assert sets(plan)["kept"] == ("raid1", 2, 1920)
    assert plan.backup_parts == plan.kept_parts
    assert plan.backup_gb == 926
    assert "logs" not in parts(plan.system_parts)
    assert codes(plan.notes) >= {"storage_checkpoints_assumed", "storage_revisions_assumed"}
    assert "storage_data_sets_assumed" not in codes(plan.notes)


def test_adapters_alone_are_kept_of_a_lora_run(load, model) -> None:
    """Its checkpoint is what the plan says, 0.2 GB, not 14 bytes of every parameter."""
    run = model(16, parameters=8 * GB, mode=Mode.LORA, training_state_bytes=GB // 5)
    plan = storage_for(load("l40s", 1, run), StorageWishes(checkpoints=5))
    assert parts(plan.kept_parts)["checkpoints"] == 1


def test_served_adapters_cannot_be_downloaded_again(load, model) -> None:
    """Two revisions of 4 GB."""
    served = model(16, adapters=8, adapter_bytes=4 * GB)
    plan = storage_for(load("l40s", 1, served), StorageWishes())
    assert parts(plan.kept_parts) == {"adapters": 8, "logs": 90}


def test_nim_asks_for_four_gb_for_each_billion(load, model) -> None:
    """70 billion in 16 bits, one revision: 140 GB of weights and 140 GB of engine are 4 x 70."""
    nim = model(140, parameters=70 * GB, engine="nim", gpus_per_copy=2)
    plan = storage_for(load("h100-sxm", 2, nim), StorageWishes(revisions=1))
    assert sum(parts(plan.cache_parts).values()) == 4 * 70


def test_a_model_is_stored_once_however_many_copies(load, model) -> None:
    twice = (model(70, model_id="a-model", copies=4), model(70, model_id="a-model", copies=2))
    plan = storage_for(load("h200-sxm", 8, *twice), StorageWishes())
    assert parts(plan.cache_parts) == {"models": 140}


def test_large_models_leave_the_floor_behind(load, model) -> None:
    """2 x 1,342 GB / 0.8 = 3,355 GB."""
    wide = load("h200-sxm", 8, model(1342, gpus_per_copy=8), servers=2, spans_servers=True)
    plan = storage_for(wide, StorageWishes())
    assert (plan.sets[1].bound_by, plan.sets[1].needed_gb) == ("contents", 3355)
    assert "storage_each_server_reads" in codes(plan.notes)


def test_wishes_replace_what_was_assumed(load, model) -> None:
    """Three revisions of 100 GB; 2 GB of logs x 90 days."""
    wishes = StorageWishes(revisions=3, log_gb_per_day=2, dataset_gb=10)
    plan = storage_for(load("l40s", 4, model(100, gpus_per_copy=4)), wishes)
    assert parts(plan.cache_parts) == {"models": 300}
    assert parts(plan.kept_parts) == {"data_sets": 10, "logs": 180}
    assert not {"storage_revisions_assumed", "storage_logs_assumed"} & codes(plan.notes)


def test_small_machines_are_asked_for_their_drives(load, model) -> None:
    plan = storage_for(load("gb10", 1, model(8)), StorageWishes())
    assert "storage_small_machine" in codes(plan.notes)


@pytest.mark.parametrize(
    ("needed_gb", "raid", "drives", "drive_gb"),
    [
        (960, "single", 1, 960),
        (961, "single", 1, 1920),
        (7680, "single", 1, 7680),
        (7681, "raid0", 2, 7680),  # two of 3.84 TB hold 7,680
        (61_440, "raid0", 8, 7680),
        (61_441, "raid0", 5, 15_360),  # nine common drives: larger ones instead
    ],
)
def test_sizes_sold(needed_gb: float, raid: str, drives: int, drive_gb: int) -> None:
    chosen = striped("cache", needed_gb, bound_by="contents")
    assert (chosen.raid, chosen.drives, chosen.drive_gb) == (raid, drives, drive_gb)
    assert chosen.lost_with_drives == 1


@pytest.mark.parametrize(
    ("needed_gb", "raid", "drives", "usable_gb"),
    [(7680, "raid1", 2, 7680), (7681, "raid10", 4, 15_360), (7680.5, "raid10", 4, 15_360)],
)
def test_mirrors(needed_gb: float, raid: str, drives: int, usable_gb: int) -> None:
    chosen = mirrored("kept", needed_gb, bound_by="contents")
    assert (chosen.raid, chosen.drives, chosen.usable_gb) == (raid, drives, usable_gb)
    assert chosen.lost_with_drives == 2


@given(needed_gb=st.floats(1, 500_000))
def test_drives_hold_what_is_needed(needed_gb: float) -> None:
    for chosen in (striped("x", needed_gb, bound_by=""), mirrored("x", needed_gb, bound_by="")):
        assert chosen.usable_gb >= needed_gb
        assert chosen.drive_gb in SIZES_GB


@pytest.mark.parametrize(
    ("drive", "measured_s"), [("nvme3", 24.1), ("nvme4", 15.2), ("nvme5", 13.8)]
)
def test_measured_loads_of_40_gb_lie_inside(drive: str, measured_s: float) -> None:
    """40.5 GB in 4 bits, one GPU, one drive (craftrigs.com, March 2026)."""
    times = {one.drive: one for one in load_times(40_500_000_000, 1, 1)}
    estimate = times[drive].load_seconds
    assert estimate.low <= measured_s <= estimate.high
    assert estimate.typical == pytest.approx(measured_s, rel=0.1)


def test_a_load_from_sata_and_from_a_disk_takes_minutes() -> None:
    """140 GB / 0.55 = 254.5 s, + 140 / 3.8 = 36.8 s; measured 255 to 280. A disk: 700 + 36.8."""
    times = {one.drive: one for one in load_times(140 * GB, 1, 1)}
    assert times["sata"].load_seconds.low == pytest.approx(254.5, abs=0.1)
    assert times["sata"].load_seconds.typical == pytest.approx(291.4, abs=0.1)
    assert times["hdd"].load_seconds.typical == pytest.approx(736.8, abs=0.1)
    assert not times["hdd"].is_confirmed
    assert times["sata"].is_confirmed


def test_software_bounds_fast_drives() -> None:
    """Generation 4: 1/3.8 of 1/3.8 + 1/7 is 65 %; of generation 5, 1/14.5: 79 %."""
    shares = {one.drive: round(one.software_share, 2) for one in load_times(GB, 1, 1)}
    assert (shares["nvme4"], shares["nvme5"]) == (0.65, 0.79)


def test_two_drives_are_read_at_once_and_processes_share_the_work() -> None:
    """280 GB / (2 x 7) = 20 s + 73.7 s; at best eight processes unpack in 9.2 s while reading."""
    nvme4 = next(one for one in load_times(280 * GB, 8, 2) if one.drive == "nvme4")
    assert nvme4.load_seconds.low == pytest.approx(20)
    assert nvme4.load_seconds.typical == pytest.approx(93.7, abs=0.1)
    assert next(one for one in load_times(GB, 8, 2) if one.drive == "sata").drives == 1
