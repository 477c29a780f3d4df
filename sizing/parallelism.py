"""Legal ways to split one model over GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sizing.records import ArchitectureRecord, TensorGroup
from sizing.units import ceil_div

VOCABULARY_PADDING = 64
"""Rows to whose multiple engines pad the vocabulary (`DEFAULT_VOCAB_PADDING_SIZE`)."""


@dataclass(frozen=True)
class Layout:
    """How the GPUs of all replicas are used."""

    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    replicas: int = 1
    expert_parallel: int = 1
    """Ranks that share the experts whole instead of cutting each; 1 where each is cut."""
    data_parallel: int = 1
    """Copies of the attention inside one replica, whose ranks share the experts."""

    @property
    def gpus_per_replica(self) -> int:
        """Return the devices that hold one copy of the model."""
        return self.tensor_parallel * self.pipeline_parallel * self.data_parallel

    @property
    def gpus(self) -> int:
        """Return the devices of all replicas."""
        return self.gpus_per_replica * self.replicas

    @property
    def expert_ranks(self) -> int:
        """Return the ranks over which the experts of a layer are spread, cut or whole.

        Source: vLLM documentation, Expert Parallel Deployment: tensor x data parallel.
        """
        return self.tensor_parallel * self.data_parallel


@dataclass(frozen=True)
class Cut:
    """What decides which splits an engine starts with: the shape and the groups of scales."""

    architecture: ArchitectureRecord
    scale_groups: tuple[tuple[TensorGroup, int], ...] = ()
    """Weights along a row that share a scale, by tensor group; none where a cut is free."""

    def scale_group(self, group: TensorGroup) -> int:
        """Return the weights that must stay together in `group`; 1 where any may part."""
        return dict(self.scale_groups).get(group, 1) or 1


def splits_heads(architecture: ArchitectureRecord, tensor_parallel: int) -> bool:
    """Return whether heads divide evenly; KV heads may be copied, not cut (vLLM, SGLang)."""
    if architecture.heads % tensor_parallel:
        return False
    larger = max(architecture.kv_heads, tensor_parallel)
    smaller = min(architecture.kv_heads, tensor_parallel)
    return larger % smaller == 0


def undivided_width(cut: Cut, layout: Layout) -> int | None:
    """Return an FFN width that does not divide evenly; None where all do.

    Source: vLLM `ensure_divisibility`.
    """
    widths = (width for _, width, ranks in _cut_widths(cut, layout) if width % ranks)
    return next(widths, None)


def parted_width(cut: Cut, layout: Layout) -> tuple[int, int] | None:
    """Return a width whose share parts a group of scales, and that group; None where none does.

    Source: vLLM `gptq_marlin.py`, `awq_marlin.py` (input size of a rank a multiple of the group)
    and `fp8.py` (`validate_fp8_block_shape`).
    """
    for group, width, ranks in _cut_widths(cut, layout):
        scale_group = cut.scale_group(group)
        if ranks > 1 and width // ranks % scale_group:
            return width, scale_group
    return None


def _cut_widths(cut: Cut, layout: Layout) -> Iterator[tuple[TensorGroup, int, int]]:
    """Yield each width that ranks cut, with its tensor group and the number of ranks."""
    architecture, degree = cut.architecture, layout.tensor_parallel
    moe = architecture.moe
    if moe is not None and layout.expert_parallel == 1:
        yield TensorGroup.EXPERTS, moe.expert_ffn_size, layout.expert_ranks
    if moe is not None and moe.shared_ffn_size:
        yield TensorGroup.SHARED_EXPERTS, moe.shared_ffn_size, degree
    if architecture.ffn_size:
        yield TensorGroup.FFN, architecture.ffn_size, degree
    if architecture.mla is not None:
        yield TensorGroup.ATTENTION, architecture.heads * architecture.mla.value_head_dim, degree
    else:
        width = architecture.value_head_dim or architecture.head_dim
        yield TensorGroup.ATTENTION, architecture.heads * width, degree


def splits_experts(architecture: ArchitectureRecord, expert_parallel: int) -> bool:
    """Return whether every rank gets as many experts (SGLang; vLLM allows a rest)."""
    if expert_parallel == 1:
        return True
    return architecture.moe is not None and architecture.moe.experts % expert_parallel == 0


def splits_vocabulary(architecture: ArchitectureRecord, tensor_parallel: int) -> bool:
    """Return whether the padded vocabulary divides evenly, as vLLM and SGLang require.

    Source: vLLM `vocab_parallel_embedding.py`, issue 31474; SGLang issue 31799.
    """
    return padded_vocabulary(architecture) % tensor_parallel == 0


def padded_vocabulary(architecture: ArchitectureRecord) -> int:
    """Return the rows of the embedding table as an engine allocates it."""
    return ceil_div(architecture.vocabulary_size, VOCABULARY_PADDING) * VOCABULARY_PADDING


def starts_with(cut: Cut, layout: Layout) -> bool:
    """Return whether engines get past start-up at a split that divides the heads."""
    return (
        undivided_width(cut, layout) is None
        and parted_width(cut, layout) is None
        and splits_experts(cut.architecture, layout.expert_parallel)
        and splits_vocabulary(cut.architecture, layout.tensor_parallel)
    )


def tensor_layout(cut: Cut, tensor_parallel: int) -> Layout | None:
    """Return the split over `tensor_parallel` GPUs that an engine starts with; None without one.

    Experts stay whole (expert parallel) only where their width cannot be cut.
    """
    if not splits_heads(cut.architecture, tensor_parallel):
        return None
    whole = Layout(tensor_parallel, expert_parallel=tensor_parallel)
    tried = (Layout(tensor_parallel), *((whole,) if cut.architecture.moe else ()))
    return next((layout for layout in tried if starts_with(cut, layout)), None)


def legal_layouts(cut: Cut, limit: int) -> tuple[Layout, ...]:
    """Return the tensor-parallel splits over up to `limit` GPUs that an engine starts with."""
    found = (tensor_layout(cut, degree) for degree in range(1, limit + 1))
    return tuple(layout for layout in found if layout)


def layout_for_count(cut: Cut, gpus: int, limit: int) -> Layout:
    """Return the split of one replica over exactly `gpus` devices, tensor parallel first.

    `limit` is the largest tensor-parallel group; pipeline stages take the rest.
    """
    degrees = (degree for degree in range(min(gpus, limit), 0, -1) if gpus % degree == 0)
    found = (tensor_layout(cut, degree) for degree in degrees)
    largest = next((layout for layout in found if layout), Layout())
    return replace(largest, pipeline_parallel=gpus // largest.tensor_parallel)


def kv_heads_on_one_gpu(kv_heads: int, tensor_parallel: int) -> int:
    """Return the KV heads a rank holds: copied, never less than one."""
    return ceil_div(kv_heads, tensor_parallel)


def layers_on_one_gpu(layers: int, pipeline_parallel: int) -> int:
    """Return the layers of the fullest pipeline stage."""
    return ceil_div(layers, pipeline_parallel)
