"""Ask the installed programs a question and compare, as somebody without a checkout would."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

BIN = Path(sys.executable).parent

EXPECTED = {
    # 40 layers x (4 x 5120^2 + 3 x 5120 x 13824 + 2 x 5120) + 2 x 32000 x 5120 + 5120
    ("understood", "parameters"): 13_015_864_320,
    # K and V x 40 layers x 40 heads x 128 x 2 bytes
    ("memory", "kv_bytes_per_token"): 819_200,
    # 13,015,864,320 parameters x 1 byte, plus 25 %
    ("memory", "rule_25_percent_bytes"): 16_269_830_400,
}


def main() -> int:
    """Return 0 when both programs run and the figures are right."""
    installed = version("gpusize")
    said = [_run(program, "--version") for program in ("gpusize", "gpusize-bot")]
    wrong = [f"--version says {words!r}" for words in said if installed not in words]
    wrong += _wrong_figures(json.loads(_run("gpusize", "llama-13b", "int8", "--json")))
    if "A-1" not in _run("gpusize", "list"):
        wrong.append("gpusize list does not show the answer")
    print("\n".join(wrong) or f"gpusize {installed} answers as expected")
    return 1 if wrong else 0


def _wrong_figures(answer: dict[str, dict[str, object]]) -> list[str]:
    return [
        f"{part}.{name} is {answer[part][name]}, not {expected}"
        for (part, name), expected in EXPECTED.items()
        if answer[part][name] != expected
    ]


def _run(program: str, *words: str) -> str:
    done = subprocess.run(
        [BIN / program, *words], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
