"""Measure `gpusize --batch`: a file of 1,000 mixed questions, and `size()` over the catalogue.

Prints a table of times beside their aims. The questions are those people really asked, and each
model of the catalogue in turn with precisions, loads and GPUs in turn.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.errors import SizingError
from sizing.request import GpuChoice, SizingRequest

QUESTIONS = 1000
ASKED = Path(__file__).parents[1] / "tests" / "bot" / "grammar"
PRECISIONS = ("", "fp16", "fp8", "int8", "int4", "q4_k_m", "awq", "kv=fp8")
LOADS = ("", "ctx=32k", "users=20", "ctx=8k users=64", "in=1000 out=500", "util=0.95", "max ctx")
GPUS = ("", "2xl40s", "gpu=h100", "8xh100", "24gb", "4xa100-80", "1xmi300x", "rtx-4090", "m3-ultra")
NAMELESS = (
    "13b int8", "70b", "34b gqa ctx=32k", "8x13b", "120b a12b", "fits 2xl40s", "what fits 24gb vlm",
    "lama-13b int8", "mixtrl 8x7b", "foo-bar-9000", "gpus h100", "models qwen", "help",
    "qué cabe en una 4090", "13b qlora",
)  # fmt: skip


def main() -> None:
    """Print the table."""
    catalogue = load_catalogue()
    lines = list(islice(questions(catalogue), QUESTIONS))
    with tempfile.TemporaryDirectory() as folder:
        batch_s = statistics.median(_batch_s(lines, Path(folder)) for _ in range(3))
    times_ms = sorted(_size_times_ms(catalogue))
    p95_ms = times_ms[len(times_ms) * 95 // 100]
    rows = [
        (f"`--batch` of {len(lines):,} mixed questions", f"{batch_s:.1f} s", "10 s"),
        ("... each", f"{batch_s / len(lines) * 1000:.1f} ms", ""),
        (
            f"`size()` of {len(times_ms):,} questions, median",
            f"{times_ms[len(times_ms) // 2]:.1f} ms",
            "",
        ),
        ("... 95th percentile", f"{p95_ms:.1f} ms", "30 ms"),
        ("... longest", f"{times_ms[-1]:.1f} ms", ""),
    ]
    print("| what | time | aim |\n|---|--:|--:|")
    for what, figure, aim in rows:
        print(f"| {what} | {figure} | {aim} |")


def questions(catalogue: Catalogue) -> Iterator[str]:
    """Yield questions of all kinds for ever, the same ones each time."""
    asked = cycle(_asked())
    nameless = cycle(NAMELESS)
    extras = zip(cycle(PRECISIONS), cycle(LOADS), cycle(GPUS), strict=False)
    while True:
        for model_id in catalogue.models:
            yield " ".join(filter(None, (model_id, *next(extras))))
            yield next(asked)
            yield next(nameless)


def _asked() -> list[str]:
    rows = (ASKED / name for name in ("questions.jsonl", "variants.jsonl"))
    cases = [json.loads(line) for path in rows for line in path.read_text("utf-8").splitlines()]
    texts = (case.get("text") or case.get("bot_input") for case in cases)
    return [text for text in texts if text]


def _batch_s(lines: list[str], folder: Path) -> float:
    file = folder / "questions.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    database = folder / f"{time.monotonic_ns()}.db"
    env = os.environ | {"GPUSIZE_DB": str(database)}
    program = "import sys; from bot.terminal import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "--batch", str(file), "--json"]
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _size_times_ms(catalogue: Catalogue) -> Iterator[float]:
    """Yield the time of `size()` for each model, open and on named GPUs, small and large load."""
    loads = ({}, {"context_tokens": 32768, "concurrent_requests": 64})
    gpus = ((), (GpuChoice(gpu="h100-sxm", count=8),))
    for model_id in catalogue.models:
        for load in loads:
            for chosen in gpus:
                request = SizingRequest(model_id=model_id, gpus=chosen, **load)
                start = time.perf_counter()
                try:
                    size(request, catalogue)
                except SizingError:
                    continue
                yield (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
