# SPDX-License-Identifier: Apache-2.0
"""The value of paired seeds: two strategies among web users, with and without pairing."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.analysis.sweep_report.contrasts import contrasts_of
from ecnomy.analysis.sweep_report.points import Swept, open_swept
from sweep_world import go, write

SCENARIO = """
version: 1
duration: 12 s
warmup: 2 s
network:
  links:
    - name: wire
      from: a
      to: b
      rate: 3 Mbps
      delay: 5 ms
      marking: {law: load-based, threshold: 0.8, slope: 1.0}
sources:
  - {name: gold, count: 2, from: a, to: b, transport: {law: wtp, gain: 0.1}}
  - name: web
    count: 8
    from: a
    to: b
    traffic: {kind: web, reading: 3 s, mean: 75 kB, shape: 1.2, max: 1 MB}
    transport: {law: reno, ecn: rfc3168}
market:
  epoch: 0.5 s
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 4 money/s, sources: gold}}
"""
SWEEP = """
version: 1
scenario: scenario.yaml
parameters:
  grid:
    market.agents.shop.strategy:
      - {label: whole fee, value: {kind: constant-charge}}
      - {label: three quarters, value: {kind: constant-charge, charge: 3 money/s}}
replicates: 16
seeds: SEEDS
outcomes: [gold.goodput_bps, balance.shop]
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Swept]:
    """The same two strategies with paired and independent seeds."""
    by_seeds = {}
    for seeds in ("paired", "independent"):
        home = tmp_path_factory.mktemp(seeds)
        go(write(home, SWEEP.replace("SEEDS", seeds), SCENARIO), home / "out")
        by_seeds[seeds] = open_swept(home / "out")
    return by_seeds


def variance(swept: Swept) -> float:
    """The variance of the difference of the two strategies' mean goodput, from its interval."""
    one = next(c for c in contrasts_of(swept) if c.outcome == "gold.goodput_bps")
    values = [swept.of("gold.goodput_bps")[swept.varied[0].codes == level] for level in (0, 1)]
    if one.compared.paired:
        return float((values[1] - values[0]).var(ddof=1)) / 16
    return float(values[0].var(ddof=1) + values[1].var(ddof=1)) / 16


def test_pairing_lowers_the_variance_of_a_difference(both: dict[str, Swept]) -> None:
    """With paired seeds, the variance is less than half of that with independent seeds."""
    paired, independent = (variance(both[seeds]) for seeds in ("paired", "independent"))
    print(f"variance of the difference: paired {paired:.4g}, independent {independent:.4g}")
    assert paired < 0.5 * independent


def test_the_page_tells_what_pairing_is_worth(both: dict[str, Swept]) -> None:
    """The ratio drawn by the page, only from the paired runs, agrees."""
    one = next(c for c in contrasts_of(both["paired"]) if c.outcome == "gold.goodput_bps")
    assert one.ratio**2 < 0.5
    assert all(np.isnan(c.ratio) for c in contrasts_of(both["independent"]))
