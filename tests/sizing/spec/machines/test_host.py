"""The host of a server: worked examples by hand, links, lanes, network, and what was named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.request import Mode
from sizing.spec.cores import core_rules, cpu_w
from sizing.spec.host import host_for
from sizing.spec.machines import CpuModel, load_servers
from sizing.spec.wishes import HostWishes

GB = 10**9
MACHINES = load_servers()


def codes(notes) -> list[str]:
    return [note.code for note in notes]


def lanes(plan) -> dict[str, tuple[int, int]]:
    return {part.code: (part.devices, part.lanes) for part in plan.lane_parts}


def ports(plan) -> dict[str, tuple[int, float]]:
    return {port.code: (port.ports, port.rate_gbps) for port in plan.ports}


def test_eight_h100_sxm(load, model, planned) -> None:
    """A 405 B model in FP8, 406 GB.

    Cores: 8 x (2 + 1) + 4 = 28, on two sockets since a board of eight needs them: 2 x 16.
    Memory: 2 x 406 = 812 GB; 16 channels: 16 x 64 = 1,024 GB, 1.6 GB for each of 8 x 80 GB.
    Lanes: 8 x 16 + 1 x 4 (data) + 16 (25 GbE) + 2 x 4 (system) = 156 of 160.
    Processors: 2 x 185 W, of which 32, 75 and 102 %.
    """
    host, _ = planned(load("h100-sxm", 8, model(406, parameters=405 * GB, gpus_per_copy=8)))
    assert (host.sockets, host.cores, host.cores_needed, host.cores_bound_by) == (
        2, 32, 28, "loaders",
    )  # fmt: skip
    assert (host.ram_gb, host.ram_needed_gb, host.ram_bound_by) == (1024, 812, "twice_weights")
    assert host.ram_to_gpu_memory == 1.6
    assert host.practised_ratio is not None
    assert host.practised_ratio.typical == 1.5
    assert (host.memory_channels, host.memory_gb_per_s) == (16, 614.4)  # 16 x 4,800 x 8 / 1,000
    assert lanes(host) == {
        "gpus": (8, 128), "data_drives": (1, 4), "fast_adapters": (1, 16), "system_drives": (2, 8),
    }  # fmt: skip
    assert (host.lanes_needed, host.lanes, host.needs_switches) == (156, 160, False)
    assert (host.gpu_link.code, host.gpu_link.name) == ("board", "NVLink")
    assert (host.gpu_link.link_gb_per_s, host.gpu_link.joined_gpus) == (900, 8)
    assert ports(host) == {"management": (1, 1), "service": (2, 25)}
    assert host.shared_memory_gb == 16
    assert host.cpu_w is not None
    assert (host.cpu_w.low, host.cpu_w.typical, host.cpu_w.high) == (118.4, 277.5, 377.4)


def test_four_l40s(load, model, planned) -> None:
    """70 GB over four cards without a link of their own.

    Cores: 4 x 3 + 4 = 16. Memory: 140 GB; 12 x 16 = 192. Lanes: 64 + 4 + 16 + 8 = 92, more than
    the 80 of one Xeon, less than the 128 of one EPYC. Processor: 200 W.
    """
    host, _ = planned(load("l40s", 4, model(70, gpus_per_copy=4)))
    assert (host.cpu, host.sockets, host.cores) == ("epyc-9004", 1, 16)
    assert (host.ram_gb, host.ram_needed_gb) == (192, 140)
    assert (host.lanes_needed, host.lanes) == (92, 128)
    assert host.gpu_link.code == "pcie_only"
    assert "host_split_over_pcie" in codes(host.notes)
    assert host.cpu_w is not None
    assert host.cpu_w.typical == 150


def test_two_rtx_pro_6000_in_a_workstation(load, model, planned) -> None:
    """141 GB over two cards: 282 GB of memory, four channels x 96 = 384.

    Cores: 2 x 3 + 4 = 10. Lanes: 2 x 16 + 4; system drives and 10 GbE hang on the chipset.
    """
    host, _ = planned(load("rtx-pro-6000-ws", 2, model(141, gpus_per_copy=2)))
    assert (host.cpu, host.sockets, host.cores, host.cores_needed) == ("xeon-w-2400", 1, 10, 10)
    assert (host.ram_gb, host.ram_needed_gb) == (384, 282)
    assert lanes(host) == {"gpus": (2, 32), "data_drives": (1, 4)}
    assert ports(host)["service"] == (2, 10)
    assert "host_cpu_unverified" in codes(host.notes)


def test_one_l4_at_the_edge(load, model, planned) -> None:
    """8 GB on one card: eight cores, 64 GB on eight channels of 16 = 128 GB."""
    host, _ = planned(load("l4", 1, model(8)))
    assert (host.cores_needed, host.cores_bound_by) == (8, "floor_8")
    assert (host.ram_gb, host.ram_needed_gb, host.ram_bound_by) == (128, 64, "floor_64")
    assert host.gpu_link.code == "one_gpu"
    assert host.shared_memory_gb == 1


def test_a_rack_of_gb200(load, model, planned) -> None:
    """72 GPUs bring 36 processors of 72 cores and 72 x 240 GB; 36 x 250 W at 102 % are 9,180 W."""
    host, _ = planned(load("gb200", 72, model(689, gpus_per_copy=72)))
    assert host.cpu_comes_with_gpu
    assert (host.sockets, host.cores) == (36, 2592)
    assert (host.ram_gb, host.ram_bound_by, host.dimms) == (17_280, "built_in", None)
    assert (host.lane_parts, host.lanes) == ((), None)
    assert host.gpu_link.joined_gpus == 72
    assert host.cpu_w is not None
    assert host.cpu_w.high == 9180
    assert "host_ram_built_in_short" not in codes(host.notes)


def test_a_tray_of_gb200_says_what_its_memory_misses(load, model, planned) -> None:
    """4 x 240 = 960 GB, less than 2 x 680; the copy stays in the link domain of 72: no fabric."""
    tray = load("gb200", 4, model(680, gpus_per_copy=4), servers=18, spans_servers=True)
    host, _ = planned(tray)
    short = next(note for note in host.notes if note.code == "host_ram_built_in_short")
    assert short.values == {"ram_gb": 960, "needed_gb": 1360}
    assert "host_inside_link_domain" in codes(host.notes)
    assert "fabric" not in ports(host)


@pytest.mark.parametrize(("gpu", "ram_gb"), [("gb10", 128), ("m3-ultra-256", 256), ("mi300a", 128)])
def test_memory_shared_with_the_processor_is_the_gpu_s(load, model, planned, gpu, ram_gb) -> None:
    host, _ = planned(load(gpu, 1, model(8)))
    assert (host.ram_gb, host.ram_bound_by, host.cpu_w) == (ram_gb, "built_in", None)
    assert host.needs_switches is False


@pytest.mark.parametrize(
    ("gpu", "gpus", "published_gb"),
    [
        ("a100-sxm-80", 8, 2048),  # DGX A100 640 GB
        ("h100-sxm", 8, 2048),  # DGX H100
        ("b200-sxm", 8, 4096),  # DGX B200
        ("h200-sxm", 8, 4096),  # PowerEdge XE9680
    ],
)
def test_a_model_that_fills_half_of_a_published_system_fits_its_memory(
    load, model, planned, gpu, gpus, published_gb
) -> None:
    """Weights of half the memory of the GPUs ask for as much host memory as the GPUs have."""
    half = load(gpu, gpus, model(1, gpus_per_copy=gpus)).gpu_memory_bytes / GB / 2
    host, _ = planned(load(gpu, gpus, model(half, gpus_per_copy=gpus)))
    assert host.ram_needed_gb <= published_gb
    assert host.ram_gb <= published_gb


def test_cores_of_training_and_of_many_containers(load, model) -> None:
    """Training: 8 x (4 + 1) + 4 = 44. Sixteen containers on two GPUs: 16 x (2 + 1) + 4 = 52."""
    training = core_rules(load("h100-sxm", 8, model(16, mode=Mode.LORA, gpus_per_copy=8)))
    assert {rule.code: rule.cores for rule in training} == {
        "floor_8": 8, "training_loaders": 44, "engine_processes": 14,
    }  # fmt: skip
    containers = core_rules(load("l40s", 2, model(2, copies=16)))
    assert {rule.code: rule.cores for rule in containers} == {
        "floor_8": 8, "loaders": 10, "engine_processes": 52,
    }  # fmt: skip


def test_the_draw_of_a_processor_is_told_where_its_design_power_is_known() -> None:
    """2 x 200 W x 0.32, 0.75 and 1.02."""
    draw = cpu_w(CpuModel(name="One", cores=16, tdp_w=200), 2)
    assert draw is not None
    assert (draw.low, draw.typical, draw.high) == (128, 300, 408)
    assert cpu_w(CpuModel(name="One", cores=16), 2) is None


@pytest.mark.parametrize(
    ("gpu", "gpus", "width", "code"),
    [
        ("h100-nvl", 2, 1, "not_needed"),
        ("h100-nvl", 2, 2, "bridge"),
        ("h100-nvl", 4, 4, "bridge_too_small"),  # bridges join two
        ("h200-nvl", 4, 4, "bridge"),  # bridges join four
        ("h100-sxm", 8, 1, "comes_with_board"),
        ("mi300x", 8, 8, "board"),
        ("l40s", 2, 2, "pcie_only"),
        ("l40s", 2, 1, "not_needed"),
    ],
)
def test_a_link_is_asked_for_only_where_a_model_is_split(
    load, model, planned, gpu, gpus, width, code
) -> None:
    host, _ = planned(load(gpu, gpus, model(8, gpus_per_copy=width, copies=gpus // width)))
    assert host.gpu_link.code == code


@pytest.mark.parametrize(
    ("gpu", "gpus", "name"),
    [("mi300x", 8, "Infinity Fabric"), ("gaudi3", 8, "RoCE"), ("gb10", 1, None)],
)
def test_links_are_called_as_their_makers_do(load, model, planned, gpu, gpus, name) -> None:
    """A DGX Spark has network ports, no link between GPUs."""
    assert planned(load(gpu, gpus, model(8, copies=gpus)))[0].gpu_link.name == name


@pytest.mark.parametrize(
    ("gpu", "gpus", "fabric"),
    [
        ("h200-sxm", 8, (8, 400)),
        ("b300-sxm", 8, (8, 800)),  # PCI Express 6
        ("a100-sxm-80", 8, (8, 200)),  # PCI Express 4
        ("h200-nvl", 8, (4, 400)),  # two cards for each port: 2-8-5
        ("l40s", 1, (1, 200)),
    ],
)
def test_fabric_ports_where_a_copy_spans_servers(load, model, planned, gpu, gpus, fabric) -> None:
    wide = load(gpu, gpus, model(100, gpus_per_copy=gpus), servers=2, spans_servers=True)
    assert ports(planned(wide)[0])["fabric"] == fabric


def test_switches_where_lanes_do_not_do(load, model, planned) -> None:
    """8 x 16 + 8 x 16 fabric + 16 + 4 + 8 = 284 lanes, more than the 160 of two sockets."""
    wide = load("h200-sxm", 8, model(700, gpus_per_copy=8), servers=2, spans_servers=True)
    host, _ = planned(wide)
    assert (host.lanes_needed, host.lanes, host.needs_switches) == (284, 160, True)
    assert "host_pcie_switches" in codes(host.notes)


def test_four_devices_of_one_card_share_its_lanes(load, model, planned) -> None:
    """An A16 is one card of four GPUs."""
    host, _ = planned(load("a16", 4, model(7, copies=4)))
    assert lanes(host)["gpus"] == (1, 16)


def test_named_sizes_are_taken_and_shortfalls_told(load, model, machines) -> None:
    """128 GB and 8 cores where 140 GB and 16 cores are needed."""
    server = load("l40s", 4, model(70, gpus_per_copy=4))
    host = host_for(server, HostWishes(ram_gb=128, cpu_cores=8), machines)
    assert (host.ram_gb, host.ram_bound_by, host.dimms) == (128, "given", None)
    assert (host.cores, host.cores_bound_by) == (8, "given")
    assert codes(host.notes)[:2] == ["host_ram_given_short", "host_cores_given_short"]
    enough = host_for(server, HostWishes(ram_gb=140, cpu_cores=16), machines)
    assert not {"host_ram_given_short", "host_cores_given_short"} & set(codes(enough.notes))


def test_a_named_machine_decides_the_processors(load, model, planned) -> None:
    """An ESC8000A-E12 has two sockets of EPYC 9004 at most; one of them has the lanes."""
    server = load("l40s", 4, model(70, gpus_per_copy=4))
    host, _ = planned(server, HostWishes(platform="thinkstation px"))
    assert host.cpu == "xeon-4"
    host, _ = planned(server, HostWishes(platform="No such machine"))
    assert host.cpu == "epyc-9004"


def test_memory_beyond_all_sockets_is_told(load, model, planned) -> None:
    """2 x 8,000 GB: two sockets of twelve channels take 48 x 128 = 6,144 GB."""
    pinned = model(70, gpus_per_copy=8, host_cache_bytes=16_000 * GB)
    host, _ = planned(load("h200-sxm", 8, pinned))
    assert host.dimms is None
    assert host.ram_gb == host.ram_needed_gb == 16_140
    assert "host_ram_beyond_sockets" in codes(host.notes)


@pytest.mark.parametrize(("size_gb", "below"), [(200, True), (256.1, False)])
def test_less_memory_than_anybody_buys_is_told(load, model, planned, size_gb, below) -> None:
    """Eight cards of 80 GB: 0.75 x 640 = 480 GB; 2 x 200 GB fit 16 x 32 = 512, so a named 400.

    2 x 256.1 GB take 1,024.
    """
    server = load("h100-sxm", 8, model(size_gb, gpus_per_copy=8))
    host, _ = planned(server, HostWishes(ram_gb=400) if below else None)
    assert ("host_ram_below_practice" in codes(host.notes)) is below


def test_swapping_is_told_as_a_multiple(load, model, planned) -> None:
    """614 GB/s of memory beside 7 GB/s of a drive: 88 times."""
    host, _ = planned(load("h100-sxm", 8, model(406, gpus_per_copy=8)))
    swap = next(note for note in host.notes if note.code == "host_swap")
    assert swap.values == {"memory_gb_per_s": 614, "drive_gb_per_s": 7, "times": 88}


@given(gpus=st.integers(1, 7), size_gb=st.floats(1, 600), more=st.integers(1, 3))
def test_more_gpus_never_need_less(gpus: int, size_gb: float, more: int, load, model) -> None:
    few = host_for(load("l40s", gpus, model(size_gb)), HostWishes(), MACHINES)
    many = host_for(load("l40s", gpus + more, model(size_gb)), HostWishes(), MACHINES)
    assert many.cores_needed >= few.cores_needed
    assert many.ram_needed_gb >= few.ram_needed_gb
    assert many.lanes_needed >= few.lanes_needed
    assert few.lanes_needed == sum(part.lanes for part in few.lane_parts)
    assert few.cores is not None
    assert few.cores >= few.cores_needed
