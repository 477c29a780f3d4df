"""Whole machines named for their accelerator: Macs, and slices of TPU pods."""

from __future__ import annotations

import pytest

from sizing.errors import UnknownGpuError


def _gpus(request):
    return [(one.gpu, one.count) for one in request.gpus]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mac studio 192gb", ("m2-ultra", None)),
        ("Mac Studio 512 GB", ("m3-ultra", None)),
        ("mac studio con 256GB", ("m3-ultra-256", None)),
        # of several with that memory the newest
        ("Mac Studio 96GB", ("m3-ultra-96", None)),
        ("gpu=mac-studio-192gb", ("m2-ultra", None)),
        ("2x mac studio 512gb", ("m3-ultra", 2)),
        ("mac mini 64gb", ("m4-pro-64", None)),
        ("macbook pro m4 max 128gb", ("m4-max", None)),
        ("MacBook Pro M4 Max 64GB", ("m4-max-64", None)),
        ("m2 ultra mac studio", ("m2-ultra", None)),
        ("Mac Studio M2 Ultra 192GB", ("m2-ultra", None)),
        ("m3 ultra 256gb", ("m3-ultra-256", None)),
        ("m1 max 32gb", ("m1-max-32", None)),
        ("m5 max", ("m5-max", None)),
        ("tpu v6e-8", ("tpu-v6e", 8)),
        ("v6e-4", ("tpu-v6e", 4)),
        ("tpu v5e-8", ("tpu-v5e", 8)),
        ("v5litepod-4", ("tpu-v5e", 4)),
        # TPU v5p slices are counted in cores, two to a chip
        ("tpu v5p-8", ("tpu-v5p", 4)),
        ("dgx spark", ("gb10", None)),
        ("jetson orin", ("jetson-agx-orin-64", None)),
        ("jetson orin nano", ("jetson-orin-nano-8", None)),
        ("AMD Ryzen AI Max+ 395 128GB", ("strix-halo-128", None)),
        ("strix halo", ("strix-halo-128", None)),
        ("4x trainium", ("trainium2", 4)),
        ("inf2", ("inferentia2", None)),
        ("Tesla P100 16GB", ("p100-pcie-16", None)),
        ("RTX 3070", ("rtx-3070", None)),
        ("2x A800 80GB", ("a800-sxm-80", 2)),
    ],
)
def test_a_machine_is_found_by_what_people_call_it(ask, text, expected):
    request = ask(f"llama-8b {text}")
    assert _gpus(request) == [expected]
    assert request.ignored == ()


@pytest.mark.parametrize(
    ("text", "suggested"),
    [("mac studio", "m3-ultra"), ("macbook air", "m4-max"), ("m9 ultra", "m3-ultra")],
)
def test_a_machine_without_its_memory_is_asked_back(grammar, text, suggested):
    with pytest.raises(UnknownGpuError) as caught:
        grammar.parse(f"llama-8b {text}")
    assert suggested in caught.value.suggestions


def test_a_mac_of_a_memory_nobody_sells_is_asked_back(grammar):
    with pytest.raises(UnknownGpuError):
        grammar.parse("llama-8b mac studio 100gb")
