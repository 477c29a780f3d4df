"""Start-ups of vLLM: weights of a GPU, overheads and the KV pool, beside the printed ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sizing.answer import Option, PerGpu
from sizing.defaults import load_of
from sizing.memory import Load
from sizing.offers import option_of
from sizing.overhead import BytesRange, reserved_by_driver
from sizing.parallelism import Layout
from sizing.placement import Placement, Placer
from sizing.records import GpuRecord, ModelRecord, PrecisionRecord
from sizing.request import SizingRequest
from sizing.subject import Subject, subject_of
from sizing.units import GIB
from sizing.weights import loaded_precision
from tools.scoring.answers import Engine, read_lines
from tools.scoring.checkpoints import AS_PUBLISHED
from tools.scoring.comparison import Comparison, architecture_of

UNNAMED_CARD = "rtx-6000-ada"
"""Stands for a card of which the log tells the memory only: it runs all formats."""

WHOLE_PROMPT_TOKENS = 32_768
"""Longest prompt that vLLM before its engine V1 took in one step."""

LEAST_STEP_TOKENS = 2048
"""Tokens it took at least, however short the prompts."""

CHUNKED = "chunked prefill switched on"
"""Note of a start before V1 that was told to take prompts in pieces."""

CHUNKED_STEP_TOKENS = 512
"""Tokens of such a piece (`max_num_batched_tokens` of vLLM 0.6 with chunked prefill)."""

BEFORE_V1 = ("vLLM 0.2", "vLLM 0.4", "vLLM 0.5", "vLLM 0.6", "vLLM 0.7")

KIB = 1024

SIZE = re.compile(r"(\d+) ?GB")

SMALL_CARD_GIB = 24.0
"""Stands for a card of which nothing is told."""


@dataclass(frozen=True)
class Start:
    """One start-up log and the model it is about."""

    row: dict[str, Any]
    model: ModelRecord | None
    engine: Engine

    @property
    def case(self) -> str:
        """Return what was started, for people."""
        row = self.row
        split = f" TP={row['tensor_parallel']}" if row.get("tensor_parallel", 1) > 1 else ""
        return f"{row['run']} {row['named']} {row.get('precision', row.get('format', ''))}{split}"

    @property
    def not_covered(self) -> str:
        """Return why nothing can be answered; empty where it can."""
        if self.model is None:
            return "model not in the catalogue" if self.row.get("model") else "model not named"
        if "precision" not in self.row:
            return "format not in the catalogue or not stated"
        return "" if self.row.get("tensor_parallel") else "split not stated"

    @cached_property
    def option(self) -> Option:
        """Return what we answer for this start."""
        return self._option(self._request())

    @property
    def subject_and_precision(self) -> tuple[Subject, PrecisionRecord]:
        """Return the model and the format that were started."""
        catalogue, request = self.engine.catalogue, self._request()
        subject = subject_of(request, catalogue)
        return subject, loaded_precision(subject, request, catalogue)

    def asked(self, context_tokens: int, concurrent_requests: int) -> Option:
        """Return what we answer for another load on the same card."""
        load = {"context_tokens": context_tokens, "concurrent_requests": concurrent_requests}
        return self._option(self._request().model_copy(update=load))

    @property
    def bytes_per_token(self) -> float:
        """Return our KV cache of one GPU for each token of a request of the asked length."""
        load, placement = self._placed(self._request())
        tokens = load.request_tokens
        return placement.need.request_cache.size_bytes(tokens) / tokens

    @property
    def overhead(self) -> BytesRange:
        """Return our overheads of one GPU as logs count them, without what the driver keeps."""
        load, placement = self._placed(self._request())
        found = placement.need.activation + placement.need.runtime
        reserved = reserved_by_driver(load.overhead, load.memory_fraction)
        return BytesRange(
            found.low_bytes - reserved.low_bytes,
            found.typical_bytes - reserved.typical_bytes,
            found.high_bytes - reserved.high_bytes,
        )

    def _option(self, request: SizingRequest) -> Option:
        load, placement = self._placed(request)
        return option_of(placement, load, ())

    def _placed(self, request: SizingRequest) -> tuple[Load, Placement]:
        catalogue = self.engine.catalogue
        subject, precision = self.subject_and_precision
        load = load_of(request, subject, precision, catalogue)
        layout = Layout(tensor_parallel=self.row["tensor_parallel"])
        return load, Placer(load, precision, catalogue).place(self.card, layout)

    def _request(self) -> SizingRequest:
        row = self.row
        named = row["precision"]
        return SizingRequest(
            model_id=self.model.id if self.model else None,
            precision=None if named == AS_PUBLISHED else named,
            kv_precision=row.get("kv_precision"),
            engine="vllm",
            context_tokens=row.get("max_length"),
            memory_fraction=row.get("memory_fraction"),
            tensor_parallel=row["tensor_parallel"],
            batched_tokens=self.batched_tokens,
            eager=row.get("eager", False),
        )

    @property
    def batched_tokens(self) -> int | None:
        """Return the tokens of one step: as stated, or the whole prompt where a version took it."""
        row = self.row
        if row.get("batched_tokens"):
            return int(row["batched_tokens"])
        if CHUNKED in row.get("note", ""):
            return CHUNKED_STEP_TOKENS
        length = row.get("max_length")
        if self._takes_whole_prompts and length and length <= WHOLE_PROMPT_TOKENS:
            return max(int(length), LEAST_STEP_TOKENS)
        return None

    @property
    def _takes_whole_prompts(self) -> bool:
        """Return whether it was the engine before V1, which older cards kept until 0.10."""
        row = self.row
        old_card = row.get("card", "").startswith(("V100", "T4")) and "0.8" in row["engine"]
        return old_card or "V0" in row["engine"] or row["engine"].startswith(BEFORE_V1)

    @property
    def card(self) -> GpuRecord:
        """Return the card; where the log tells what CUDA saw, with what the driver keeps added."""
        gpus, named = self.engine.catalogue.gpus, self.row.get("gpu")
        if named:
            return gpus[named]
        overhead = self.engine.catalogue.engines["vllm"].overhead
        reserved_gib = overhead.reserved.typical_gib if overhead else 0.0
        mib = round((self._seen_gib + reserved_gib) * KIB)
        return gpus[UNNAMED_CARD].model_copy(update={"usable_mib": mib})

    @property
    def _seen_gib(self) -> float:
        """Return the memory that CUDA saw: as logged, else that of the card's name."""
        named = SIZE.search(self.row.get("card", ""))
        return float(self.row.get("card_gib") or (named[1] if named else SMALL_CARD_GIB))


