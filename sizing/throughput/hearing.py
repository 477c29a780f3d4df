"""Speed of models that write what they hear: windows of sound through an encoder and a decoder."""

from __future__ import annotations

from dataclasses import replace

from sizing.memory import Load
from sizing.notes import Note, note
from sizing.performance import Estimate, Performance
from sizing.placement import Placement, Placer
from sizing.records import ModelKind, PrecisionRecord, ThroughputRecord
from sizing.throughput.basis import MEASURED_AS, gpu_refusal, is_measured, measured_engine
from sizing.throughput.estimating import ItemSpeed, Setting, item_speed
from sizing.throughput.speech import TOKENS_PER_WINDOW, WINDOW_SECONDS, speech_work
from sizing.units import ceil_div

MOST_WINDOWS = 64
"""Windows that engines work on at once at most: beyond it the rate no longer grows."""

KIND = MEASURED_AS[ModelKind.ASR]


def hears(load: Load) -> bool:
    """Return whether the model writes what it hears."""
    return load.subject.kind is ModelKind.ASR


def _works_on_windows(load: Load) -> bool:
    cross = load.subject.architecture.cross_attention
    return cross is not None and cross.source_tokens is not None


def hearing_of(
    placement: Placement, load: Load, precision: PrecisionRecord, record: ThroughputRecord
) -> tuple[Performance | None, tuple[Note, ...]]:
    """Return the speed of a placement, or why no number is given."""
    held = placement.requests_held(load.request_tokens)
    if placement.unsupported or held < 1:
        return None, ()
    refusal = _refusal(placement, load, record)
    if refusal is not None:
        return None, (refusal,)
    asked = ceil_div(load.concurrent_requests, placement.layout.replicas)
    batch = min(held, asked if load.is_asked else MOST_WINDOWS)
    work = speech_work(load.groups, load.subject.architecture)
    setting = Setting(
        kind=KIND,
        model_id=load.subject.model.id if load.subject.model else "",
        engine=load.engine.id,
        gpu=placement.gpu,
        precision=precision,
    )
    speed = item_speed(work, setting, min(batch, MOST_WINDOWS), record)
    if speed is None:
        return None, (note("speed_rates_unknown", gpu=placement.gpu.id),)
    return _performance(speed, placement, is_asked=load.is_asked), ()


def heard_per_s(placement: Placement, placer: Placer) -> float | None:
    """Return the windows that one copy writes down each second; 0 where that is not known.

    None where it is known of no set: nothing like the model or the engine was measured.
    """
    load = replace(placer.load, is_asked=False)
    record = placer.catalogue.throughput
    if _model_refusal(load, record) is not None:
        return None
    found, _ = hearing_of(placement, load, placer.precision, record)
    if found is None or found.windows_per_s is None:
        return 0.0
    return found.windows_per_s.typical / placement.layout.replicas


def _model_refusal(load: Load, record: ThroughputRecord) -> Note | None:
    engine = load.engine.id
    if not _works_on_windows(load):
        return note("speed_model_unmeasured", model=load.subject.name)
    if not is_measured(record, KIND, measured_engine(KIND, engine)):
        return note("speed_engine_unmeasured", engine=engine)
    return None


def _refusal(placement: Placement, load: Load, record: ThroughputRecord) -> Note | None:
    gpus, unmeasured = placement.layout.gpus_per_replica, _model_refusal(load, record)
    if unmeasured is not None:
        return unmeasured
    refused = gpu_refusal(record, placement.gpu)
    if refused is not None or placement.shares:
        return refused or note("speed_cards_unmeasured")
    if gpus > 1:
        return note("speed_split_unmeasured", gpus=gpus)
    return note("speed_host_unmeasured") if placement.need.host is not None else None


def _performance(speed: ItemSpeed, placement: Placement, *, is_asked: bool) -> Performance:
    replicas = placement.layout.replicas
    windows = speed.rate(replicas)
    return Performance(
        confidence=speed.confidence,
        concurrent_requests=speed.batch * replicas,
        at_saturation=not is_asked,
        input_tokens=None,
        output_tokens=TOKENS_PER_WINDOW,
        single_stream_tokens_per_s=None,
        output_tokens_per_s=_times(windows, TOKENS_PER_WINDOW),
        total_tokens_per_s=None,
        prefill_tokens_per_s=None,
        requests_per_s=windows,
        ttft_ms=None,
        itl_ms=None,
        bound_by=speed.bound_by,
        users_per_replica=None,
        latency_ms=speed.latency_ms,
        windows_per_s=windows,
        audio_seconds_per_s=_times(windows, WINDOW_SECONDS),
    )


def _times(estimate: Estimate, factor: float) -> Estimate:
    return Estimate(
        low=estimate.low * factor, typical=estimate.typical * factor, high=estimate.high * factor
    )
