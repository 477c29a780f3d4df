"""Speed of pictures and texts on one kind of GPU, a copy of the model on each device."""

from __future__ import annotations

from math import ceil

from sizing.answer import Note, note
from sizing.passes.load import PassLoad
from sizing.performance import Performance
from sizing.records import GpuRecord, ModelKind, ThroughputRecord
from sizing.throughput.basis import MEASURED_AS, gpu_refusal, is_measured, measured_engine
from sizing.throughput.estimating import ItemSpeed, Setting, item_speed
from sizing.throughput.pictures import picture_work
from sizing.throughput.texts import text_work
from sizing.throughput.work import ItemWork

MOST_COPIES = 10**9
"""Copies that no limit allows."""


def pass_refusal(load: PassLoad, record: ThroughputRecord) -> Note | None:
    """Return why no speed is named of such a model with such an engine; None where one is."""
    kind = MEASURED_AS.get(load.model.kind)
    if kind is None:
        return note("speed_kind_unmeasured", kind=load.model.kind.value)
    if pass_work(load) is None:
        return note("speed_model_unmeasured", model=load.model.name)
    if not is_measured(record, kind, measured_engine(kind, load.engine.id)):
        return note("speed_engine_unmeasured", engine=load.engine.id)
    return None


def pass_work(load: PassLoad) -> ItemWork | None:
    """Return the work of one picture or text; None where its operations are not known."""
    model, asked = load.model, load.work
    if model.architecture is not None:
        return text_work(load.groups, model.architecture, asked.tokens or 1)
    if model.pipeline is None or model.kind is not ModelKind.IMAGE or asked.steps is None:
        return None
    return picture_work(model.pipeline, asked.pixels, asked.steps)


def speed_of_pass(
    load: PassLoad, gpu: GpuRecord, items: int, record: ThroughputRecord
) -> ItemSpeed | Note | None:
    """Return the speed of one device at work on `items`, or why it has none of its own."""
    work, kind = pass_work(load), MEASURED_AS.get(load.model.kind)
    if work is None or kind is None or pass_refusal(load, record) is not None:
        return None
    refusal = gpu_refusal(record, gpu)
    if refusal is not None:
        return refusal
    setting = Setting(kind, load.model.id, load.engine.id, gpu, load.precision)
    return item_speed(work, setting, items, record) or note("speed_rates_unknown", gpu=gpu.id)


def performance_of_pass(
    load: PassLoad, gpu: GpuRecord, replicas: int, record: ThroughputRecord
) -> tuple[Performance | None, tuple[Note, ...]]:
    """Return the speed of a set that holds the asked items, or why no number is given."""
    speed = speed_of_pass(load, gpu, load.work.on_each(replicas), record)
    if isinstance(speed, Note):
        return None, (speed,)
    if speed is None:
        return None, ()
    return _performance(load, speed, replicas), ()


def copies_for_rate(load: PassLoad, gpu: GpuRecord, record: ThroughputRecord) -> int:
    """Return the copies that answer what arrives; 1 where no rate is told, or no speed known.

    More than there are where the speed of other GPUs is known, but not that of this one.
    """
    arriving = load.work.arriving_per_s
    speed = speed_of_pass(load, gpu, load.work.items, record) if arriving else None
    if arriving is None or speed is None:
        return 1
    return MOST_COPIES if isinstance(speed, Note) else ceil(arriving / speed.rate(1.0).typical)


def _performance(load: PassLoad, speed: ItemSpeed, replicas: int) -> Performance:
    is_rate = load.work.arriving_per_s is not None
    copies = replicas if is_rate else min(replicas, load.work.items)
    is_text, tokens = load.model.architecture is not None, load.work.tokens
    rate = speed.rate(copies)
    read = speed.rate(copies * tokens) if is_text and tokens else None
    return Performance(
        confidence=speed.confidence,
        concurrent_requests=load.work.items * (copies if is_rate else 1),
        at_saturation=False,
        input_tokens=tokens,
        output_tokens=None,
        single_stream_tokens_per_s=None,
        output_tokens_per_s=None,
        total_tokens_per_s=read,
        prefill_tokens_per_s=read,
        requests_per_s=rate,
        ttft_ms=None,
        itl_ms=None,
        bound_by=speed.bound_by,
        users_per_replica=None,
        latency_ms=speed.latency_ms,
        texts_per_s=rate if is_text else None,
        images_per_s=None if is_text else rate,
        seconds_per_image=None if is_text else speed.time(1.0),
        steps=None if is_text else load.work.steps,
    )
