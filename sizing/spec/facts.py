"""All that a checklist and a bill of materials take from a plan, each value optional."""

from __future__ import annotations

from collections.abc import Mapping

from sizing.notes import NoteValue
from sizing.records import Name, Positive, PositiveCount, Record
from sizing.spec.facts_server import GpuFacts, LoadFacts, NetworkFacts, NodeFacts, StorageFacts
from sizing.spec.facts_site import CoolingFacts, MoneyFacts, PowerFacts, SiteFacts, SoftwareFacts


class AcceptanceRun(Record):
    """What one model must reach before the servers are accepted: the weak end of its estimate."""

    model: Name
    """Model with its precision, as people read it."""

    concurrent_requests: PositiveCount
    """Requests in flight."""

    input_tokens: PositiveCount | None = None
    """Prompt, tokens."""

    output_tokens: PositiveCount | None = None
    """Answer, tokens."""

    least_output_tokens_per_s: Positive | None = None
    """Output of all copies together, low bound, tokens per second."""

    most_ttft_ms: Positive | None = None
    """First token, high bound, ms."""

    most_itl_ms: Positive | None = None
    """Time between tokens, high bound, ms."""

    reference_precision: Name | None = None
    """Published precision against which quality is checked; None where it is served itself."""


class ChecklistFacts(
    LoadFacts,
    GpuFacts,
    NodeFacts,
    StorageFacts,
    NetworkFacts,
    PowerFacts,
    CoolingFacts,
    SiteFacts,
    SoftwareFacts,
    MoneyFacts,
):
    """A plan's figures by name; what is None turns the items that need it into questions."""

    runs: tuple[AcceptanceRun, ...] = ()
    """What each model must reach."""

    def with_values(self, values: Mapping[str, object]) -> ChecklistFacts:
        """Return these facts and more; what is None says nothing."""
        more = {name: value for name, value in values.items() if value is not None}
        return ChecklistFacts.model_validate({**dict(self), **more})

    def values(self) -> dict[str, NoteValue]:
        """Return what is known, by name: runs apart, with what follows from the rest."""
        known = known_values(self, but=frozenset({"runs"}))
        follows = {**self._of_the_load(), **self._of_the_diagnostics()}
        return known | {name: value for name, value in follows.items() if value is not None}

    def _of_the_load(self) -> dict[str, bool | None]:
        return {
            "has_runs": bool(self.runs),
            "has_lower_precision": any(run.reference_precision for run in self.runs),
            "several_servers": None if self.total_servers is None else self.total_servers > 1,
            "single_feed": None if self.feeds is None else self.feeds == 1,
            "split_over_pcie": self._splits_over_pcie(),
            "three_phase": None if self.circuit_phases is None else self.circuit_phases > 1,
        }

    def _splits_over_pcie(self) -> bool | None:
        if self.needs_gpu_link is None or self.gpu_has_link is None:
            return None
        return self.needs_gpu_link and not self.gpu_has_link

    def _of_the_diagnostics(self) -> dict[str, bool | None]:
        """Return which of NVIDIA's diagnostics run: all levels, the first, or none."""
        if self.gpu_is_nvidia is None or self.gpu_is_datacenter is None:
            return {}
        return {
            "full_diagnostics": self.gpu_is_nvidia and self.gpu_is_datacenter,
            "short_diagnostics": self.gpu_is_nvidia and not self.gpu_is_datacenter,
            "other_vendor": not self.gpu_is_nvidia,
        }


def known_values(record: Record, but: frozenset[str] = frozenset()) -> dict[str, NoteValue]:
    """Return the values of a flat record that are known, by name."""
    named = {name: getattr(record, name) for name in type(record).model_fields if name not in but}
    return {name: value for name, value in named.items() if value is not None}
