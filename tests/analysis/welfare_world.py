# SPDX-License-Identifier: Apache-2.0
"""Small markets whose users declare utilities, and a custom strategy with a utility."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ecnomy.agents.decision import LEAVE, FlowDecision
from ecnomy.agents.observation import FlowView
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.scenario import scenario_from_text

S = 10**12
FROM_S, TO_S = 10, 60
LOG_A, LOG_X0 = 2.0, 1e6  # utility of the long flows
SQRT_A, SQRT_X0 = 0.5, 4e5  # utility of the short flows
WTP = "{law: wtp, gain: 0.2, mss: 960 bytes}"
PARKING_LOT = f"""
version: 1
title: two links in a row
duration: {TO_S} s
warmup: {FROM_S} s
network:
  links:
    - name: first
      from: a
      to: b
      rate: 4 Mbps
      delay: 5 ms
      framing: 20 bytes
      marking: &by-load {{law: load-based, threshold: 0.8, slope: 0.5}}
    - {{name: second, from: b, to: c, rate: 3 Mbps, delay: 5 ms, marking: *by-load}}
sources:
  - {{name: long, count: 2, from: a, to: c, transport: {WTP}}}
  - {{name: near, from: a, to: b, transport: {WTP}}}
  - {{name: far, from: b, to: c, transport: {WTP}}}
  - name: other
    from: a
    to: b
    stop: 40 s
    traffic: {{kind: cbr, rate: 0.5 Mbps}}
    transport: {{law: udp, payload: 960 bytes, header: 40 bytes}}
market:
  epoch: 1 s
  price_per_mark: 0.02 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: travellers
      role: price-handler
      sources: long
      decision_interval: 3 s
      strategy: {{kind: elastic-utility, utility: {{kind: log, a: 2 money/s, x0: 1 Mbps}}}}
    - name: neighbours
      role: price-handler
      sources: [near, far]
      decision_interval: 3 s
      strategy: {{kind: elastic-utility, utility: {{kind: sqrt, a: 0.5 money/s, x0: 0.4 Mbps}}}}
"""
ONE_LINK = f"""
version: 1
duration: 30 s
warmup: 5 s
network:
  links:
    - {{name: link, from: a, to: b, rate: 2 Mbps, delay: 5 ms, marking: MARKING}}
sources:
  - {{name: one, from: a, to: b, transport: {WTP}}}
  - {{name: two, from: a, to: b, transport: {WTP}}}
market:
  epoch: 1 s
  price_per_mark: 0.05 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - {{name: first-user, role: ROLE, sources: one, strategy: FIRST}}
    - {{name: second-user, role: price-handler, sources: two, strategy: SECOND}}
"""
ELASTIC = "{kind: elastic-utility, utility: UTILITY}"
BY_LOAD = "{law: load-based, threshold: 0.8, slope: 0.5}"
LOG = "{kind: log, a: 2 money/s, x0: 1 Mbps}"


def made(text: str, folder: Path, seed: int = 1) -> RawRun:
    """A scenario's run."""
    scenario = scenario_from_text(text, seed=seed)
    return open_raw(run(scenario, seed=seed, out=folder / "r").folder)


def one_link(
    folder: Path,
    *,
    utilities: tuple[str, str] = (LOG, LOG),
    first: str = "",
    role: str = "price-handler",
    marking: str = BY_LOAD,
) -> RawRun:
    """Two users on a link; `first` replaces the first one's strategy."""
    text = ONE_LINK.replace("MARKING", marking).replace("ROLE", role)
    text = text.replace("FIRST", first or ELASTIC.replace("UTILITY", utilities[0]))
    return made(text.replace("SECOND", ELASTIC.replace("UTILITY", utilities[1])), folder)


def rates_bps(run: RawRun, flow: int, from_s: int, to_s: int) -> list[float]:
    """Goodput of a flow second by second, from the table."""
    table = run.flow_epochs[run.flow_epochs["flow"] == flow].set_index("t_ps")["acked_bytes"]
    return [8.0 * (table[(t + 1) * S] - table[t * S]) for t in range(from_s, to_s)]


def paid_micro(run: RawRun, account: str, from_s: int, to_s: int, side: str = "debit") -> int:
    """The sum that an account paid (or received), posting by posting."""
    total = 0
    for row in run.raw.ledger.to_dict("records"):
        if from_s * S < row["t_ps"] <= to_s * S and row[side] == account:
            total += int(row["amount_micro"])
    return total


@dataclasses.dataclass
class Content:
    """A customer with a constant willingness to pay, which declares the worth of a rate."""

    roles: ClassVar[tuple[str, ...]] = ("customer", "price-handler")
    crooked: bool = False
    worth: float = 3.0

    @property
    def utility(self) -> Any:
        """Money per second for a rate r in Mbps: `worth` (1 - exp(-r)), or r^2."""
        return _Crooked() if self.crooked else _Sated(self.worth)

    def decide(self, view: FlowView) -> FlowDecision:
        """Set the willingness to pay once."""
        return FlowDecision(willingness_micro_per_s=500_000 if view.t_ps == 0 else LEAVE)


@dataclasses.dataclass
class _Sated:
    worth: float
    x0: ClassVar[float] = 1e6

    def value(self, r: np.ndarray) -> np.ndarray:
        worth: np.ndarray = self.worth * (1 - np.exp(-r))
        return worth

    def slope(self, r: np.ndarray) -> np.ndarray:
        slope: np.ndarray = self.worth * np.exp(-r)
        return slope


class _Crooked:
    x0 = 1e6

    def value(self, r: np.ndarray) -> np.ndarray:
        return r**2

    def slope(self, r: np.ndarray) -> np.ndarray:
        return 2 * r
