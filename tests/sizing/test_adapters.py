"""LoRA adapters, by hand.

Llama 2 7B, rank 16: each of 32 layers has
    query, key, value, output   4 x (4,096 + 4,096)               =  32,768
    gate, up, down              3 x (4,096 + 11,008)              =  45,312
                                                                     78,080 numbers a unit of rank
    16 adapters x 16 x 32 x 78,080 x 2 bytes                      = 1,279,262,720 bytes
"""

from __future__ import annotations

from sizing.adapters import adapters_of
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.parallelism import Layout
from sizing.request import GpuChoice, SizingRequest


def test_sixteen_adapters_of_rank_16(catalogue: Catalogue) -> None:
    architecture = catalogue.models["llama-2-7b"].architecture
    adapters = adapters_of(architecture, count=16, rank=16)
    assert adapters.total_bytes == 1_279_262_720


def test_the_side_a_projection_is_cut_on_is_cut_the_other_kept_whole(catalogue: Catalogue) -> None:
    """Llama 3.1 70B, rank 64, 8 ranks: a layer keeps seven sides of 8,192 whole on each.

        whole   query, key, value, output, gate, up, down: 7 x 8,192        =  57,344
        cut     8,192 + 2 x 1,024 + 8,192 + 3 x 28,672 = 104,448, an eighth =  13,056
                                                                               70,400
    8 adapters x 64 x 80 layers x 70,400 x 2 bytes = 5,767,168,000 bytes on each GPU.
    """
    architecture = catalogue.models["llama-3.1-70b"].architecture
    adapters = adapters_of(architecture, count=8, rank=64)
    assert adapters.on_one_gpu(Layout(tensor_parallel=8)) == 5_767_168_000
    assert adapters.on_one_gpu(Layout(pipeline_parallel=2)) == adapters.total_bytes // 2


def test_adapters_are_part_of_the_need(catalogue: Catalogue) -> None:
    gpus = (GpuChoice(gpu="h100-sxm", count=1),)
    without = size(SizingRequest(model_id="llama-2-7b", gpus=gpus), catalogue)
    served = size(SizingRequest(model_id="llama-2-7b", gpus=gpus, adapters=16), catalogue)
    assert served.memory.adapter_bytes == 1_279_262_720
    assert served.memory.total_bytes == without.memory.total_bytes + 1_279_262_720
    assert served.options[0].per_gpu.adapter_bytes == 1_279_262_720
    assert any(note.code == "default_adapter_rank" for note in served.assumptions)
