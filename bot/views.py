"""What the answer's template shows: choices made here, so that templates only word them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.cost_view import CostView
from bot.option_view import ROLES, is_in_doubt, is_running, keeps_all, reason_codes, stop_of
from bot.parts import ShownParts, shown_parts
from sizing.answer import Verdict
from sizing.request import Goal, Targets

if TYPE_CHECKING:
    from sizing.answer import Memory, Note, Option, Understood
    from sizing.performance import Measurement

SHOWN_ROWS = 4
"""Sets of GPUs in the first view."""

_WORDED_REASONS = frozenset({*ROLES, "short", "little_to_spare"})
"""Reasons the template words itself."""

_BEYOND_LIMITS = ("rate_unplaced", "limits_missed", "limits_unweighed")
_RULES = ("rule_misleads", "rule_generous", "pass_rule_misleads", "pass_rule_generous")

_WORDED_WARNINGS = frozenset(
    {
        *_RULES,
        "architecture_not_supported",
        "shape_not_given",
        "context_beyond_model",
        *_BEYOND_LIMITS,
    }
)
"""Warnings that have a place of their own in the template."""

RUN_ASSUMPTIONS = frozenset(
    {
        "default_framework",
        "default_sequence",
        "default_micro_batch",
        "default_checkpointing",
        "default_optimizer",
        "default_training_rank",
    }
)
"""Defaults of a training run."""

_WORDED_ASSUMPTIONS = RUN_ASSUMPTIONS | frozenset(
    {
        "default_load",
        "default_work",
        "default_engine",
        "default_memory_fraction",
        "kv_precision_default",
    }
)
"""Assumptions that the line about the load states."""


@dataclass(frozen=True)
class AnswerView(CostView):
    """An answer, and what of it the first view shows."""

    @property
    def understood(self) -> Understood:
        """Return the question as it was answered."""
        return self.answer.understood

    @property
    def memory(self) -> Memory:
        """Return what the load needs."""
        return self.answer.memory

    @property
    def goal(self) -> Goal:
        """Return what the asker wanted to know."""
        return self.understood.goal

    @property
    def is_full_context(self) -> bool:
        """Return whether the first option holds the longest context the model was made for."""
        return self.first is not None and self._is_longest(self.first.max_context_tokens)

    @property
    def is_full_context_safe(self) -> bool:
        """Return whether it does so even at the high bound of all overheads."""
        return self.first is not None and self._is_longest(self.first.safe_max_context_tokens)

    def _is_longest(self, context_tokens: int | None) -> bool:
        longest = self.understood.model_max_context_tokens
        return longest is not None and context_tokens == longest

    @property
    def asks_most(self) -> bool:
        """Return whether a largest figure was asked for, and the first option has one."""
        known = self.first is not None and self.first.max_concurrent_requests is not None
        return self.goal is not Goal.SIZE and known and not self.stop

    @property
    def first(self) -> Option | None:
        """Return the option the answer is about."""
        return self.answer.options[0] if self.answer.options else None

    @property
    def runs(self) -> bool:
        """Return whether the load runs on the first option."""
        return self.first is not None and is_running(self.first)

    @property
    def stop(self) -> Note | None:
        """Return why engines stop on the first option, where only the memory would do."""
        return stop_of(self.first) if self.first else None

    @property
    def reserves(self) -> bool:
        """Return whether it is known what the engine takes of the first option."""
        gpu = self.first.per_gpu if self.first else None
        return self.runs and gpu is not None and gpu.reserved_bytes is not None

    @property
    def taken_bytes(self) -> int:
        """Return what the load takes of one GPU, inside the engine's share and beside it, bytes."""
        gpu = self.first.per_gpu if self.first else None
        return gpu.need_bytes + gpu.outside_bytes if gpu else 0

    @property
    def split(self) -> bool:
        """Return whether the first option spreads the model over several GPUs."""
        return self.first is not None and self.first.gpus > 1

    @property
    def is_uneven(self) -> bool:
        """Return whether the first option is a set of unequal cards."""
        return self.first is not None and bool(self.first.cards)

    @property
    def is_sparse(self) -> bool:
        """Return whether a token passes only some of the parameters."""
        return self.understood.active_parameters < self.understood.parameters

    @property
    def parts(self) -> ShownParts | None:
        """Return the parts of the need of one GPU of the first option."""
        gpu = self.first.per_gpu if self.first else None
        if gpu is not None:
            return shown_parts(gpu, gpu.need_bytes)
        return shown_parts(self.memory, self.memory.total_bytes or 0)

    @property
    def short_bytes(self) -> int:
        """Return what the first option lacks on each GPU, bytes."""
        gpu = self.first.per_gpu if self.first else None
        return max(0, -gpu.free_bytes) if gpu else 0

    @property
    def next_safe(self) -> Option | None:
        """Return the first other option that fits, where the first one is tight."""
        if self.first is None or self.first.verdict is not Verdict.TIGHT or self.stop:
            return None
        return next((row for row in self.answer.options if row.verdict is Verdict.FITS), None)

    @property
    def has_limits(self) -> bool:
        """Return whether wishes about speed were told."""
        return self.understood.targets != Targets()

    @property
    def next_kept(self) -> Option | None:
        """Return the first other option that keeps the wishes for certain, where the first may not.

        None where the first option is not known to be in doubt.
        """
        if self.first is None or not self.runs or not is_in_doubt(self.first):
            return None
        return next((row for row in self.answer.options[1:] if keeps_all(row)), None)

    @property
    def instead(self) -> tuple[Option, ...]:
        """Return up to two sets that run the load, where the first option does not."""
        if self.runs:
            return ()
        return tuple(row for row in self.answer.options if is_running(row))[:2]

    @property
    def recommended(self) -> Option | None:
        """Return the recommended option, where it is not the first."""
        return self._marked("recommended")

    @property
    def cheapest(self) -> Option | None:
        """Return the cheapest option, where it is not the first."""
        return self._marked("cheapest")

    def _marked(self, role: str) -> Option | None:
        return next((row for row in self.answer.options[1:] if role in reason_codes(row)), None)

    @property
    def fewer_would_do(self) -> bool:
        """Return whether the recommended option is smaller than a first one that runs."""
        first, best = self.first, self.recommended
        return self.runs and first is not None and best is not None and best.gpus < first.gpus

    @property
    def held(self) -> int:
        """Return the requests at once of the first option: inside the limits, where some are."""
        speed = self.first.performance if self.first else None
        if speed is not None and speed.goodput is not None:
            return round(speed.goodput.concurrent_requests.typical)
        return (self.first.max_concurrent_requests or 0) if self.first else 0

    @property
    def measured_same(self) -> Measurement | None:
        """Return what was measured of the very case that was asked about."""
        speed = self.first.performance if self.first else None
        return next((row for row in speed.measured if row.is_same), None) if speed else None

    @property
    def planned(self) -> int:
        """Return the requests at once that the first option is planned with, head-room left."""
        speed = self.first.performance if self.first else None
        return (speed.users_per_replica or 0) * self.first.replicas if speed and self.first else 0

    @property
    def rows(self) -> tuple[Option, ...]:
        """Return the options of the table: the first, those the text names, then the next."""
        options = self.answer.options
        marked = [self.recommended, self.cheapest]
        named = [self.first, *self.instead, self.next_safe, self.next_kept, *marked, *options]
        chosen = list(dict.fromkeys(options.index(row) for row in named if row))[:SHOWN_ROWS]
        return tuple(options[index] for index in sorted(chosen))

    @property
    def hidden_rows(self) -> int:
        """Return how many options the table leaves out."""
        return len(self.answer.options) - len(self.rows)

    @property
    def is_limited(self) -> bool:
        """Return whether it is the asker's own limit that leaves no set."""
        return any(note.code == "none_within_limit" for note in self.answer.warnings)

    @property
    def load_is_default(self) -> bool:
        """Return whether the asker named no load."""
        codes = {note.code for note in self.answer.assumptions}
        return bool(codes & {"default_load", "default_work"})

    @property
    def has_cache(self) -> bool:
        """Return whether requests keep something between steps."""
        return self.memory.kv_bytes_per_token is not None

    @property
    def unsupported(self) -> Note | None:
        """Return why this architecture has no total, where it has none."""
        codes = {note.code: note for note in self.answer.warnings}
        if self.answer.supported:
            return None
        return codes.get("architecture_not_supported") or codes["shape_not_given"]

    @property
    def page(self) -> str:
        """Return the template that words this answer."""
        return "training.md.j2" if self.answer.training else "answer.md.j2"

    @property
    def rule(self) -> Note | None:
        """Return the sentence that compares the 25 % rule with the estimate, where they differ."""
        return self._warning(*_RULES)

    @property
    def reasons(self) -> tuple[Note, ...]:
        """Return the reasons of the first option that the template does not word itself."""
        reasons = self.first.reasons if self.first else ()
        return tuple(n for n in reasons if n.code not in _WORDED_REASONS and n != self.stop)

    @property
    def beyond_model(self) -> Note | None:
        """Return the sentence about a context that the model does not take."""
        return self._warning("context_beyond_model")

    @property
    def beyond_limits(self) -> Note | None:
        """Return the sentence that no set is known to keep the wishes about speed."""
        return self._warning(*_BEYOND_LIMITS)

    def _warning(self, *codes: str) -> Note | None:
        return next((note for note in self.answer.warnings if note.code in codes), None)

    @property
    def warnings(self) -> tuple[Note, ...]:
        """Return the warnings that have no place of their own."""
        return tuple(note for note in self.answer.warnings if note.code not in _WORDED_WARNINGS)

    @property
    def assumptions(self) -> tuple[Note, ...]:
        """Return the assumptions that the line about the load does not state."""
        return tuple(n for n in self.answer.assumptions if n.code not in _WORDED_ASSUMPTIONS)
