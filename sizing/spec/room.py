"""What the room has: each limit that was told, and how many servers stay inside it."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

from sizing.notes import Note, note
from sizing.spec.circuits import ROUNDING, CircuitUse, needed
from sizing.spec.power import ServerPower
from sizing.spec.wishes import SiteWishes

W_PER_KW = 1000.0


def counted_limits(
    server: ServerPower,
    servers: int,
    site: SiteWishes,
    *,
    rack_units: int,
    circuits: CircuitUse | None,
) -> list[tuple[str, int, Note]]:
    """Return each limit of all servers that was told, the servers inside it, and its sentence."""
    found: list[tuple[str, int, Note]] = []
    server_kw = server.design_w / W_PER_KW
    if site.limit_kw:
        room = floor(site.limit_kw / server_kw + ROUNDING)
        told = note(
            "limit_kw",
            limit=site.limit_kw,
            wanted=server_kw * servers,
            servers=servers,
            servers_inside=room,
        )
        found.append(("limit_kw", room, told))
    if site.rack_units:
        room, wanted = site.rack_units // rack_units, rack_units * servers
        limit = site.rack_units
        told = note("rack_units", limit=limit, wanted=wanted, servers=servers, servers_inside=room)
        found.append(("rack_units", room, told))
    if circuits:
        room, wanted = circuits.servers, _circuits_wanted(server, servers, circuits)
        limit = circuits.circuits
        told = note("circuits", limit=limit, wanted=wanted, servers=servers, servers_inside=room)
        found.append(("circuits", room, told))
    return found


def _circuits_wanted(server: ServerPower, servers: int, circuits: CircuitUse) -> int:
    wanted = needed(
        circuits.circuit,
        server.design_w,
        servers,
        power_factor=server.power_factor,
        feeds=circuits.feeds,
    )
    return wanted.circuits


def single_limits(
    server: ServerPower,
    site: SiteWishes,
    inlet_high_c: float | None,
    *,
    rack_units: int,
    needs_liquid: bool,
) -> tuple[Note, ...]:
    """Return what one server alone passes already, and so any number of them."""
    return (
        *_of_the_rack(server, site, rack_units),
        *_of_the_air(site, inlet_high_c, needs_liquid=needs_liquid),
    )


def _of_the_rack(server: ServerPower, site: SiteWishes, rack_units: int) -> Iterator[Note]:
    server_kw = server.design_w / W_PER_KW
    if site.rack_kw and server_kw > site.rack_kw * (1 + ROUNDING):
        yield note("rack_kw", limit=site.rack_kw, wanted=server_kw, servers_inside=0)
    if site.rack_height and rack_units > site.rack_height:
        yield note("rack_height", limit=site.rack_height, wanted=rack_units, servers_inside=0)


def _of_the_air(
    site: SiteWishes, inlet_high_c: float | None, *, needs_liquid: bool
) -> Iterator[Note]:
    if needs_liquid and site.liquid is False:
        yield note("liquid")
    if site.inlet_c and inlet_high_c is not None and site.inlet_c > inlet_high_c:
        yield note("inlet", inlet_c=site.inlet_c, high_c=inlet_high_c)
