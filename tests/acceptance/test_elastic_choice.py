# SPDX-License-Identifier: Apache-2.0
"""Users with elastic demand who also choose their carrier.

If carriers have spare capacity, all take the cheaper one and buy D(p) = x0 (a / p - 1). If
both links are full, users spread until a bit costs the same on both: rates are equal, and
numbers of users are proportional to capacities.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import in_full, seeds

SEEDS = seeds(10)
USERS, WARMUP, DURATION = 12, 200, 1000 if in_full() else 400
FIXED = "{law: fixed, probability: 0.1}"
QUEUE = "{law: virtual-queue, theta: 0.9, buffer: 20 packets}"
LINK = (
    "{{name: l{0}, from: a{0}, to: z, rate: {1} Mbps, delay: 20 ms, buffer: 200 packets,"
    " marking: {2}}}"
)
SOURCE = (
    "{{name: s{0}, count: {1}, from: a{0}, to: z,"
    " transport: {{law: wtp, gain: 0.1, mss: 960 bytes}}}}"
)
TEXT = """\
version: 1
duration: {duration} s
warmup: {warmup} s
network: {{links: [{links}]}}
sources: [{sources}]
market:
  epoch: 1 s
  price_per_mark: 0.01 money
  agents:
    - {{name: one, role: connectivity-provider, links: l1}}
    - {{name: two, role: connectivity-provider, links: l2, price_per_mark: {dear} money}}
    - name: users
      role: customer
      sources: [s1, s2]
      decision_interval: 5 s
      strategy:
        kind: best-offer
        elastic: true
        utility: {{kind: log, a: 1 money/s, x0: 1 Mbps}}
"""


def carriers(
    rates: tuple[int, int], law: str, dear: float, seed: int, count: int = USERS
) -> np.ndarray:
    """For both carriers: mean users, Mbit/s per user, and money per Mbit [row: carrier]."""
    text = TEXT.format(
        duration=DURATION,
        warmup=WARMUP,
        links=", ".join(LINK.format(i + 1, rate, law) for i, rate in enumerate(rates)),
        sources=", ".join(SOURCE.format(i + 1, count) for i in range(2)),
        dear=dear,
    )
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text), seed=seed, out=Path(folder) / "run").flow_epochs
    table = table[table.t_ps >= WARMUP * 10**12]
    found = []
    for source in (table.flow < count, table.flow >= count):
        sums = table[source].groupby("t_ps")[["active", "acked_bytes", "mark_charge_micro"]].sum()
        grown = (sums.iloc[-1] - sums.iloc[0]).astype(float)
        users = float(sums.active.mean())
        mbit = 8e-6 * grown.acked_bytes
        found.append(
            [users, mbit / (DURATION - WARMUP) / users, 1e-6 * grown.mark_charge_micro / mbit]
        )
    return np.array(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_take_the_cheaper_carrier_and_buy_their_demand(seed: int) -> None:
    """A packet of 8 kbit costs a tenth of a mark: p = 0.125 money/Mbit, and D = 7 Mbps."""
    [(users, rate, price), (others, _, dear)] = carriers((100, 100), FIXED, 0.02, seed)
    print(users, rate, price, others, dear)
    assert users > 10.5 and others < 1.5  # a few try the other one, for ten decisions on average
    assert price == pytest.approx(0.125, rel=0.03)
    assert rate == pytest.approx(1 / 0.125 - 1, rel=0.03)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("rates", "users"), [((4, 8), 12), ((6, 12), 20), ((3, 15), 30)])
def test_users_spread_until_a_bit_costs_the_same(
    rates: tuple[int, int], users: int, seed: int
) -> None:
    """Numbers of users are proportional to capacities; each buys its demand at its carrier's price.

    Users are integers and decide at different times, so the number on the smaller link varies by
    half a user. As users come and go, the mean of 1 / price is above 1 / mean price, by about 3 %
    on the smaller link.
    """
    by_carrier = carriers(rates, QUEUE, 0.01, seed, users)
    print(by_carrier.round(4))
    assert by_carrier[0, 0] == pytest.approx(users * rates[0] / sum(rates), abs=1.0)
    assert by_carrier[0, 2] == pytest.approx(by_carrier[1, 2], rel=0.06)
    assert by_carrier[:, 1] == pytest.approx(1 / by_carrier[:, 2] - 1, rel=0.08)
