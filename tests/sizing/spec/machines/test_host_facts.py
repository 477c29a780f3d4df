"""What a purchase takes from host, drives and machine."""

from __future__ import annotations

import pytest

from sizing.spec.checklist import checklist_of
from sizing.spec.checklist_records import State
from sizing.spec.facts import ChecklistFacts
from sizing.spec.host_facts import host_facts
from sizing.spec.platform import platforms_for
from sizing.spec.wishes import HostWishes


@pytest.fixture
def planned_facts(planned, machines):
    """Return a plan's parts and the facts that they give."""

    def plan(load):
        host, storage = planned(load)
        choice = platforms_for(load, HostWishes(), machines, host=host, storage=storage)
        known = {"gpus_per_server": load.gpus, "total_servers": load.servers}
        facts = ChecklistFacts(**known).with_values(host_facts(host, storage, choice))
        return host, storage, choice, facts

    return plan


def item(facts, name):
    return next(item for item in checklist_of(facts).items if item.id == name)


def test_eight_h100(planned_facts, load, model):
    host, _, choice, facts = planned_facts(load("h100-sxm", 8, model(140)))
    assert (facts.cpu_sockets, facts.cpu_cores) == (host.sockets, host.cores)
    assert facts.ram_modules * facts.ram_module_gb == facts.ram_gb == host.ram_gb
    assert facts.ram_modules % facts.ram_channels == 0
    assert facts.shm_gib == pytest.approx(host.shared_memory_gb * 1e9 / 2**30)
    assert (facts.network_ports, facts.fabric_ports) == (2, 0)
    assert facts.platform == choice.options[0].name
    assert facts.is_rack_mounted
    assert facts.free_gpu_slots == choice.options[0].takes_gpus - 8


def test_disks_are_those_of_the_plan(planned_facts, load, model):
    _, storage, _, facts = planned_facts(load("h100-sxm", 8, model(140)))
    sets = {one.code: one for one in storage.sets}
    assert (facts.os_disks, facts.os_disk_gb) == (sets["system"].drives, sets["system"].drive_gb)
    assert facts.data_disks * facts.data_disk_gb == sets["cache"].usable_gb
    assert facts.kept_disks == (sets["kept"].drives if "kept" in sets else 0)
    expected = sum(one.needed_gb for one in storage.sets if one.code != "system")
    assert facts.data_needed_gb == pytest.approx(expected)
    quick = next(one for one in storage.load_times if one.drive == "nvme4")
    assert facts.load_seconds == quick.load_seconds.high >= quick.load_seconds.typical


@pytest.mark.parametrize(("gpu", "gpus"), [("h100-sxm", 8), ("l40s", 4), ("l4", 1)])
def test_items_about_the_server_are_filled(planned_facts, load, model, gpu, gpus):
    *_, facts = planned_facts(load(gpu, gpus, model(14)))
    for name in ("cpu", "ram", "os_disks", "data_disks", "network", "form_factor", "expansion"):
        assert item(facts, name).state is State.FILLED, name
    bill = {line.id: line.quantity for line in checklist_of(facts).bill}
    assert bill["nvme_disks"] == facts.data_disks
    assert bill["ram_modules"] == facts.ram_modules


def test_what_no_source_confirms_is_no_fact(planned, machines, load, model):
    eight = load("h100-sxm", 8, model(140))
    host, storage = planned(eight)
    choice = platforms_for(eight, HostWishes(), machines, host=host, storage=storage)
    first = choice.options[0].model_copy(update={"psus": 6, "unverified": ("psus",)})
    doubted = choice.model_copy(update={"options": (first,)})
    assert host_facts(host, storage, doubted).get("psus") is None
    trusted = first.model_copy(update={"unverified": ()})
    sure = choice.model_copy(update={"options": (trusted,)})
    assert host_facts(host, storage, sure)["psus"] == 6


def test_without_a_machine_the_rest_is_known(planned, machines, load, model):
    eight = load("h100-sxm", 8, model(140))
    host, storage = planned(eight)
    choice = platforms_for(eight, HostWishes(), machines, host=host, storage=storage)
    facts = ChecklistFacts().with_values(
        host_facts(host, storage, choice.model_copy(update={"options": ()}))
    )
    assert facts.platform is None
    assert facts.ram_gb == host.ram_gb
    assert item(facts, "form_factor").state is State.OPEN
