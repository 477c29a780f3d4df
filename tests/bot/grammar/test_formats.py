"""What a bare width means beside the engine that is named."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("mlx 4bit", "mlx-4bit"),
        ("8bit mlx", "mlx-8bit"),
        ("mlx-6bit", "mlx-6bit"),
        ("engine=exllama 4bit", "exl-4bpw"),
        ("exl2 4.65bpw", "exl-4.65bpw"),
        ("exl3 3.0bpw", "exl-3bpw"),
        ("exl2 4,65bpw", "exl-4.65bpw"),
        ("6.0bpw", "exl-6bpw"),
        ("ollama 4bit", "q4-k-m"),
        ("llama.cpp 8bit", "q8-0"),
        ("ollama q3", "q3-k-m"),
        ("vllm 4bit", "int4"),
        ("4bit", "int4"),
    ],
)
def test_bits_mean_the_format_of_the_engine(grammar, text: str, precision: str) -> None:
    assert grammar.parse(f"llama-3.1-8b {text}").request.precision == precision


@pytest.mark.parametrize(
    ("gpu", "precision"),
    [("m2 ultra", "q4-k-m"), ("p100", "q4-k-m"), ("h100", "awq"), ("h100 m2 ultra", "awq")],
)
def test_a_bare_width_means_what_the_card_runs(grammar, gpu: str, precision: str) -> None:
    """vLLM runs neither on Macs nor on Pascal cards: there `q4` is a file of llama.cpp."""
    assert grammar.parse(f"llama-3.1-8b q4 {gpu}").request.precision == precision
