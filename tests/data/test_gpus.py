"""The accelerators: spot values, dense rates, usable memory, and the names people type."""

from __future__ import annotations

from collections import defaultdict

import pytest

from sizing.catalogue import Catalogue
from sizing.catalogue_rules import name_key
from sizing.records import GpuRecord, Segment, Tier


def by_name(catalogue: Catalogue, typed: str) -> GpuRecord | None:
    """Return the accelerator that answers to `typed`, as the loader compares names."""
    keys = {
        name_key(name): gpu for gpu in catalogue.gpus.values() for name in (gpu.id, *gpu.aliases)
    }
    return keys.get(name_key(typed))


@pytest.mark.parametrize(
    ("gpu", "mib"),
    [
        # nvidia-smi, SpareCores/sc-data-dumps@e8749be and public repositories
        ("t4", 15_360),
        ("a10", 23_028),
        ("l4", 23_034),
        ("l40s", 46_068),
        ("a100-sxm-40", 40_960),
        ("a100-sxm-80", 81_920),
        ("h100-sxm", 81_559),
        ("h100-nvl", 95_830),
        ("h200-sxm", 143_771),
        ("b200-sxm", 183_359),
        ("rtx-3090", 24_576),
        ("rtx-4090", 24_564),
        ("rtx-5090", 32_607),
        ("rtx-pro-6000-server", 97_887),
        ("l20", 46_068),
        ("a800-sxm-80", 81_920),
        ("h800-sxm", 81_559),
        ("p100-pcie-16", 16_384),
        ("quadro-rtx-8000", 49_152),
        ("rtx-2080-ti", 11_264),
        ("rtx-4070", 12_282),
        ("rtx-4080-super", 16_376),
        ("rtx-4070-ti-super", 16_376),
        ("a100-pcie-40", 40_960),
        ("h200-nvl", 143_771),
        ("v100-pcie-32", 32_768),
        ("rtx-pro-6000-max-q", 97_887),
        ("rtx-pro-5000-72", 73_415),
        ("mi210", 65_520),
        ("arc-pro-b60", 24_480),
        ("arc-pro-b50", 16_304),
        ("rtx-5070", 12_227),
        # llama.cpp
        ("rx-9070-xt", 16_304),
        ("arc-b580", 12_216),
        # amd-smi, hl-smi
        ("mi300x", 196_592),
        ("gaudi2", 98_304),
        # what CUDA shows on a DGX Spark: 121.69 GiB
        ("gb10", 124_610),
    ],
)
def test_measured_memory(catalogue: Catalogue, gpu: str, mib: int) -> None:
    assert catalogue.gpus[gpu].usable_mib == mib
    assert catalogue.gpus[gpu].usable_is_measured


@pytest.mark.parametrize(
    ("gpu", "bandwidth", "power", "bf16", "link"),
    [
        # bandwidth from the memory clock, power from the driver's limit (SpareCores inspection),
        # dense BF16 of the data sheet, NVLink both directions together
        ("h100-sxm", 3350, 700, 989, 900),
        ("h100-pcie", 2039, 350, 756, 600),
        ("h200-sxm", 4800, 700, 989, 900),
        ("h200-nvl", 4800, 600, 836, 900),
        ("a100-sxm-80", 2039, 400, 312, 600),
        ("a100-pcie-80", 1935, 300, 312, 600),
        ("b200-sxm", 8000, 1000, 2250, 1800),
        ("l40s", 864, 350, 362, None),
        ("l4", 300, 72, 121, None),
        ("a10", 600, 150, 125, None),
        ("t4", 320, 70, None, None),
        ("rtx-4090", 1008, 450, 165.2, None),
        ("rtx-5090", 1792, 575, 209.5, None),
        ("rtx-pro-6000-server", 1597, 600, 467.8, None),
        ("mi300x", 5300, 750, 1307, 896),
        # an A100 and an H100 but for 400 GB/s of NVLink; 119.5 is half of 92 SM x 2.52 GHz x 1.024
        ("a800-sxm-80", 2039, 400, 312, 400),
        ("h800-sxm", 3350, 700, 989, 400),
        ("l20", 864, 275, 119.5, None),
        # 48 SM x 2.512 GHz x 0.512, 56 SM x 1.65 GHz x 1.024
        ("rtx-5070", 672, 250, 61.7, None),
        ("rtx-a4500", 640, 200, 94.6, 112.5),
        ("quadro-rtx-8000", 672, 260, None, 100),
    ],
)
def test_spot_values(
    catalogue: Catalogue,
    gpu: str,
    bandwidth: float,
    power: float,
    bf16: float | None,
    link: float | None,
) -> None:
    record = catalogue.gpus[gpu]
    assert record.bandwidth_gb_per_s == bandwidth
    assert record.board_power_w == power
    assert record.bf16_dense_tflops == bf16
    assert record.link_gb_per_s == link


