# SPDX-License-Identifier: Apache-2.0
"""Elastic users follow a flash crowd: they buy their demand at the price of the time.

In price-handler.yaml a user with U = 2 log(1 + x/x0), x0 = 1.5 Mbps, buys (2/p - 1) x0 at a price
of p money/s for x0: all 1.5 Mbps until the crowd comes, and about 0.4 of it in the crowd.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ecnomy.markets import load, run
from tiers import seeds

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "price-handler.yaml"
SEEDS = seeds(10)
PS = 10**12
A, X0_BPS = 2.0, 1.5e6
USERS = 2


def bought(seed: int, first_s: int, last_s: int) -> tuple[float, float]:
    """Rate of a user and its demand at the mean price of all flows' bytes, both in x0."""
    with tempfile.TemporaryDirectory() as folder:
        result = run(load(EXAMPLE), seed=seed, out=Path(folder) / "run")
        epochs = result.flow_epochs.set_index(["t_ps", "flow"])
        flows = result.raw.flows
    columns = ["acked_bytes", "mark_charge_micro"]
    a, b = (epochs.loc[t * PS, columns].astype(float) for t in (first_s, last_s))
    grown = (b - a) / (last_s - first_s)
    own = grown.loc[flows.flow[flows.source == "work"]]
    rate = 8 * own.acked_bytes.sum() / USERS / X0_BPS
    price = grown.mark_charge_micro.sum() / 1e6 / (8 * grown.acked_bytes.sum() / X0_BPS)
    return rate, A / price - 1


def test_users_buy_their_demand_in_a_crowd() -> None:
    """In the crowd users buy their demand within 15 % on average, and 30 % in each seed."""
    pairs = [bought(seed, 90, 180) for seed in SEEDS]
    ratio = np.array([rate / demand for rate, demand in pairs])
    print(ratio.round(2))
    assert abs(ratio.mean() - 1) < 0.15
    assert (np.abs(ratio - 1) < 0.3).all()
