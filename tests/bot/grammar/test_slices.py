"""MIG slices as people write them."""

from __future__ import annotations

import pytest

from sizing.errors import AmbiguousGpuError, InvalidRequestError


def _gpus(request):
    return [(one.gpu, one.mig_profile, one.count) for one in request.gpus]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h100:3g.40gb", ("h100-sxm", "3g.40gb", None)),
        ("gpu=h100:3g.40gb", ("h100-sxm", "3g.40gb", None)),
        ("gpu=2xh100-sxm:3g.40gb", ("h100-sxm", "3g.40gb", 2)),
        ("H100 MIG 3g.40gb", ("h100-sxm", "3g.40gb", None)),
        ("2x h100:1g.20gb", ("h100-sxm", "1g.20gb", 2)),
        ("a100-80 mig 1g.10gb", ("a100-sxm-80", "1g.10gb", None)),
        ("A100 80GB MIG-3g.40gb", ("a100-sxm-80", "3g.40gb", None)),
        ("a30:2g.12gb", ("a30", "2g.12gb", None)),
        ("mig 1g.10gb a100-80", ("a100-sxm-80", "1g.10gb", None)),
        ("una partición 3g.40gb de H100", ("h100-sxm", "3g.40gb", None)),
        ("2x 3g.40gb de h100", ("h100-sxm", "3g.40gb", 2)),
        ("2x3g.40gb h100", ("h100-sxm", "3g.40gb", 2)),
        ("h100 1g.10gb+me", ("h100-sxm", "1g.10gb", None)),
        ("h100 2c.3g.40gb", ("h100-sxm", "3g.40gb", None)),
        ("h200:1g.18gb", ("h200-sxm", "1g.18gb", None)),
        ("b200 mig 3g.90gb", ("b200-sxm", "3g.90gb", None)),
        ("b300:7g.269gb", ("b300-sxm", "7g.269gb", None)),
        ("gb200:2g.47gb", ("gb200", "2g.47gb", None)),
        ("rtx pro 6000 server mig 1g.24gb", ("rtx-pro-6000-server", "1g.24gb", None)),
        # a bare family name means the variant that gives the slice
        ("h100 mig 1g.12gb", ("h100-nvl", "1g.12gb", None)),
        ("a100:1g.5gb", ("a100-sxm-40", "1g.5gb", None)),
        # memory alone: of 3g.40gb and 4g.40gb the one of which a card gives more
        ("2x mig 40gb h100", ("h100-sxm", "3g.40gb", 2)),
        ("h100 mig 20gb", ("h100-sxm", "1g.20gb", None)),
        # the only product with such a slice
        ("mig 3g.71gb", ("h200-sxm", "3g.71gb", None)),
        ("nvidia.com/mig-2g.12gb", ("a30", "2g.12gb", None)),
    ],
)
def test_a_slice_finds_its_gpu(ask, text, expected):
    request = ask(f"llama-8b {text}")
    assert _gpus(request) == [expected]
    assert request.ignored == ()


def test_each_slice_stays_with_its_own_gpu(ask):
    request = ask("llama-8b gpu=l4 gpu=h100:3g.40gb gpu=a30:1g.6gb")
    assert _gpus(request) == [
        ("l4", None, None),
        ("h100-sxm", "3g.40gb", None),
        ("a30", "1g.6gb", None),
    ]


def test_two_slices_of_one_card_are_two_choices(ask):
    request = ask("llama-8b h100:1g.20gb o h100:3g.40gb")
    assert [one.mig_profile for one in request.gpus] == ["1g.20gb", "3g.40gb"]
    assert not request.mixed_gpus


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("h100:1g.99gb", "no_such_slice"),
        ("h100-nvl:3g.40gb", "no_such_slice"),
        ("gpu=l40s:3g.40gb", "no_slices"),
        ("h100 mig", "which_slice"),
        ("h100 mig 30gb", "which_slice"),
        ("mig", "which_slice"),
    ],
)
def test_a_slice_that_is_not_there_is_answered_with_those_that_are(grammar, text, reason):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(f"llama-8b {text}")
    assert caught.value.values["reason"] == reason
    if reason != "no_slices":
        assert all(":" in word for word in caught.value.suggestions)


def test_a_slice_of_several_products_asks_which(grammar):
    with pytest.raises(AmbiguousGpuError) as caught:
        grammar.parse("llama-8b 2x MIG 3g.40gb")
    assert "gpu=h100-sxm:3g.40gb" in caught.value.suggestions


def test_what_is_suggested_can_be_typed(grammar, ask):
    for text in ("h100 mig", "h100:1g.99gb", "2x MIG 3g.40gb"):
        with pytest.raises((InvalidRequestError, AmbiguousGpuError)) as caught:
            grammar.parse(f"llama-8b {text}")
        for word in caught.value.suggestions:
            assert ask(f"llama-8b {word}").gpus[0].mig_profile
