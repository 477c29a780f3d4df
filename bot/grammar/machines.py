"""Whole machines for an accelerator: `mac studio 192gb`, `macbook pro m4 max`, `v6e-8`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from bot.grammar.words import Words
from bot.names import word_set
from sizing.records import GpuRecord

MACS: Final = {
    ("mac", "studio"): "Mac Studio", ("macstudio",): "Mac Studio", ("mac", "mini"): "Mac mini",
    ("macmini",): "Mac mini", ("mac", "pro"): "Mac Pro", ("macpro",): "Mac Pro",
    ("macbook", "pro"): "MacBook", ("macbook", "air"): "MacBook", ("macbookpro",): "MacBook",
    ("macbook",): "MacBook", ("mac",): "Mac",
}  # fmt: skip
"""Names of Macs, the longest first, and the words of the catalogue for them."""

MAC_WORDS: Final = word_set("mac macs macbook studio mini pro air apple")
"""Words that may follow the name of a chip and say no other accelerator."""

LINKS: Final = frozenset({"de", "con", "with", "of", "a"})
MEMORY: Final = re.compile(r"(\d{1,4})(?:g|gb|gib)?")
POD: Final = re.compile(
    r"(?P<before>(?:gpu=)?(?:tpu-)?)(?P<kind>v5litepod|v5e|v5p|v6e)-(?P<size>\d{1,5})"
)
CORES_OF_A_CHIP: Final = {"v5p": 2}
"""Cores by which slices of that generation are counted; the others are counted in chips."""


def mac_words(parts: Sequence[str]) -> int:
    """Return how many words at the front name a Mac; none where no Mac starts there."""
    return next((len(name) for name in MACS if tuple(parts[: len(name)]) == name), 0)


def mac_of_memory(parts: Sequence[str], records: Mapping[str, GpuRecord]) -> tuple[str | None, int]:
    """Return the newest chip of the Mac at the front with the memory behind it, and the words."""
    used = mac_words(parts)
    machine = MACS[tuple(parts[:used])]
    while parts[used : used + 1] and parts[used] in LINKS:
        used += 1
    size = MEMORY.fullmatch(parts[used]) if parts[used:] else None
    if size is None:
        return None, used
    used += 1
    used += parts[used : used + 1] in (["gb"], ["gib"])
    fitting = [
        gpu
        for gpu in records.values()
        if gpu.vendor == "Apple" and machine in (gpu.form_factor or "")
        if gpu.memory_gb == float(size[1])
    ]
    newest = sorted(fitting, key=lambda gpu: (-(gpu.release_year or 0), gpu.id))
    return (newest[0].id if newest else None), used


def split_pods(words: Words) -> None:
    """Turn the slice of a TPU pod into chips: `v6e-8` are eight, `v5p-8` four of two cores."""
    for position in range(len(words) - 1, -1, -1):
        if found := POD.fullmatch(words.key(position)):
            chips = max(1, int(found["size"]) // CORES_OF_A_CHIP.get(found["kind"], 1))
            kind = "v5e" if found["kind"] == "v5litepod" else found["kind"]
            words.split(position, [found["before"] + kind, f"x{chips}"])
