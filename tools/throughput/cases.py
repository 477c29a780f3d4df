"""From a measured row to the work, the rates and the traits that the model of speed sees."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.catalogue import Catalogue
from sizing.records import GpuRecord, ModelRecord
from sizing.subject import subject_from
from sizing.throughput.pace import Pace, Rates, Traits, rates_of, seconds_of, traits_of
from sizing.throughput.pictures import denoise_work, evaluation_work, picture_work
from sizing.throughput.speech import TOKENS_PER_WINDOW, speech_work
from sizing.throughput.texts import text_work
from sizing.throughput.work import ItemWork
from sizing.weights import group_weights
from tools.throughput.rows import Row

NOT_SOLD = {
    # NVIDIA GeForce RTX 3070 Ti: 8 GB of GDDR6X, 608 GB/s, 21.7 TFLOPS of FP32, 290 W
    "rtx-3070-ti": ("rtx-3070", {"fp16": 43.5, "int8": 174.0, "bandwidth": 608.0}),
}
"""Cards that were measured but are not in the catalogue: a relative, and what differs."""


@dataclass(frozen=True)
class Case:
    """One row with all that the model of speed needs to answer it."""

    row: Row
    model: ModelRecord
    work: ItemWork
    rates: Rates
    traits: Traits

    @property
    def measured_s(self) -> float:
        """Return the measured seconds of an item on one GPU."""
        return self.row.seconds(self.row.value)

    def seconds(self, pace: Pace) -> float:
        """Return the seconds that the model says."""
        return seconds_of(self.work, self.rates, pace, self.row.items).total


def cases_of(rows: list[Row], catalogue: Catalogue) -> list[Case]:
    """Return the rows that can be scored, each with its work; the others state a fault."""
    models = {model.hf_id: model for model in catalogue.models.values()}
    made = (_case(row, models[row.hf_id], catalogue) for row in rows if not row.left_out)
    return [case for case in made if case is not None]


def _case(row: Row, model: ModelRecord, catalogue: Catalogue) -> Case | None:
    gpu = _gpu(row.gpu, catalogue)
    precision = catalogue.precisions[row.precision]
    rates, work = rates_of(gpu, precision, row.engine), _work(row, model, catalogue)
    if rates is None or work is None:
        return None
    traits = traits_of(row.kind, row.engine, work, gpu=gpu, rates=rates)
    return Case(row, model, work, rates, {**traits, "gpu": row.gpu})


def _work(row: Row, model: ModelRecord, catalogue: Catalogue) -> ItemWork | None:
    if model.pipeline is not None:
        match row.figure:
            case "steps_per_s":
                return denoise_work(model.pipeline, row.pixels)
            case "evaluation_seconds":
                return evaluation_work(model.pipeline, row.pixels)
            case _:
                return picture_work(model.pipeline, row.pixels, row.steps or 0)
    precision = catalogue.precisions[row.precision]
    groups = group_weights(subject_from(model), precision, catalogue)
    if row.kind == "asr":
        tokens = row.output_tokens or TOKENS_PER_WINDOW
        return speech_work(groups, model.shape, tokens=tokens, beams=row.beams)
    return text_work(groups, model.shape, row.tokens or 0)


def _gpu(gpu_id: str, catalogue: Catalogue) -> GpuRecord:
    if gpu_id not in NOT_SOLD:
        return catalogue.gpus[gpu_id]
    relative, other = NOT_SOLD[gpu_id]
    return catalogue.gpus[relative].model_copy(
        update={
            "fp16_dense_tflops": other["fp16"],
            "bf16_dense_tflops": other["fp16"],
            "int8_dense_tops": other["int8"],
            "bandwidth_gb_per_s": other["bandwidth"],
        }
    )
