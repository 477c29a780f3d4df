"""Find the accelerator that a person means among the catalogue's names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from bot.names import compact, nearest
from sizing.errors import AmbiguousGpuError, UnknownGpuError
from sizing.records import GpuRecord

LONGEST_SPAN: Final = 6
"""Words that a name may have: `rtx pro 6000 blackwell server edition`."""

MEMORY_TOLERANCE: Final = 0.07
"""Share by which memory as sold may differ from the catalogue's: 192 GB sold for 180 GB."""

MAKERS: Final = re.compile(
    r"^(?:nvidia|amd|intel|apple|google|habana|tesla|geforce|instinct|radeon|dgx|hgx)+(?=[a-z0-9])"
)
LINES: Final = frozenset(
    {"rtx", "gtx", "quadro", "geforce", "radeon", "rx", "arc", "instinct", "titan"}
)
"""Product lines: what follows is the name of an accelerator, known or not."""

UNLISTED: Final = re.compile(
    r"p(?:4|6|100)|k(?:40|80)|m(?:10|40|60)|v100s|l2|rtx\d{3,4}\w*|gtx\d{3,4}\w*"
    r"|(?:10[5-8]0|16[56]0|20[6-8]0|30[5-9]0|40[6-9]0|50[5-9]0)(?:-?ti)?(?:-?super)?"
    r"|mi\d{2,3}[a-z]?|m[1-9]-(?:pro|max|ultra)|gaudi\d*|tpu-?v?\d+\w*|mac-?(?:book|studio|mini|pro)|macbook"
)
"""What only an accelerator is called."""

STAND_INS: Final = {
    "v100s": "v100-pcie-32", "gaudi": "gaudi2",
    "macstudio": "m3-ultra", "macbook": "m4-max", "macpro": "m2-ultra", "macmini": "m4-max",
}  # fmt: skip
"""Nearest listed relatives of some accelerators that are not listed."""

FORMS: Final = frozenset({"sxm", "sxm2", "sxm3", "sxm4", "sxm5", "pcie", "nvl", "oam"})
"""Words for a card's format that may follow its name."""

UNTOLD: Final = frozenset({"nvidia", "amd", "intel", "geforce", "gb", "gpu"})
"""Letters that tell no product from another."""

PORTABLE: Final = frozenset({"laptop", "mobile", "portatil", "max-q"})
"""Words that make a name another, slower product."""


