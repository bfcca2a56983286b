# SPDX-License-Identifier: Apache-2.0
"""Two links in a row that mark a fixed share of packets, and their carriers, which steer prices.

Each link marks one packet in five, so the price per packet does not depend on load: 20 % of
packets carry the first link's mark, and 0.8 x 20 % the second link's.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ecnomy.analysis.run.price_settling import settling_of
from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text

__all__ = ["FAR", "GRADIENT", "NEAR", "STAY", "CarrierFigures", "found", "people"]

PS = 10**12
NEAR = 0.2  # marks of the first link, per packet
FAR = 0.8 * 0.2  # marks of the second link
STAY = "{kind: stay}"
GRADIENT = "{kind: revenue-gradient}"
SCENARIO = """
version: 1
title: Carriers in a row
duration: {duration} s
warmup: 0 s
network:
  links:
    - {{name: near, from: homes, to: exchange, rate: 100 Mbps, delay: 5 ms,
       marking: &fifth {{law: fixed, probability: 0.2}}}}
    - {{name: far, from: exchange, to: town, rate: 100 Mbps, delay: 5 ms, marking: *fifth}}
sources:
{sources}
market:
  epoch: 2 s
  price_per_mark: 0.01 money
  settlement: {settlement}
  agents:
    - {{name: up, role: connectivity-provider, links: near, price_per_mark: {near:.6f} money,
       decision_interval: {interval} s, strategy: {up}}}
    - {{name: down, role: connectivity-provider, links: far, price_per_mark: {far:.6f} money,
       decision_interval: {interval} s, strategy: {down}}}
"""


@dataclasses.dataclass(frozen=True)
class CarrierFigures:
    """Figures of the last half of a run, for `up` and `down`.

    Attributes:
        price: geometric mean of the posted price over time, money.
        left: profit: receipts less payments, money/s.
        verdict: whether its price settled.
    """

    price: dict[str, float]
    left: dict[str, float]
    verdict: Mapping[str, str]


def people(name: str, count: int, utility: str) -> tuple[str, str]:
    """A group of users with a utility, as a source and an agent."""
    source = (
        f"  - {{name: {name}, count: {count}, from: homes, to: town,\n"
        "     transport: {law: wtp, gain: 0.5, mss: 960 bytes}}\n"
    )
    agent = (
        f"    - {{name: {name}s, role: price-handler, sources: {name}, decision_interval: 2 s,\n"
        f"       strategy: {{kind: elastic-utility, utility: {utility}}}}}\n"
    )
    return source, agent


def found(
    users: list[tuple[str, str]],
    *,
    seed: int,
    settlement: str,
    prices: tuple[float, float],
    up: str = STAY,
    down: str = STAY,
    duration: int = 1200,
    interval: int = 10,
) -> CarrierFigures:
    """Simulate one run. `prices` are the initial prices of the strategies `up` and `down`."""
    near, far = prices
    text = SCENARIO.format(
        duration=duration,
        sources="".join(source for source, _ in users),
        settlement=settlement,
        near=near,
        far=far,
        up=up,
        down=down,
        interval=interval,
    ) + "".join(agent for _, agent in users)
    scenario = scenario_from_text(f"{text}seed: {seed}\n", "row.yaml")
    with tempfile.TemporaryDirectory() as folder:
        result = run(scenario, out=Path(folder) / "run").raw
        book, agents = result.ledger, result.agents
        verdicts = {one.carrier: one.verdict for one in settling_of(result)}
    since = duration * PS // 2
    late = book[book["t_ps"] > since]
    price, left = {}, {}
    for name in ("up", "down"):
        gained = late[late["credit"] == name]["amount_micro"].sum()
        paid = late[late["debit"] == name]["amount_micro"].sum()
        left[name] = float(gained - paid) / 1e6 / (duration / 2)
        posted = agents[(agents["agent"] == name) & (agents["name"] == "price_micro_per_mark")]
        times = np.append(posted["t_ps"].to_numpy(), duration * PS)
        spans = np.diff(np.clip(times, since, duration * PS))
        logs = np.log(posted["value"].to_numpy(float).clip(1))
        price[name] = float(np.exp(np.average(logs, weights=spans)) / 1e6)
    return CarrierFigures(price, left, verdicts)