def starts(engine: Engine) -> list[Start]:
    """Return every recorded start-up."""
    rows = read_lines("starts.jsonl")
    return [Start(row, engine.model(row.get("model")), engine) for row in rows]


def weights_per_gpu(start: Start) -> Comparison | None:
    """Compare the weights of one GPU; None where the log does not print them."""
    printed = start.row.get("weights_gib")
    if printed is None:
        return None
    return _compared(start, printed * GIB, lambda option: float(part_of(option).weights_bytes))


def overhead(start: Start) -> Comparison | None:
    """Compare activations and buffers outside the tensor library, with our bounds."""
    row = start.row
    if "activation_gib" not in row or not ("non_torch_gib" in row or "loaded_gib" in row):
        return None
    loaded = row.get("loaded_gib", 0.0) - row.get("weights_gib", row.get("loaded_gib", 0.0))
    printed = row["activation_gib"] + row.get("non_torch_gib", loaded)
    return _compared(
        start,
        printed * GIB,
        lambda _: float(start.overhead.typical_bytes),
        bounds=lambda _: (float(start.overhead.low_bytes), float(start.overhead.high_bytes)),
        more_doubt=row.get("overhead_doubt", ""),
    )


def pool_bytes(start: Start) -> Comparison | None:
    """Compare the KV pool of one GPU; None without the card, its fraction and the pool."""
    row = start.row
    if "pool_gib" not in row or not _budget_known(row):
        return None
    return _compared(
        start,
        row["pool_gib"] * GIB,
        _pool_bytes,
        bounds=_pool_bounds,
        more_doubt=row.get("overhead_doubt", ""),
    )


def pool_tokens(start: Start) -> Comparison | None:
    """Compare the tokens of the pool; None where the log does not tell them or the card."""
    row = start.row
    if "pool_tokens" not in row or not _budget_known(row):
        return None
    return _compared(
        start,
        row["pool_tokens"],
        lambda option: float(option.kv_pool_tokens or 0),
        more_doubt=row.get("overhead_doubt", "") or row.get("tokens_doubt", ""),
    )


def bytes_per_token(start: Start) -> Comparison | None:
    """Compare the pool's bytes for each of its tokens with ours: no overhead enters."""
    row = start.row
    if "pool_tokens" not in row or "pool_gib" not in row:
        return None
    printed = row["pool_gib"] * GIB / row["pool_tokens"]
    return _compared(
        start,
        printed,
        lambda _: start.bytes_per_token,
        more_doubt=row.get("tokens_doubt", ""),
    )


def _compared(
    start: Start,
    measured: float,
    ours: Callable[[Option], float],
    *,
    bounds: Callable[[Option], tuple[float, float]] | None = None,
    more_doubt: str = "",
) -> Comparison:
    if start.not_covered:
        return Comparison(start.case, measured, None, not_covered=start.not_covered)
    if start.option.per_gpu is None:
        return Comparison(start.case, measured, None, not_covered="not supported")
    low, high = bounds(start.option) if bounds else (None, None)
    return Comparison(
        case=start.case,
        measured=measured,
        ours=ours(start.option),
        low=low,
        high=high,
        engine=start.row["engine"],
        architecture=architecture_of(start.model) if start.model else "",
        precision=start.row["precision"],
        left_out=start.row.get("doubt", "") or more_doubt,
    )


def _budget_known(row: Mapping[str, Any]) -> bool:
    return "memory_fraction" in row and ("card_gib" in row or "gpu" in row)


def part_of(option: Option) -> PerGpu:
    """Return the memory of one GPU of an option that runs."""
    if option.per_gpu is None:
        raise ValueError("an option that does not run has no parts")
    return option.per_gpu


def _pool_bytes(option: Option) -> float:
    return float(part_of(option).kv_pool_bytes)


def _pool_bounds(option: Option) -> tuple[float, float]:
    part, typical = part_of(option), _pool_bytes(option)
    return (
        typical - (part.need_high_bytes - part.need_bytes),
        typical + (part.need_bytes - part.need_low_bytes),
    )
