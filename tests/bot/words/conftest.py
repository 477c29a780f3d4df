"""Hand-made answers with the figures of real models, and the few records they name."""

from __future__ import annotations

from datetime import date
from typing import get_args

import pytest

from sizing.answer import (
    CatalogueStamp,
    GroupWeights,
    Memory,
    Option,
    PerGpu,
    SizingAnswer,
    Understood,
    Verdict,
    note,
)
from sizing.catalogue import Catalogue
from sizing.performance import (
    BoundBy,
    Bounds,
    Confidence,
    Estimate,
    Goodput,
    Limit,
    Measurement,
    Performance,
    Speculated,
    Way,
    Wish,
)
from sizing.records import (
    ArchitectureRecord,
    Attention,
    BytesPerEntryRange,
    Coefficient,
    CoefficientName,
    EfficiencyRecord,
    EngineRecord,
    FormRecord,
    FrameworkRecord,
    GibRange,
    GpuRecord,
    KvPrecisionRecord,
    ModelKind,
    ModelRecord,
    PercentRange,
    PrecisionRecord,
    PrecisionScheme,
    Segment,
    SplitMode,
    TensorGroup,
    ThroughputFactors,
    ThroughputRecord,
    TrainingOverheads,
)
from sizing.request import Correction, GpuChoice, Mode, Targets
from sizing.units import MIB

SOURCED = {"sources": ("example/facts@1a2b3c specs_table.md",), "checked": date(2026, 11, 28)}
STAMP = CatalogueStamp(version="0.1.0", date="2026-11-28", digest="0123456789abcdef")

USABLE_MIB = {
    "t4": 15095,
    "l4": 23034,
    "l40s": 46068,
    "a100-sxm-80": 81920,
    "h100-sxm": 81559,
    "h100-pcie": 81559,
}
"""Memory the driver shows of the sample cards."""


def _gpu(gpu_id, name, memory_gb, **fields):
    record = {
        "vendor": "NVIDIA",
        "family": gpu_id.split("-")[0],
        "segment": Segment.DATACENTER,
        "architecture": "ada",
        "usable_is_measured": True,
        "memory_type": "GDDR6",
        "bandwidth_gb_per_s": 300,
        "in_production": True,
    } | fields
    return GpuRecord(
        id=gpu_id,
        name=name,
        memory_gb=memory_gb,
        usable_mib=USABLE_MIB[gpu_id],
        **record,
        **SOURCED,
    )


def _model(model_id, name, **shape):
    extra = {key: shape.pop(key) for key in ("alternatives", "kind") if key in shape}
    architecture = {"hidden_size": 5120, "head_dim": 128, "tied_embeddings": False} | shape
    return ModelRecord(
        id=model_id,
        name=name,
        family=model_id.split("-")[0],
        kind=extra.pop("kind", ModelKind.LLM),
        hf_id=f"example/{model_id}",
        max_context_tokens=4096,
        native_precision="bf16",
        license="llama2",
        release="2023-07",
        architecture=ArchitectureRecord(**architecture),
        **extra,
        **SOURCED,
    )


def _precision(precision_id, name, bits, groups=("attention", "ffn", "experts")):
    return PrecisionRecord(
        id=precision_id,
        name=name,
        scheme=PrecisionScheme.WEIGHTS_AND_ACTIVATIONS,
        nominal_bits=bits,
        weight_bits=bits,
        quantised_groups=tuple(TensorGroup(group) for group in groups),
        engines=("vllm",),
        native_on=("ada", "hopper"),
        **SOURCED,
    )


def _efficiency():
    numbers = {name: Coefficient(base=1.0) for name in get_args(CoefficientName)}
    form = FormRecord(coefficients=numbers)
    return EfficiencyRecord(batched=form, single=form, **SOURCED)


def _throughput():
    number = ThroughputFactors(base=1.0)
    return ThroughputRecord(
        compute=number, memory=number, launch=number, power=1.0, spreads={}, rows={}, **SOURCED
    )


def _by_id(*records):
    return {record.id: record for record in records}


