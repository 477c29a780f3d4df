"""The machine that the asker named."""

from __future__ import annotations

import re
from itertools import combinations

from sizing.catalogue_rules import name_key
from sizing.spec.machines import MachineFile, ServerRecord

LEAST_LETTERS = 3
"""Letters and digits from which a part of a name means a machine."""


def wanted_server(name: str | None, machines: MachineFile) -> ServerRecord | None:
    """Return the machine of that id, name or part of a name, however it is spelled.

    None where no machine is listed under it, or several.
    """
    if name is None:
        return None
    key = name_key(name)
    for server in machines.server:
        full = name_key(f"{server.vendor} {server.name}")
        if key in (name_key(server.id), name_key(server.name), full):
            return server
    found = [server for server in machines.server if key in _parts(server)]
    return found[0] if len(found) == 1 and len(key) >= LEAST_LETTERS else None


def _parts(server: ServerRecord) -> set[str]:
    """Return every run of words of its maker and name, as one word."""
    words = re.findall(r"[\w.-]+", f"{server.vendor} {server.name}")
    ends = combinations(range(len(words) + 1), 2)
    return {name_key(" ".join(words[start:end])) for start, end in ends}
