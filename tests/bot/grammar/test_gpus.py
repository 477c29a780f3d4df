"""Accelerators with their count, memory and format."""

import pytest

from sizing.errors import (
    AmbiguousGpuError,
    UnknownGpuError,
)


def _gpus(request):
    return [(one.gpu or one.memory_gb, one.count) for one in request.gpus]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 x L40S", [("l40s", 2)]),
        ("dos L40s", [("l40s", 2)]),
        ("en una L40S", [("l40s", 1)]),
        ("L40S", [("l40s", None)]),
        ("h100s", [("h100-sxm", None)]),
        ("on H100", [("h100-sxm", None)]),
        ("H200x8", [("h200-sxm", 8)]),
        ("4x4090", [("rtx-4090", 4)]),
        ("dual 3090", [("rtx-3090", 2)]),
        ("rtx 4090 x 2", [("rtx-4090", 2)]),
        ("RTX4090", [("rtx-4090", None)]),
        ("NVIDIA GeForce RTX 4090", [("rtx-4090", None)]),
        ("2xA100-80", [("a100-sxm-80", 2)]),
        ("1xA100 80GB", [("a100-sxm-80", 1)]),
        ("A100-40", [("a100-sxm-40", None)]),
        ("A100 40GB pcie", [("a100-pcie-40", None)]),
        ("a100 80 x4", [("a100-sxm-80", 4)]),
        ("4 x A100 40G", [("a100-sxm-40", 4)]),
        ("8 A100 80g", [("a100-sxm-80", 8)]),
        ("8*24G A10g", [("a10g", 8)]),
        ("16 gpus A10", [("a10", 16)]),
        ("A10, 16 GPUs", [("a10", 16)]),
        ("3 x v100 32G", [("v100-sxm2-32", 3)]),
        ("V100 16GB", [("v100-sxm2-16", None)]),
        ("H100 NVL 94", [("h100-nvl", None)]),
        ("2xh100 pcie", [("h100-pcie", 2)]),
        ("8*H20(96GB)", [("h20", 8)]),
        ("GH200", [("gh200-96", None)]),
        # 180 GB of a B200 are usable, 192 GB are sold.
        ("8x B200 192GB", [("b200-sxm", 8)]),
        ("single RTX 6000 Ada 48G", [("rtx-6000-ada", 1)]),
        # Only the Blackwell cards of that number carry 96 GB.
        ("RTX 6000 96GB", [("rtx-pro-6000-ws", None)]),
        ("GB200 NVL4 x2", [("gb200", 8)]),
        ("2 DGX H100", [("h100-sxm", 16)]),
        ("DGX Spark", [("gb10", None)]),
        ("2 nodos de 8xH100", [("h100-sxm", 16)]),
        ("2x8xH100", [("h100-sxm", 16)]),
        ("Gaudi2, 2 HPU", [("gaudi2", 2)]),
        ("1 MI300X 192GB", [("mi300x", 1)]),
        ("2x24GB", [(24, 2)]),
        ("3x24 GB", [(24, 3)]),
        ("gpu=24gb", [(24, None)]),
        ("on 48GB", [(48, None)]),
        ("8 gpus de 24GB", [(24, 8)]),
        ("en una tarjeta de 24 GB", [(24, 1)]),
        ("gpu=l40s,h100", [("l40s", None), ("h100-sxm", None)]),
        ("2xl40s o 4xa10", [("l40s", 2), ("a10", 4)]),
        ("A100 y luego 2xA100", [("a100-sxm-80", 2)]),
        ("gpu=any", []),
    ],
)
def test_accelerators(ask, text, expected):
    assert _gpus(ask(f"13b {text}")) == expected
    assert _gpus(ask(f"{text} 13b")) == expected


@pytest.mark.parametrize(
    "text",
    [
        "usa 20GB de contexto", "un modelo de 40GB", "128GB RAM", "takes 38GB on a100",
        "24GB de RAM", "pasa a 10 usuarios",
    ],
)  # fmt: skip
def test_other_memory_is_no_card(ask, text):
    assert [one.memory_gb for one in ask(f"llama-13b {text}").gpus if one.memory_gb] == []


@pytest.mark.parametrize(
    ("text", "word", "first"),
    [
        ("Tesla K80", "k80", None),
        ("2x RTX 9999", "rtx 9999", None),
        ("RTX 4091", "rtx 4091", "rtx-4090"),
        ("gpu=foo100", "foo100", None),
        ("4090 laptop", "4090 laptop", "rtx-4090"),
        ("A100 60GB", "a100 60gb", "a100-sxm-80"),
        ("Mac Studio 100GB", "mac studio", "m3-ultra"),
        ("GTX 999", "gtx 999", None),
        ("2x h999", "h999", None),
    ],
)
def test_an_unlisted_accelerator_is_named(grammar, text, word, first):
    with pytest.raises(UnknownGpuError) as caught:
        grammar.parse(f"13b {text}")
    assert caught.value.word == word
    assert len(caught.value.suggestions) <= 3
    assert first is None or caught.value.suggestions[0] == first


