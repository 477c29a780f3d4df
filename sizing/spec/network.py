"""Network ports of one server."""

from __future__ import annotations

from sizing.records import Positive, PositiveCount, Record, Segment
from sizing.spec.load import ServerLoad
from sizing.spec.slots import is_on_board

FABRIC_GBPS = {4: 200, 5: 400, 6: 800}
"""Port of InfiniBand or RoCE by PCI Express generation, Gb/s: HDR, NDR, XDR.

A slot of 16 lanes carries it: 31, 63 and 121 GB/s (stas00/ml-engineering, network).
"""

COMMON_GENERATION, SLOW_GBPS = 5, 100
"""PCI Express generation where the GPU names none, and the port of an older one, Gb/s."""

GPUS_PER_CARD_PORT = 2
"""Cards for each fabric port without a baseboard: four ports for eight cards (NVIDIA 2-8-5)."""

SMALL = frozenset({Segment.WORKSTATION, Segment.CONSUMER, Segment.DESKTOP_SOC, Segment.EDGE})
"""Markets whose machines bring 10 Gb/s ports on their boards."""


class NetworkPort(Record):
    """Ports of one kind."""

    code: str
    """What they are for."""

    adapters: PositiveCount
    """Adapters that carry them."""

    ports: PositiveCount
    """Ports of all of them."""

    rate_gbps: Positive
    """Speed of one port, Gb/s."""


def network_ports(load: ServerLoad) -> tuple[NetworkPort, ...]:
    """Return management, service and, where a copy spans servers, fabric ports."""
    ports = (
        NetworkPort(code="management", adapters=1, ports=1, rate_gbps=1),
        NetworkPort(code="service", adapters=1, ports=2, rate_gbps=_service_gbps(load)),
    )
    return (*ports, _fabric(load)) if needs_fabric(load) else ports


def needs_fabric(load: ServerLoad) -> bool:
    """Return whether one copy leaves the server, and the link between its GPUs does not."""
    return load.spans_servers and not is_inside_link(load)


def is_inside_link(load: ServerLoad) -> bool:
    """Return whether one link domain joins the GPUs of all servers, as in a rack of them."""
    return bool(load.gpu.link_gb_per_s) and load.gpus * load.servers <= (
        load.gpu.link_max_gpus or 0
    )


def _service_gbps(load: ServerLoad) -> int:
    """Return the speed of a port for requests: 10 or 25 Gb/s do for one server."""
    return 10 if load.gpu.segment in SMALL and load.servers == 1 else 25


def _fabric(load: ServerLoad) -> NetworkPort:
    """Return a port for each GPU of a baseboard, for each two cards without one."""
    on_board = is_on_board(load.gpu)
    ports = load.gpus if on_board else max(1, load.gpus // GPUS_PER_CARD_PORT)
    rate = FABRIC_GBPS.get(load.gpu.pcie_generation or COMMON_GENERATION, SLOW_GBPS)
    return NetworkPort(code="fabric", adapters=ports, ports=ports, rate_gbps=rate)
