# SPDX-License-Identifier: Apache-2.0
"""Observations of roles: flows in chosen classes, and an idle link."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ecnomy.agents.observation import FlowColumns, LinkColumns, Observation, Offer, PriceObservation

__all__ = ["OFFERS", "PS", "flows", "observation", "prices"]

PS: Final = 10**12
OFFERS: Final = (
    Offer("shop", "gold", 4_000_000),
    Offer("shop", "silver", 1_000_000),
    Offer("rival", "tin", 2_000_000),
    Offer("rival", "lead", 1_000_000),
)


def flows(*offers: int, marks: int = 10, delivered: int = 1000, srtt_s: float = 0.1) -> FlowColumns:
    """Flows in these classes, alike in everything else."""
    count = len(offers)
    return FlowColumns(
        flow=np.arange(count, dtype=np.int64),
        active=np.ones(count, dtype=np.int64),
        goodput_bps=np.full(count, 1e6),
        delivered=np.full(count, delivered, dtype=np.int64),
        marks=np.full(count, marks, dtype=np.int64),
        charge_micro=np.zeros(count, dtype=np.int64),
        srtt_s=np.full(count, srtt_s),
        gain=np.full(count, 0.5),
        offer=np.array(offers, dtype=np.int64),
    )


def observation(*offers: int, t_ps: int = 5 * PS, **columns: Any) -> Observation:
    """An observation of 1 s at `t_ps`."""
    return Observation(t_ps, PS, 1000, OFFERS, flows(*offers, **columns))


def prices(price_micro: int = 1000) -> PriceObservation:
    """An observation of an idle link."""
    zero = np.zeros(1, dtype=np.int64)
    return PriceObservation(0, 0, price_micro, LinkColumns(*[zero] * 7))