@pytest.fixture(scope="session")
def catalogue():
    llama_13b = {"heads": 40, "layers": 40, "ffn_size": 13824, "vocabulary_size": 32000}
    return Catalogue(
        models=_by_id(
            _model("llama-2-13b", "Llama 2 13B", kv_heads=40, attention=Attention.MHA, **llama_13b),
            _model("llama-13b", "LLaMA 13B", kv_heads=40, attention=Attention.MHA, **llama_13b),
        ),
        gpus=_by_id(
            _gpu("a100-sxm-80", "A100 SXM4 80GB", 80, architecture="ampere"),
            _gpu("h100-pcie", "H100 PCIe 80GB", 80, architecture="hopper"),
            _gpu("h100-sxm", "H100 SXM5 80GB", 80, architecture="hopper", family_default=True),
            _gpu("l4", "L4", 24),
            _gpu("l40s", "L40S", 48, usable_is_measured=False),
            _gpu("t4", "T4", 16, architecture="turing"),
        ),
        precisions=_by_id(
            _precision("bf16", "BF16", 16),
            _precision("fp8", "FP8", 8),
            _precision("int8", "INT8", 8),
        ),
        kv_precisions=_by_id(
            KvPrecisionRecord(
                id="fp16",
                name="FP16",
                element_bits=16,
                engines=("vllm",),
                runs_on=("ada",),
                **SOURCED,
            )
        ),
        processors={},
        engines=_by_id(
            EngineRecord(
                id="vllm",
                name="vLLM",
                sized_as="vllm",
                default_memory_fraction=0.9,
                kv_block_tokens=16,
                split=SplitMode.TENSOR,
                runs_on=("ada", "hopper"),
                max_tensor_parallel=64,
                **SOURCED,
            )
        ),
        efficiency=_efficiency(),
        throughput=_throughput(),
        frameworks=_by_id(
            FrameworkRecord(
                id="transformers",
                name="Transformers",
                scores=BytesPerEntryRange(
                    low_bytes_per_entry=8, typical_bytes_per_entry=12, high_bytes_per_entry=18
                ),
                **SOURCED,
            )
        ),
        training_overheads=TrainingOverheads(
            context=GibRange(low_gib=0.3, typical_gib=1.7, high_gib=4.1),
            communication=GibRange(low_gib=0, typical_gib=2.8, high_gib=2.8),
            unusable=PercentRange(low_percent=0, typical_percent=3, high_percent=9),
        ),
        stamp=STAMP,
    )


def understood(**fields):
    """Return Llama 2 13B in INT8 with one request of 4,096 tokens, `fields` changed."""
    values = {
        "model": "Llama 2 13B",
        "model_id": "llama-2-13b",
        "kind": ModelKind.LLM,
        # 2 x 32,000 x 5,120 + 40 x (4 x 5,120^2 + 3 x 5,120 x 13,824 + 2 x 5,120) + 5,120
        "parameters": 13_015_864_320,
        "active_parameters": 13_015_864_320,
        "precision": "int8",
        "bits_per_weight": 8.2069,
        "kv_precision": "fp16",
        "engine": "vllm",
        "mode": Mode.INFER,
        "context_tokens": 4096,
        "input_tokens": None,
        "output_tokens": None,
        "concurrent_requests": 1,
        "requests_per_s": None,
        "memory_fraction": 0.9,
        "tensor_parallel": None,
        "pipeline_parallel": None,
        "expert_parallel": None,
        "gpus": None,
        "targets": Targets(),
        "budget_usd": None,
        "network_gbps": None,
        "power_limit_w": None,
        "read_as": (),
    }
    return Understood(**(values | fields))


# Weights: 12,687,769,600 parameters of attention and feed-forward in 8 bits, with 4 bytes of scale
# for each of their 3,145,728... output channels left out here; 328,094,720 others in 16 bits.
GROUPS = (
    GroupWeights(
        group=TensorGroup.EMBEDDING,
        parameters=163_840_000,
        bits_per_weight=16,
        weights_bytes=327_680_000,
    ),
    GroupWeights(
        group=TensorGroup.HEAD,
        parameters=163_840_000,
        bits_per_weight=16,
        weights_bytes=327_680_000,
    ),
    GroupWeights(
        group=TensorGroup.ATTENTION,
        parameters=4_194_304_000,
        bits_per_weight=8,
        weights_bytes=4_194_304_000,
    ),
    GroupWeights(
        group=TensorGroup.FFN,
        parameters=8_493_465_600,
        bits_per_weight=8.008,
        weights_bytes=8_501_985_280,
    ),
    GroupWeights(
        group=TensorGroup.NORM, parameters=414_720, bits_per_weight=16, weights_bytes=829_440
    ),
)


