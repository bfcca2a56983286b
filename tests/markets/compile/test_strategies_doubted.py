# SPDX-License-Identifier: Apache-2.0
"""Warnings of strategies whose prices come too late, or that wrongly expect to move a price."""

from __future__ import annotations

from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 300 s
warmup: 100 s
network:
  links:
    - {name: one, from: a, to: b, rate: 4 Mbps, delay: 5 ms, buffer: 60 packets, marking: {law: load-based}}
    - {name: two, from: b, to: c, rate: 9 Mbps, delay: 5 ms, buffer: 60 packets}
sources:
  - {name: near, count: 2, from: a, to: b, transport: {law: wtp}}
  - {name: far, from: a, to: c, transport: {law: wtp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider, strategy:
       {kind: price-schedule, prices: {20 s: 0.01 money, 299 s: 0.02 money}}}
    - {name: ann, role: price-handler, sources: [near, far], strategy:
       {kind: elastic-utility, anticipates: 4 Mbps, utility: {kind: log, a: 1 money/s, x0: 1 Mbps}}}
"""  # noqa: E501
PRICES = "market.agents.isp.strategy"


def doubts(*overrides: str) -> list[str]:
    """Return the warnings of `check` about these agents."""
    scenario = scenario_from_text(TEXT, overrides=overrides)
    return [one for one in warnings(scenario, make_plan(scenario)) if one.startswith("agent ")]


def test_one_link_that_marks_is_anticipated() -> None:
    """One such link causes no warning; with two, the path over both is named."""
    assert doubts() == []
    (one,) = doubts("network.links.two.marking={law: load-based}")
    assert one.startswith("agent ann: ") and one.endswith("on the path of far mark: one, two")


def test_fixed_marking_is_moved_by_nobody() -> None:
    """Fixed marking causes one warning, although two sources use the link."""
    (one,) = doubts("network.links.one.marking={law: fixed, probability: 0.1}")
    assert one.endswith("but one marks with a fixed probability")


def test_prices_after_the_end() -> None:
    """The first price after the end of a run is named, but not for prices by the hour."""
    (one,) = doubts(f"{PRICES}.prices={{0 s: 0.01 money, 300 s: 0.02 money, 400 s: 1 money}}")
    assert one.startswith("agent isp: its price from 300 s on is never posted")
    day = "{kind: price-schedule, period: 24 h, prices: {0 h: 0.01 money, 8 h: 0.02 money}}"
    assert doubts(f"{PRICES}={day}") == []
