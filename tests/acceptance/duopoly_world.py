# SPDX-License-Identifier: Apache-2.0
"""Two equal parallel links, customers without switching costs, and price-seeking carriers.

The same packets, customers and strategy of carriers serve two markets: each link has its own
owner, or one carrier owns both. Their theory is in ecnomy.analysis.theory.duopoly.
"""

from __future__ import annotations

import dataclasses
import math
import tempfile
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd

from ecnomy.agents import Decision, Observation, PriceObservation, Unit
from ecnomy.analysis.theory import ParallelCarriers
from ecnomy.markets import run
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import scenario_from_text

__all__ = ["MODEL", "PROBE", "Climber", "CycleMeans", "Homes", "outcome"]

HOMES, SATIATION_PPS, WORTH, PACKET_BITS = 4, 200.0, 10.0, 8000  # of each home; 1000-byte packets
MODEL = ParallelCarriers(
    links=2,
    capacity_pps=500.0,
    threshold=0.2,
    slope=0.3,
    satiation_pps=HOMES * SATIATION_PPS,
    worth=HOMES * WORTH,
)
EPOCH_S, HOLD = 3, 16  # a price is held for 48 s
PROBE = 0.2
CYCLE_S = 4 * HOLD * EPOCH_S
SCENARIO = """
version: 1
title: Two links side by side
duration: {duration} s
warmup: 0 s
network:
  links:
    - {{name: one, from: a, to: z, rate: 4 Mbps, delay: 25 ms, buffer: 500 packets, marking: &load
        {{law: load-based, threshold: 0.2, slope: 0.3, interval: 100 ms}}}}
    - {{name: two, from: b, to: z, rate: 4 Mbps, delay: 25 ms, buffer: 500 packets, marking: *load}}
sources:
  - {{name: by-one, count: 4, from: a, to: z, transport: &wtp
       {{law: wtp, gain: 0.1, mss: 960 bytes}}}}
  - {{name: by-two, count: 4, from: b, to: z, transport: *wtp}}
market:
  epoch: 3 s
  price_per_mark: 0.1 money
  agents:
    - {{name: homes, role: price-handler, sources: [by-one, by-two], decision_interval: 3 s,
       strategy: {{kind: "duopoly_world:Homes", worth: 10 money/s, satiation: 1.6 Mbps}}}}
"""
CARRIER = """\
    - {{name: {name}, role: connectivity-provider, links: [{links}],
       strategy: {{kind: "duopoly_world:Climber", rhythm: {rhythm}, step: {step},
                  start: {start} money}}}}
"""


@dataclasses.dataclass
class Homes:
    """Each home sends over both links, and pays for both by its utility.

    U(x) = worth (r - r^2 / 2), r = x / satiation, where x is the sum over links. A packet has cost
    `cost` on average over the past interval; the home pays for its demand at that cost:

        w = cost x(cost),    U'(x) = cost

    and for each link a share of w in the ratio share_i cost_i^-change: the cheaper link gets more
    until both cost the same. Rates of equal homes are pooled, because a single home sees few marks.
    """

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)
    worth: Annotated[float, Unit("money/s")]
    satiation: Annotated[float, Unit("bit/s")]
    change: float = 0.8

    def __post_init__(self) -> None:
        self._choke = self.worth * 1e6 / self.satiation  # micro-units per bit
        self._share = np.full(2, 0.5)
        self._cost = 0.3 * self._choke

    def decide_many(self, observation: Observation) -> Decision:
        """The payment of each home over each link."""
        flows = observation.flows
        link = (flows.source != flows.source.min()).astype(int)
        if observation.dt_ps:
            bits = np.bincount(link, flows.goodput_bps) * observation.dt_ps / 1e12
            paid = np.bincount(link, flows.charge_micro)
            least, most = 0.01 * self._choke, 0.99 * self._choke
            share = self._share * (paid / bits).clip(least, most) ** -self.change
            self._share = share / share.sum()
            self._cost = float(np.clip(paid.sum() / bits.sum(), least, most))
        pay = self._cost * self.satiation * (1 - self._cost / self._choke)
        return Decision(np.rint(pay * self._share[link]))


