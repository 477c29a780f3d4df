"""MIG slices: names, memory and shares of each, and that smaller slices are never larger."""

from __future__ import annotations

import itertools

import pytest

from sizing.catalogue import Catalogue

DEVICES = ("7g", "4g", "2g")
"""Widths of a whole device: Hopper and its kind, A30 and RTX PRO 6000, smaller RTX PRO."""


def test_slices_stand_where_the_device_gives_some(catalogue: Catalogue) -> None:
    """Thor shares all memory between its slices; the 72 GB card and the B100 are unknown."""
    without = {gpu.id for gpu in catalogue.gpus.values() if gpu.mig and not gpu.mig_profiles}
    assert without == {"b100-sxm", "jetson-agx-thor", "rtx-pro-5000-72"}
    assert all(gpu.mig for gpu in catalogue.gpus.values() if gpu.mig_profiles)


@pytest.mark.parametrize(
    ("gpu", "profile", "gib"),
    [
        # nvidia-smi mig -lgip, which cuts after two decimals: 19.62 is 19.625
        ("h100-nvl", "1g.12gb", 10.75),
        ("h100-nvl", "2g.24gb", 21.625),
        ("h100-nvl", "3g.47gb", 46.375),
        ("a100-sxm-40", "1g.5gb", 4.75),
        ("a100-sxm-40", "3g.20gb", 19.625),
        ("a100-sxm-80", "3g.40gb", 39.25),
        ("h100-sxm", "3g.40gb", 39.5),
        ("a30", "2g.12gb", 11.6875),
        ("h200-sxm", "1g.18gb", 16.0),
        ("b200-sxm", "1g.45gb", 44.25),
        ("gb200", "2g.47gb", 45.5),
        ("rtx-pro-6000-server", "1g.24gb", 23.125),
    ],
)
def test_measured_slices(catalogue: Catalogue, gpu: str, profile: str, gib: float) -> None:
    found = catalogue.gpus[gpu].mig_profile(profile)
    assert found is not None
    assert found.usable_mib == gib * 1024
    assert found.usable_is_measured


def test_each_slice_fits_its_name_and_its_card(catalogue: Catalogue) -> None:
    """The name rounds the memory up; all slices of a size fit the card at once."""
    for gpu in catalogue.gpus.values():
        for each in gpu.mig_profiles:
            assert 0.85 * each.marketed_gb <= each.usable_bytes / 2**30 <= each.marketed_gb, gpu.id
            assert each.usable_mib * each.most_instances <= gpu.usable_mib, gpu.id
            assert each.memory_share * each.most_instances <= 1, gpu.id
            assert each.sm_share * each.most_instances <= 1.001, gpu.id


def test_slices_go_from_small_to_whole(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        sizes = [(each.usable_mib, each.sm_share) for each in gpu.mig_profiles]
        assert sizes == sorted(sizes), gpu.id
        names = [each.name for each in gpu.mig_profiles]
        assert len(set(names)) == len(names)
        if names:
            assert names[-1].startswith(DEVICES), gpu.id
            assert gpu.mig_profiles[-1].memory_share == 1


def test_slices_of_one_memory_share_have_one_memory(catalogue: Catalogue) -> None:
    """3g.40gb and 4g.40gb differ in multiprocessors only."""
    for gpu in catalogue.gpus.values():
        for one, other in itertools.combinations(gpu.mig_profiles, 2):
            if one.memory_share == other.memory_share:
                assert one.usable_mib == other.usable_mib, (gpu.id, one.name, other.name)


def test_slices_have_a_source_of_their_own(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        sources = " ".join(gpu.sources)
        if gpu.mig_profiles:
            assert "MIG profiles" in sources, gpu.id
        if not all(each.usable_is_measured for each in gpu.mig_profiles):
            assert "MIG memory not measured is estimated" in sources, gpu.id
