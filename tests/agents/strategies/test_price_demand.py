# SPDX-License-Identifier: Apache-2.0
"""`price-demand`: who takes part, against counts by hand; demand curves against their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from carrier_books import CarrierBooks
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import FlowColumns, Observation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.demands import DEMANDS, TIMES
from ecnomy.agents.strategies.price_demand import PriceDemand

S = 10**12
CURVES = {
    "isoelastic": {"at": 0.2, "elasticity": 1.5},
    "logit": {"at": 1.0, "spread": 0.3},
    "linear": {"choke": 2.0},
}


class Crowd:
    """Users who look every 10 s; the test sets the price per MB of each active user."""

    def __init__(self, count: int, seed: int = 1, **params: Any) -> None:
        self.strategy = PriceDemand(**params)
        self.view = CarrierBooks(None, 0, seed).view
        self.count, self.t_ps = count, 0
        self.active = np.ones(count, dtype=np.bool_)

    def decide(self, price: float) -> np.ndarray:
        """One decision after a time at this price [money/MB]; 1 Mbit/s each."""
        dt_ps = 10 * S if self.t_ps else 0
        rate = np.where(self.active, 1e6, 0.0)
        charge = np.rint(rate * 10 / 8e6 * price * 1e6).astype(np.int64) * bool(dt_ps)
        zero, real = np.zeros(self.count, dtype=np.int64), np.zeros(self.count)
        flows = FlowColumns(
            *(np.arange(self.count), zero, rate, zero, zero, charge, real, real, zero),
            payload_bps=rate,
        )
        self.t_ps += 10 * S
        observation = Observation(self.t_ps, dt_ps, 1000, (), flows, agent=self.view)
        decision = self.strategy.decide_many(observation)
        assert decision.active is not None
        self.active = decision.active
        return self.active


@pytest.mark.parametrize("kind", sorted(DEMANDS))
def test_a_curve_is_the_distribution_of_its_limits(kind: str) -> None:
    """D(limit(v)) is v, and the share of drawn limits that reach q is D(q)."""
    curve = DEMANDS[kind](**CURVES[kind])
    v = np.linspace(0.01, 0.99, 99)
    assert curve.share(curve.limit(v)) == pytest.approx(v, abs=1e-12)
    limits = curve.limit(np.random.default_rng(1).random(200_000))
    for price in (0.1, 0.25, 0.7, 1.1, 1.9, 3.0):
        assert float((limits >= price).mean()) == pytest.approx(float(curve.share(price)), abs=0.01)


@pytest.mark.parametrize(
    ("kind", "price", "share"),
    [
        ("isoelastic", 0.1, 1.0),
        ("isoelastic", 0.8, 1 / 8),
        ("logit", 1.0, 0.5),
        ("logit", 1.0 + 0.3 * np.log(3), 0.25),
        ("linear", 0.5, 0.75),
        ("linear", 2.5, 0.0),
    ],
)
def test_curves_by_hand(kind: str, price: float, share: float) -> None:
    """Values that can be worked out by hand."""
    assert float(DEMANDS[kind](**CURVES[kind]).share(price)) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("kind", sorted(DEMANDS))
@pytest.mark.parametrize("price", [0.3, 0.9])
def test_as_many_take_part_as_the_curve_has(kind: str, price: float) -> None:
    """With even limits the number is exact, also after an intermediate higher price."""
    crowd = Crowd(200, demand={"kind": kind, **CURVES[kind]}, even=True, looks=1.0)
    expected = 200 * float(DEMANDS[kind](**CURVES[kind]).share(price))
    for posted in (price, 1.5, price):
        for _ in range(30):
            crowd.decide(posted)
    assert crowd.active.sum() == pytest.approx(expected, abs=1)


def test_one_user_looks_where_all_have_left() -> None:
    """One user tries after 30, 60, 120, 240 and 240 s, for one decision each."""
    crowd = Crowd(50, demand={"kind": "linear", "choke": 1.0}, looks=1.0)
    counts = [int(crowd.decide(5.0).sum()) for _ in range(85)]
    probes = np.flatnonzero(np.array(counts[2:]) > 0) + 2
    assert max(counts[2:]) == 1 and np.diff(probes).tolist() == [7, 13, 25, 25]
    for _ in range(60):
        crowd.decide(0.5)
    assert crowd.active.sum() == pytest.approx(25, abs=10)


def test_a_share_looks_at_a_time() -> None:
    """At each decision, a tenth of those who would leave do so."""
    crowd = Crowd(4000, demand={"kind": "isoelastic", "at": 0.1, "elasticity": 1.0})
    counts = [int(crowd.decide(1e6).sum()) for _ in range(12)]
    assert counts[0] == 4000  # no price is known yet
    ratios = np.array(counts[2:]) / np.array(counts[1:-1])
    assert ratios.mean() == pytest.approx(0.9, abs=0.01)


def test_patience_delays_leaving() -> None:
    """With a patience of 35 s, users leave at the first decision after 35 s above their limit."""
    patience = {"kind": "fixed", "mean": 35.0}
    demand = {"kind": "linear", "choke": 1.0}
    crowd = Crowd(20, demand=demand, looks=1.0, patience=patience)
    counts = [int(crowd.decide(9.0).sum()) for _ in range(7)]
    assert counts == [20, 20, 20, 20, 20, 0, 0]


def test_those_who_change_their_mind_in_time_stay() -> None:
    """The smoothed price falls before patience ends, so patience restarts."""
    patience = {"kind": "fixed", "mean": 45.0}
    demand = {"kind": "isoelastic", "at": 0.9, "elasticity": 9.0}
    crowd = Crowd(20, demand=demand, looks=1.0, patience=patience)
    for price in (0.1, 0.1, 4.0, 4.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 4.0, 4.0, 4.0):
        assert crowd.decide(price).sum() == 20


def test_users_come_and_go() -> None:
    """Users are present for a third of the time on average; each return draws a new limit."""
    times = {
        "stay": {"kind": "exponential", "mean": 200.0},
        "away": {"kind": "uniform", "mean": 400.0},
    }
    crowd = Crowd(600, demand={"kind": "linear", "choke": 1.0}, looks=1.0, **times)
    counts = [int(crowd.decide(0.5).sum()) for _ in range(900)]
    # The draws are seen at decisions 10 s apart, half an interval late at either end.
    expected = 600 * 205 / 610 * 0.5
    assert np.mean(counts[200:]) == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize("kind", sorted(TIMES))
def test_times_have_their_mean(kind: str) -> None:
    """The means hold in 400,000 draws; Pareto's shape is 3, so that its mean converges."""
    more = {"shape": 3.0} if kind == "pareto" else {}
    drawn = TIMES[kind](mean=5.0, **more).draw(np.random.default_rng(2), 400_000)
    assert drawn.min() >= 0 and drawn.mean() == pytest.approx(5.0, rel=0.01)


