"""Ask the installed programs a question and compare, as somebody without a checkout would."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
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

WIDTH = 256
FILE_PARAMETERS = 4 * WIDTH * WIDTH
"""Four matrices."""

Answer = dict[str, dict[str, object]]


def main() -> int:
    """Return 0 when both programs run and the figures are right."""
    installed = version("gpusize")
    said = [_run(program, "--version") for program in ("gpusize", "gpusize-bot")]
    wrong = [f"--version says {words!r}" for words in said if installed not in words]
    wrong += _wrong_figures(json.loads(_run("gpusize", "llama-13b", "int8", "--json")), EXPECTED)
    wrong += _wrong_figures(_of_a_file(), {("understood", "parameters"): FILE_PARAMETERS})
    if "A-1" not in _run("gpusize", "list"):
        wrong.append("gpusize list does not show the answer")
    print("\n".join(wrong) or f"gpusize {installed} answers as expected")
    return 1 if wrong else 0


def _of_a_file() -> Answer:
    """Return the answer about a model of one layer that the installed package wrote."""
    import gguf
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_block_count(1)
        writer.add_embedding_length(WIDTH)
        writer.add_head_count(4)
        for name in ("token_embd", "output", "blk.0.attn_q", "blk.0.ffn_up"):
            weights = np.zeros((WIDTH, WIDTH), np.float32)
            writer.add_tensor(f"{name}.weight", weights)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        answer: Answer = json.loads(_run("gpusize", "--file", str(path), "--json"))
    return answer


def _wrong_figures(answer: Answer, wanted: dict[tuple[str, str], int]) -> list[str]:
    return [
        f"{part}.{name} is {answer[part][name]}, not {expected}"
        for (part, name), expected in wanted.items()
        if answer[part][name] != expected
    ]


def _run(program: str, *words: str) -> str:
    done = subprocess.run(
        [BIN / program, *words], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
