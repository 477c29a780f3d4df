"""What the explanation of a training run shows: the factors of each part."""

from __future__ import annotations

from dataclasses import dataclass

from bot.explain import ExplainView, Source
from bot.run_view import RunView
from sizing.tuning import Loss


@dataclass(frozen=True)
class ExplainRunView(ExplainView, RunView):
    """An answer about training with the factors behind its numbers."""

    @property
    def batch_tokens(self) -> int:
        """Return the tokens that one GPU trains on at once."""
        return self.run.sequence_tokens * self.run.micro_batch * (2 if self.run.preference else 1)

    @property
    def kept_entry_bytes(self) -> float | None:
        """Return the bytes of one number of what layers keep for each other."""
        return _each(self.run.kept_bytes, self.batch_tokens, self.layers, self.hidden_size)

    @property
    def logit_bytes(self) -> float | None:
        """Return the bytes of one score of the vocabulary, all its copies together.

        Where the scores never stand whole: of one number of the last layer's output.
        """
        is_fused = self.run.loss is Loss.FUSED
        width = self.hidden_size if is_fused else self.vocabulary
        return _each(self.run.logits_bytes, self.batch_tokens, width)

    @property
    def gradient_parameter_bytes(self) -> float:
        """Return the bytes of the gradient of one trained parameter."""
        return self.run.gradient_bytes / self.run.trainable_parameters

    @property
    def optimizer_parameter_bytes(self) -> float:
        """Return the bytes of the optimizer's states for one trained parameter."""
        return self.run.optimizer_bytes / self.run.trainable_parameters

    @property
    def adapter_parameter_bytes(self) -> float:
        """Return the bytes of one parameter of the adapters."""
        return self.run.adapter_bytes / self.run.trainable_parameters

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources of the records, those of the training software last."""
        framework = self.catalogue.frameworks.get(self.run.framework)
        if framework is None:
            return super().sources
        own = Source("framework", framework.name, framework.sources, str(framework.checked))
        return (*super().sources, own)


def _each(size_bytes: int, *counts: int | None) -> float | None:
    """Return the bytes of one of so many; None where a count is not known."""
    entries = 1
    for count in counts:
        entries *= count or 0
    return size_bytes / entries if entries else None