def test_the_same_seed_draws_the_same_users() -> None:
    """Another seed draws other users."""

    def users(seed: int) -> list[list[bool]]:
        crowd = Crowd(50, seed, demand={"kind": "linear", "choke": 1.0})
        return [crowd.decide(0.5).tolist() for _ in range(10)]

    assert users(3) == users(3)
    assert users(3) != users(4)


LINEAR = {"kind": "linear", "choke": 1.0}


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"demand": {"kind": "linear", "choke": 0.0}}, "demand.choke"),
        ({"demand": {"kind": "isoelastic", "at": 1.0, "elasticity": -1.0}}, "demand.elasticity"),
        ({"demand": LINEAR, "looks": 0.0}, "looks"),
        ({"demand": LINEAR, "stay": {"kind": "fixed", "mean": 1.0}}, "away"),
        ({"demand": LINEAR, "patience": {"kind": "fixed", "mean": -1.0}}, "patience.mean"),
        (
            {"demand": LINEAR, "patience": {"kind": "pareto", "mean": 1.0, "shape": 1.0}},
            "patience.shape",
        ),
    ],
)
def test_values_that_make_no_sense_are_refused(params: dict[str, Any], key: str) -> None:
    """The error names the key as in YAML."""
    with pytest.raises(Refused) as caught:
        PriceDemand(**params)
    assert caught.value.key == key


def test_without_a_market_it_says_so() -> None:
    """The strategy draws from a market's random numbers."""
    empty = FlowColumns(*(np.zeros(0) for _ in range(9)))  # type: ignore[arg-type]
    with pytest.raises(StrategyError, match="require a market"):
        PriceDemand(demand=LINEAR).decide_many(Observation(0, 0, 1, (), empty))
