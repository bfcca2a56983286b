# SPDX-License-Identifier: Apache-2.0
"""A small tournament: three strategies, two and three players, a short link."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.tournament.payoffs import Payoffs
from ecnomy.analysis.tournament.profiles import pairs, simplex

SCENARIO = """
version: 1
duration: 12 s
warmup: 4 s
network:
  links:
    - name: wire
      from: a
      to: b
      rate: 1 Mbps
      delay: 5 ms
      marking: {law: load-based, threshold: 0.8, slope: 1}
sources:
  - {name: one, from: a, to: b, transport: {law: wtp, gain: 0.1, mss: 960 bytes}}
market:
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: one, role: price-handler, sources: one, strategy: {kind: constant-charge, charge: 1 money/s}}
"""  # noqa: E501
TOURNAMENT = """
version: 1
title: Small
scenario: scenario.yaml
tournament:
  player: one
  populations: [2, 3]
  per_player: {network.links.wire.rate: 1 Mbps}
  utility: {kind: log, a: 2 money/s, x0: 1 Mbps}
  strategies:
    payer: {strategy: {kind: constant-charge, charge: 1 money/s}}
    saver: {strategy: {kind: constant-charge, charge: 0.2 money/s}}
    free: {strategy: {kind: stay}, transport: {law: newreno, mss: 960 bytes, ecn: "off"}}
  without: {menu: there is no provider}
replicates: 2
"""


def write(folder: Path, tournament: str = TOURNAMENT, scenario: str = SCENARIO) -> Path:
    """Writes both files; returns the tournament's path."""
    (folder / "scenario.yaml").write_text(scenario)
    (folder / "tournament.yaml").write_text(tournament)
    return folder / "tournament.yaml"


def made_up(
    earned_by: Callable[[int, Floats], float], populations: tuple[int, ...] = (2, 3)
) -> Payoffs:
    """A table with each player's pay-off as a function of its strategy and the shares."""
    rng = np.random.default_rng(1)
    earned, paid = {}, {}
    for players in populations:
        for profile in {*pairs(players, 3), *simplex((0, 1, 2), players, 3)}:
            there = np.array(profile) > 0
            means = np.array([earned_by(own, np.array(profile) / players) for own in range(3)])
            noise = rng.normal(0, 1e-3, (4, 3))
            earned[profile] = np.where(there, means + noise, np.nan)
            paid[profile] = np.where(there, [[0.5, 0.2, 0.0]] * 4, np.nan)
    return Payoffs(("high", "low", "none"), populations, earned, paid)
