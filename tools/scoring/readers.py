"""One reader for each key of a check: question, expected value, engine -> answer or None."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sizing.answer import Note, Option, SizingAnswer, Verdict
from sizing.request import GpuChoice, SizingRequest
from sizing.units import GB, GIB
from tools.scoring.answers import Cards, Engine

Expected = Any
"""A number (1 %), a range of two numbers, a truth value, a word, a list of accepted ones."""

Reader = Callable[[str, Expected, Engine], Any]


def _of_answer(read: Callable[[SizingAnswer], Any]) -> Reader:
    def reader(question: str, _: Expected, engine: Engine) -> Any:
        found = engine.answer(question)
        return read(found) if isinstance(found, SizingAnswer) else None

    return reader


def _of_option(read: Callable[[Option], Any]) -> Reader:
    return _of_answer(lambda found: read(found.options[0]) if found.options else None)


def _gib(size_bytes: int | None) -> float | None:
    return None if size_bytes is None else size_bytes / GIB


def _cache_bytes(found: SizingAnswer) -> int | None:
    """Return the KV cache of the load, or of the answers that a training run writes, bytes."""
    run = found.training
    return run.rollout_bytes if run else found.memory.kv_cache_bytes


def _states_gb(found: SizingAnswer) -> float | None:
    """Return what a training run holds beside its activations, GB."""
    run = found.training
    if run is None:
        return None
    states = run.weights_bytes + run.gradient_bytes + run.optimizer_bytes + run.adapter_bytes
    return states / GB


def _verdict(question: str, expected: Expected, engine: Engine) -> Any:
    """Return the verdict in the words of the expectation: true, false or "tight"."""
    verdict = _of_option(lambda option: option.verdict)(question, expected, engine)
    if verdict is None:
        return None
    accepted = expected if isinstance(expected, list) else [expected]
    if verdict is Verdict.TIGHT and ("tight" in accepted or True not in accepted):
        return "tight"
    if "does_not_fit" in accepted:
        return verdict.value
    return verdict in (Verdict.FITS, Verdict.TIGHT)


def _runs(question: str, _: Expected, engine: Engine) -> Any:
    """Return whether the format runs there at all, whatever it stores or computes."""
    return _of_option(lambda option: option.verdict is not Verdict.UNSUPPORTED)(
        question, None, engine
    )


def _stores_only(question: str, _: Expected, engine: Engine) -> Any:
    return _of_option(
        lambda option: option.verdict is not Verdict.UNSUPPORTED and _has(option, "storage_only")
    )(question, None, engine)


def _computes(question: str, _: Expected, engine: Engine) -> Any:
    return _of_option(
        lambda option: (
            option.verdict is not Verdict.UNSUPPORTED and not _has(option, "storage_only")
        )
    )(question, None, engine)


def _has(option: Option, code: str) -> bool:
    return any(reason.code == code for reason in option.reasons)


def _degrees(good: Callable[[Option], bool]) -> Reader:
    """Return a reader that tries every listed tensor-parallel size and keeps the good ones."""

    def reader(question: str, expected: Expected, engine: Engine) -> Any:
        request = engine.read(question)
        if request is None:
            return None
        requests = ((degree, _split_over(request, degree)) for degree in expected)
        return [degree for degree, asked in requests if good(engine.size(asked).options[0])]

    return lambda question, expected, engine: _same_list(
        expected, reader(question, expected, engine)
    )


def _same_list(expected: list[int], answered: list[int] | None) -> Any:
    """Return the expectation itself where the lists are equal: two sizes are no range."""
    return expected if answered == expected else answered


def _split_over(request: SizingRequest, degree: int) -> SizingRequest:
    named = request.gpus or (GpuChoice(gpu="h100-sxm"),)
    gpus = tuple(choice.model_copy(update={"count": degree}) for choice in named)
    return request.model_copy(update={"tensor_parallel": degree, "gpus": gpus})


def _warned(question: str, expected: Expected, engine: Engine) -> Any:
    def read(found: SizingAnswer) -> Any:
        codes = {warning.code for warning in found.warnings}
        return expected if set(expected) <= codes else sorted(codes)

    return _of_answer(read)(question, expected, engine)


def _marked(code: str) -> Reader:
    return _of_answer(
        lambda found: next((option.gpus for option in found.options if _has(option, code)), None)
    )


def _parsed(question: str, expected: Expected, engine: Engine) -> Any:
    def read(found: SizingAnswer) -> Any:
        total = found.understood.parameters / 1e9
        active = found.understood.active_parameters / 1e9
        wanted = expected if isinstance(expected, dict) else {"total": expected}
        got = {"total": total, "active": active}
        close = all(abs(got[key] - value) <= 0.10 * value for key, value in wanted.items())
        return expected if close else got

    return _of_answer(read)(question, expected, engine)


def _split(question: str, expected: Expected, engine: Engine) -> Any:
    return _of_option(lambda option: f"TP={option.tensor_parallel} PP={option.pipeline_parallel}")(
        question, expected, engine
    )


def _noted(notes: Iterable[Note], code: str, value: str, words: str = "") -> Any:
    """Return a value of the note with that code, put into `words` where there are some."""
    found = next((note.values[value] for note in notes if note.code == code), None)
    return words.format(found) if words and found is not None else found


def _slices(question: str, expected: Expected, engine: Engine) -> Any:
    """Return what the driver shows of the slices asked about, from the facts of the card, GiB."""
    found = engine.answer(question)
    gpus = [engine.catalogue.gpus[name] for name in found.gpus] if isinstance(found, Cards) else []
    shown = {each.name: each.usable_bytes / GIB for gpu in gpus for each in gpu.mig_profiles}
    return {name: shown[name] for name in expected if name in shown} or None


def _pools_slices(question: str, _: Expected, engine: Engine) -> Any:
    """Return whether slices are added up: refused with the sentence that says why, or answered."""
    found = engine.answer(question)
    if isinstance(found, SizingAnswer):
        return not any(_has(option, "slices_not_pooled") for option in found.options)
    return False if found == "invalid_request: slices_alone" else None


def _raised_gib(option: Option) -> Any:
    """Return what a machine of shared memory gives the GPU once its limit is raised.

    A Mac of 96 GB has 96 GiB: the figures people give for them are GiB.
    """
    raised = ("limit_can_be_raised", "fits_when_raised")
    values = (note.values["raised_bytes"] for note in option.reasons if note.code in raised)
    size_bytes = next(values, None)
    return _gib(size_bytes) if isinstance(size_bytes, int) else None


def _per_gpu(read: Callable[[Option], Any]) -> Reader:
    return _of_option(lambda option: read(option) if option.per_gpu else None)


READERS: dict[str, Reader] = {
    "full_ft_gb": _of_answer(_states_gb),
    "weights_gib": _of_answer(lambda found: _gib(found.memory.weights_bytes)),
    "weights_gib_per_gpu": _per_gpu(lambda option: _gib(option.per_gpu.weights_bytes)),
    "kv_bytes_per_token": _of_answer(lambda found: found.memory.kv_bytes_per_token),
    "kv_bytes_per_token_per_gpu": _per_gpu(
        lambda option: option.per_gpu.kv_pool_bytes / option.kv_pool_tokens
    ),
    **dict.fromkeys(
        ("kv_gib", "kv_gib_8192", "kv_gib_32768", "kv_gib_131072", "kv_gib_80x10k"),
        _of_answer(lambda found: _gib(_cache_bytes(found))),
    ),
    "kv_gib_per_replica": _per_gpu(
        lambda option: _gib(option.per_gpu.kv_pool_bytes * option.gpus // option.replicas)
    ),
    "kv_tokens": _of_option(lambda option: option.kv_pool_tokens),
    "total_gib": _of_answer(lambda found: _gib(found.memory.total_bytes)),
    "vram_gb": _of_answer(lambda found: found.memory.total_bytes / GB),
    "fits": _verdict,
    "verdict": _verdict,
    "gpus": _marked("smallest"),
    "recommend_gpus": _marked("recommended"),
    "recommend": _split,
    "tp_valid": _degrees(lambda option: option.verdict is not Verdict.UNSUPPORTED),
    "tp_invalid": _degrees(lambda option: option.verdict is Verdict.UNSUPPORTED),
    "tp_warn": _degrees(lambda option: bool(option.reasons)),
    "warn": _warned,
    "parse": _parsed,
    "usable_gib": _per_gpu(lambda option: _gib(option.per_gpu.usable_bytes)),
    "image_tokens_formula": _of_answer(
        lambda found: _noted(found.assumptions, "image_cells", "area_pixels", "pixels/{}")
    ),
    "effective_pool_gb": _of_answer(
        lambda found: _noted(found.warnings, "mixed_gpus", "effective_gb")
    ),
    "mig_gib": _slices,
    "pool_mig": _pools_slices,
    "usable_gb": _of_option(_raised_gib),
    "lora_gib": _of_answer(lambda found: _gib(found.memory.adapter_bytes)),
    "min_fraction": _of_option(lambda option: option.minimum_memory_fraction),
    **dict.fromkeys(("bf16", "awq", "kv_fp8", "kv_fp8_on_A100", "vllm_supported"), _runs),
    **dict.fromkeys(("fp8_weight_only", "nvfp4_weight_only"), _stores_only),
    **dict.fromkeys(("fp8_native", "nvfp4_compute"), _computes),
}
"""Keys that a field answers; the others wait for what they ask about."""