def test_a_card_of_several_devices_is_entered_as_one_device(catalogue: Catalogue) -> None:
    """The A16 carries 4 x 16 GB at 250 W; the MI250X shows 2 x 64 GB at 560 W."""
    a16, mi250x = catalogue.gpus["a16"], catalogue.gpus["mi250x"]
    assert (a16.devices_per_card, a16.memory_gb, a16.board_power_w) == (4, 16, 62.5)
    assert a16.bandwidth_gb_per_s == 200
    assert (mi250x.devices_per_card, mi250x.memory_gb, mi250x.board_power_w) == (2, 64, 280)
    assert mi250x.bf16_dense_tflops == 383 / 2


def test_usable_memory_stays_below_the_name_plate(catalogue: Catalogue) -> None:
    """Drivers take up to 7 % (ECC on GDDR6), Metal a quarter or a third; more is a typing error.

    Linux lets a Strix Halo map half. The 95 GB of a TPU v5p are rounded down from 95.74 GiB.
    """
    for gpu in catalogue.gpus.values():
        share = gpu.usable_mib / (gpu.memory_gb * 1024)
        least = 0.66 if gpu.unified_memory else 0.93
        least = 0.48 if gpu.family == "strix-halo" else least
        assert least <= share <= (1.01 if gpu.id == "tpu-v5p" else 1), gpu.id


