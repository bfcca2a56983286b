# SPDX-License-Identifier: Apache-2.0
"""Hand-made observations of flows, for strategies that decide on columns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ecnomy.agents.observation import NO_OFFER, FlowColumns, Observation, Offer

__all__ = ["PS", "noting", "observation", "posted"]

PS = 10**12


def noting(seed: int = 1) -> Any:
    """An agent's view that keeps its notes, and can draw random numbers."""
    kept: dict[str, float] = {}
    random = np.random.Generator(np.random.Philox(seed))
    return SimpleNamespace(notes=kept, note=kept.__setitem__, random=random)


def posted(count: int = 1, mark: float = 1.0, by_time: float = 0.0) -> Any:
    """The posted price of a mark, and the posted charge by time in money/s."""
    by_time_micro = np.full(count, 1e6 * by_time)
    return SimpleNamespace(price_micro=np.full(count, mark), posted_standing_micro=by_time_micro)


def observation(
    t_s: float,
    dt_s: float,
    *,
    price_micro: int = 1000,
    offers: tuple[Offer, ...] = (),
    sources: tuple[str, ...] = ("own",),
    agent: Any = None,
    **columns: Any,
) -> Observation:
    """Flows with these columns. Omitted columns are those of idle flows outside any class."""
    given = {name: np.atleast_1d(np.asarray(value)) for name, value in columns.items()}
    count = max([1, *(len(value) for value in given.values())])
    usual: dict[str, Any] = {
        "flow": np.arange(count),
        "active": np.ones(count, dtype=np.int64),
        "goodput_bps": np.zeros(count),
        "delivered": np.zeros(count, dtype=np.int64),
        "marks": np.zeros(count, dtype=np.int64),
        "charge_micro": np.zeros(count, dtype=np.int64),
        "srtt_s": np.full(count, 0.1),
        "gain": np.zeros(count),
        "offer": np.full(count, NO_OFFER),
        "payload_bps": np.zeros(count),
    }
    whole = {k: np.broadcast_to(v, count).copy() for k, v in given.items()}
    return Observation(
        round(t_s * PS),
        round(dt_s * PS),
        price_micro,
        offers,
        FlowColumns(**{**usual, **whole}),
        sources,
        agent,
    )
