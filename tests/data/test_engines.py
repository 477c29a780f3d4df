"""The engines: where they run, and overheads held against the logs they come from."""

from __future__ import annotations

from operator import attrgetter

import pytest

from sizing.catalogue import Catalogue
from sizing.records import HostCacheUse, SplitMode
from sizing.units import GIB, MIB
from tools.fit_overheads import fitted, load_starts


def test_every_engine_is_sized_by_measured_overheads(catalogue: Catalogue) -> None:
    for engine in catalogue.engines.values():
        lender = catalogue.engines[engine.sized_as]
        assert lender.overhead is not None
        assert lender.sized_as == lender.id


@pytest.mark.parametrize(
    ("engine", "fraction", "block", "split"),
    [
        ("vllm", 0.9, 16, SplitMode.TENSOR),
        ("llamacpp", 0.95, 256, SplitMode.LAYER),
        ("lmdeploy", 0.9, 64, SplitMode.TENSOR),
        ("sglang", 0.9, 1, SplitMode.TENSOR),
        ("trtllm", 0.9, 32, SplitMode.TENSOR),
        ("tgi", 0.9, 1, SplitMode.TENSOR),  # flashinfer's blocks, where its kernels run
        ("transformers", 0.95, 1, SplitMode.LAYER),
    ],
)
def test_defaults(
    catalogue: Catalogue, engine: str, fraction: float, block: int, split: SplitMode
) -> None:
    record = catalogue.engines[engine]
    assert record.default_memory_fraction == fraction
    assert record.kv_block_tokens == block
    assert record.split is split


@pytest.mark.parametrize(
    ("engine", "gpu", "tokens", "requests"),
    [
        ("vllm", "h100-sxm", 8192, 1024),
        ("vllm", "a100-sxm-80", 2048, 256),
        ("vllm", "l40s", 2048, 256),
        # 2,048 below 20 GiB, 4,096 below 60, 8,192 below 160 (SGLang memory_hook.py).
        ("sglang", "t4", 2048, None),
        ("sglang", "l4", 4096, None),
        ("sglang", "l40s", 4096, None),
        ("sglang", "h100-sxm", 8192, None),
        ("sglang", "b200-sxm", 16_384, None),
        ("llamacpp", "l4", 512, None),
        ("trtllm", "h100-sxm", 8192, 2048),
        # 384 requests on A100, 1,024 on H100 and H200, else 128 (LMDeploy get_max_batch_size).
        ("lmdeploy", "a100-sxm-80", 8192, 384),
        ("lmdeploy", "h200-sxm", 8192, 1024),
        ("lmdeploy", "l40s", 8192, 128),
    ],
)
def test_what_an_engine_takes_on_at_once(
    catalogue: Catalogue, engine: str, gpu: str, tokens: int, requests: int | None
) -> None:
    step = catalogue.engines[engine].step_on(catalogue.gpus[gpu])
    assert step is not None
    assert (step.batched_tokens, step.requests) == (tokens, requests)


def test_graphs_stand_beside_the_share_where_they_come_after_the_cache(
    catalogue: Catalogue,
) -> None:
    """SGLang, LMDeploy and TGI capture them once their cache is allocated."""
    beside = {engine.id for engine in catalogue.engines.values() if not engine.graphs_inside_budget}
    assert beside == {"sglang", "lmdeploy", "tgi"}


def test_where_engines_keep_cache_in_host_memory_and_what_for(catalogue: Catalogue) -> None:
    """Two compute requests from it; the servers with a pool of blocks keep what left the pool."""
    uses = {name: engine.host_cache for name, engine in catalogue.engines.items()}
    kinds = {name: record.use for name, record in uses.items() if record}
    running = dict.fromkeys(("llamacpp", "transformers"), HostCacheUse.RUNNING)
    reuse = dict.fromkeys(("vllm", "nim", "sglang", "trtllm"), HostCacheUse.REUSE)
    assert kinds == running | reuse


def test_a_size_is_asked_for_where_words_have_a_place_for_it(catalogue: Catalogue) -> None:
    for engine in catalogue.engines.values():
        if record := engine.host_cache:
            assert ("{size}" in record.words) is (record.size_unit is not None), engine.id
            assert (record.use is HostCacheUse.REUSE) is (record.size_unit is not None), engine.id
            assert set(record.not_on) <= set(engine.runs_on), engine.id