@dataclass(frozen=True)
class GpuIndex:
    """All spellings of all accelerators."""

    by_key: Mapping[str, tuple[str, ...]]
    """Ids by compact spelling; the first is the default unless the name is ambiguous."""

    ambiguous: frozenset[str]
    """Spellings that mean several products, none of them the default."""

    records: Mapping[str, GpuRecord]
    """Records by id."""

    atoms: Mapping[str, tuple[frozenset[str], ...]]
    """Letters and numbers of each spelling of each id."""

    def lookup(self, name: str) -> tuple[str, ...]:
        """Return the ids that a name can mean, the default first; empty where it is unknown."""
        for key in _spellings(name):
            if key in self.ambiguous:
                return self.alike(name)
            if key in self.by_key:
                return self.by_key[key]
        return ()

    def alike(self, name: str) -> tuple[str, ...]:
        """Return the ids whose spellings contain all letters and numbers of a name."""
        typed = _atoms(name) - UNTOLD
        if not any(map(str.isdigit, typed)):
            return ()
        found = {one: self._unsaid(one, typed) for one in self.atoms}
        near = {one: unsaid for one, unsaid in found.items() if unsaid is not None}
        return tuple(sorted(near, key=lambda one: near[one]))

    def _unsaid(self, gpu_id: str, typed: frozenset[str]) -> int | None:
        """Return how many parts the shortest spelling has beyond those typed."""
        return min(
            (len(atoms - typed) for atoms in self.atoms[gpu_id] if typed <= atoms), default=None
        )

    def products(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return one id for each product: a family's default, else all its variants."""
        chosen: dict[str, None] = {}
        for gpu_id in ids:
            default = self._default(self.records[gpu_id].family)
            chosen[default or gpu_id] = None
        return tuple(chosen)

    def with_memory(self, ids: Sequence[str], memory_gb: float) -> tuple[str, ...]:
        """Return the ids, or else their family's, whose memory is sold as `memory_gb`."""
        fitting = tuple(gpu_id for gpu_id in ids if self._holds(gpu_id, memory_gb))
        if fitting:
            return fitting
        families = {self.records[gpu_id].family for gpu_id in ids}
        siblings = (one for one in self.records.values() if one.family in families)
        return tuple(one.id for one in siblings if self._holds(one.id, memory_gb))

    def with_form(self, ids: Sequence[str], form: str) -> tuple[str, ...]:
        """Return the ids of one card format; all of them where none says its format."""
        stem = form.rstrip("0123456789")
        own = [self.records[gpu_id] for gpu_id in ids]
        same = {(one.family, one.memory_gb) for one in own}
        siblings = (one for one in self.records.values() if (one.family, one.memory_gb) in same)
        return (
            tuple(one.id for one in own if stem in one.id)
            or tuple(one.id for one in siblings if stem in one.id)
            or tuple(ids)
        )

    def choose(self, ids: Sequence[str], typed: str) -> str:
        """Return the one id meant; raise AmbiguousGpuError where several products remain."""
        families = {self.records[gpu_id].family for gpu_id in ids}
        default = self._default(self.records[ids[0]].family) if len(families) == 1 else None
        if len(ids) == 1 or default in ids:
            return default if default in ids and default else ids[0]
        if default is None:
            return self._plainest(ids, typed)
        return max(ids, key=lambda gpu_id: _shared_parts(gpu_id, default))

    def _plainest(self, ids: Sequence[str], typed: str) -> str:
        """Return the id with the least beyond what was typed, unless several share that place."""
        atoms = _atoms(typed) - UNTOLD
        unsaid = {one: self._unsaid(one, atoms) for one in ids}
        least = min((count for count in unsaid.values() if count is not None), default=None)
        first = [one for one in ids if unsaid[one] == least]
        if least is None or len(first) > 1:
            newest = sorted(first or ids, key=lambda one: -(self.records[one].release_year or 0))
            raise AmbiguousGpuError(word=typed, suggestions=tuple(newest[:3]))
        return first[0]

    def unknown(self, word: str) -> UnknownGpuError:
        """Return the error for an accelerator the catalogue lacks, with near ones."""
        typed = compact(word)
        relatives = tuple(
            other for name, other in STAND_INS.items() if name in typed and other in self.records
        )
        full = f"rtx {word}" if word[:1].isdigit() else word
        suggestions = dict.fromkeys((*relatives, *nearest(full, self.records, at_least=55)))
        return UnknownGpuError(word=word, suggestions=tuple(suggestions)[:3])

    @staticmethod
    def no_variant(word: str, ids: Sequence[str]) -> UnknownGpuError:
        """Return the error for a known product that is not sold with that memory."""
        return UnknownGpuError(word=word, suggestions=tuple(ids)[:3])

    def _holds(self, gpu_id: str, memory_gb: float) -> bool:
        record = self.records[gpu_id]
        sold = (record.memory_gb, record.memory_gb * record.devices_per_card)
        return any(abs(memory_gb - size) <= MEMORY_TOLERANCE * size for size in sold)

    def _default(self, family: str) -> str | None:
        members = [one for one in self.records.values() if one.family == family]
        if len(members) == 1:
            return members[0].id
        named = (one for one in members if one.family_default or family in one.aliases)
        return next((one.id for one in named), None)


def build_gpu_index(gpus: Mapping[str, GpuRecord]) -> GpuIndex:
    """Index every spelling; a family's name means its default variant, where it has one."""
    by_key: dict[str, tuple[str, ...]] = {}
    families: dict[str, list[GpuRecord]] = defaultdict(list)
    for gpu in gpus.values():
        families[gpu.family].append(gpu)
        for name in (gpu.name, *gpu.aliases):
            by_key[compact(name)] = (gpu.id,)
    for key in tuple(by_key):
        by_key.setdefault(MAKERS.sub("", key), by_key[key])
    by_key |= {compact(gpu.id): (gpu.id,) for gpu in gpus.values()}
    explicit = frozenset(by_key)
    for family, members in families.items():
        ordered = sorted(members, key=lambda gpu: not gpu.family_default)
        by_key[compact(family)] = tuple(gpu.id for gpu in ordered)
    spellings = {gpu.id: (gpu.id, gpu.name, *gpu.aliases) for gpu in gpus.values()}
    atoms = {one: tuple(map(_atoms, names)) for one, names in spellings.items()}
    index = GpuIndex(by_key, frozenset(), gpus, atoms)
    implicit = (family for family in families if compact(family) not in explicit)
    shared = (name for name in implicit if len(index.products(index.alike(name))) > 1)
    return replace(index, ambiguous=frozenset(map(compact, shared)))


def _spellings(name: str) -> tuple[str, ...]:
    key = compact(name)
    bare = MAKERS.sub("", key)
    return key, key.removesuffix("s"), bare, bare.removesuffix("s")


def _atoms(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+|\d+", name.lower()))


def _shared_parts(one: str, other: str) -> int:
    pairs = zip(one.split("-"), other.split("-"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
