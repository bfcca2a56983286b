# SPDX-License-Identifier: Apache-2.0
"""Warnings about users who pay more than any rate is worth, or in fractions of micro-units."""

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
def test_pay_beyond_the_utility_is_warned_of(pay: float) -> None:
    """The most expensive alternative counts, at the full rate of its link."""
    scenario = scenario_from_text(TEXT.replace("PAY", f"{pay} money/s"))
    lines = [w for w in warnings(scenario, make_plan(scenario)) if "worth" in w]
    assert len(lines) == (pay > WORTH)
    for line in lines:
        assert "agent users" in line and f"pays {pay:g} money/s" in line
        assert f"worth at most {WORTH:.4g} money/s" in line


@pytest.mark.parametrize(
    ("strategy", "warned"),
    [
        ("{kind: constant-charge, charge: 0.0000014 money/s}", "charge is 1.4 micro-units"),
        ("{kind: constant-charge, charge: 0.000002 money/s}", ""),
        ("{kind: constant-charge, charge: 0.0000514 money/s}", ""),
        (
            "{kind: elastic-utility, utility: {kind: log, a: 0.000012 money/s, x0: 1 Mbps}}",
            "utility.a is 12 micro-units",
        ),
        ("{kind: elastic-utility, utility: {kind: log, a: 1 money/s, x0: 1 Mbps}}", ""),
    ],
)
def test_payments_of_a_few_micro_units_are_warned_of(strategy: str, warned: str) -> None:
    """A whole number of micro-units is exact, and from 50 on rounding changes at most 1 %."""
    shop = "{kind: best-offer, utility: {kind: log, a: 2 money/s, x0: 1 Mbps}, pay: PAY}"
    text = TEXT.replace(shop, strategy).replace("role: customer", "role: price-handler")
    scenario = scenario_from_text(text)
    lines = [w for w in warnings(scenario, make_plan(scenario)) if "micro-units" in w]
    assert len(lines) == bool(warned)
    assert all(line.startswith(f"agent users: {warned}") for line in lines)
