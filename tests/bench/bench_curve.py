# SPDX-License-Identifier: Apache-2.0
"""The curve: the cost of a packet for 10 to 100,000 flows and 1 to 1,000 links.

Flows share one bottleneck of 10 Mbps per flow (40 ms round trip); each of many links carries two
flows that use no other, so every link is used. Start-up is the CPU time outside the event loop.
Memory per idle and per active flow is counted (tests/engine/counting.py), without packets.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import counting
import history
from ecnomy.markets.plan import Plan
from loads import bell, chain
from measuring import run_for

FLOWS = (10, 100, 1_000, 10_000, 100_000)
LINKS = (1, 10, 100, 1_000)
LEAST_CPU_S = 3.0
NEVER_S = 1e3


def point(make: Callable[[float], Plan], first_s: float) -> dict[str, Any]:
    """One point of the curve."""
    done = run_for(make, first_s, LEAST_CPU_S)
    return {
        "packets_per_cpu_s": done.data_packets / done.cpu_s,
        "hops_per_cpu_s": done.packet_hops / done.cpu_s,
        "start_s": done.start_s,
    }


def memory() -> dict[str, float]:
    """Bytes per idle and active flow, without and with a market, from 5,000 and 1,000 flows."""
    if counting.missing():
        return {}
    taken = {}
    states = {"idle": NEVER_S, "active": 0.0}
    for name, market in itertools.product(states, (False, True)):
        few, many = (
            counting.allocations(bell(n, 1e7 * n, 0.3, begin_s=states[name]), market=market)
            for n in (1000, 5000)
        )
        what = f"{name} with its row" if market else name
        taken[what] = (many.peak_bytes - few.peak_bytes) / 4000
    return taken


def main() -> None:
    """Measure, print and record the curve."""
    figures: dict[str, Any] = {"flows": {}, "links": {}, "bytes_per_flow": memory()}
    for n in FLOWS:
        figures["flows"][n] = point(lambda s, n=n: bell(n, 1e7 * n, s), max(0.2, 3000.0 / n))
    for n in LINKS:
        figures["links"][n] = point(lambda s, n=n: chain(n, s), 10_000.0 / n)
    for what in ("flows", "links"):
        for n, at in figures[what].items():
            print(
                f"{n:>7,} {what}: {at['packets_per_cpu_s']:,.0f} data packets and "
                f"{at['hops_per_cpu_s']:,.0f} packet-hops per CPU second, "
                f"{at['start_s']:.2f} CPU s beside"
            )
    for name, taken in figures["bytes_per_flow"].items():
        print(f"memory per {name} flow: {taken:.0f} bytes, packets apart")
    history.add("curve", figures)


if __name__ == "__main__":
    main()