def memory(**fields):
    """Return the need of Llama 2 13B in INT8 at 4,096 tokens, `fields` changed."""
    values = {
        "groups": GROUPS,
        "weights_bytes": 13_352_478_720,
        "mtp_weights_bytes": 0,
        # 2 x 40 layers x 40 heads x 128 x 2 bytes
        "kv_bytes_per_token": 819_200,
        "kv_bytes_fixed_per_request": 0,
        # 819,200 x 4,096
        "kv_cache_bytes": 3_355_443_200,
        "adapter_bytes": None,
        "activation_bytes": 375_809_638,
        "activation_low_bytes": 200_000_000,
        "activation_high_bytes": 1_200_000_000,
        "runtime_bytes": 1_677_721_600,
        "runtime_low_bytes": 1_000_000_000,
        "runtime_high_bytes": 2_450_000_000,
        "total_bytes": 18_761_453_158,
        "total_low_bytes": 17_907_921_920,
        "total_high_bytes": 20_357_921_920,
        # 13,015,864,320 x 1 byte x 1.2 and x 1.25
        "rule_20_percent_bytes": 15_619_037_184,
        "rule_25_percent_bytes": 16_269_830_400,
    }
    return Memory(**(values | fields))


def per_gpu(gpu, *, split=1, need=None, fraction=0.9):
    """Return the memory of one of `split` cards of a kind that share the need evenly."""
    need = need or memory()
    usable = USABLE_MIB[gpu] * MIB
    budget = int(usable * fraction)
    weights, cache = need.weights_bytes // split, need.kv_cache_bytes // split
    fixed = need.activation_bytes + need.runtime_bytes
    total = weights + cache + fixed
    return PerGpu(
        usable_bytes=usable,
        budget_bytes=budget,
        weights_bytes=weights,
        kv_cache_bytes=cache,
        adapter_bytes=0,
        activation_bytes=need.activation_bytes,
        runtime_bytes=need.runtime_bytes,
        need_bytes=total,
        need_low_bytes=total - (need.total_bytes - need.total_low_bytes),
        need_high_bytes=total + (need.total_high_bytes - need.total_bytes),
        kv_pool_bytes=max(0, budget - weights - fixed),
        reserved_bytes=budget,
        free_bytes=budget - total,
    )


def option(gpu, gpus, verdict, *reasons, room=1, **fields):
    """Return a set of GPUs; its capacity follows from `room`, requests of 4,096 tokens."""
    runs = verdict is not Verdict.UNSUPPORTED
    values = {
        "gpu": gpu,
        "gpus": gpus,
        "nodes": 1,
        "replicas": 1,
        "tensor_parallel": gpus,
        "pipeline_parallel": 1,
        "expert_parallel": 1,
        "verdict": verdict,
        "per_gpu": per_gpu(gpu, split=gpus) if runs else None,
        "kv_pool_tokens": room * 4096 if runs else None,
        "max_context_tokens": 4096 if runs else None,
        "max_concurrent_requests": room if runs else None,
        "minimum_memory_fraction": 0.777 if runs else None,
        "mig_profile": None,
        "performance": None,
        "power_w": 72.0 * gpus,
        "price": None,
        "reasons": reasons,
    }
    return Option(**(values | fields))


def about(typical):
    """Return an estimate a quarter about `typical`."""
    return Estimate(low=0.75 * typical, typical=typical, high=1.25 * typical)


def speed(**fields):
    """Return the speed of one L4 full of requests of 3,072 + 1,024 tokens, `fields` changed."""
    values = {
        "confidence": Confidence.HIGH,
        "concurrent_requests": 1,
        "at_saturation": True,
        "input_tokens": 3072,
        "output_tokens": 1024,
        "single_stream_tokens_per_s": about(16.0),
        "output_tokens_per_s": about(24.0),
        "total_tokens_per_s": about(96.0),
        "prefill_tokens_per_s": about(2560.0),
        "requests_per_s": about(0.0234),
        "ttft_ms": about(1200.0),
        "itl_ms": about(62.5),
        "bound_by": BoundBy.WEIGHTS,
        "users_per_replica": None,
        "limit": Limit.MEMORY,
    }
    return Performance(**(values | fields))


