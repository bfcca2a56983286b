# SPDX-License-Identifier: Apache-2.0
"""Elastic users follow a flash crowd, but not bursts of marks at a price that stays the same.

In price-handler.yaml a user with U = 2 log(1 + x/x0), x0 = 1.5 Mbps, buys (2/p - 1) x0 at a price
of p money/s for x0: all 1.5 Mbps until the crowd comes, and about 0.4 of it in the crowd.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ecnomy.markets import load, run
from ecnomy.markets.scenario import scenario_from_text
from tiers import seeds

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "price-handler.yaml"
SEEDS = seeds(10)
PS = 10**12
A, X0_BPS = 2.0, 1.5e6
USERS = 2

# A virtual queue marks whole windows: a flow meets its 30 marks of a minute in a tenth of a second.
BURSTS_A, BURSTS_PRICE, BURSTS_S = 0.2, 0.1, 2000
BURSTS = """\
version: 1
duration: 2300 s
warmup: 300 s
network:
  links:
    - {name: line, from: a, to: b, rate: 8 Mbps, delay: 50 ms, buffer: 400 packets,
       marking: {law: virtual-queue, theta: 0.9}}
sources:
  - {name: sqrt, count: 2, from: a, to: b, transport: {law: wtp}}
  - {name: log, count: 2, from: a, to: b, transport: {law: wtp}}
market:
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: root-users
      role: price-handler
      sources: sqrt
      strategy: {kind: elastic-utility, utility: {kind: sqrt, a: 0.2 money/s, x0: 1 Mbps}}
    - name: log-users
      role: price-handler
      sources: log
      strategy: {kind: elastic-utility, utility: {kind: log, a: 0.2 money/s, x0: 1 Mbps}}
"""


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


def test_bursts_of_marks_are_no_change_of_the_price() -> None:
    """Users buy their demand at their mean price within 3.5 % on average.

    Users who took bursts for new prices missed it by 6 % on average, and by up to 12 %.
    """
    errors = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            run_of_it = run(scenario_from_text(BURSTS, seed=seed), out=Path(folder) / "run")
            flows = run_of_it.raw.flows.groupby("source")[["ce", "delivered_bytes"]].sum()
        rate = 8 * flows.delivered_bytes / BURSTS_S / 2 / 1e6  # of a user, in x0
        price = BURSTS_PRICE * flows.ce / BURSTS_S / 2 / rate
        demand = {"sqrt": (BURSTS_A / 2 / price["sqrt"]) ** 2, "log": BURSTS_A / price["log"] - 1}
        errors.append([rate[name] / demand[name] - 1 for name in demand])
    print(np.round(errors, 3))
    assert np.abs(errors).mean() < 0.035
