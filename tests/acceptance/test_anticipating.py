# SPDX-License-Identifier: Apache-2.0
"""Users who anticipate their effect on prices: the Nash equilibrium of Johari, Tsitsiklis 2004.

On a link whose payments divide the rate C, U_i'(x_i) (1 - x_i / C) is the same for all: the
price. Price takers have the same U_i'(x_i), the optimum.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import seeds

SEEDS = seeds(10)
AMOUNTS = np.array([4.0, 2.0, 1.0])  # a, with x0 = 1 Mbps
SHARED = 8.0  # Mbps; throughput of the virtual queue of 9 Mbps
WARMUP, DURATION = 60, 200

TEXT = """\
version: 1
duration: {duration} s
warmup: {warmup} s
network:
  links:
    - {{name: line, from: a, to: b, rate: 10 Mbps, delay: 20 ms, buffer: 200 packets,
       marking: {{law: virtual-queue, theta: 0.9, buffer: 20 packets}}}}
sources:
{sources}
market:
  epoch: 1 s
  price_per_mark: 0.05 money
  agents:
    - {{name: isp, role: connectivity-provider}}
{agents}
"""
SOURCE = "  - {{name: s{}, from: a, to: b, transport: {{law: wtp, gain: 0.1, mss: 960 bytes}}}}"
AGENT = (
    "    - {{name: u{0}, role: price-handler, sources: s{0}, strategy: {{kind: elastic-utility,"
    " anticipates: {2} Mbps, utility: {{kind: log, a: {1} money/s, x0: 1 Mbps}}}}}}"
)


@functools.cache
def rates(anticipates: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Goodput [Mbit/s] and price [money/s per Mbit/s] of each user."""
    text = TEXT.format(
        duration=DURATION,
        warmup=WARMUP,
        sources="\n".join(SOURCE.format(i) for i in range(len(AMOUNTS))),
        agents="\n".join(AGENT.format(i, a, anticipates) for i, a in enumerate(AMOUNTS)),
    )
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text), seed=seed, out=Path(folder) / "run").flow_epochs
    of = table.pivot(index="t_ps", columns="flow", values=["acked_bytes", "mark_charge_micro"])
    grown = (of.loc[DURATION * 10**12] - of.loc[WARMUP * 10**12]).astype(float)
    rate = 8e-6 * grown["acked_bytes"].to_numpy() / (DURATION - WARMUP)
    paid = 1e-6 * grown["mark_charge_micro"].to_numpy() / (DURATION - WARMUP)
    return rate, paid / rate


def equilibrium(total: float, shared: float) -> np.ndarray:
    """Rates of a sum `total` with a / (1 + x) (1 - x / shared) the same for all, by bisection."""

    def bought(price: float) -> np.ndarray:
        low, high = np.zeros(len(AMOUNTS)), np.full(len(AMOUNTS), min(shared, 1e3))
        for _ in range(60):
            middle = (low + high) / 2
            steep = AMOUNTS / (1 + middle) * (1 - middle / shared) > price
            low, high = np.where(steep, middle, low), np.where(steep, high, middle)
        return low

    cheap, dear = 1e-6, AMOUNTS.max()
    for _ in range(60):
        price = (cheap + dear) / 2
        cheap, dear = (price, dear) if bought(price).sum() > total else (cheap, price)
    return bought(cheap)


@pytest.mark.parametrize("seed", SEEDS)
def test_anticipating_users_come_to_the_nash_equilibrium(seed: int) -> None:
    """Rates agree within 5 %, and 2 % on average. In the optimum one rate is 20 % higher."""
    rate, price = rates(SHARED, seed)
    nash, optimum = equilibrium(rate.sum(), SHARED), equilibrium(rate.sum(), np.inf)
    print(rate.round(3), nash.round(3), optimum.round(3), price.round(4))
    off = np.abs(rate / nash - 1)
    assert off.max() < 0.05 and off.mean() < 0.02
    assert optimum[0] / rate[0] > 1.1 and optimum[2] / rate[2] < 0.7
    marginal = AMOUNTS / (1 + rate) * (1 - rate / SHARED)
    assert price == pytest.approx(marginal, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_price_takers_come_to_the_optimum(seed: int) -> None:
    """With `anticipates: 0 Mbps` users come to the optimum. Rates vary by 2.5 % over seeds."""
    rate, _ = rates(0.0, seed)
    optimum = equilibrium(rate.sum(), np.inf)
    print(rate.round(3), optimum.round(3))
    assert np.abs(rate / optimum - 1).max() < 0.08
    welfare = [(AMOUNTS * np.log1p(x)).sum() for x in (rates(SHARED, seed)[0], optimum)]
    assert welfare[0] > 0.75 * welfare[1]
