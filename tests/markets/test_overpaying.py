# SPDX-License-Identifier: Apache-2.0
"""Warnings about users whose payment exceeds the value of any rate of their paths."""

from __future__ import annotations

import math

import pytest

from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 60 s
network:
  links:
    - {name: near, from: a, to: b, rate: 2 Mbps, marking: {law: load-based, threshold: 0.8}}
    - {name: far, from: a, to: c, rate: 8 Mbps, marking: {law: load-based, threshold: 0.8}}
sources:
  - {name: short, from: a, to: b, transport: {law: wtp}}
  - {name: long, from: a, to: c, transport: {law: wtp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: users
      role: customer
      sources: [short, long]
      strategy: {kind: best-offer, utility: {kind: log, a: 2 money/s, x0: 1 Mbps}, pay: PAY}
"""
WORTH = 2 * math.log(1 + 8)  # at 8 Mbps


@pytest.mark.parametrize("pay", [0.0, 1.0, 0.99 * WORTH, 1.01 * WORTH, 100.0])
def test_pay_beyond_the_utility_is_told(pay: float) -> None:
    """The most expensive alternative counts, at the full rate of its link."""
    scenario = scenario_from_text(TEXT.replace("PAY", f"{pay} money/s"))
    told = [w for w in warnings(scenario, make_plan(scenario)) if "worth" in w]
    assert len(told) == (pay > WORTH)
    for line in told:
        assert "agent users" in line and f"pays {pay:g} money/s" in line
        assert f"worth at most {WORTH:.4g} money/s" in line
