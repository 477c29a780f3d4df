"""The machine that the asker named."""

from __future__ import annotations

from sizing.catalogue_rules import name_key
from sizing.spec.machines import MachineFile, ServerRecord


def wanted_server(name: str | None, machines: MachineFile) -> ServerRecord | None:
    """Return the machine of that id or name, however it is spelled; None where none is listed."""
    if name is None:
        return None
    key = name_key(name)
    for server in machines.server:
        full = name_key(f"{server.vendor} {server.name}")
        if key in (name_key(server.id), name_key(server.name), full):
            return server
    return None
