"""Measured neighbours: which rows stand beside an estimate, and from where they are read."""

from __future__ import annotations

from math import log

import pytest

from sizing.catalogue import Catalogue, data_dir, load_catalogue
from sizing.engine import size
from sizing.measured import Measurements
from sizing.performance import Measurement
from sizing.request import GpuChoice, SizingRequest
from sizing.speculation import SpecMethod, Speculation
from tools import measured_speeds


def measured(catalogue: Catalogue, gpus: str, model: str = "llama-3.1-8b", **fields: object):
    """Return what stands beside the first option for `1 h100-sxm`."""
    count, gpu = gpus.split()
    chosen = GpuChoice(gpu=gpu, count=int(count))
    request = SizingRequest(model_id=model, gpus=(chosen,), engine="trtllm", **fields)
    return size(request, catalogue).options[0].performance.measured


LOAD = {"precision": "bf16", "input_tokens": 4096, "output_tokens": 128}


def test_the_very_case_stands_first_and_is_called_so(catalogue) -> None:
    """Sixteen in flight, prompts of 4,096 and answers of 128 tokens: a row of NVIDIA's sweep."""
    first, *others = measured(catalogue, "1 h100-sxm", concurrent_requests=16, **LOAD)
    assert first.is_same
    assert (first.input_tokens, first.output_tokens, first.concurrent_requests) == (4096, 128, 16)
    assert first.itl_ms == pytest.approx(20, abs=1)
    assert "aiconfigurator" in first.source
    assert len(others) <= 2


@pytest.mark.parametrize("users", [11, 16, 24, 40, 100])
def test_neighbours_are_alike_and_close(catalogue, users) -> None:
    rows = measured(catalogue, "1 h100-sxm", concurrent_requests=users, **LOAD)
    for row in rows:
        assert (row.gpu, row.precision, row.engine) == ("h100-sxm", "bf16", "trtllm")
        assert (row.tensor_parallel, row.replicas) == (1, 1)
        for there, here in (
            (row.input_tokens, 4096),
            (row.output_tokens, 128),
            (row.concurrent_requests, users),
        ):
            assert abs(log(there / here)) <= log(1.5)
        assert row.is_same is (abs(log(row.concurrent_requests / users)) <= log(1.1))


@pytest.mark.parametrize(
    ("gpus", "fields"),
    [
        ("1 l4", {}),
        ("1 h100-sxm", {"input_tokens": 50}),
        ("1 h100-sxm", {"output_tokens": 2000}),
        ("1 h100-sxm", {"precision": "int8"}),
        ("1 h100-sxm", {"engine": "vllm"}),
        ("1 h100-sxm", {"speculation": Speculation(spec=SpecMethod.EAGLE3)}),
    ],
    ids=["gpu", "prompt", "answer", "format", "engine", "drafting"],
)
def test_what_is_not_alike_stands_beside_nothing(catalogue, gpus, fields) -> None:
    count, gpu = gpus.split()
    request = SizingRequest(
        model_id="llama-3.1-8b",
        gpus=(GpuChoice(gpu=gpu, count=int(count)),),
        concurrent_requests=16,
        **{"engine": "trtllm", **LOAD, **fields},
    )
    found = size(request, catalogue).options[0].performance.measured
    assert not any(row.is_same for row in found)
    if gpu == "l4" or "speculation" in fields:
        assert found == ()


def test_a_full_set_is_held_against_rows_at_the_limit(catalogue) -> None:
    fields = {"precision": "fp8", "input_tokens": 128, "output_tokens": 128}
    rows = measured(catalogue, "1 h100-sxm", **fields)
    assert rows
    assert {row.concurrent_requests for row in rows} == {None}
    assert all(row.output_tokens_per_s for row in rows)


def test_siblings_of_the_same_shape_are_shown_under_their_own_name(catalogue) -> None:
    """Llama 3.3 70B has the shape of Llama 3.1 70B."""
    rows = measured(
        catalogue, "8 h100-sxm", "llama-3.3-70b", precision="fp8", input_tokens=128,
        output_tokens=128,
    )  # fmt: skip
    assert rows
    shape = catalogue.models["llama-3.3-70b"].architecture
    for row in rows:
        assert row.model != "llama-3.3-70b"
        assert row.tensor_parallel == 8
        assert catalogue.models[row.model].architecture == shape


def test_llama_cpp_is_held_against_requests_alone(catalogue) -> None:
    request = SizingRequest(
        model_id="llama-3-8b", precision="q4-k-m", gpus=(GpuChoice(gpu="rtx-4090", count=1),)
    )
    rows = size(request, catalogue).options[0].performance.measured
    assert rows
    for row in rows:
        assert row.single_tokens_per_s == pytest.approx(128, abs=10)
        assert not row.is_same


def test_only_the_first_option_has_neighbours(catalogue) -> None:
    request = SizingRequest(
        model_id="llama-3.1-8b", engine="trtllm", concurrent_requests=16, **LOAD
    )
    _, *others = size(request, catalogue).options
    assert not any(each.performance.measured for each in others if each.performance)


def test_nothing_is_read_before_it_is_asked_for() -> None:
    catalogue = load_catalogue()
    assert catalogue.measurements._read == {}
    size(SizingRequest(model_id="llama-3.1-8b"), catalogue)
    assert set(catalogue.measurements._read) <= {
        model.id for model in catalogue.models.values() if model.family == "llama"
    }


def test_a_catalogue_without_measurements_has_none() -> None:
    assert Measurements().of("llama-3.1-8b") == ()
    assert Measurements(data_dir() / "measured").of("no-such-model") == ()


class TestFiles:
    folder = data_dir() / "measured"

    def test_they_are_what_the_tool_writes(self, catalogue) -> None:
        written = {path.name: path.read_text(encoding="utf-8") for path in self.folder.iterdir()}
        assert written == measured_speeds.files(catalogue)

    def test_no_row_is_under_a_licence_that_asks_for_a_notice(self) -> None:
        """SpareCores' rows are CC BY-SA 4.0 and stay with the tests."""
        for path in self.folder.iterdir():
            assert "SpareCores" not in path.read_text(encoding="utf-8")

    def test_every_line_reads_back_and_is_of_the_catalogue(self, catalogue) -> None:
        read = Measurements(self.folder)
        for path in sorted(self.folder.glob("*.csv")):
            if path.name == "sources.csv":
                continue
            rows = read.of(path.stem)
            assert rows, path.name
            for row in rows:
                assert isinstance(row, Measurement)
                assert row.model in catalogue.models
                assert row.gpu in catalogue.gpus
                assert row.engine in catalogue.engines
                assert row.precision in catalogue.precisions
                assert row.kv_precision in catalogue.kv_precisions
                assert row.itl_ms or row.output_tokens_per_s or row.single_tokens_per_s
