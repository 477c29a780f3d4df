"""Which traits each number of the speed model depends on, and how far it may move.

A factor's spread is how many natural logarithms it may differ from 1 before the fit resists; it
is the same for every member, so that no number belongs to one model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sizing.records import CoefficientName, TraitName

Effects = tuple[tuple[TraitName, float], ...]


@dataclass(frozen=True)
class Prior:
    """Where the fit of one number starts, and which traits move it by how much."""

    base: float
    effects: Effects = ()


@dataclass(frozen=True)
class Form:
    """The numbers of one form of the model, and how strongly their priors hold them back."""

    priors: Mapping[CoefficientName, Prior]
    held_back: float
    """Weight of the ridge against a row's residual; less where rows are few and clean."""


_BATCHED: dict[CoefficientName, Prior] = {
    "bandwidth": Prior(0.8, (("family", 0.1), ("gpu", 0.05), ("experts", 0.1))),
    "compute": Prior(
        0.5,
        (
            ("numbers", 0.3),
            ("family", 0.1),
            ("gpu", 0.05),
            ("experts", 0.3),
            ("family+numbers", 0.15),
        ),
    ),
    "power_read": Prior(0.1),
    "fetching": Prior(0.2),
    "routing": Prior(1.0),
    "power": Prior(1.0),
    "grain": Prior(0.2),
    "prefill": Prior(1.0, (("engine", 0.2), ("experts", 0.1))),
    "mixed": Prior(1.0),
    "attention": Prior(1.0),
    "layer_s": Prior(40e-6, (("engine", 0.5), ("family", 0.4), ("engine+numbers", 0.2))),
    "expert_layer": Prior(0.7, (("width", 0.3),)),
    "latent_layer": Prior(0.3),
    "index_layer": Prior(0.4),
    "state_layer": Prior(0.3),
    "step_s": Prior(1e-3, (("engine", 0.7), ("host", 0.3), ("family", 0.3))),
    "request_s": Prior(6e-6, (("engine", 0.5), ("host", 0.3))),
    "exchange_s": Prior(20e-6, (("link", 0.5), ("pcie_ranks", 0.5), ("engine", 0.5))),
    "link_bytes_per_s": Prior(200e9, (("link", 1.0), ("gpu", 0.2))),
    "stages": Prior(0.15),
    "first_s": Prior(0.01, (("engine", 0.5),)),
    "first_prefill": Prior(1.0, (("family", 0.3), ("engine", 0.2))),
    "first_decode": Prior(0.7),
    "queue_prefill": Prior(1.0, (("engine", 0.3),)),
    "queue_step": Prior(0.5, (("engine", 0.5),)),
    "burst_prefill": Prior(0.1, (("engine", 0.7),)),
    "burst_step": Prior(0.5, (("engine", 0.7),)),
    "burst_first": Prior(1.0, (("engine", 0.3),)),
}

_SINGLE: dict[CoefficientName, Prior] = {
    "bandwidth": Prior(
        0.8, (("family", 0.15), ("numbers", 0.1), ("family+numbers", 0.1), ("gpu", 0.1))
    ),
    "layer_s": Prior(60e-6, (("family", 0.4),)),
    "layer_grain": Prior(0.2),
    "expert_layer": Prior(0.5),
    "prefill": Prior(0.4, (("family", 0.4), ("numbers", 0.2), ("gpu", 0.2))),
    "prompt_layer_s": Prior(60e-6, (("family", 0.3),)),
}

BATCHED = Form(_BATCHED, held_back=0.35)
"""Engines that work on many requests at once."""

SINGLE = Form(_SINGLE, held_back=0.12)
"""llama.cpp, measured with one request; the other numbers are at rest."""

AT_REST: dict[CoefficientName, float] = {
    "compute": 1.0,
    "power_read": 1e-9,
    "fetching": 1e-9,
    "routing": 1.0,
    "mixed": 1.0,
    "power": 1e-9,
    "grain": 1e-9,
    "prompt_layer_s": 1e-12,
    "step_s": 1e-9,
    "layer_grain": 1e-9,
    "attention": 1.0,
    "latent_layer": 0.3,
    "index_layer": 0.4,
    "state_layer": 0.3,
    "request_s": 1e-9,
    "exchange_s": 1e-9,
    "link_bytes_per_s": 1e15,
    "stages": 1e-9,
    "first_s": 1e-9,
    "first_prefill": 1.0,
    "first_decode": 1.0,
    "queue_prefill": 1.0,
    "queue_step": 1e-9,
    "burst_prefill": 1.0,
    "burst_step": 1e-9,
    "burst_first": 1.0,
}
"""Numbers that measurements with one request on one card do not reach."""