SMALLEST, ASKED = note("smallest"), note("asked")
ASSUMPTIONS = (
    note("default_load", context_tokens=4096, concurrent_requests=1),
    note("default_engine", engine="vllm"),
    note("default_memory_fraction", memory_fraction=0.9),
    note("kv_precision_default"),
    note("tier", tier="mid_range"),
)
RULE = note(
    "rule_misleads",
    rule_percent=25,
    rule_bytes=16_269_830_400,
    total_bytes=18_761_453_158,
    kv_cache_bytes=3_355_443_200,
    difference_bytes=2_491_622_758,
)


def recommended(room):
    return note("recommended", room_for_requests=room, context_tokens=4096)


def answer(*options, asked=None, need=None, warnings=(RULE,), assumptions=ASSUMPTIONS):
    return SizingAnswer(
        understood=asked or understood(),
        memory=need or memory(),
        options=options,
        warnings=warnings,
        assumptions=assumptions,
        catalogue=STAMP,
    )


def _fits():
    return answer(
        option("l4", 1, Verdict.FITS, SMALLEST, performance=speed()),
        option(
            "l40s",
            1,
            Verdict.FITS,
            recommended(7),
            note("usable_memory_estimated", gpu="l40s"),
            room=7,
        ),
        option("h100-sxm", 1, Verdict.FITS, room=18),
        option("t4", 2, Verdict.FITS, room=1),
        option("h100-pcie", 1, Verdict.FITS, room=18),
        assumptions=(
            note("read_as", typed="lama-13b", read_as="llama-13b"),
            note("model_default", model="Llama 2 13B", alternatives=("llama-13b",)),
            *ASSUMPTIONS,
        ),
        asked=understood(read_as=(Correction(typed="lama-13b", read_as="llama-13b"),)),
    )


def _tight():
    shortage = note("little_to_spare", short_bytes=120_000_000)
    return answer(
        option("l4", 1, Verdict.TIGHT, ASKED, shortage),
        option("l40s", 1, Verdict.FITS, SMALLEST, recommended(7), room=7),
        asked=understood(gpus=(GpuChoice(gpu="l4", count=1),)),
    )


def _does_not_fit():
    return answer(
        option(
            "t4", 1, Verdict.DOES_NOT_FIT, ASKED, note("short", short_bytes=4_516_000_000), room=0
        ),
        option("l4", 1, Verdict.FITS, SMALLEST),
        option("l40s", 1, Verdict.FITS, recommended(7), room=7),
        asked=understood(gpus=(GpuChoice(gpu="t4", count=1),)),
    )


def _unsupported_precision():
    refused = note(
        "unsupported_precision", precision="fp8", gpu="t4", architecture="turing", other="int8"
    )
    return answer(
        option("t4", 2, Verdict.UNSUPPORTED, ASKED, refused),
        option("l4", 1, Verdict.FITS, SMALLEST),
        option("l40s", 1, Verdict.FITS, recommended(7), room=7),
        asked=understood(precision="fp8", gpus=(GpuChoice(gpu="t4", count=2),)),
    )


def _unsupported_architecture():
    unknown = dict.fromkeys(
        (
            "kv_bytes_per_token", "kv_bytes_fixed_per_request", "kv_cache_bytes",
            "activation_bytes", "activation_low_bytes", "activation_high_bytes",
            "runtime_bytes", "runtime_low_bytes", "runtime_high_bytes",
            "total_bytes", "total_low_bytes", "total_high_bytes",
        )
    )  # fmt: skip
    return answer(
        asked=understood(
            model="DeepSeek V3",
            model_id="deepseek-v3",
            kind=ModelKind.MOE,
            parameters=671_026_419_200,
            active_parameters=37_552_951_808,
            precision="fp8",
        ),
        need=memory(weights_bytes=672_900_000_000, mtp_weights_bytes=11_500_000_000, **unknown),
        warnings=(
            note("architecture_not_supported", feature="unpublished_shape", model="DeepSeek V3"),
        ),
        assumptions=(note("mtp_not_loaded", mtp_parameters=11_500_000_000), *ASSUMPTIONS),
    )


def _unsupported_yet_too_big():
    """An architecture without a KV layout, on GPUs that cannot even hold its weights."""
    alone = note("weights_alone_exceed", weights_bytes=84_112_500_000, budget_bytes=76_968_500_000)
    asked = option(
        "h100-sxm",
        8,
        Verdict.DOES_NOT_FIT,
        ASKED,
        alone,
        per_gpu=None,
        kv_pool_tokens=None,
        max_context_tokens=None,
        max_concurrent_requests=None,
        minimum_memory_fraction=None,
    )
    return _unsupported_architecture().model_copy(update={"options": (asked,)})