@dataclasses.dataclass
class Climber:
    """Climbs its income in the logarithm of the price: alternates two prices and compares.

    A price `probe` above and one below its own are kept for 16 reports each. Incomes of the first
    half do not count, because customers overshoot at first, and counting from the sixth report on
    leads 30 % below the best price. After the n-th group of four, its own price moves by
    `step` (1 + 1 / n) times the slope of log income seen, by a factor of e at most. With a `rhythm`
    of 1 prices go - + - +, with 2 - - + +, so tries of a rival in the other rhythm add equally
    to either side.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    rhythm: int
    step: float
    start: Annotated[float, Unit("money")]
    probe: float = PROBE

    def __post_init__(self) -> None:
        self._log = math.log(self.start * 1e6)
        self._reports = -1  # number of epochs so far
        self._income = [0, 0]  # below, above

    def post_price(self, observation: PriceObservation) -> int:
        """The price of the next epoch."""
        assert observation.agent is not None
        if self._reports >= 0 and self._reports % HOLD >= HOLD // 2:
            self._income[self._above()] += observation.price_micro * int(
                observation.links.marks.sum()
            )
        self._reports += 1
        if self._reports and self._reports % (4 * HOLD) == 0:
            low, high = self._income
            slope = (high - low) / max(high + low, 1) / self.probe
            step = self.step * (1 + 4 * HOLD / self._reports)
            self._log += float(np.clip(step * slope, -1.0, 1.0))
            self._income = [0, 0]
        observation.agent.note("own_price", math.exp(self._log) / 1e6)
        return round(math.exp(self._log + (self.probe if self._above() else -self.probe)))

    def _above(self) -> int:
        """Return whether the current price is the upper one."""
        return self._reports // HOLD // self.rhythm % 2


@dataclasses.dataclass(frozen=True)
class CycleMeans:
    """Means of a run's measured cycles; shares, rates and incomes by link."""

    prices: tuple[float, ...]  # money per mark, geometric mean over time, of each carrier
    packet_price: float  # money
    rates: tuple[float, ...]  # packets/s
    traffic_share: float  # of the first link
    income_share: float  # of the first link
    income: float  # money/s, of both links
    welfare: float  # money/s, of all homes


def outcome(seed: int, *, monopoly: bool, cycles: int, skipped: int) -> CycleMeans:
    """One run of some cycles of four prices; the first `skipped` are not measured.

    It begins at twice the price of theory, or at half of it if the seed is even.
    """
    carriers = [("both", "one, two", 1, 4.0)] if monopoly else [("first", "one", 1, 2.0)]
    carriers += [] if monopoly else [("second", "two", 2, 2.0)]
    theory = MODEL.monopoly() if monopoly else MODEL.competition()
    start = theory.prices[0] * (2.0 if seed % 2 else 0.5)
    text = SCENARIO.format(duration=cycles * CYCLE_S)
    for name, links, rhythm, step in carriers:
        text += CARRIER.format(name=name, links=links, rhythm=rhythm, step=step, start=start)
    scenario = scenario_from_text(f"{text}seed: {seed}\n", "two-links.yaml")
    with tempfile.TemporaryDirectory() as folder:
        result = run(scenario, out=Path(folder) / "run")
        return _measured(result, [name for name, *_ in carriers], skipped * CYCLE_S)


def _measured(result: Results, carriers: list[str], since_s: int) -> CycleMeans:
    since = since_s * 10**12
    noted = result.raw.agents.query("name == 'own_price' and t_ps >= @since")
    prices = [np.exp(np.log(noted[noted["agent"] == name]["value"]).mean()) for name in carriers]
    table = result.flow_epochs.sort_values(["t_ps", "flow"])
    table = table[table["t_ps"] >= since]
    times = np.diff(table["t_ps"].unique()) / 1e12
    packets = _changes(table, "acked_bytes") * 8 / PACKET_BITS  # [report, link, home]
    charge = _changes(table, "mark_charge_micro").sum(axis=(0, 2)) / 1e6
    used = packets.sum(axis=(0, 2))
    each = packets.sum(axis=1) / times[:, None] / SATIATION_PPS
    utility = WORTH * (each - each**2 / 2).sum(axis=1)
    rates = used / times.sum()
    return CycleMeans(
        prices=tuple(float(price) for price in prices),
        packet_price=float(charge.sum() / used.sum()),
        rates=tuple(float(rate) for rate in rates),
        traffic_share=float(used[0] / used.sum()),
        income_share=float(charge[0] / charge.sum()),
        income=float(charge.sum() / times.sum()),
        welfare=float(utility @ times / times.sum()),
    )


def _changes(table: pd.DataFrame, column: str) -> np.ndarray:
    """The changes between reports, [report, link, home]."""
    cumulative = table[column].to_numpy(float).reshape(-1, 2, HOMES)
    return np.diff(cumulative, axis=0)
