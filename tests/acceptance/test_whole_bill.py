# SPDX-License-Identifier: Apache-2.0
"""Demand follows the whole bill: equal bills have equal effects, whatever the contract.

Each user sends 0.1 Mbit/s of IP packets, with 960 bytes of data in 1000, so a MB of data takes
250/3 s. A price per MB of packets is 1000/960 of it per MB of data, a line of f money/s costs
250/3 f, and marks on a share p of packets 10^6 / 960 p times the price of one. Limits are spread
evenly over the demand 1 - q / 0.6 of 100 users: 0.6 x 0.005, 0.6 x 0.015 and so on.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import seeds

SEEDS = seeds(10)
PS = 10**12
LIMITS = [0.6 * (k + 0.5) / 100 for k in range(100)]  # money/MB
FREE = 1e-6  # money per mark, the least possible
MB_S = 8e6 / (0.96 * 0.1e6)  # time for a MB of data
IP = 1000 / 960

ONE = """\
version: 1
duration: 60 s
network:
  links: [{{name: line, from: web, to: homes, rate: 20 Mbps, delay: 5 ms,
           marking: {{law: fixed, probability: 0.05}}}}]
sources:
  - {{name: homes, count: 100, from: web, to: homes, traffic: {{kind: rate-capped, rate: 0.1 Mbps}},
     transport: {{law: wtp, gain: 0.5, mss: 960 bytes, mark_rate: 50 marks/s}}}}
market:
  epoch: 1 s
  price_per_mark: {mark:f} money
  agents:
    - {{name: isp, role: connectivity-provider, contracts: [{contracts}]}}
    - name: crowd
      role: customer
      sources: homes
      decision_interval: 2 s
      strategy: {{kind: price-demand, demand: {{kind: linear, choke: 0.6 money/MB}},
                 even: true, looks: 1}}
"""
SOLD = "{{meter: {}, sources: homes, tariff: {}}}".format
DAY = (
    "{kind: time-of-day, day: 40 s, price: 0.4 money/MB,"
    " periods: [{from: 0 s, to: 20 s, price: 0.1 money/MB}]}"
)
# The contract, the price of a mark, and the whole bill per MB of data from 40 s on, by hand.
BILLS = {
    "per MB": (SOLD("bytes", "{kind: per-unit, price: 0.3 money/MB}"), FREE, 0.3 * IP),
    "dear per MB": (SOLD("bytes", "{kind: per-unit, price: 2 money/MB}"), FREE, 2 * IP),
    "flat": (SOLD("time", "{kind: flat, price: 0.003 money/s}"), FREE, 0.003 * MB_S),
    "dear flat": (SOLD("time", "{kind: flat, price: 5 money/s}"), FREE, 5 * MB_S),
    "two-part": (
        SOLD("bytes", "{kind: two-part, fee: 0.002 money/s, price: 0.1 money/MB}"),
        *(FREE, 0.002 * MB_S + 0.1 * IP),
    ),
    "marks": ("", 0.005, 0.005 * 0.05 * 1e6 / 960),
    "marks and per MB": (
        SOLD("bytes", "{kind: per-unit, price: 0.1 money/MB}"),
        *(0.004, 0.004 * 0.05 * 1e6 / 960 + 0.1 * IP),
    ),
    "time of day": (SOLD("bytes", DAY), FREE, 0.1 * IP),
}


@functools.cache
def figures(text: str, seed: int, agent: str, name: str) -> pd.Series:
    """The values that an agent noted, by time [s]."""
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text), seed=seed, out=Path(folder) / "run").raw.agents
    own = table[(table.agent == agent) & (table.name == name)]
    return pd.Series(own.value.to_numpy(), index=own.t_ps.to_numpy() / PS)


def stay(price: float) -> int:
    """The number of limits that reach the price."""
    return sum(limit >= price for limit in LIMITS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bill", sorted(BILLS))
def test_as_many_stay_as_the_whole_bill_leaves(bill: str, seed: int) -> None:
    """The number agrees within 2 users if contracts fix the price per MB, within 8 with marks."""
    contracts, mark, price = BILLS[bill]
    users = figures(ONE.format(contracts=contracts, mark=mark), seed, "crowd", "users")
    last = users[users.index > 52].mean()
    print(f"{bill}: {last:.1f} users, {stay(price)} by hand")
    assert last == pytest.approx(stay(price), abs=2 if mark == FREE else 8)


TWO = """\
version: 1
duration: 50 s
network:
  links:
    - {{name: a-line, from: a, to: homes, rate: 20 Mbps, delay: 5 ms,
       marking: &marking {{law: fixed, probability: 0.05}}}}
    - {{name: b-line, from: b, to: homes, rate: 20 Mbps, delay: 5 ms, marking: *marking}}