def _bare_size():
    return answer(
        option("l4", 1, Verdict.FITS, SMALLEST),
        option("l40s", 1, Verdict.FITS, recommended(7), room=7),
        asked=understood(
            model="13B",
            model_id=None,
            parameters=13_000_000_000,
            concurrent_requests=3,
            context_tokens=5000,
        ),
        assumptions=(note("dense_size", parameters=13_000_000_000, shape_of="Llama 2 13B"),),
        warnings=(
            note("option_not_covered", option="rps"),
            note("ignored_words", words=("porfa", "ya")),
        ),
    )


def _several_gpus():
    need = memory(
        weights_bytes=141_107_412_992,
        total_bytes=146_516_387_430,
        total_low_bytes=145_662_856_192,
        total_high_bytes=148_112_856_192,
        rule_20_percent_bytes=169_328_895_590,
        rule_25_percent_bytes=176_384_266_240,
    )  # fmt: skip
    heads = note("kv_heads_replicated", tensor_parallel=16, kv_heads=8)
    served = speed(
        confidence=Confidence.MEDIUM,
        concurrent_requests=16,
        at_saturation=False,
        output_tokens_per_s=about(560.0),
        ttft_ms=about(320.0),
        itl_ms=about(28.0),
        bound_by=BoundBy.EXCHANGE,
        users_per_replica=25,
        limit=Limit.EXCHANGE,
        ways=(Way(option="fp8", output_tokens_per_s=700.0),),
    )
    times = {"low_ms": 21.0, "typical_ms": 28.0, "high_ms": 35.0}
    first = {"low_ms": 240.0, "typical_ms": 320.0, "high_ms": 400.0}
    return answer(
        option(
            "h100-sxm",
            4,
            Verdict.FITS,
            ASKED,
            note("time_near", target="itl", limit_ms=30.0, **times),
            note("time_kept", target="ttft", limit_ms=1000.0, **first),
            per_gpu=per_gpu("h100-sxm", split=4, need=need),
            performance=served,
            room=52,
        ),
        option(
            "l40s",
            16,
            Verdict.FITS,
            SMALLEST,
            heads,
            nodes=2,
            per_gpu=per_gpu("l40s", split=16, need=need),
            room=90,
        ),
        asked=understood(
            model="Llama 3.1 70B",
            model_id="llama-3.1-70b",
            parameters=70_553_706_496,
            active_parameters=70_553_706_496,
            precision="bf16",
            gpus=(GpuChoice(gpu="h100-sxm", count=4),),
        ),
        need=need,
        warnings=(
            note(
                "rule_generous",
                rule_percent=25,
                rule_bytes=176_384_266_240,
                total_bytes=146_516_387_430,
                kv_cache_bytes=3_355_443_200,
                difference_bytes=29_867_878_810,
            ),
            note("rule_160gb_70b", rule_gb=160, weights_bytes=141_107_412_992),
        ),
        assumptions=(
            note("gpu_variant", gpu="h100-sxm", alternatives=("h100-pcie",)),
            *ASSUMPTIONS,
        ),
    )


def bounds(low, typical, high):
    return Bounds(low=low, typical=typical, high=high)


def _served(replicas, **fields):
    """Return the speed of copies of Llama 3.3 70B for prompts of 2,000 and answers of 400 tokens.

    4 requests each second write 1,600 tokens, and 9,600 pass.
    """
    values = {
        "at_saturation": False,
        "input_tokens": 2000,
        "output_tokens": 400,
        "concurrent_requests": 200,
        "output_tokens_per_s": about(1600.0),
        "total_tokens_per_s": about(9600.0),
        "requests_per_s": about(4.0),
        "ttft_ms": about(430.0),
        "itl_ms": about(125.0),
        "bound_by": BoundBy.PROMPTS,
        "users_per_replica": 84,
        "goodput": Goodput(
            concurrent_requests_per_replica=bounds(100, 120, 122),
            replica_requests_per_s=bounds(1.5, 2.0, 2.4),
            concurrent_requests=bounds(100 * replicas, 120 * replicas, 122 * replicas),
            requests_per_s=bounds(1.5 * replicas, 2.0 * replicas, 2.4 * replicas),
        ),
        "limit": Limit.QUEUEING,
        "limiting_wish": Wish.TTFT,
        "ways": (
            Way(option="in=1000 out=400", concurrent_requests=420),
            Way(option="gpu=8xh100-sxm", concurrent_requests=560),
        ),
    }
    return speed(**(values | fields))


