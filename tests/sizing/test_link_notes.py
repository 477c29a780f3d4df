"""What a split crosses: NVLink domains, PCI Express, servers, whole computers."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.link_notes import link_notes
from sizing.parallelism import Layout
from sizing.request import GpuChoice, SizingRequest
from sizing.slices import slices_of


def codes(catalogue: Catalogue, gpu: str, layout: Layout) -> list[str]:
    return [note.code for note in link_notes(catalogue.gpus[gpu], layout)]


@pytest.mark.parametrize(
    ("gpu", "tensor_parallel", "expected"),
    [
        # NVSwitch joins the eight of a board; a ninth stands in another server
        ("h100-sxm", 8, []),
        ("h100-sxm", 16, ["tensor_parallel_across_servers"]),
        # a bridge joins two cards of the eight that a server takes
        ("h100-nvl", 2, []),
        ("h100-nvl", 4, ["tensor_parallel_beyond_link"]),
        ("rtx-a6000", 2, []),
        ("rtx-a6000", 4, ["tensor_parallel_beyond_link"]),
        # no link at all
        ("l40s", 1, []),
        ("l40s", 2, ["tensor_parallel_over_pcie"]),
        ("rtx-4090", 8, ["tensor_parallel_over_pcie"]),
        ("l40s", 16, ["tensor_parallel_across_servers"]),
        # a rack is one domain of 72, though a tray holds four
        ("gb200", 8, []),
        ("gb200", 16, []),
        ("gb300", 72, []),
        ("gb300", 144, ["tensor_parallel_across_servers"]),
        # clouds join their own chips
        ("tpu-v6e", 8, []),
        ("trainium2", 16, []),
        # four processors of a node, two of an NVL2 server
        ("mi300a", 4, []),
        ("gh200-96", 2, []),
        ("gh200-96", 4, ["tensor_parallel_across_servers"]),
        # a computer each
        ("gb10", 1, []),
        ("gb10", 2, ["computers_linked"]),
        ("gb10", 4, ["computers_not_linked"]),
        ("m3-ultra", 2, ["computers_not_linked"]),
    ],
)
def test_a_group_says_what_it_crosses(
    catalogue: Catalogue, gpu: str, tensor_parallel: int, expected: list[str]
) -> None:
    assert codes(catalogue, gpu, Layout(tensor_parallel)) == expected


def test_stages_of_a_pipeline_pass_little_and_copies_nothing(catalogue: Catalogue) -> None:
    assert codes(catalogue, "l40s", Layout(pipeline_parallel=8)) == []
    assert codes(catalogue, "l40s", Layout(replicas=8)) == []
    assert codes(catalogue, "h100-sxm", Layout(8, 2)) == []
    assert codes(catalogue, "m3-ultra", Layout(pipeline_parallel=2)) == ["computers_not_linked"]


def test_slices_speak_for_themselves(catalogue: Catalogue) -> None:
    part = slices_of(catalogue.gpus["h100-sxm"])[0]
    assert link_notes(part, Layout(2)) == ()


def test_a_rack_takes_a_group_beyond_eight(catalogue: Catalogue) -> None:
    """405 B in BF16 on 16 of the 72 GPUs of a rack, as one group: 128 heads divide by 16."""
    request = SizingRequest(
        model_id="llama-3.1-405b", tensor_parallel=16, gpus=(GpuChoice(gpu="gb200", count=16),)
    )
    first = size(request, catalogue).options[0]
    named = {reason.code for reason in first.reasons}
    assert (first.gpus, first.tensor_parallel, first.verdict.value) == (16, 16, "fits")
    assert "tensor_parallel_across_servers" not in named


@pytest.mark.parametrize("gpu", ["h100-sxm", "l40s", "gb200", "rtx-4090", "mi300x"])
def test_a_copy_spans_servers_only_where_one_holds_none(catalogue: Catalogue, gpu: str) -> None:
    """70 B in BF16, 141 GB: each kind holds it in eight devices, so no copy takes more."""
    request = SizingRequest(
        model_id="llama-3.3-70b", concurrent_requests=500, gpus=(GpuChoice(gpu=gpu),)
    )
    for option in size(request, catalogue).options:
        assert option.tensor_parallel * option.pipeline_parallel <= 8
