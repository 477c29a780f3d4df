"""What an engine takes of each GPU when it starts, beside what the load needs."""

from __future__ import annotations

from math import floor

from sizing.option import PerGpu
from sizing.records import EngineRecord, Reservation

_ON_DEMAND = frozenset({Reservation.AS_ASKED, Reservation.AS_USED})
"""Engines that take what the load needs and leave the rest of the budget free."""


def bytes_of_share(engine: EngineRecord, budget_bytes: int, need_bytes: int) -> int:
    """Return what the engine holds of its share of one GPU once it runs, bytes.

    Most engines fill what their share leaves with KV cache, whether or not requests come. One that
    cannot start takes no more than its share.
    """
    is_on_demand = engine.reservation in _ON_DEMAND
    return min(need_bytes, budget_bytes) if is_on_demand else budget_bytes


def memory_setting(engine: EngineRecord, gpu: PerGpu, memory_fraction: float) -> float | None:
    """Return the value of the engine's own memory option that yields this budget, 0-1.

    For a set that runs. Shares are rounded down to a thousandth, so that the budget is kept;
    None where the engine has no such option.
    """
    held = gpu.weights_bytes + gpu.adapter_bytes
    after_weights = gpu.usable_bytes - held - gpu.runtime_bytes - gpu.outside_bytes
    match engine.reservation:
        case Reservation.SHARE_OF_ALL:
            is_cut = gpu.budget_bytes < int(gpu.usable_bytes * memory_fraction)
            share = _share(gpu.budget_bytes, gpu.usable_bytes) if is_cut else memory_fraction
            return _filling(share, engine.filled_share)
        case Reservation.WEIGHTS_AND_CACHE:
            return _share(held + gpu.kv_pool_bytes, gpu.usable_bytes)
        case Reservation.SHARE_OF_FREE:
            return _share(gpu.kv_pool_bytes, after_weights - gpu.activation_bytes)
        case Reservation.SHARE_AFTER_WEIGHTS:
            return _share(gpu.kv_pool_bytes, after_weights)
        case _:
            return None


def _filling(share: float, filled_share: float) -> float:
    """Return the setting of which that part is filled, where the engine leaves a rest free."""
    if filled_share == 1:
        return share
    return min(1.0, floor(share * 1000 / filled_share) / 1000)


def _share(part_bytes: int, whole_bytes: int) -> float:
    return floor(part_bytes * 1000 / whole_bytes) / 1000