sources:
  - {{name: over-a, count: 60, from: a, to: homes,
     traffic: &traffic {{kind: rate-capped, rate: 0.1 Mbps}},
     transport: &wtp {{law: wtp, gain: 0.5, mss: 960 bytes, mark_rate: 50 marks/s}}}}
  - {{name: over-b, count: 60, from: b, to: homes, traffic: *traffic, transport: *wtp}}
market:
  price_per_mark: 0.000001 money
  agents:
    - {{name: a-net, role: connectivity-provider, links: a-line, contracts: [{contract}]}}
    - {{name: b-net, role: connectivity-provider, links: b-line}}
    - name: users
      role: customer
      sources: [over-a, over-b]
      decision_interval: 5 s
      strategy: {{kind: best-offer, utility: {{kind: log, a: 1 money/s, x0: 0.1 Mbps}},
                 switching_cost: 6 money, horizon: 60 s, loyalty: 0.5, curiosity: 0}}
"""
# Contracts of a-net and whether its users leave: a change costs 0.1 money/s for 60 s.
LEAVE = {
    "{meter: time, sources: over-a, tariff: {kind: flat, price: 5 money/s}}": True,
    "{meter: time, sources: over-a, tariff: {kind: flat, price: 0.12 money/s}}": True,
    "{meter: time, sources: over-a, tariff: {kind: flat, price: 0.08 money/s}}": False,
    "{meter: bytes, sources: over-a, tariff: {kind: per-unit, price: 12 money/MB}}": True,
    "{meter: bytes, sources: over-a, tariff: {kind: per-unit, price: 5 money/MB}}": False,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("contract", sorted(LEAVE))
def test_users_leave_a_carrier_whose_bill_is_higher(contract: str, seed: int) -> None:
    """All who began there leave if the bill exceeds the cost of a change, else at most one.

    Half of them decide every 5 s, so after seven decisions one in 128 may be left.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = scenario_from_text(TWO.format(contract=contract))
        agents = run(made, seed=seed, out=Path(folder) / "run").raw.agents
    turns = agents[(agents.name == "active") & (agents.flow < 60)]
    began = 60 - int((turns.t_ps == agents[agents.name == "active"].t_ps.min()).sum())
    end = 60 - int((turns.groupby("flow").value.last() == 0).sum())
    print(f"{began} of 60 began there, {end} are left")
    assert 15 <= began <= 45
    assert end <= 1 if LEAVE[contract] else began - end <= 1


FLAT = "{{meter: time, sources: {}, tariff: {{kind: flat, price: {} money/s}}}}".format
PER_MB = "{{meter: bytes, sources: {}, tariff: {{kind: per-unit, price: {} money/MB}}}}".format


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("sold", "prices", "stay"),
    [(FLAT, (0.8, 0.75), 0), (FLAT, (0.8, 0.6), 1), (PER_MB, (64, 60), 0), (PER_MB, (64, 48), 1)],
    ids=["dear", "one not", "dear per MB", "one not per MB"],
)
def test_users_of_carriers_that_are_all_too_dear_leave(
    sold: Callable[[str, float], str], prices: tuple[float, float], stay: int, seed: int
) -> None:
    """Users leave if both carriers cost 0.75 money/s, more than the worth of log 2 = 0.693.

    If both charge more, users try for 5 s in each 60 s or so; else all send.
    """
    text = TWO.format(contract=sold("over-a", prices[0])).replace("duration: 50", "duration: 200")
    dear = "links: b-line, contracts: [" + sold("over-b", prices[1]) + "]"
    made = scenario_from_text(
        text.replace("links: b-line", dear).replace("switching_cost: 6", "switching_cost: 1")
    )
    with tempfile.TemporaryDirectory() as folder:
        table = run(made, seed=seed, out=Path(folder) / "run").flow_epochs
    acked = table.groupby("t_ps").acked_bytes.sum().astype(float)
    mbps = 8e-6 * (acked[200 * PS] - acked[100 * PS]) / 100
    there = mbps / (60 * 0.1)
    print(f"{there:.3f} of the users were there")
    assert there < 0.15 if stay == 0 else there == pytest.approx(1, abs=0.05)
