# SPDX-License-Identifier: Apache-2.0
"""The CPU time of books and decisions of 10,000 customers of four carriers; cost of stepping.

Each customer may use any of the four carriers, so there are 40,000 flows. In each epoch, a tenth
of customers search for a better carrier. Stepping is measured on gold-silver, by `open_market`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from ecnomy.markets import open_market, run
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import scenario_from_text

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"
CUSTOMERS, CARRIERS, RUNS = 10_000, 4, 5
HEAD = """\
version: 1
duration: 12 s
network:
  links:
"""
LINK = """\
    - {{name: link{0}, from: net{0}, to: hub, rate: 1 Gbps, delay: 5 ms, buffer: 3000 packets,
       marking: {{law: red, min_threshold: 50 packets, max_threshold: 150 packets}}}}
"""
SOURCE = "  - {{name: over{0}, count: {1}, from: net{0}, to: hub, transport: {{law: wtp}}}}\n"
MARKET = "market:\n  epoch: 1 s\n  settlement: {}\n  price_per_mark: 0.01 money\n  agents:\n"
CARRIER = "    - {{name: c{0}, role: connectivity-provider, links: link{0}}}\n"
USERS = """\
    - name: users
      role: customer
      sources: [{}]
      decision_interval: 1 s
      strategy:
        kind: best-offer
        utility: {{kind: log, a: 1 money/s, x0: 20 kbps}}
        pay: 0.05 money/s
        switching_cost: 2 money
        horizon: 60 s
        loyalty: 0.9
"""


def crowd(settlement: str) -> str:
    """The scenario's text."""
    of = range(CARRIERS)
    links = "".join(LINK.format(i) for i in of)
    sources = "sources:\n" + "".join(SOURCE.format(i, CUSTOMERS) for i in of)
    agents = "".join(CARRIER.format(i) for i in of)
    users = USERS.format(", ".join(f"over{i}" for i in of))
    return HEAD + links + sources + MARKET.format(settlement) + agents + users


def per_epoch(settlement: str) -> list[float]:
    """CPU seconds of the market in each epoch."""
    took: list[float] = []
    meet, orders = Market.meet, Market.orders

    def timed_meet(self, report) -> None:
        before = time.process_time()
        meet(self, report)
        took.append(time.process_time() - before)

    def timed_orders(self):
        before = time.process_time()
        try:
            return orders(self)
        finally:
            took[-1] += time.process_time() - before

    Market.meet, Market.orders = timed_meet, timed_orders  # type: ignore[method-assign]
    try:
        with open_market(scenario_from_text(crowd(settlement)), tables=False) as market:
            while market.running:
                market.step()
    finally:
        Market.meet, Market.orders = meet, orders  # type: ignore[method-assign]
    return took


def stepping() -> float:
    """Wall time of a stepped gold-silver over that of `run`, the median of interleaved pairs."""
    ratios = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            times = [time.perf_counter()]
            run(EXAMPLE, out=Path(folder) / "run")
            times.append(time.perf_counter())
            with open_market(EXAMPLE, out=Path(folder) / "steps") as market:
                while market.running:
                    market.step()
                market.close()
            times.append(time.perf_counter())
        ratios.append((times[2] - times[1]) / (times[1] - times[0]))
    return median(ratios)


def main() -> None:
    """The settlements with the highest and the lowest cost, then stepping."""
    for settlement in ("retail", "direct"):
        took = per_epoch(settlement)
        print(
            f"{CUSTOMERS:,} customers, {CARRIERS} carriers, {settlement}: "
            f"{1e3 * median(took):.1f} ms an epoch (median of {len(took)}, most "
            f"{1e3 * max(took):.1f})"
        )
    print(f"gold-silver stepped: {stepping():.2f} times the time of `run` (median of {RUNS})")


if __name__ == "__main__":
    main()
