"""What must hold of every answer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import SizingAnswer, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.parallelism import Cut, Layout, splits_heads, starts_with
from sizing.request import GpuChoice, SizingRequest
from sizing.subject import subject_of
from sizing.weights import loaded_precision, scale_groups

CATALOGUE: Catalogue = load_catalogue()
SUPPORTED = sorted(
    model_id
    for model_id, model in CATALOGUE.models.items()
    if not model.works_in_passes and size(SizingRequest(model_id=model_id), CATALOGUE).supported
)
"""Models that write tokens; those that work in passes have properties of their own."""
GPUS = sorted(CATALOGUE.gpus)

models = st.sampled_from(SUPPORTED)
contexts = st.integers(min_value=1, max_value=200_000)
requests = st.integers(min_value=1, max_value=500)
counts = st.integers(min_value=1, max_value=16)


def asked(model: str, context: int = 4096, users: int = 1, **more: object) -> SizingAnswer:
    request = SizingRequest(
        model_id=model, context_tokens=context, concurrent_requests=users, **more
    )
    return size(request, CATALOGUE)


@settings(max_examples=40, deadline=None)
@given(models, contexts, requests)
def test_totals_are_the_sums_of_their_parts(model: str, context: int, users: int) -> None:
    memory = asked(model, context, users).memory
    assert memory.weights_bytes == sum(group.weights_bytes for group in memory.groups)
    assert memory.total_bytes == (
        memory.weights_bytes
        + memory.kv_cache_bytes
        + memory.adapter_bytes
        + memory.activation_bytes
        + memory.runtime_bytes
    )
    assert memory.total_low_bytes <= memory.total_bytes <= memory.total_high_bytes


@settings(max_examples=40, deadline=None)
@given(models, contexts, requests, st.sampled_from(GPUS), counts)
def test_parts_of_an_option_fill_its_budget(
    model: str, context: int, users: int, gpu: str, count: int
) -> None:
    for option in asked(model, context, users, gpus=(GpuChoice(gpu=gpu, count=count),)).options:
        if option.per_gpu is None:
            assert option.verdict is Verdict.UNSUPPORTED
            continue
        part = option.per_gpu
        overhead = part.activation_bytes + part.runtime_bytes
        parts = part.weights_bytes + part.adapter_bytes + overhead
        assert part.need_bytes == parts + part.kv_cache_bytes
        assert part.free_bytes == part.budget_bytes - part.need_bytes
        assert part.kv_pool_bytes == max(0, part.budget_bytes - parts)


@settings(max_examples=40, deadline=None)
@given(models, contexts, contexts, requests)
def test_more_context_never_needs_less(model: str, one: int, other: int, users: int) -> None:
    short, long = sorted((one, other))
    assert asked(model, short, users).memory.total_bytes <= (
        asked(model, long, users).memory.total_bytes
    )


@settings(max_examples=40, deadline=None)
@given(models, contexts, requests, requests)
def test_more_requests_never_need_less(model: str, context: int, one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert asked(model, context, few).memory.total_bytes <= (
        asked(model, context, many).memory.total_bytes
    )


@settings(max_examples=40, deadline=None)
@given(models, st.sampled_from(["a100-sxm-80", "h100-sxm", "l40s"]), contexts)
def test_verdict_follows_the_bounds(model: str, gpu: str, context: int) -> None:
    found = asked(model, context, gpus=(GpuChoice(gpu=gpu, count=1),))
    option = found.options[0]
    part = option.per_gpu
    if part is None:
        return
    if option.verdict is Verdict.FITS:
        assert part.need_high_bytes <= part.budget_bytes
    elif option.verdict is Verdict.TIGHT:
        assert part.need_bytes <= part.budget_bytes < part.need_high_bytes
    else:
        assert part.need_bytes > part.budget_bytes


@settings(max_examples=30, deadline=None)
@given(models, contexts, requests)
def test_options_are_ten_at_most_and_distinct(model: str, context: int, users: int) -> None:
    options = asked(model, context, users).options
    keys = [(o.gpu, o.tensor_parallel, o.pipeline_parallel, o.replicas) for o in options]
    assert len(options) <= 10
    assert len(set(keys)) == len(keys)


@settings(max_examples=40, deadline=None)
@given(models, contexts, requests, st.integers(min_value=0, max_value=3))
def test_more_gpus_never_need_more_of_each(
    model: str, context: int, users: int, doublings: int
) -> None:
    """Of the tensor-parallel sizes that start; overheads of a split are measured apart.

    Copies of the attention divide a latent cache, which tensor parallelism copies.
    """
    sets = [
        asked(model, context, users, gpus=(GpuChoice(gpu="h100-sxm", count=2**power),)).options[0]
        for power in (doublings, doublings + 1)
    ]
    parts = [option.per_gpu for option in sets]
    if None in parts or sets[0].replicas != sets[1].replicas:
        return
    if any(option.data_parallel > 1 for option in sets):
        return
    few, many = ((part.weights_bytes, part.kv_cache_bytes) for part in parts)
    assert many[0] <= few[0]
    assert many[1] <= few[1]


@settings(max_examples=40, deadline=None)
@given(models, contexts, requests, st.sampled_from(["bf16", "fp8", "int4", "gptq-int4"]))
def test_proposed_splits_are_legal(model: str, context: int, users: int, precision: str) -> None:
    request = SizingRequest(
        model_id=model, context_tokens=context, concurrent_requests=users, precision=precision
    )
    subject = subject_of(request, CATALOGUE)
    groups = scale_groups(subject, loaded_precision(subject, request, CATALOGUE), CATALOGUE)
    cut = Cut(subject.architecture, groups)
    for option in size(request, CATALOGUE).options:
        layout = Layout(
            option.tensor_parallel,
            option.pipeline_parallel,
            option.replicas,
            option.expert_parallel,
            option.data_parallel,
        )
        assert splits_heads(subject.architecture, layout.tensor_parallel)
        assert layout.pipeline_parallel <= subject.architecture.layers
        assert starts_with(cut, layout)
        assert option.gpus == layout.gpus


@settings(max_examples=40, deadline=None)
@given(models, contexts, st.sampled_from(["bf16", "int8", "int4"]))
def test_fewer_bits_never_need_more(model: str, context: int, precision: str) -> None:
    order = ["fp32", "bf16", "int8", "int4"]
    wider = order[order.index(precision) - 1]
    assert (
        asked(model, context, precision=precision).memory.weights_bytes
        <= asked(model, context, precision=wider).memory.weights_bytes
    )


@settings(max_examples=40, deadline=None)
@given(
    st.integers(min_value=10**8, max_value=10**12),
    st.integers(min_value=10**8, max_value=10**12),
    contexts,
)
def test_more_parameters_never_need_less(one: int, other: int, context: int) -> None:
    small, large = sorted((one, other))
    needs = [
        size(SizingRequest(parameters=parameters, context_tokens=context), CATALOGUE).memory
        for parameters in (small, large)
    ]
    assert needs[0].weights_bytes <= needs[1].weights_bytes
    assert needs[0].kv_cache_bytes <= needs[1].kv_cache_bytes


@settings(max_examples=60, deadline=None)
@given(
    models,
    contexts,
    requests,
    st.sampled_from(
        [("llamacpp", "q8-0"), ("transformers", "bf16"), ("vllm", None), ("trtllm", None)]
    ),
    st.sampled_from(["l40s", "h100-sxm", "rtx-4090", "m3-ultra", "gaudi3"]),
    st.floats(min_value=0.1, max_value=4096),
    st.floats(min_value=0.1, max_value=4096),
)
def test_more_host_memory_never_needs_more_of_the_gpus(
    model: str,
    context: int,
    users: int,
    runs: tuple[str, str | None],
    gpu: str,
    one: float,
    other: float,
) -> None:
    """Nor does it hold less; and a cache in host memory never needs more than one on the GPUs."""
    less, more = sorted((one, other))
    engine, precision = runs
    named = {"engine": engine, "precision": precision, "gpus": (GpuChoice(gpu=gpu, count=2),)}
    options = [
        asked(model, context, users, **named, **memory).options
        for memory in ({"kv_host_gib": less}, {"kv_host_gib": more}, {"kv_in_host": True}, {})
    ]
    rows = [found[0] for found in options if found and found[0].per_gpu and found[0].gpu == gpu]
    if len(rows) < len(options):
        return
    small, large, unnamed, on_gpu = rows
    assert small.per_gpu.need_high_bytes == large.per_gpu.need_high_bytes
    assert large.per_gpu.need_high_bytes <= on_gpu.per_gpu.need_high_bytes
    assert small.max_context_tokens <= large.max_context_tokens <= unnamed.max_context_tokens
    assert small.max_concurrent_requests <= large.max_concurrent_requests
    order = [Verdict.DOES_NOT_FIT, Verdict.TIGHT, Verdict.FITS]
    assert order.index(small.verdict) <= order.index(large.verdict) <= order.index(unnamed.verdict)
    assert order.index(on_gpu.verdict) <= order.index(unnamed.verdict)
    if small.host_cache and large.host_cache:
        assert small.host_cache.size_bytes <= large.host_cache.size_bytes
