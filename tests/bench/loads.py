# SPDX-License-Identifier: Apache-2.0
"""The loads of `make bench`, as plans for the engine alone.

reference  issue's dumbbell: 10 greedy Reno ECN flows, 100 Mbps and 18 ms between 1 Gbps access
thousand   1,000 such flows, a bottleneck of 10 Gbps
wtp        10 paced WTP flows, the default of a market, on the reference dumbbell's links
gsp        andreassen2002: 22 Mbps of web and 0.93 Mbps of voice on 40 Mbps that mark by queue
abilene    configs/examples/abilene.yaml without its market (30 directions, 132 demands)
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ecnomy.markets import load
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan, Tcp
from ecnomy.markets.scenario import scenario_from_text

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import plans

__all__ = ["LOADS", "Load", "bell", "chain", "gsp"]

ROOT = Path(__file__).parents[2]

# 64 people who read for 6 s and fetch 260 kB, and 700 telephones (3 calls an hour of 3 min, 1,024
# bit packets at 10 a second), offer 22 and 0.93 Mbps.
GSP = """\
version: 1
duration: 1 h
seed: 1
network:
  links:
    - {name: access, from: town, to: exchange, rate: 1 Gbps, delay: 1 ms}
    - {name: trunk, from: exchange, to: city, rate: 40 Mbps, delay: 4 ms, buffer: 1200 packets,
       marking: {law: red, min_threshold: 7 packets, max_threshold: 42 packets,
                 max_probability: 1, weight: 1, gentle: false}}
sources:
  - {name: callers, count: 700, from: town, to: city, traffic: {kind: voip},
     transport: {law: udp, payload: 100 bytes}}
  - {name: surfers, count: SURFERS, from: town, to: city, spread: 10 s,
     traffic: {kind: web, reading: 6 s, mean: 260 kB, shape: 1.2, max: 5 MB},
     transport: {law: newreno, ecn: rfc3168}}
"""
SURFERS = 65


@dataclass(frozen=True)
class Load:
    """A load: `make(duration_s)` is its plan, `first_s` its first duration."""

    title: str
    make: Callable[[float], Plan]
    first_s: float
    short_s: float  # for an instrumented run, fifty times as slow


def bell(
    flows: int,
    rate_bps: float,
    duration_s: float,
    *,
    begin_s: float = 0.0,
    transport: Tcp | None = None,
) -> Plan:
    """Greedy flows, Reno with ECN, over one bottleneck; RED and buffer in proportion to its BDP."""
    packets = rate_bps * 0.040 / 8320
    red = plans.red(max(50, packets / 8), max(150, packets * 3 / 8))
    links = (
        plans.duplex("in", 0, 1, 10 * rate_bps, 0.001)
        + plans.duplex("b", 1, 2, rate_bps, 0.018, buffer=int(max(400, packets)), marking=red)
        + plans.duplex("out", 2, 3, 10 * rate_bps, 0.001)
    )
    source = plans.source(
        "reno", [0, 2, 4], [5, 3, 1], transport or plans.tcp(mss_bytes=1000), count=flows,
        start_s=begin_s, stagger_s=0.05 / flows, overhead_s=8320 / rate_bps,
    )  # fmt: skip
    return plans.plan(links, [source], duration_s)


def chain(links: int, duration_s: float) -> Plan:
    """Two paced flows at 1 Mbps on each of `links` separate links: cost against links."""
    rows, sources = [], []
    for i in range(links):
        rows += plans.duplex(f"l{i}", i, i + 1, 2e6, 0.010, buffer=60, marking=plans.red(5, 15))
        overhead_s = 8000 / 2e6
        sources.append(
            plans.source(
                f"s{i}", [2 * i], [2 * i + 1], plans.tcp(plans.wtp(1.0, 0.1)), count=2,
                overhead_s=overhead_s,
            )
        )  # fmt: skip
    return plans.plan(rows, sources, duration_s)


def gsp(duration_s: float, surfers: int = SURFERS) -> Plan:
    """Web and voice on one trunk."""
    text = GSP.replace("1 h", f"{duration_s:g} s").replace("SURFERS", str(surfers))
    return make_plan(scenario_from_text(text))


def _abilene(duration_s: float) -> Plan:
    path = ROOT / "configs" / "examples" / "abilene.yaml"
    overrides = [f"duration={duration_s:g} s", "warmup=0 s"]
    return make_plan(load(path, overrides=overrides, seed=1))


def _wtp(duration_s: float) -> Plan:
    return bell(10, 1e8, duration_s, transport=plans.tcp(plans.wtp(), mss_bytes=1000))


def _loads() -> dict[str, Load]:
    loads = {
        "reference": Load("reference dumbbell", plans.reference_dumbbell, 900, 4),
        "thousand": Load("1,000 flows at 10 Gbps", lambda s: bell(1000, 1e10, s), 8, 0.3),
        "wtp": Load("10 paced WTP flows", _wtp, 600, 4),
        "gsp": Load("ten hours of GSP traffic", gsp, 36_000, 60),
    }
    if importlib.util.find_spec("topohub"):
        loads["abilene"] = Load("Abilene", _abilene, 400, 10)
    return loads


LOADS = _loads()
