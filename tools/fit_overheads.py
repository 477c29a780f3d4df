"""Fit the overheads of vLLM in data/engines.toml on recorded start-ups, and print them.

Each range is the fifth percentile, the mean and the ninety-fifth percentile of what logs print.
No constant belongs to one model; leaving out one model at a time tells what that is worth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean, quantiles
from typing import Any

from sizing.catalogue import Catalogue, load_catalogue
from sizing.overhead import layer_bytes_per_token
from sizing.records import Attention, ModelRecord, TensorGroup
from sizing.units import GIB
from tools.scoring.answers import Engine, read_csv, read_lines
from tools.scoring.starts import Start

STEP_TOKENS = 2048
"""Tokens of one step where the log does not tell: the default on most cards."""


OTHER_CARDS = frozenset({"Jetson Orin", "MI50 32GB", "Arc Pro B70"})
"""Cards without an id of the catalogue that are no discrete GPUs of NVIDIA."""


@dataclass(frozen=True)
class Range:
    """Fifth percentile, mean and ninety-fifth percentile."""

    low: float
    typical: float
    high: float


def fitted(starts: Iterable[Start]) -> dict[str, Range]:
    """Return every range that logs give, by the name it has in data/engines.toml."""
    kept = [start for start in starts if not _fault(start) and _is_discrete(start)]
    return {
        "step.sampler": _per_entry(start for start in kept if not on_large_card(start)),
        "large_card_step.sampler": _per_entry(filter(on_large_card, kept), published(kept)),
        "reserved": _range(_reserved(kept)),
        "communication_single": _range(_communication(kept, alone=True)),
        "communication_parallel": _range(_communication(kept, alone=False)),
        "graphs_single": _range(_of(kept, "graphs_gib", is_alone)),
        "graphs_parallel": _range(_of(kept, "graphs_gib", is_split)),
    }


def is_multimodal(start: Start) -> bool:
    """Return whether an image or audio encoder runs in the trial."""
    if start.row.get("multimodal"):
        return True
    return start.model is not None and bool(
        {TensorGroup.VISION, TensorGroup.AUDIO} & start.model.architecture.given_parameters.keys()
    )


def is_alone(start: Start) -> bool:
    """Return whether one GPU holds the model; not where the log does not tell."""
    return bool(start.row.get("tensor_parallel") == 1)


def is_split(start: Start) -> bool:
    """Return whether several GPUs hold the model together."""
    return bool(start.row.get("tensor_parallel", 1) > 1)


def _is_discrete(start: Start) -> bool:
    """Return whether the GPU is one of NVIDIA's with memory of its own."""
    card = start.engine.catalogue.gpus.get(start.row.get("gpu", ""))
    other = card is not None and (card.unified_memory or card.vendor != "NVIDIA")
    return not (other or start.row.get("rocm") or start.row.get("card") in OTHER_CARDS)


def _fault(start: Start) -> str:
    return str(start.row.get("doubt") or start.row.get("overhead_doubt") or "")


def _range(values: Iterable[float]) -> Range:
    found = list(values)
    low, high = _outer(found)
    return Range(round(low, 2), round(fmean(found), 2), round(high, 2))


def _outer(values: Iterable[float]) -> tuple[float, float]:
    """Return the fifth and the ninety-fifth percentile, between rows on a straight line."""
    cuts = quantiles(values, n=20, method="inclusive")
    return cuts[0], cuts[-1]


def _per_entry(starts: Iterable[Start], published: Iterable[float] = ()) -> Range:
    """Return bytes of a vocabulary entry, in tens."""
    values = [*_entries(starts), *published]
    low, high = _outer(values)
    return Range(round(low, -1), round(fmean(values), -1), round(high, -1))


def _takes_more(start: Start) -> bool:
    step = start.engine.catalogue.engines["vllm"].step_on(start.card)
    return step is not None and step.from_gib > 0


def on_large_card(start: Start) -> bool:
    """Return whether vLLM takes more at once there; not where the log does not tell the card."""
    return "A100" not in start.row.get("card", "") and _takes_more(start)


def _of(starts: Iterable[Start], key: str, holds: Callable[[Start], bool]) -> list[float]:
    return [start.row[key] for start in starts if key in start.row and holds(start)]


def _entries(starts: Iterable[Start]) -> Iterator[float]:
    """Yield the bytes of a vocabulary entry where the sampler decides, not a layer's width."""
    for start in starts:
        if start.model and "activation_gib" in start.row and not _by_layer(start, start.model):
            peak_bytes = start.row["activation_gib"] * GIB
            yield peak_bytes / start.model.architecture.vocabulary_size


def published(starts: list[Start]) -> Iterator[float]:
    """Yield the same of constants that llm-d-planner publishes, measured on H100."""
    for row in read_csv("activations.csv"):
        model = starts[0].engine.model(row["hf_id"])
        if model is not None:
            yield float(row["activation_gib"]) * GIB / model.architecture.vocabulary_size


def _by_layer(start: Start, model: ModelRecord) -> bool:
    """Return whether a layer takes half of the peak or more, or an encoder or an index runs."""
    architecture = model.architecture
    tokens = start.batched_tokens or STEP_TOKENS
    ranks = start.row.get("tensor_parallel", 1)
    layer_bytes = tokens * layer_bytes_per_token(architecture, ranks).typical_bytes
    indexed = architecture.indexer or architecture.attention is Attention.COMPRESSED
    by_layer = layer_bytes >= start.row["activation_gib"] * GIB / 2
    return is_multimodal(start) or by_layer or bool(indexed)


def _reserved(starts: Iterable[Start]) -> list[float]:
    """Return what cards show beyond what CUDA sees, GiB, once for each pair of figures."""
    pairs = {
        (start.row["gpu"], start.row["card_gib"])
        for start in starts
        if "gpu" in start.row and start.row.get("card_gib", 0) % 1
    }
    gpus = next(iter(starts)).engine.catalogue.gpus
    return [
        gpus[gpu].usable_bytes / GIB - card_gib
        for gpu, card_gib in sorted(pairs)
        if gpus[gpu].usable_is_measured
    ]


def _communication(starts: Iterable[Start], *, alone: bool) -> list[float]:
    """Return buffers outside the tensor library, GiB: as printed, or what loading took beyond."""
    kept = filter(is_alone if alone else is_split, starts)
    return [value for start in kept if (value := outside_the_library(start.row)) is not None]


def outside_the_library(row: Mapping[str, Any]) -> float | None:
    """Return the buffers a log tells; None where it does not."""
    if "non_torch_gib" in row:
        return float(row["non_torch_gib"])
    if "loaded_gib" in row and "weights_gib" in row:
        return float(row["loaded_gib"] - row["weights_gib"])
    return None


def main() -> int:
    """Print the ranges as they stand in data/engines.toml."""
    for name, found in fitted(load_starts(load_catalogue())).items():
        unit = "bytes_per_entry" if name.endswith("sampler") else "gib"
        bounds = zip(
            ("low", "typical", "high"), (found.low, found.typical, found.high), strict=True
        )
        print(f"{name} = {{ {', '.join(f'{bound}_{unit} = {value}' for bound, value in bounds)} }}")
    return 0


def load_starts(catalogue: Catalogue) -> list[Start]:
    """Return the recorded starts."""
    engine = Engine(catalogue)
    return [
        Start(row, engine.model(row.get("model")), engine) for row in read_lines("starts.jsonl")
    ]


if __name__ == "__main__":
    sys.exit(main())
