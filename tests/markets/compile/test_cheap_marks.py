# SPDX-License-Identifier: Apache-2.0
"""The warning of `check` about marks so cheap that users want more than their link carries.

The law marks at most 0.25 (1 - 0.6) = 0.1 of 1,500-byte packets, so at 0.05 money per mark 1 Mbps
costs at most 0.1 x 0.05 x 1e6 / 12,000 = 0.41667 money/s. The link carries 8 Mbps.
"""

from __future__ import annotations

import pytest

from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 300 s
warmup: 100 s
network:
  links:
    - {{name: line, from: a, to: b, rate: 8 Mbps, delay: 20 ms, buffer: 400 packets,
       marking: {{law: load-based, threshold: 0.6, slope: 0.25}}}}
sources:
  - {{name: users, count: {count}, from: a, to: b, transport: {{law: wtp}}{source}}}
market:
  price_per_mark: {price} money
  agents:
    - {{name: isp, role: connectivity-provider{isp}}}
    - {{name: people, role: price-handler, sources: users, strategy: {{{strategy}}}}}
"""
LOG = "kind: elastic-utility, utility: {kind: log, a: 1 money/s, x0: 1 Mbps}"
PER_MB = "{kind: per-unit, price: 1 money/MB}"
TARGET = "strategy: {kind: target-utilization, target: 0.85, link: line}"


def cheap(strategy: str, count: int, price: float = 0.05, source: str = "", isp: str = "") -> list:
    """The warnings about cheap marks."""
    text = TEXT.format(strategy=strategy, count=count, price=price, source=source, isp=isp)
    scenario = scenario_from_text(text)
    return [one for one in warnings(scenario, make_plan(scenario)) if "the demand of" in one]


@pytest.mark.parametrize(
    ("strategy", "price", "each_mbps"),
    [
        (LOG, 0.05, 1 / 0.41667 - 1),
        (LOG, 0.08, 1 / 0.66667 - 1),
        (LOG.replace("log", "sqrt"), 0.05, (0.5 / 0.41667) ** 2),
        (LOG.replace("}", ", delay_cost: 0 money/MB}, budget: 0.3 money/s"), 0.05, 0.3 / 0.41667),
        ("kind: elastic-utility, utility: {kind: alpha-fair, alpha: 1, a: 0.5 money/s}", 0.05, 1.2),
        ("kind: constant-charge, charge: 0.5 money/s", 0.05, 0.5 / 0.41667),
    ],
)
def test_it_begins_where_demand_at_the_dearest_marks_exceeds_the_link(
    strategy: str, price: float, each_mbps: float
) -> None:
    """One user fewer than the link has no room for gets no warning."""
    most = int(8 / each_mbps)
    assert cheap(strategy, most, price) == []
    (warning,) = cheap(strategy, most + 1, price)
    assert warning.startswith("link line: even at its law's largest marking probability, 0.1, ")
    demand = f"the demand of users is {(most + 1) * each_mbps:.4g} Mbps"
    assert f"{demand}, but the link carries 8 Mbps" in warning


@pytest.mark.parametrize(
    "changes",
    [
        {"isp": f", {TARGET}"},  # its price follows the demand
        {"isp": f", contracts: [{{meter: bytes, sources: users, tariff: {PER_MB}}}]"},
        {"source": ", stop: 200 s"},
        {"source": ", traffic: {kind: on-off, packets: 100, pause: 1 s}"},
    ],
)
def test_it_is_silent_where_demand_is_unknown(changes: dict[str, str]) -> None:
    """With a price that moves, other contracts, or sources that do not always send."""
    assert cheap(LOG, 100, **changes) == []