@pytest.mark.parametrize(
    ("text", "suggestions"),
    [
        ("2 x RTX6000", ("rtx-6000-ada", "rtx-a6000", "rtx-pro-6000-ws")),
        ("RTX 6000 48GB", ("rtx-6000-ada", "rtx-a6000")),
        ("rtx 4000", ("rtx-4000-ada", "rtx-a4000", "rtx-pro-4000")),
    ],
)
def test_a_name_of_several_products_is_asked_about(grammar, text, suggestions):
    with pytest.raises(AmbiguousGpuError) as caught:
        grammar.parse(f"13b {text}")
    assert set(caught.value.suggestions) == set(suggestions)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3090 24Gb + 3070 8Gb", [("rtx-3090", 1), ("rtx-3070", 1)]),
        ("3090 + 4090", [("rtx-3090", 1), ("rtx-4090", 1)]),
        ("3090+4090", [("rtx-3090", 1), ("rtx-4090", 1)]),
        ("3090 +4090", [("rtx-3090", 1), ("rtx-4090", 1)]),
        ("2x3090 + 4090", [("rtx-3090", 2), ("rtx-4090", 1)]),
        ("gpu=3090 + 4090", [("rtx-3090", 1), ("rtx-4090", 1)]),
        ("gpu=2x3090+4090", [("rtx-3090", 2), ("rtx-4090", 1)]),
        ("--gpu 2x3090+4090", [("rtx-3090", 2), ("rtx-4090", 1)]),
        ("3090 (24GB) VRAM plus a 3070", [("rtx-3090", 1), ("rtx-3070", 1)]),
        ("una 3090 más una 4090", [("rtx-3090", 1), ("rtx-4090", 1)]),
        ("3090 + 4090 + 3090", [("rtx-3090", 2), ("rtx-4090", 1)]),
        ("A100 80GB + A100 40GB", [("a100-sxm-80", 1), ("a100-sxm-40", 1)]),
        ("2x24GB + 1x16GB", [(24, 2), (16, 1)]),
        ("gpu=24gb+16gb", [(24, 1), (16, 1)]),
        ("3090 + 4090, the 3090 free", [("rtx-3090", 1), ("rtx-4090", 1)]),
    ],
)
def test_unequal_cards_joined_are_one_set(ask, text, expected):
    request = ask(f"mistral 7b {text}")
    assert (_gpus(request), request.mixed_gpus) == (expected, True)
    assert request.ignored == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3090 + 3090", [("rtx-3090", 2)]),
        ("2x3090 + 3090", [("rtx-3090", 3)]),
        ("2x3090 o 4090", [("rtx-3090", 2), ("rtx-4090", None)]),
        # Beside another set, no single sum of memory holds for all that is named.
        ("3090 + 4090 o 2xl40s", [("rtx-3090", 1), ("rtx-4090", 1), ("l40s", 2)]),
        ("3090 + 64GB RAM", [("rtx-3090", None)]),
        ("3090+64gb", [("rtx-3090", None)]),
        ("24gb+", [(24, None)]),
        ("3090 + EPYC 7763", [("rtx-3090", None)]),
    ],
)
def test_other_sums_are_no_set_of_unequal_cards(ask, text, expected):
    request = ask(f"13b {text}")
    assert (_gpus(request), request.mixed_gpus) == (expected, False)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("2 nodos 8 GPUs", 16),
        ("2 nodes with 8 GPUs each", 16),
        ("un servidor con 8 GPUs", 8),
        # How many servers there are is what is asked.
        ("¿cuántos servidores de 8 GPU?", None),
        ("8 GPUs por nodo", None),
    ],
)
def test_accelerators_of_servers_are_counted_together(ask, text, most):
    assert ask(f"llama-13b {text}").max_gpus == most


def test_servers_that_were_counted_are_not_told_as_left_out(ask):
    assert ask("llama-13b 2 nodos de 8xH100").ignored == ()
    assert ask("llama-13b 2 nodos").ignored == ("2 nodos",)


@pytest.mark.parametrize(("text", "most"), [("4 gpus", 4), ("gpus<=4", 4), ("gpus<4", 3)])
def test_a_number_of_any_accelerators_is_a_most(ask, text, most):
    request = ask(f"13b {text}")
    assert (request.max_gpus, request.gpus) == (most, ())


def test_every_id_and_alias_is_found(ask, catalogue):
    for gpu in catalogue.gpus.values():
        for name in (gpu.id, *gpu.aliases):
            assert _gpus(ask(f"13b gpu=2x{name}")) == [(gpu.id, 2)], name
