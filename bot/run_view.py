"""What the template of an answer about training shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.parts import TrainingPart, training_parts_of
from bot.views import RUN_ASSUMPTIONS, AnswerView
from sizing.tuning import Method, Tuner

if TYPE_CHECKING:
    from sizing.answer import SizingAnswer, Training

_USUAL_KINDS = frozenset({Tuner.LORA, Method.SFT})
"""Kinds of training that the mode alone says."""


def answer_view(answer: SizingAnswer) -> AnswerView:
    """Return what the first view of an answer shows."""
    return RunView(answer) if answer.training else AnswerView(answer)


@dataclass(frozen=True)
class RunView(AnswerView):
    """A view of an answer about training."""

    @property
    def run(self) -> Training:
        """Return the run; raise ValueError for an answer about anything else."""
        if self.answer.training is None:
            raise ValueError("no training run in this answer")
        return self.answer.training

    @property
    def run_is_default(self) -> bool:
        """Return whether some setting of a training run was filled in."""
        return any(note.code in RUN_ASSUMPTIONS for note in self.answer.assumptions)

    @property
    def run_kinds(self) -> tuple[str, ...]:
        """Return what tells a training run from the usual one: its part, and its method."""
        kinds = (self.run.tuner, self.run.method)
        return tuple(one.value for one in kinds if one and one not in _USUAL_KINDS)

    @property
    def training_states_bytes(self) -> int:
        """Return what stays in memory through a training run, all GPUs together, bytes."""
        run = self.run
        states = run.weights_bytes + run.gradient_bytes + run.optimizer_bytes
        return states + run.adapter_bytes + run.reference_bytes

    @property
    def training_parts(self) -> tuple[TrainingPart, ...]:
        """Return the parts of the need of one GPU of a training run, zeros left out."""
        gpu = self.first.per_gpu if self.first else None
        if gpu is not None:
            return training_parts_of(gpu, gpu.need_bytes)
        return training_parts_of(self.memory, self.memory.total_bytes or 0)
