# SPDX-License-Identifier: Apache-2.0
"""Equilibria of weighted transports on three links in a row, over ten seeds.

WTP: x = w / (1 - prod(1 - p_l)), w in marks/s and p_l each link's marking; with few marks
the optimum of sum w log x - sum integral p_l(y) dy (Siris et al. 2002, Eq. 1; Kelly, Maulloo, Tan
1998). REM: the optimum of sum w log x over the links' service, whose duals are the prices that
the sources see (Athuraliya, Low 2000, Eq. 6 to 11).
"""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ecnomy.analysis.theory import (
    FlowProblem,
    LoadLink,
    LogUtility,
    network_optimum,
    rem_price,
    wtp_network,
)
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import scenario_from_text
from tiers import rare, seeds

PS, SEEDS = 10**12, tuple(seeds(10))
FROM_S, TO_S = 30, 150
PACKET_BYTES = 1000
ROUTES = ((0, 1, 2), (0,), (1,), (2,))  # long, near, middle, far: two flows of each
CAPACITY_PPS = np.array([2000.0, 1000.0, 1500.0])
PHI = 1.2
TEXT = """\
version: 1
duration: {to} s
warmup: {warm} s
seed: {seed}
network:
  links:
    - {{name: west, from: a, to: b, rate: 16 Mbps, delay: 5 ms, buffer: 2000 packets,
       not_ect: pass, marking: {marking}}}
    - {{name: middle, from: b, to: c, rate: 8 Mbps, delay: 5 ms, buffer: 2000 packets,
       not_ect: pass, marking: {marking}}}
    - {{name: east, from: c, to: d, rate: 12 Mbps, delay: 5 ms, buffer: 2000 packets,
       not_ect: pass, marking: {marking}}}
sources:
  - {{name: long, count: 2, spread: 1 s, from: a, to: d, transport: {transport}}}
  - {{name: near, count: 2, spread: 1 s, from: a, to: b, transport: {transport}}}
  - {{name: centre, count: 2, spread: 1 s, from: b, to: c, transport: {transport}}}
  - {{name: far, count: 2, spread: 1 s, from: c, to: d, transport: {transport}}}
"""
MARKET = """\
market:
  epoch: 1 s
  price_per_mark: 0.01 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - {{name: travellers, role: price-handler, sources: long, strategy: {{kind: constant-charge,
       charge: {long} money/s}}}}
    - {{name: locals, role: price-handler, sources: [near, centre, far],
       strategy: {{kind: constant-charge, charge: {local} money/s}}}}
"""
WTP = "{law: wtp, gain: 0.1, mss: 960 bytes}"
LOAD_BASED = "{law: load-based, threshold: 0.6, slope: 0.2, interval: 100 ms}"
VIRTUAL_QUEUE = "{law: virtual-queue, theta: 0.95, buffer: 30 packets}"
REM_LINK = f"{{law: rem, price: pc3, phi: {PHI}, gamma: 0.005, alpha: 0.1, interval: 1 ms}}"
REM_SOURCE = (
    f"{{law: rem, weight: 0.5 packets/ms, phi: {PHI}, max_rate: 20 packets/ms, mss: 960 bytes}}"
)
CHARGE = {"long": 0.2, "local": 0.12}  # money/s per flow, at 0.01 money per mark
MARKS_PER_S = np.array([20.0, 12.0, 12.0, 12.0])


@dataclass(frozen=True)
class Measured:
    """Means over the measured window, per flow by source, and of links."""

    rates_pps: np.ndarray
    marked: np.ndarray  # share of delivered packets
    probabilities: np.ndarray
    loads: np.ndarray


@functools.cache
def measured(marking: str, seed: int, pay: float = 1.0) -> Measured:
    """One run; `pay` multiplies every willingness to pay."""
    rem = marking == REM_LINK
    settings = {"marking": marking, "transport": REM_SOURCE if rem else WTP, "seed": seed}
    text = TEXT.format(to=TO_S, warm=FROM_S, **settings)
    text += "" if rem else MARKET.format(**{who: pay * paid for who, paid in CHARGE.items()})
    with tempfile.TemporaryDirectory() as folder:
        result = open_raw(run(scenario_from_text(text), out=Path(folder) / "r").folder)
        flows = result.flow_epochs.set_index(["t_ps", "flow"])[["acked", "delivered", "ce"]]
        links = result.link_epochs.set_index(["t_ps", "link"])[["arrivals", "marks"]]
    grown = (flows.loc[TO_S * PS] - flows.loc[FROM_S * PS]).to_numpy(float)
    acked, delivered, ce = grown.reshape(4, 2, 3).sum(axis=1).T
    passed = (links.loc[TO_S * PS] - links.loc[FROM_S * PS]).to_numpy(float)
    names = [link.name for link in result.plan.links]
    arrivals, marks = passed[[names.index(name) for name in ("west", "middle", "east")]].T
    seconds = TO_S - FROM_S
    loads = arrivals / seconds / CAPACITY_PPS
    return Measured(acked / seconds / 2, ce / delivered, marks / arrivals, loads)


