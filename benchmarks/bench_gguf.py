"""Time of reading the header of a GGUF file, beside the package's own reader."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from bot.sources.gguf_header import read_header

LAYERS, TENSORS_OF_A_LAYER, WORDS = 80, 9, 128_000


def write(path: Path) -> Path:
    """Write the header of a model with a vocabulary: words, merges, scores and types."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_token_list([f"word {number}" for number in range(WORDS)])
    writer.add_token_merges([f"wo rd{number}" for number in range(WORDS)])
    writer.add_token_scores([0.0] * WORDS)
    writer.add_token_types([1] * WORDS)
    for number in range(LAYERS * TENSORS_OF_A_LAYER):
        writer.add_tensor_info(f"blk.{number}.weight", [2], np.dtype(np.float32), 8)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    return path


def test_read_header(tmp_path: Path, benchmark: BenchmarkFixture) -> None:
    """Aim: under 0.1 s."""
    path = write(tmp_path / "m.gguf")
    assert len(benchmark(read_header, path).tensors) == LAYERS * TENSORS_OF_A_LAYER


def test_the_package_reader(tmp_path: Path, benchmark: BenchmarkFixture) -> None:
    """Some 8 s and 0.5 GB: the reason why its reader is bounded."""
    path = write(tmp_path / "m.gguf")
    with path.open("ab") as file:
        # It maps the weights as well: 8 bytes each, at every 32nd.
        file.write(bytes(32 * (LAYERS * TENSORS_OF_A_LAYER + 1)))
    reader = benchmark.pedantic(gguf.GGUFReader, (path,), rounds=1)
    assert len(reader.tensors) == LAYERS * TENSORS_OF_A_LAYER
