"""Every comparison of one state of the engine, computed once."""

from __future__ import annotations

from functools import cached_property

from sizing.catalogue import Catalogue
from tools.scoring.answers import Engine
from tools.scoring.checkpoints import checkpoints, own_mixes
from tools.scoring.comparison import Comparison
from tools.scoring.held_out import HeldOut, held_out
from tools.scoring.kv_cache import kv_cache
from tools.scoring.kv_measured import kv_measured
from tools.scoring.nim import Profile, profiles
from tools.scoring.parameters import parameters
from tools.scoring.peaks import peaks
from tools.scoring.questions import Case, load_cases, score_case
from tools.scoring.reference import ReferenceCase, reference_cases
from tools.scoring.speed import Speeds
from tools.scoring.starts import (
    Start,
    bytes_per_token,
    overhead,
    pool_bytes,
    pool_tokens,
    starts,
    weights_per_gpu,
)
from tools.scoring.throughput import Throughputs
from tools.scoring.training import held_out_training, training


class Results:
    """Every comparison, computed once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.engine = Engine(catalogue)

    @cached_property
    def parameters(self) -> list[Comparison]:
        """Return counted parameters beside published ones."""
        return list(parameters(self.engine))

    @cached_property
    def checkpoints(self) -> list[Comparison]:
        """Return weights beside published checkpoints."""
        return list(checkpoints(self.engine))

    @cached_property
    def own_mixes(self) -> list[Comparison]:
        """Return files of makers who choose the type of each tensor beside ours."""
        return list(own_mixes(self.engine))

    @cached_property
    def kv_cache(self) -> list[Comparison]:
        """Return KV cache beside the published formula."""
        return list(kv_cache(self.engine))

    @cached_property
    def kv_measured(self) -> list[Comparison]:
        """Return KV cache beside what engines print."""
        return list(kv_measured(self.engine))

    @cached_property
    def training(self) -> list[Comparison]:
        """Return training runs beside measured ones."""
        return list(training(self.engine))

    @cached_property
    def held_out_training(self) -> list[Comparison]:
        """Return the same by constants fitted on the runs of other publishers."""
        return held_out_training(self.engine.catalogue)

    @cached_property
    def peaks(self) -> list[Comparison]:
        """Return peaks of the transformers engine."""
        return list(peaks(self.engine))

    @cached_property
    def starts(self) -> list[Start]:
        """Return the recorded start-ups of vLLM."""
        return starts(self.engine)

    @cached_property
    def held_out(self) -> HeldOut:
        """Return how the overheads do on models they were not fitted on."""
        return held_out(self.starts)

    @cached_property
    def start_weights(self) -> list[Comparison]:
        """Return weights of one GPU beside the logs."""
        return [found for start in self.starts if (found := weights_per_gpu(start))]

    @cached_property
    def overheads(self) -> list[Comparison]:
        """Return activations and buffers beside the logs."""
        return [found for start in self.starts if (found := overhead(start))]

    @cached_property
    def pools(self) -> list[Comparison]:
        """Return the KV pool in bytes beside the logs."""
        return [found for start in self.starts if (found := pool_bytes(start))]

    @cached_property
    def pool_tokens(self) -> list[Comparison]:
        """Return the KV pool in tokens beside the logs."""
        return [found for start in self.starts if (found := pool_tokens(start))]

    @cached_property
    def token_bytes(self) -> list[Comparison]:
        """Return the bytes of one token beside pool and tokens of the logs."""
        return [found for start in self.starts if (found := bytes_per_token(start))]

    @cached_property
    def profiles(self) -> list[Profile]:
        """Return the published profiles of NIM containers."""
        return profiles(self.engine)

    @cached_property
    def cases(self) -> list[Case]:
        """Return the real questions with their outcomes."""
        return [score_case(case, self.engine) for case in load_cases()]

    @cached_property
    def reference(self) -> list[ReferenceCase]:
        """Return the ten reference checkpoints."""
        return reference_cases(self.engine)

    @cached_property
    def throughputs(self) -> Throughputs:
        """Return measured speeds of pictures, sound and texts beside held-out estimates."""
        return Throughputs(self.engine.catalogue)

    @cached_property
    def speeds(self) -> Speeds:
        """Return measured speeds beside held-out estimates."""
        return Speeds(self.engine.catalogue)