def paths(probabilities: np.ndarray) -> np.ndarray:
    """1 - prod(1 - p_l) for each source."""
    return np.array([1 - np.prod(1 - probabilities[list(route)]) for route in ROUTES])


def mean(marking: str, name: str, pay: float = 1.0) -> np.ndarray:
    """A figure's mean over the seeds."""
    return np.mean([getattr(measured(marking, seed, pay), name) for seed in SEEDS], axis=0)


@pytest.mark.parametrize(
    ("marking", "pay", "within"),
    [
        (LOAD_BASED, 0.85, 0.05),
        rare(LOAD_BASED, 1.6, 0.05),
        rare(VIRTUAL_QUEUE, 0.85, 0.05),
        (VIRTUAL_QUEUE, 1.6, 0.08),
    ],
)
def test_wtp_rests_where_marks_a_second_are_what_is_paid_for(
    marking: str, pay: float, within: float
) -> None:
    """Rates are within 5 % of w / (1 - prod(1 - p_l)) for measured p_l, with any marking.

    If virtual queues mark one packet in six of long flows, these see 6 % more marks than links
    of the same shares would give independently, and get 6 % less. Marks per second are as paid for.
    """
    runs = [measured(marking, seed, pay) for seed in SEEDS]
    ratios = [run.rates_pps * paths(run.probabilities) / (pay * MARKS_PER_S) for run in runs]
    assert np.mean(ratios, axis=0) == pytest.approx(np.ones(4), abs=within)
    bought = [run.rates_pps * run.marked / (pay * MARKS_PER_S) for run in runs]
    assert np.mean(bought, axis=0) == pytest.approx(np.ones(4), abs=0.02)


def curve(marking: str, link: int):
    """p(y) of a link as measured at four levels of payment, linear in between."""
    runs = [measured(marking, seed, pay) for seed in SEEDS[:3] for pay in (0.4, 0.6, 0.85, 1.6)]
    loads, marked = np.array(sorted((run.loads[link], run.probabilities[link]) for run in runs)).T
    marked = np.maximum.accumulate(marked)
    loads, marked = np.append([0.0], loads), np.append([0.0], marked)
    return lambda load: float(np.interp(load, loads, marked))


@pytest.mark.parametrize("marking", [LOAD_BASED, VIRTUAL_QUEUE])
def test_few_marks_bring_wtp_to_the_optimum(marking: str) -> None:
    """Rates are within 10 % of the penalised optimum if path probabilities are at most 0.1."""
    probabilities = mean(marking, "probabilities", 0.85)
    assert 0.08 < probabilities.sum() <= 0.1
    if marking == LOAD_BASED:  # by the law itself

        def by_load(load: float) -> float:
            return max(0.0, 0.2 * (load - 0.6))

        curves = [by_load] * 3
    else:
        curves = [curve(marking, link) for link in range(3)]
    links = [LoadLink(rate, p) for rate, p in zip(CAPACITY_PPS, curves, strict=True)]
    flows = [(route, 0.85 * w) for route, w in zip(ROUTES, MARKS_PER_S, strict=True) for _ in "12"]
    routes, weights = zip(*flows, strict=True)
    best = wtp_network(routes, links, weights, [1.0] * len(flows))
    assert mean(marking, "rates_pps", 0.85) == pytest.approx(best.rates_pps[::2], rel=0.1)
    assert mean(marking, "loads", 0.85) == pytest.approx(best.loads, rel=0.05)


def test_rem_rests_at_the_optimum_and_its_duals() -> None:
    """Rates are within 10 % and path prices within 15 %, with links' service as capacity."""
    rates, prices = [], []
    for seed in SEEDS:
        found = measured(REM_LINK, seed)
        routes = tuple(route for route in ROUTES for _ in "12")
        served = tuple(found.loads * CAPACITY_PPS)
        best = network_optimum(FlowProblem(routes, served, LogUtility(500.0)))  # packets/s
        rates.append(found.rates_pps / best.rates[::2])
        prices.append(rem_price(found.marked, PHI) / best.path_prices[::2])
    assert np.mean(rates, axis=0) == pytest.approx(np.ones(4), abs=0.1)
    assert np.mean(prices, axis=0) == pytest.approx(np.ones(4), abs=0.15)
    longest = np.mean(prices, axis=0)[0]
    assert longest == pytest.approx(1.1, abs=0.03)  # mean of an oscillating price, by its log
