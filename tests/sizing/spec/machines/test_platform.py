"""Machines for a load: which take the cards, which come first, and what is said of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.request import Mode
from sizing.spec.fitting import gpus_taken, machines_needed
from sizing.spec.machine_kinds import Cooling, MachineKind, SlotForm
from sizing.spec.machines import MachineFile, load_servers
from sizing.spec.platform import platforms_for
from sizing.spec.slots import slot_form
from sizing.spec.wanted import wanted_server
from sizing.spec.wishes import HostWishes

GB = 10**9
MACHINES = load_servers()


@pytest.fixture
def chosen(planned, machines):
    def choose(load, platform: str | None = None, has_liquid: bool | None = None):
        wishes = HostWishes(platform=platform)
        host, storage = planned(load, wishes)
        return platforms_for(
            load, wishes, machines, host=host, storage=storage, has_liquid=has_liquid
        )

    return choose


def ids(choice) -> list[str]:
    return [option.id for option in choice.options]


def codes(notes) -> list[str]:
    return [note.code for note in notes]


def server(name: str):
    return next(record for record in MACHINES.server if record.id == name)


@pytest.mark.parametrize(
    ("gpu", "form"),
    [
        ("h100-sxm", SlotForm.SXM),
        ("mi300x", SlotForm.OAM),
        ("gb200", SlotForm.TRAY),
        ("gb10", SlotForm.BUILT_IN),
        ("m3-ultra", SlotForm.BUILT_IN),
        ("l4", SlotForm.PCIE_LOW),
        ("rtx-2000-ada", SlotForm.PCIE_DOUBLE),  # low, but two slots wide
        ("a10", SlotForm.PCIE_SINGLE),
        ("l40s", SlotForm.PCIE_DOUBLE),
        ("rtx-4090", SlotForm.PCIE_TRIPLE),
    ],
)
def test_place_of_a_gpu(catalogue, gpu: str, form: SlotForm) -> None:
    assert slot_form(catalogue.gpus[gpu]) is form


@pytest.mark.parametrize(
    ("name", "gpu", "gpus"),
    [
        ("dell-r760xa", "l40s", 4),
        ("dell-r760xa", "l4", 12),  # single-width places
        ("dell-r760xa", "rtx-4090", 0),  # open fans have no room between rack cards
        ("dell-xe9680", "h100-sxm", 8),
        ("dell-xe9680", "b200-sxm", 0),  # another board, which nobody names for it
        ("dell-xe9680", "l40s", 0),
        ("dell-r570", "l40s", 0),  # single-width places only
        ("lenovo-thinkstation-px", "l40s", 0),  # a card without a fan in a tower
        ("lenovo-thinkstation-px", "rtx-pro-6000-ws", 4),
        ("lenovo-thinkstation-px", "rtx-4090", 2),  # three slots take two places
        ("custom-2x4090", "rtx-4090", 2),
        ("lenovo-sr675-v3", "rtx-pro-6000-max-q", 8),  # a blower
        ("dell-r760xa", "rtx-pro-6000-max-q", 0),
        ("dell-r760xa", "quadro-rtx-8000", 4),  # sold with a fan or without
        ("dell-xe7745", "a16", 32),  # four GPUs on each card
        ("gb200-nvl72", "gb200", 72),
        ("lenovo-se100", "l4", 0),  # nothing says that its air is enough
    ],
)
def test_gpus_that_a_machine_takes(catalogue, name: str, gpu: str, gpus: int) -> None:
    assert gpus_taken(server(name), catalogue.gpus[gpu]) == gpus


def test_eight_h100_sxm(load, model, chosen) -> None:
    """Baseboards of eight that a source names for H100; all of them on air."""
    choice = chosen(load("h100-sxm", 8, model(406, gpus_per_copy=8)))
    assert ids(choice)[:2] == ["dell-xe9680", "dgx-h100"]
    dgx = choice.options[1]
    assert (dgx.machines, dgx.max_power_w, dgx.rack_units, dgx.weight_kg) == (1, 10_200, 8, 130.45)
    assert (dgx.psus, dgx.psu_w, dgx.psus_needed) == (6, 3300, 4)
    assert (dgx.inlet_low_c, dgx.inlet_high_c) == (5, 30)
    assert dgx.doubts == ()
    assert choice.ask.form is SlotForm.SXM
    assert (choice.ask.card_w, choice.ask.link) == (700, "board")


def test_four_l40s(load, model, chosen) -> None:
    """Servers named for L40S; first the one without a place to spare or an open question."""
    choice = chosen(load("l40s", 4, model(70, gpus_per_copy=4)))
    best = choice.options[0]
    assert (best.id, best.takes_gpus, best.doubts) == ("dell-r760xa", 4, ())
    assert codes(best.reasons)[:2] == ["platform_gpu_named", "platform_airflow"]
    assert all(option.kind is MachineKind.RACK_SERVER for option in choice.options)
    assert (choice.ask.needs_airflow, choice.ask.stands_at_desk) == (True, False)


def test_two_rtx_pro_6000_stand_at_a_desk(load, model, chosen) -> None:
    """Second article: one workstation first. What nobody confirms comes last."""
    choice = chosen(load("rtx-pro-6000-ws", 2, model(141, gpus_per_copy=2)))
    assert choice.ask.stands_at_desk
    assert all(option.kind is MachineKind.WORKSTATION for option in choice.options)
    assert choice.options[0].id == "hp-z8-fury-g5"
    assert "platform_workstation_first" in codes(choice.options[0].reasons)
    assert choice.options[-1].id == "dell-precision-7960"
    assert "platform_slots_unverified" in codes(choice.options[-1].doubts)


def test_workstation_cards_of_two_servers_go_to_the_rack(load, model, chosen) -> None:
    two = load("rtx-pro-6000-max-q", 4, model(141, gpus_per_copy=4), servers=2)
    choice = chosen(two)
    assert not choice.ask.stands_at_desk
    assert all("platform_workstation_first" not in codes(one.reasons) for one in choice.options)


def test_one_l4_at_the_edge(load, model, chosen) -> None:
    """Four places are near enough; twelve or sixteen are too many for one card."""
    choice = chosen(load("l4", 1, model(8)))
    best = choice.options[0]
    assert (best.id, best.takes_gpus) == ("dell-r570", 4)
    grow = next(one for one in best.reasons if one.code == "platform_room_to_grow")
    assert grow.values == {"gpus": 4, "free_gpus": 3}


def test_a_rack_of_gb200(load, model, chosen) -> None:
    """One rack, whether told as 72 GPUs or as 18 trays of four."""
    rack = chosen(load("gb200", 72, model(689, gpus_per_copy=72)))
    trays = chosen(load("gb200", 4, model(680, gpus_per_copy=4), servers=18, spans_servers=True))
    for choice in (rack, trays):
        (option,) = choice.options
        assert (option.id, option.machines, option.max_power_w) == ("gb200-nvl72", 1, 120_000)
        assert option.cooling is Cooling.LIQUID
        assert "platform_needs_liquid" in codes(option.reasons)


def test_a_liquid_cooled_gpu_has_a_machine_where_the_room_has_liquid(load, model, chosen) -> None:
    server_load = load("mi355x", 8, model(500, gpus_per_copy=8))
    assert ids(chosen(server_load)) == ["hpe-xd685"]
    assert ids(chosen(server_load, has_liquid=False)) == []


def test_one_geforce_comes_first_where_its_maker_names_it(load, model, chosen) -> None:
    assert ids(chosen(load("rtx-5090", 1, model(8))))[0] == "smc-532aw-c"


def test_air_comes_before_liquid(load, model, chosen) -> None:
    cooling = [one.cooling for one in chosen(load("b300-sxm", 8, model(500))).options]
    assert cooling[0] is not Cooling.LIQUID
    assert cooling[-1] is Cooling.LIQUID


def test_liquid_is_refused_where_the_room_has_none(load, model, chosen) -> None:
    server_load = load("b200-sxm", 8, model(500, gpus_per_copy=8))
    assert ids(chosen(server_load, "XE9680L"))[0] == "dell-xe9680l"
    dry = chosen(server_load, "PowerEdge XE9680L", has_liquid=False)
    assert all(option.cooling is not Cooling.LIQUID for option in dry.options)
    assert codes(dry.notes)[:2] == ["platform_wanted_does_not_do", "platform_no_liquid"]
    assert chosen(load("gb200", 72, model(1)), has_liquid=False).options == ()


def test_more_machines_where_one_does_not_take_all(load, model, chosen, machines) -> None:
    """Eight cards as two models over four each: an R760xa takes four."""
    eight = load("l40s", 8, model(70, copies=2, gpus_per_copy=4))
    choice = chosen(eight, "r760xa")
    wanted = choice.options[0]
    assert (wanted.id, wanted.machines, wanted.gpus_per_machine) == ("dell-r760xa", 2, 4)
    assert "platform_more_machines" in codes(wanted.reasons)


def test_copies_stay_whole(load, model) -> None:
    """Three cards, copies of two: one copy each, so four copies take four machines."""
    copies = load("h100-nvl", 8, model(120, copies=4, gpus_per_copy=2))
    assert machines_needed(server("dell-r7715"), copies) == 4


def test_a_copy_wider_than_a_machine_rules_it_out(load, model, chosen) -> None:
    wide = load("l40s", 8, model(300, gpus_per_copy=8))
    choice = chosen(wide, "dell r760xa")
    assert "dell-r760xa" not in ids(choice)
    assert codes(choice.notes)[:2] == ["platform_wanted_does_not_do", "platform_copy_too_wide"]


def test_memory_that_a_machine_cannot_take_rules_it_out(load, model, chosen) -> None:
    """2 x 70 + 3,000 GB of cache: more than the 2,048 GB of a DGX H100."""
    pinned = model(70, gpus_per_copy=8, host_cache_bytes=3000 * GB)
    choice = chosen(load("h100-sxm", 8, pinned), "DGX H100")
    assert "platform_ram_short" in codes(choice.notes)
    assert "dgx-h100" not in ids(choice)


def test_bays_that_are_too_few_rule_a_machine_out(load, model, chosen) -> None:
    """3 x 14 x 400 = 16,800 GB of checkpoints, + 190 GB, / 0.8 = 21,238 GB: three pairs of 7.68 TB.

    With one drive of cache that makes seven, and an AS-4125GS-TNRT has four bays.
    """
    run = model(2, parameters=400 * GB, mode=Mode.FULL, gpus_per_copy=8)
    choice = chosen(load("h100-pcie", 8, run), "AS-4125GS-TNRT")
    short = next(one for one in choice.notes if one.code == "platform_bays_short")
    assert short.values == {"bays": 4, "needed": 7}


def test_what_fits_exactly_is_not_ruled_out(load, model, chosen) -> None:
    """2 x 70 + 1,908 GB = 2,048 GB."""
    pinned = model(70, gpus_per_copy=8, host_cache_bytes=1908 * GB)
    assert "dgx-h100" in ids(chosen(load("h100-sxm", 8, pinned), "DGX H100"))


def test_an_unconfirmed_limit_is_a_question_and_no_refusal(load, model, chosen) -> None:
    """The 2 TB of a ThinkStation PX are recalled."""
    pinned = model(70, host_cache_bytes=3000 * GB)
    choice = chosen(load("rtx-6000-ada", 2, pinned), "ThinkStation PX")
    assert choice.options[0].id == "lenovo-thinkstation-px"
    assert "platform_ram_unknown" in codes(choice.options[0].doubts)


def test_none_listed_says_what_to_ask_for(load, model, chosen) -> None:
    """Nobody names a machine for four cards of three slots with open fans."""
    choice = chosen(load("rtx-4090", 4, model(70, gpus_per_copy=4)))
    assert choice.options == ()
    assert codes(choice.notes) == ["platform_none_listed", "platform_ask_vendor"]
    assert (choice.ask.form, choice.ask.cards, choice.ask.card_w) == (SlotForm.PCIE_TRIPLE, 4, 450)


def test_the_ask_counts_cards_and_drives(load, model, chosen) -> None:
    """An A16 is one card of 4 x 62.5 W; two system drives apart from one for data."""
    ask = chosen(load("a16", 4, model(7, copies=4))).ask
    assert (ask.gpus, ask.cards, ask.card_w) == (4, 1, 250)
    assert (ask.system_drives, ask.data_bays) == (2, 1)


@pytest.mark.parametrize(
    "spelling", ["dgx-h100", "DGX H100", "NVIDIA DGX H100", "nvidia dgx-h100", "dgx h100"]
)
def test_a_machine_is_found_however_it_is_spelled(machines: MachineFile, spelling: str) -> None:
    found = wanted_server(spelling, machines)
    assert found is not None
    assert found.id == "dgx-h100"


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("r760xa", "dell-r760xa"),
        ("XE9680", "dell-xe9680"),
        ("xe9680l", "dell-xe9680l"),
        ("R470", "dell-r570"),
        ("Z8 Fury", "hp-z8-fury-g5"),
        ("poweredge", None),  # several
        ("gb", None),
    ],
)
def test_a_part_of_a_name_is_enough_where_it_is_one_machine_s(
    machines: MachineFile, spelling: str, name: str | None
) -> None:
    found = wanted_server(spelling, machines)
    assert (found.id if found else None) == name


def test_an_unknown_machine_is_told(load, model, chosen) -> None:
    choice = chosen(load("l40s", 4, model(70, gpus_per_copy=4)), "Acme 9000")
    assert codes(choice.notes)[0] == "platform_not_listed"
    assert choice.options


@given(gpus=st.integers(1, 8), servers=st.integers(1, 5))
def test_machines_take_all_gpus(gpus: int, servers: int, load, model) -> None:
    wanted = load("l40s", gpus, model(8, copies=gpus), servers=servers)
    for name in ("dell-r760xa", "dell-xe7740", "dell-r7715"):
        taken = gpus_taken(server(name), wanted.gpu)
        assert machines_needed(server(name), wanted) * taken >= gpus * servers