def _on_copies(replicas, performance, *reasons, room):
    return option(
        "h100-sxm",
        2 * replicas,
        Verdict.FITS,
        SMALLEST,
        *reasons,
        replicas=replicas,
        tensor_parallel=2,
        per_gpu=per_gpu("h100-sxm", split=2, need=memory(kv_cache_bytes=40_000_000_000)),
        performance=performance,
        room=room,
    )


def _asked_70b(**fields):
    return understood(
        model="Llama 3.3 70B",
        model_id="llama-3.3-70b",
        parameters=70_553_706_496,
        active_parameters=70_553_706_496,
        precision="fp8",
        context_tokens=2400,
        input_tokens=2000,
        output_tokens=400,
        **fields,
    )


MEASURED = Measurement(
    model="llama-3.1-70b",
    gpu="h100-sxm",
    precision="fp8",
    kv_precision="fp16",
    engine="vllm",
    version="0.11.0",
    tensor_parallel=2,
    pipeline_parallel=1,
    data_parallel=1,
    replicas=2,
    input_tokens=2048,
    output_tokens=400,
    concurrent_requests=192,
    itl_ms=119.4,
    output_tokens_per_s=1580.0,
    single_tokens_per_s=None,
    source="a published sweep",
    is_same=True,
)


def _many_users():
    """`llama 70b fp8 users=200 in=2000 out=400 ttft<1s`."""
    times = {"low_ms": 322.5, "typical_ms": 430.0, "high_ms": 537.5}
    kept = note("time_kept", target="ttft", limit_ms=1000.0, **times)
    return answer(
        _on_copies(2, _served(2, measured=(MEASURED,)), kept, room=290),
        asked=_asked_70b(concurrent_requests=200, targets=Targets(ttft_ms=1000.0)),
    )


def _arrivals():
    """`llama 70b fp8 rps=3 in=2000 out=400`: one copy; 3 / 0.8 x 32 s = 120 in flight."""
    found = _served(
        1,
        concurrent_requests=120,
        output_tokens_per_s=about(1500.0),
        requests_per_s=about(3.75),
        itl_ms=about(79.0),
        limit=Limit.LATENCY,
        limiting_wish=Wish.ITL,
        ways=(Way(option="gpu=4xh100-sxm", concurrent_requests=254),),
        # one token, and 0.7, 0.49 and 0.343 of those drafted
        speculation=Speculated(
            draft_tokens=3,
            acceptance=0.7,
            step_tokens=2.533,
            speedup=1.3,
            most_paying_requests=400,
        ),
    )
    arrivals = note(
        "littles_law",
        requests_per_s=3.0,
        time_s=32.0,
        used_percent=80.0,
        concurrent_requests=120,
    )
    return answer(
        _on_copies(1, found, room=145),
        asked=_asked_70b(
            concurrent_requests=120, requests_per_s=3.0, targets=Targets(itl_ms=100.0)
        ),
        assumptions=(arrivals, note("reading_speed", limit_ms=100.0), *ASSUMPTIONS),
    )


def _nothing_fits():
    return answer()


SAMPLES = {
    "fits": _fits,
    "tight": _tight,
    "does_not_fit": _does_not_fit,
    "unsupported_precision": _unsupported_precision,
    "unsupported_architecture": _unsupported_architecture,
    "unsupported_yet_too_big": _unsupported_yet_too_big,
    "bare_size": _bare_size,
    "several_gpus": _several_gpus,
    "many_users": _many_users,
    "arrivals": _arrivals,
    "nothing_fits": _nothing_fits,
}


@pytest.fixture(params=SAMPLES)
def sample_name(request):
    return request.param


@pytest.fixture
def sample(sample_name):
    return SAMPLES[sample_name]()


@pytest.fixture
def samples():
    return {name: build() for name, build in SAMPLES.items()}


@pytest.fixture(params=["en", "es"])
def language(request):
    return request.param


@pytest.fixture(scope="session")
def renderer(catalogue):
    from bot.render import Renderer

    return Renderer(catalogue)
