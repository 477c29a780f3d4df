"""The articles' rules of thumb, quoted beside the estimate, and where they mislead."""

from __future__ import annotations

from sizing.answer import Memory, Note, note
from sizing.records import PrecisionRecord, Tier
from sizing.subject import Subject
from sizing.units import GB

QUANTISED_BITS = 8
"""Widest format that the articles call quantised."""

NOTABLE_MISS = 0.05
"""Share of the need by which a rule must miss before the answer says so."""

SIXTEEN_BITS = 16

RULE_13B_GB, RULE_13B_PARAMETERS = 24, range(12 * 10**9, 14 * 10**9)
"""NIM article: "7B to 13B in FP16 need at least 24 GB"."""

RULE_70B_GB, RULE_70B_PARAMETERS = 160, range(65 * 10**9, 80 * 10**9)
"""NIM article: "70B or more in FP16 may need 160 GB or more"."""


def rule_bytes(subject: Subject, precision: PrecisionRecord, surcharge_percent: int) -> int:
    """Return parameters x nominal bytes plus 25 % (NIM article) or 20 % (local-LLM article)."""
    return rule_bytes_of(subject.parameters, precision, surcharge_percent)


def rule_bytes_of(parameters: int, precision: PrecisionRecord, surcharge_percent: int) -> int:
    """Return parameters x nominal bytes plus a surcharge."""
    nominal_bits = parameters * precision.nominal_bits
    return round(nominal_bits / 8 * (100 + surcharge_percent) / 100)


def tier(subject: Subject, precision: PrecisionRecord) -> Tier:
    """Return the class of accelerators the articles would point to."""
    return tier_of(subject.parameters, precision)


def tier_of(parameters: int, precision: PrecisionRecord) -> Tier:
    """Return the same for any model of so many parameters."""
    quantised = precision.nominal_bits <= QUANTISED_BITS
    need_bytes = rule_bytes_of(parameters, precision, 25)
    if need_bytes <= 16 * GB:
        return Tier.ENTRY
    if need_bytes <= 48 * GB or (quantised and parameters <= 71 * 10**9):
        return Tier.MID_RANGE
    return Tier.HIGH_END


def rule_warnings(subject: Subject, precision: PrecisionRecord, memory: Memory) -> tuple[Note, ...]:
    """Return a sentence for each rule that misleads for this load."""
    notes = []
    if _is_sixteen(precision) and subject.parameters in RULE_13B_PARAMETERS:
        weights = memory.weights_bytes
        notes.append(note("rule_24gb_13b", rule_gb=RULE_13B_GB, weights_bytes=weights))
    if _is_sixteen(precision) and subject.parameters in RULE_70B_PARAMETERS:
        weights = memory.weights_bytes
        notes.append(note("rule_160gb_70b", rule_gb=RULE_70B_GB, weights_bytes=weights))
    return (*notes, *_miss(memory))


def _is_sixteen(precision: PrecisionRecord) -> bool:
    return precision.nominal_bits == SIXTEEN_BITS


def _miss(memory: Memory) -> tuple[Note, ...]:
    """Return how the 25 % rule compares with the estimate, where it misses by more than 5 %."""
    if memory.total_bytes is None:
        return ()
    rule, total = memory.rule_25_percent_bytes, memory.total_bytes
    if abs(rule - total) <= NOTABLE_MISS * total:
        return ()
    return (
        note(
            "rule_misleads" if rule < total else "rule_generous",
            rule_percent=25,
            rule_bytes=rule,
            total_bytes=total,
            kv_cache_bytes=memory.kv_cache_bytes,
            difference_bytes=abs(total - rule),
        ),
    )
