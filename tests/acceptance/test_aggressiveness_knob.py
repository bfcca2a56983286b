# SPDX-License-Identifier: Apache-2.0
"""`aggressiveness-knob` on packets, against the optimum of its users in plain numpy.

The knob is from Andreassen et al. 2002, 3.2.5, which reports no figures. The utilities and prices
are chosen here. Kelly 1997: users who pay in proportion to their share of a link, and take the
price as given, get the shares that are best for all.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import Scenario, scenario_from_text
from tiers import seeds

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "aggressiveness-knob.yaml"
PS = 10**12
SEEDS = seeds(10)
STEADY = seeds(10, fast=1)  # one run is within a fifth of its tolerance there
FREE, CHARGED = (20, 60), (90, 180)  # times of the example [s]
WORTH = {"modest": 1.0, "middle": 2.0, "keen": 4.0}  # price of the example [money/s]

TEXT = """\
version: 1
duration: 200 s
network:
  links: [{{name: link, from: a, to: b, rate: 10 Mbps, delay: 20 ms, marking: {marking}}}]
sources:
{sources}
market:
  price_per_mark: {price} money
  agents:
    - name: isp
      role: connectivity-provider
      contracts:
        - {{meter: weight, tariff: {{kind: two-part, fee: 3 money/s, price: {charge} money/s}},
           sources: [{names}]}}
{agents}
"""
SOURCE = "  - {{name: {0}, from: a, to: b, transport: {{law: wtp, gain: 0.2, mss: 960 bytes}}}}"
AGENT = (
    "    - {{name: of-{0}, role: price-handler, sources: {0}, decision_interval: 5 s,"
    " strategy: {{kind: aggressiveness-knob, most: 50, utility: {1}}}}}"
)
SHARED = "{law: load-based, threshold: 0.8, slope: 1.0}"
A = np.array([1.0, 4.0, 2.0, 0.8])  # money/s
X0 = np.array([1e6, 1e6, 2e6, 1e6])  # bit/s
UTILITIES = (
    "{kind: alpha-fair, alpha: 2, a: 1 money/s, x0: 1 Mbps}",
    "{kind: alpha-fair, alpha: 2, a: 4 money/s, x0: 1 Mbps}",
    "{kind: log, a: 2 money/s, x0: 2 Mbps}",
    "{kind: sqrt, a: 0.8 money/s, x0: 1 Mbps}",
)


def scenario(utilities: tuple[str, ...], marking: str, charge: float, price: float) -> Scenario:
    """One link and a greedy WTP flow with a knob per utility; weight has a fee."""
    names = [f"flow{i}" for i in range(len(utilities))]
    return scenario_from_text(
        TEXT.format(
            marking=marking,
            price=f"{price:.6f}",
            charge=charge,
            names=", ".join(names),
            sources="\n".join(map(SOURCE.format, names)),
            agents="\n".join(map(AGENT.format, names, utilities)),
        )
    )


class Course:
    """The rates and weights of a run."""

    def __init__(self, result: Results) -> None:
        self._epochs = result.flow_epochs.set_index(["t_ps", "flow"]).sort_index()
        self._agents = result.raw.agents[result.raw.agents["name"] == "weight"]
        self.source = result.raw.flows["source"].to_numpy()

    def rate_bps(self, first_s: int, last_s: int) -> np.ndarray:
        """Mean goodput of each flow between two times."""
        a, b = (self._epochs.loc[t * PS, "acked_bytes"] for t in (first_s, last_s))
        return 8 * (b - a).to_numpy(float) / (last_s - first_s)

    def weight(self, first_s: int, last_s: int) -> np.ndarray:
        """The mean weight of each flow, NaN if its agent chose none."""
        means = []
        for flow in range(len(self.source)):
            said = self._agents[self._agents["flow"] == flow].sort_values("t_ps")
            at = np.searchsorted(said["t_ps"], np.arange(first_s, last_s) * PS, "right") - 1
            means.append(said["value"].to_numpy()[at].mean() if len(said) else np.nan)
        return np.array(means)


def simulate(made: Scenario, seed: int) -> Course:
    with tempfile.TemporaryDirectory() as folder:
        return Course(run(made, seed=seed, out=Path(folder) / "run"))


@functools.cache
def shared(seed: int, charge: float) -> Course:
    return simulate(scenario(UTILITIES, SHARED, charge, 1e-6), seed)


@functools.cache
def example(seed: int) -> Course:
    return simulate(load(EXAMPLE), seed)


def demand_bps(price: float) -> np.ndarray:
    """The demand of each of UTILITIES at a price in money/s per bit/s: the inverse of U'."""
    p = price * X0
    squares = np.sqrt(A / p)
    return X0 * np.array(
        [squares[0], squares[1], max(A[2] / p[2] - 1, 0), (A[3] / (2 * p[3])) ** 2]
    )


