"""Read MIG slices: `h100:3g.40gb`, `a100-80 mig 1g.10gb`, `2x mig 40gb`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.grammar.words import Words
from bot.names import word_set
from sizing.errors import AmbiguousGpuError, InvalidRequestError
from sizing.records import GpuRecord, MigProfile
from sizing.request import GpuChoice

SLICE: Final = re.compile(
    r"(?P<head>.*?)(?:mig)?[-:=/.]*(?:\dc\.)?(?P<profile>[1-7]g\.\d{1,3}gb)(?:[+-][a-z.]+)?"
)
"""A profile at the end of a word; a compute instance and media engines change no memory."""

MIG: Final = re.compile(r"(?P<head>.*?)[-:]?mig")
SIZE: Final = re.compile(r"(\d{1,3})(?:g|gb|gib)")
NOUNS: Final = word_set("slice slices particion particiones instance instancia profile perfil")
"""What slices are called beside their profile."""

LINKS: Final = frozenset({"de", "of", "with", "con"})
COUNT: Final = re.compile(r"(\d{1,3})x?")
MOST_SUGGESTED: Final = 3
EXAMPLE: Final = "h100-sxm"
"""GPU whose slices are shown to who names none."""

MODEL: Final = "llama-3.1-8b"
"""Model of the example for who names a slice only."""


@dataclass
class Slices:
    """Slices in the order they were named, until each has found its GPU."""

    loose: dict[int, str | None] = field(default_factory=dict)
    """Profiles by the position of their word; None for the word MIG alone."""

    sizes: set[float] = field(default_factory=set)
    """Memory said of a slice in place of its profile, GB: `mig 40gb`."""

    count: int | None = None
    """Slices counted before a profile: `2x 3g.40gb`."""

    typed: str = ""
    """The word named first, as typed."""

    def set_aside(self, words: Words, position: int) -> bool:
        """Keep the slice of one word and leave the GPU before it; say whether there was one."""
        word = words.key(position)
        found = SLICE.fullmatch(word) or MIG.fullmatch(word)
        if not found or (found.re is MIG and found["head"].isalpha()):
            return False
        self.typed = self.typed or words.typed[position]
        self.loose[position] = found["profile"] if found.re is SLICE else None
        head = found["head"].rstrip("-:=/.")
        words.replace(position, head if re.search(r"[a-z]\d|\d{4}", head) else "")
        if words.key(position - 1) in NOUNS:
            words.replace(position - 1, "")
        self._take_count(words, position, head)
        if not self.loose[position]:
            self._take_size(words, position)
        return True

    def _take_size(self, words: Words, position: int) -> None:
        """Take the memory behind the word MIG, where it is said in place of a profile."""
        at = position + 1
        while words.key(at) in NOUNS | LINKS:
            at += 1
        if size := SIZE.fullmatch(words.key(at)):
            self.sizes.add(float(size[1]))
            for one in range(position + 1, at + 1):
                self.loose[one] = None
                words.replace(one, "")

    def _take_count(self, words: Words, position: int, head: str) -> None:
        """Take `2x` before a slice; a number without the cross counts only before MIG."""
        before = words.key(position - 1)
        crossed = head if COUNT.fullmatch(head) else before if before.endswith("x") else ""
        plain = before if self.loose[position] is None and not words.key(position) else ""
        if not words.key(position) and (counted := COUNT.fullmatch(crossed or plain)):
            self.count = int(counted[1]) or None
            if not COUNT.fullmatch(head):
                words.replace(position - 1, "")

    def refuse_alone(self) -> None:
        """Raise InvalidRequestError where slices are all that was named."""
        if self.loose:
            example = f"{MODEL} gpu={EXAMPLE}:3g.40gb"
            raise InvalidRequestError(
                reason="slices_alone", word=self.typed, suggestions=(example,)
            )

    def taken(self, choice: GpuChoice, words: Words, start: int, length: int) -> GpuChoice:
        """Return the choice with the slice that stands in its words or right behind them."""
        behind = start + length
        while behind in self.loose and not words.key(behind):
            behind += 1
        for position in range(start, behind):
            profile = self.loose.get(position)
            if profile:
                for one in range(start, behind):
                    self.loose.pop(one, None)
                return choice.model_copy(update={"mig_profile": profile})
        return choice


def with_slices(
    choices: tuple[GpuChoice, ...],
    slices: Slices,
    gpus: Mapping[str, GpuRecord],
) -> tuple[GpuChoice, ...]:
    """Return the choices, each with the slice meant.

    Raises InvalidRequestError and AmbiguousGpuError where no GPU, or no slice of it, is meant.
    """
    profiles = tuple(dict.fromkeys(filter(None, slices.loose.values())))
    if slices.loose and not profiles and not any(one.mig_profile for one in choices):
        profiles = _of_size(choices, slices, gpus)
    if profiles:
        products = tuple(one for one in choices if one.gpu and not one.mig_profile)
        products = products or (GpuChoice(gpu=_only_with(profiles[0], gpus)),)
        counted = (one.model_copy(update={"count": one.count or slices.count}) for one in products)
        choices = tuple(
            one.model_copy(update={"mig_profile": profile})
            for one in counted
            for profile in profiles
        )
    return tuple(_checked(one, gpus) for one in choices)


def _of_size(
    choices: tuple[GpuChoice, ...],
    slices: Slices,
    gpus: Mapping[str, GpuRecord],
) -> tuple[str, ...]:
    """Return the profile of the memory that stands for it: of several, the one most fit in."""
    named = [gpus[one.gpu] for one in choices if one.gpu]
    profiles = [each for gpu in named or gpus.values() for each in gpu.mig_profiles]
    fitting = [each for each in profiles if each.marketed_gb in slices.sizes]
    if not fitting:
        examples = _named(named[0] if named else gpus[EXAMPLE])
        raise InvalidRequestError(reason="which_slice", word=slices.typed, suggestions=examples)
    return (max(fitting, key=lambda each: each.most_instances).name,)


def _only_with(profile: str, gpus: Mapping[str, GpuRecord]) -> str:
    """Return the product that alone gives such slices; raise AmbiguousGpuError for several."""
    families: dict[str, str] = {}
    for gpu in sorted(gpus.values(), key=lambda one: (not one.family_default, one.id)):
        if gpu.mig_profile(profile):
            families.setdefault(gpu.family, gpu.id)
    if len(families) == 1:
        return next(iter(families.values()))
    sold_first = sorted(families.values(), key=lambda one: (not gpus[one].in_production, one))
    suggestions = tuple(f"gpu={one}:{profile}" for one in sold_first[:MOST_SUGGESTED])
    raise AmbiguousGpuError(word=profile, suggestions=suggestions)


def _checked(choice: GpuChoice, gpus: Mapping[str, GpuRecord]) -> GpuChoice:
    """Return the choice on the variant that gives its slice: `a100 1g.5gb` has 40 GB."""
    gpu = gpus.get(choice.gpu or "")
    if gpu is None or choice.mig_profile is None:
        return choice
    variants = [gpu, *_siblings(gpu, gpus)] if gpu.family_default else [gpu]
    for one in variants:
        if one.mig_profile(choice.mig_profile):
            return choice.model_copy(update={"gpu": one.id})
    word = f"{gpu.id}:{choice.mig_profile}"
    reason = "no_such_slice" if gpu.mig_profiles else "no_slices"
    raise InvalidRequestError(reason=reason, word=word, gpu=gpu.id, suggestions=_named(gpu))


def _siblings(gpu: GpuRecord, gpus: Mapping[str, GpuRecord]) -> Iterator[GpuRecord]:
    """Return the other variants, the most alike first: another SXM module before a PCIe card."""
    others = (one for one in gpus.values() if one.family == gpu.family and one.id != gpu.id)
    return iter(sorted(others, key=lambda one: (-_shared_parts(one.id, gpu.id), one.id)))


def _shared_parts(one: str, other: str) -> int:
    return len({*one.split("-")} & {*other.split("-")})


def _named(gpu: GpuRecord) -> tuple[str, ...]:
    """Return what to type for the slices of a GPU, one of each memory."""
    by_memory: dict[int, MigProfile] = {}
    for each in gpu.mig_profiles:
        by_memory.setdefault(each.marketed_gb, each)
    return tuple(f"gpu={gpu.id}:{each.name}" for each in by_memory.values())
