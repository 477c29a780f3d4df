"""Answer one question about speed with aiconfigurator-core: JSON on standard input and output.

A program of its own, started for each question and killed when it takes too long. It imports
nothing of gpusize, and the package only once a question is there: some 150 MB that leave with the
process. A process for each question also keeps apart what the package mixes up: its backends
remember results without the model they are for.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from importlib import metadata, resources
from math import ceil
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = "aiconfigurator-core"

MEMORY_LIMIT_BYTES: Final = 4 * 2**30
"""Address space of the process; 0.5 GB were seen in release 0.12.0."""

SLOT: Final = "current"
"""The newest release of each engine that was measured as a whole."""

MEASURED_ONLY: Final = "SILICON"
"""Databases without what is extrapolated from other cases."""

NOT_MEASURED: Final = (
    "PerfDataNotAvailableError", "InterpolationDataNotAvailableError", "MissingSystemFlopsError",
    "EmpiricalNotImplementedError", "SolNotImplementedError",
)  # fmt: skip
"""Errors of the package that say: nobody measured this."""

Question = dict[str, Any]


def main() -> None:
    """Read the question, write the answer: figures, or why there are none."""
    # Whatever the package prints goes to standard error: standard output holds the answer alone.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    question = json.load(sys.stdin)
    _limit(question["time_limit_s"])
    with answers:
        json.dump(reply_to(question), answers, allow_nan=False)


def reply_to(question: Question) -> dict[str, Any]:
    """Return the answer as the protocol has it: `figures`, `missing` or `failed`."""
    try:
        release = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return {"release": None}
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    try:
        return {"release": release, "figures": figures_of(question)}
    except Exception as error:
        # The parent words it: of another release even names may be missing.
        kind = "missing" if _is_missing(error) else "failed"
        return {"release": release, kind: f"{type(error).__name__}: {error}"}


def figures_of(question: Question) -> dict[str, float | str]:
    """Return the figures of one copy of the model, all parts of the package made anew."""
    from aiconfigurator_core.sdk import config, models, perf_database
    from aiconfigurator_core.sdk.backends.factory import get_backend

    system, engine = question["system"], question["engine"]
    database = perf_database.get_database_view(
        system, engine, SLOT, allow_missing_data=False, database_mode=MEASURED_ONLY
    )
    with tempfile.TemporaryDirectory() as folder:
        _copy_configuration(question["checkpoint"], Path(folder))
        case = _case(question)
        # The vendor's own order (aiconfigurator `cli/api.py`, estimates of one case).
        models.resolve_context_fmha_by_data(case, folder, database, engine, is_context_role=True)
        models.resolve_dsv4_moe_arch(case, folder, system_name=system, backend_name=engine)
        models.resolve_nvfp4_for_system(case, system, folder, backend_name=engine)
        model = models.get_model(folder, case, engine)
    load = config.RuntimeConfig(
        batch_size=question["batch"], isl=question["input_tokens"], osl=question["output_tokens"]
    )
    summary = get_backend(engine).run_agg(model, database, load, ctx_tokens=question["step_tokens"])
    found = summary.get_result_dict()
    return {
        "ttft_ms": float(found["ttft"]),
        "itl_ms": float(found["tpot"]),
        "output_tokens_per_s": float(found["tokens/s"]),
        "concurrent_requests": float(found["concurrency"]),
        "database_version": str(found["version"]),
    }


def _case(question: Question) -> Any:  # noqa: ANN401 (a class of the package)
    """Return split and number formats; what is not named follows from the configuration."""
    from aiconfigurator_core.sdk import common, config

    case = config.ModelConfig(
        tp_size=question["tensor_parallel"],
        pp_size=question["pipeline_parallel"],
        attention_dp_size=question["data_parallel"],
        moe_tp_size=question["expert_tensor_parallel"],
        moe_ep_size=question["expert_parallel"],
        kvcache_quant_mode=common.KVCacheQuantMode[question["cache_format"]],
    )
    if question["number_format"] is not None:
        case.gemm_quant_mode = common.GEMMQuantMode[question["number_format"]]
        case.moe_quant_mode = common.MoEQuantMode[question["number_format"]]
    return case


def _copy_configuration(checkpoint: str, folder: Path) -> None:
    """Lay a configuration that the package brings into a folder, where it is read as it stands.

    By its name, some are looked up on the Hugging Face Hub although the package brings them.
    """
    brought = resources.files("aiconfigurator_core") / "model_configs"
    stem = checkpoint.replace("/", "--")
    for name in ("config.json", "hf_quant_config.json"):
        with resources.as_file(brought / f"{stem}_{name}") as path:
            if path.exists() or name == "config.json":
                shutil.copyfile(path, folder / name)


def _is_missing(error: BaseException) -> bool:
    """Return whether an error, or what led to it, says that nobody measured the case."""
    inner = error.__cause__ or error.__context__
    return type(error).__name__ in NOT_MEASURED or (inner is not None and _is_missing(inner))


def _limit(time_limit_s: float) -> None:
    """End with the question's time, though nobody is left to kill it, and inside some memory."""
    signal.alarm(ceil(time_limit_s) + 1)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))


if __name__ == "__main__":
    main()
