"""KV cache in host memory as people say it: `kv cache in host memory`, `offload kv to cpu`."""

from __future__ import annotations

import re
from typing import Final

from bot.grammar.draft import Draft
from bot.grammar.quantities import gibibytes
from bot.grammar.words import Words

_HOST: Final = (
    r"(?:the |la |el )?(?:cpu|host|ram|memoria (?:del )?(?:host|servidor|cpu))(?: (?:memory|ram))?"
)
_INTO: Final = rf"(?:in|into|on|to|en|a) {_HOST}"
KV_IN_HOST: Final = re.compile(
    rf"kv(?:[-_ ]?cache)? (?:offload(?:ed|ing)?(?: {_INTO}| cpu)?|{_INTO}|host|cpu)(?= |$)"
    rf"|offload(?:ed|ing)? (?:the |la |of |de )*kv(?:[-_ ]?cache)?(?: {_INTO})?(?= |$)"
)
SIZE: Final = re.compile(r"(?:of |de )?(\d[\d.,]*) ?(g|gb|gib|tb|tib)(?= |$)")
LONGEST: Final = 10
"""Words of the longest phrase."""


def settle_offload(words: Words) -> None:
    """Turn `cpu offload` round: the number before it names a card, it counts no processors."""
    for position in range(len(words) - 1):
        pair = slice(position, position + 2)
        if words.key(position) == "cpu" and words.key(position + 1).startswith("offload"):
            words.keys[pair], words.typed[pair] = words.keys[pair][::-1], words.typed[pair][::-1]


def host_cache(words: Words, position: int, *, draft: Draft) -> int:
    """Take the wish to keep KV cache in host memory; return how many words it took."""
    text = " ".join(words.keys[position : position + LONGEST])
    found = KV_IN_HOST.match(text)
    if not found:
        return 0
    draft.put("kv_in_host", True, found[0])  # noqa: FBT003 (a value of the request)
    size = SIZE.match(text, found.end() + 1)
    size_gib = gibibytes(size[1] + size[2]) if size else None
    if size is None or not size_gib:
        return found[0].count(" ") + 1
    draft.put("kv_host_gib", size_gib, size[0])
    return text[: size.end()].count(" ") + 1