def test_words_for_formats_name_formats(catalogue: Catalogue) -> None:
    for engine in catalogue.engines.values():
        if engine.launch:
            assert engine.launch.quantises.keys() <= catalogue.precisions.keys()
            assert engine.launch.kv_words.keys() <= catalogue.kv_precisions.keys()
            for precision in engine.launch.quantises:
                assert engine.id in catalogue.precisions[precision].engines
            offered = {kv.id for kv in catalogue.kv_precisions.values() if engine.id in kv.engines}
            if engine.launch.kv_flag:
                assert offered - {"fp16", "fp32"} <= engine.launch.kv_words.keys()


def test_engines_that_refuse_formats_the_gpu_cannot_compute(catalogue: Catalogue) -> None:
    refusing = {engine.id for engine in catalogue.engines.values() if engine.refuses_storage_only}
    assert refusing == {"trtllm", "nim"}


@pytest.mark.parametrize(
    ("engine", "gpu", "runs"),
    [
        ("vllm", "v100-sxm2-32", True),
        ("vllm", "t4", True),
        ("vllm", "p40", False),
        ("vllm", "m3-ultra", False),
        ("vllm", "mi300x", True),
        ("vllm", "gaudi2", True),
        ("llamacpp", "p40", True),
        ("llamacpp", "m3-ultra", True),
        ("llamacpp", "gaudi2", False),
        ("trtllm", "v100-sxm2-32", False),
        ("trtllm", "mi300x", False),
        ("nim", "l40s", True),
    ],
)
def test_where_an_engine_runs(catalogue: Catalogue, engine: str, gpu: str, *, runs: bool) -> None:
    architecture = catalogue.gpus[gpu].architecture
    assert (architecture in catalogue.engines[engine].runs_on) is runs


def test_every_accelerator_has_an_engine(catalogue: Catalogue) -> None:
    served = {architecture for e in catalogue.engines.values() for architecture in e.runs_on}
    assert {gpu.architecture for gpu in catalogue.gpus.values()} == served


def test_overheads_of_vllm_are_those_of_the_fit(catalogue: Catalogue) -> None:
    """`tools/fit_overheads.py` prints them; what it does not fit has sources of its own."""
    overhead = catalogue.engines["vllm"].overhead
    assert overhead is not None
    for name, found in fitted(load_starts(catalogue)).items():
        stored = attrgetter(name)(overhead)
        assert tuple(value for _, value in stored) == (found.low, found.typical, found.high), name


@pytest.mark.parametrize(
    ("vocabulary", "measured_gib", "card"),
    [
        (128_256, 1.19, "large"),  # Llama 3.1 8B, 80 GB card
        (128_256, 1.44, "large"),  # Llama 3.1 8B, H100
        (152_064, 1.42, "small"),  # Qwen2.5 7B in 4 bits, vllm-project/vllm issue 13882
        (152_064, 1.41, "small"),  # the same, xming521/WeClone issue 101
        (151_936, 0.48, "small"),  # Qwen3 4B, RTX 3080
    ],
)
def test_activations_of_vllm_meet_logs(
    catalogue: Catalogue, vocabulary: int, measured_gib: float, card: str
) -> None:
    overhead = catalogue.engines["vllm"].overhead
    assert overhead is not None
    step = overhead.large_card_step if card == "large" else overhead.step
    low, _, high = (value * vocabulary / GIB for _, value in step.sampler)
    assert low <= measured_gib <= high


@pytest.mark.parametrize(
    ("vocabulary", "measured_mib"),
    [
        (128_256, 258.5),  # Llama 3 8B: CUDA0 compute buffer, 512 tokens a batch
        (262_144, 541.0),  # Gemma 4 12B
        (248_320, 808.0),  # Qwen3.5 9B at long context
    ],
)
def test_compute_buffers_of_llamacpp_meet_logs(
    catalogue: Catalogue, vocabulary: int, measured_mib: float
) -> None:
    """The buffer holds the logits of one batch: 512 tokens x 4 bytes for each vocabulary entry."""
    overhead = catalogue.engines["llamacpp"].overhead
    assert overhead is not None
    entry = overhead.step.sampler
    assert entry.low_bytes_per_entry == 512 * 4
    assert entry.low_bytes_per_entry * vocabulary / MIB < measured_mib
    assert measured_mib < entry.high_bytes_per_entry * vocabulary / MIB
