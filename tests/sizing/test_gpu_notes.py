"""Memory that a host shares or limits: budgets, and what the answer says of them."""

from __future__ import annotations

import pytest

from sizing.answer import Note, Option, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.gpu_notes import budget_bytes, limit_notes
from sizing.request import GpuChoice, SizingRequest
from sizing.units import MIB


def first(catalogue: Catalogue, gpu: str, **fields: object) -> Option:
    choice = GpuChoice(gpu=gpu, count=1)
    return size(SizingRequest(gpus=(choice,), **fields), catalogue).options[0]


def codes(notes: tuple[Note, ...]) -> list[str]:
    return [note.code for note in notes]


def test_the_budget_is_a_share_of_the_usable_memory(catalogue: Catalogue) -> None:
    gpu = catalogue.gpus["l40s"]
    assert budget_bytes(gpu, 0.9) == int(46_068 * MIB * 0.9)


@pytest.mark.parametrize(
    ("fraction", "mib"),
    [
        # 124,610 MiB shown, 18,688 of them the system's: 105,922 left, 85.0 % of what is shown
        (0.80, 99_688.0),
        (0.85, 105_918.5),
        (0.90, 105_922.0),
        (1.00, 105_922.0),
    ],
)
def test_a_spark_never_gives_what_its_system_holds(
    catalogue: Catalogue, fraction: float, mib: float
) -> None:
    assert budget_bytes(catalogue.gpus["gb10"], fraction) == int(mib * MIB)


def test_the_fraction_that_starts_is_said_where_the_asked_one_does_not(
    catalogue: Catalogue,
) -> None:
    gpu = catalogue.gpus["gb10"]
    assert limit_notes(gpu, 1, budget_bytes(gpu, 0.85), 0.85) == ()
    (note,) = limit_notes(gpu, 1, budget_bytes(gpu, 0.9), 0.9)
    assert note.code == "host_share"
    assert note.values["memory_fraction"] == 0.85


@pytest.mark.parametrize(
    ("need_mib", "code"),
    [
        # M2 Max 96 GB at 0.95: 73,728 give 70,041.6 MiB, raised to 92,160 they are 87,552
        (70_041, "limit_can_be_raised"),
        (70_042, "fits_when_raised"),
        (87_552, "fits_when_raised"),
        (87_553, "limit_can_be_raised"),
    ],
)
def test_a_raised_limit_is_named_where_it_makes_the_load_fit(
    catalogue: Catalogue, need_mib: int, code: str
) -> None:
    gpu = catalogue.gpus["m2-max"]
    (note,) = limit_notes(gpu, need_mib * MIB, budget_bytes(gpu, 0.95), 0.95)
    assert note.code == code
    assert note.values["command"] == "sudo sysctl iogpu.wired_limit_mb=92160"
    assert note.values["raised_bytes"] == 90 * 2**30


def test_a_load_between_both_limits_does_not_fit_yet(catalogue: Catalogue) -> None:
    """Q8_0 of 70.6 B parameters is 75 GB: above 73.4 GB (72 GiB x 0.95), below 91.8 (90 GiB)."""
    found = first(catalogue, "m3-ultra-96", model_id="llama-3.3-70b", precision="q8-0")
    assert found.verdict is Verdict.DOES_NOT_FIT
    assert "fits_when_raised" in codes(found.reasons)


def test_processor_memory_is_not_counted_and_named(catalogue: Catalogue) -> None:
    """70 B in BF16 take 141 GB: the 480 GB beside the 96 GB of HBM do not make them fit."""
    found = first(catalogue, "gh200-96", model_id="llama-3.3-70b", precision="bf16")
    assert found.verdict is Verdict.DOES_NOT_FIT
    named = {note.code: note.values for note in found.reasons}
    assert named["host_memory_not_counted"] == {"host_gb": 480}


@pytest.mark.parametrize("gpu", ["m3-ultra-96", "jetson-orin-nano-8", "jetson-agx-orin-64"])
def test_computers_that_no_link_joins_do_not_share_a_model(catalogue: Catalogue, gpu: str) -> None:
    """An open number of Macs or Jetsons is never answered with one model over several."""
    precision = "q8-0" if gpu.startswith("m3") else "bf16"
    request = SizingRequest(
        model_id="llama-3.3-70b", precision=precision, gpus=(GpuChoice(gpu=gpu),)
    )
    for option in size(request, catalogue).options:
        if option.gpu == gpu:
            assert option.tensor_parallel * option.pipeline_parallel == 1


def test_two_sparks_share_a_model_over_their_link(catalogue: Catalogue) -> None:
    """141 GB of weights: 75 GB on each of two; the link joins two, so never more."""
    request = SizingRequest(
        model_id="llama-3.3-70b", precision="bf16", gpus=(GpuChoice(gpu="gb10"),)
    )
    found = size(request, catalogue).options[0]
    assert (found.gpu, found.gpus, found.nodes, found.verdict) == ("gb10", 2, 2, Verdict.FITS)
    large = SizingRequest(model_id="llama-3.1-405b", gpus=(GpuChoice(gpu="gb10"),))
    for option in size(large, catalogue).options:
        if option.gpu == "gb10":
            assert option.tensor_parallel * option.pipeline_parallel <= 2
