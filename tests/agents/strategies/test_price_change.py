# SPDX-License-Identifier: Apache-2.0
"""Steps of `elastic-utility` where the price of marks changes, on scripted observations.

U = a log(1 + r) with a = 1 money/s: D(p) = 1/p - 1, so p D(p) = 1 - p, and r U'(r) = r / (1 + r).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ecnomy.agents.observation import NO_OFFER, FlowColumns, Observation
from ecnomy.agents.strategies.elastic_utility import ElasticUtility
from ecnomy.agents.strategies.price_change import PriceChange
from ecnomy.agents.utilities.find import utility_of
from flow_world import observation

PS = 10**12
X0 = 1e6
DT = 5


def follow(rate_at: Callable[[float, int], float], price: Callable[[float, int], float]) -> list:
    """Successive w, where rate and price follow from w and the number of the decision."""
    strategy, found = ElasticUtility({"kind": "log", "a": 1.0, "x0": X0}), []
    for k in range(60):
        r = rate_at(found[-1], k) if found else 0.0
        money = price(found[-1], k) * r * DT * (k > 0) if found else 0.0

        def whole(value: float) -> np.ndarray:
            return np.array([round(value)], dtype=np.int64)

        columns = FlowColumns(
            flow=whole(0),
            active=whole(1),
            goodput_bps=np.array([r * X0]),
            delivered=whole(10_000),
            marks=whole(400),
            charge_micro=whole(1e6 * money),
            srtt_s=np.array([0.1]),
            gain=np.array([0.5]),
            offer=whole(NO_OFFER),
        )
        view = Observation(k * DT * PS, DT * PS * (k > 0), 1000, (), columns)
        found.append(strategy.decide_many(view).willingness_micro_per_s[0] / 1e6)
    return found


def test_one_step_takes_it_to_the_demand() -> None:
    """If the price changes from 0.5 to 0.7, w = 0.3 at once and stays, even if the rate lags."""
    paid = follow(lambda w, k: 1.0 if k <= 30 else 0.3 / 0.7, lambda w, k: 0.5 if k < 30 else 0.7)
    assert paid[29] == pytest.approx(0.5, abs=1e-3)
    assert paid[30:] == pytest.approx([0.3] * 30, abs=1e-3)


def test_many_changes_take_one_step_each() -> None:
    """At prices 0.5 and 0.7 in turn, w is 0.5 or 0.3 after the first decision of each."""

    def price(_: float, k: int) -> float:
        return 0.5 if k // 10 % 2 == 0 else 0.7

    paid = follow(lambda w, k: w / price(w, k), price)
    for k in range(10, 60):
        if k % 10 > 1:
            assert paid[k] == pytest.approx(1 - price(0, k), abs=5e-3), k


def test_a_price_that_may_be_on_either_side_of_the_dearest_w_is_no_change() -> None:
    """U' = 2 (1 - r), so p D(p) is at most 0.5, at p = 1, where w = 0.5 stays with 16 marks."""
    change = PriceChange(utility_of({"kind": "quadratic", "a": 1.0, "x0": X0}))
    change.meet(1, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    for marks, jumped in ((16, False), (400, True)):
        view = observation(
            5, 5, goodput_bps=0.35 * X0, marks=marks, charge_micro=round(1.3 * 0.35 * 5e6)
        )
        used_s = np.array([0.35 * 5])
        changed, step = change.steps(view.flows, used_s, np.log([0.5e6]), np.array([np.inf]))
        assert changed.tolist() == [jumped]
    assert step == pytest.approx(np.log(1.3 * 0.35 / 0.5), abs=1e-6)


def test_bursts_of_marks_are_no_change() -> None:
    """Of five decisions with a rate of x0, one has all 40 marks.

    At the mean price of 0.4, w is 0.6, but D is 0 at five times this price. Only the first four
    bursts count as new prices.
    """
    change, pays, steps = PriceChange(utility_of({"kind": "log", "a": 1.0, "x0": X0})), 0.6e6, []
    change.meet(1, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    for k in range(60):
        marks, money = (40, 5 * 0.4 * 5e6) if k % 5 == 4 else (0, 0)
        view = observation(5 * k, 5, goodput_bps=X0, marks=marks, charge_micro=round(money))
        changed, _ = change.steps(view.flows, np.array([5.0]), np.log([pays]), np.array([np.inf]))
        steps += [k] if changed[0] else []
    assert steps == [4, 9, 14, 19]


def test_a_row_whose_users_come_and_go_still_shows_a_new_price() -> None:
    """20 or 40 users of a row have 10 marks each; then the price rises by a quarter."""
    change, steps = PriceChange(utility_of({"kind": "log", "a": 1.0, "x0": X0})), []
    change.meet(1, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    for k in range(21):
        users, price = (20, 40)[k % 2], 0.4 if k < 20 else 0.5
        view = observation(
            5 * k,
            5,
            goodput_bps=X0,
            active=users,
            marks=round(10 * users * price / 0.4),
            charge_micro=round(users * price * 5e6),
        )
        changed, _ = change.steps(view.flows, np.array([5.0]), np.log([0.6e6]), np.array([np.inf]))
        steps += [k] if changed[0] else []
    assert steps == [20]


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4, 0.8])
@pytest.mark.parametrize("other", [0.1, 1.0, 10.0])
def test_whose_own_w_makes_the_price_comes_to_rest(share: float, other: float) -> None:
    """Alone on a link that always gives `share` of x0, w begins at `other` times its end value."""
    end = share / (1 + share)
    paid = follow(lambda w, k: share, lambda w, k: (other * end if k == 1 else w) / share)
    assert paid[-20:] == pytest.approx([end] * 20, rel=1e-3)


def trickle(strategy: ElasticUtility, packets_of: Callable[[float], int], decisions: int) -> list:
    """Successive w, money/s, of a flow that gets whole packets of X0 / 50 s every 2 s, no marks."""
    found = []
    for k in range(decisions):
        packets = packets_of(found[-1]) if k > 1 else 0
        view = observation(
            2 * k, 2 * (k > 0), goodput_bps=packets * X0 / 100, delivered=packets, gain=0.5
        )
        found.append(strategy.decide_many(view).willingness_micro_per_s[0] / 1e6)
    return found


@pytest.mark.parametrize("paid", [0.004, 0.0005])
def test_a_trickle_comes_back_at_its_demand(paid: float) -> None:
    """At half the choke price D is x0; from `paid` money/s on it is bought again within 2 min.

    With a packet every 2.5 or 20 s, most intervals have none. The flow never pays more than its
    demand.
    """
    strategy, sent = ElasticUtility({"kind": "log", "a": 1.0, "x0": X0}), [0.0]

    def packets_of(w: float) -> int:
        before, sent[0] = int(sent[0]), sent[0] + 2 * 50 * w / 0.5
        return int(sent[0]) - before

    strategy.decide_many(observation(0, 0, gain=0.5))
    strategy._log_pay[:] = np.log(1e6 * paid)
    found = trickle(strategy, packets_of, 60)
    assert found[-20:] == pytest.approx([0.5] * 20, rel=0.05)
    assert max(found) < 0.6


def test_who_gets_nothing_pays_as_before_and_then_for_a_probe() -> None:
    """Without packets, w stays for 30 s; then it pays for x0/100 as a probe."""
    strategy = ElasticUtility({"kind": "log", "a": 1.0, "x0": X0})
    strategy.decide_many(observation(0, 0, gain=0.5))
    strategy._log_pay[:] = np.log(2000.0)
    paid = trickle(strategy, lambda w: 0, 40)
    assert paid[:15] == pytest.approx([0.002] * 15)
    assert paid[15:] == pytest.approx([0.01 / 1.01] * 25, rel=1e-3)