def optimum(capacity_bps: float, charge: float) -> tuple[np.ndarray, np.ndarray]:
    """Rates at which demand fills the link, and the weights that buy them."""
    low, high = 1e-12, 1.0
    for _ in range(200):
        price = np.sqrt(low * high)
        low, high = (price, high) if demand_bps(price).sum() > capacity_bps else (low, price)
    rates = demand_bps(price)
    return rates, rates * price / charge


def test_users_of_a_link_come_to_rest_at_the_optimum() -> None:
    """Weights and rates of four utilities (R of 1/2 to 2) are the demand that fills C.

    Weights and rates agree within 3 %, and the smallest rate within 12 %, as its standard error is
    4 % in three seeds.
    """
    close = [0.03, 0.03, 0.06, 0.12]
    for charge in (0.5, 2.0):
        tails = [shared(seed, charge) for seed in SEEDS]
        rates = np.mean([one.rate_bps(100, 200) for one in tails], axis=0)
        weights = np.mean([one.weight(100, 200) for one in tails], axis=0)
        best_bps, best_weight = optimum(rates.sum(), charge)
        assert (np.abs(rates / best_bps - 1) < close).all()
        assert (np.abs(weights / best_weight - 1) < close).all()


def test_marks_and_weight_are_one_price() -> None:
    """Alone at p = 0.05, w is a / (q + m) - x0 / s within 2 %, with s = 8 S / (p T), m = b / T."""
    charge, mark, a, x0_bps, marked = 0.4, 0.02, 2.0, 1e6, 0.05
    text = f"{{kind: log, a: {a} money/s, x0: 1 Mbps}}"
    made = scenario((text,), f"{{law: fixed, probability: {marked}}}", charge, mark)
    round_trip_s = 2 * 20e-3 + 8 * (1000 + 40) / 1e7
    per_weight, slope = charge + mark / round_trip_s, 8 * 1000 / (marked * round_trip_s)
    found = [simulate(made, seed).weight(60, 200)[0] for seed in STEADY]
    best = a / per_weight - x0_bps / slope
    assert best < 0.5 * a / charge - x0_bps / slope  # marks are a large part of the price
    assert np.mean(found) == pytest.approx(best, rel=0.02)


def test_a_free_knob_is_turned_to_its_end() -> None:
    """In the example's first minute all knobs are at 12, and flows without a knob get less."""
    for seed in SEEDS:
        knobs_run = example(seed)
        knobs = knobs_run.source != "plain"
        rates = knobs_run.rate_bps(*FREE)
        assert np.all(knobs_run.weight(*FREE)[knobs] == 12.0)
        assert rates[knobs] == pytest.approx(rates[knobs].mean(), rel=0.1)
        assert rates[~knobs].mean() < 0.2 * rates[knobs].mean()


def test_a_charged_knob_is_worth_over_price() -> None:
    """At 1 money/s and U = a log x, w = a, and rates are within 6 % of 1 : 2 : 4."""
    ratios = []
    for seed in SEEDS:
        knobs_run = example(seed)
        worth = np.array([WORTH.get(name, np.nan) for name in knobs_run.source])
        assert knobs_run.weight(*CHARGED) == pytest.approx(worth, rel=0.005, nan_ok=True)
        rates = knobs_run.rate_bps(*CHARGED)
        share = np.where(np.isnan(worth), 1.0, worth)
        ratios.append(rates / (rates.sum() * share / share.sum()))
    assert np.mean(ratios, axis=0) == pytest.approx(np.ones(8), rel=0.06)