def test_estimated_memory_says_so_in_its_sources(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        if not gpu.usable_is_measured:
            assert any(source.startswith("usable memory: ") for source in gpu.sources), gpu.id


def test_rates_are_dense(catalogue: Catalogue) -> None:
    """FP8 and INT8 run at once or twice the 16-bit rate; a sparse figure would be four times.

    GeForce cards are the exception for INT8: their 16-bit rate with FP32 accumulation is halved.
    """
    for gpu in catalogue.gpus.values():
        base = gpu.bf16_dense_tflops or gpu.fp16_dense_tflops
        if base is None:
            continue
        if gpu.fp8_dense_tflops is not None:
            assert 0.99 <= gpu.fp8_dense_tflops / base <= 2.03, gpu.id
        if gpu.int8_dense_tops is not None:
            most = 4.06 if gpu.segment is Segment.CONSUMER else 2.03
            assert gpu.int8_dense_tops / base <= most, gpu.id


def test_formats_appear_with_their_generation(catalogue: Catalogue) -> None:
    """BF16 came with Ampere, FP8 with Ada and Hopper, FP4 with Blackwell and CDNA4."""
    for gpu in catalogue.gpus.values():
        if gpu.architecture in {"pascal", "volta", "turing"}:
            assert gpu.bf16_dense_tflops is None, gpu.id
        if gpu.architecture in {"pascal", "volta", "turing", "ampere", "cdna2", "rdna3"}:
            assert gpu.fp8_dense_tflops is None, gpu.id
        if gpu.architecture not in {"blackwell", "blackwell-rtx", "cdna4"}:
            assert gpu.fp4_dense_tflops is None, gpu.id


def test_a_format_runs_where_the_hardware_has_its_rate(catalogue: Catalogue) -> None:
    """An FP8 or FP4 rate and the list of architectures agree, but for TPUs, of which only v7
    computes in FP8, and Trainium, where the engines of the catalogue load no FP8 weights."""
    for gpu in catalogue.gpus.values():
        if gpu.fp8_dense_tflops and gpu.architecture not in {"tpu", "neuron"}:
            assert gpu.architecture in catalogue.precisions["fp8"].native_on, gpu.id
        if gpu.fp4_dense_tflops:
            assert gpu.architecture in catalogue.precisions["mxfp4"].native_on, gpu.id
        if gpu.bf16_dense_tflops:
            assert gpu.architecture in catalogue.precisions["bf16"].native_on, gpu.id


def test_tiers_are_those_of_the_articles(catalogue: Catalogue) -> None:
    tiers = defaultdict(set)
    for gpu in catalogue.gpus.values():
        if gpu.tier:
            tiers[gpu.tier].add(gpu.family)
    assert tiers == {
        Tier.ENTRY: {"t4", "a10"},
        Tier.MID_RANGE: {"l4", "l40s"},
        Tier.HIGH_END: {"a100", "h100", "h200"},
    }
    for gpu in catalogue.gpus.values():
        if gpu.family in {"a100", "h100", "h200"}:
            assert gpu.tier is Tier.HIGH_END, gpu.id


@pytest.mark.parametrize(
    ("family", "gpu"),
    [
        ("a100", "a100-sxm-80"),
        ("h100", "h100-sxm"),
        ("h200", "h200-sxm"),
        ("a800", "a800-sxm-80"),
        ("h800", "h800-sxm"),
        ("v100", "v100-sxm2-32"),
        ("gh200", "gh200-96"),
        ("rtx-pro-5000", "rtx-pro-5000-48"),
    ],
)
def test_bare_family_names_mean_their_default(catalogue: Catalogue, family: str, gpu: str) -> None:
    members = [one for one in catalogue.gpus.values() if one.family == family]
    assert len(members) > 1
    assert [one.id for one in members if one.family_default] == [gpu]


@pytest.mark.parametrize(
    ("family", "members"),
    [
        ("rtx-5060-ti", {"rtx-5060-ti-8", "rtx-5060-ti-16"}),
        ("m4-pro", {"m4-pro-24", "m4-pro-48", "m4-pro-64"}),
    ],
)
def test_a_family_of_several_memories_without_a_usual_one_has_no_default(
    catalogue: Catalogue, family: str, members: set[str]
) -> None:
    found = {gpu.id: gpu for gpu in catalogue.gpus.values() if gpu.family == family}
    assert set(found) == members
    assert not any(gpu.family_default for gpu in found.values())
    assert by_name(catalogue, family) is None


def test_a_bare_rtx_6000_is_ambiguous(catalogue: Catalogue) -> None:
    """Quadro RTX 6000, RTX A6000, RTX 6000 Ada and RTX PRO 6000 are all called that."""
    members = [gpu for gpu in catalogue.gpus.values() if gpu.family == "rtx-6000"]
    assert {gpu.architecture for gpu in members} == {"turing", "ampere", "ada", "blackwell-rtx"}
    assert not any(gpu.family_default for gpu in members)
    assert by_name(catalogue, "rtx6000") is None


@pytest.mark.parametrize(
    ("typed", "gpu"),
    [
        ("A100 80GB", "a100-sxm-80"),
        ("a100-40", "a100-sxm-40"),
        ("A100 PCIe", "a100-pcie-80"),
        ("A100-SXM4-80GB", "a100-sxm-80"),
        ("H100 NVL 94", "h100-nvl"),
        ("h100-80gb", "h100-sxm"),
        ("L40s", "l40s"),
        ("4090", "rtx-4090"),
        ("RTX4090", "rtx-4090"),
        ("GeForce RTX 3090", "rtx-3090"),
        ("A6000", "rtx-a6000"),
        ("RTX 6000 Ada", "rtx-6000-ada"),
        ("rtx pro 6000", "rtx-pro-6000-ws"),
        ("V100-32GB", "v100-sxm2-32"),
        ("t4", "t4"),
        ("MI300X", "mi300x"),
        ("Gaudi 2", "gaudi2"),
        ("DGX Spark", "gb10"),
        ("gx10", "gb10"),
        ("M3 Ultra", "m3-ultra"),
        ("GB200-192", "gb200"),
        ("7900 XTX", "rx-7900-xtx"),
        ("7900 XT", "rx-7900-xt"),
        ("P100", "p100-pcie-16"),
        ("RTX 3080", "rtx-3080-10"),
        ("3080 Ti", "rtx-3080-ti"),
        ("2080 Ti", "rtx-2080-ti"),
        ("4070 super", "rtx-4070-super"),
        ("4070 Ti Super", "rtx-4070-ti-super"),
        ("RTX 8000", "quadro-rtx-8000"),
        ("Titan RTX", "titan-rtx"),
        ("A800 80GB", "a800-sxm-80"),
        ("H800", "h800-sxm"),
        ("B580", "arc-b580"),
        ("Ryzen AI Max", "strix-halo-128"),
        ("Strix Halo", "strix-halo-128"),
        ("Trainium", "trainium2"),
        ("trn1", "trainium1"),
        ("inf2", "inferentia2"),
        ("MI300A", "mi300a"),
        ("Gaudi 3 PCIe", "gaudi3-pcie"),
        ("B100", "b100-sxm"),
        ("Max 1550", "max-1550"),
        ("jetson orin", "jetson-agx-orin-64"),
        ("Jetson Orin Nano", "jetson-orin-nano-8"),
        ("m3-ultra-96gb", "m3-ultra-96"),
        ("M2 Max", "m2-max"),
        ("5060 ti", None),
        ("rtx 5000", None),
    ],
)
def test_names_as_people_type_them(catalogue: Catalogue, typed: str, gpu: str | None) -> None:
    """A name that leaves the memory or the generation open (5060 Ti, RTX 5000) means no card."""
    found = by_name(catalogue, typed)
    assert (found.id if found else None) == gpu


def test_modules_are_sold_on_boards_and_cards_singly(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        module = (
            gpu.form_factor in {"SXM", "OAM", "SH5 socket", "superchip tray"}
            and gpu.family != "gh200"
        )
        several = gpu.devices_per_card > 1
        assert bool(gpu.sold_in_gpus) is (module or several), gpu.id
        assert list(gpu.sold_in_gpus) == sorted(gpu.sold_in_gpus), gpu.id


def test_the_devices_of_a_board_have_a_source(catalogue: Catalogue) -> None:
    words = ("boards of ", "trays of ", "four GPUs a card")
    for gpu in catalogue.gpus.values():
        if gpu.sold_in_gpus:
            assert any(source.startswith(words) for source in gpu.sources), gpu.id


def test_what_is_shared_with_the_processor_is_marked(catalogue: Catalogue) -> None:
    shared = {gpu.id for gpu in catalogue.gpus.values() if gpu.unified_memory}
    macs = {gpu.id for gpu in catalogue.gpus.values() if gpu.vendor == "Apple"}
    assert shared - macs == {
        "gb10", "jetson-agx-orin-32", "jetson-agx-orin-64", "jetson-agx-thor",
        "jetson-orin-nano-8", "mi300a", "strix-halo-128",
    }  # fmt: skip
    assert macs < shared
    for gpu in shared:
        assert catalogue.gpus[gpu].note, gpu


def test_limits_that_can_be_raised_say_how(catalogue: Catalogue) -> None:
    """What the system keeps is never nothing: 6 GiB on a Mac, 8 GiB on a Strix Halo."""
    raised = {gpu.id for gpu in catalogue.gpus.values() if gpu.raised_usable_mib}
    assert raised == {gpu.id for gpu in catalogue.gpus.values() if gpu.vendor == "Apple"} | {
        "strix-halo-128"
    }
    for gpu in map(catalogue.gpus.__getitem__, raised):
        assert gpu.raised_usable_mib is not None
        assert gpu.raised_by is not None
        assert gpu.usable_mib < gpu.raised_usable_mib <= gpu.memory_gb * 1024 - 6 * 1024, gpu.id
        if gpu.vendor == "Apple":
            assert gpu.raised_by.endswith(f"={gpu.raised_usable_mib}"), gpu.id
        assert any(source.startswith("raised limit: ") for source in gpu.sources), gpu.id


def test_a_mac_of_96_gb_gives_90_once_raised(catalogue: Catalogue) -> None:
    """antirez/ds4 issue 46: a 96 GB Mac runs with a limit of 92,000 MiB, 89.8 GiB."""
    for name in ("m2-max", "m3-ultra-96"):
        assert catalogue.gpus[name].raised_usable_bytes == 90 * 2**30


def test_processor_memory_behind_a_link_is_named_apart(catalogue: Catalogue) -> None:
    named = {gpu.id: gpu.coherent_host_gb for gpu in catalogue.gpus.values()}
    assert {gpu: size for gpu, size in named.items() if size} == {
        "gh200-96": 480, "gh200-144": 480, "gb200": 240, "gb300": 240,
    }  # fmt: skip


def test_links_name_how_many_they_join(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        assert gpu.link_gb_per_s is None or gpu.link_max_gpus, gpu.id
        if gpu.link_max_gpus:
            assert gpu.link_max_gpus >= 2, gpu.id


def test_a_tray_of_a_rack_is_its_largest_server(catalogue: Catalogue) -> None:
    """A compute tray of an NVL72 holds 4 of its 72 GPUs; no GH200 server holds more than 2."""
    racks = {gpu.id for gpu in catalogue.gpus.values() if gpu.segment is Segment.RACK}
    assert racks == {"gb200", "gb300"}
    for rack in racks:
        gpu = catalogue.gpus[rack]
        assert (gpu.most_per_server_gpus, gpu.link_max_gpus) == (4, 72)
    assert catalogue.gpus["gh200-96"].most_per_server_gpus == 2


def test_whole_computers_hold_one_device(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        if gpu.segment in {Segment.DESKTOP_SOC, Segment.EDGE}:
            assert gpu.most_per_server_gpus == 1, gpu.id
