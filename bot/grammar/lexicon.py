"""All names of a catalogue, indexed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.grammar.formats import NameIndex, build_name_index
from bot.grammar.gpu_phrase import GpuReader
from bot.grammar.gpus import GpuIndex, build_gpu_index
from bot.grammar.models import ModelIndex, build_model_index
from bot.grammar.options import OptionTable, build_option_table
from sizing.catalogue import Catalogue


@dataclass(frozen=True)
class Lexicon:
    """Names of models, accelerators, number formats, engines and options."""

    models: ModelIndex
    gpus: GpuIndex
    gpu_reader: GpuReader
    precisions: NameIndex
    nominal_bits: Mapping[str, float]
    kv_precisions: NameIndex
    engines: NameIndex
    frameworks: NameIndex
    options: OptionTable
    families: tuple[str, ...]
    """Lines of models, sorted."""
    usual_engines: Mapping[str, str]
    """Engine whose formats people mean on accelerators where the default one does not run."""


DEFAULT_ENGINE: Final = "vllm"
FALLBACK_ENGINE: Final = "llamacpp"


def _usual_engines(catalogue: Catalogue) -> dict[str, str]:
    default = catalogue.engines.get(DEFAULT_ENGINE)
    runs_on = default.runs_on if default else ()
    others = (gpu for gpu in catalogue.gpus.values() if gpu.architecture not in runs_on)
    return {gpu.id: FALLBACK_ENGINE for gpu in others}


def build_lexicon(catalogue: Catalogue) -> Lexicon:
    """Index the names of a catalogue."""
    gpus = build_gpu_index(catalogue.gpus)
    return Lexicon(
        models=build_model_index(catalogue.models),
        gpus=gpus,
        gpu_reader=GpuReader(gpus),
        precisions=build_name_index(catalogue.precisions.values()),
        nominal_bits={one.id: one.nominal_bits for one in catalogue.precisions.values()},
        kv_precisions=build_name_index(catalogue.kv_precisions.values()),
        engines=build_name_index(catalogue.engines.values()),
        frameworks=build_name_index(catalogue.frameworks.values()),
        options=build_option_table(),
        families=tuple(sorted({model.family for model in catalogue.models.values()})),
        usual_engines=_usual_engines(catalogue),
    )
